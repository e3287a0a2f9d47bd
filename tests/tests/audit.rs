//! The audit trail and the metrics.

use std::time::Duration;

use serde_json::Value;
use tests::{Client, Misbehaviour, Mock, Proxy, ProxyOptions, Schema, Values};

#[tokio::test]
async fn an_exchange_writes_six_events_with_one_request_id() {
    for (schema, stream) in Schema::ALL.into_iter().zip([false, true, true]) {
        let mock = Mock::start().await;
        let proxy = Proxy::start(&mock.url()).await;
        let text = Values::of(41).to_string();
        let mut body = schema.request("echo", &text, stream);
        // Else its session outlives it.
        body["store"] = false.into();
        Client::post(&proxy.url(), schema.path(), &body).await;
        proxy.audited("session.deleted", 1).await;
        let events = proxy.audit();

        let names: Vec<_> = events
            .iter()
            .map(|event| event["event"].as_str().expect("a name"))
            .collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        let expected = [
            "proxy.request",
            "proxy.response",
            "session.created",
            "session.deleted",
            "session.restore",
            "session.transform",
        ];
        assert_eq!(sorted, expected);
        assert_eq!((names[0], names[5]), ("session.created", "session.deleted"));
        for event in &events {
            check_line(event, &events[0]);
        }
        let event = |name: &str| {
            &events[names
                .iter()
                .position(|known| *known == name)
                .expect("the event")]
        };
        assert_eq!(event("session.created")["source"], "ephemeral");
        assert_eq!(event("session.transform")["transformations"], 5);
        assert!(
            event("session.transform")["entity_counts"]
                .to_string()
                .contains("EMAIL:1")
        );
        let request = event("proxy.request");
        assert_eq!(request["method"], "POST");
        assert_eq!(request["path"], schema.path());
        assert_eq!(
            (&request["status"], &request["stream"]),
            (&200.into(), &stream.into())
        );
        assert!(
            mock.url()
                .ends_with(request["upstream"].as_str().expect("a host"))
                || request["upstream"] == "127.0.0.1"
        );
        assert!(request["transform_ms"].as_f64() <= request["duration_ms"].as_f64());
        assert_eq!(event("proxy.response")["restored"], 5, "each token once");
        assert_eq!(event("session.restore")["transformations"], 5);
        assert_eq!(
            event("session.deleted")["reason"],
            "ephemeral_request_complete"
        );
        assert_eq!(event("session.deleted")["mapping_count"], 5);
    }
}

fn check_line(event: &Value, first: &Value) {
    assert_eq!(event["request_id"], first["request_id"]);
    assert_eq!(event["session_id"], first["session_id"]);
    let request = event["request_id"].as_str().expect("a request id");
    assert!(
        request.starts_with("req_") && request.len() == 16,
        "{request}"
    );
    assert!(
        event["session_id"]
            .as_str()
            .is_some_and(|id| id.starts_with("ses_") && id.len() == 20)
    );
    assert!(
        event["ts"]
            .as_str()
            .is_some_and(|ts| ts.ends_with('Z') && ts.contains('T')),
        "{event}"
    );
}

#[tokio::test]
async fn without_detections_there_are_no_transform_or_restore_events() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let schema = Schema::ChatStyle;
    Client::post(
        &proxy.url(),
        schema.path(),
        &schema.request("echo", "hello", false),
    )
    .await;
    proxy.audited("session.deleted", 1).await;
    let text = proxy.audit_text();
    assert!(
        !text.contains("session.transform") && !text.contains("session.restore"),
        "{text}"
    );
}

/// Both ways of rotation, and a file that somebody removed.
#[tokio::test]
async fn the_trail_continues_when_its_file_is_truncated_moved_or_removed() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("audit.log");
    let options = ProxyOptions::default().env("MASK_AUDIT_PATH", path.to_str().expect("UTF-8"));
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let schema = Schema::ChatStyle;
    let holds = async |expected: usize, then: &str| {
        let request = schema.request("echo", "hello", false);
        Client::post(&proxy.url(), schema.path(), &request).await;
        // It is checked once a second.
        tokio::time::sleep(Duration::from_millis(1200)).await;
        let mut count = 0;
        for _ in 0..1000 {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            count = text.matches("session.deleted").count();
            if count >= expected {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(count, expected, "{then}");
    };
    holds(1, "a file").await;
    holds(2, "the same file").await;
    let rotated = directory.path().join("rotated");
    std::fs::copy(&path, &rotated).expect("a copy");
    std::fs::File::create(&path).expect("truncated");
    holds(1, "truncated").await;
    std::fs::rename(&path, &rotated).expect("moved");
    holds(1, "moved").await;
    std::fs::remove_file(&path).expect("removed");
    holds(1, "removed").await;
    let metrics = proxy.metrics().await;
    assert!(
        metrics.contains("mask_audit_lines_lost_total 0"),
        "{metrics}"
    );
}

/// Every failure of a provider is one `proxy.error` line; the session is gone afterwards.
#[tokio::test]
async fn a_failure_is_audited_with_its_phase() {
    use Misbehaviour as M;
    let schema = Schema::MessagesStyle;
    for (misbehaviour, stream, phases) in [
        (M::CloseBeforeReply, true, ["upstream", "upstream"]),
        (M::ResetBeforeReply, false, ["upstream", "upstream"]),
        (M::MalformedHead, false, ["upstream", "upstream"]),
        (M::ShortBody, false, ["response", "stream"]),
        (M::HalfTokenThenClose, true, ["stream", "response"]),
        (M::HalfTokenThenReset, true, ["stream", "response"]),
        (M::BrokenGzip, false, ["response", "upstream"]),
    ] {
        let mock = Mock::start().await;
        let proxy = Proxy::start(&mock.url()).await;
        let request = schema.request(misbehaviour.name(), &Values::of(42).to_string(), stream);
        Client::post(&proxy.url(), schema.path(), &request).await;
        let errors = proxy.audited("proxy.error", 1).await;
        let phase = errors[0]["phase"].as_str().expect("a phase");
        assert!(phases.contains(&phase), "{misbehaviour:?}: {phase}");
        assert!(errors[0]["error_type"].is_string(), "{misbehaviour:?}");
        proxy.audited("session.deleted", 1).await;
        assert_eq!(
            proxy.audited("proxy.error", 1).await.len(),
            1,
            "{misbehaviour:?}"
        );
    }
}

/// Case 236: a client that leaves is not an error.
#[tokio::test]
async fn a_client_that_goes_away_is_aborted_not_an_error() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let schema = Schema::ChatStyle;
    let request = schema
        .request("stall", &Values::of(43).to_string(), true)
        .to_string();
    for _ in 0..20 {
        let mut client = Client::connect(&proxy.url()).await;
        client
            .send("POST", schema.path(), &[], request.as_bytes())
            .await;
        let (_, mut streamed) = client.head().await;
        let _ = client.piece(&mut streamed).await;
    }
    proxy.audited("session.deleted", 20).await;
    let responses = proxy.audited("proxy.response", 20).await;
    assert!(
        responses.iter().all(|response| response["aborted"] == true),
        "{responses:?}"
    );
    assert!(!proxy.audit_text().contains("proxy.error"));
}

#[tokio::test]
async fn metrics_count_from_zero_and_hold_no_content() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let before = proxy.metrics().await;
    let schema = Schema::ChatStyle;
    let request = schema.request("echo", &Values::of(44).to_string(), false);
    for _ in 0..3 {
        Client::post(&proxy.url(), schema.path(), &request).await;
    }
    proxy.audited("session.deleted", 3).await;
    let reply = Client::get(&proxy.url(), "/metrics").await;
    assert!(
        reply
            .header("content-type")
            .is_some_and(|kind| kind.starts_with("text/plain"))
    );
    let after = reply.text();
    assert_ne!(before, after);
    let emails = after
        .lines()
        .find(|line| line.contains("EMAIL") && !line.starts_with('#'));
    assert!(emails.is_some_and(|line| line.ends_with(" 3")), "{after}");
}

/// Case 309.
#[tokio::test]
async fn without_an_audit_trail_there_is_no_file_and_metrics_still_count() {
    let mock = Mock::start().await;
    let options = ProxyOptions::default().yaml("audit: {enabled: false}");
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let request = Schema::ChatStyle.request("echo", &Values::of(45).to_string(), false);
    let reply = Client::post(&proxy.url(), Schema::ChatStyle.path(), &request).await;
    assert_eq!(reply.status, 200);
    let metrics = proxy.metrics().await;
    assert!(
        metrics.contains("mask_events_total{event=\"session.deleted\"} 1\n"),
        "{metrics}"
    );
    assert!(!proxy.directory().join("audit.log").exists());
}

/// Case 310: a full disk.
#[tokio::test]
async fn an_unwritable_audit_file_is_reported_without_disturbing_traffic() {
    let mock = Mock::start().await;
    let options = ProxyOptions::default().env("MASK_AUDIT_PATH", "/dev/full");
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let text = Values::of(46).to_string();
    for _ in 0..3 {
        let request = Schema::ChatStyle.request("echo", &text, false);
        let reply = Client::post(&proxy.url(), Schema::ChatStyle.path(), &request).await;
        assert_eq!(Schema::ChatStyle.reply_text(&reply.text()), text);
    }
    proxy.prints("the audit file can't be written").await;
    counts_as_lost(&proxy, 18).await;
}

/// Those under the new configuration once did not count until they were more than those before.
#[tokio::test]
async fn lines_that_are_lost_before_and_after_a_reload_all_count() {
    let mock = Mock::start().await;
    let yaml = |limit: u32| format!("proxy: {{max_connections: {limit}}}");
    let options = ProxyOptions::default()
        .env("MASK_AUDIT_PATH", "/dev/full")
        .yaml(&yaml(8))
        .flag("--reload");
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    Client::get(&proxy.url(), "/v1/models").await;
    counts_as_lost(&proxy, 1).await;
    proxy.reconfigure(&yaml(9));
    proxy.prints("the new configuration is in use").await;
    Client::get(&proxy.url(), "/v1/models").await;
    counts_as_lost(&proxy, 2).await;
}

async fn counts_as_lost(proxy: &Proxy, lines: u32) {
    let lost = format!("mask_audit_lines_lost_total {lines}\n");
    let mut metrics = proxy.metrics().await;
    for _ in 0..1000 {
        if metrics.contains(&lost) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        metrics = proxy.metrics().await;
    }
    assert!(metrics.contains(&lost), "{metrics}");
}
