//! Redirects: a client that follows one must not send its request around the proxy.

/// Whether a client that follows a redirect sends its body again, which is not masked (RFC 9110, 15.4): only a POST
/// becomes a GET with 301 and 302.
#[must_use]
pub fn keeps_body(status: u16, method: &str) -> bool {
    match status {
        307 | 308 => true,
        301 | 302 => method != "POST",
        _ => false,
    }
}

/// A place at the provider, as a client of the proxy finds it: the proxy has the same paths. `None` if it is elsewhere.
/// `provider` is the scheme, host and port that the request was sent to.
#[must_use]
pub fn at_proxy<'l>(location: &'l str, provider: &str) -> Option<&'l str> {
    let location = location.trim();
    let path = match Origin::split(location) {
        Some((origin, path)) => {
            let (provider, _) = Origin::split(provider)?;
            let path = if path.is_empty() { "/" } else { path };
            (origin == provider && path.starts_with('/')).then_some(path)?
        }
        None => location,
    };
    is_path(path).then_some(path)
}

/// A reference without scheme and host (RFC 3986, 4.2).
fn is_path(location: &str) -> bool {
    let before_path = location.split(['/', '?', '#']).next().unwrap_or_default();
    // Browsers read a backslash as a slash, and leave tabs out.
    !location.starts_with("//") && !location.contains(['\\', '\t']) && !before_path.contains(':')
}

/// What a URL names a server by (RFC 6454, section 5).
#[derive(PartialEq, Eq)]
struct Origin {
    is_https: bool,
    host: String,
    port: u16,
}

impl Origin {
    /// The origin of an `http` or `https` URL, and what follows it.
    fn split(url: &str) -> Option<(Self, &str)> {
        let (scheme, rest) = url.split_once("://")?;
        let is_https = scheme.eq_ignore_ascii_case("https");
        if !is_https && !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end)?;
        let server = authority.rsplit_once('@').map_or(authority, |(_, it)| it);
        let (host, port) = match server.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port),
            _ => (server, ""),
        };
        let port = match port {
            "" if is_https => 443,
            "" => 80,
            port => port.parse().ok()?,
        };
        let host = host.to_ascii_lowercase();
        let origin = Self {
            is_https,
            host,
            port,
        };
        Some((origin, path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_to_the_provider_become_redirects_to_the_proxy() {
        for (location, path) in [
            ("http://a.example/base/v1/x?a=b", Some("/base/v1/x?a=b")),
            ("http://A.example:80/v1/x", Some("/v1/x")),
            ("HTTP://user@a.example/v1/x", Some("/v1/x")),
            ("http://a.example", Some("/")),
            ("http://a.example?x=1", None),
            ("/v1/x", Some("/v1/x")),
            (
                "/v1/x?next=http://evil.example/",
                Some("/v1/x?next=http://evil.example/"),
            ),
            (" x/ ", Some("x/")),
            ("https://a.example/v1/x", None),
            ("http://a.example:8080/v1/x", None),
            ("http://a.example:x/v1/x", None),
            ("http://a.example@evil.example/", None),
            ("http://a.example\\@evil.example/", None),
            ("//evil.example/v1", None),
            ("http://a.example//evil.example/v1", None),
            ("http://a.example/\\evil.example/v1", None),
            ("/\t/evil.example/v1", None),
            ("/\\evil.example/v1", None),
            ("ftp://a.example/", None),
            ("http:/evil.example/", None),
        ] {
            let found = at_proxy(location, "http://a.example");
            assert_eq!(found, path, "{location}");
        }
        assert_eq!(at_proxy("https://[::1]/x", "https://[::1]:443"), Some("/x"));
        assert_eq!(at_proxy("https://[::1]:8/x", "https://[::1]"), None);
    }
}
