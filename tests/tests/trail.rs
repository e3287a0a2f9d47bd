//! Audit lines, counts, and what passes with a request.

use serde_json::Value;
use tests::{Client, Mock, Proxy, Reply, Schema, Values};

async fn post(proxy: &Proxy, model: &str, text: &str, stream: bool) -> Reply {
    let request = Schema::ChatStyle.request(model, text, stream);
    Client::post(&proxy.url(), Schema::ChatStyle.path(), &request).await
}

#[tokio::test]
async fn audit_lines_record_reply_size_frames_and_times() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let text = Values::of(53).to_string();
    let batch = post(&proxy, "echo", &text, false).await;
    post(&proxy, "echo/7", &text, true).await;
    post(&proxy, "echo", "nothing to mask", false).await;
    proxy.audited("session.deleted", 3).await;

    let responses = proxy.audited("proxy.response", 3).await;
    assert_eq!(responses[0]["bytes"], batch.body.len());
    assert_eq!(responses[0]["frames"], Value::Null);
    assert!(responses[1]["frames"].as_u64() > Some(10), "{responses:?}");
    assert!(responses.iter().all(|line| line["aborted"].is_null()));
    let requests = proxy.audited("proxy.request", 3).await;
    let took = |line: &Value| line["transform_ms"].as_f64();
    for masked in &requests[..2] {
        assert!(took(masked).is_some_and(|took| Some(took) <= masked["duration_ms"].as_f64()));
    }
    assert_eq!(took(&requests[2]), None, "nothing was masked: {requests:?}");
}

#[tokio::test]
async fn a_request_without_a_body_is_forwarded_without_one() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    for (method, path) in [
        ("GET", "/v1/models"),
        ("DELETE", "/v1/files/x"),
        ("GET", "/v1/messages"),
    ] {
        let mut client = Client::connect(&proxy.url()).await;
        client.request(method, path, &[], b"").await;
        let seen = mock.last();
        assert!(seen.body.is_empty(), "{method} {path}");
        assert_eq!(seen.header("transfer-encoding"), None, "{method} {path}");
    }
}

/// A provider, or a page that a tool read, may write a token into a call: that is how a call that uses
/// a value works, and it reaches no one but the client that sent the value.
#[tokio::test]
async fn a_call_token_is_restored_only_for_its_client() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let values = Values::of(54);
    let own = post(&proxy, "tools", &values.to_string(), false)
        .await
        .json();
    let arguments = &own["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"];
    let arguments: Value = serde_json::from_str(arguments.as_str().expect("text")).expect("JSON");
    assert!(arguments.to_string().contains(&values.email), "{own}");
    let other = post(
        &proxy,
        "says/<MASK_EMAIL_1> <MASK_SECRET_5>",
        "hello",
        false,
    )
    .await;
    assert_eq!(values.found_in(&other.text()), [""; 0]);
    assert!(other.text().contains("<MASK_EMAIL_1>"), "{}", other.text());
}
