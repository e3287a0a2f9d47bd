//! Postal addresses: a street with its number, and the postal code and place that follow it.

mod eastern;
mod labelled;
mod street;
mod tail;
mod unworded;

use crate::EntityType;
use crate::detect::bytes;
use crate::detect::scanner::Scanner;
use crate::detect::{Detection, Score};
use std::ops::Range;

pub(in crate::detect) use eastern::SIGNS;
use street::Kind;
pub(in crate::detect) use street::STREETS;

/// Reports the address whose street is named by the word at `start`; index into [`STREETS`].
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, index: u16, start: usize) {
    let Some((word, kind)) = STREETS.get(usize::from(index)) else {
        return;
    };
    let word = start..start + word.len();
    let Some(street) = street::find(scanner.text, &word, *kind) else {
        return;
    };
    if street::is_public(bytes::slice(
        scanner.text,
        street.span.start,
        street.span.end,
    )) {
        return;
    }
    let end = tail::end(scanner.text, street.span.end);
    let has_tail = end > street.span.end
        && (*kind != Kind::PostBox || tail::has_code(scanner.text, street.span.end..end));
    if has_tail || street.is_plain {
        push(
            scanner,
            street.span.start..end,
            if end > street.span.end { 90 } else { 75 },
        );
    }
}

/// Reports the address whose postal code the digits at `start` may belong to.
#[inline]
pub(in crate::detect) fn scan_code(scanner: &mut Scanner<'_, '_>, start: usize, length: usize) {
    if unworded::may_be_code(scanner.text, start, length)
        && let Some(span) = unworded::find(scanner.text, start)
        && !street::is_public(bytes::slice(scanner.text, span.start, span.end))
    {
        push(scanner, span, 75);
    }
}

/// Reports the Chinese or Japanese address around a sign that many contain.
pub(in crate::detect) fn scan_sign(scanner: &mut Scanner<'_, '_>, start: usize) {
    if let Some(span) = eastern::find(scanner.text, start) {
        push(scanner, span, 85);
    }
}

/// Whether a member of this name holds a part of an address, and its text may be one.
pub(in crate::detect) fn is_member(name: &str, text: &str) -> bool {
    let name: String = name.chars().filter(char::is_ascii_alphabetic).collect();
    let name = name.to_ascii_lowercase();
    let is_one_of = |names: &[&str]| names.contains(&name.as_str());
    let has = |is: fn(char) -> bool| text.chars().any(is);
    if is_one_of(&tail::CODE_NAMES) {
        return tail::postal_end(text.as_bytes(), 0) == Some(text.len());
    }
    // `10.0.0.1`, `0x1f` and `https://…` are addresses of other kinds.
    let is_other = text.contains("://") || text.contains('@') || text.contains("::");
    is_one_of(&street::NAMES)
        && has(char::is_alphabetic)
        && has(|sign| sign.is_ascii_digit())
        && (text.contains(' ') || !text.is_ascii())
        && !is_other
}

fn push(scanner: &mut Scanner<'_, '_>, span: Range<usize>, percent: u8) {
    scanner.push(Detection {
        start: span.start,
        end: span.end,
        entity: EntityType::ADDRESS,
        score: Score::percent(percent),
        rule: "address",
    });
}
