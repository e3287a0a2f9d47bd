//! Passwords in the arguments of well-known calls, and in Go's data source names.

use crate::EntityType;
use crate::detect::bytes::{self, at, before};
use crate::detect::judge::Form;
use crate::detect::lexicon::value_class::Value;
use crate::detect::lexicon::vocabulary;
use crate::detect::syntax::assigned;
use crate::detect::syntax::forms::CALLS;
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score};
use std::ops::Range;

/// Longest argument, in bytes.
const LONGEST: usize = 256;

/// The shortest key of bytes in escapes.
const SHORTEST_BYTES: usize = 32;

/// Before the host of a data source name.
pub(in crate::detect) const HOSTS: &[&str] = &["@tcp(", "@unix("];

/// Examines the call that begins at `start`.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, call: u16, start: usize) {
    let Some(call) = CALLS.get(usize::from(call)) else {
        return;
    };
    let text = scanner.text;
    let mut from = start + call.opening.len();
    if call.pairs {
        return scan_pairs(scanner, from, call.mixed);
    }
    for _ in 0..call.place {
        let Some(comma) = argument_end(text, from) else {
            return;
        };
        from = comma + 1;
    }
    from += spaces(text, from);
    if let Some(argument) = quoted(text, assigned::opening_quote(text, from)) {
        report(scanner, argument, EntityType::SECRET, "call-argument");
    }
}

/// Examines `'bob': 'x', 'eve': 'y'` from `start` on.
fn scan_pairs(scanner: &mut Scanner<'_, '_>, start: usize, mixed: bool) {
    let text = scanner.text;
    let mut from = start;
    while let Some(value) = pair(text, from) {
        from = closed(text, value.end);
        from += spaces(text, from);
        let class = Value::of(scanner.str(value.start, value.end));
        if !mixed || is_chosen(&class) {
            report(scanner, value, EntityType::SECRET, "call-argument");
        }
        if at(text, from) != b',' {
            return;
        }
        from += 1;
    }
}

/// The value of a pair whose name is in quotes as well.
fn pair(text: &[u8], start: usize) -> Option<Range<usize>> {
    let name = quoted(text, start + spaces(text, start))?;
    let colon = closed(text, name.end);
    let colon = colon + spaces(text, colon);
    let from = colon + 1 + usize::from(bytes::slice(text, colon, colon + 2) == b"=>");
    matches!(at(text, colon), b':' | b'=').then(|| quoted(text, from + spaces(text, from)))?
}

/// Whether a value has characters of every kind, as only passwords have: no name, room or address.
fn is_chosen(class: &Value<'_>) -> bool {
    let is_other = class.holds_any(b" @:/.");
    class.has_upper && class.has_lower && class.has_digit && class.has_symbol && !is_other
}

/// The white space before an argument.
fn spaces(text: &[u8], from: usize) -> usize {
    bytes::run(text, from, 32, |byte| byte.is_ascii_whitespace())
}

/// The comma after the argument at `start`: a name, a text, an object or another call.
fn argument_end(text: &[u8], start: usize) -> Option<usize> {
    let mut from = start + spaces(text, start);
    let mut depth = 0_usize;
    while from < start + LONGEST {
        if let Some(inner) = quoted(text, from) {
            from = closed(text, inner.end);
            continue;
        }
        match at(text, from) {
            b',' if depth == 0 => return Some(from),
            b';' | b'\n' if depth == 0 => return None,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            0 => return None,
            _ => {}
        }
        from += 1;
    }
    None
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
pub(in crate::detect) fn scan_host(scanner: &mut Scanner<'_, '_>, sign: usize) {
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
    // `mein-geheimnis`: what is given as a secret may call itself one.
    let is_named = class.holds_any(b"-") && value.split('-').any(vocabulary::is_label);
    let is_distinct = class.length >= 4
        && (class.has_digit || class.length >= 8 && (!class.is_words() || is_named));
    let refers = class.is_placeholder() || value.starts_with(['$', '%', '{']);
    let is_text = class.has_space && !class.has_digit;
    // `b"caf\xc3\xa9"`, a text in some encoding.
    let is_encoded = class.length < SHORTEST_BYTES && bytes::holds(class.bytes(), b"\\x");
    if refers || is_text || is_encoded || class.is_path() {
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
