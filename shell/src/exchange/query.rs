//! Credentials that stand in a query.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode;

/// The parameters in which providers take a key.
const NAMES: [&[u8]; 5] = [b"key", b"api-key", b"api_key", b"apikey", b"access_token"];

/// The header in which the same key could have come.
const HEADER: HeaderName = HeaderName::from_static("x-goog-api-key");

/// The query without what the client authenticates with.
pub(super) fn without_credentials(query: &str) -> Cow<'_, str> {
    if !query.split('&').any(is_credential) {
        return Cow::Borrowed(query);
    }
    let kept = query.split('&').filter(|pair| !is_credential(pair));
    kept.collect::<Vec<_>>().join("&").into()
}

/// The headers that tell whose a request is, with the keys of its query among them.
pub(super) fn identifying<'h>(headers: &'h HeaderMap, query: Option<&str>) -> Cow<'h, HeaderMap> {
    let mut headers = Cow::Borrowed(headers);
    let pairs = query.unwrap_or_default().split('&');
    for pair in pairs.filter(|pair| is_credential(pair)) {
        let (_, value) = pair.split_once('=').unwrap_or_default();
        if let Ok(mut value) = HeaderValue::from_bytes(value.as_bytes()) {
            value.set_sensitive(true);
            headers.to_mut().append(HEADER, value);
        }
    }
    headers
}

fn is_credential(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or_default();
    let name: Vec<_> = percent_decode(name.as_bytes()).collect();
    !value.is_empty() && NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_out_of_a_query_and_the_rest_stays_as_it_is() {
        for (query, expected) in [
            ("alt=sse&key=hush", "alt=sse"),
            ("Key=hush", ""),
            ("k%65y=hush&a=%20&b", "a=%20&b"),
            ("a=key&keys=1&key=", "a=key&keys=1&key="),
        ] {
            assert_eq!(without_credentials(query), expected);
        }
    }

    #[test]
    fn a_key_in_the_query_identifies_as_the_header_does() {
        let none = HeaderMap::new();
        let named = HeaderMap::from_iter([(HEADER, HeaderValue::from_static("a"))]);
        let by_query = |query| identifying(&none, Some(query)).into_owned();
        assert_eq!(by_query("alt=sse&key=a"), named);
        assert_ne!(by_query("key=b"), named);
        assert_eq!(by_query("alt=sse"), none);
        assert_eq!(*identifying(&named, None), named);
    }
}
