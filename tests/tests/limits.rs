//! Time limits and connection limits towards the provider.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tests::{Client, Ending, Mock, Proxy, ProxyOptions, Reply, Reserved, Schema, Values};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

fn options(yaml: &str) -> ProxyOptions {
    ProxyOptions::default().yaml(yaml)
}

async fn post(proxy: &Proxy, model: &str, stream: bool) -> Reply {
    let request = Schema::ChatStyle.request(model, &Values::of(65).to_string(), stream);
    Client::post(&proxy.url(), Schema::ChatStyle.path(), &request).await
}

fn check(reply: &Reply, status: u16, code: &str) {
    let answered = (reply.status, reply.code());
    assert_eq!(
        answered,
        (status, Some(code.to_owned())),
        "{}",
        reply.text()
    );
}

/// Cases 249 and 250.
#[tokio::test]
async fn a_silent_provider_is_a_timeout() {
    let mock = Mock::start().await;
    // It accepts connections, and reads nothing.
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let silent = format!("http://{}", silent.local_addr().expect("an address"));
    let limited = options("proxy: {timeout: 2}");
    let falls_silent = [limited.clone(), limited.clone().flag("--gateway")].map(async |options| {
        let url = mock.url() + "/v1/chat/completions";
        let proxy = Proxy::start_with(&url, &options).await;
        let batch = post(&proxy, "stall", false).await;
        check(&batch, 504, "mask_upstream_timeout");
        let begun = post(&proxy, "stall", true).await;
        assert_eq!((begun.status, begun.ending), (200, Ending::Broken));
        let errors = proxy.audited("proxy.error", 2).await;
        let phases: Vec<_> = errors.iter().map(|line| line["phase"].as_str()).collect();
        assert_eq!(phases, [Some("response"), Some("stream")]);

        let proxy = Proxy::start_with(&(silent.clone() + "/x"), &options).await;
        let batch = post(&proxy, "echo", false).await;
        check(&batch, 504, "mask_upstream_timeout");
        let errors = proxy.audited("proxy.error", 1).await;
        assert_eq!(errors[0]["phase"], "upstream");
    });
    futures_util::future::join_all(falls_silent).await;
}

/// Case 251: the limit is between bytes, and a long reply is allowed.
#[tokio::test]
async fn a_reply_that_keeps_sending_may_exceed_the_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let _ = stream.read(&mut [0; 4096]).await;
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n";
        for part in [head, "{", "\"is", "\"", ":", "\"", "ok", "\"", "}", " "] {
            stream.write_all(part.as_bytes()).await.expect("sent");
            sleep(Duration::from_secs(1)).await;
        }
    });
    let proxy = Proxy::start_with(&url, &options("proxy: {timeout: 8}")).await;
    let reply = post(&proxy, "echo", false).await;
    assert_eq!((reply.status, reply.json()), (200, json!({"is": "ok"})));
}

/// A listener with a full queue neither accepts nor refuses connections.
#[tokio::test]
async fn a_connect_timeout_is_reported_and_not_retried() {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket
        .bind("127.0.0.1:0".parse().expect("an address"))
        .expect("bound");
    let full = socket.listen(1).expect("listens");
    let address = full.local_addr().expect("an address");
    let mut waiting = Vec::new();
    for _ in 0..8 {
        let connecting = TcpStream::connect(address);
        let connected = tokio::time::timeout(Duration::from_millis(200), connecting).await;
        waiting.push(connected);
    }
    let yaml = "proxy: {connect_timeout: 1}";
    let proxy = Proxy::start_with(&format!("http://{address}"), &options(yaml)).await;
    let begun = Instant::now();
    check(
        &post(&proxy, "echo", false).await,
        504,
        "mask_upstream_timeout",
    );
    let waited = begun.elapsed().as_secs_f64();
    // Three tries would take four seconds and a half.
    assert!((0.9..4.4).contains(&waited), "{waited}");
    let unrouted = Client::get(&proxy.url(), "/v1/models").await;
    check(&unrouted, 504, "mask_upstream_timeout");
    let metrics = proxy.metrics().await;
    assert!(
        metrics.contains("mask_unrouted_total{outcome=\"passed\"} 0\n"),
        "nothing was sent: {metrics}"
    );
}

/// Case 246.
#[tokio::test]
async fn a_provider_recovering_during_retries_is_reached() {
    let gone = Reserved::new();
    let proxy = Proxy::start(&gone.url()).await;
    let comes_back = async {
        sleep(Duration::from_millis(300)).await;
        Mock::listen(gone.port()).await.expect("its port")
    };
    let (reply, _mock) = tokio::join!(post(&proxy, "echo", false), comes_back);
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[tokio::test]
async fn excess_requests_wait_then_get_retry_after() {
    let mock = Mock::start().await;
    let proxy = Proxy::start_with(&mock.url(), &options("proxy: {max_connections: 2}")).await;
    let request = Schema::ChatStyle.request("stall", "hi", true).to_string();
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut client = Client::connect(&proxy.url()).await;
        client
            .send("POST", Schema::ChatStyle.path(), &[], request.as_bytes())
            .await;
        assert_eq!(client.head().await.0, 200);
        open.push(client);
    }
    let begun = Instant::now();
    let busy = post(&proxy, "echo", false).await;
    check(&busy, 503, "mask_upstream_busy");
    assert_eq!(busy.header("retry-after"), Some("10"));
    let waited = begun.elapsed().as_secs_f64();
    assert!(waited > 9.5, "{waited}");

    open.pop();
    assert_eq!(
        post(&proxy, "echo", false).await.status,
        200,
        "a place is free"
    );
}

#[tokio::test]
async fn max_connections_is_never_exceeded_and_includes_idle_ones() {
    let provider = Counting::start().await;
    let yaml = "proxy: {max_connections: 3}";
    let proxy = Proxy::start_with(&provider.url, &options(yaml)).await;
    let mut posts = JoinSet::new();
    for _ in 0..40 {
        let url = proxy.url();
        posts.spawn(async move {
            let request = Schema::ChatStyle.request("any", "hi", false);
            Client::post(&url, Schema::ChatStyle.path(), &request).await
        });
    }
    while let Some(reply) = posts.join_next().await {
        assert_eq!(reply.expect("a reply").status, 200);
    }
    let most = provider.most.load(Ordering::SeqCst);
    assert!((1..=3).contains(&most), "{most} at a time");
    // Those that gave way to others are closed, too, if a moment later.
    let open = || provider.open.load(Ordering::SeqCst);
    let begun = Instant::now();
    while open() > 3 && begun.elapsed() < Duration::from_mins(1) {
        sleep(Duration::from_millis(10)).await;
    }
    assert!((1..=3).contains(&open()), "{} connections", open());
}

/// A provider that counts its connections, and its concurrent requests.
struct Counting {
    url: String,
    open: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Counting {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let counting = Self {
            url: format!("http://{}", listener.local_addr().expect("an address")),
            open: Arc::default(),
            most: Arc::default(),
        };
        let (open, most) = (Arc::clone(&counting.open), Arc::clone(&counting.most));
        let busy = Arc::<AtomicUsize>::default();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (open, most, busy) = (Arc::clone(&open), Arc::clone(&most), Arc::clone(&busy));
                tokio::spawn(async move {
                    open.fetch_add(1, Ordering::SeqCst);
                    answer(stream, &busy, &most).await;
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        counting
    }
}

async fn answer(mut stream: TcpStream, busy: &AtomicUsize, most: &AtomicUsize) {
    let mut request = [0; 4096];
    while stream
        .read(&mut request)
        .await
        .is_ok_and(|length| length > 0)
    {
        most.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        sleep(Duration::from_millis(20)).await;
        busy.fetch_sub(1, Ordering::SeqCst);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n";
        let reply = format!("{head}\r\n{{}}");
        let _ = stream.write_all(reply.as_bytes()).await;
    }
}

#[tokio::test]
async fn the_maximum_body_size_is_configurable() {
    let mock = Mock::start().await;
    for options in [
        options("proxy: {max_body: 1000}"),
        options("proxy: {max_body: 1000}").flag("--gateway"),
    ] {
        let url = mock.url() + "/v1/chat/completions";
        let proxy = Proxy::start_with(&url, &options).await;
        let request =
            json!({"model": "echo", "messages": [{"role": "user", "content": "x".repeat(1000)}]});
        let reply = Client::post(&proxy.url(), "/v1/chat/completions", &request).await;
        check(&reply, 413, "mask_request_too_large");
        assert_eq!(post(&proxy, "echo", false).await.status, 200);
    }
}
