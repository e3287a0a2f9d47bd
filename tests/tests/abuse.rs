//! Clients that abuse HTTP, and clients that leave.

use std::time::{Duration, Instant};

use tests::{Client, Mock, Proxy, Schema, Values};
use tokio::time::sleep;

async fn pair() -> (Mock, Proxy) {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    (mock, proxy)
}

/// Sends a request head and body as they are; the status, or 0 when the connection was closed.
async fn raw(proxy: &Proxy, request: &str) -> u16 {
    let mut client = Client::connect(&proxy.url()).await;
    client.write(request.as_bytes()).await;
    client.reply("POST").await.status
}

#[tokio::test]
async fn malformed_http_heads_are_refused_and_never_forwarded() {
    let (mock, proxy) = pair().await;
    let many = "x-a: 1\r\n".repeat(2000);
    let long = format!("x-a: {}\r\n", "a".repeat(1 << 20));
    let long_path = format!("/{}", "a".repeat(1 << 20));
    let mut refused = Vec::new();
    for request in [
        format!("POST /v1/messages HTTP/1.1\r\nhost: x\r\n{many}content-length: 2\r\n\r\n{{}}"),
        format!("POST /v1/messages HTTP/1.1\r\nhost: x\r\n{long}content-length: 2\r\n\r\n{{}}"),
        format!("GET {long_path} HTTP/1.1\r\nhost: x\r\n\r\n"),
        "POST /v1/messages\r\n\r\n".to_owned(),
        "GET  /v1/models HTTP/1.1\r\nhost: x\r\n\r\n".to_owned(),
        "GET /v1/models HTTP/9.9\r\nhost: x\r\n\r\n".to_owned(),
        "GET /v1/mod\0els HTTP/1.1\r\nhost: x\r\n\r\n".to_owned(),
        "GET /v1/models HTTP/1.1\r\nhost: x\r\nx y: 1\r\n\r\n".to_owned(),
        "GET /v1/models HTTP/1.1\r\nhost: x\r\nx-a: \u{1}\r\n\r\n".to_owned(),
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}hello TLS\r\n\r\n".to_owned(),
        "POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n{}".to_owned(),
        "POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999\r\n\r\n{}"
            .to_owned(),
    ] {
        let mut client = Client::connect(&proxy.url()).await;
        client.write(request.as_bytes()).await;
        let reply = client.reply("POST").await;
        let shown: String = request.chars().take(60).collect();
        let code = reply.code();
        assert!((400..500).contains(&reply.status), "{reply:?}: {shown:?}");
        assert_eq!(code.as_deref(), Some("mask_invalid_request"), "{shown:?}");
        assert_eq!(reply.header("x-should-retry"), Some("false"), "{shown:?}");
        refused.push(reply.json()["request_id"].clone());
    }
    assert_eq!(mock.requests().len(), 0);
    let errors = proxy.audited("proxy.error", refused.len()).await;
    let recorded: Vec<_> = errors
        .iter()
        .map(|error| error["request_id"].clone())
        .collect();
    assert_eq!(recorded, refused);
    for class in ["MalformedHead", "HeadTooLarge"] {
        let of_class = errors.iter().filter(|error| error["error_type"] == class);
        assert!(of_class.count() > 1, "{class}: {errors:?}");
    }
    assert_eq!(Client::get(&proxy.url(), "/health").await.status, 200);
}

/// The answer to a refused head is distinguished from replies by what else is to be written.
#[tokio::test]
async fn a_refused_pipelined_head_keeps_earlier_replies_intact() {
    let (_mock, proxy) = pair().await;
    let bare = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let head = "POST /mirror HTTP/1.1\r\nhost: x\r\ncontent-length";
    let request = format!("{head}: {}\r\n\r\n{bare}", bare.len());
    for pipelined in [true, false] {
        let mut client = Client::connect(&proxy.url()).await;
        let requests = request.repeat(3);
        if pipelined {
            client
                .write((requests + "no head\r\n\r\n").as_bytes())
                .await;
        } else {
            client.write(requests.as_bytes()).await;
        }
        for _ in 0..3 {
            assert_eq!(client.reply("POST").await.text(), bare);
        }
        if !pipelined {
            client.write(b"no head\r\n\r\n").await;
        }
        assert_eq!(client.reply("POST").await.status, 400);
    }
    proxy.audited("proxy.error", 2).await;
}

/// Headers that a client declares to be the connection's must not take the proxy's own work apart.
#[tokio::test]
async fn the_connection_header_cannot_remove_essential_headers() {
    let (mock, proxy) = pair().await;
    let values = Values::of(93);
    let body = Schema::ChatStyle
        .request("echo", &values.to_string(), false)
        .to_string();
    for path in ["/v1/chat/completions", "/mirror"] {
        for named in [
            "x-mask-session",
            "host",
            "content-length",
            "transfer-encoding",
            "x-codex-turn-metadata, close",
            "connection",
            "\"quoted\", ,;=, content-type",
        ] {
            let headers = [
                ("Connection", named),
                ("x-mask-session", "mine"),
                ("x-codex-turn-metadata", "{}"),
            ];
            let mut client = Client::connect(&proxy.url()).await;
            let reply = client
                .request("POST", path, &headers, body.as_bytes())
                .await;
            assert_eq!(reply.status, 200, "{path} {named}");
            let seen = mock.last();
            assert_eq!(seen.header("x-mask-session"), None, "{path} {named}");
            assert_eq!(seen.header_all("host").len(), 1, "{path} {named}");
            assert!(!seen.body.is_empty(), "{path} {named}");
            if path != "/mirror" {
                assert_eq!(values.found_in(&seen.everything()), [""; 0], "{named}");
                assert_eq!(reply.header("x-mask-session"), Some("mine"), "{named}");
            }
        }
    }
}

#[tokio::test]
async fn a_session_that_is_named_twice_is_refused() {
    let (mock, proxy) = pair().await;
    let body = Schema::ChatStyle.request("echo", "hi", false).to_string();
    let headers = [("x-mask-session", "a"), ("X-Mask-Session", "b")];
    let mut client = Client::connect(&proxy.url()).await;
    let path = Schema::ChatStyle.path();
    let reply = client
        .request("POST", path, &headers, body.as_bytes())
        .await;
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (400, Some("mask_invalid_request"))
    );
    assert_eq!(mock.requests().len(), 0);
}

#[tokio::test]
async fn repeated_and_foreign_host_headers_are_replaced() {
    let (mock, proxy) = pair().await;
    let own = mock.url().replace("http://", "");
    for head in [
        "GET /v1/models HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
        "GET http://evil.example/v1/models HTTP/1.1\r\nhost: evil.example\r\n\r\n",
        "GET /v1/models HTTP/1.0\r\n\r\n",
    ] {
        let before = mock.requests().len();
        raw(&proxy, head).await;
        for seen in &mock.requests()[before..] {
            assert_eq!(seen.header_all("host"), [own.as_str()], "{head:?}");
            assert_eq!(seen.target, "/v1/models", "{head:?}");
        }
    }
    let (status, before) = (
        raw(
            &proxy,
            "CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example\r\n\r\n",
        )
        .await,
        mock.requests().len(),
    );
    assert_eq!((status, mock.requests().len()), (404, before));
    raw(&proxy, "OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert_eq!(Client::get(&proxy.url(), "/health").await.status, 200);
}

/// It was once treated as a client that had left: a wrong message, and no line in the audit trail.
#[tokio::test]
async fn a_wrongly_framed_upload_is_reported_and_recorded() {
    let (_mock, proxy) = pair().await;
    let mut client = Client::connect(&proxy.url()).await;
    let head = "POST /mirror HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    let upload = format!("{head}5\r\nhello\r\nzz\r\n");
    client.write(upload.as_bytes()).await;
    let reply = client.reply("POST").await;
    assert_eq!(reply.status, 400);
    assert!(reply.text().contains("invalid framing"), "{}", reply.text());
    let line = &proxy.audited("proxy.error", 1).await[0];
    assert_eq!(line["error_type"], "MalformedRequest");
}

/// Whenever a client leaves, its exchange ends: no session stays open, and nothing is an error.
#[tokio::test]
async fn a_client_may_disconnect_in_any_phase() {
    let (mock, mut proxy) = pair().await;
    let text = Values::of(94).to_string();
    let request = |model: &str, stream| {
        let body = Schema::ChatStyle.request(model, &text, stream).to_string();
        let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length";
        format!("{head}: {}\r\n\r\n{body}", body.len())
    };
    let stalled = request("stall", true);
    let upload = "POST /mirror HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\nhalf";
    for (sent, waits_for_head) in [
        ("", false),
        ("POST /v1/chat", false),
        (&stalled[..stalled.len() - 20], false),
        (&request("slow-first-byte", false), false),
        (&request("stall", false), false),
        (&stalled, true),
        (upload, false),
    ] {
        for _ in 0..5 {
            let mut client = Client::connect(&proxy.url()).await;
            client.write(sent.as_bytes()).await;
            if waits_for_head {
                client.head().await;
            } else {
                sleep(Duration::from_millis(40)).await;
            }
        }
    }
    let begun = Instant::now();
    while !proxy
        .metrics()
        .await
        .contains("mask_exchanges_in_flight 0\n")
    {
        let waited = begun.elapsed();
        assert!(waited < Duration::from_mins(1), "{}", proxy.metrics().await);
        sleep(Duration::from_millis(50)).await;
    }
    proxy.stop().await;
    let text = proxy.audit_text();
    let count = |event: &str| text.matches(event).count();
    assert_eq!(count("session.created"), count("session.deleted"), "{text}");
    assert_eq!(count("proxy.error"), 0, "{text}");
    for seen in mock.requests() {
        assert!(!seen.everything().contains("@corp"), "{}", seen.text());
    }
    assert!(!proxy.printed().contains("panicked"), "{}", proxy.printed());
}
