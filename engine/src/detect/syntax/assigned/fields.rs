//! Values in a field next to, before or below the field with their name.

use super::assignment::{self, Assignment};
use super::value_span::{self, Span};
use crate::detect::bytes::{self, at, before};
use crate::detect::judge::Form;
use crate::detect::text::Text;
use crate::detect::text::scanner::Scanner;
use std::ops::Range;

/// Fields that may come between a name and its value.
const MAX_BETWEEN: usize = 5;
/// Longest value that is read over, in bytes.
const LONGEST_OTHER: usize = 512;
/// Comments that may come between two fields.
const MAX_REMARKS: usize = 4;
/// How far before a name to search for its field, in bytes: parameters are named by their paths.
const LONGEST_PREFIX: usize = 48;
/// Longest value before its name, in bytes.
const LONGEST_BEFORE: usize = 256;

/// Fields that hold what another field names.
const VALUES: &[&[u8]] = &[
    b"value",
    b"parametervalue",
    b"default",
    b"defaultvalue",
    b"example",
];

/// Attributes that describe what is entered into a page's field.
const INPUTS: &[&[u8]] = &[b" type=\"", b" type='", b" id=\"", b" id='"];

/// `name: DB_PASSWORD` with `value: x` after it, as in manifests and XML attributes, or before it.
pub(super) fn pair(
    scanner: &mut Scanner<'_, '_>,
    name: &Range<usize>,
    closed: usize,
) -> Option<Assignment> {
    let text = scanner.text;
    let named = bytes::slice(text, name.start.saturating_sub(LONGEST_PREFIX), name.start);
    let leads = memchr::memchr2_iter(b'm', b'y', named).any(|last| {
        match bytes::slice(named, last.saturating_sub(2), last + 1) {
            [b'n' | b'N', b'a', b'm'] => at(named, last + 1) == b'e',
            [b'k' | b'K', b'e', b'y'] => true,
            _ => false,
        }
    });
    let is_input = INPUTS.iter().any(|key| named.ends_with(key));
    if !leads && !is_input {
        return None;
    }
    let form = Form::Pair;
    let between = if is_input { MAX_BETWEEN } else { 2 };
    let mut after =
        || (closed_gap(text, closed) > closed).then(|| field(scanner, closed, between))?;
    let span = after().or_else(|| value_before(text, name.start))?;
    Some(Assignment { form, span })
}

/// `variable "db_password" { default = "x" }`, `DbPassword:` with `Default: x` indented below it.
pub(super) fn block(scanner: &mut Scanner<'_, '_>, closed: usize) -> Option<Assignment> {
    let text = scanner.text;
    let from = assignment::spaces(text, closed);
    let opened = match at(text, from) {
        b'{' => from,
        b':' | b'=' => assignment::line_end(text, assignment::spaces(text, from + 1)),
        _ => return None,
    };
    let inside = match at(text, opened) {
        b'{' => opened + 1,
        b'\n' if matches!(at(text, opened + 1), b' ' | b'\t') => opened,
        _ => return None,
    };
    let span = field(scanner, inside, MAX_BETWEEN)?;
    let form = Form::Argument;
    Some(Assignment { form, span })
}

/// The value of the first non-empty field after `start`, if only small fields come before it.
pub(super) fn field(scanner: &mut Scanner<'_, '_>, start: usize, between: usize) -> Option<Span> {
    let text = scanner.text;
    let mut from = start;
    for _ in 0..=between {
        from = closed_gap(text, from);
        let length = bytes::run(text, from, 24, bytes::is_word);
        let key = bytes::slice(text, from, from + length);
        let separated = assignment::spaces(text, assignment::closers(text, from + length));
        if length == 0 || !matches!(at(text, separated), b':' | b'=') {
            return None;
        }
        let value = assignment::spaces(text, separated + 1);
        if VALUES.iter().any(|known| key.eq_ignore_ascii_case(known)) {
            return value_span::value(text, value, false);
        }
        let first = value + 1;
        from = match at(text, value) {
            quote @ (b'"' | b'\'') => {
                first
                    + bytes::run(text, first, LONGEST_OTHER, |byte| {
                        byte != quote && byte != b'\n'
                    })
            }
            b'[' => first + bytes::run(text, first, LONGEST_OTHER, |byte| byte != b']'),
            _ => scanner.others.end(text, first, LONGEST_OTHER, is_other),
        };
    }
    None
}

/// Skips what belongs to a value.
const fn is_other(byte: u8) -> bool {
    !matches!(
        byte,
        b',' | b'\n' | b'{' | b'}' | b'[' | b'<' | b'>' | b';' | b'"' | b'\''
    )
}

/// Skips what is between two fields, including comment lines.
fn closed_gap(text: &[u8], from: usize) -> usize {
    let mut from = from;
    for _ in 0..=MAX_REMARKS {
        from += bytes::run(text, from, 48, |byte| {
            byte.is_ascii_whitespace()
                || matches!(
                    byte,
                    b',' | b'"' | b'\'' | b'\\' | b'-' | b'{' | b'}' | b']'
                )
        });
        let remark = at(text, from) == b'#' || bytes::begins(text, from, b"//");
        if !remark {
            return from;
        }
        from += bytes::run(text, from, LONGEST_OTHER, |byte| byte != b'\n');
    }
    from
}

/// A value in the field, attribute or line before the one that holds its name.
fn value_before(text: &Text<'_>, name: usize) -> Option<Span> {
    field_before(text, name)
        .or_else(|| attribute_before(text, name))
        .or_else(|| line_before(text, name))
}

fn holds_value(text: &[u8], key: &Range<usize>) -> bool {
    let key = bytes::slice(text, key.start, key.end);
    VALUES.iter().any(|known| key.eq_ignore_ascii_case(known))
}

/// Where the run that ends at `end` begins, if all its bytes `belong`.
fn skip_back(text: &[u8], end: usize, belong: fn(u8) -> bool) -> usize {
    end - bytes::run_back(text, end, 24, belong)
}

fn spaces_back(text: &[u8], end: usize) -> usize {
    skip_back(text, end, |byte| byte.is_ascii_whitespace())
}

/// The value whose closing quote is at `end`.
fn quoted_before(text: &[u8], end: usize) -> Option<Span> {
    let window = bytes::slice(text, end.saturating_sub(LONGEST_BEFORE), end);
    let opens = |index: &usize| before(window, *index) != b'\\';
    let opening = memchr::memrchr_iter(at(text, end), window).find(opens)?;
    let start = end - window.len() + opening + 1;
    (start < end).then_some(Span {
        start,
        end,
        quoted: true,
        is_template: false,
    })
}

/// `<add value="x" key="DB_PASSWORD"/>`
fn attribute_before(text: &[u8], name: usize) -> Option<Span> {
    let key = |quote: usize| -> Option<Range<usize>> {
        let equals = quote.checked_sub(1)?;
        (at(text, equals) == b'=').then(|| skip_back(text, equals, bytes::is_word)..equals)
    };
    let own = key(name.checked_sub(1)?)?;
    let end = spaces_back(text, own.start).checked_sub(1)?;
    if end + 1 == own.start || !matches!(at(text, end), b'"' | b'\'') {
        return None;
    }
    let span = quoted_before(text, end)?;
    holds_value(text, &key(span.start.checked_sub(1)?)?).then_some(span)
}

/// `- value: x` on the line before `name: DB_PASSWORD`.
fn line_before(text: &Text<'_>, name: usize) -> Option<Span> {
    let colon = skip_back(text, name, |byte| matches!(byte, b' ' | b'"' | b'\''));
    let key = skip_back(text, colon.checked_sub(1)?, bytes::is_word);
    let line = skip_back(text, key, |byte| byte == b' ');
    if before(text, colon) != b':' || before(text, line) != b'\n' {
        return None;
    }
    let end = line - 1;
    let first = end - bytes::line_back(text, end, LONGEST_BEFORE);
    let start = first + bytes::run(text, first, 48, |byte| matches!(byte, b' ' | b'-'));
    let holder = start..start + bytes::run(text, start, 24, bytes::is_word);
    if !holds_value(text, &holder) || at(text, holder.end) != b':' {
        return None;
    }
    let span = value_span::value(text, assignment::spaces(text, holder.end + 1), false)?;
    let rest = bytes::slice(text, span.end, end).trim_ascii();
    (span.end <= end && matches!(rest, b"" | b"\"" | b"'")).then_some(span)
}

/// `{"value": "x", "name": "DB_PASSWORD"}`
fn field_before(text: &[u8], name: usize) -> Option<Span> {
    let key = |end: usize| -> Option<Range<usize>> {
        let colon = spaces_back(text, end.checked_sub(1)?);
        let quote = colon.checked_sub(1)?;
        let named = before(text, colon) == b':' && before(text, spaces_back(text, quote)) == b'"';
        let end = spaces_back(text, quote).checked_sub(1)?;
        named.then(|| skip_back(text, end, bytes::is_word)..end)
    };
    let own = key(name).filter(|_| before(text, name) == b'"')?;
    let comma = spaces_back(text, own.start.checked_sub(1)?);
    let end = spaces_back(text, comma.checked_sub(1)?).checked_sub(1)?;
    if before(text, comma) != b',' || at(text, end) != b'"' {
        return None;
    }
    let span = quoted_before(text, end)?;
    holds_value(text, &key(span.start)?).then_some(span)
}
