//! Two proxies on one vault, without an anchor secret: no token ever has two meanings.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use tempfile::TempDir;
use tests::{Client, Mock, Proxy, ProxyOptions, Redis, Schema, Values};

const REQUESTS: usize = 1000;
const AT_ONCE: usize = 100;
const SESSIONS: usize = 4;

async fn two(mock: &Mock, options: &ProxyOptions) -> [Proxy; 2] {
    [
        Proxy::start_with(&mock.url(), options).await,
        Proxy::start_with(&mock.url(), options).await,
    ]
}

fn sqlite(directory: &TempDir) -> ProxyOptions {
    let config = directory.path().join("config.yaml");
    let path = directory.path().join("vault.db");
    let text = format!("vault: {{type: sqlite, dsn: {}}}\n", path.display());
    std::fs::write(&config, text).expect("a configuration");
    ProxyOptions::default().config(&config)
}

/// Every caller gets its own values back, whole, whichever proxy it asks.
async fn exchange_all(proxies: &[Proxy; 2]) {
    let calls = (0..REQUESTS).map(async |number| {
        let proxy = &proxies[number % 2];
        let text = Values::of(number).to_string();
        let name = format!("shared-{}", number % SESSIONS);
        let headers = [("authorization", "Bearer k"), ("x-mask-session", &*name)];
        let body = Schema::ChatStyle.request("echo", &text, false).to_string();
        let mut client = Client::connect(&proxy.url()).await;
        let path = Schema::ChatStyle.path();
        let reply = client
            .request("POST", path, &headers, body.as_bytes())
            .await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(Schema::ChatStyle.reply_text(&reply.text()), text);
    });
    stream::iter(calls)
        .buffer_unordered(AT_ONCE)
        .collect::<Vec<()>>()
        .await;
}

/// The provider never got one token for two different values.
async fn check(mock: &Mock, proxies: &mut [Proxy; 2]) {
    let mut tokens = HashSet::new();
    let mut values = 0;
    for request in mock.requests() {
        let text = request.text();
        let of_request = text.split('<').filter_map(|rest| rest.split_once('>'));
        let of_request: HashSet<_> = of_request.map(|(core, _)| core.to_owned()).collect();
        values += of_request.len();
        tokens.extend(of_request);
    }
    assert!(values > REQUESTS * 4, "{values}");
    assert!(
        tokens.len() * SESSIONS >= values,
        "a token has two meanings"
    );
    let mut created = 0;
    for proxy in proxies {
        proxy.stop().await;
        created += proxy.audit_text().matches("session.created").count();
    }
    assert_eq!(created, SESSIONS);
}

#[tokio::test]
async fn a_thousand_parallel_requests_on_one_sqlite_file() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let mut proxies = two(&mock, &sqlite(&directory)).await;
    exchange_all(&proxies).await;
    check(&mock, &mut proxies).await;
}

#[tokio::test]
async fn a_thousand_parallel_requests_on_one_redis() {
    let mock = Mock::start().await;
    let redis = Redis::start().await;
    let mut proxies = two(&mock, &on_redis(&redis)).await;
    exchange_all(&proxies).await;
    check(&mock, &mut proxies).await;
}

/// Derived ids are the same on every instance of one vault.
#[tokio::test]
async fn instances_agree_on_derived_ids() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let options = sqlite(&directory).env("MASK_SESSION_STRATEGY", "client");
    let proxies = two(&mock, &options).await;
    let ask = async |proxy: &Proxy, model: &str, text: &str| {
        let body = Schema::ChatStyle.request(model, text, false).to_string();
        let headers = [("x-api-key", "k")];
        let mut client = Client::connect(&proxy.url()).await;
        let path = Schema::ChatStyle.path();
        client
            .request("POST", path, &headers, body.as_bytes())
            .await
    };
    let values = Values::of(70);
    let first = ask(&proxies[0], "echo", &values.email).await;
    let second = ask(&proxies[1], "says/<MASK_EMAIL_1>", "which?").await;
    assert_eq!(
        first.header("x-mask-session"),
        second.header("x-mask-session")
    );
    assert!(second.text().contains(&values.email), "{}", second.text());
}

/// After a flush the next instance made another key, and found no session of the first.
#[tokio::test]
async fn instances_share_sessions_after_redis_was_flushed() {
    let mock = Mock::start().await;
    let redis = Redis::start().await;
    let options = on_redis(&redis);
    let first = Proxy::start_with(&mock.url(), &options).await;
    mask(&mock, &first, "before", &Values::of(71).email).await;
    redis.ask("FLUSHALL").await.expect("a reply");
    let sent = mask(&mock, &first, "after", &Values::of(72).email).await;
    assert!(sent.contains("<MASK_EMAIL_1>"), "{sent}");
    let kept = async {
        while redis.ask("EXISTS mask:id_key").await.as_deref() != Some(":1\r\n") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let kept = tokio::time::timeout(Duration::from_secs(10), kept).await;
    kept.expect("the key is put back");
    let second = Proxy::start_with(&mock.url(), &options).await;
    let sent = mask(&mock, &second, "after", &Values::of(73).email).await;
    assert!(sent.contains("<MASK_EMAIL_2>"), "{sent}");
}

/// After a flush another instance made another key first, and the two shared no session until a restart.
#[tokio::test]
async fn instances_share_sessions_after_the_key_is_recreated() {
    let mock = Mock::start().await;
    let redis = Redis::start().await;
    let options = on_redis(&redis);
    let first = Proxy::start_with(&mock.url(), &options).await;
    mask(&mock, &first, "before", &Values::of(74).email).await;
    redis.ask("FLUSHALL").await.expect("a reply");
    let second = Proxy::start_with(&mock.url(), &options).await;
    let sent = mask(&mock, &second, "after", &Values::of(75).email).await;
    assert!(sent.contains("<MASK_EMAIL_1>"), "{sent}");
    let shared = async {
        let mut sent = String::new();
        while !sent.contains("<MASK_EMAIL_2>") {
            sent = mask(&mock, &first, "after", &Values::of(76).email).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let shared = tokio::time::timeout(Duration::from_secs(10), shared).await;
    shared.expect("the first one takes over the key");
    let sent = mask(&mock, &second, "after", &Values::of(77).email).await;
    assert!(sent.contains("<MASK_EMAIL_3>"), "{sent}");
}

/// Instances with different secrets only got new tokens for old conversations, and nothing named the reason.
#[tokio::test]
async fn an_instance_with_a_different_secret_warns_at_start() {
    const WARNING: &str = "with another MASK_ANCHOR_SECRET";
    let mock = Mock::start().await;
    let redis = Redis::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    for options in [on_redis(&redis), sqlite(&directory)] {
        let with = async |secret: &str| {
            let options = options.clone().env("MASK_ANCHOR_SECRET", secret);
            let proxy = Proxy::start_with(&mock.url(), &options).await;
            // Whatever the vault is asked at start was answered before.
            mask(&mock, &proxy, "s", &Values::of(78).email).await;
            proxy
        };
        let [one, another] = ["1", "2"].map(|digit| digit.repeat(64));
        for secret in [&one, &one] {
            let mut proxy = with(secret).await;
            proxy.stop().await;
            assert!(!proxy.printed().contains(WARNING), "{}", proxy.printed());
        }
        with(&another).await.prints(WARNING).await;
        let none = Proxy::start_with(&mock.url(), &options).await;
        none.prints(WARNING).await;
        for secret in [one, another] {
            assert!(!none.printed().contains(&secret));
        }
    }
}

fn on_redis(redis: &Redis) -> ProxyOptions {
    ProxyOptions::default()
        .env("MASK_VAULT", "redis")
        .env("MASK_REDIS_URL", &redis.url())
}

/// What the provider is sent for a text in a session.
async fn mask(mock: &Mock, proxy: &Proxy, session: &str, text: &str) -> String {
    let headers = [("authorization", "Bearer k"), ("x-mask-session", session)];
    let body = Schema::ChatStyle.request("echo", text, false).to_string();
    let mut client = Client::connect(&proxy.url()).await;
    let path = Schema::ChatStyle.path();
    let reply = client
        .request("POST", path, &headers, body.as_bytes())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    mock.last().text()
}
