//! Values in instructions that write or change a text: `s/password=.*/password=x/`, `"old" ->
//! "new"`, `printf "password=%s" x`.

use super::assignment::{self, Assignment};
use super::value_span::{self, Span};
use crate::detect::bytes::{self, at, before};
use crate::detect::judge::Form;
use crate::detect::text::Text;

/// Farthest before a name that the expression begins which replaces its value, in bytes.
const LONGEST_LEAD: usize = 160;
/// The longest value that is searched before its expression is, in bytes.
const SHORT: usize = 256;

/// A value within `s/…/…/` ends where that part of the expression does.
pub(super) fn replacement(text: &[u8], name: usize, span: Span) -> Span {
    let own = bytes::slice(text, span.start, span.end);
    // Most values are short, and hold none.
    let may_hold = own.len() > SHORT || own.iter().any(|&byte| delimits(byte));
    if span.quoted || !may_hold {
        return span;
    }
    let lead = name - bytes::line_back(text, name, LONGEST_LEAD);
    let Some(delimiter) = delimiter(bytes::slice(text, lead, name)) else {
        return span;
    };
    let ends = |index: &usize| before(own, *index) != b'\\';
    let end = memchr::memchr_iter(delimiter, own)
        .find(ends)
        .map_or(span.end, |index| span.start + index);
    Span { end, ..span }
}

/// The sign between the parts of an expression that replaces, when one opens in the line so far.
fn delimiter(lead: &[u8]) -> Option<u8> {
    let opens = |&index: &usize| {
        at(lead, index + 1) == b's' && delimits(at(lead, index + 2)) && at(lead, index) != b'_'
    };
    memchr::memchr3_iter(b'\'', b'"', b' ', lead)
        .find(opens)
        .map(|index| at(lead, index + 2))
}

const fn delimits(byte: u8) -> bool {
    matches!(byte, b'/' | b'|' | b'#' | b'@' | b'~' | b'!' | b',' | b'^')
}

/// `printf "password=%s\n" x`: the argument for the only placeholder.
pub(super) fn formatted(text: &Text<'_>, span: &Span) -> Option<Span> {
    if bytes::slice(text, span.start, span.end) != b"%s" {
        return None;
    }
    let escape = 2 * usize::from(bytes::slice(text, span.end, span.end + 2) == b"\\n");
    let close = span.end + escape;
    let next = assignment::spaces(text, close + 1);
    let next = assignment::spaces(text, next + usize::from(at(text, next) == b','));
    let closes = matches!(at(text, close), b'"' | b'\'') && next > close + 1;
    closes.then(|| value_span::value(text, next, false))?
}

/// `password = "old" -> "new"`, `IDENTIFIED BY "new" REPLACE "old"`: the other value of a change.
pub(super) fn changed(text: &Text<'_>, assignment: &Assignment) -> Option<Assignment> {
    let Assignment { form, span } = assignment;
    let signs: &[&[u8]] = match form {
        Form::Spaced | Form::Colon | Form::Tight => &[b"->", b"=>", "→".as_bytes()],
        Form::Flag => &[b"REPLACE"],
        _ => return None,
    };
    let from = assignment::spaces(text, assignment::closers(text, span.end));
    let sign = signs
        .iter()
        .find(|sign| bytes::slice(text, from, from + sign.len()) == **sign)?;
    let start = assignment::spaces(text, from + sign.len());
    let span = value_span::value(text, start, false)?;
    (start > from + sign.len()).then_some(Assignment { form: *form, span })
}
