//! The coverage of a request, in the audit trail and in `x-mask-report`.

use serde_json::{Value, json};
use tests::{Client, Mock, Proxy, ProxyOptions, Values};

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A request with three texts, an image and the format's own strings.
fn body(values: &Values) -> Value {
    json!({"model": "echo", "max_tokens": 9, "system": "be brief", "messages": [{"role": "user", "content": [
        {"type": "text", "text": format!("{} and {}", values.email, values.phone)},
        {"type": "text", "text": format!("cc {}", values.email)},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
    ]}]})
}

async fn post(proxy: &Proxy, headers: &[(&str, &str)], body: &Value) -> tests::Reply {
    let mut client = Client::connect(&proxy.url()).await;
    let body = body.to_string();
    client
        .request("POST", "/v1/messages", headers, body.as_bytes())
        .await
}

#[tokio::test]
async fn the_trail_counts_read_and_unread_content() {
    for (yaml, event) in [
        ("{}\n", "proxy.request"),
        ("policy: shadow\n", "shadow.detected"),
    ] {
        let mock = Mock::start().await;
        let proxy = Proxy::start_with(&mock.url(), &ProxyOptions::default().yaml(yaml)).await;
        let reply = post(&proxy, &[], &body(&Values::of(1))).await;
        assert_eq!((reply.status, reply.header("x-mask-report")), (200, None));
        let line = &proxy.audited(event, 1).await[0];
        assert_eq!(line["texts"], 3, "{line}");
        // Model, role, four types and the media type.
        assert_eq!(line["left"], json!(["images:1", "structural:7"]), "{line}");
        assert_eq!(line["detectors"], "regex");
        assert!(line["detect_ms"].as_f64() > Some(0.0), "{line}");
    }
}

#[tokio::test]
async fn the_coverage_report_header_is_answered_and_not_forwarded() {
    let values = Values::of(2);
    for (yaml, name) in [("{}\n", "values"), ("policy: shadow\n", "found")] {
        let mock = Mock::start().await;
        let proxy = Proxy::start_with(&mock.url(), &ProxyOptions::default().yaml(yaml)).await;
        let reply = post(&proxy, &[("x-mask-report", "1")], &body(&values)).await;
        let report = reply.header("x-mask-report").expect("a report");
        let begin = format!(
            "texts=3; left=images:1,structural:7; {name}=EMAIL:2,PHONE:1; detectors=regex; detect_ms="
        );
        assert!(report.starts_with(&begin), "{report}");
        assert_eq!(mock.last().header("x-mask-report"), None);
        for no in ["0", "true", ""] {
            let reply = post(&proxy, &[("x-mask-report", no)], &body(&values)).await;
            assert_eq!(reply.header("x-mask-report"), None, "{no}");
        }
    }
}
