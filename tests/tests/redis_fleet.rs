//! Vault `redis` on several servers: one fails under load, and another takes over.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{
    Client, Mock, Proxy, ProxyOptions, Redis, RedisFleet, Reply, Schema, Values, maskproxy,
};
use tokio::time::sleep;

const SESSIONS: usize = 6;
const CLIENTS: usize = 8;

/// How long an outage may last until another server has taken over: the servers notice after a
/// second.
const TAKEOVER: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Copy)]
enum Fault {
    Killed,
    /// Connections stay open, and nobody answers.
    Hung,
}

fn on(fleet: &RedisFleet) -> ProxyOptions {
    let options = ProxyOptions::default()
        .env("MASK_VAULT", "redis")
        .env("MASK_REDIS_URL", &fleet.url());
    let Some(guard) = &fleet.guard else {
        return options;
    };
    let [certificate, key] = guard.of_proxy().map(|path| path.display().to_string());
    options
        .env(
            "MASK_REDIS_CA_CERTS",
            &guard.authority().display().to_string(),
        )
        .env("MASK_REDIS_CERTFILE", &certificate)
        .env("MASK_REDIS_KEYFILE", &key)
}

fn session_of(number: usize) -> String {
    format!("fleet-{}", number % SESSIONS)
}

async fn ask(client: &mut Client, session: &str, model: &str, text: &str) -> Reply {
    let headers = [("authorization", "Bearer k"), ("x-mask-session", session)];
    let body = Schema::ChatStyle.request(model, text, false).to_string();
    let path = Schema::ChatStyle.path();
    client
        .request("POST", path, &headers, body.as_bytes())
        .await
}

fn is_unavailable(reply: &Reply) -> bool {
    (reply.status, reply.code().as_deref()) == (503, Some("mask_vault_unavailable"))
}

/// Load on both proxies, until `end` requests after the fault succeeded.
struct Load<'a> {
    proxies: &'a [Proxy; 2],
    next: AtomicUsize,
    before: AtomicUsize,
    after: AtomicUsize,
    is_broken: std::sync::atomic::AtomicBool,
}

impl Load<'_> {
    async fn client(&self) {
        while self.after.load(Ordering::Relaxed) < 200 {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let was_broken = self.is_broken.load(Ordering::Relaxed);
            let text = format!("request {number}: {}", Values::of(number).email);
            let mut client = Client::connect(&self.proxies[number % 2].url()).await;
            let reply = ask(&mut client, &session_of(number), "echo", &text).await;
            if is_unavailable(&reply) {
                assert!(was_broken || self.is_broken.load(Ordering::Relaxed));
                sleep(Duration::from_millis(50)).await;
                continue;
            }
            assert_eq!(reply.status, 200, "{}", reply.text());
            assert_eq!(Schema::ChatStyle.reply_text(&reply.text()), text);
            let count = if was_broken {
                &self.after
            } else {
                &self.before
            };
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    async fn run(&self, fleet: &mut RedisFleet, fault: Fault) {
        let broken = async {
            while self.before.load(Ordering::Relaxed) < 100 {
                sleep(Duration::from_millis(10)).await;
            }
            self.is_broken.store(true, Ordering::Relaxed);
            match fault {
                Fault::Killed => fleet.primaries[0].kill().await,
                Fault::Hung => fleet.primaries[0].pause(),
            }
            Instant::now()
        };
        let clients = futures_util::future::join_all((0..CLIENTS).map(|_| self.client()));
        let (begun, _) = tokio::join!(broken, clients);
        let took = begun.elapsed();
        println!("{fault:?}: 200 requests after the fault took {took:?}");
        assert!(took < TAKEOVER, "{took:?}");
    }
}

/// No token of a session has two meanings for the provider; returns what each stands for.
fn meanings(mock: &Mock) -> HashMap<(String, String), String> {
    let mut meanings = HashMap::new();
    for request in mock.requests() {
        let text = request.text();
        let Some((number, rest)) = text
            .split_once("request ")
            .and_then(|(_, rest)| rest.split_once(": <"))
        else {
            continue;
        };
        let number: usize = number.parse().expect("a number");
        let (token, _) = rest.split_once('>').expect("a token");
        let value = Values::of(number).email;
        let key = (session_of(number), format!("<{token}>"));
        let other = meanings.insert(key.clone(), value.clone());
        assert!(
            other.is_none_or(|other| other == value),
            "{key:?} has two meanings"
        );
    }
    meanings
}

async fn fails_over(mut fleet: RedisFleet, fault: Fault) {
    let mock = Mock::start().await;
    let options = on(&fleet);
    let proxies = [
        Proxy::start_with(&mock.url(), &options).await,
        Proxy::start_with(&mock.url(), &options).await,
    ];
    let load = Load {
        proxies: &proxies,
        next: AtomicUsize::new(0),
        before: AtomicUsize::new(0),
        after: AtomicUsize::new(0),
        is_broken: false.into(),
    };
    load.run(&mut fleet, fault).await;
    fleet.until_taken_over().await;
    match fault {
        Fault::Killed => fleet.primaries[0].start_again().await,
        Fault::Hung => fleet.primaries[0].resume(),
    }
    // A third instance without knowledge of the previous one.
    let late = Proxy::start_with(&mock.url(), &options).await;
    let mut client = Client::connect(&late.url()).await;
    let mut restored = 0;
    let meanings = meanings(&mock);
    for ((session, token), value) in &meanings {
        let reply = ask(&mut client, session, &format!("says/{token}"), "which?").await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let answer = Schema::ChatStyle.reply_text(&reply.text());
        assert!(
            answer == *value || answer == *token,
            "{token} became {answer}"
        );
        restored += usize::from(answer == *value);
    }
    println!("{restored} of {} tokens were restored", meanings.len());
    assert!(
        restored * 10 > meanings.len() * 9,
        "{restored} of {}",
        meanings.len()
    );
}

#[tokio::test]
async fn sentinel_failover_replaces_a_killed_primary() {
    fails_over(RedisFleet::start_sentinel().await, Fault::Killed).await;
}

#[tokio::test]
async fn sentinel_failover_replaces_a_hung_primary() {
    fails_over(RedisFleet::start_sentinel().await, Fault::Hung).await;
}

#[tokio::test]
async fn cluster_failover_replaces_a_killed_primary() {
    fails_over(RedisFleet::start_cluster().await, Fault::Killed).await;
}

#[tokio::test]
async fn cluster_failover_replaces_a_hung_primary() {
    fails_over(RedisFleet::start_cluster().await, Fault::Hung).await;
}

#[tokio::test]
async fn sentinel_failover_works_with_tls_certificates_and_users() {
    let fleet = RedisFleet::start_guarded_sentinel().await;
    keeps_strangers_out(&fleet).await;
    fails_over(fleet, Fault::Killed).await;
}

#[tokio::test]
async fn cluster_failover_works_with_tls_certificates_and_users() {
    let fleet = RedisFleet::start_guarded_cluster().await;
    keeps_strangers_out(&fleet).await;
    fails_over(fleet, Fault::Killed).await;
}

/// Each of authority, certificate and user is needed.
async fn keeps_strangers_out(fleet: &RedisFleet) {
    let mock = Mock::start().await;
    let known = on(fleet);
    let url = fleet.url();
    let (_, servers) = url.split_once('@').expect("a user");
    let scheme = url.split("://").next().expect("a scheme");
    let strangers = [
        known.clone().env("MASK_REDIS_CA_CERTS", ""),
        known
            .clone()
            .env("MASK_REDIS_CERTFILE", "")
            .env("MASK_REDIS_KEYFILE", ""),
        known.clone().env(
            "MASK_REDIS_URL",
            &format!("{scheme}://maskproxy:wrong@{servers}"),
        ),
    ];
    for options in strangers {
        let proxy = Proxy::start_with(&mock.url(), &options).await;
        let mut client = Client::connect(&proxy.url()).await;
        let reply = ask(&mut client, "s", "echo", "x").await;
        assert!(is_unavailable(&reply), "{}", reply.text());
    }
}

/// The token that the provider saw last.
fn last_token(mock: &Mock) -> String {
    let requests = mock.requests();
    let text = requests.last().expect("a request").text();
    let (_, rest) = text.rsplit_once("<MASK_EMAIL_").expect("a token");
    let (number, _) = rest.split_once('>').expect("a token");
    format!("<MASK_EMAIL_{number}>")
}

/// The replica did not receive the second value, whose token the third value then got.
#[tokio::test]
async fn a_token_lost_in_a_failover_is_never_reissued() {
    let mock = Mock::start().await;
    let mut fleet = RedisFleet::start_sentinel().await;
    let options = on(&fleet);
    let masked = async |proxy: &Proxy, number| {
        let mut client = Client::connect(&proxy.url()).await;
        let begun = Instant::now();
        let text = Values::of(number).email;
        while ask(&mut client, "s", "echo", &text).await.status != 200 {
            assert!(begun.elapsed() < TAKEOVER);
        }
        last_token(&mock)
    };
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    masked(&proxy, 1).await;
    fleet.cut_off_replica().await;
    let lost = masked(&proxy, 2).await;
    fleet.primaries[0].kill().await;
    fleet.until_taken_over().await;
    let late = Proxy::start_with(&mock.url(), &options).await;
    let third = masked(&late, 3).await;
    assert_ne!(lost, third);
    let mut client = Client::connect(&late.url()).await;
    let reply = ask(&mut client, "s", &format!("says/{lost}"), "which?").await;
    assert_eq!(Schema::ChatStyle.reply_text(&reply.text()), lost);
}

async fn respond(proxy: &Proxy, body: Value) -> Value {
    let mut client = Client::connect(&proxy.url()).await;
    let headers = [("authorization", "Bearer k")];
    let body = body.to_string();
    let reply = client
        .request("POST", "/v1/responses", &headers, body.as_bytes())
        .await;
    serde_json::from_str(&reply.text()).expect("JSON")
}

/// The name of the set of links by age did not allow it to be next to the links on a cluster.
#[tokio::test]
async fn links_from_an_earlier_version_expire() {
    let mock = Mock::start().await;
    let redis = Redis::start().await;
    let options = ProxyOptions::default()
        .env("MASK_VAULT", "redis")
        .env("MASK_REDIS_URL", &redis.url());
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let store = async |number| {
        let input = Values::of(number).email;
        respond(&proxy, json!({"model": "echo", "input": input})).await;
    };
    store(1).await;
    let keys = redis.ask("KEYS {mask:links:*").await.expect("keys");
    let set = keys.lines().last().expect("a key").to_owned();
    let links = set.trim_start_matches('{').replace("}:age", "");
    redis.ask(&format!("RENAME {set} {links}:age")).await;
    store(2).await;
    let count = async |command: String| redis.ask(&command).await.expect("a number");
    let all = count(format!("HLEN {links}")).await;
    assert_eq!(count(format!("ZCARD {set}")).await, all);
    assert_ne!(all, ":1\r\n");
    let early = redis.ask(&format!("ZCOUNT {set} 0 1000000000000")).await;
    assert_eq!(early.as_deref(), Some(":0\r\n"), "an age was lost");
}

/// History is linked by several keys in one script.
#[tokio::test]
async fn every_instance_on_a_cluster_finds_history() {
    let mock = Mock::start().await;
    let fleet = RedisFleet::start_cluster().await;
    let options = on(&fleet);
    let value = Values::of(7).email;
    let stores = Proxy::start_with(&mock.url(), &options).await;
    let first = respond(&stores, json!({"model": "echo", "input": value})).await;
    let follows = Proxy::start_with(&mock.url(), &options).await;
    let token = last_token(&mock);
    let body = json!({
        "model": format!("says/{token}"),
        "input": "which?",
        "previous_response_id": first["id"],
    });
    let second = respond(&follows, body).await;
    assert!(second.to_string().contains(&value), "{second}");
    // A counted token could mean another value after a failover that lost the change.
    assert_ne!(token, "<MASK_EMAIL_1>");
}

#[tokio::test]
async fn sessions_on_every_node_are_listed_and_pruned() {
    let mock = Mock::start().await;
    let fleet = RedisFleet::start_cluster().await;
    let options = on(&fleet);
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let mut client = Client::connect(&proxy.url()).await;
    for number in 0..20 {
        let text = Values::of(number).email;
        let reply = ask(&mut client, &format!("of-{number}"), "echo", &text).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    for primary in &fleet.primaries {
        let keys = primary.ask("DBSIZE").await.expect("a number");
        assert_ne!(keys, ":0\r\n", "a node holds nothing");
    }
    let directory = tempfile::tempdir().expect("a directory");
    let config = directory.path().join("config.yaml");
    let audit = directory.path().join("audit.log");
    let text = format!(
        "vault: {{type: redis, redis_url: '{}'}}\naudit: {{path: {}}}\n",
        fleet.url(),
        audit.display()
    );
    std::fs::write(&config, text).expect("a configuration");
    let config = config.to_str().expect("a path");
    let run = async |arguments: &[&str]| {
        let (code, out, error) = maskproxy(&[arguments, &["-c", config]].concat(), "").await;
        assert_eq!(code, Some(0), "{error}");
        out
    };
    let listed = run(&["session", "list", "--json"]).await;
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    let sessions = listed["sessions"].as_array().expect("a list");
    let names: HashSet<_> = sessions
        .iter()
        .map(|session| session["id"].as_str())
        .collect();
    assert_eq!((sessions.len(), names.len()), (20, 20), "{listed}");
    sleep(Duration::from_millis(1100)).await;
    run(&["session", "prune", "--older-than", "1s"]).await;
    let listed = run(&["session", "list", "--json"]).await;
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed["sessions"], json!([]));
}
