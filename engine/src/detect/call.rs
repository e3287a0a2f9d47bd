//! Passwords in the arguments of well-known calls, and in Go's data source names.

use super::assigned;
use super::bytes::{self, at, before};
use super::forms::CALLS;
use super::judge::Form;
use super::lexicon::value_class::Value;
use super::scanner::Scanner;
use super::{Detection, Score};
use crate::EntityType;
use std::ops::Range;

/// Longest argument, in bytes.
const LONGEST: usize = 256;

/// Before the host of a data source name.
pub(super) const HOSTS: &[&str] = &["@tcp(", "@unix("];

/// Examines the call that begins at `start`.
pub(super) fn scan(scanner: &mut Scanner<'_, '_>, call: u16, start: usize) {
    let Some(call) = CALLS.get(usize::from(call)) else {
        return;
    };
    let text = scanner.text;
    let mut from = start + call.opening.len();
    for index in 0..=call.place {
        from += bytes::run(text, from, 32, |byte| byte.is_ascii_whitespace());
        let quoted = quoted(text, from);
        if index == call.place {
            if let Some(argument) = quoted {
                report(scanner, argument, EntityType::SECRET, "call-argument");
            }
            return;
        }
        let next = quoted.map_or_else(
            || name_end(text, from),
            |argument| closed(text, argument.end),
        );
        from = next + bytes::run(text, next, 2, |byte| byte == b' ');
        if at(text, from) != b',' {
            return;
        }
        from += 1;
    }
}

/// Where a name, look-up, member or object in the place of an argument ends.
fn name_end(text: &[u8], start: usize) -> usize {
    if at(text, start) == b'{' {
        let length = bytes::run(text, start, LONGEST, |byte| !matches!(byte, b'}' | b'\n'));
        return start + length + usize::from(at(text, start + length) == b'}');
    }
    start
        + bytes::run(text, start, LONGEST, |byte| {
            bytes::is_word(byte) || b"$.:->[]\"'@".contains(&byte)
        })
}

/// A quoted argument without its quotes, which may have backslashes before them.
fn quoted(text: &[u8], start: usize) -> Option<Range<usize>> {
    let escaped = bytes::run(text, start, 3, |byte| byte == b'\\');
    let quote = at(text, start + escaped);
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let first = start + escaped + 1;
    let mut end = first;
    while end < first + LONGEST {
        let backslashes = bytes::run(text, end, LONGEST, |byte| byte == b'\\');
        let next = at(text, end + backslashes);
        if next == quote && (backslashes == escaped || backslashes % 2 == 0) {
            return Some(first..end + backslashes - escaped.min(backslashes));
        }
        if matches!(next, b'\n' | 0) {
            return None;
        }
        end += backslashes + 1;
    }
    None
}

/// Skips the quote that ends an argument, and what precedes it.
fn closed(text: &[u8], end: usize) -> usize {
    end + bytes::run(text, end, 4, |byte| byte == b'\\') + 1
}

/// Examines `user:password` before the host at `sign`.
pub(super) fn scan_host(scanner: &mut Scanner<'_, '_>, sign: usize) {
    let text = scanner.text;
    let window = bytes::slice(text, sign.saturating_sub(LONGEST), sign);
    if memchr::memchr(b':', window).is_none() {
        return;
    }
    let back = bytes::run_back(text, sign, LONGEST, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`' | b'/')
    });
    let start = sign - back;
    let Some(colon) = memchr::memchr(b':', bytes::slice(text, start, sign)) else {
        return;
    };
    if colon > 0
        && matches!(
            before(text, start),
            b'"' | b'\'' | b'`' | b' ' | b'\n' | b'=' | 0
        )
    {
        let password = start + colon + 1..sign;
        report(
            scanner,
            password,
            EntityType::URL_CREDENTIAL,
            "data-source-name",
        );
    }
}

fn report(
    scanner: &mut Scanner<'_, '_>,
    range: Range<usize>,
    entity: EntityType,
    rule: &'static str,
) {
    let value = scanner.str(range.start, range.end);
    let class = Value::of(value);
    let is_distinct =
        class.length >= 4 && (class.has_digit || class.length >= 8 && !class.is_words());
    let refers = class.is_placeholder() || value.starts_with(['$', '%', '{']);
    let is_text = class.has_space && !class.has_digit;
    if refers || is_text || class.is_path() {
        return;
    }
    if is_distinct || assigned::is_given(scanner, &range, Form::Argument) {
        scanner.push(Detection {
            start: range.start,
            end: range.end,
            entity,
            score: Score::percent(80),
            rule,
        });
    }
}
