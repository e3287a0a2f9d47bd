//! An exchange's place in a trace, by W3C Trace Context.

use std::fmt::Write as _;

use http::header::{HeaderMap, HeaderName, HeaderValue};

use crate::base::random;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// The flag of a trace that somebody keeps.
const SAMPLED: u8 = 1;

/// The place of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) trace: [u8; 16],
    pub(super) span: [u8; 8],
    /// The client's span.
    pub(super) parent: Option<[u8; 8]>,
    flags: u8,
}

impl Place {
    /// Joins the client's trace, or begins one. If the client sent `traceparent`, the provider gets the proxy's instead;
    /// otherwise it gets none.
    pub(super) fn enter(headers: &mut HeaderMap) -> Self {
        let parents: Vec<_> = headers.get_all(TRACEPARENT).iter().collect();
        let named = match *parents {
            [value] => value.to_str().ok().and_then(parse),
            _ => None,
        };
        let place = Self::behind(named);
        if !parents.is_empty() {
            headers.insert(TRACEPARENT, place.header());
            if named.is_none() {
                // It belongs to a trace that nobody can read.
                headers.remove(TRACESTATE);
            }
        }
        place
    }

    fn behind(named: Option<Named>) -> Self {
        let span = random::bytes();
        match named {
            Some(Named {
                trace,
                span: parent,
                flags,
            }) => Self {
                trace,
                span,
                parent: Some(parent),
                flags,
            },
            None => Self {
                trace: random::bytes(),
                span,
                parent: None,
                flags: SAMPLED,
            },
        }
    }

    /// Whether whoever began the trace wants it kept.
    pub(super) fn is_sampled(&self) -> bool {
        self.flags & SAMPLED != 0
    }

    fn header(&self) -> HeaderValue {
        let mut text = String::with_capacity(55);
        text.push_str("00-");
        push_hex(&mut text, &self.trace);
        text.push('-');
        push_hex(&mut text, &self.span);
        text.push('-');
        push_hex(&mut text, &[self.flags]);
        // Hex digits and hyphens always are a value.
        HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
    }
}

/// What a header names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Named {
    trace: [u8; 16],
    span: [u8; 8],
    flags: u8,
}

/// Later versions may have more behind what this one has.
fn parse(value: &str) -> Option<Named> {
    let mut parts = value.split('-');
    let [version] = hex(parts.next()?)?;
    let named = Named {
        trace: hex(parts.next()?)?,
        span: hex(parts.next()?)?,
        flags: hex::<1>(parts.next()?)?[0],
    };
    let is_whole = version != 0xff && (version != 0 || parts.next().is_none());
    let is_named = named.trace != [0; 16] && named.span != [0; 8];
    (is_whole && is_named).then_some(named)
}

/// Digits in lower case, as the header has them.
fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let is_lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.len() != 2 * N || !text.bytes().all(is_lower) {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        let digits = std::str::from_utf8(digits).ok()?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(bytes)
}

fn push_hex(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn entered(parents: &[&str]) -> (Place, HeaderMap) {
        let mut headers = HeaderMap::new();
        headers.insert(TRACESTATE, HeaderValue::from_static("vendor=x"));
        for value in parents {
            headers.append(TRACEPARENT, HeaderValue::from_str(value).unwrap());
        }
        (Place::enter(&mut headers), headers)
    }

    #[test]
    fn the_clients_trace_continues_with_a_span_of_the_proxy() {
        let (place, headers) = entered(&[TOLD]);
        assert_eq!(
            place.trace,
            hex("0af7651916cd43dd8448eb211c80319c").unwrap()
        );
        assert_eq!(place.parent, hex("b7ad6b7169203331"));
        let parents = headers[TRACEPARENT].to_str().unwrap();
        let parents = parse(parents).unwrap();
        assert_eq!(
            (parents.trace, parents.span, parents.flags),
            (place.trace, place.span, 1)
        );
        assert_eq!(headers[TRACESTATE], "vendor=x");
        let (unkept, _) = entered(&[&TOLD.replace("-01", "-00")]);
        assert!(!unkept.is_sampled());
    }

    #[test]
    fn an_invalid_trace_header_begins_a_new_trace() {
        let long = format!("{TOLD}-more");
        let later = TOLD.replacen("00-", "01-", 1) + "-more";
        assert!(parse(&later).is_some());
        for parents in [
            "",
            "x",
            &long,
            &TOLD.to_uppercase(),
            &TOLD.replacen("00-", "ff-", 1),
            &TOLD.replace("0af7651916cd43dd8448eb211c80319c", &"0".repeat(32)),
            &TOLD.replace("b7ad6b7169203331", &"0".repeat(16)),
            &TOLD[..TOLD.len() - 1],
        ] {
            let (place, headers) = entered(&[parents]);
            assert!(place.is_sampled() && place.parent.is_none(), "{parents}");
            assert_ne!(headers[TRACEPARENT], parents);
            assert!(!headers.contains_key(TRACESTATE));
        }
        let (_, headers) = entered(&[TOLD, TOLD]);
        assert_eq!(headers.get_all(TRACEPARENT).iter().count(), 1);
    }

    #[test]
    fn a_client_without_a_trace_header_gets_none_forwarded() {
        let (place, headers) = entered(&[]);
        assert!(place.is_sampled() && !headers.contains_key(TRACEPARENT));
    }
}
