//! Values never appear in logs, errors, metrics or audit lines.

use serde_json::json;
use tests::{Client, Misbehaviour, Mock, Proxy, ProxyOptions, Schema, Values};

/// Puts values into every place of a request, makes the provider fail in every way, and searches
/// for the values in everything that the proxy wrote.
#[tokio::test]
async fn no_value_is_in_any_log_audit_line_metric_or_error() {
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
async fn the_audit_file_is_its_owners_only() {
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
