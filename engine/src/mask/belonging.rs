//! What belongs to a known value beside it: together they are another value.

use std::ops::Range;

use crate::detect::Reading;
use crate::{Detection, EntityType};

/// The longest name of a host, in bytes.
const LONGEST_DOMAIN: usize = 253;
/// The longest local part of an address, in bytes.
const LONGEST_LOCAL: usize = 64;
/// How far the rest of a key is followed, from a known part of it on to the next, in bytes.
const LONGEST_OF_KEY: usize = 24;

/// A known value in a text as it is written, with the rest of the address or the key that it is a part of.
pub(super) fn whole(text: &str, known: Detection) -> Detection {
    let Range { start, end } = around(text.as_bytes(), &known);
    Detection {
        start,
        end,
        ..known
    }
}

/// The same of one in a reading: where it stands in the text. What the text holds between its letters, such as the
/// backslash of an escape, ends it.
pub(super) fn whole_in(reading: &Reading<'_>, known: Detection) -> Option<Detection> {
    let Range { start, end } = around(reading.text.as_bytes(), &known);
    let mut own = reading.locate(known.start..known.end)?;
    for at in (start..known.start).rev() {
        match reading.locate(at..at + 1) {
            Some(before) if before.end == own.start => own.start = before.start,
            _ => break,
        }
    }
    for at in known.end..end {
        match reading.locate(at..at + 1) {
            Some(next) if next.start == own.end => own.end = next.end,
            _ => break,
        }
    }
    Some(Detection {
        start: own.start,
        end: own.end,
        ..known
    })
}

fn around(text: &[u8], known: &Detection) -> Range<usize> {
    let own = known.start..known.end;
    if known.entity == EntityType::EMAIL {
        address(text, own)
    } else if known.entity == EntityType::PRIVATE_KEY {
        key(text, own)
    } else {
        own
    }
}

/// `bob@corp.dev` is another address than `bob@corp.de`, and so is `jimbob@corp.de`. What ends a sentence is none of it.
fn address(text: &[u8], known: Range<usize>) -> Range<usize> {
    let is_local =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'+' | b'-');
    let is_domain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let start = before(text, known.start, LONGEST_LOCAL, is_local);
    let end = after(text, known.end, LONGEST_DOMAIN, is_domain);
    let head = text.get(start..known.start).unwrap_or_default();
    let rest = text.get(known.end..end).unwrap_or_default();
    let goes_on = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let first = head.iter().position(u8::is_ascii_alphanumeric);
    let last = rest.iter().rposition(u8::is_ascii_alphanumeric);
    let first = first.filter(|_| goes_on(head.last()));
    let last = last.filter(|_| goes_on(rest.first()));
    first.map_or(known.start, |first| start + first)
        ..last.map_or(known.end, |last| known.end + last + 1)
}

/// The base64 around a part of a key.
fn key(text: &[u8], known: Range<usize>) -> Range<usize> {
    let is_encoding = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let own = text.get(known.clone()).unwrap_or_default();
    if !own.iter().copied().all(is_encoding) {
        return known;
    }
    before(text, known.start, LONGEST_OF_KEY, is_encoding)
        ..after(text, known.end, LONGEST_OF_KEY, is_encoding)
}

/// Where the bytes end that follow a value and belong to it.
fn after(text: &[u8], end: usize, most: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(end..).unwrap_or_default().iter().take(most);
    end + rest.take_while(|byte| belongs(**byte)).count()
}

/// Where the bytes begin that stand before a value and belong to it, behind an escape.
fn before(text: &[u8], start: usize, most: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let head = text.get(..start).unwrap_or_default().iter().rev();
    let length = head.take(most).take_while(|byte| belongs(**byte)).count();
    let first = start - length;
    let own = text.get(first..start).unwrap_or_default();
    let sign = first.checked_sub(1).and_then(|sign| text.get(sign));
    (first + escape_length(sign, own)).min(start)
}

/// How many of these bytes are of the escape that begins before them: `\n`, `\u003c`, `%20`.
fn escape_length(sign: Option<&u8>, bytes: &[u8]) -> usize {
    match (sign, bytes.first()) {
        (Some(b'%'), _) => 2,
        (Some(b'\\'), Some(b'u')) => 5,
        (Some(b'\\'), Some(b'x')) => 3,
        (Some(b'\\'), _) => 1,
        _ => 0,
    }
}
