//! The provider over TLS: HTTP/2 and HTTP/1.1, whichever is agreed on.

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use super::record::Recorded;
use super::script::Turn;
use super::wire::Schema;
use super::{Content, Response, State};
use crate::http1::Head;

/// The model that requests it: over HTTP/2 the first request is refused, the next ones are
/// answered.
const REFUSED_ONCE: &str = "refused-once";

/// The path whose reply has 48 KB of headers.
const LARGE_HEAD: &str = "/large-head";

type Pieces = Vec<Result<Frame<Bytes>, Infallible>>;

/// A certificate for `localhost` and `provider.test`, made now, and what serves with it.
pub(super) fn identity() -> (TlsAcceptor, String) {
    let made =
        rcgen::generate_simple_self_signed(["localhost".to_owned(), "provider.test".to_owned()])
            .expect("a certificate");
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("known versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .expect("a key that fits");
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    (TlsAcceptor::from(Arc::new(config)), made.cert.pem())
}

pub(super) async fn accept(listener: TcpListener, acceptor: TlsAcceptor, state: Arc<State>) {
    while let Ok((stream, _)) = listener.accept().await {
        state.connections.fetch_add(1, Ordering::Relaxed);
        let (acceptor, state) = (acceptor.clone(), Arc::clone(&state));
        tokio::spawn(async move {
            let stream = acceptor.accept(stream).await.ok()?;
            let service = service_fn(move |request| answer(request, Arc::clone(&state)));
            let server = auto::Builder::new(TokioExecutor::new());
            server
                .serve_connection(TokioIo::new(stream), service)
                .await
                .ok()
        });
    }
}

async fn answer(
    request: hyper::Request<Incoming>,
    state: Arc<State>,
) -> Result<
    hyper::Response<impl hyper::body::Body<Data = Bytes, Error = Infallible> + use<>>,
    Box<dyn Error + Send + Sync>,
> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let target = parts
        .uri
        .path_and_query()
        .map_or("", |target| target.as_str());
    let headers = parts.headers.iter().map(|(name, value)| {
        (
            name.to_string(),
            String::from_utf8_lossy(value.as_bytes()).into_owned(),
        )
    });
    let head = Head {
        raw: format!("{:?}", parts.headers).into_bytes(),
        start: [
            parts.method.to_string(),
            target.to_owned(),
            format!("{:?}", parts.version),
        ],
        headers: headers.collect(),
    };
    let recorded = Recorded::new(head, body.into());
    state.log.add(recorded.clone());
    if recorded.text().contains(REFUSED_ONCE) && !state.refused.swap(true, Ordering::Relaxed) {
        return Err(h2::Error::from(h2::Reason::REFUSED_STREAM).into());
    }
    let schema = Schema::of_path(recorded.path());
    let turn = schema.and_then(|schema| Turn::read(schema, &recorded, &state.held));
    let response = turn.map_or_else(|| unrouted(recorded), |turn| turn.respond());
    Ok(framed(&response))
}

fn unrouted(request: Recorded) -> Response {
    let has_large_head = request.path() == LARGE_HEAD;
    let mirrored = Content::Whole(request.body);
    let response = Response::new(200, "application/octet-stream", mirrored);
    if has_large_head {
        return response.with("x-large", &"a".repeat(48 << 10));
    }
    response
}

fn framed(
    response: &Response,
) -> hyper::Response<impl hyper::body::Body<Data = Bytes, Error = Infallible> + use<>> {
    let pieces = match &response.body {
        Content::Whole(bytes) => vec![bytes.clone()],
        Content::Pieces(pieces) => pieces.clone(),
    };
    let pieces: Pieces = pieces
        .into_iter()
        .map(|piece| Ok(Frame::data(piece.into())))
        .collect();
    let mut framed = hyper::Response::builder().status(response.status);
    for (name, value) in &response.headers {
        framed = framed.header(name, value);
    }
    let body = StreamBody::new(futures_util::stream::iter(pieces));
    framed.body(body).expect("proper headers")
}
