//! Recognizes routed requests that can't be masked, by their heads.

use std::fmt;

use percent_encoding::percent_decode;

use super::Route;

/// Why a routed request can't be masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmaskable {
    /// AWS signed it, body and all, so a masked one would be rejected.
    Signed,
    /// Its body is signed in another way.
    SignedOtherwise,
    /// Its reply would be an AWS event stream.
    EventStream,
    /// Its body is of several parts that are no form.
    Multipart,
    /// It offers a WebRTC call, which goes past every proxy.
    Call,
}

/// Names the way out.
impl fmt::Display for Unmaskable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Signed => {
                "the request is signed by AWS (Signature Version 4), and masking would break the \
                 signature; use a Bedrock API key as a bearer token \
                 (AWS_BEARER_TOKEN_BEDROCK) instead of an access key"
            }
            Self::SignedOtherwise => {
                "the request is signed, and masking would break the signature; use an API key or \
                 a bearer token instead"
            }
            Self::EventStream => {
                "the reply would be an AWS event stream, which can't be restored; use a call \
                 without streaming (converse, invoke)"
            }
            Self::Multipart => {
                "a multipart body other than multipart/form-data can't be masked; send the request as JSON, or, if this path may \
                 be forwarded unmasked, list only the paths to mask in proxy.routes and leave \
                 proxy.unrouted at forward"
            }
            Self::Call => {
                "a WebRTC call bypasses the proxy, so it can't be masked; send its settings as JSON to \
                 /realtime/client_secrets, and the call itself, if it may be unmasked, directly to \
                 the provider"
            }
        })
    }
}

impl Unmaskable {
    /// The obstacle in a routed request with this query and these headers, with names in lower
    /// case.
    pub fn of<'h>(
        route: &Route,
        query: Option<&str>,
        headers: impl IntoIterator<Item = (&'h str, &'h [u8])>,
    ) -> Option<Self> {
        if query.is_some_and(is_signed) {
            return Some(Self::Signed);
        }
        if route.path.ends_with("-stream") {
            return Some(Self::EventStream);
        }
        // Its answer sets up a call as an offer in SDP does.
        if &*route.path == "/live/sessions" {
            return Some(Self::Call);
        }
        let mut headers = headers.into_iter();
        headers.find_map(|(name, value)| match name {
            "authorization" if begins(value, b"AWS4-") => Some(Self::Signed),
            "authorization" | "signature-input" if signs_body(name, value) => {
                Some(Self::SignedOtherwise)
            }
            "accept" if is_event_stream(value) => Some(Self::EventStream),
            "content-type" if begins(value, b"application/sdp") => Some(Self::Call),
            "content-type" if begins(value, b"multipart/") => {
                if route.path.ends_with("/realtime/calls") {
                    Some(Self::Call)
                } else {
                    (!begins(value, b"multipart/form-data")).then_some(Self::Multipart)
                }
            }
            _ => None,
        })
    }
}

/// Whether a content type, or a list of them, names an AWS event stream.
#[must_use]
pub fn is_event_stream(media: &[u8]) -> bool {
    const NAME: &[u8] = b"application/vnd.amazon.eventstream";
    let mut windows = media.windows(NAME.len());
    windows.any(|window| window.eq_ignore_ascii_case(NAME))
}

/// Whether a query holds a signature of AWS.
fn is_signed(query: &str) -> bool {
    query.split('&').any(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        let name: Vec<_> = percent_decode(name.as_bytes()).collect();
        name.eq_ignore_ascii_case(b"x-amz-signature")
    })
}

/// Whether a signature covers the body: those of clouds do (`TC3-HMAC-SHA256`, `ACS3-HMAC-SHA256`), others where they
/// name the body's digest (RFC 9421 and its drafts).
fn signs_body(name: &str, value: &[u8]) -> bool {
    const DIGESTS: [&[u8]; 2] = [b"digest", b"x-content-sha256"];
    let value = value.trim_ascii().to_ascii_lowercase();
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    let scheme = value.split(|byte| *byte == b' ').next().unwrap_or_default();
    if name == "authorization" && scheme != b"signature" {
        return scheme.ends_with(b"hmac-sha256");
    }
    DIGESTS.iter().any(|digest| has(digest))
}

fn begins(value: &[u8], start: &[u8]) -> bool {
    let value = value.trim_ascii_start();
    let value = value.get(..start.len());
    value.is_some_and(|value| value.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::super::Routes;
    use super::*;

    fn of(target: &str, headers: &[(&str, &str)]) -> Option<Unmaskable> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let route = Routes::default().find(path).unwrap();
        let headers = headers.iter();
        let headers = headers.map(|(name, value)| (*name, value.as_bytes()));
        Unmaskable::of(&route, Some(query), headers)
    }

    #[test]
    fn requests_that_masking_would_break_are_recognized_by_their_head() {
        let signed = "AWS4-HMAC-SHA256 Credential=a/20261122/us-east-1/bedrock/aws4_request";
        for (target, headers, expected) in [
            (
                "/model/m/converse",
                ("authorization", signed),
                Some(Unmaskable::Signed),
            ),
            (
                "/model/m/converse?X-Amz-Algorithm=AWS4-HMAC-SHA256&X%2DAmz-Signature=ab",
                ("accept", "*/*"),
                Some(Unmaskable::Signed),
            ),
            (
                "/model/m/converse",
                ("authorization", "Bearer AWS4-x"),
                None,
            ),
            // The provider rejected each of these after masking, and nobody was told why.
            (
                "/20231130/actions/chat",
                (
                    "authorization",
                    "Signature version=\"1\",headers=\"date (request-target) host x-content-sha256\",signature=\"a\"",
                ),
                Some(Unmaskable::SignedOtherwise),
            ),
            (
                "/v1/chat/completions",
                ("authorization", "TC3-HMAC-SHA256 Credential=a, Signature=b"),
                Some(Unmaskable::SignedOtherwise),
            ),
            (
                "/v1/chat/completions",
                (
                    "signature-input",
                    "sig1=(\"@method\" \"content-digest\");created=1",
                ),
                Some(Unmaskable::SignedOtherwise),
            ),
            (
                "/v1/chat/completions",
                ("signature-input", "sig1=(\"@method\");created=1"),
                None,
            ),
            (
                "/v1/chat/completions",
                ("authorization", "Bearer x-hmac-sha256"),
                None,
            ),
            (
                "/v1/live/sessions",
                ("content-type", "application/json"),
                Some(Unmaskable::Call),
            ),
            (
                "/model/m/converse-stream",
                ("accept", "*/*"),
                Some(Unmaskable::EventStream),
            ),
            (
                "/model/m/invoke",
                (
                    "accept",
                    "application/json, Application/vnd.amazon.eventstream",
                ),
                Some(Unmaskable::EventStream),
            ),
            (
                "/v1/images/edits",
                ("content-type", "Multipart/Related; boundary=x"),
                Some(Unmaskable::Multipart),
            ),
            (
                "/v1/images/edits",
                ("content-type", "Multipart/form-data; boundary=x"),
                None,
            ),
            (
                "/v1/images/edits",
                ("content-type", "application/json"),
                None,
            ),
            (
                "/v1/realtime/calls",
                ("content-type", "application/sdp"),
                Some(Unmaskable::Call),
            ),
            (
                "/v1/realtime/calls",
                ("content-type", "multipart/form-data; boundary=x"),
                Some(Unmaskable::Call),
            ),
        ] {
            assert_eq!(of(target, &[headers]), expected, "{target} {headers:?}");
        }
    }
}
