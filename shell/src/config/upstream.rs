//! The address to forward to.

use std::borrow::Cow;
use std::fmt;

use http::Uri;
use http::uri::{Authority, PathAndQuery, Scheme};

/// Scheme, host and port of a URL. A path or a user in it does not count.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    scheme: Scheme,
    authority: Authority,
}

impl Origin {
    /// Reads an `http` or `https` URL.
    pub(crate) fn parse(url: &str) -> Option<Self> {
        let uri: Uri = url.trim().parse().ok()?;
        let scheme = uri.scheme()?.clone();
        if scheme != Scheme::HTTP && scheme != Scheme::HTTPS {
            return None;
        }
        let authority = uri.authority()?;
        if authority.host().is_empty() {
            return None;
        }
        let without_user = match authority.as_str().rsplit_once('@') {
            Some((_, host)) => host.parse().ok()?,
            None => authority.clone(),
        };
        Some(Self {
            scheme,
            authority: without_user,
        })
    }

    /// Whether connections are encrypted.
    pub(crate) fn is_https(&self) -> bool {
        self.scheme == Scheme::HTTPS
    }

    /// The host as a name or address, without brackets and port.
    pub(crate) fn host(&self) -> &str {
        self.authority
            .host()
            .trim_start_matches('[')
            .trim_end_matches(']')
    }

    /// The port, by the scheme where none is given.
    pub(crate) fn port(&self) -> u16 {
        let standard = if self.is_https() { 443 } else { 80 };
        self.authority.port_u16().unwrap_or(standard)
    }

    /// As a URL, with no path.
    pub(crate) fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.authority)
    }

    /// Host and port, as in the `Host` header.
    pub(crate) fn authority(&self) -> &str {
        self.authority.as_str()
    }

    /// The absolute URI of a path at this origin.
    pub(crate) fn at(&self, path: PathAndQuery) -> Uri {
        let mut parts = http::uri::Parts::default();
        parts.scheme = Some(self.scheme.clone());
        parts.authority = Some(self.authority.clone());
        parts.path_and_query = Some(path);
        // Complete parts always make a URI.
        Uri::from_parts(parts).unwrap_or_default()
    }
}

/// Where transparent mode forwards to: an origin, and the path that goes before the clients' paths.
#[derive(Debug, Clone)]
pub(crate) struct BaseUrl {
    origin: Origin,
    /// Begins with a slash and ends without one, or is empty.
    path: String,
}

impl BaseUrl {
    /// Reads an `http` or `https` URL. A user or a query in it does not count.
    pub(crate) fn parse(url: &str) -> Option<Self> {
        let uri: Uri = url.trim().parse().ok()?;
        Some(Self {
            origin: Origin::parse(url)?,
            path: uri.path().trim_end_matches('/').to_owned(),
        })
    }

    /// Its scheme, host and port.
    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Its path; empty where it has none.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// A client's path after the base. Segments at the end of the base and the beginning of the
    /// client's path are used once: `/openai/v1` and `/v1/responses` give `/openai/v1/responses`. A
    /// path that already has the whole base stays as it is.
    pub(crate) fn join<'a>(&self, path: &'a str) -> Cow<'a, str> {
        if self.path.is_empty() {
            return Cow::Borrowed(path);
        }
        let starts = self
            .path
            .match_indices('/')
            .map(|(at, _)| self.path.split_at(at));
        let overlap = starts.into_iter().find(|(_, end)| begins_with(path, end));
        match overlap {
            Some(("", _)) => Cow::Borrowed(path),
            Some((before, _)) => Cow::Owned(format!("{before}{path}")),
            None => Cow::Owned(format!("{}{path}", self.path)),
        }
    }
}

/// Whether a path begins with these segments.
fn begins_with(path: &str, segments: &str) -> bool {
    let rest = path.strip_prefix(segments);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The one URL that every request of gateway mode goes to. Its `Debug` shows the origin only: the query
/// may hold a key.
#[derive(Clone)]
pub(crate) struct FixedUrl {
    origin: Origin,
    path: PathAndQuery,
}

impl FixedUrl {
    /// Reads an `http` or `https` URL. A user in it does not count.
    pub(crate) fn parse(url: &str) -> Option<Self> {
        let uri: Uri = url.trim().parse().ok()?;
        Some(Self {
            origin: Origin::parse(url)?,
            path: uri
                .path_and_query()
                .cloned()
                .unwrap_or_else(|| PathAndQuery::from_static("/")),
        })
    }

    /// Its scheme, host and port.
    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Its path and query.
    pub(crate) fn path_and_query(&self) -> &PathAndQuery {
        &self.path
    }
}

impl fmt::Debug for FixedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FixedUrl")
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_keeps_only_scheme_host_and_port() {
        let origin = Origin::parse("https://user:pw@[::1]:8443/v1?x").unwrap();
        assert!(origin.is_https());
        assert_eq!(origin.host(), "::1");
        assert_eq!(origin.authority(), "[::1]:8443");
        assert_eq!(
            origin.at(PathAndQuery::from_static("/a?b")),
            "https://[::1]:8443/a?b"
        );
    }

    /// Case P4: the path was dropped.
    #[test]
    fn a_base_path_goes_before_the_clients_path_once() {
        for (base, path, joined) in [
            ("http://h", "/v1/models", "/v1/models"),
            ("http://h/", "/v1/models", "/v1/models"),
            (
                "http://h/openai/v1",
                "/v1/responses",
                "/openai/v1/responses",
            ),
            ("http://h/openai/v1/", "/responses", "/openai/v1/responses"),
            (
                "http://h/openai/v1",
                "/openai/v1/responses",
                "/openai/v1/responses",
            ),
            ("http://h/openai/v1", "/v1", "/openai/v1"),
            (
                "http://h/openai/v1",
                "/v1x/responses",
                "/openai/v1/v1x/responses",
            ),
            ("http://h/openai", "/v1/responses", "/openai/v1/responses"),
            ("http://h/a", "/", "/a/"),
        ] {
            assert_eq!(
                BaseUrl::parse(base).unwrap().join(path),
                joined,
                "{base} {path}"
            );
        }
    }

    #[test]
    fn a_fixed_url_keeps_path_and_query() {
        let url = FixedUrl::parse("https://u:p@a.example:81/v1/chat?key=1").unwrap();
        assert_eq!(url.origin().authority(), "a.example:81");
        assert_eq!(url.path_and_query(), "/v1/chat?key=1");
        let bare = FixedUrl::parse("http://a.example").unwrap();
        assert_eq!(bare.path_and_query(), "/");
    }

    #[test]
    fn other_schemes_and_missing_hosts_are_refused() {
        for url in [
            "",
            "localhost:8000",
            "/v1",
            "ftp://x",
            "http://",
            "http:///v1",
        ] {
            assert!(Origin::parse(url).is_none(), "{url}");
        }
    }
}
