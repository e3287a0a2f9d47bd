//! The configuration of requests to the provider.

use std::borrow::Cow;

use engine::Schema;
use engine::route::{KeyHeader, without_credentials};
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue, Uri};

use super::headers;
use crate::config::{Credentials, FixedUrl, Mode};

/// Where requests go, with which key and headers.
#[derive(Debug)]
pub(super) struct Outbound {
    pub(super) mode: Mode,
    pub(super) credentials: Credentials,
    /// Set on every request.
    pub(super) added: Vec<(HeaderName, HeaderValue)>,
}

impl Outbound {
    /// Whether every request goes to one fixed URL.
    pub(super) fn is_gateway(&self) -> bool {
        matches!(self.mode, Mode::Gateway { .. })
    }

    /// Makes a client's headers those of the request to the provider, which asks for `asked`. `schema` is the
    /// route's.
    pub(super) fn prepare(&self, headers: &mut HeaderMap, asked: &Uri, schema: Option<Schema>) {
        let place = self.key_header(headers, asked, schema);
        headers::to_provider(headers);
        if self.is_gateway() {
            headers::drop_identity(headers);
        } else if !self.credentials.forward_client {
            headers::drop_credentials(headers);
        }
        if let Some(held) = &self.credentials.held {
            headers::authenticate(headers, held, place);
        }
        if schema == Some(Schema::MessagesStyle) {
            headers::default_version(headers);
        }
        for (name, value) in &self.added {
            headers.insert(name, value.clone());
        }
    }

    /// Where a request to this path and query goes; `None` if it goes there unchanged.
    pub(super) fn target(&self, asked: &Uri) -> Option<Uri> {
        let query = asked.query().map(|query| {
            if self.drops_credentials() {
                without_credentials(query)
            } else {
                query.into()
            }
        });
        match &self.mode {
            Mode::Transparent { upstream } => {
                let path = upstream.join(asked.path());
                let is_same = path == asked.path() && query.as_deref() == asked.query();
                let target = match query {
                    Some(query) if !query.is_empty() => format!("{path}?{query}"),
                    _ => path.into_owned(),
                };
                if is_same { None } else { target.parse().ok() }
            }
            Mode::Gateway { url, .. } => Some(with_query(url, query.as_deref()).into()),
        }
    }

    /// The path at the provider.
    pub(super) fn path<'a>(&self, asked: &'a str) -> Cow<'a, str> {
        match &self.mode {
            Mode::Transparent { upstream } => upstream.join(asked),
            Mode::Gateway { .. } => asked.into(),
        }
    }

    /// Whether what the client authenticates with ends here.
    fn drops_credentials(&self) -> bool {
        self.is_gateway() || !self.credentials.forward_client || self.credentials.held.is_some()
    }

    /// Where a configured key goes. The clients' headers say nothing about a gateway's provider.
    fn key_header(&self, headers: &HeaderMap, asked: &Uri, schema: Option<Schema>) -> KeyHeader {
        match &self.mode {
            Mode::Gateway {
                is_messages_style: true,
                ..
            } => KeyHeader::Anthropic,
            Mode::Gateway { url, .. } => KeyHeader::of_path(url.path_and_query().path()),
            Mode::Transparent { .. } => {
                let query = asked.query().unwrap_or_default();
                KeyHeader::of_request(headers::pairs(headers), asked.path(), query, schema)
            }
        }
    }
}

/// The fixed URL, its own query first.
fn with_query(url: &FixedUrl, query: Option<&str>) -> PathAndQuery {
    let fixed = url.path_and_query();
    let Some(query) = query.filter(|query| !query.is_empty()) else {
        return fixed.clone();
    };
    let separator = if fixed.query().is_some() { '&' } else { '?' };
    // Both were parsed before, so what they make together parses.
    format!("{fixed}{separator}{query}")
        .parse()
        .unwrap_or_else(|_| fixed.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{BaseUrl, HeldKey};

    fn held() -> HeldKey {
        HeldKey {
            bearer: HeaderValue::from_static("Bearer own"),
            plain: HeaderValue::from_static("own"),
        }
    }

    fn transparent(credentials: Credentials) -> Outbound {
        Outbound {
            mode: Mode::Transparent {
                upstream: BaseUrl::parse("http://a.example").unwrap(),
            },
            credentials,
            added: Vec::new(),
        }
    }

    fn gateway(url: &str, credentials: Credentials, is_messages_style: bool) -> Outbound {
        Outbound {
            mode: Mode::Gateway {
                url: FixedUrl::parse(url).unwrap(),
                is_messages_style,
            },
            ..transparent(credentials)
        }
    }

    fn credentials(forward_client: bool, held: Option<HeldKey>) -> Credentials {
        Credentials {
            forward_client,
            held,
        }
    }

    fn sent(outbound: &Outbound, schema: Option<Schema>) -> Vec<(String, String)> {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("authorization", "Bearer client"),
            ("x-api-key", "client"),
            ("cookie", "client"),
            ("anthropic-beta", "b"),
            ("anthropic-version", "2026-10-21"),
        ] {
            headers.append(name, HeaderValue::from_static(value));
        }
        outbound.prepare(&mut headers, &Uri::from_static("/v1"), schema);
        let mut sent: Vec<_> = headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        sent.sort();
        sent
    }

    fn names(sent: &[(String, String)]) -> Vec<&str> {
        sent.iter().map(|(name, _)| name.as_str()).collect()
    }

    #[test]
    fn the_clients_key_is_relayed_unless_that_is_off() {
        let on = sent(&transparent(credentials(true, None)), None);
        assert!(on.contains(&("x-api-key".into(), "client".into())));
        assert!(on.contains(&("authorization".into(), "Bearer client".into())));

        let off = sent(&transparent(credentials(false, None)), None);
        assert_eq!(
            names(&off),
            ["anthropic-beta", "anthropic-version", "cookie"]
        );
    }

    #[test]
    fn a_configured_key_replaces_both_client_keys() {
        let api_key = ("x-api-key".to_owned(), "own".to_owned());
        let bearer = ("authorization".to_owned(), "Bearer own".to_owned());
        let url = "http://a.example/v1";
        let messages = Some(Schema::MessagesStyle);
        for (outbound, schema, expected, other) in [
            (
                transparent(credentials(true, Some(held()))),
                messages,
                &api_key,
                "authorization",
            ),
            (
                transparent(credentials(true, Some(held()))),
                Some(Schema::ChatStyle),
                &bearer,
                "x-api-key",
            ),
            (
                transparent(credentials(true, Some(held()))),
                None,
                &bearer,
                "x-api-key",
            ),
            (
                gateway(url, credentials(true, Some(held())), true),
                Some(Schema::ChatStyle),
                &api_key,
                "authorization",
            ),
            (
                gateway(url, credentials(true, Some(held())), false),
                messages,
                &bearer,
                "x-api-key",
            ),
        ] {
            let sent = sent(&outbound, schema);
            assert!(sent.contains(expected), "{sent:?}");
            assert!(!names(&sent).contains(&other), "{sent:?}");
        }
    }

    #[test]
    fn a_gateway_forwards_no_credentials_or_cookies() {
        let sent = sent(
            &gateway("http://a.example", credentials(true, None), false),
            None,
        );
        assert_eq!(names(&sent), ["anthropic-beta", "anthropic-version"]);
    }

    #[test]
    fn configured_headers_are_set_on_every_request() {
        let mut outbound = transparent(credentials(true, None));
        outbound.added = vec![
            (
                HeaderName::from_static("x-team"),
                HeaderValue::from_static("a"),
            ),
            (
                HeaderName::from_static("anthropic-beta"),
                HeaderValue::from_static("own"),
            ),
        ];
        let sent = sent(&outbound, None);
        assert!(sent.contains(&("x-team".into(), "a".into())));
        assert!(sent.contains(&("anthropic-beta".into(), "own".into())));
        assert!(!sent.contains(&("anthropic-beta".into(), "b".into())));
    }

    #[test]
    fn the_fixed_url_combines_its_query_with_the_clients() {
        let target = |url: &str, asked: &'static str| {
            let outbound = gateway(url, credentials(true, None), false);
            outbound
                .target(&Uri::from_static(asked))
                .unwrap()
                .to_string()
        };
        assert_eq!(target("http://a.example/v1/chat", "/x"), "/v1/chat");
        assert_eq!(
            target("http://a.example/v1/chat", "/x?b=%20"),
            "/v1/chat?b=%20"
        );
        assert_eq!(target("http://a.example/v1?a=1", "/x?b=2"), "/v1?a=1&b=2");
        assert_eq!(target("http://a.example", "/x"), "/");
        assert_eq!(target("http://a.example/v1?a=1", "/x?key=hush"), "/v1?a=1");
    }

    #[test]
    fn base_paths_are_prepended_and_query_keys_forwarded_if_allowed() {
        let target = |url: &str, credentials, asked: &'static str| {
            let mut outbound = transparent(credentials);
            outbound.mode = Mode::Transparent {
                upstream: BaseUrl::parse(url).unwrap(),
            };
            outbound
                .target(&Uri::from_static(asked))
                .map(|uri| uri.to_string())
        };
        let relayed = || credentials(true, None);
        let bare = "http://a.example";
        assert_eq!(target(bare, relayed(), "/x/%2F?key=hush&b"), None);
        assert_eq!(
            target("http://a.example/v1", relayed(), "/x/%2F?key=hush&b").as_deref(),
            Some("/v1/x/%2F?key=hush&b")
        );
        for credentials in [credentials(false, None), credentials(true, Some(held()))] {
            let target = target(bare, credentials, "/x?key=hush&b=%20");
            assert_eq!(target.as_deref(), Some("/x?b=%20"));
        }
    }
}
