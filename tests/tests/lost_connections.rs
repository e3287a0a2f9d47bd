//! Idle connections to the provider that die silently, as behind a firewall that forgets them.
#![cfg(target_os = "linux")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use socket2::{SockFilter, SockRef};
use tests::{Client, Mock, Proxy, ProxyOptions, Reply, Schema, Values};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// A provider whose connections die when a request asks for it.
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
        let answer = String::from_utf8_lossy(&request[..length]).into_owned();
        if answer.contains("think") {
            sleep(Duration::from_secs(5)).await;
        }
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n";
        let _ = stream.write_all(format!("{head}\r\n{{}}").as_bytes()).await;
        if answer.contains("forget") {
            // The acknowledgement of the reply is still to come.
            sleep(Duration::from_millis(300)).await;
            lose(&SockRef::from(&stream));
            sleep(Duration::from_mins(5)).await;
        }
    }
}

/// Drops every packet that comes before TCP sees it.
fn lose(stream: &SockRef<'_>) {
    let nothing = SockFilter::new(0x06, 0, 0, 0);
    stream.attach_filter(&[nothing]).expect("a filter");
}

/// A middlebox in front of a provider that loses connections, whatever their protocol.
struct Relay {
    port: u16,
    accepted: Arc<Mutex<Vec<std::net::TcpStream>>>,
}

impl Relay {
    async fn before(provider: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let accepted = Arc::<Mutex<Vec<_>>>::default();
        let list = Arc::clone(&accepted);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let stream = stream.into_std().expect("a stream");
                let other = stream.try_clone().expect("a descriptor");
                list.lock().expect("no panic").push(other);
                let mut stream = TcpStream::from_std(stream).expect("a stream");
                tokio::spawn(async move {
                    let mut onward = TcpStream::connect(("127.0.0.1", provider)).await?;
                    copy_bidirectional(&mut stream, &mut onward).await
                });
            }
        });
        Self { port, accepted }
    }

    fn lose_all(&self) {
        let accepted = self.accepted.lock().expect("no panic");
        accepted
            .iter()
            .for_each(|stream| lose(&SockRef::from(stream)));
    }

    fn connections(&self) -> usize {
        self.accepted.lock().expect("no panic").len()
    }
}

async fn ask(client: &mut Client, words: &str) -> Reply {
    let request = Schema::ChatStyle.request("any", words, false).to_string();
    let path = Schema::ChatStyle.path();
    client.request("POST", path, &[], request.as_bytes()).await
}

/// It was once waited for until `proxy.timeout`, which is five minutes.
#[tokio::test]
async fn a_request_on_a_lost_connection_is_retried() {
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

/// What was acknowledged has arrived: the model is thinking.
#[tokio::test]
async fn the_proxy_waits_for_a_silent_provider_that_acknowledged() {
    let provider = Forgetful::start().await;
    let options = ProxyOptions::default().yaml("proxy: {connect_timeout: 1}");
    let proxy = Proxy::start_with(&provider.url, &options).await;
    let mut client = Client::connect(&proxy.url()).await;
    for words in ["hello", "think", "think"] {
        assert_eq!(ask(&mut client, words).await.status, 200);
    }
    assert_eq!(provider.connections(), 1);
}

/// Many exchanges share a connection there, and all were lost with it.
#[tokio::test]
async fn a_request_on_a_lost_http2_connection_is_retried() {
    let mock = Mock::start_tls().await;
    let directory = tempfile::tempdir().expect("a directory");
    let roots = directory.path().join("roots.pem");
    std::fs::write(&roots, mock.certificate()).expect("a file of roots");
    let url = mock.url();
    let (_, port) = url.rsplit_once(':').expect("a port");
    let relay = Relay::before(port.parse().expect("a number")).await;
    let options = ProxyOptions::default()
        .yaml("proxy: {connect_timeout: 2, timeout: 50}")
        .env("SSL_CERT_FILE", roots.to_str().expect("UTF-8"));
    let proxy = Proxy::start_with(&format!("https://localhost:{}", relay.port), &options).await;
    let mut client = Client::connect(&proxy.url()).await;
    let schema = Schema::ChatStyle;
    for lost in [false, true] {
        if lost {
            // The acknowledgements of the reply are still to come.
            sleep(Duration::from_millis(300)).await;
            relay.lose_all();
        }
        let values = Values::of(930).to_string();
        let request = schema.request("echo", &values, false).to_string();
        let sent = Instant::now();
        let reply = client.request("POST", schema.path(), &[], request.as_bytes());
        let reply = reply.await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(schema.reply_text(&reply.text()), values);
        assert_eq!(mock.last().version, "HTTP/2.0");
        assert!(sent.elapsed() < Duration::from_secs(20));
    }
    assert_eq!((relay.connections(), mock.requests().len()), (2, 2));
}
