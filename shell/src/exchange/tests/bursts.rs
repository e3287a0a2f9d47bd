//! Streams whose events come together, alone, or faster than the client reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use super::Client;

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                    transfer-encoding: chunked\r\n\r\n";
const EVENTS: usize = 2000;

/// A provider that answers one request by a script.
async fn provider<W: Future<Output = ()> + Send>(
    write: impl FnOnce(TcpStream) -> W + Send + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"}") {
            stream.read_buf(&mut request).await.unwrap();
        }
        write(stream).await;
    });
    url
}

/// An event in its own chunk.
fn chunk(number: usize) -> String {
    let event = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{number}\"}}}}]}}\n\n");
    format!("{:x}\r\n{event}\r\n", event.len())
}

fn burst() -> String {
    (0..EVENTS).map(chunk).collect()
}

/// Each once cost its own write: 20,003 for 20,000 deltas.
#[tokio::test]
async fn events_that_come_together_are_delivered_together() {
    let url = provider(async |mut stream| {
        let reply = format!("{HEAD}{}0\r\n\r\n", burst());
        stream.write_all(reply.as_bytes()).await.unwrap();
    })
    .await;
    let mut client = Client::of(&url, "300");
    client.send().await;
    let reply = client.until("\r\n0\r\n\r\n").await;
    assert_eq!(reply.matches("data: ").count(), EVENTS);
    let chunks = reply.matches("\r\ndata: ").count();
    assert!(chunks <= EVENTS / 20, "{chunks} chunks");
}

#[tokio::test]
async fn an_event_is_delivered_without_waiting_for_the_next() {
    let url = provider(async |mut stream| {
        stream.write_all(HEAD.as_bytes()).await.unwrap();
        for number in 0..3 {
            stream.write_all(chunk(number).as_bytes()).await.unwrap();
            sleep(Duration::from_millis(100)).await;
        }
        std::future::pending::<()>().await;
    })
    .await;
    let mut client = Client::of(&url, "300");
    client.send().await;
    for number in 0..3 {
        let end = format!("\"content\":\"{number}\"}}}}]}}\n\n\r\n");
        let arrived = timeout(Duration::from_secs(10), client.until(&end)).await;
        assert!(arrived.is_ok(), "event {number} is held back");
    }
}

#[tokio::test]
async fn a_slow_client_applies_backpressure_to_the_provider() {
    let written = Arc::<AtomicUsize>::default();
    let count = Arc::clone(&written);
    let url = provider(async move |mut stream| {
        stream.write_all(HEAD.as_bytes()).await.unwrap();
        let chunk = chunk(1).repeat(100);
        while stream.write_all(chunk.as_bytes()).await.is_ok() {
            count.fetch_add(chunk.len(), Ordering::Relaxed);
        }
    })
    .await;
    let mut client = Client::of(&url, "300");
    client.send().await;
    let mut before = None;
    while before != Some(written.load(Ordering::Relaxed)) {
        before = Some(written.load(Ordering::Relaxed));
        sleep(Duration::from_millis(500)).await;
    }
    let before = written.load(Ordering::Relaxed);
    // The system decides how much the sockets buffer.
    assert!(before < 64 << 20, "{before} bytes wait in the proxy");
    client.read(before).await;
    sleep(Duration::from_millis(100)).await;
    assert!(written.load(Ordering::Relaxed) > before, "it goes on");
}
