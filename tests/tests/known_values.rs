//! Values that a session knows, or that a request reveals, are masked everywhere.

use serde_json::{Value, json};
use tests::{Client, Mock, Proxy, ProxyOptions, Redis, Schema};

const NAMED: [(&str, &str); 2] = [
    ("authorization", "Bearer alice"),
    ("x-mask-session", "deploy"),
];
const PASSWORD: &str = "hunter2-Kx9";

async fn ask(mock: &Mock, proxy: &Proxy, texts: &[&str]) -> Vec<Value> {
    let messages = texts.iter();
    let messages: Vec<_> = messages
        .map(|text| json!({"role": "user", "content": text}))
        .collect();
    let body = json!({"model": "echo", "messages": messages}).to_string();
    let mut client = Client::connect(&proxy.url()).await;
    let path = Schema::ChatStyle.path();
    let reply = client.request("POST", path, &NAMED, body.as_bytes()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let sent = mock.last().json();
    let sent = sent["messages"].as_array().expect("messages").iter();
    sent.map(|message| message["content"].clone()).collect()
}

/// Case R14: it was sent unmasked, because nothing in the later request gave it away.
async fn a_value_of_an_earlier_request_is_masked(options: &ProxyOptions, restarts: bool) {
    let mock = Mock::start().await;
    let mut proxy = Proxy::start_with(&mock.url(), options).await;
    let first = ask(&mock, &proxy, &[&format!("DB_PASSWORD={PASSWORD}")]).await;
    assert_eq!(first, ["DB_PASSWORD=<MASK_SECRET_1>"]);
    for turn in 0..3 {
        if restarts && turn == 1 {
            drop(proxy);
            proxy = Proxy::start_with(&mock.url(), options).await;
        }
        let mail = format!("user{turn}@example.com");
        let bare = format!("./connect.sh app {PASSWORD} db1");
        let later = ask(&mock, &proxy, &[&bare, &mail]).await;
        assert_eq!(later[0], "./connect.sh app <MASK_SECRET_1> db1");
        assert_eq!(later[1], format!("<MASK_EMAIL_{}>", turn + 2));
    }
}

#[tokio::test]
async fn a_value_from_an_earlier_request_is_masked_later() {
    let memory = ProxyOptions::default();
    a_value_of_an_earlier_request_is_masked(&memory, false).await;

    let directory = tempfile::tempdir().expect("a directory");
    let config = directory.path().join("config.yaml");
    let file = directory.path().join("vault.db");
    let text = format!("vault: {{type: sqlite, dsn: {}}}\n", file.display());
    std::fs::write(&config, text).expect("a configuration");
    let sqlite = ProxyOptions::default().config(&config);
    a_value_of_an_earlier_request_is_masked(&sqlite, true).await;

    let redis = Redis::start().await;
    let redis = ProxyOptions::default()
        .env("MASK_VAULT", "redis")
        .env("MASK_REDIS_URL", &redis.url());
    a_value_of_an_earlier_request_is_masked(&redis, true).await;
}

#[tokio::test]
async fn earlier_values_are_masked_with_an_encrypted_vault() {
    let directory = tempfile::tempdir().expect("a directory");
    let config = directory.path().join("config.yaml");
    std::fs::write(&config, "operator: encrypt\n").expect("a configuration");
    let options = ProxyOptions::default()
        .config(&config)
        .env("MASK_ENCRYPT_KEY", &"0f".repeat(32));
    let mock = Mock::start().await;
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let first = ask(&mock, &proxy, &[&format!("DB_PASSWORD={PASSWORD}")]).await;
    let token = first[0].as_str().expect("a text");
    let token = token.strip_prefix("DB_PASSWORD=").expect("a name");
    let later = ask(
        &mock,
        &proxy,
        &[&format!("./connect.sh app {PASSWORD} db1")],
    )
    .await;
    assert_eq!(later, [format!("./connect.sh app {token} db1")]);
}

/// Case R14b: only what followed the first place was masked.
#[tokio::test]
async fn a_password_revealed_later_is_masked_in_earlier_messages() {
    let mock = Mock::start().await;
    let proxy = Proxy::start_with(&mock.url(), &ProxyOptions::default()).await;
    let before = format!("log in with {PASSWORD}");
    let sent = ask(
        &mock,
        &proxy,
        &[&before, &format!("DB_PASSWORD={PASSWORD}")],
    )
    .await;
    assert_eq!(
        sent,
        ["log in with <MASK_SECRET_1>", "DB_PASSWORD=<MASK_SECRET_1>"]
    );
}
