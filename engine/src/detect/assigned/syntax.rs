//! How a value is written beside its name.

use super::value_span::{self, Span};
use super::{fields, lines, markup};
use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// The way from a name to its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `name=value` without spaces.
    Tight,
    /// `name = value`, `name := value`, `name => value`.
    Spaced,
    /// `name: value`.
    Colon,
    /// `"name", "value"` or `name("value")`.
    Argument,
    /// `<name>value</name>`.
    Element,
    /// `--name value`, `name value` in `.netrc`, `\set NAME value`, `BY 'value'`.
    Flag,
    /// `name: X` and `value: Y` side by side.
    Pair,
    /// `the name is value`.
    Prose,
    /// A value on the line below its name.
    Apart,
}

/// A value beside a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assignment {
    pub(super) form: Form,
    pub(super) span: Span,
}

/// Spaces that may stand around a separator.
const MAX_SPACES: usize = 24;

/// The value assigned to the name in `name`.
pub(super) fn assignment(text: &[u8], name: &Range<usize>) -> Option<Assignment> {
    let closed = closers(text, name.end);
    fields::pair(text, name, closed)
        .or_else(|| separated(text, name, closed))
        .or_else(|| fields::block(text, closed))
        .or_else(|| markup::element(text, name, closed))
        .or_else(|| argument(text, name, closed))
        .or_else(|| prose(text, closed))
        .or_else(|| flag(text, name))
        .or_else(|| lines::below(text, closed))
}

/// Skips what closes a name: quotes (escaped, too), brackets, emphasis.
pub(super) fn closers(text: &[u8], end: usize) -> usize {
    end + closing_run(text, end)
}

/// A backslash closes nothing unless a quote follows it.
fn closing_run(text: &[u8], end: usize) -> usize {
    let mut length = 0;
    while length < 6 {
        let byte = at(text, end + length);
        let closes = match byte {
            b'"' | b'\'' | b'`' | b']' | b'*' => true,
            b'\\' => matches!(at(text, end + length + 1), b'"' | b'\'' | b'\\'),
            _ => false,
        };
        if !closes {
            break;
        }
        length += 1;
    }
    length
}

pub(super) fn spaces(text: &[u8], at: usize) -> usize {
    at + bytes::run(text, at, MAX_SPACES, |byte| byte == b' ' || byte == b'\t')
}

fn separated(text: &[u8], name: &Range<usize>, closed: usize) -> Option<Assignment> {
    let from = spaces(text, closed);
    let (width, colon) = separator(text, from)?;
    let mut start = spaces(text, from + width);
    let mut form = match (colon, from == closed && start == from + width) {
        (true, _) => Form::Colon,
        (false, true) => Form::Tight,
        (false, false) => Form::Spaced,
    };
    if colon && let Some(annotated) = annotation(text, start) {
        start = annotated;
        form = Form::Spaced;
    }
    // Emphasis after a label (`**Token:** abc`).
    start += bytes::run(text, start, 2, |byte| byte == b'*');
    start = spaces(text, start);
    let in_query = form == Form::Tight && matches!(before(text, name.start), b'?' | b'&');
    if closes_label(text, name, closed, start) {
        return None;
    }
    if lines::is_block(text, start) {
        return None;
    }
    let span = if form == Form::Tight {
        value_span::value_or_bracket(text, start, in_query)?
    } else {
        value_span::value(text, start, in_query)?
    };
    Some(Assignment { form, span })
}

/// Whether the quote at `start` closes the one before the name: `"Password:"` is a label.
fn closes_label(text: &[u8], name: &Range<usize>, closed: usize, start: usize) -> bool {
    let quote = at(text, start);
    let own = bytes::slice(text, name.start.saturating_sub(24), name.start);
    let opened = own
        .iter()
        .rev()
        .find(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let follows = at(text, start + 1);
    matches!(quote, b'"' | b'\'' | b'`')
        && closed == name.end
        && opened == Some(&quote)
        && (matches!(
            follows,
            b',' | b')' | b';' | b']' | b'}' | b'\n' | b'>' | b'+' | b':' | 0
        ) || follows == b' ' && before(text, name.start) == quote)
}

/// A separator at `from`: its width, and whether it is a colon.
fn separator(text: &[u8], from: usize) -> Option<(usize, bool)> {
    #[rustfmt::skip]
    const LONG: &[&[u8]] = &[
        b"===", b"||=", b"??=", b"%3D", b"%3d", b":=", b"=>", b"==", b"?=", b"+=", b"!=", b"->",
        b"<-", b"~>",
    ];
    if let Some(long) = LONG
        .iter()
        .find(|long| bytes::slice(text, from, from + long.len()) == **long)
    {
        return Some((long.len(), false));
    }
    match at(text, from) {
        b'=' => Some((1, false)),
        b':' => Some((1, true)),
        0xEF if bytes::slice(text, from, from + 3) == "：".as_bytes() => Some((3, true)),
        _ => None,
    }
}

/// `str = `, `Optional[str] = ` after a colon: where the value begins.
fn annotation(text: &[u8], start: usize) -> Option<usize> {
    let kind = bytes::run(text, start, 40, |byte| {
        bytes::is_word(byte)
            || matches!(
                byte,
                b'[' | b']' | b'.' | b'|' | b'?' | b'<' | b'>' | b'&' | b'\''
            )
    });
    if kind == 0 || !at(text, start).is_ascii_alphabetic() && at(text, start) != b'&' {
        return None;
    }
    let after = spaces(text, start + kind);
    let assigns = at(text, after) == b'=' && !matches!(at(text, after + 1), b'=' | b'>');
    (assigns && after > start + kind).then(|| spaces(text, after + 1))
}

/// `define('DB_PASSWORD', 'x')`, `setPassword("x")`.
fn argument(text: &[u8], name: &Range<usize>, closed: usize) -> Option<Assignment> {
    let from = spaces(text, closed);
    let quoted_name = closed > name.end;
    let start = match at(text, from) {
        b',' if quoted_name && is_first_argument(text, name.start) => spaces(text, from + 1),
        b'(' if !quoted_name => spaces(text, from + 1),
        _ => return None,
    };
    if !value_span::is_quoted(text, start) {
        return None;
    }
    let span = value_span::value(text, start, false)?;
    Some(Assignment {
        form: Form::Argument,
        span,
    })
}

/// Whether a quoted name follows an opening bracket.
fn is_first_argument(text: &[u8], name: usize) -> bool {
    let quotes = bytes::run_back(text, name, 3, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
    let spaces = bytes::run_back(text, name - quotes, 2, |byte| byte == b' ');
    quotes > 0 && matches!(before(text, name - quotes - spaces), b'(' | b'{')
}

/// `… is value`, in the languages of the name list.
fn prose(text: &[u8], closed: usize) -> Option<Assignment> {
    #[rustfmt::skip]
    const VERBS: &[&str] = &[
        "is:", "is set to", "is", "lautet", "=", "was", "ist", "es", "est", "è", "é", "are", "are:", "это", "jest", "は",
        "是", "为",
    ];
    let from = closed + bytes::run(text, closed, 2, |byte| byte == b' ');
    let mut start = VERBS.iter().find_map(|verb| {
        let end = from + verb.len();
        let same = bytes::slice(text, from, end).eq_ignore_ascii_case(verb.as_bytes());
        let apart = at(text, end) == b' ' || !verb.is_ascii();
        (same && apart && (from > closed || !verb.is_ascii())).then(|| spaces(text, end))
    })?;
    start += bytes::run(text, start, 1, |byte| byte == b':');
    let span = value_span::value(text, spaces(text, start), false)?;
    Some(Assignment {
        form: Form::Prose,
        span,
    })
}

/// A value that follows its name after spaces alone, where that is the syntax.
fn flag(text: &[u8], name: &Range<usize>) -> Option<Assignment> {
    let start = spaces(text, name.end);
    if start == name.end || at(text, start) == b'-' && at(text, start + 1) == b'-' {
        return None;
    }
    let own = bytes::slice(text, name.start, name.end);
    let by = own.eq_ignore_ascii_case(b"identified")
        && bytes::slice(text, start, start + 3).eq_ignore_ascii_case(b"by ");
    let start = if by { spaces(text, start + 3) } else { start };
    let accepted = value_span::is_quoted(text, start)
        || before(text, name.start) == b'-'
        || follows_command(text, name.start, own.eq_ignore_ascii_case(b"password"));
    if !accepted {
        return None;
    }
    let span = value_span::value(text, start, false)?;
    Some(Assignment {
        form: Form::Flag,
        span,
    })
}

/// Whether the line before a name is `\set`, or that of a login in `.netrc`.
fn follows_command(text: &[u8], name: usize, is_password: bool) -> bool {
    let line = bytes::slice(text, line_start(text, name), name).trim_ascii();
    let sets = [&b"\\set"[..], b"set", b"setenv"]
        .iter()
        .any(|word| line.eq_ignore_ascii_case(word));
    let logs_in = || {
        line.is_empty()
            || memchr::memmem::find(line, b"login ").is_some()
            || line.starts_with(b"machine ")
    };
    sets || is_password && logs_in()
}

fn line_start(text: &[u8], at: usize) -> usize {
    at - bytes::run_back(text, at, 160, |byte| byte != b'\n')
}
