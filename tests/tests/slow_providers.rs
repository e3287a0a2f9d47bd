//! Replies that come little by little reach the client as they come.

use std::time::Duration;

use tests::Proxy;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(20);

/// A list that was declared as `application/json`, as Gemini sends without `alt=sse`, came only at its end.
#[tokio::test]
async fn elements_of_a_slow_json_array_are_delivered_individually() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let proxy = Proxy::start(&url).await;
    let address = proxy.url().replace("http://", "");
    let mut client = TcpStream::connect(&address).await.expect("a proxy");
    let body = r#"{"contents": [{"parts": [{"text": "hello"}]}]}"#;
    let head = "POST /v1beta/models/m:streamGenerateContent HTTP/1.1\r\nhost: x\r\ncontent-type: application/json";
    let request = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    client.write_all(request.as_bytes()).await.expect("a proxy");

    let (mut provider, _) = listener.accept().await.expect("a connection");
    until(&mut provider, "]}]}").await;
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    provider.write_all(head.as_bytes()).await.expect("a proxy");
    for (sent, awaited) in [
        ("[{\"text\": \"apple\"}", "apple"),
        (",\r\n{\"text\": \"pear\"}", "pear"),
        ("]", "]"),
    ] {
        let chunk = format!("{:x}\r\n{sent}\r\n", sent.len());
        provider.write_all(chunk.as_bytes()).await.expect("a proxy");
        until(&mut client, awaited).await;
    }
}

/// Reads until this came.
async fn until(stream: &mut TcpStream, awaited: &str) {
    let mut read = Vec::new();
    let reading = async {
        while !String::from_utf8_lossy(&read).contains(awaited) {
            read.push(stream.read_u8().await.expect("more"));
        }
    };
    assert!(timeout(PATIENCE, reading).await.is_ok(), "no {awaited}");
}
