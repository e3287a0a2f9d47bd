//! Values never appear in logs, errors, metrics or audit lines.

use serde_json::json;
use tests::secrecy::{every_feature, spelled_in};
use tests::{
    Answer, Client, Misbehaviour, Mock, Proxy, ProxyOptions, Schema, Service, Values, maskproxy,
    maskproxy_with,
};

/// Puts values into every place of a request, makes the provider fail in every way, and searches
/// for the values in everything that the proxy wrote.
#[tokio::test]
async fn no_value_appears_in_logs_audit_metrics_or_errors() {
    let mock = Mock::start().await;
    let options = ProxyOptions::default()
        .env("RUST_LOG", "trace")
        .env("RUST_BACKTRACE", "1");
    let mut proxy = Proxy::start_with(&mock.url(), &options).await;
    let values = Values::of(31);
    let credential = "sk-of-the-client-Zq81";
    let path_secret = "path-secret-77";

    for schema in Schema::ALL {
        for &misbehaviour in Misbehaviour::ALL {
            if misbehaviour == Misbehaviour::Stall {
                continue;
            }
            for stream in [false, true] {
                let mut request = schema.request(misbehaviour.name(), &values.to_string(), stream);
                request["metadata"] = json!({"user_id": values.email});
                request["user"] = values.email.as_str().into();
                send(&proxy, schema.path(), credential, &request.to_string()).await;
            }
        }
        for body in [
            format!("[\"{values}\"]"),
            format!("{{\"a\": \"{values}"),
            values.to_string(),
        ] {
            let reply = send(&proxy, schema.path(), credential, &body).await;
            assert_eq!(values.found_in(&reply), [""; 0], "quoted: {reply}");
        }
    }
    let unrouted = format!("/v1/files?key={path_secret}&mail={}", values.email);
    send(&proxy, &unrouted, credential, &values.to_string()).await;
    send(
        &proxy,
        &format!("/hang-up?key={path_secret}"),
        credential,
        "",
    )
    .await;

    let metrics = proxy.metrics().await;
    proxy.stop().await;
    let everything = proxy.written() + &metrics;
    assert_eq!(values.found_in(&everything), [""; 0]);
    for secret in [credential, path_secret] {
        assert!(!everything.contains(secret), "{secret} was written");
    }
    assert!(!everything.contains("<MASK_"), "a token was written");
    assert!(!everything.contains("panicked"), "{}", proxy.printed());
}

/// The live page, rules, a vault, an external detector, reports and the commands that read what is written.
#[tokio::test]
async fn no_value_is_written_in_any_spelling_with_every_feature_on() {
    let presidio = Service::start(|_| Answer::json(&json!([]))).await;
    let yaml = every_feature(&presidio.url());
    let key = "0f".repeat(32);
    let options = ProxyOptions::default()
        .yaml(&yaml)
        .env("RUST_LOG", "trace")
        .env("MASK_ENCRYPT_KEY", &key)
        .flag("--ui")
        .flag("0");
    let mock = Mock::start().await;
    let mut proxy = Proxy::start_with(&mock.url(), &options).await;
    let values = Values::of(61);
    let credential = "sk-of-the-client-Zq82";
    let authorization = format!("Bearer {credential}");
    let mut reports = String::new();
    for team in ["trial", "other"] {
        for schema in Schema::ALL {
            for model in [
                "echo",
                "error-500",
                "garbage-events",
                "half-token-then-reset",
            ] {
                let body = schema.request(model, &values.to_string(), model != "echo");
                let path = format!("{}?mail={}", schema.path(), values.email);
                let headers = [
                    ("authorization", authorization.as_str()),
                    ("x-team", team),
                    ("x-note", values.email.as_str()),
                    ("x-mask-report", "1"),
                ];
                let mut client = Client::connect(&proxy.url()).await;
                let body = body.to_string();
                let reply = client
                    .request("POST", &path, &headers, body.as_bytes())
                    .await;
                reports += reply.header("x-mask-report").unwrap_or_default();
            }
        }
    }
    send(
        &proxy,
        &format!("/nowhere/{}", values.key),
        credential,
        &values.to_string(),
    )
    .await;
    let (url, directory) = (proxy.url(), proxy.directory().to_owned());
    let metrics = proxy.metrics().await;
    let trail = directory.join("audit.log");
    let trail = trail.to_str().expect("UTF-8");
    let mut everything = metrics + &reports;
    for format in ["text", "json", "html"] {
        let (_, out, errors) = maskproxy(&["audit", "report", "--format", format, trail], "").await;
        everything += &(out + &errors);
    }
    let top = ["top", "--once", "--json", "--url", &url, "--audit", trail];
    let (status, out, errors) = maskproxy(&top, "").await;
    assert_eq!(status, Some(0), "{errors}");
    everything += &out;
    let config = directory.join("maskproxy.yaml");
    let list = ["session", "list", "-c", config.to_str().expect("UTF-8")];
    let (_, out, errors) = maskproxy_with(&list, &[("MASK_ENCRYPT_KEY", &key)], "").await;
    everything += &(out + &errors);
    proxy.stop().await;
    assert!(directory.join("vault.db").exists(), "values were kept");
    everything += &proxy.written();
    assert!(everything.contains("shadow.detected") && reports.contains("values="));
    let planted = values.all().into_iter().chain([credential]);
    assert_eq!(spelled_in(&everything, planted), [""; 0]);
}

async fn send(proxy: &Proxy, path: &str, credential: &str, body: &str) -> String {
    let authorization = format!("Bearer {credential}");
    let headers = [
        ("authorization", authorization.as_str()),
        ("x-api-key", credential),
        ("cookie", credential),
    ];
    let mut client = Client::connect(&proxy.url()).await;
    client
        .request("POST", path, &headers, body.as_bytes())
        .await
        .text()
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_the_audit_file() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("audit.log");
    let mock = Mock::start().await;
    let options = ProxyOptions::default().env("MASK_AUDIT_PATH", path.to_str().expect("UTF-8"));
    let _proxy = Proxy::start_with(&mock.url(), &options).await;
    let mode = std::fs::metadata(&path)
        .expect("an audit file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}
