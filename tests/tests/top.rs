//! `top`: the metrics and the audit trail of a running proxy.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tests::{
    Answer, Client, Misbehaviour, Mock, Proxy, Reserved, Schema, Service, Values, maskproxy,
};

fn audit(proxy: &Proxy) -> String {
    let path = proxy.directory().join("audit.log");
    path.to_str().expect("UTF-8").to_owned()
}

/// What `top` prints of a proxy, with its trail.
async fn printed(proxy: &Proxy, more: &[&str]) -> String {
    let (url, audit) = (proxy.url(), audit(proxy));
    let arguments = [&["top", "--url", &url, "--audit", &audit], more].concat();
    let (status, printed, errors) = maskproxy(&arguments, "").await;
    assert_eq!((status, &*errors), (Some(0), ""), "{printed}");
    printed
}

async fn as_json(proxy: &Proxy) -> Value {
    let printed = printed(proxy, &["--once", "--json"]).await;
    serde_json::from_str(&printed).expect("JSON")
}

#[tokio::test]
async fn counts_match_the_metrics_and_the_trail() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let schema = Schema::MessagesStyle;
    for stream in [false, true] {
        let request = schema.request("echo", &Values::of(71).to_string(), stream);
        Client::post(&proxy.url(), schema.path(), &request).await;
    }
    let broken = schema.request(Misbehaviour::CloseBeforeReply.name(), "hi", false);
    Client::post(&proxy.url(), schema.path(), &broken).await;
    Client::post(&proxy.url(), "/v9/new", &json!({"a": 1})).await;
    let mut open = Client::connect(&proxy.url()).await;
    let stalled = schema.request("stall", "hi", true).to_string();
    open.send("POST", schema.path(), &[], stalled.as_bytes())
        .await;
    open.head().await;
    proxy.audited("proxy.request", 3).await;

    let top = as_json(&proxy).await;
    assert_eq!(top["requests"]["total"], 3, "{top}");
    assert_eq!(top["requests"]["by_route"], json!({"/v1/messages": 3}));
    // With the one that was forwarded unmasked.
    assert_eq!(top["replies"]["by_status"], json!({"200": 4}));
    assert!(top["requests"]["per_second"].is_number(), "{top}");
    assert_eq!(top["under_way"], json!({"exchanges": 1, "streams": 1}));
    assert_eq!(top["values"]["by_type"]["EMAIL"], 2, "{top}");
    assert_eq!(top["values"]["restored"], 10, "{top}");
    assert!(top["added_seconds"]["p99"].as_f64() > Some(0.0), "{top}");
    assert_eq!(top["unrouted"]["passed"], 1);
    assert_eq!(top["unrouted"]["unmasked_paths"], json!({"/v9/new": 1}));
    assert_eq!(top["errors"]["by_phase"], json!({"upstream": 1}));
    let codes = top["errors"]["by_code"].as_object().expect("codes");
    assert!(
        codes
            .keys()
            .all(|code| code.starts_with("mask_upstream_unreachable"))
    );
    assert_eq!(top["notices"], json!([]));

    // Standard output is not a terminal, so it prints a page and exits.
    let page = printed(&proxy, &[]).await;
    for part in [
        "\nRequests      3, ",
        "In flight     1, 1 streamed",
        " /v9/new 1 ",
        " EMAIL ",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(
        page.lines().all(|line| line.chars().count() <= 80),
        "{page}"
    );
    assert!(
        !page.contains('\u{1b}') && !page.contains("notice:"),
        "{page}"
    );
}

/// Runs `top`, which must fail with one line.
async fn refused(arguments: &[&str]) -> String {
    let (status, printed, errors) = maskproxy(&[&["top"], arguments].concat(), "").await;
    assert_eq!((status, &*printed), (Some(1), ""), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    errors
}

#[tokio::test]
async fn an_unreachable_service_gives_one_clear_line() {
    let nobody = Reserved::new();
    let errors = refused(&["--url", &nobody.url()]).await;
    assert!(
        errors.contains("nothing is listening there; start it with `maskproxy proxy`"),
        "{errors}"
    );

    let another = Service::start(|_| Answer::json(&json!({}))).await;
    let errors = refused(&["--url", &another.url()]).await;
    assert!(errors.contains("/metrics is not maskproxy's"), "{errors}");

    let hidden = Service::start(|_| Answer::json(&json!({})).status(404)).await;
    let errors = refused(&["--url", &hidden.url(), "--json"]).await;
    assert!(errors.contains("/metrics answers with 404"), "{errors}");

    let (status, _, errors) = maskproxy(&["top", "--url", "127.0.0.1"], "").await;
    assert_eq!(status, Some(2), "{errors}");
}

#[tokio::test]
async fn without_a_trail_the_metrics_and_a_notice_are_shown() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let request = Schema::ChatStyle.request("echo", &Values::of(72).email, false);
    Client::post(&proxy.url(), Schema::ChatStyle.path(), &request).await;
    let (status, printed, errors) = maskproxy(&["top", "--url", &proxy.url()], "").await;
    assert_eq!((status, &*errors), (Some(0), ""));
    assert!(
        printed.contains("\nRequests      1\n") && printed.contains(" EMAIL 1 "),
        "{printed}"
    );
    assert!(
        printed.contains("notice: can't read the audit file"),
        "{printed}"
    );

    let errors = refused(&["--url", &proxy.url(), "--audit", "none.log"]).await;
    assert!(
        errors.contains("can't read the audit file none.log"),
        "{errors}"
    );
}

#[tokio::test]
async fn a_truncated_or_foreign_trail_is_reported() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let request = Schema::ChatStyle.request("echo", "hi", false);
    Client::post(&proxy.url(), Schema::ChatStyle.path(), &request).await;
    proxy.audited("proxy.response", 1).await;
    let path = PathBuf::from(audit(&proxy));
    let mut bytes = fs::read(&path).expect("the trail");
    bytes.extend_from_slice(b"not an event\n{\"version\":1,\"ts\":");
    fs::write(&path, bytes).expect("written");
    let notices = as_json(&proxy).await["notices"].to_string();
    assert!(
        notices.contains("ends in the middle of a line"),
        "{notices}"
    );
    assert!(
        notices.contains("1 lines of the audit trail are not events"),
        "{notices}"
    );

    let other = Proxy::start(&mock.url()).await;
    let url = proxy.url();
    let arguments = ["top", "--url", &url, "--audit", &audit(&other), "--json"];
    let (_, printed, _) = maskproxy(&arguments, "").await;
    assert!(
        printed.contains("the audit trail has no lines from this proxy"),
        "{printed}"
    );
}
