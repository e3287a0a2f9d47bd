//! One client connection, over HTTP/1.1 or HTTP/2.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use http::{HeaderValue, Request, Response, StatusCode, Version, header};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use super::close_delimited::ResetOnDrop;
use super::head_timeout::{Activity, ExchangeGuard, HeadTimer, OfExchange};
use super::listeners::ListenerKind;
use super::refusal::RefusingConnection;
use super::request_heads::Heads;
use super::worker::Serving;
use crate::base::observed_stream::ObservedStream;
use crate::base::panics::contained;
use crate::exchange::{self, Delivered};
use crate::session::PeerCertificate;

/// How long a client may take for the TLS handshake.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);

/// How every cleartext HTTP/2 connection begins, and no HTTP/1.1 request.
const HTTP2_PREFACE: &[u8] = b"PRI ";

/// How long to wait for more of a preface that came in pieces, and how often: only a limit shows
/// that a client left after the first piece.
const PREFACE_WAIT: Duration = Duration::from_millis(5);
const PREFACE_WAITS: usize = 200;

/// The largest request head over HTTP/2, in bytes: as large as over HTTP/1.1. Up to twice as much
/// is read, so that the client gets an error.
const MAX_HTTP2_HEAD: u32 = 400 << 10;

/// Added for each header besides its name and value (RFC 9113, 6.5.2).
const HEADER_OVERHEAD: usize = 32;

/// Serves a connection until either side closes it.
pub(super) async fn serve(serving: &Arc<Serving>, stream: TcpStream, kind: ListenerKind) {
    // The live page is for this machine alone, which has no name that a certificate could hold.
    if kind != ListenerKind::Live
        && let Some(tls) = serving.settings().tls.clone()
    {
        return Box::pin(serve_tls(serving, tls, stream, kind)).await;
    }
    match before_stop(serving, speaks_http2(&stream)).await {
        Some(true) => Box::pin(serve_http2(serving, stream, kind, None)).await,
        Some(false) => {
            let resets = ResetOnDrop::default();
            let stream = ObservedStream::new(stream, resets.clone());
            serve_http1(serving, stream, kind, None, resets).await;
        }
        None => {}
    }
}

async fn serve_tls(
    serving: &Arc<Serving>,
    tls: TlsAcceptor,
    stream: TcpStream,
    kind: ListenerKind,
) {
    let handshake = tokio::time::timeout(HANDSHAKE_TIME, tls.accept(stream));
    let Some(Ok(Ok(stream))) = before_stop(serving, handshake).await else {
        tracing::debug!("a TLS handshake failed");
        return;
    };
    let session = stream.get_ref().1;
    let chain = session.peer_certificates().unwrap_or_default();
    let peer = chain.first().map(|own| PeerCertificate::of(own));
    if session.alpn_protocol() == Some(b"h2") {
        serve_http2(serving, stream, kind, peer).await;
    } else {
        // TLS signals a proper end by itself.
        serve_http1(serving, stream, kind, peer, ResetOnDrop::default()).await;
    }
}

/// What comes first of a connection; `None` when the proxy stops before that, or others wait for its place.
async fn before_stop<T>(serving: &Serving, first: impl Future<Output = T>) -> Option<T> {
    let mut stop = serving.stop.clone();
    let mut pressure = serving.pressure.clone();
    tokio::select! {
        first = first => Some(first),
        () = stop.begun() => None,
        () = pressure.claims_place() => None,
    }
}

/// Whether a cleartext connection begins with HTTP/2. Consumes no bytes.
async fn speaks_http2(stream: &TcpStream) -> bool {
    let mut begin = [0; HTTP2_PREFACE.len()];
    for _ in 0..PREFACE_WAITS {
        // An error shows again when the connection is read.
        let seen = stream.peek(&mut begin).await.unwrap_or(0);
        let begin = begin.get(..seen).unwrap_or_default();
        if seen == 0 || !HTTP2_PREFACE.starts_with(begin) {
            return false;
        }
        if seen == HTTP2_PREFACE.len() {
            return true;
        }
        tokio::time::sleep(PREFACE_WAIT).await;
    }
    false
}

async fn serve_http1<S>(
    serving: &Arc<Serving>,
    stream: S,
    kind: ListenerKind,
    peer: Option<PeerCertificate>,
    resets: ResetOnDrop,
) where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin,
{
    let activity = Activity::default();
    let service = service_fn(|request: Request<Incoming>| {
        if request.version() == Version::HTTP_10 {
            resets.set(true);
        }
        let exchange = activity.begin_exchange();
        answer(serving, kind, peer, request, exchange)
    });
    // Flushed after every write: `pipeline_flush` would keep a reply back for as long as anything
    // else has been received.
    let stream = ObservedStream::new(stream, activity.clone());
    let refuse = |status| serving.settings().context.head_refused(status);
    let stream = TokioIo::new(RefusingConnection::new(stream, activity.clone(), refuse));
    let connection = pin!(http1::Builder::new().serve_connection(stream, service));
    let head_timer = HeadTimer::with(activity.clone());
    let close = http1::Connection::graceful_shutdown;
    let is_idle = || activity.is_idle();
    match until_stopped(serving, connection, head_timer, is_idle, close).await {
        Some(Ok(())) => resets.set(false),
        // The bare status was sent after an earlier reply, or not at all.
        Some(Err(error)) if error.is_parse() && !activity.has_refused_head() => {
            let settings = serving.settings();
            settings
                .context
                .head_refused(if error.is_parse_too_large() {
                    StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE
                } else {
                    StatusCode::BAD_REQUEST
                });
        }
        _ => {}
    }
}

async fn serve_http2<S>(
    serving: &Arc<Serving>,
    stream: S,
    kind: ListenerKind,
    peer: Option<PeerCertificate>,
) where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin,
{
    let of_streams = Arc::clone(serving);
    let activity = Activity::default();
    let service = service_fn(move |request| {
        let exchange = activity.begin_exchange();
        answer(&of_streams, kind, peer, request, exchange)
    });
    // Many concurrent streams, of which only one can be in its head.
    let heads = Activity::default();
    let stream = ObservedStream::new(stream, Heads::new(heads.clone()));
    let connection = pin!(
        http2::Builder::new(TokioExecutor::new())
            .enable_connect_protocol()
            .max_header_list_size(2 * MAX_HTTP2_HEAD)
            .serve_connection(TokioIo::new(stream), service)
    );
    let close = http2::Connection::graceful_shutdown;
    // It does not cut running streams.
    let may_close = || true;
    until_stopped(
        serving,
        connection,
        HeadTimer::with(heads),
        may_close,
        close,
    )
    .await;
}

/// Boxed, because a connection keeps room for it as long as a reply streams.
fn answer(
    serving: &Arc<Serving>,
    kind: ListenerKind,
    peer: Option<PeerCertificate>,
    mut request: Request<Incoming>,
    exchange: ExchangeGuard,
) -> Pin<Box<impl Future<Output = Result<Response<OfExchange<Delivered>>, Infallible>> + use<>>> {
    let settings = serving.settings();
    let pressure = serving.pressure.clone();
    let mut stop = serving.stop.clone();
    Box::pin(async move {
        if let Some(peer) = peer {
            request.extensions_mut().insert(peer);
        }
        let context = &settings.context;
        let is_http1 = request.version() <= Version::HTTP_11;
        let mut reply = if has_too_large_head(&request) {
            let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
            context.head_refused(status).map(Delivered::Whole)
        } else {
            let answered = match kind {
                ListenerKind::Proxy => contained(pin!(exchange::answer(context, request))).await,
                ListenerKind::Guardrail => {
                    // Large, and kept out of every exchange's future.
                    let mut answered = Box::pin(exchange::answer_gateway(context, request));
                    contained(answered.as_mut()).await
                }
                ListenerKind::Live => {
                    let stopped = async move { stop.begun().await };
                    let mut answered = Box::pin(exchange::answer_live(context, request, stopped));
                    contained(answered.as_mut()).await
                }
            };
            answered
                .unwrap_or_else(|panicked| context.stopped(panicked.into()).map(Delivered::Whole))
        };
        if is_http1 && pressure.is_on() {
            let close = HeaderValue::from_static("close");
            reply.headers_mut().insert(header::CONNECTION, close);
        }
        Ok(reply.map(|body| OfExchange::new(body, is_http1, exchange)))
    })
}

fn has_too_large_head(request: &Request<Incoming>) -> bool {
    // Over HTTP/1.1 the library refuses it.
    if request.version() != Version::HTTP_2 {
        return false;
    }
    let target = request.uri().path_and_query();
    let target = target.map_or(0, |target| target.as_str().len());
    let headers = request.headers().iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + HEADER_OVERHEAD);
    headers.sum::<usize>() + target > MAX_HTTP2_HEAD as usize
}

/// Serves until the connection closes; asks it to when the proxy stops, and when others wait for its place
/// and it `may_close`. How it ended; `None` when it
/// is to be cut because patience is over.
async fn until_stopped<C>(
    serving: &Serving,
    mut connection: Pin<&mut C>,
    mut head_timer: HeadTimer,
    may_close: impl Fn() -> bool,
    close: impl FnOnce(Pin<&mut C>),
) -> Option<hyper::Result<()>>
where
    C: Future<Output = hyper::Result<()>>,
{
    let mut stop = serving.stop.clone();
    let mut begun = pin!(stop.begun());
    let mut pressure = serving.pressure.clone();
    let mut pressed = pin!(pressure.claims_place());
    let mut is_pressed = false;
    let mut close = Some(close);
    let ended = poll_fn(|cx| {
        is_pressed = is_pressed || pressed.as_mut().poll(cx).is_ready();
        if close.is_some()
            && (begun.as_mut().poll(cx).is_ready() || is_pressed && may_close())
            && let Some(close) = close.take()
        {
            close(connection.as_mut());
        }
        match connection.as_mut().poll(cx) {
            Poll::Ready(ended) => Poll::Ready(Some(ended)),
            Poll::Pending => head_timer.poll_over(cx).map(|()| None),
        }
    });
    let ended = ended.await;
    if !matches!(ended, Some(Ok(()))) {
        // The exchange that it cut short has its own record.
        tracing::debug!("a connection ended early");
    }
    ended
}
