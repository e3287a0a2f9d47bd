//! Query parameters: credentials, references to history, and values to mask.

use std::borrow::Cow;
use std::ops::Range;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};

use super::owner::{is_credential, names_user};
use crate::history::{HistoryName, is_of_place, may_be_id, may_be_of_turn};
use crate::json::{Edit, spliced};

/// The parameters in which providers take a key.
const NAMES: [&str; 5] = ["key", "api-key", "api_key", "apikey", "access_token"];

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
    let is_known = NAMES
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
    (is_known && !value.is_empty()).then_some(value)
}

/// Parameters with credentials, in addition to [`NAMES`]: masking would shut the client out.
const AUTHENTICATING: [&str; 10] = [
    "ak",
    "auth",
    "code",
    "sas",
    "secret",
    "sig",
    "signature",
    "sk",
    "subscription-key",
    "token",
];

/// The further parameters with credentials, each with its name.
pub(super) fn other_credentials(query: &str) -> impl Iterator<Item = &str> {
    filled(query, is_other_credential)
}

/// The parameters that name a user, each with its name.
pub(super) fn users(query: &str) -> impl Iterator<Item = &str> {
    filled(query, |name| names_user(&as_header(name)))
}

/// The parameters with a value whose names are such.
fn filled(query: &str, is_such: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    query.split('&').filter(move |pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        !value.is_empty() && is_such(&decoded(name))
    })
}

fn is_other_credential(name: &str) -> bool {
    let is_in = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    let header = as_header(name);
    let is_known = is_in(&AUTHENTICATING) || header.ends_with("-signature");
    !is_in(&NAMES) && (is_known || is_credential(&header))
}

/// A parameter's name spelled as that of a header: `auth-token` for `authToken` and `auth_token`.
fn as_header(name: &str) -> String {
    let mut header = String::with_capacity(name.len() + 1);
    for char in name.chars() {
        if char.is_ascii_uppercase() && header.ends_with(|last: char| last.is_ascii_lowercase()) {
            header.push('-');
        }
        header.push(if char == '_' {
            '-'
        } else {
            char.to_ascii_lowercase()
        });
    }
    header
}

/// Characters that are written unencoded in a value (RFC 3986, section 2.3).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The query of a request.
#[derive(Default)]
pub(crate) struct Query {
    raw: String,
    texts: Vec<Text>,
}

/// A decoded name or value of a parameter that is not a credential.
struct Text {
    text: String,
    /// Its place in the query.
    place: Range<usize>,
}

impl Query {
    /// That of a path with its query.
    pub(crate) fn of_path(path: &str) -> Self {
        let raw = path.split_once('?').map_or("", |(_, query)| query);
        let raw = raw.split('#').next().unwrap_or_default().to_owned();
        let mut texts = Vec::new();
        let mut start = 0;
        for pair in raw.split('&') {
            texts.extend(texts_of(pair, start));
            start += pair.len() + 1;
        }
        Self { raw, texts }
    }

    /// The history that it names: `?session_id=S`.
    pub(crate) fn names(&self) -> Vec<HistoryName> {
        if self.raw.is_empty() {
            return Vec::new();
        }
        let mut names: Vec<_> = named_in_pairs(&self.raw).collect();
        // After an encoded semicolon.
        if self.raw.contains('%') {
            names.extend(named_in_pairs(&decoded(&self.raw)));
        }
        names
    }

    /// The names and values that are masked, in order.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| &*text.text)
    }

    /// The query with the edits of its [`texts`](Self::texts); `None` if nothing changes.
    pub(crate) fn masked(&self, edits: &[Vec<Edit>]) -> Option<String> {
        let changed = self.texts.iter().zip(edits);
        let mut changed = changed.filter(|(_, edits)| !edits.is_empty()).peekable();
        changed.peek()?;
        let encoded = changed.map(|(Text { text, place }, edits)| Edit {
            start: place.start,
            end: place.end,
            text: utf8_percent_encode(&spliced(text, edits), ENCODED).to_string(),
        });
        Some(spliced(&self.raw, &encoded.collect::<Vec<_>>()))
    }
}

/// The history that name-value pairs refer to, in a query or after the semicolon of a path segment.
pub(super) fn named_in_pairs(pairs: &str) -> impl Iterator<Item = HistoryName> {
    pairs.split(['&', ';']).filter_map(|pair| {
        let (name, id) = pair.split_once('=')?;
        let (name, id) = (decoded(name), decoded(id));
        if !may_be_id(&id) {
            None
        } else if is_of_place(&name) {
            Some(HistoryName::place(&id))
        } else {
            may_be_of_turn(&name).then(|| HistoryName::turn(&id))
        }
    })
}

/// The texts of a parameter that is not a credential; a value may be in the place of a name.
/// `start` is the parameter's place in the query.
fn texts_of(pair: &str, start: usize) -> impl Iterator<Item = Text> {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let lets_in = !value.is_empty() && {
        let name = decoded(name);
        let mut known = NAMES.iter().chain(&AUTHENTICATING);
        known.any(|known| name.eq_ignore_ascii_case(known))
    };
    let places = [(name, start), (value, start + name.len() + 1)];
    let texts = places
        .into_iter()
        .filter(move |(text, _)| !lets_in && !text.is_empty());
    texts.map(|(text, start)| Text {
        text: decoded(text),
        place: start..start + text.len(),
    })
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
    fn a_query_can_refer_to_history() {
        let named = |path: &str| Query::of_path(path).names();
        let place = HistoryName::place("a@b");
        for path in [
            "/x?alt=sse&session_id=a%40b",
            "/x?conversationId=a@b#y",
            "/x?thread=a@b",
            // Neither of these was read.
            "/x?q=1;session_id=a@b",
            "/x?q=1;jsessionid=a@b&alt=sse",
            "/x?;jsessionid=a@b",
            "/x?CFTOKEN=a@b",
            "/x?code=1;sid=a@b",
        ] {
            assert!(named(path).contains(&place), "{path}");
        }
        assert!(named("/x?q=1%3Bsession_id%3Da%40b").contains(&place));
        assert_eq!(named("/x?previous_response_id=r"), [HistoryName::turn("r")]);
        assert_eq!(named("/x?continuation=r"), [HistoryName::turn("r")]);
        let none = "/x?session_id=&user_id=7&thread_id&cursor=p&state=s&request_id=r";
        assert_eq!(named(none), []);
    }

    /// Values in the place of a name were sent unmasked.
    #[test]
    fn everything_in_a_query_except_credentials_is_masked() {
        let query = Query::of_path("/x?alt=sse&code=hush&to+a%40b.example=1&Key=hush&a@b.example");
        assert_eq!(
            query.texts().collect::<Vec<_>>(),
            ["alt", "sse", "to a@b.example", "1", "a@b.example"]
        );
        let unchanged = || Vec::new();
        let edit = |start, end| {
            vec![Edit {
                start,
                end,
                text: "<MASK_EMAIL_1>".to_owned(),
            }]
        };
        assert_eq!(query.masked(&[unchanged(), unchanged()]), None);
        let edits = [
            unchanged(),
            unchanged(),
            edit(3, 14),
            unchanged(),
            edit(0, 11),
        ];
        assert_eq!(
            query.masked(&edits).as_deref(),
            Some("alt=sse&code=hush&to%20%3CMASK_EMAIL_1%3E=1&Key=hush&%3CMASK_EMAIL_1%3E")
        );
    }

    #[test]
    fn removing_keys_from_a_query_keeps_the_rest() {
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
