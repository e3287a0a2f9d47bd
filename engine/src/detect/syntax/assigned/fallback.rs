//! Default values, used if nothing is assigned: `${NAME:-x}`, `env.NAME || "x"`.

use super::assignment::{Assignment, spaces};
use super::value_span::{self, Span};
use crate::detect::bytes::{self, at, before};
use crate::detect::judge::Form;
use crate::detect::text::Text;
use std::ops::Range;

/// The longest default value of an expansion, in bytes.
const LONGEST_DEFAULT: usize = 256;

/// `${DB_PASSWORD:-x}`: the default value in a shell or template.
pub(super) fn expansion(text: &Text<'_>, name: &Range<usize>) -> Option<Assignment> {
    let opens = || bytes::slice(text, name.start.saturating_sub(2), name.start) == b"${";
    if at(text, name.end) != b':' || !opens() {
        return None;
    }
    let sign = usize::from(matches!(at(text, name.end + 1), b'-' | b'='));
    let start = name.end + 1 + sign;
    if value_span::is_quoted(text, start) {
        let span = value_span::value(text, start, false)?;
        let form = Form::Argument;
        return Some(Assignment { form, span });
    }
    let length = bytes::run(text, start, LONGEST_DEFAULT, |byte| {
        !matches!(byte, b'}' | b'\n' | b'"')
    });
    let end = start + length;
    let closes = length > 0 && at(text, end) == b'}';
    closes.then_some(Assignment {
        form: Form::Argument,
        span: Span {
            start,
            end,
            quoted: true,
            is_template: false,
        },
    })
}

/// `process.env.DB_PASSWORD || "x"`: the default value.
pub(super) fn fallback(text: &Text<'_>, closed: usize) -> Option<Assignment> {
    let from = spaces(text, closed);
    let from = spaces(text, from + usize::from(at(text, from) == b')'));
    if !matches!(at(text, from), b'|' | b'?' | b'o') {
        return None;
    }
    let width = [&b"||"[..], b"??", b"?:", b"or "]
        .iter()
        .find(|sign| bytes::slice(text, from, from + sign.len()) == **sign)?
        .len();
    let start = spaces(text, from + width);
    // Of two names in a sentence, one may replace the other.
    if before(text, closed) == b'`' {
        return None;
    }
    let span =
        value_span::is_quoted(text, start).then(|| value_span::value(text, start, false))??;
    let form = Form::Argument;
    Some(Assignment { form, span })
}

/// `name = look_up() ?? "x"`: the default value if a look-up finds nothing.
pub(super) fn alternative(text: &Text<'_>, assignment: &Assignment) -> Option<Assignment> {
    const LONGEST: usize = 96;
    const SIGNS: &[&[u8]] = &[b" ?? ", b" || ", b" or ", b" else ", b" ? "];
    let span = &assignment.span;
    if assignment.form != Form::Spaced || span.quoted {
        return None;
    }
    let line = bytes::run(text, span.end, LONGEST, |byte| {
        byte != b'\n' && byte != b';'
    });
    let line = bytes::slice(text, span.end, span.end + line);
    let follows_sign = |quote: &usize| {
        let lead = bytes::slice(line, 0, *quote);
        SIGNS.iter().any(|sign| lead.ends_with(sign))
    };
    let quote = memchr::memchr3_iter(b'"', b'\'', b'`', line).find(follows_sign)?;
    let start = span.end + quote;
    let span = value_span::value(text, start, false)?;
    let form = Form::Argument;
    Some(Assignment { form, span })
}
