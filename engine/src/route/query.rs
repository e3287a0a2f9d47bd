//! What stands in a query: credentials, names of history, and values that are masked.

use std::borrow::Cow;
use std::ops::Range;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};

use crate::history::{HistoryName, is_of_place, may_be_id};
use crate::json::{Edit, spliced};

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

/// Parameters of which the value lets the client in, beside [`NAMES`]: a masked one would shut it out.
const AUTHENTICATING: [&str; 8] = [
    "auth",
    "code",
    "password",
    "secret",
    "sig",
    "signature",
    "subscription-key",
    "token",
];

/// What stands in a value as it is (RFC 3986, section 2.3).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The query of a request.
#[derive(Default)]
pub(crate) struct Query {
    raw: String,
    parameters: Vec<Parameter>,
}

/// A parameter that lets nobody in, decoded.
struct Parameter {
    name: String,
    value: String,
    /// Where the value stands in the query.
    place: Range<usize>,
}

impl Query {
    /// That of a path with its query.
    pub(crate) fn of_path(path: &str) -> Self {
        let raw = path.split_once('?').map_or("", |(_, query)| query);
        let raw = raw.split('#').next().unwrap_or_default().to_owned();
        let mut parameters = Vec::new();
        let mut start = 0;
        for pair in raw.split('&') {
            parameters.extend(Parameter::read(pair, start));
            start += pair.len() + 1;
        }
        Self { raw, parameters }
    }

    /// The conversations that it names: `?session_id=S`.
    pub(crate) fn places(&self) -> impl Iterator<Item = HistoryName> {
        let known = self.parameters.iter();
        let naming = known.filter(|known| is_of_place(&known.name) && may_be_id(&known.value));
        naming.map(|known| HistoryName::place(&known.value))
    }

    /// The values that are masked, in order.
    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().map(|parameter| &*parameter.value)
    }

    /// The query with the edits of its [`values`](Self::values); none where nothing changes.
    pub(crate) fn masked(&self, edits: &[Vec<Edit>]) -> Option<String> {
        let changed = self.parameters.iter().zip(edits);
        let mut changed = changed.filter(|(_, edits)| !edits.is_empty()).peekable();
        changed.peek()?;
        let encoded = changed.map(|(Parameter { value, place, .. }, edits)| Edit {
            start: place.start,
            end: place.end,
            text: utf8_percent_encode(&spliced(value, edits), ENCODED).to_string(),
        });
        Some(spliced(&self.raw, &encoded.collect::<Vec<_>>()))
    }
}

impl Parameter {
    /// One with a value; `start` is its place in the query.
    fn read(pair: &str, start: usize) -> Option<Self> {
        let (name, value) = pair.split_once('=')?;
        let lets_in = credential(pair).is_some() || {
            let name = decoded(name);
            AUTHENTICATING
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known))
        };
        if lets_in || value.is_empty() {
            return None;
        }
        Some(Self {
            name: decoded(name),
            value: decoded(value),
            place: start + name.len() + 1..start + pair.len(),
        })
    }
}

/// Text of a query as forms write it, `+` for a space.
fn decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode(spaced.as_bytes())
        .decode_utf8_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_may_name_a_conversation() {
        let named = |path: &str| Query::of_path(path).places().collect::<Vec<_>>();
        let place = vec![HistoryName::place("a@b")];
        assert_eq!(named("/x?alt=sse&session_id=a%40b"), place);
        assert_eq!(named("/x?conversationId=a%40b#y"), place);
        assert_eq!(named("/x?thread=a%40b"), place);
        assert_eq!(named("/x?session_id=&user_id=7&thread_id"), vec![]);
    }

    #[test]
    fn all_but_what_lets_the_client_in_is_a_value() {
        let query = Query::of_path("/x?alt=sse&code=hush&q=to+a%40b.example&Key=hush&c");
        assert_eq!(
            query.values().collect::<Vec<_>>(),
            ["sse", "to a@b.example"]
        );
        assert_eq!(query.masked(&[vec![], vec![]]), None);
        let edit = Edit {
            start: 3,
            end: 14,
            text: "<MASK_EMAIL_1>".to_owned(),
        };
        assert_eq!(
            query.masked(&[vec![], vec![edit]]).as_deref(),
            Some("alt=sse&code=hush&q=to%20%3CMASK_EMAIL_1%3E&Key=hush&c")
        );
    }

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
