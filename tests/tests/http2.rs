//! HTTP/2 on both sides, and TLS to the provider.

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tests::{Client, Misbehaviour, Mock, Proxy, ProxyOptions, Schema, Values};
use tokio::net::TcpStream;

/// A proxy that trusts the provider's certificate by way of the system's roots.
async fn trusting(mock: &Mock) -> (Proxy, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let roots = directory.path().join("roots.pem");
    std::fs::write(&roots, mock.certificate()).expect("a file of roots");
    let options = ProxyOptions::default().env("SSL_CERT_FILE", roots.to_str().expect("UTF-8"));
    (Proxy::start_with(&mock.url(), &options).await, directory)
}

#[tokio::test]
async fn a_provider_is_reached_by_http2_over_tls() {
    let mock = Mock::start_tls().await;
    let (proxy, _roots) = trusting(&mock).await;
    for schema in Schema::ALL {
        for stream in [false, true] {
            let values = Values::of(71);
            let request = schema.request("echo/3", &values.to_string(), stream);
            let reply = Client::post(&proxy.url(), schema.path(), &request).await;
            assert_eq!(
                schema.reply_text(&reply.text()),
                values.to_string(),
                "{schema:?} {stream}"
            );
            assert_eq!(mock.last().version, "HTTP/2.0");
            assert_eq!(values.found_in(&mock.last().everything()), [""; 0]);
        }
    }
    assert!(mock.connections() < 6, "connections are used again");
    let mirrored = Client::connect(&proxy.url())
        .await
        .request("POST", "/mirror", &[], b"as it is")
        .await;
    assert_eq!(mirrored.text(), "as it is");
}

/// It was a 502 above 16 KB, other than over HTTP/1.1.
#[tokio::test]
async fn reply_heads_may_be_large() {
    let mock = Mock::start_tls().await;
    let (proxy, _roots) = trusting(&mock).await;
    let reply = Client::get(&proxy.url(), "/large-head").await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.header("x-large").map(str::len), Some(48 << 10));
}

/// RFC 9113, 8.7: requests that the provider did not process may be sent again. It was a 502 once.
#[tokio::test]
async fn a_request_refused_unprocessed_is_retried() {
    let mock = Mock::start_tls().await;
    let (proxy, _roots) = trusting(&mock).await;
    let (schema, values) = (Schema::ChatStyle, Values::of(75));
    let request = schema.request("refused-once", &values.to_string(), false);
    let reply = Client::post(&proxy.url(), schema.path(), &request).await;
    assert_eq!(schema.reply_text(&reply.text()), values.to_string());
    assert_eq!(mock.requests().len(), 2);
}

#[tokio::test]
async fn an_untrusted_certificate_is_an_error() {
    let mock = Mock::start_tls().await;
    let proxy = Proxy::start(&mock.url()).await;
    let schema = Schema::ChatStyle;
    let request = schema.request("echo", &Values::of(72).to_string(), false);
    let reply = Client::post(&proxy.url(), schema.path(), &request).await;
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (502, Some("mask_upstream_unreachable"))
    );
    assert_eq!(mock.requests().len(), 0);
}

async fn by_prior_knowledge(proxy: &Proxy) -> SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(proxy.url().trim_start_matches("http://"))
        .await
        .expect("connect");
    let connected = handshake(TokioExecutor::new(), TokioIo::new(stream)).await;
    let (sender, connection) = connected.expect("HTTP/2 by prior knowledge");
    tokio::spawn(connection);
    sender
}

async fn post(
    sender: &SendRequest<Full<Bytes>>,
    schema: Schema,
    model: &str,
    text: &str,
) -> Result<String, hyper::Error> {
    let body = schema.request(model, text, true).to_string();
    let request = hyper::Request::post(format!("http://proxy{}", schema.path()));
    let request = request.body(Full::from(body)).expect("a request");
    let reply = sender.clone().send_request(request).await?;
    let body = reply.into_body().collect().await?.to_bytes();
    Ok(schema.reply_text(&String::from_utf8_lossy(&body)))
}

#[tokio::test]
async fn a_client_may_speak_http2() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let sender = by_prior_knowledge(&proxy).await;
    let calls = (0..32).map(|number| {
        let sender = sender.clone();
        async move {
            let text = Values::of(200 + number).to_string();
            let reply = post(&sender, Schema::ALL[number % 3], "echo/5", &text).await;
            assert_eq!(reply.expect("a reply"), text);
        }
    });
    futures_util::future::join_all(calls).await;
}

/// More than 16 KB of headers once got a bare status, which nothing recorded.
#[tokio::test]
async fn heads_may_be_as_large_as_over_http1() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let mut sender = by_prior_knowledge(&proxy).await;
    for (kilobytes, status) in [(300, 200), (500, 431)] {
        let large = "a".repeat(kilobytes << 10);
        let request = hyper::Request::get("http://proxy/v1/models").header("x-a", large);
        let request = request.body(Full::default()).expect("a request");
        let reply = sender.send_request(request).await.expect("a reply");
        assert_eq!(reply.status(), status, "{kilobytes}");
        let body = reply
            .into_body()
            .collect()
            .await
            .expect("a body")
            .to_bytes();
        let is_coded = String::from_utf8_lossy(&body).contains("mask_invalid_request");
        assert_eq!(is_coded, status == 431, "{kilobytes}");
    }
    let errors = proxy.audited("proxy.error", 1).await;
    assert_eq!(errors[0]["error_type"], "HeadTooLarge");
}

/// A cut reply must not look finished over HTTP/2 either.
#[tokio::test]
async fn a_cut_reply_resets_the_http2_stream() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let sender = by_prior_knowledge(&proxy).await;
    let text = Values::of(73).to_string();
    for cut in [
        Misbehaviour::HalfTokenThenClose,
        Misbehaviour::HalfTokenThenReset,
        Misbehaviour::MalformedChunk,
    ] {
        let reply = post(&sender, Schema::ChatStyle, cut.name(), &text).await;
        assert!(reply.is_err(), "{cut:?}: {reply:?}");
    }
    assert!(
        post(&sender, Schema::ChatStyle, "echo", &text)
            .await
            .is_ok(),
        "the connection goes on"
    );
}
