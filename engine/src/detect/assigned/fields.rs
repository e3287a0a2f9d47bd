//! Values in another field than their name: beside it, before it, or below it.

use super::syntax::{self, Assignment, Form};
use super::value_span::{self, Span};
use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// Fields that may stand between a name and its value.
const MAX_BETWEEN: usize = 5;
/// Longest value that is read over, in bytes.
const LONGEST_OTHER: usize = 64;
/// Longest value before its name, in bytes.
const LONGEST_BEFORE: usize = 256;

/// Fields that hold what another field names.
const VALUES: &[&[u8]] = &[b"value", b"parametervalue", b"default", b"defaultvalue"];

/// `name: DB_PASSWORD` with `value: x` after it, as in manifests and XML attributes, or before it.
pub(super) fn pair(text: &[u8], name: &Range<usize>, closed: usize) -> Option<Assignment> {
    let named = bytes::slice(text, name.start.saturating_sub(16), name.start);
    let leads = [&b"name"[..], b"key", b"Name", b"Key"]
        .iter()
        .any(|word| bytes::holds(named, word));
    if !leads {
        return None;
    }
    let form = Form::Pair;
    let after = || (closed_gap(text, closed) > closed).then(|| field(text, closed, 2))?;
    let span = after().or_else(|| value_before(text, name.start))?;
    Some(Assignment { form, span })
}

/// `variable "db_password" { default = "x" }`, `DbPassword:` with `Default: x` indented below it.
pub(super) fn block(text: &[u8], closed: usize) -> Option<Assignment> {
    let from = syntax::spaces(text, closed);
    let opened = match at(text, from) {
        b'{' => from,
        b':' | b'=' => syntax::line_end(text, syntax::spaces(text, from + 1)),
        _ => return None,
    };
    let inside = match at(text, opened) {
        b'{' => opened + 1,
        b'\n' if matches!(at(text, opened + 1), b' ' | b'\t') => opened,
        _ => return None,
    };
    let span = field(text, inside, MAX_BETWEEN)?;
    let form = Form::Argument;
    Some(Assignment { form, span })
}

/// The value of the first field after `start` that holds one, when only small fields stand before it.
fn field(text: &[u8], start: usize, between: usize) -> Option<Span> {
    let mut from = start;
    for _ in 0..=between {
        from = closed_gap(text, from);
        let length = bytes::run(text, from, 24, bytes::is_word);
        let key = bytes::slice(text, from, from + length);
        let separated = syntax::spaces(text, syntax::closers(text, from + length));
        if length == 0 || !matches!(at(text, separated), b':' | b'=') {
            return None;
        }
        let value = syntax::spaces(text, separated + 1);
        if VALUES.iter().any(|known| key.eq_ignore_ascii_case(known)) {
            return value_span::value(text, value, false);
        }
        let quote = at(text, value);
        let within = |byte| match quote {
            b'"' | b'\'' => byte != quote && byte != b'\n',
            _ => is_other(byte),
        };
        from = value + 1 + bytes::run(text, value + 1, LONGEST_OTHER, within);
    }
    None
}

/// What belongs to a value that is read over.
const fn is_other(byte: u8) -> bool {
    !matches!(
        byte,
        b',' | b'\n' | b'{' | b'}' | b'[' | b'<' | b'>' | b';' | b'"' | b'\''
    )
}

/// Skips what stands between two fields.
fn closed_gap(text: &[u8], from: usize) -> usize {
    from + bytes::run(text, from, 48, |byte| {
        byte.is_ascii_whitespace()
            || matches!(byte, b',' | b'"' | b'\'' | b'\\' | b'-' | b'{' | b'}')
    })
}

/// `{"value": "x", "name": "DB_PASSWORD"}`
fn value_before(text: &[u8], name: usize) -> Option<Span> {
    let skip = |end: usize, belongs: fn(u8) -> bool| end - bytes::run_back(text, end, 24, belongs);
    let spaces = |end: usize| skip(end, |byte| byte.is_ascii_whitespace());
    let key = |end: usize| -> Option<Range<usize>> {
        let colon = spaces(end.checked_sub(1)?);
        let quote = colon.checked_sub(1)?;
        let named = before(text, colon) == b':' && before(text, spaces(quote)) == b'"';
        let end = spaces(quote).checked_sub(1)?;
        named.then(|| skip(end, bytes::is_word)..end)
    };
    let own = key(name).filter(|_| before(text, name) == b'"')?;
    let comma = spaces(own.start.checked_sub(1)?);
    let end = spaces(comma.checked_sub(1)?).checked_sub(1)?;
    if before(text, comma) != b',' || at(text, end) != b'"' {
        return None;
    }
    let window = bytes::slice(text, end.saturating_sub(LONGEST_BEFORE), end);
    let start = end - window.len() + memchr::memrchr(b'"', window)? + 1;
    let holder = key(start)?;
    let holds = bytes::slice(text, holder.start, holder.end);
    (VALUES.iter().any(|known| holds.eq_ignore_ascii_case(known)) && start < end).then_some(Span {
        start,
        end,
        quoted: true,
        is_template: false,
    })
}
