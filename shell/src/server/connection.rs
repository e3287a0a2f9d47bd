//! One connection of a client, over HTTP/1.1 or HTTP/2.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpStream;

use super::worker::Serving;
use crate::exchange;

/// How long a client may take for the TLS handshake.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);

/// Serves a connection until either side closes it.
pub(super) async fn serve(serving: &Arc<Serving>, stream: TcpStream) {
    let Some(tls) = &serving.tls else {
        return serve_http(serving, stream).await;
    };
    if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE_TIME, tls.accept(stream)).await {
        serve_http(serving, stream).await;
    } else {
        tracing::debug!("a TLS handshake failed");
    }
}

async fn serve_http<S>(serving: &Arc<Serving>, stream: S)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let answer = service_fn(|request| {
        let serving = Arc::clone(serving);
        // Boxed, because the connection keeps room for it as long as the reply streams.
        Box::pin(
            async move { Ok::<_, Infallible>(exchange::answer(&serving.context, request).await) },
        )
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().pipeline_flush(true);
    builder.http2().enable_connect_protocol();
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), answer));
    let mut stop = serving.stop.clone();
    let ended = tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        () = stop.begun() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if ended.is_err() {
        // The exchange that it cut short has its own record.
        tracing::debug!("a connection ended early");
    }
}
