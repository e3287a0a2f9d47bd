//! `audit report` as text, JSON and HTML.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{Client, Mock, Proxy, ProxyOptions, Schema, Values, maskproxy};

/// A directory with a trail of these lines.
fn trail(lines: &[Value]) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("audit.log");
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&path, lines).expect("a file");
    (directory, path)
}

fn line(event: &str, day: u32, more: Value) -> Value {
    let mut line = json!({
        "version": 1, "ts": format!("2026-03-{day:02}T10:00:00.000Z"), "epoch": 1.0, "event": event, "request_id": "req_1"
    });
    let Value::Object(more) = more else {
        panic!("an object");
    };
    line.as_object_mut().expect("an object").extend(more);
    line
}

/// One request that was masked: a value in the system prompt, `users` of them in a message.
fn masked(day: u32, users: u64) -> Vec<Value> {
    let finding = |field: &str, count: u64| json!({"type": "EMAIL", "field": field, "rule": "email", "count": count});
    vec![
        line(
            "session.transform",
            day,
            json!({"path": "/v1/messages", "entity_counts": [format!("EMAIL:{}", users + 1)], "transformations": users + 1,
                "findings": [finding("system", 1), finding("messages[user].content", users)]}),
        ),
        line(
            "proxy.request",
            day,
            json!({"path": "/v1/messages", "status": 200}),
        ),
    ]
}

async fn report(format: &str, paths: &[&PathBuf]) -> String {
    let paths = paths.iter().map(|path| path.to_str().expect("UTF-8"));
    let arguments: Vec<_> = ["audit", "report", "--format", format]
        .into_iter()
        .chain(paths)
        .collect();
    let (status, printed, errors) = maskproxy(&arguments, "").await;
    assert_eq!((status, &*errors), (Some(0), ""), "{printed}");
    printed
}

async fn as_json(paths: &[&PathBuf]) -> Value {
    serde_json::from_str(&report("json", paths).await).expect("JSON")
}

/// A line names a few findings and counts the rest, which were in one table and missing in the others.
/// `-` was the name of a file.
#[tokio::test]
async fn a_trail_is_read_from_standard_input() {
    let (_directory, path) = trail(&masked(1, 2));
    let lines = fs::read_to_string(&path).expect("a trail");
    let report = ["audit", "report", "--format", "json", "-"];
    let (status, printed, errors) = maskproxy(&report, &lines).await;
    assert_eq!(status, Some(0), "{errors}");
    let printed: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(printed, as_json(&[&path]).await);
    for command in [["audit", "report", "-"], ["audit", "stats", "-"]] {
        let (_, printed, errors) = maskproxy(&command, &lines).await;
        assert!(
            printed.starts_with("audit trail  standard input\n"),
            "{printed} {errors}"
        );
    }
}

#[tokio::test]
async fn findings_known_only_by_count_are_in_every_table() {
    let counted = json!({
        "path": "/v1/messages", "entity_counts": ["EMAIL:5"], "transformations": 5, "findings_left": 3,
        "findings": [{"type": "EMAIL", "field": "system", "rule": "email", "count": 2}],
    });
    let (_directory, path) = trail(&[line("session.transform", 1, counted)]);
    let json = as_json(&[&path]).await;
    assert_eq!(json["by_type"]["EMAIL"]["masked"], 5);
    for table in ["by_field", "by_rule"] {
        assert_eq!(json[table]["(others)"]["masked"], 3, "{table}");
    }
}

#[tokio::test]
async fn the_report_counts_by_type_field_rule_route_and_day() {
    let mut lines: Vec<_> = (1..=4)
        .flat_map(|day| masked(day, u64::from(day)))
        .collect();
    lines.push(line(
        "proxy.passthrough",
        4,
        json!({"method": "POST", "status": 200, "path": "/v9/new", "unmasked": "json"}),
    ));
    lines.push(line(
        "proxy.error",
        4,
        json!({"path": "/v1/messages", "code": "mask_invalid_request", "error_type": "NotJson"}),
    ));
    let (_directory, path) = trail(&lines);

    let json = as_json(&[&path]).await;
    assert_eq!(
        json["all"],
        json!({"masked": 14, "would_be_masked": 0, "requests": 4, "errors": 1})
    );
    assert_eq!(json["by_type"]["EMAIL"]["masked"], 14);
    assert_eq!(json["by_field"]["system"]["masked"], 4);
    assert_eq!(json["by_field"]["messages[user].content"]["masked"], 10);
    assert_eq!(json["by_rule"]["email"]["masked"], 14);
    assert_eq!(json["by_route"]["/v1/messages"]["requests"], 4);
    assert_eq!(json["by_day"]["2026-03-04"]["masked"], 5);
    assert_eq!(json["unmasked_paths"]["/v9/new"], 1);
    assert_eq!(json["errors"]["mask_invalid_request (NotJson)"], 1);
    assert_eq!(json["notices"], json!([]));
    // A user's own values are not candidates to allow, however often they recur.
    let candidate = json!([{"type": "EMAIL", "rule": "email", "field": "system", "requests": 4, "values": 4, "percent_of_requests": 100}]);
    assert_eq!(json["candidates_to_allow"], candidate);

    let text = report("text", &[&path]).await;
    assert!(
        text.contains("\n4 requests, 14 values masked, 1 error\n"),
        "{text}"
    );
    assert!(
        text.contains("\nCandidates to allow\n") && text.contains("\nPaths that were not masked\n"),
        "{text}"
    );
    assert!(
        text.contains("  messages[user].content      10\n"),
        "{text}"
    );

    let both = as_json(&[&path, &path]).await;
    assert_eq!(
        (&both["files"], &both["all"]["masked"]),
        (&2.into(), &28.into())
    );
}

#[tokio::test]
async fn a_damaged_or_foreign_trail_is_read_with_a_notice() {
    let mut lines = masked(1, 1);
    lines.push(line("shadow.detected", 1, json!({"path": "/v1/messages", "entity_counts": ["SSN:2"], "transformations": 2,
        "findings": [{"type": "SSN", "field": "system", "rule": "ssn", "count": 2}], "error_type": "DetectorTimeout"})));
    let mut newer = line("proxy.request", 1, json!({"path": "/v1/messages"}));
    newer["version"] = 2.into();
    lines.push(newer);
    let (_directory, path) = trail(&lines);
    let mut bytes = fs::read(&path).expect("the trail");
    bytes.extend_from_slice(b"not an event\n\xff\xfe\n{\"version\":1,\"ts\":\"2026-03-01T10:0");
    fs::write(&path, bytes).expect("written");

    let json = as_json(&[&path]).await;
    assert_eq!(
        json["all"],
        json!({"masked": 2, "would_be_masked": 2, "requests": 2, "errors": 0})
    );
    assert_eq!(
        (
            &json["unreadable"],
            &json["not_looked_at"]["DetectorTimeout"]
        ),
        (&3.into(), &1.into())
    );
    let text = report("text", &[&path]).await;
    for notice in [
        "notice: 1 file ends in the middle of a line",
        "notice: 3 lines are not events",
        "notice: 1 line was written by a newer version",
        "notice: 1 request passed policy shadow before every detector",
        "notice: the trail contains both",
    ] {
        assert!(text.contains(notice), "{notice}: {text}");
    }
    // The last line is whole, and only its end is missing.
    let (_directory, path) = trail(&masked(1, 1));
    let bytes = fs::read(&path).expect("the trail");
    fs::write(&path, &bytes[..bytes.len() - 1]).expect("written");
    assert_eq!(as_json(&[&path]).await["all"]["requests"], 1);
    let (_directory, path) = trail(&[]);
    assert!(
        report("text", &[&path])
            .await
            .contains("\nno events in 1 file\n")
    );
}

/// Paths are what anybody asked for.
#[tokio::test]
async fn paths_are_escaped_for_browser_and_terminal() {
    let hostile = "/<script>alert(1)</script>\u{1b}[2J\"&";
    let (_directory, path) = trail(&[line(
        "proxy.passthrough",
        1,
        json!({"path": hostile, "unmasked": "json"}),
    )]);
    let page = report("html", &[&path]).await;
    assert!(
        page.contains("/&lt;script&gt;alert(1)&lt;/script&gt;\\u{1b}[2J&quot;&amp;"),
        "{page}"
    );
    assert!(!page.contains("<script") && !page.contains("http://") && !page.contains("https://"));
    assert!(!report("text", &[&path]).await.contains('\u{1b}'));
}

#[tokio::test]
async fn a_shadow_report_shows_what_would_be_masked_without_values() {
    let mock = Mock::start().await;
    let proxy = Proxy::start_with(
        &mock.url(),
        &ProxyOptions::default().yaml("policy: shadow\n"),
    )
    .await;
    let values = Values::of(5);
    for schema in Schema::ALL {
        Client::post(
            &proxy.url(),
            schema.path(),
            &schema.request("echo", &values.to_string(), false),
        )
        .await;
    }
    proxy.audited("shadow.detected", 3).await;
    proxy.audited("proxy.request", 3).await;
    let path = proxy.directory().join("audit.log");
    let json = as_json(&[&path]).await;
    assert_eq!(json["all"]["masked"], 0);
    assert_eq!(json["by_type"]["EMAIL"]["would_be_masked"], 3);
    assert_eq!(json["all"]["would_be_masked"], 15);
    assert_eq!(json["by_route"]["/v1/messages"]["would_be_masked"], 5);
    for format in ["text", "json", "html"] {
        let page = report(format, &[&path]).await;
        assert_eq!(values.found_in(&page), [""; 0], "{format}");
    }
    assert!(
        report("text", &[&path])
            .await
            .contains("15 values would have been masked (policy shadow)")
    );
}

#[tokio::test]
async fn older_events_are_skipped_and_missing_files_reported() {
    let (_directory, path) = trail(&masked(1, 1));
    let name = path.to_str().expect("UTF-8");
    let (_, out, _) = maskproxy(&["audit", "report", "--since", "1h", name], "").await;
    assert!(out.contains("\nno events"), "{out}");
    let (status, _, error) = maskproxy(&["audit", "report", "/nowhere/audit.log"], "").await;
    assert_eq!(status, Some(1));
    assert!(
        error.contains("can't read the audit file /nowhere/audit.log"),
        "{error}"
    );
}
