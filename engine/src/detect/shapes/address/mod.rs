//! Postal addresses: a street with its number, and the postal code and place that follow it.

mod eastern;
mod field;
mod labelled;
mod lead;
mod street;
mod tail;
mod unworded;

use crate::EntityType;
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score, bytes};
use std::ops::Range;

pub(in crate::detect) use eastern::SIGNS;
pub(in crate::detect) use field::{
    Column, LITERALS as FIELDS, column, is_member, scan as scan_field,
};
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
    let Some(end) = within_cell(scanner, street.span.start..end) else {
        return;
    };
    let has_tail = end > street.span.end
        && (!street.needs_code || tail::has_code(scanner.text, street.span.end..end));
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
        && within_cell(scanner, span.clone()) == Some(span.end)
    {
        push(scanner, span, 75);
    }
}

/// Where an address ends that is in a row of a table whose columns are known: at the end of its cell.
fn within_cell(scanner: &Scanner<'_, '_>, span: Range<usize>) -> Option<usize> {
    const LONGEST: usize = 512;
    let text = scanner.text;
    let Some(delimiter) = scanner.marks.personal_tables.delimiter(span.start) else {
        return Some(span.end);
    };
    let line = span.start - bytes::line_back(text, span.start, LONGEST);
    let line_end = span.start + bytes::run(text, span.start, LONGEST, |byte| byte != b'\n');
    let lead = bytes::slice(text, line, span.start);
    let is_quoted = memchr::memchr_iter(b'"', lead).count() % 2 == 1;
    // `12 Baker Street, London` in a sentence below the table
    let parts = |at: &usize| matches!(delimiter, b'|' | b'\t') || bytes::at(text, at + 1) != b' ';
    let mut delimiters = (line..line_end).filter(|&at| bytes::at(text, at) == delimiter);
    if !delimiters.any(|at| parts(&at)) {
        return Some(span.end);
    }
    let closes = |at: &usize| match bytes::at(text, *at) {
        b'\n' => true,
        b'"' => is_quoted,
        sign => sign == delimiter && !is_quoted && parts(at),
    };
    let end = (span.start..span.end).find(closes).unwrap_or(span.end);
    (end > span.start).then_some(end)
}

/// Reports the Chinese or Japanese address around a sign that many contain.
pub(in crate::detect) fn scan_sign(scanner: &mut Scanner<'_, '_>, start: usize) {
    if let Some(span) = eastern::find(scanner.text, start) {
        push(scanner, span, 85);
    }
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
