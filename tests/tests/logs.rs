//! The application log.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;
use tests::{Client, Misbehaviour, Mock, Proxy, ProxyOptions, Schema, Values, maskproxy};

/// Requests of every kind.
async fn visit(proxy: &Proxy) {
    for model in ["echo", Misbehaviour::CloseBeforeReply.name()] {
        let request = Schema::ChatStyle.request(model, &Values::of(69).to_string(), true);
        Client::post(&proxy.url(), "/v1/chat/completions?key=hush", &request).await;
    }
    let get = async |path: &str| {
        Client::get(&proxy.url(), path).await;
    };
    get("/v1/models?key=hush").await;
    get("/v1/users/carol@corp-seven.example").await;
    get("/health").await;
    get("/metrics").await;
    let headers = [("Connection", "Upgrade"), ("Upgrade", "websocket")];
    let mut client = Client::connect(&proxy.url()).await;
    client
        .request("GET", "/v1/realtime?key=hush", &headers, b"")
        .await;
    proxy.prints("/v1/realtime").await;
}

fn lines(proxy: &Proxy) -> Vec<String> {
    let printed = std::fs::read_to_string(proxy.directory().join("stdout"));
    printed
        .expect("an output")
        .lines()
        .map(str::to_owned)
        .collect()
}

/// Case 319.
#[tokio::test]
async fn every_request_is_logged_without_query_or_values() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    visit(&proxy).await;
    let lines = lines(&proxy);
    let of = |words: &str| {
        let found: Vec<_> = lines.iter().filter(|line| line.contains(words)).collect();
        assert_eq!(found.len(), 1, "{words}: {lines:#?}");
        found[0].clone()
    };
    for words in [
        "INFO POST /v1/chat/completions 200 ",
        "INFO POST /v1/chat/completions 502 ",
        "INFO GET /v1/models 200 ",
        "INFO GET /v1/users/[EMAIL] 200 ",
        "INFO GET /v1/realtime 426 ",
    ] {
        let line = of(words);
        assert!(line.contains(" ms req_"), "{line}");
    }
    assert!(
        lines.iter().all(|line| !line.contains("hush")),
        "{lines:#?}"
    );
    assert!(
        !lines
            .iter()
            .any(|line| line.contains("/health") || line.contains("/metrics"))
    );
    let audited = proxy.audited("proxy.response", 1).await;
    let id = audited[0]["request_id"].as_str().expect("an id");
    assert!(of("/v1/chat/completions 200").ends_with(id));
}

/// Case 317.
#[tokio::test]
async fn json_log_lines_hold_the_same_fields() {
    let mock = Mock::start().await;
    let options = ProxyOptions::default().yaml("logging: json");
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    visit(&proxy).await;
    let lines: Vec<Value> = lines(&proxy)
        .iter()
        .map(|line| serde_json::from_str(line).expect("a JSON line"))
        .collect();
    let access: Vec<_> = lines
        .iter()
        .filter(|line| line["message"] == "access")
        .collect();
    assert_eq!(access.len(), 5, "{lines:#?}");
    assert_eq!(access[0]["path"], "/v1/chat/completions");
    assert_eq!(
        (&access[0]["method"], &access[0]["status"]),
        (&"POST".into(), &200.into())
    );
    assert!(access[0]["duration_ms"].is_number());
    let warning = lines
        .iter()
        .find(|line| line["level"] == "WARN")
        .expect("a warning");
    assert_eq!(warning["message"], "mask_upstream_unreachable");
    assert!(
        warning["timestamp"]
            .as_str()
            .is_some_and(|time| time.ends_with('Z'))
    );
}

#[tokio::test]
async fn log_level_warn_omits_access_lines() {
    let mock = Mock::start().await;
    let options = ProxyOptions::default().yaml("log_level: warn");
    let mut proxy = Proxy::start_with(&mock.url(), &options).await;
    let request = Schema::ChatStyle.request("close-before-reply", "hi", false);
    Client::post(&proxy.url(), "/v1/chat/completions", &request).await;
    Client::get(&proxy.url(), "/v1/models").await;
    proxy.stop().await;
    let lines = lines(&proxy);
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].contains("mask_upstream_unreachable"), "{lines:#?}");
}

/// Cases 226, 318 and 326.
#[tokio::test]
async fn a_log_file_is_private_and_includes_library_messages() {
    let mock = Mock::start().await;
    let yaml = "log_file: logs/own.log\nlog_level: debug";
    let mut proxy = Proxy::start_with(&mock.url(), &ProxyOptions::default().yaml(yaml)).await;
    visit(&proxy).await;
    proxy.stop().await;

    let path = proxy.directory().join("logs/own.log");
    let mode = std::fs::metadata(&path)
        .expect("a log file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let file = std::fs::read_to_string(&path).expect("text");
    assert!(file.contains("GET /v1/models 200"), "{file}");
    assert!(file.contains("stopping"), "{file}");
    assert!(!file.contains('\u{1b}'), "no colours");
    let printed = proxy.printed();
    for library in ["hyper", "rustls", "h2::", "tokio", "mio"] {
        assert!(!printed.contains(library), "{library}: {printed}");
    }
    assert_eq!(Values::of(69).found_in(&printed), [""; 0]);
}

/// Case 303.
#[tokio::test]
async fn a_log_file_that_cannot_be_written_stops_the_start() {
    let directory = tempfile::tempdir().expect("a directory");
    let config = directory.path().join("maskproxy.yaml");
    std::fs::write(&config, "log_file: /proc").expect("written");
    let config = config.to_str().expect("UTF-8");
    let (status, _, stderr) = maskproxy(&["proxy", "--port", "0", "-c", config], "").await;
    assert_eq!(status, Some(1), "{stderr}");
    let line = stderr.trim_end();
    assert!(
        line.ends_with("can't open the log file /proc: is a directory"),
        "{line}"
    );
}
