//! Redirects: a client that follows one must not send its request around the proxy.

use http::header::LOCATION;
use http::{HeaderValue, Method, StatusCode, response};

use super::outbound::Outbound;
use crate::config::{BaseUrl, Mode, Origin};

/// Makes a redirect within the provider one within the proxy, which has the same paths. Returns whether the client stays
/// at the proxy.
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

/// Whether a client that follows a redirect sends its body again, which is not masked (RFC 9110, 15.4): only a POST
/// becomes a GET with 301 and 302.
pub(super) fn keeps_body(status: StatusCode, method: &Method) -> bool {
    match status {
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => true,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => method != Method::POST,
        _ => false,
    }
}

/// A place at the provider, as a client of the proxy finds it; `None` if it is elsewhere.
fn at_proxy(outbound: &Outbound, location: &HeaderValue) -> Option<HeaderValue> {
    let Mode::Transparent { upstream } = &outbound.mode else {
        return None;
    };
    let location = location.to_str().ok()?.trim();
    let path = match Origin::parse(location) {
        Some(origin) => path_at(upstream, &origin, location)?,
        None => location,
    };
    HeaderValue::from_str(path).ok().filter(|_| is_path(path))
}

/// What follows the provider's own origin in a URL.
fn path_at<'u>(upstream: &BaseUrl, origin: &Origin, url: &'u str) -> Option<&'u str> {
    let (_, rest) = url.split_once("://")?;
    let path = rest.find(['/', '?', '#']).and_then(|at| rest.get(at..));
    let path = path.filter(|path| path.starts_with('/'));
    (origin.is_same(upstream.origin())).then_some(path.unwrap_or("/"))
}

/// A reference without scheme and host (RFC 3986, 4.2).
fn is_path(location: &str) -> bool {
    let before_path = location.split(['/', '?', '#']).next().unwrap_or_default();
    // Browsers read a backslash as a slash, and leave tabs out.
    !location.starts_with("//") && !location.contains(['\\', '\t']) && !before_path.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Credentials;

    fn outbound() -> Outbound {
        Outbound {
            mode: Mode::Transparent {
                upstream: BaseUrl::parse("http://a.example/base").expect("a URL"),
            },
            credentials: Credentials {
                forward_client: true,
                held: None,
            },
            added: Vec::new(),
        }
    }

    #[test]
    fn a_redirect_within_the_provider_is_one_within_the_proxy() {
        for (location, path) in [
            ("http://a.example/base/v1/x?a=b", Some("/base/v1/x?a=b")),
            ("http://A.example:80/v1/x", Some("/v1/x")),
            ("http://a.example", Some("/")),
            ("/v1/x", Some("/v1/x")),
            ("x/", Some("x/")),
            ("https://a.example/v1/x", None),
            ("http://a.example:8080/v1/x", None),
            ("http://a.example@evil.example/", None),
            ("//evil.example/v1", None),
            ("http://a.example//evil.example/v1", None),
            ("http://a.example/\\evil.example/v1", None),
            ("/\t/evil.example/v1", None),
            ("/\\evil.example/v1", None),
            ("ftp://a.example/", None),
        ] {
            let found = at_proxy(&outbound(), &HeaderValue::from_static(location));
            let found = found.as_ref().map(|path| path.to_str().expect("text"));
            assert_eq!(found, path, "{location}");
        }
    }
}
