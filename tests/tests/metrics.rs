//! `/metrics`.

use serde_json::json;
use tests::{Answer, Client, Misbehaviour, Mock, Proxy, Schema, Service, Values};

fn value(metrics: &str, name: &str) -> Option<f64> {
    let line = metrics.lines().find(|line| {
        line.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with(' '))
    });
    line?.rsplit(' ').next()?.parse().ok()
}

/// What dashboards ask of every service.
#[tokio::test]
async fn metrics_include_the_process_and_its_version() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let metrics = proxy.metrics().await;
    let version = format!(
        "mask_build_info{{version=\"{}\"}}",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(value(&metrics, &version), Some(1.0), "{metrics}");
    for name in [
        "process_start_time_seconds",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
        "process_virtual_memory_bytes",
        "process_open_fds",
        "process_max_fds",
        "process_threads",
    ] {
        assert!(
            value(&metrics, name).is_some_and(|value| value >= 0.0),
            "{name}: {metrics}"
        );
    }
}

const FROM_ZERO: [&str; 18] = [
    "mask_request_delay_seconds_count",
    "mask_events_total{event=\"session.created\"}",
    "mask_events_total{event=\"proxy.error\"}",
    "mask_entities_total{type=\"EMAIL\"}",
    "mask_entities_total{type=\"API_KEY\"}",
    "mask_errors_total{phase=\"transform\"}",
    "mask_errors_total{phase=\"upstream\"}",
    "mask_errors_total{phase=\"stream\"}",
    "mask_tokens_restored_total",
    "mask_tokens_unknown_total",
    "mask_tokens_kept_total",
    "mask_response_seconds_count",
    "mask_exchanges_in_flight",
    "mask_unrouted_total{outcome=\"passed\"}",
    "mask_unrouted_total{outcome=\"blocked\"}",
    "mask_upgrades_refused_total",
    "mask_audit_lines_lost_total",
    "mask_trace_spans_lost_total",
];

/// Case 314.
#[tokio::test]
async fn every_counter_exists_from_the_start_at_zero() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let reply = Client::get(&proxy.url(), "/metrics").await;
    let kind = reply.header("content-type");
    assert!(kind.is_some_and(|kind| kind.starts_with("text/plain")));
    for name in FROM_ZERO {
        assert_eq!(value(&reply.text(), name), Some(0.0), "{name}");
    }
}

#[tokio::test]
async fn every_event_is_counted_once() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let schema = Schema::ChatStyle;
    for (model, stream) in [
        ("echo", false),
        ("echo", true),
        (Misbehaviour::CloseBeforeReply.name(), false),
        (Misbehaviour::HalfTokenThenClose.name(), true),
    ] {
        let request = schema.request(model, &Values::of(95).to_string(), stream);
        Client::post(&proxy.url(), schema.path(), &request).await;
    }
    let mut open = Client::connect(&proxy.url()).await;
    let stalled = schema.request("stall", "hi", true).to_string();
    open.send("POST", schema.path(), &[], stalled.as_bytes())
        .await;
    open.head().await;
    Client::post(&proxy.url(), "/v1/messages", &json!([])).await;
    Client::get(&proxy.url(), "/v1/models").await;
    let headers = [("Connection", "Upgrade"), ("Upgrade", "websocket")];
    let mut client = Client::connect(&proxy.url()).await;
    client.request("GET", "/v1/realtime", &headers, b"").await;

    let metrics = proxy.metrics().await;
    for (name, expected) in [
        ("mask_events_total{event=\"proxy.request\"}", 4.0),
        ("mask_events_total{event=\"proxy.error\"}", 3.0),
        ("mask_entities_total{type=\"EMAIL\"}", 4.0),
        ("mask_errors_total{phase=\"transform\"}", 1.0),
        ("mask_errors_total{phase=\"upstream\"}", 1.0),
        ("mask_errors_total{phase=\"stream\"}", 1.0),
        // All five of two replies, and three of the one that broke off after two thirds.
        ("mask_tokens_restored_total", 13.0),
        ("mask_response_seconds_count", 2.0),
        // All but the one that can't be masked.
        ("mask_request_delay_seconds_count", 5.0),
        ("mask_exchanges_in_flight", 1.0),
        ("mask_unrouted_total{outcome=\"passed\"}", 1.0),
        ("mask_upgrades_refused_total", 1.0),
    ] {
        assert_eq!(value(&metrics, name), Some(expected), "{name}: {metrics}");
    }
}

#[tokio::test]
async fn tokens_that_the_session_did_not_issue_are_counted() {
    let says = json!({"content": "<MASK_EMAIL_1> <MASK_EMAIL_7> <MASK_SSN_8>"});
    let reply = Answer::json(&json!({"choices": [{"message": says}]}));
    let provider = Service::start(move |_| reply.clone()).await;
    let proxy = Proxy::start(&provider.url()).await;
    let request = Schema::ChatStyle.request("any", &Values::of(96).email, false);
    let reply = Client::post(&proxy.url(), Schema::ChatStyle.path(), &request).await;
    let text = reply.text();
    assert!(text.contains(&Values::of(96).email), "{text}");
    assert!(text.contains("<MASK_EMAIL_7> <MASK_SSN_8>"), "{text}");
    let metrics = proxy.metrics().await;
    assert_eq!(value(&metrics, "mask_tokens_unknown_total"), Some(2.0));
    assert_eq!(value(&metrics, "mask_tokens_restored_total"), Some(1.0));
}
