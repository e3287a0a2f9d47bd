//! Slow clients are served, stalled clients are dropped.

use std::time::{Duration, Instant};

use tests::{Client, Mock, Proxy, Schema, Values};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

const HEAD: &str = "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: ";

/// Followed by empty settings.
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// A HEADERS frame with `:method: GET`, and without the flag that it is the last.
const HALF_HTTP2_HEAD: &[u8] = b"\0\0\x01\x01\0\0\0\0\x01\x82";

#[tokio::test]
async fn a_very_slow_client_is_served_without_blocking_others() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let text = Values::of(91).to_string();
    let body = Schema::ChatStyle.request("echo", &text, false).to_string();
    let (front, slow) = body.split_at(body.len() - 4);
    let head = format!("{HEAD}{}\r\n\r\n", body.len());
    let (head, slow_head) = head.split_at(head.len() - 4);

    let mut clients = Vec::new();
    for _ in 0..20 {
        let mut client = Client::connect(&proxy.url()).await;
        client.write(head.as_bytes()).await;
        clients.push(client);
    }
    for (pieces, then) in [(slow_head, front), (slow, "")] {
        for byte in pieces.bytes() {
            sleep(Duration::from_secs(1)).await;
            for client in &mut clients {
                client.write(&[byte]).await;
            }
            // A client that waited for those clients here would wait until they are dropped.
            let asked = Instant::now();
            assert_eq!(Client::get(&proxy.url(), "/health").await.status, 200);
            assert!(asked.elapsed() < Duration::from_secs(25));
        }
        for client in &mut clients {
            client.write(then.as_bytes()).await;
        }
    }
    for mut client in clients {
        let reply = client.reply("POST").await;
        assert_eq!(Schema::ChatStyle.reply_text(&reply.text()), text);
    }
}

#[tokio::test]
async fn a_stalled_client_is_dropped_after_half_a_minute() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let begun = Instant::now();
    let mut idle = Client::connect(&proxy.url()).await;
    let warm = idle.request("GET", "/health", &[], b"").await;
    assert_eq!(warm.status, 200);
    let mut in_head = Client::connect(&proxy.url()).await;
    in_head.write(HEAD.as_bytes()).await;
    let mut in_body = Client::connect(&proxy.url()).await;
    in_body
        .write(format!("{HEAD}100\r\n\r\n{{\"model\"").as_bytes())
        .await;

    let [idle_http2, in_http2_head] = [&[][..], HALF_HTTP2_HEAD].map(async |then| {
        let address = proxy.url().replace("http://", "");
        let mut stream = TcpStream::connect(address).await.expect("connect");
        let sent = [HTTP2_PREFACE, then].concat();
        stream.write_all(&sent).await.expect("sent");
        stream
    });
    let (mut idle_http2, mut in_http2_head) = tokio::join!(idle_http2, in_http2_head);

    let stalled = in_body.reply("POST").await;
    assert_eq!(
        (stalled.status, stalled.code().as_deref()),
        (408, Some("mask_invalid_request"))
    );
    assert_eq!(in_head.reply("POST").await.status, 0, "closed");
    let ended = timeout(Duration::from_mins(1), read_all(&mut in_http2_head));
    assert!(ended.await.is_ok(), "closed");
    let waited = begun.elapsed().as_secs_f64();
    assert!(waited > 29.0, "{waited}");
    let ended = timeout(Duration::from_secs(1), read_all(&mut idle_http2));
    assert!(ended.await.is_err(), "an idle connection is kept");

    let still = idle.request("GET", "/health", &[], b"").await;
    assert_eq!(still.status, 200, "an idle connection is kept");
    assert_eq!(mock.requests().len(), 0);
    let errors = proxy.audited("proxy.error", 1).await;
    assert_eq!(errors[0]["error_type"], "RequestStalled");
}

/// Reads until the other side ends the connection.
async fn read_all(stream: &mut TcpStream) {
    // A reset is an end, too.
    let _ = stream.read_to_end(&mut Vec::new()).await;
}

/// It was once waited for without end.
#[tokio::test]
async fn a_truncated_http2_preface_closes_the_connection() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let open_files = || {
        let listed = std::fs::read_dir(format!("/proc/{}/fd", proxy.pid()));
        listed.expect("a process").count()
    };
    let before = open_files();
    for preface in ["P", "PRI", "PRI * HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM"] {
        for _ in 0..10 {
            let mut client = Client::connect(&proxy.url()).await;
            client.write(preface.as_bytes()).await;
        }
    }
    let begun = Instant::now();
    while open_files() > before {
        let waited = begun.elapsed();
        assert!(waited < Duration::from_mins(1), "{} open", open_files());
        sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(Client::get(&proxy.url(), "/health").await.status, 200);
}
