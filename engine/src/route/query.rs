//! Credentials that stand in a query.

use std::borrow::Cow;

use percent_encoding::percent_decode;

/// The parameters in which providers take a key.
const NAMES: [&[u8]; 5] = [b"key", b"api-key", b"api_key", b"apikey", b"access_token"];

/// A query without what the client authenticates with.
#[must_use]
pub fn without_credentials(query: &str) -> Cow<'_, str> {
    if credentials(query).next().is_none() {
        return Cow::Borrowed(query);
    }
    let kept = query.split('&').filter(|pair| credential(pair).is_none());
    kept.collect::<Vec<_>>().join("&").into()
}

/// What the client authenticates with in a query, as it is written there.
pub fn credentials(query: &str) -> impl Iterator<Item = &str> {
    query.split('&').filter_map(credential)
}

fn credential(pair: &str) -> Option<&str> {
    let (name, value) = pair.split_once('=')?;
    let name: Vec<_> = percent_decode(name.as_bytes()).collect();
    let is_known = NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
    (is_known && !value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_out_of_a_query_and_the_rest_stays_as_it_is() {
        for (query, expected, keys) in [
            ("alt=sse&key=hush", "alt=sse", vec!["hush"]),
            ("Key=hush", "", vec!["hush"]),
            ("k%65y=hush&a=%20&b", "a=%20&b", vec!["hush"]),
            ("a=key&keys=1&key=", "a=key&keys=1&key=", vec![]),
        ] {
            assert_eq!(without_credentials(query), expected);
            assert_eq!(credentials(query).collect::<Vec<_>>(), keys);
        }
    }
}
