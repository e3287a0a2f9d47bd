//! What becomes of a request, by its head.

use std::borrow::Cow;

use engine::Schema;
use engine::route::{Own, Route, is_upload_form};
use http::header::{HeaderValue, UPGRADE};
use http::{Method, Request};
use http_body::Body;

use super::context::Shared;
use super::headers;
use super::rules::{self, Head};
use crate::config::Unrouted;

/// What becomes of a request.
#[derive(Debug)]
pub(super) enum Handling {
    /// The proxy answers it.
    Own(Own),
    /// It asks for a WebSocket.
    RefusedUpgrade,
    /// The proxy's mode does not serve it.
    NotServed,
    /// Its path has no route, and may not be forwarded.
    Blocked,
    Masked(Route),
    /// It is forwarded unchanged, and scanned.
    Shadowed(Route),
    /// Its path has no route, and it is forwarded unchanged.
    Relayed,
}

impl Handling {
    pub(super) fn of(shared: &Shared, request: &Request<impl Body>) -> Self {
        let path = request.uri().path();
        if is_upgrade(request) {
            return Self::RefusedUpgrade;
        }
        // Whatever the method: these paths are never forwarded.
        if let Some(own) = Own::at(path) {
            return Self::Own(own);
        }
        if request.method() == Method::CONNECT {
            return Self::NotServed;
        }
        match routed(shared, path) {
            Some(route) if shared.outbound.is_gateway() && !is_served(request, &route) => {
                Self::NotServed
            }
            Some(route) => Self::routed(shared, request, route),
            None => Self::unrouted(shared, request),
        }
    }

    fn routed(shared: &Shared, request: &Request<impl Body>, route: Route) -> Self {
        let head = Head {
            target: headers::target(request.uri()),
            headers: request.headers(),
            route: &route,
        };
        if rules::is_shadow(shared, head) {
            Self::Shadowed(route)
        } else {
            Self::Masked(route)
        }
    }

    fn unrouted(shared: &Shared, request: &Request<impl Body>) -> Self {
        let path = request.uri().path();
        if let Some(own) = Own::however_spelled(path) {
            return Self::Own(own);
        }
        if shared.outbound.is_gateway() {
            return Self::NotServed;
        }
        match shared.unrouted {
            Unrouted::Refuse => Self::Blocked,
            Unrouted::Mask if has_prompt(request) || asks_with_value(shared, request) => {
                let path = shared.engine.shown_path(path);
                Self::routed(shared, request, Route::new(&path, Schema::Generic))
            }
            Unrouted::Forward | Unrouted::Mask => Self::Relayed,
        }
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

/// Whether gateway mode serves a request to a route: its one URL can't count tokens or compact.
fn is_served(request: &Request<impl Body>, route: &Route) -> bool {
    request.method() == Method::POST && !route.is_auxiliary()
}

/// Whether a request to a path without a route has a body that is not a form of uploads.
fn has_prompt(request: &Request<impl Body>) -> bool {
    let types = headers::content_types(request.headers());
    !request.body().is_end_stream() && !is_upload_form(request.uri().path(), types.as_deref())
}

/// Whether a request to a path without a route has no body, and a value in its query.
fn asks_with_value(shared: &Shared, request: &Request<impl Body>) -> bool {
    let (uri, body) = (request.uri(), request.body());
    let has_query = uri.query().is_some_and(|query| !query.is_empty());
    body.is_end_stream()
        && has_query
        && shared
            .engine
            .revealing_target(headers::target(uri))
            .is_some()
}

/// Whether a request asks for a WebSocket, in the way of either HTTP version.
fn is_upgrade(request: &Request<impl Body>) -> bool {
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
