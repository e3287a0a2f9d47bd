//! Outgoing proxies from the environment.

use std::sync::{Arc, Mutex};

use tests::{Client, Mock, Proxy, ProxyOptions, Schema, Values, maskproxy_with};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

/// A proxy that tunnels to one address, whatever it is asked for.
struct Tunnel {
    url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Tunnel {
    async fn to(mock: &Mock, answer: &'static str) -> Self {
        let address = mock
            .url()
            .rsplit('/')
            .next()
            .expect("an address")
            .to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&heads);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let (seen, address) = (Arc::clone(&seen), address.clone());
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        head.push(client.read_u8().await.expect("a head"));
                    }
                    let head = String::from_utf8(head).expect("text");
                    seen.lock().expect("unpoisoned").push(head);
                    client.write_all(answer.as_bytes()).await.expect("sent");
                    let mut provider = TcpStream::connect(address).await.expect("a provider");
                    let _ = copy_bidirectional(&mut client, &mut provider).await;
                });
            }
        });
        let url = format!("http://us%65r:pass@127.0.0.1:{port}");
        Self { url, heads }
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("unpoisoned").clone()
    }
}

fn trusting(mock: &Mock) -> (ProxyOptions, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let roots = directory.path().join("roots.pem");
    std::fs::write(&roots, mock.certificate()).expect("a file of roots");
    let options = ProxyOptions::default().env("SSL_CERT_FILE", roots.to_str().expect("UTF-8"));
    (options, directory)
}

#[tokio::test]
async fn an_encrypted_provider_is_reached_through_a_tunnel() {
    let mock = Mock::start_tls().await;
    let tunnel = Tunnel::to(&mock, "HTTP/1.1 200 Connected\r\n\r\n").await;
    let (options, _roots) = trusting(&mock);
    let options = options.env("HTTPS_PROXY", &tunnel.url);
    let proxy = Proxy::start_with("https://provider.test", &options).await;
    let values = Values::of(66);
    for stream in [false, true] {
        let request = Schema::ChatStyle.request("echo", &values.to_string(), stream);
        let reply = Client::post(&proxy.url(), Schema::ChatStyle.path(), &request).await;
        assert_eq!(
            Schema::ChatStyle.reply_text(&reply.text()),
            values.to_string()
        );
    }
    let heads = tunnel.heads();
    assert!(
        heads[0].starts_with("CONNECT provider.test:443 HTTP/1.1\r\n"),
        "{heads:?}"
    );
    // "user:pass"
    assert!(heads[0].contains("Basic dXNlcjpwYXNz\r\n"), "{heads:?}");
    assert_eq!(values.found_in(&mock.last().everything()), [""; 0]);
    assert!(!proxy.written().contains("pass@"), "{}", proxy.written());
}

#[tokio::test]
async fn an_unencrypted_provider_is_reached_through_the_proxy() {
    let forwarding = Mock::start().await;
    let address = forwarding.url().replace("http://", "http://user:pass@");
    let options = ProxyOptions::default().env("HTTP_PROXY", &address);
    let proxy = Proxy::start_with("http://provider.test", &options).await;
    let values = Values::of(67);
    let request = Schema::ChatStyle.request("echo", &values.to_string(), false);
    Client::post(&proxy.url(), Schema::ChatStyle.path(), &request).await;
    let forwarded = forwarding.last();
    assert_eq!(forwarded.target, "http://provider.test/v1/chat/completions");
    assert_eq!(forwarded.header_all("host"), ["provider.test"]);
    assert_eq!(
        forwarded.header("proxy-authorization"),
        Some("Basic dXNlcjpwYXNz")
    );
    assert_eq!(values.found_in(&forwarded.everything()), [""; 0]);
    Client::get(&proxy.url(), "/v1/models?x=1").await;
    assert_eq!(
        forwarding.last().target,
        "http://provider.test/v1/models?x=1"
    );
}

#[tokio::test]
async fn local_and_no_proxy_providers_are_reached_directly() {
    let elsewhere = Mock::start().await;
    let mock = Mock::start().await;
    let options = ProxyOptions::default().env("HTTP_PROXY", &elsewhere.url());
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    assert_eq!(Client::get(&proxy.url(), "/v1/models").await.status, 200);
    assert_eq!(mock.requests().len(), 1);

    let excepted = options.env("NO_PROXY", "other.test, .test");
    let proxy = Proxy::start_with("http://provider.test", &excepted).await;
    assert_eq!(
        Client::get(&proxy.url(), "/v1/models").await.status,
        502,
        "no such host"
    );
    assert_eq!(elsewhere.requests().len(), 0);
}

#[tokio::test]
async fn a_proxy_that_refuses_is_a_coded_error() {
    let mock = Mock::start_tls().await;
    let refusal = "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n";
    let tunnel = Tunnel::to(&mock, refusal).await;
    let (options, _roots) = trusting(&mock);
    let options = options.env("HTTPS_PROXY", &tunnel.url);
    let proxy = Proxy::start_with("https://provider.test", &options).await;
    let reply = Client::get(&proxy.url(), "/v1/models").await;
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (502, Some("mask_upstream_unreachable"))
    );
    assert!(reply.text().contains("HTTPS_PROXY"), "{}", reply.text());
    assert!(!reply.text().contains("127.0.0.1"), "{}", reply.text());
}

#[tokio::test]
async fn an_unsupported_outgoing_proxy_is_reported_at_start() {
    let arguments = [
        "proxy",
        "--upstream",
        "https://provider.test",
        "--port",
        "0",
    ];
    let environment = [("HTTPS_PROXY", "socks5://user:hush@127.0.0.1:1")];
    let (status, _, stderr) = maskproxy_with(&arguments, &environment, "").await;
    assert_eq!(status, Some(1), "{stderr}");
    assert!(
        stderr.contains("HTTPS_PROXY") && !stderr.contains("hush"),
        "{stderr}"
    );
}
