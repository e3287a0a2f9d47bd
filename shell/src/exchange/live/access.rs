//! Access control for the live page: only the user who opened its link, from this machine, in the
//! page itself.

use std::fmt::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

use http::header::{COOKIE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use http::{Method, Request};
use sha2::{Digest, Sha256};

use crate::base::random;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The cookie of the one who opened the link, up to the port: browsers give a cookie to every port of a host.
const COOKIE_NAME: &str = "maskproxy_live_";

/// The secrets that give access. Only their digests are kept, so that comparisons take constant
/// time.
#[derive(Debug)]
pub(super) struct Access {
    state: Mutex<State>,
    port: OnceLock<u16>,
}

#[derive(Debug, Default)]
struct State {
    /// Of the link, until it is used.
    link: Option<[u8; 32]>,
    cookie: Option<[u8; 32]>,
}

impl Access {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::default(),
            port: OnceLock::new(),
        }
    }

    /// Creates the link that opens the page on a loopback port. Older links stop working.
    pub(super) fn link(&self, port: u16) -> String {
        let port = *self.port.get_or_init(|| port);
        let secret = secret();
        self.with(|state| state.link = Some(digest(&secret)));
        // After the character that browsers never send.
        format!("http://127.0.0.1:{port}/#{secret}")
    }

    /// Exchanges a link's secret for a cookie, once.
    pub(super) fn open(&self, given: &str) -> Option<HeaderValue> {
        let port = self.port.get()?;
        self.with(|state| {
            state.link.filter(|link| *link == digest(given))?;
            state.link = None;
            let cookie = secret();
            state.cookie = Some(digest(&cookie));
            let cookie = format!("{COOKIE_NAME}{port}={cookie}; HttpOnly; SameSite=Strict; Path=/");
            HeaderValue::from_str(&cookie).ok()
        })
    }

    /// Whether a request has the cookie.
    pub(super) fn is_known(&self, headers: &HeaderMap) -> bool {
        let Some(port) = self.port.get() else {
            return false;
        };
        let name = format!("{COOKIE_NAME}{port}=");
        let known = self.with(|state| state.cookie);
        let cookies = headers.get_all(COOKIE).iter();
        let mut cookies = cookies
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|cookie| cookie.trim().strip_prefix(&*name));
        known.is_some_and(|known| cookies.any(|given| digest(given) == known))
    }

    /// Whether a request comes from the page itself, or opens it: not by another name of this
    /// machine, which anyone can point at it, and not from another site's page.
    pub(super) fn is_own<B>(&self, request: &Request<B>) -> bool {
        let Some(port) = self.port.get() else {
            return false;
        };
        let headers = request.headers();
        let authority = request.uri().authority().map(http::uri::Authority::as_str);
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let Some(host) = host.or(authority).filter(|host| is_loopback(host, *port)) else {
            return false;
        };
        let mut origins = headers.get_all(ORIGIN).iter();
        let has_origin = headers.contains_key(ORIGIN);
        let is_own_origin =
            origins.all(|origin| origin.as_bytes() == format!("http://{host}").as_bytes());
        let is_fetched = headers.get(FETCH_SITE).map(HeaderValue::as_bytes);
        let is_read = request.method() == Method::GET;
        is_own_origin
            && (has_origin || is_read)
            && is_fetched.is_none_or(|site| site == b"same-origin" || site == b"none")
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn is_loopback(host: &str, port: u16) -> bool {
    let names = ["127.0.0.1", "localhost", "[::1]"];
    names.iter().any(|name| host == format!("{name}:{port}"))
}

fn secret() -> String {
    let bytes: [u8; 32] = random::bytes();
    bytes.iter().fold(String::new(), |mut secret, byte| {
        // Writing to a string can't fail.
        let _ = write!(secret, "{byte:02x}");
        secret
    })
}

fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened() -> (Access, String) {
        let access = Access::new();
        let link = access.link(4321);
        let (page, secret) = link.split_once('#').unwrap();
        assert_eq!(page, "http://127.0.0.1:4321/");
        let secret = secret.to_owned();
        (access, secret)
    }

    fn with_cookie(cookie: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_str(cookie).unwrap());
        headers
    }

    #[test]
    fn a_link_opens_the_page_once() {
        let (access, secret) = opened();
        assert!(access.open("").is_none() && access.open("0").is_none());
        let set = access.open(&secret).unwrap();
        let set = set.to_str().unwrap();
        assert!(
            set.ends_with("; HttpOnly; SameSite=Strict; Path=/"),
            "{set}"
        );
        assert!(access.open(&secret).is_none(), "twice");
        let (cookie, _) = set.split_once(';').unwrap();
        assert!(access.is_known(&with_cookie(&format!("a=b; {cookie}"))));
        assert!(!access.is_known(&with_cookie("maskproxy_live_4321=0")));
        assert!(!access.is_known(&with_cookie(&format!("maskproxy_live_4321={secret}"))));
        assert!(!access.is_known(&HeaderMap::new()));
    }

    fn is_own(method: Method, headers: &[(&'static str, &str)]) -> bool {
        let (access, _) = opened();
        let mut request = Request::new(());
        *request.method_mut() = method;
        for (name, value) in headers {
            let value = HeaderValue::from_str(value).unwrap();
            request.headers_mut().insert(*name, value);
        }
        access.is_own(&request)
    }

    #[test]
    fn dns_rebinding_is_refused() {
        for host in ["127.0.0.1:4321", "localhost:4321", "[::1]:4321"] {
            assert!(is_own(Method::GET, &[("host", host)]), "{host}");
        }
        for host in [
            "evil.example:4321",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1.evil.example:4321",
            "",
        ] {
            assert!(!is_own(Method::GET, &[("host", host)]), "{host}");
        }
        assert!(!is_own(Method::GET, &[]));
    }

    #[test]
    fn cross_site_requests_are_refused() {
        let host = ("host", "127.0.0.1:4321");
        let own = ("origin", "http://127.0.0.1:4321");
        assert!(is_own(Method::POST, &[host, own]));
        assert!(is_own(
            Method::GET,
            &[host, own, ("sec-fetch-site", "same-origin")]
        ));
        assert!(is_own(Method::GET, &[host, ("sec-fetch-site", "none")]));
        assert!(!is_own(Method::POST, &[host]));
        for origin in [
            "null",
            "http://evil.example",
            "http://localhost:4321",
            "https://127.0.0.1:4321",
            "http://127.0.0.1:80",
        ] {
            assert!(
                !is_own(Method::POST, &[host, ("origin", origin)]),
                "{origin}"
            );
        }
        assert!(!is_own(
            Method::POST,
            &[host, own, ("origin", "http://evil.example")]
        ));
        for site in ["cross-site", "same-site"] {
            assert!(
                !is_own(Method::GET, &[host, ("sec-fetch-site", site)]),
                "{site}"
            );
        }
    }
}
