//! Paths without a route: the proxy's own, and those that look like calls of a model.

use tests::{Client, Mock, Proxy};

#[tokio::test]
async fn the_proxys_own_paths_are_never_forwarded_however_they_are_spelled() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let target = format!("{}/health", proxy.url());
    for path in [
        "/health",
        "/health/",
        "/health?probe=1",
        "//health",
        "/HEALTH",
        "/./health",
        "/v1/../health",
        "/%68ealth",
        &target,
    ] {
        for method in ["GET", "POST"] {
            let mut client = Client::connect(&proxy.url()).await;
            let reply = client.request(method, path, &[], b"").await;
            assert_eq!(reply.text(), r#"{"status":"ok"}"#, "{method} {path}");
        }
    }
    for path in ["/metrics", "/metrics/", "/Metrics//"] {
        let text = Client::get(&proxy.url(), path).await.text();
        assert!(text.contains("mask_events_total"), "{path}: {text}");
    }
    assert_eq!(mock.requests().len(), 0);
}

#[tokio::test]
async fn one_line_warns_of_unmasked_calls_of_models() {
    let mock = Mock::start().await;
    let mut proxy = Proxy::start(&mock.url()).await;
    for path in [
        "/sub/v1/messages?key=hush-1",
        "/hush-2/v1/messages",
        "/v1/embeddings",
        "/v1/files",
    ] {
        Client::connect(&proxy.url())
            .await
            .request("POST", path, &[], b"{}")
            .await;
    }
    Client::get(&proxy.url(), "/v1/completions").await;
    proxy.audited("proxy.passthrough", 5).await;
    let metrics = proxy.metrics().await;
    assert!(
        metrics.contains("mask_unrouted_total{outcome=\"passed\"} 5\n"),
        "{metrics}"
    );

    proxy.stop().await;
    let printed = proxy.printed();
    let warnings: Vec<_> = printed
        .lines()
        .filter(|line| line.contains("unmasked"))
        .collect();
    assert_eq!(warnings.len(), 2, "{printed}");
    assert!(warnings[0].contains("'/messages'"), "{printed}");
    assert!(warnings[1].contains("'/embeddings'"), "{printed}");
    assert!(!warnings[0].contains("hush"), "{printed}");
    assert!(!printed.contains("hush-1"), "{printed}");
}
