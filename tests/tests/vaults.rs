//! Sessions that survive the proxy, and every way in which a vault fails.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tests::signals::{self, Signal};
use tests::{
    Client, Mock, Proxy, ProxyOptions, Redis, Reply, Schema, Values, maskproxy, maskproxy_with,
};
use tokio::time::sleep;

const KEY: &str = "6b657920666f72207465737473206f6e6c792c206e65766572207573652069742e";

fn in_file(directory: &TempDir) -> (PathBuf, ProxyOptions) {
    let path = directory.path().join("vault.db");
    let text = format!("vault: {{type: sqlite, dsn: {}}}\n", path.display());
    (path, configured(directory, &text))
}

fn configured(directory: &TempDir, text: &str) -> ProxyOptions {
    let path = directory.path().join("config.yaml");
    std::fs::write(&path, text).expect("a configuration");
    ProxyOptions::default().config(&path)
}

fn in_redis(redis: &Redis) -> ProxyOptions {
    ProxyOptions::default()
        .env("MASK_VAULT", "redis")
        .env("MASK_REDIS_URL", &redis.url())
}

async fn ask(proxy: &Proxy, session: &str, model: &str, text: &str) -> Reply {
    let mut client = Client::connect(&proxy.url()).await;
    ask_over(&mut client, session, model, text).await
}

async fn ask_over(client: &mut Client, session: &str, model: &str, text: &str) -> Reply {
    let headers = [("authorization", "Bearer k"), ("x-mask-session", session)];
    let body = Schema::ChatStyle.request(model, text, false).to_string();
    let path = Schema::ChatStyle.path();
    client
        .request("POST", path, &headers, body.as_bytes())
        .await
}

fn unavailable(reply: &Reply) {
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (503, Some("mask_vault_unavailable")),
        "{}",
        reply.text()
    );
}

/// Runs the proxy twice on a vault: what the first run masked, the second restores.
async fn outlives(mock: &Mock, options: &ProxyOptions) {
    let values = Values::of(71);
    let mut first = Proxy::start_with(&mock.url(), options).await;
    ask(&first, "s", "echo", &values.email).await;
    first.kill().await;
    let mut second = Proxy::start_with(&mock.url(), options).await;
    let reply = ask(&second, "s", "says/<MASK_EMAIL_1>", "which?").await;
    assert!(reply.text().contains(&values.email), "{}", reply.text());
    second.stop().await;
    assert_eq!(second.audit_text().matches("session.created").count(), 0);
}

#[tokio::test]
async fn sessions_survive_a_restart() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    outlives(&mock, &in_file(&directory).1).await;
    let redis = Redis::start().await;
    outlives(&mock, &in_redis(&redis)).await;
}

/// Case 233: nothing readable in a dump; a wrong key leaves tokens.
#[tokio::test]
async fn an_encrypted_vault_contains_nothing_readable() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let redis = Redis::start().await;
    let values = Values::of(72);
    let path = directory.path().join("vault.db");
    let vaults = [
        format!("type: sqlite, dsn: {}", path.display()),
        format!("type: redis, redis_url: '{}'", redis.url()),
    ];
    let dump_file = || {
        ["", "-wal", "-shm"]
            .map(|end| format!("{}{end}", path.display()))
            .iter()
            .map(|path| {
                String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
            })
            .collect::<String>()
    };
    for vault in vaults {
        let text = format!("operator: {{type: encrypt}}\nvault: {{{vault}}}\n");
        let options = configured(&directory, &text);
        let encrypting = options.clone().env("MASK_ENCRYPT_KEY", &KEY[..64]);
        let proxy = Proxy::start_with(&mock.url(), &encrypting).await;
        ask(&proxy, "s", "echo", &values.to_string()).await;
        let seen = mock.last().text();
        let token = seen.split_once("<MASK_EMAIL_").expect("a token").1;
        let token = format!("<MASK_EMAIL_{}>", token.split_once('>').expect("its end").0);
        let says = format!("says/{token}");
        let again = ask(&proxy, "s", &says, "which?").await;
        assert!(again.text().contains(&values.email), "{}", again.text());

        let dump = if vault.contains("sqlite") {
            dump_file()
        } else {
            redis.written()
        };
        assert!(dump.contains("EMAIL"), "the dump holds the session");
        for value in values.all() {
            assert!(!dump.contains(value), "{value} can be read");
        }
        let other = options.env("MASK_ENCRYPT_KEY", &KEY[2..]);
        let wrong = Proxy::start_with(&mock.url(), &other).await;
        let reply = ask(&wrong, "s", &says, &values.email).await;
        assert_eq!(reply.status, 200);
        assert!(reply.text().contains(&token), "{}", reply.text());
        assert!(!reply.text().contains(&values.email));
    }
}

/// Cases 217 and 232: who needs no vault does not notice that it is down.
#[tokio::test]
async fn an_unavailable_vault_stops_only_requests_that_need_it() {
    let mock = Mock::start().await;
    let mut redis = Redis::reserved();
    let proxy = Proxy::start_with(&mock.url(), &in_redis(&redis)).await;
    assert_eq!(Client::get(&proxy.url(), "/health").await.status, 200);
    assert_eq!(Client::get(&proxy.url(), "/v1/models").await.status, 200);
    let ephemeral = Schema::ChatStyle.request("echo", &Values::of(73).email, false);
    let path = Schema::ChatStyle.path();
    assert_eq!(
        Client::post(&proxy.url(), path, &ephemeral).await.status,
        200
    );

    let before = mock.requests().len();
    unavailable(&ask(&proxy, "s", "echo", "x").await);
    assert_eq!(mock.requests().len(), before, "nothing is forwarded");
    let errors = proxy.audited("proxy.error", 1).await;
    assert_eq!(errors[0]["phase"], "vault");
    assert!(
        proxy
            .metrics()
            .await
            .contains("mask_errors_total{phase=\"vault\"} 1")
    );

    redis.start_again().await;
    assert_eq!(ask(&proxy, "s", "echo", "x").await.status, 200);
}

/// Case 255.
#[tokio::test]
async fn an_unavailable_vault_is_reported_before_a_stream_begins() {
    let mock = Mock::start().await;
    let redis = Redis::reserved();
    let path = Schema::ChatStyle.path();
    let options = in_redis(&redis);
    for options in [options.clone(), options.flag("--gateway")] {
        let proxy = Proxy::start_with(&(mock.url() + path), &options).await;
        for stream in [false, true] {
            let body = Schema::ChatStyle.request("echo", "x", stream).to_string();
            let mut client = Client::connect(&proxy.url()).await;
            let headers = [("x-mask-session", "s")];
            let reply = client.request("POST", path, &headers, body.as_bytes());
            unavailable(&reply.await);
        }
    }
    assert_eq!(mock.requests().len(), 0);
}

/// Case 229. A load balancer sends nothing to an instance whose vault is unreachable, and does not
/// restart it.
#[tokio::test]
async fn an_instance_is_ready_only_while_its_vault_answers() {
    let mock = Mock::start().await;
    let mut redis = Redis::reserved();
    let proxy = Proxy::start_with(&mock.url(), &in_redis(&redis)).await;
    let reply = Client::get(&proxy.url(), "/ready").await;
    assert_eq!(
        (reply.status, reply.text().as_str()),
        (503, r#"{"status":"VaultUnreachable"}"#)
    );
    assert_eq!(Client::get(&proxy.url(), "/health").await.status, 200);
    let metrics = async || Client::get(&proxy.url(), "/metrics").await.text();
    assert!(metrics().await.contains("\nmask_ready 0\n"));
    redis.start_again().await;
    assert!(metrics().await.contains("\nmask_ready 1\n"));
    let reply = Client::get(&proxy.url(), "/ready").await;
    assert_eq!(
        (reply.status, reply.text().as_str()),
        (200, r#"{"status":"ready"}"#)
    );
}

/// An instance never tried again, and had to be restarted.
#[tokio::test]
async fn redis_is_used_again_once_it_accepts_the_password() {
    let (mock, redis) = (Mock::start().await, Redis::start().await);
    let user = async |password: &str| {
        let command = format!("ACL SETUSER proxy reset on >{password} ~* &* +@all");
        assert_eq!(redis.ask(&command).await.as_deref(), Some("+OK\r\n"));
    };
    user("0ther").await;
    let url = format!("redis://proxy:p4ssword@{}", redis.address());
    let options = ProxyOptions::default()
        .env("MASK_VAULT", "redis")
        .env("MASK_REDIS_URL", &url);
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let ready = async || Client::get(&proxy.url(), "/ready").await.status;
    assert_eq!(ready().await, 503);
    user("p4ssword").await;
    // The first answer may still be the old one.
    ready().await;
    assert_eq!(ready().await, 200);
}

/// The proxy once started without a word, and its users met the failure first. No message named the reason or the address.
#[tokio::test]
async fn an_unusable_vault_is_reported_at_start_with_address_and_reason() {
    let mock = Mock::start().await;
    let (redis, nowhere) = (Redis::start().await, Redis::reserved());
    let made = redis.ask("ACL SETUSER blind on >p4ssword ~mask:* +@connection");
    assert_eq!(made.await.as_deref(), Some("+OK\r\n"));
    for (url, address, reason, heals) in [
        (
            format!("redis://blind:wr0ng@{}", redis.address()),
            redis.address(),
            "does not accept the user or the password",
            false,
        ),
        (
            format!("redis://blind:p4ssword@{}", redis.address()),
            redis.address(),
            "does not give the user all rights that it needs",
            false,
        ),
        (
            format!("redis://blind:p4ssword@{}", nowhere.address()),
            nowhere.address(),
            "can't be reached; check its name and port, and whether it needs TLS (rediss://)",
            true,
        ),
        (
            format!("rediss://blind:p4ssword@{}", redis.address()),
            redis.address(),
            "did not answer in time; does it speak TLS?",
            true,
        ),
    ] {
        let options = ProxyOptions::default()
            .env("MASK_VAULT", "redis")
            .env("MASK_REDIS_URL", &url);
        let proxy = Proxy::start_with(&mock.url(), &options).await;
        let place = format!("Redis at {address} (vault.redis_url)");
        let warning = format!("\nwarning: the vault can't be used now: {place} {reason}");
        proxy.prints(&warning).await;
        let reply = ask(&proxy, "s", "echo", "x").await;
        unavailable(&reply);
        assert_eq!(
            reply.text().contains("try again"),
            heals,
            "{}",
            reply.text()
        );
        assert_eq!(reply.header("x-should-retry").is_none(), heals);
        let (environment, command) = (
            [("MASK_VAULT", "redis"), ("MASK_REDIS_URL", &url)],
            ["session", "list"],
        );
        let (_, _, errors) = maskproxy_with(&command, &environment, "").await;
        assert!(
            errors.starts_with(&format!("Error: {place} {reason}")),
            "{errors}"
        );
        for said in [proxy.written(), reply.text(), errors] {
            assert!(
                !said.contains("p4ssword") && !said.contains("wr0ng"),
                "{said}"
            );
        }
    }
}

#[tokio::test]
async fn the_first_request_after_a_restart_of_redis_succeeds() {
    let mock = Mock::start().await;
    let mut redis = Redis::start().await;
    let proxy = Proxy::start_with(&mock.url(), &in_redis(&redis)).await;
    let values = Values::of(74);
    ask(&proxy, "s", "echo", &values.email).await;
    for _ in 0..3 {
        redis.stop().await;
        redis.start_again().await;
        let reply = ask(&proxy, "s", "says/<MASK_EMAIL_1>", "which?").await;
        assert!(reply.text().contains(&values.email), "{}", reply.text());
    }
}

#[tokio::test]
async fn redis_over_tls_requires_a_trusted_certificate() {
    let mock = Mock::start().await;
    let redis = Redis::start().await;
    let (url, certificate) = redis.listen_tls().await;
    let options = ProxyOptions::default()
        .env("MASK_VAULT", "redis")
        .env("MASK_REDIS_URL", &url);
    let trusting = options
        .clone()
        .env("SSL_CERT_FILE", &certificate.to_string_lossy());
    let proxy = Proxy::start_with(&mock.url(), &trusting).await;
    let values = Values::of(78);
    ask(&proxy, "s", "echo", &values.email).await;
    let reply = ask(&proxy, "s", "says/<MASK_EMAIL_1>", "which?").await;
    assert!(reply.text().contains(&values.email), "{}", reply.text());

    let wary = Proxy::start_with(&mock.url(), &options).await;
    unavailable(&ask(&wary, "s", "echo", "x").await);
    wary.prints("the vault can't be used now: Redis at localhost:")
        .await;
    wary.prints("has a certificate that is not trusted").await;
}

/// Case 218.
#[tokio::test]
async fn a_request_reads_the_vault_once_and_writes_once() {
    let mock = Mock::start().await;
    let redis = Redis::start().await;
    let proxy = Proxy::start_with(&mock.url(), &in_redis(&redis)).await;
    // The scripts are loaded by their first use.
    ask(&proxy, "s", "echo", "x").await;
    ask(&proxy, "s", "echo", "x").await;
    let asked = async |proxy: &Proxy, text: &str| {
        redis.ask("CONFIG RESETSTAT").await;
        ask(proxy, "s", "echo", text).await;
        let stats = redis.ask("INFO commandstats").await.expect("statistics");
        assert!(stats.contains("cmdstat_evalsha:calls=1,"), "{stats}");
        assert!(
            !stats.contains("cmdstat_eval:") && !stats.contains("cmdstat_get:"),
            "{stats}"
        );
        stats
    };
    for text in [
        &*Values::of(79).to_string().repeat(20),
        "nothing new",
        &Values::of(80).email,
    ] {
        // A session in use is not read again: its version is asked for.
        let stats = asked(&proxy, text).await;
        assert!(stats.contains("cmdstat_hget:"), "{stats}");
        assert!(!stats.contains("cmdstat_hgetall:"), "{stats}");
    }
    let other = Proxy::start_with(&mock.url(), &in_redis(&redis)).await;
    ask(&other, "t", "echo", "x").await;
    for (proxy, value) in [(&other, 81), (&proxy, 82), (&other, 83)] {
        // Changes by another instance are read.
        let stats = asked(proxy, &Values::of(value).email).await;
        assert!(stats.contains("cmdstat_hgetall:calls=1,"), "{stats}");
    }
}

/// The first requests once asked for the key of ids one after the other, five seconds each.
#[tokio::test]
async fn many_first_requests_wait_for_a_silent_redis_concurrently() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port");
    let url = format!("redis://{}", silent.local_addr().expect("an address"));
    let mock = Mock::start().await;
    let options = ProxyOptions::default()
        .env("MASK_VAULT", "redis")
        .env("MASK_REDIS_URL", &url);
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let begun = Instant::now();
    let asked = (0..8).map(|_| ask(&proxy, "s", "echo", "x"));
    for reply in futures_util::future::join_all(asked).await {
        assert_eq!(reply.status, 503, "{}", reply.text());
    }
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(30), "{took:?}");
}

/// Those in line once waited five seconds each, and after fifteen were told that they were too
/// many.
#[tokio::test]
async fn waiting_requests_fail_together_when_redis_is_silent() {
    let mock = Mock::start().await;
    let redis = Redis::start().await;
    let proxy = Proxy::start_with(&mock.url(), &in_redis(&redis)).await;
    assert_eq!(ask(&proxy, "s", "echo", "x").await.status, 200);
    let texts: Vec<_> = (300..400).map(|seed| Values::of(seed).email).collect();
    let asked = texts.iter().map(|text| ask(&proxy, "s", "echo", text));
    let silenced = async {
        while mock.requests().len() < 5 {
            sleep(Duration::from_millis(1)).await;
        }
        redis.pause();
    };
    let (replies, ()) = tokio::join!(futures_util::future::join_all(asked), silenced);
    let failed = replies.iter().filter(|reply| reply.status != 200).count();
    assert!(failed > 0);
    for error in proxy.audited("proxy.error", failed).await {
        assert_eq!(error["error_type"], "VaultTimeout");
    }
}

/// Case 229.
#[tokio::test]
async fn an_unresponsive_redis_fails_after_five_seconds() {
    let mock = Mock::start().await;
    let redis = Redis::start().await;
    let proxy = Proxy::start_with(&mock.url(), &in_redis(&redis)).await;
    assert_eq!(ask(&proxy, "s", "echo", "x").await.status, 200);
    redis.pause();
    let begin = Instant::now();
    unavailable(&ask(&proxy, "s", "echo", "x").await);
    let took = begin.elapsed();
    assert!(took > Duration::from_secs(4), "{took:?}");
    redis.resume();
    assert_eq!(ask(&proxy, "s", "echo", "x").await.status, 200);
}

/// Case 222: activity refreshes, also without anything new; forgotten is forgotten.
#[tokio::test]
async fn an_idle_session_expires() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let redis = Redis::start().await;
    let vaults = [
        ProxyOptions::default(),
        in_file(&directory).1,
        in_redis(&redis),
    ];
    let forgotten = vaults.map(|options| {
        let (url, values) = (mock.url(), Values::of(75));
        async move {
            let proxy = Proxy::start_with(&url, &options.env("MASK_VAULT_TTL", "6")).await;
            ask(&proxy, "s", "echo", &values.email).await;
            for _ in 0..3 {
                sleep(Duration::from_millis(2500)).await;
                let reply = ask(&proxy, "s", "says/<MASK_EMAIL_1>", "which?").await;
                assert!(reply.text().contains(&values.email), "{}", reply.text());
            }
            sleep(Duration::from_millis(6500)).await;
            let reply = ask(&proxy, "s", "says/<MASK_EMAIL_1>", "which?").await;
            assert!(!reply.text().contains(&values.email), "{}", reply.text());
            assert_eq!(proxy.audited("session.created", 2).await.len(), 2);
        }
    });
    futures_util::future::join_all(forgotten).await;
}

/// Case 230.
#[tokio::test]
async fn a_damaged_record_is_a_vault_error() {
    let mock = Mock::start().await;
    let redis = Redis::start().await;
    let proxy = Proxy::start_with(&mock.url(), &in_redis(&redis)).await;
    ask(&proxy, "bad", "echo", &Values::of(76).email).await;
    ask(&proxy, "good", "echo", &Values::of(76).email).await;
    let names = redis.ask("KEYS mask:session:*:bad").await.expect("a reply");
    let name = names.lines().last().expect("a name").to_owned();
    for damage in [
        "HSET {} 0 nonsense",
        "HDEL {} 0",
        "HSET {} v x",
        "SET {} text",
    ] {
        redis
            .ask(&damage.replace("{}", &name))
            .await
            .expect("a reply");
        unavailable(&ask(&proxy, "bad", "echo", "x").await);
    }
    assert_eq!(ask(&proxy, "good", "echo", "x").await.status, 200);
}

/// Case 227.
#[tokio::test]
async fn a_non_database_file_is_a_start_up_error() {
    let directory = tempfile::tempdir().expect("a directory");
    let (path, options) = in_file(&directory);
    std::fs::write(&path, "these are notes, and no database\n".repeat(100)).expect("a file");
    let mut arguments = vec!["proxy", "--port", "0"];
    arguments.extend(options.flags.iter().map(String::as_str));
    let (code, _, error) = maskproxy(&arguments, "").await;
    assert_eq!(code, Some(1));
    assert!(error.starts_with("Error: can't open the vault"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

/// What was acknowledged survives `kill -9` in mid-write, and the rest is intact.
#[tokio::test]
async fn killing_the_proxy_during_writes_loses_nothing() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let (_, options) = in_file(&directory);
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        let count = AtomicUsize::new(0);
        let mut proxy = Proxy::start_with(&mock.url(), &options).await;
        let url = proxy.url();
        let writers = (0..8).map(async |writer| {
            let mut done = Vec::new();
            let mut client = Client::connect(&url).await;
            for number in 0.. {
                let session = format!("s{writer}");
                let values = Values::of(round * 3000 + writer * 300 + number % 300);
                let reply = ask_over(&mut client, &session, "echo", &values.email).await;
                if reply.status != 200 {
                    break;
                }
                done.push((session, values.email));
                count.fetch_add(1, Ordering::Relaxed);
            }
            done
        });
        let pid = proxy.pid();
        let killed = async {
            let begun = Instant::now();
            while count.load(Ordering::Relaxed) < 100 {
                assert!(begun.elapsed() < Duration::from_mins(1), "{count:?}");
                sleep(Duration::from_millis(5)).await;
            }
            signals::send(Signal::KILL, pid);
        };
        let (done, ()) = tokio::join!(futures_util::future::join_all(writers), killed);
        proxy.wait().await;
        acknowledged.extend(done.into_iter().flatten());
    }
    let mut proxy = Proxy::start_with(&mock.url(), &options).await;
    for (session, email) in &acknowledged {
        assert_eq!(ask(&proxy, session, "echo", email).await.status, 200);
    }
    proxy.stop().await;
    let created = proxy.audit_text().matches("session.created").count();
    assert_eq!(created, 0, "every session is still there");
    let mut seen: Vec<_> = mock.requests().iter().map(tests::Recorded::text).collect();
    let again = seen.split_off(seen.len() - acknowledged.len());
    for text in again {
        assert!(
            seen.contains(&text),
            "a known value got a new token: {text}"
        );
    }
}

fn only_owner(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = path.metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{}", path.display());
}

/// Case 226.
#[tokio::test]
async fn vault_files_are_readable_only_by_their_owner() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let (path, options) = in_file(&directory);
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    ask(&proxy, "s", "echo", &Values::of(77).email).await;
    for name in ["vault.db", "vault.db-wal", "vault.db-shm"] {
        only_owner(&path.with_file_name(name));
    }
}

/// Case 237: values of an ephemeral session never reach the disk.
#[tokio::test]
async fn an_ephemeral_session_never_touches_the_vault() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let (path, options) = in_file(&directory);
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let stamp = || {
        let wal = path.with_file_name("vault.db-wal");
        [&path, &wal].map(|path| std::fs::read(path).unwrap_or_default())
    };
    // A moment after its start the proxy notes a mark of its secret in a link of that name.
    let has_mark = |file: &Vec<u8>| file.windows(12).any(|bytes| bytes == b"secretsecret");
    while !stamp().iter().any(has_mark) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let before = stamp();
    for number in 0..5 {
        let request = Schema::ChatStyle.request("echo", &Values::of(number).email, false);
        let reply = Client::post(&proxy.url(), Schema::ChatStyle.path(), &request).await;
        assert_eq!(reply.status, 200);
    }
    assert!(stamp() == before, "the vault was written to");
}
