//! Idle connections to the provider that are lost without a word, as a firewall that forgets them does it.
#![cfg(target_os = "linux")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use socket2::{SockFilter, SockRef};
use tests::{Client, Proxy, ProxyOptions, Reply, Schema};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// A provider whose connections die as a request asks for it.
struct Forgetful {
    url: String,
    connections: Arc<AtomicUsize>,
}

impl Forgetful {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let connections = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream));
            }
        });
        Self { url, connections }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve(mut stream: TcpStream) {
    let mut request = [0; 4096];
    while let Ok(length) = stream.read(&mut request).await {
        if length == 0 {
            return;
        }
        let said = String::from_utf8_lossy(&request[..length]).into_owned();
        if said.contains("think") {
            sleep(Duration::from_secs(5)).await;
        }
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n";
        let _ = stream.write_all(format!("{head}\r\n{{}}").as_bytes()).await;
        if said.contains("forget") {
            // The acknowledgement of the reply is still to come.
            sleep(Duration::from_millis(300)).await;
            // Every packet that comes is dropped before TCP sees it.
            let nothing = SockFilter::new(0x06, 0, 0, 0);
            let dropping = SockRef::from(&stream).attach_filter(&[nothing]);
            dropping.expect("a filter");
            sleep(Duration::from_mins(5)).await;
        }
    }
}

async fn ask(client: &mut Client, words: &str) -> Reply {
    let request = Schema::ChatStyle.request("any", words, false).to_string();
    let path = Schema::ChatStyle.path();
    client.request("POST", path, &[], request.as_bytes()).await
}

/// It was once waited for until `proxy.timeout`, which is five minutes.
#[tokio::test]
async fn a_request_on_a_lost_connection_is_sent_again_on_a_new_one() {
    let provider = Forgetful::start().await;
    let options = ProxyOptions::default().yaml("proxy: {connect_timeout: 2, timeout: 50}");
    let proxy = Proxy::start_with(&provider.url, &options).await;
    // One worker serves a connection, from the same pool.
    let mut client = Client::connect(&proxy.url()).await;
    assert_eq!(ask(&mut client, "forget").await.status, 200);
    sleep(Duration::from_millis(600)).await;
    let sent = Instant::now();
    let reply = ask(&mut client, "hello").await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert!(sent.elapsed() < Duration::from_secs(20));
    assert_eq!(provider.connections(), 2);
}

/// What was acknowledged has arrived: the model thinks.
#[tokio::test]
async fn a_silent_provider_that_acknowledged_a_request_is_waited_for() {
    let provider = Forgetful::start().await;
    let options = ProxyOptions::default().yaml("proxy: {connect_timeout: 1}");
    let proxy = Proxy::start_with(&provider.url, &options).await;
    let mut client = Client::connect(&proxy.url()).await;
    for words in ["hello", "think", "think"] {
        assert_eq!(ask(&mut client, words).await.status, 200);
    }
    assert_eq!(provider.connections(), 1);
}
