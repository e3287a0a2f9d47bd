//! Paths without a route: the proxy's own, and those whose bodies are forwarded unmasked.

use tests::{Client, Mock, Proxy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

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
    for path in ["/ready", "/ready/", "/v1/../READY"] {
        let reply = Client::get(&proxy.url(), path).await;
        assert_eq!(reply.text(), r#"{"status":"ready"}"#, "{path}");
    }
    for path in ["/metrics", "/metrics/", "/Metrics//"] {
        let text = Client::get(&proxy.url(), path).await.text();
        assert!(text.contains("mask_events_total"), "{path}: {text}");
    }
    assert_eq!(mock.requests().len(), 0);
}

#[tokio::test]
async fn every_unmasked_body_is_reported_with_its_path_without_values() {
    let mock = Mock::start().await;
    let mut proxy = Proxy::start(&mock.url()).await;
    for path in [
        "/v9/ask?key=hush-1",
        "/v9/alice@example.com/ask",
        "/v9/mustermann/ask",
        "/v9/ask",
        "/v9/empty",
    ] {
        let body: &[u8] = if path == "/v9/empty" { b"" } else { b" {}" };
        Client::connect(&proxy.url())
            .await
            .request("POST", path, &[("content-type", "text/plain")], body)
            .await;
    }
    let upload = [("content-type", "multipart/form-data; boundary=x")];
    Client::connect(&proxy.url())
        .await
        .request("POST", "/v1/files", &upload, b"--x--")
        .await;
    Client::get(&proxy.url(), "/v1/models").await;
    let audited = proxy.audited("proxy.passthrough", 7).await;
    let seen: Vec<_> = audited
        .iter()
        .filter_map(|line| Some((line["path"].as_str()?, line["unmasked"].as_str()?)))
        .collect();
    assert_eq!(
        seen,
        [
            ("/v9/ask", "json"),
            ("/v9/[EMAIL]/ask", "json"),
            ("/v9/*/ask", "json"),
            ("/v9/ask", "json"),
            ("/v1/files", "other")
        ]
    );
    let metrics = proxy.metrics().await;
    for line in [
        "mask_unrouted_total{outcome=\"passed\"} 7\n",
        "mask_unmasked_bodies_total{content=\"json\"} 4\n",
        "mask_unmasked_bodies_total{content=\"other\"} 1\n",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }

    proxy.stop().await;
    let printed = proxy.printed();
    let warnings: Vec<_> = printed
        .lines()
        .filter(|line| line.contains("unmasked"))
        .collect();
    assert_eq!(warnings.len(), 4, "{printed}");
    assert!(warnings[0].contains("/v9/ask"), "{printed}");
    assert!(warnings[1].contains("/v9/[EMAIL]/ask"), "{printed}");
    assert!(warnings[2].contains("/v9/*/ask"), "{printed}");
    assert!(warnings[3].contains("/v1/files"), "{printed}");
    assert!(!printed.contains("hush-1"), "{printed}");
}

/// Nothing told why a client saw a token.
#[tokio::test]
async fn tokens_in_replies_without_a_route_are_reported_once_a_minute() {
    let mock = Mock::start().await;
    let mut proxy = Proxy::start(&mock.url()).await;
    for path in [
        "/v9/predictions/7/output",
        "/v9/predictions/7/output?again",
        "/v1/models",
    ] {
        let reply = Client::get(&proxy.url(), path).await;
        let has_token = reply.text().contains("<MASK_EMAIL_1>");
        assert_eq!(has_token, path != "/v1/models", "{}", reply.text());
    }
    proxy.stop().await;
    let printed = proxy.printed();
    let mut warnings = printed
        .lines()
        .filter(|line| line.contains("a reply contains tokens"));
    let warning = warnings.next().expect("a warning");
    assert!(warning.contains("/v9/predictions/*/output"), "{printed}");
    assert_eq!(warnings.next(), None, "{printed}");
}

/// It once was a 502, though a routed request was sent again.
#[tokio::test]
async fn a_small_upload_survives_an_idle_connection_that_the_provider_closes() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let proxy = Proxy::start(&url).await;
    let provider = tokio::spawn(async move {
        let (mut first, _) = listener.accept().await.expect("a connection");
        let served = serve(&mut first).await;
        // On the same connection, which nobody answers.
        let unanswered = read(&mut first).await;
        drop(first);
        let (mut second, _) = listener.accept().await.expect("another connection");
        [served, unanswered, serve(&mut second).await]
    });
    let mut client = Client::connect(&proxy.url()).await;
    for body in [b"one", b"two"] {
        let reply = client.request("POST", "/v1/files", &[], body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    let [one, two, again] = provider.await.expect("a provider");
    assert!(one.ends_with("one") && two.ends_with("two"), "{one} {two}");
    assert_eq!(again, two);
}

async fn serve(stream: &mut TcpStream) -> String {
    let request = read(stream).await;
    let reply = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    stream.write_all(reply).await.expect("a client");
    request
}

/// A request whose body has three bytes.
async fn read(stream: &mut TcpStream) -> String {
    let mut request = String::new();
    while request
        .split_once("\r\n\r\n")
        .is_none_or(|(_, body)| body.len() < 3)
    {
        let byte = stream.read_u8().await.expect("a request");
        request.push(char::from(byte));
    }
    request
}
