//! Which headers are forwarded, and which are changed.

use engine::route::{KeyHeader, PROVIDER_KEYS, is_credential};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::uri::PathAndQuery;
use http::{Uri, Version};

use crate::config::HeldKey;
use crate::error::Fault;
use crate::session::SessionId;

/// Names the session; in requests and replies.
pub(super) const SESSION: HeaderName = HeaderName::from_static("x-mask-session");

/// Asks for a report of what was read and masked; and that report in the reply.
pub(super) const REPORT: HeaderName = HeaderName::from_static("x-mask-report");

/// Machine metadata that a coding agent sends: the one request header that is masked.
pub(super) const TURN_METADATA: HeaderName = HeaderName::from_static("x-codex-turn-metadata");

const VERSION: HeaderName = HeaderName::from_static("anthropic-version");

/// Headers that concern one connection only.
const HOP_BY_HOP: [HeaderName; 9] = [
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TE,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    HeaderName::from_static("http2-settings"),
];

/// Further headers of a request that end here.
const ANSWERED: [HeaderName; 3] = [header::EXPECT, SESSION, REPORT];

/// Words in names of further headers that identify a client, or that only one provider uses.
const IDENTITY: [&str; 9] = [
    "api-key",
    "apikey",
    "authentic",
    "authoriz",
    "cookie",
    "credential",
    "secret",
    "subscription-key",
    "token",
];

/// Headers that describe bytes which restoring may change.
const OF_THE_BYTES: [HeaderName; 7] = [
    header::CONTENT_LENGTH,
    header::CONTENT_ENCODING,
    header::ETAG,
    HeaderName::from_static("content-md5"),
    HeaderName::from_static("digest"),
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("repr-digest"),
];

/// Removes the client's headers that end here.
pub(super) fn to_provider(headers: &mut HeaderMap) {
    let named = connection_names(headers);
    retain(headers, |name| {
        !HOP_BY_HOP.contains(name) && !ANSWERED.contains(name) && !named.contains(name)
    });
}

/// Joins `cookie` fields that HTTP/2 may have split (RFC 9113, 8.2.3).
pub(super) fn join_cookies(headers: &mut HeaderMap, version: Version) {
    let mut crumbs = headers.get_all(header::COOKIE).iter();
    let (Some(first), Some(_)) = (crumbs.next(), crumbs.next()) else {
        return;
    };
    if version != Version::HTTP_2 {
        return;
    }
    let mut joined = first.as_bytes().to_vec();
    for crumb in headers.get_all(header::COOKIE).iter().skip(1) {
        joined.extend_from_slice(b"; ");
        joined.extend_from_slice(crumb.as_bytes());
    }
    // Valid values joined are valid.
    if let Ok(mut joined) = HeaderValue::from_bytes(&joined) {
        joined.set_sensitive(true);
        headers.insert(header::COOKIE, joined);
    }
}

/// The path with its query.
pub(super) fn target(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", PathAndQuery::as_str)
}

/// All names, in lower case, and values.
pub(super) fn pairs(headers: &HeaderMap) -> impl Iterator<Item = (&str, &[u8])> {
    let pairs = headers.iter();
    pairs.map(|(name, value)| (name.as_str(), value.as_bytes()))
}

/// The session that the client named; an empty header is none.
///
/// # Errors
/// [`Fault::SessionName`].
pub(super) fn session(headers: &HeaderMap) -> Result<Option<SessionId>, Fault> {
    let mut names = headers.get_all(SESSION).iter();
    match (names.next(), names.next()) {
        (None, _) => Ok(None),
        (Some(name), None) if name.is_empty() => Ok(None),
        (Some(name), None) => SessionId::from_header(name)
            .map(Some)
            .map_err(|_| Fault::SessionName),
        (Some(_), Some(_)) => Err(Fault::SessionName),
    }
}

/// Whether the client asks for a report.
pub(super) fn asks_for_report(headers: &HeaderMap) -> bool {
    headers.get(REPORT).is_some_and(|asked| asked == "1")
}

/// Removes the client's credentials.
pub(super) fn drop_credentials(headers: &mut HeaderMap) {
    retain(headers, |name| !is_credential(name.as_str()));
}

/// Removes everything that identifies the client.
pub(super) fn drop_identity(headers: &mut HeaderMap) {
    retain(headers, |name| {
        let name = name.as_str();
        !is_credential(name) && !IDENTITY.iter().any(|part| name.contains(part))
    });
}

/// Replaces all of the client's keys for a provider with this key, in one of the usual headers.
pub(super) fn authenticate(headers: &mut HeaderMap, held: &HeldKey, place: KeyHeader) {
    let name = place.name();
    let value = match place {
        KeyHeader::Bearer => &held.bearer,
        KeyHeader::Anthropic | KeyHeader::Azure | KeyHeader::Google => &held.plain,
    };
    retain(headers, |sent| {
        *sent == name || !PROVIDER_KEYS.contains(&sent.as_str())
    });
    headers.insert(name, value.clone());
}

/// Names the version of the messages format where the client did not.
pub(super) fn default_version(headers: &mut HeaderMap) {
    if !headers.contains_key(VERSION) {
        headers.insert(VERSION, HeaderValue::from_static("2023-06-01"));
    }
}

/// States the length of a masked body, which replaces what the client stated.
pub(super) fn set_length(headers: &mut HeaderMap, length: usize) {
    headers.remove(header::TRAILER);
    if length > 0 || headers.contains_key(header::CONTENT_LENGTH) {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
}

/// Puts the masked machine metadata in the place of the client's.
///
/// # Errors
/// [`Fault::MetadataHeader`] when it is no valid header value.
pub(super) fn set_metadata(headers: &mut HeaderMap, masked: Option<&str>) -> Result<(), Fault> {
    match masked {
        Some(masked) => {
            let value = HeaderValue::from_str(masked).map_err(|_| Fault::MetadataHeader)?;
            headers.insert(TURN_METADATA, value);
        }
        None => drop(headers.remove(TURN_METADATA)),
    }
    Ok(())
}

/// Turns a provider's headers into those of a reply that is relayed unchanged.
pub(super) fn to_client(headers: &mut HeaderMap) {
    let named = connection_names(headers);
    retain(headers, |name| is_for_client(name, &named));
}

/// Makes a provider's headers those of a restored reply: its bytes are others.
pub(super) fn to_client_restored(headers: &mut HeaderMap) {
    let named = connection_names(headers);
    retain(headers, |name| {
        is_for_client(name, &named) && !OF_THE_BYTES.contains(name)
    });
}

/// Removes headers about trailers from a reply that has none.
pub(super) fn without_trailers(headers: &mut HeaderMap) {
    retain(headers, |name| *name != header::TRAILER);
}

fn is_for_client(name: &HeaderName, named: &[HeaderName]) -> bool {
    !HOP_BY_HOP.contains(name) && *name != SESSION && *name != REPORT && !named.contains(name)
}

/// The headers that a message declares to concern its connection only.
fn connection_names(headers: &HeaderMap) -> Vec<HeaderName> {
    headers
        .get_all(header::CONNECTION)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        // The usual values name nothing that would be forwarded.
        .filter(|name| !matches!(*name, b"keep-alive" | b"close"))
        .filter_map(|name| HeaderName::from_bytes(name).ok())
        .collect()
}

/// Keeps the headers whose name passes. `HeaderMap::remove` would change the order of the others.
fn retain(headers: &mut HeaderMap, passes: impl Fn(&HeaderName) -> bool) {
    if headers.keys().all(&passes) {
        return;
    }
    let mut kept = HeaderMap::with_capacity(headers.keys_len());
    let mut last = None;
    for (name, value) in std::mem::take(headers) {
        // A repeated header has its name only once.
        last = name.or(last);
        if let Some(name) = last.as_ref().filter(|name| passes(name)) {
            kept.append(name.clone(), value);
        }
    }
    *headers = kept;
}

/// Whether a body is declared as encoded.
pub(super) fn is_encoded(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .any(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity"))
}

/// The content type as text.
pub(super) fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE)?.to_str().ok()
}

/// All content types of a request that states several, as a list; `None` if one is not text.
pub(super) fn content_types(headers: &HeaderMap) -> Option<String> {
    let types = headers.get_all(header::CONTENT_TYPE).iter();
    let types: Result<Vec<_>, _> = types.map(HeaderValue::to_str).collect();
    types.ok().map(|types| types.join(","))
}

/// Whether a reply is a stream of events.
pub(super) fn is_event_stream(content_type: Option<&str>) -> bool {
    essence(content_type).eq_ignore_ascii_case("text/event-stream")
}

/// Whether a reply has a JSON value on each line.
pub(super) fn is_json_lines(content_type: Option<&str>) -> bool {
    let essence = essence(content_type).to_ascii_lowercase();
    essence.ends_with("ndjson") || essence.ends_with("jsonl")
}

/// Whether a reply is one JSON document.
pub(super) fn is_json(content_type: Option<&str>) -> bool {
    const SUFFIX: &str = "+json";
    let essence = essence(content_type);
    let suffix = essence.len().checked_sub(SUFFIX.len());
    let suffix = suffix.and_then(|at| essence.get(at..));
    essence.eq_ignore_ascii_case("application/json")
        || suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case(SUFFIX))
}

/// The media type without its parameters.
fn essence(content_type: Option<&str>) -> &str {
    let media = content_type.unwrap_or_default();
    media.split(';').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    fn lines(headers: &HeaderMap) -> Vec<(&str, &str)> {
        let line = |(name, value): (&'_ HeaderName, &'_ HeaderValue)| {
            (name.as_str().to_owned(), value.to_str().unwrap().to_owned())
        };
        let owned: Vec<_> = headers.iter().map(line).collect();
        owned
            .into_iter()
            .map(|(name, value)| (&*name.leak(), &*value.leak()))
            .collect()
    }

    #[test]
    fn split_http2_cookies_are_joined() {
        let cut = || map(&[("cookie", "a=1"), ("x-a", "b"), ("cookie", "c=2; d=3")]);
        let mut headers = cut();
        join_cookies(&mut headers, Version::HTTP_2);
        assert_eq!(lines(&headers), [("cookie", "a=1; c=2; d=3"), ("x-a", "b")]);
        let mut headers = cut();
        join_cookies(&mut headers, Version::HTTP_11);
        assert_eq!(headers, cut());
    }

    #[test]
    fn identifying_client_headers_are_removed() {
        let mut headers = map(&[
            ("authorization", "a"),
            ("x-litellm-api-key", "a"),
            ("private-token", "a"),
            ("x-forwarded-access-token", "a"),
            ("cookie", "a"),
            ("anthropic-beta", "b"),
            ("openai-organization", "b"),
        ]);
        drop_identity(&mut headers);
        assert_eq!(
            lines(&headers),
            [("anthropic-beta", "b"), ("openai-organization", "b")]
        );
    }

    #[test]
    fn connection_headers_are_dropped_and_order_kept() {
        let mut headers = map(&[
            ("accept", "a"),
            ("connection", "keep-alive, X-Own"),
            ("x-own", "1"),
            ("cookie", "a=1"),
            ("cookie", "b=2"),
            ("te", "trailers"),
            ("expect", "100-continue"),
            ("x-mask-session", "s"),
            ("x-last", "z"),
        ]);
        to_provider(&mut headers);
        assert_eq!(
            lines(&headers),
            [
                ("accept", "a"),
                ("cookie", "a=1"),
                ("cookie", "b=2"),
                ("x-last", "z")
            ]
        );
    }

    /// A client's `api-key` was once forwarded next to the proxy's own key.
    #[test]
    fn a_configured_key_replaces_the_clients_in_any_header() {
        let held = HeldKey {
            bearer: HeaderValue::from_static("Bearer own"),
            plain: HeaderValue::from_static("own"),
        };
        for (place, name, value) in [
            (KeyHeader::Bearer, "authorization", "Bearer own"),
            (KeyHeader::Anthropic, "x-api-key", "own"),
            (KeyHeader::Azure, "api-key", "own"),
            (KeyHeader::Google, "x-goog-api-key", "own"),
        ] {
            let mut headers = map(&[
                ("accept", "a"),
                ("api-key", "c"),
                ("authorization", "c"),
                ("x-api-key", "c"),
                ("x-goog-api-key", "c"),
            ]);
            authenticate(&mut headers, &held, place);
            assert_eq!(lines(&headers), [("accept", "a"), (name, value)]);
        }
    }

    #[test]
    fn the_version_header_is_added_only_when_missing() {
        let mut headers = HeaderMap::new();
        default_version(&mut headers);
        assert_eq!(headers["anthropic-version"], "2023-06-01");

        let mut newer = map(&[("anthropic-version", "2026-10-21")]);
        default_version(&mut newer);
        assert_eq!(newer["anthropic-version"], "2026-10-21");
    }

    #[test]
    fn only_identity_counts_as_unencoded() {
        for plain in ["", "identity", "Identity, identity", "identity,,"] {
            assert!(!is_encoded(&map(&[("content-encoding", plain)])), "{plain}");
        }
        for encoded in ["gzip", "identity, gzip", "br"] {
            let sent = [
                ("content-encoding", "identity"),
                ("content-encoding", encoded),
            ];
            assert!(is_encoded(&map(&sent)), "{encoded}");
        }
    }

    #[test]
    fn replies_cannot_set_the_session_and_keep_cookies_separate() {
        let mut headers = map(&[
            ("set-cookie", "a=1"),
            ("x-mask-session", "forged"),
            ("set-cookie", "b=2"),
            ("x-request-id", "r"),
        ]);
        to_client(&mut headers);
        assert_eq!(
            lines(&headers),
            [
                ("set-cookie", "a=1"),
                ("set-cookie", "b=2"),
                ("x-request-id", "r")
            ]
        );
    }
}
