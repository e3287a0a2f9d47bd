//! Passwords behind what they belong to, without a verb: `the password of the server x`, `пароль от сервера x`.

use super::assignment::spaces;
use super::unnamed;
use super::value_span::{self, Span};
use crate::detect::bytes::{self, WordInitials, at};
use crate::detect::text::Text;

/// Words between a name and what it belongs to.
#[rustfmt::skip]
const PREPOSITIONS: &[&str] = &[
    "for", "from", "of", "to", "für", "vom", "von", "zum", "zur", "de", "des", "du", "pour", "del", "della", "dello", "para", "per", "da", "do",
    "dla", "od", "k", "pro", "för", "till", "til", "van", "voor", "від", "для", "до", "к", "от",
];
/// Longest word between, in bytes, and most of them.
const LONGEST_WORD: usize = 24;
const MOST_WORDS: usize = 3;

static STARTS: WordInitials = WordInitials::of(PREPOSITIONS);

/// What looks like nothing but a password, a few words behind a preposition.
pub(super) fn value(text: &Text<'_>, closed: usize) -> Option<Span> {
    let start = spaces(text, closed);
    let mut ends = STARTS.at(text, start).map(|word| start + word.len());
    let mut from = ends.find(|&end| at(text, end) == b' ')?;
    for _ in 0..=MOST_WORDS {
        let next = spaces(text, from);
        let span = value_span::value(text, next, false)?;
        if is_password(text, &span) {
            return Some(span);
        }
        let length = bytes::run(text, next, LONGEST_WORD, |byte| {
            byte.is_ascii_alphabetic() || byte == b'-' || byte >= 0x80
        });
        from = next + length;
        if length == 0 || at(text, from) != b' ' {
            return None;
        }
    }
    None
}

/// Whether a value has letters, a digit and a sign that no name of a machine has.
fn is_password(text: &Text<'_>, span: &Span) -> bool {
    let value = unnamed::short(text, span).filter(|_| !span.quoted);
    value.is_some_and(|value| {
        value.has_digit
            && value.has_lower
            && value.holds_any(b"!#$%^&*")
            && unnamed::is_chosen(&value)
    })
}
