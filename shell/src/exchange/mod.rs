//! One request and its reply through the proxy.
//!
//! ```text
//! routed    read ─► mask ─► send ─► restore ─► deliver      (masked.rs)
//! unrouted  send as it comes ─► relay as it comes           (passthrough.rs)
//! own       /health, /metrics                               (below)
//! ```

mod context;
mod deliver;
mod headers;
mod heavy;
mod mask;
mod masked;
mod passthrough;
mod read;
mod restore;
#[cfg(test)]
mod tests;
mod trail;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, UPGRADE};
use http::{Method, Request, Response};
use hyper::body::Incoming;

use crate::error;
use crate::metrics;

pub(crate) use context::{Context, Shared};
pub(crate) use deliver::Delivered;

/// Answers one request, by whatever it takes.
pub(crate) async fn answer(context: &Context, request: Request<Incoming>) -> Response<Delivered> {
    let shared = &context.shared;
    if is_upgrade(&request) {
        shared.metrics.count_refused_upgrade();
        return error::upgrade_refused().map(Delivered::Whole);
    }
    let path = request.uri().path();
    match (request.method(), path) {
        // Whatever the method: these paths are never forwarded.
        (_, "/health") => {
            return own(
                "application/json",
                Bytes::from_static(b"{\"status\":\"ok\"}"),
            );
        }
        (_, "/metrics") => {
            let text = shared.metrics.expose(shared.audit.lost());
            return own(metrics::CONTENT_TYPE, text.into());
        }
        (&Method::CONNECT, _) => return error::not_served().map(Delivered::Whole),
        _ => {}
    }
    match shared.routes.find(path) {
        Some(route) => masked::exchange(context, request, route).await,
        None if shared.passthrough_unknown => Box::pin(passthrough::relay(context, request)).await,
        None => passthrough::block(shared, &request),
    }
}

/// Whether a request asks for a WebSocket, in the way of either HTTP version.
fn is_upgrade(request: &Request<Incoming>) -> bool {
    let asks = |value: &HeaderValue| {
        let protocols = value.to_str().unwrap_or_default();
        protocols.split(',').any(|protocol| {
            protocol
                .trim()
                .to_ascii_lowercase()
                .starts_with("websocket")
        })
    };
    request.headers().get_all(UPGRADE).iter().any(asks)
        || request.extensions().get::<hyper::ext::Protocol>().is_some()
}

fn own(content_type: &'static str, body: Bytes) -> Response<Delivered> {
    let mut response = Response::new(Delivered::Whole(body));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
