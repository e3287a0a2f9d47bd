//! Redirects: a client that follows one must not send its request around the proxy.

use engine::route::redirect;
use http::header::LOCATION;
use http::{HeaderValue, Method, StatusCode, response};

use super::outbound::Outbound;
use crate::config::Mode;

/// Makes a redirect within the provider one within the proxy. Returns whether the client stays at the proxy.
pub(super) fn keep_at_proxy(outbound: &Outbound, head: &mut response::Parts) -> bool {
    let Some(location) = head.headers.get(LOCATION) else {
        return true;
    };
    let path = at_proxy(outbound, location);
    let is_at_proxy = path.is_some();
    if let Some(path) = path {
        head.headers.insert(LOCATION, path);
    }
    is_at_proxy
}

/// Whether a client that follows a redirect sends its body again.
pub(super) fn keeps_body(status: StatusCode, method: &Method) -> bool {
    redirect::keeps_body(status.as_u16(), method.as_str())
}

fn at_proxy(outbound: &Outbound, location: &HeaderValue) -> Option<HeaderValue> {
    let Mode::Transparent { upstream } = &outbound.mode else {
        return None;
    };
    let path = redirect::at_proxy(location.to_str().ok()?, &upstream.origin().url())?;
    HeaderValue::from_str(path).ok()
}
