//! One request and its reply through the proxy.
//!
//! ```text
//! routed    read ─► mask ─► send ─► restore ─► deliver      (masked.rs)
//! unrouted  send as it comes ─► relay as it comes           (passthrough.rs)
//! shadow    send as it comes ─► relay as it comes, detect beside it  (shadow.rs)
//! own       /health, /ready, /metrics                       (below)
//! gateways  mask ─► answer, restore ─► answer               (guardrail/)
//! live page shows what was recorded                        (live/)
//! ```

mod context;
mod deliver;
mod guardrail;
mod headers;
mod heavy;
mod live;
mod mask;
mod masked;
mod observed;
mod outbound;
mod passthrough;
mod passthrough_trail;
mod read;
mod read_ahead;
mod reply_links;
mod report;
mod restore;
mod rules;
mod shadow;
#[cfg(test)]
mod tests;
mod trail;

use std::borrow::Cow;

use bytes::Bytes;
use engine::Schema;
use engine::route::{Own, Route, is_upload};
use http::header::{CONTENT_TYPE, HeaderValue, UPGRADE};
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use hyper::body::Incoming;

use crate::config::Unrouted;
use crate::metrics;
use rules::Head;

pub(crate) use context::{Context, ProcessState, Shared};
pub(crate) use deliver::Delivered;
pub(crate) use guardrail::answer_gateway;
pub(crate) use live::{Recorder, answer_live};
pub(crate) use observed::{ExchangeCounts, Notice, Observed};

/// Answers one request, by whatever it takes.
pub(crate) async fn answer(
    context: &Context,
    mut request: Request<Incoming>,
) -> Response<Delivered> {
    let shared = &context.shared;
    let path = request.uri().path();
    // Whatever the method: these paths are never forwarded.
    if !is_upgrade(&request)
        && let Some(own) = Own::at(path)
    {
        return answer_own(shared, own).await;
    }
    shared.observed.request();
    if is_upgrade(&request) {
        return passthrough::refuse_upgrade(shared, &mut request);
    }
    if request.method() == Method::CONNECT {
        return passthrough::not_served(shared, &mut request);
    }
    match routed(shared, path) {
        Some(route) if shared.outbound.is_gateway() && !is_served(&request, &route) => {
            passthrough::not_served(shared, &mut request)
        }
        Some(route) => routed_exchange(context, request, route).await,
        None => Box::pin(unrouted(context, request)).await,
    }
}

/// The route of a client's path, or of the path that it has at the provider.
fn routed(shared: &Shared, path: &str) -> Option<Route> {
    let at_provider = || match shared.outbound.path(path) {
        Cow::Borrowed(_) => None,
        Cow::Owned(path) => shared.routes.find(&path),
    };
    shared.routes.find(path).or_else(at_provider)
}

/// Masks the exchange, or only scans it.
async fn routed_exchange(
    context: &Context,
    request: Request<Incoming>,
    route: Route,
) -> Response<Delivered> {
    let head = Head {
        target: headers::target(request.uri()),
        headers: request.headers(),
        route: &route,
    };
    if rules::is_shadow(&context.shared, head) {
        return Box::pin(shadow::exchange(context, request, route)).await;
    }
    masked::exchange(context, request, route).await
}

/// Whether gateway mode serves a request to a route: its one URL can't count tokens or compact.
fn is_served(request: &Request<Incoming>, route: &Route) -> bool {
    request.method() == Method::POST && !route.is_auxiliary()
}

async fn unrouted(context: &Context, mut request: Request<Incoming>) -> Response<Delivered> {
    let shared = &context.shared;
    if let Some(own) = Own::however_spelled(request.uri().path()) {
        return answer_own(shared, own).await;
    }
    if shared.outbound.is_gateway() {
        return passthrough::not_served(shared, &mut request);
    }
    match shared.unrouted {
        Unrouted::Refuse => passthrough::block(shared, &mut request),
        Unrouted::Mask if has_prompt(&request) || asks_with_value(shared, &request) => {
            let path = shared.engine.shown_path(request.uri().path());
            routed_exchange(context, request, Route::new(&path, Schema::Generic)).await
        }
        Unrouted::Forward | Unrouted::Mask => passthrough::relay(context, request).await,
    }
}

/// Whether a request to a path without a route has a body that is not an upload.
fn has_prompt(request: &Request<Incoming>) -> bool {
    let types = headers::content_types(request.headers());
    !request.body().is_end_stream() && !is_upload(request.uri().path(), types.as_deref())
}

/// Whether a request to a path without a route has no body, and a value in its query.
fn asks_with_value(shared: &Shared, request: &Request<Incoming>) -> bool {
    let (uri, body) = (request.uri(), request.body());
    let has_query = uri.query().is_some_and(|query| !query.is_empty());
    body.is_end_stream()
        && has_query
        && shared
            .engine
            .revealing_target(headers::target(uri))
            .is_some()
}

async fn answer_own(shared: &Shared, own: Own) -> Response<Delivered> {
    const JSON: &str = "application/json";
    let (status, content_type, body) = match own {
        Own::Health => (
            StatusCode::OK,
            JSON,
            Bytes::from_static(b"{\"status\":\"ok\"}"),
        ),
        // It waits for the vault, and is asked seldom: kept out of every exchange's future.
        Own::Ready => match Box::pin(shared.sessions.check_vault()).await {
            Ok(()) => (
                StatusCode::OK,
                JSON,
                Bytes::from_static(b"{\"status\":\"ready\"}"),
            ),
            Err(error) => (
                StatusCode::SERVICE_UNAVAILABLE,
                JSON,
                format!("{{\"status\":\"{}\"}}", error.class()).into(),
            ),
        },
        Own::Metrics => {
            shared.count_lost();
            let text = shared.metrics.expose().into();
            (StatusCode::OK, metrics::CONTENT_TYPE, text)
        }
    };
    let mut response = Response::new(Delivered::Whole(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
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
