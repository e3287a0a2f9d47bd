//! The machine-readable zone of travel documents (ICAO 9303): two lines of 44 or 36 characters, or
//! three of 30.

use super::checks::value;
use super::push;
use crate::EntityType;
use crate::detect::text::scanner::Scanner;
use crate::detect::{Score, bytes};
use std::ops::Range;

const LONGEST: usize = 44;
const MOST_LINES: usize = 3;

/// Reports the zone that has `<<<<` at `start` in one of its lines.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, start: usize) {
    let text = scanner.text;
    let Some(line) = line_around(text, start) else {
        return;
    };
    // Further signs of the same line find the same.
    if memchr::memmem::find(bytes::slice(text, line.start, start), b"<<<<").is_some() {
        return;
    }
    let mut zone = line.clone();
    let mut is_proven = is_checked(bytes::slice(text, line.start, line.end));
    for _ in 1..MOST_LINES {
        let next = line_around(text, next_line(text, zone.end));
        if let Some(next) = next.filter(|next| next.len() == line.len()) {
            is_proven |= is_checked(bytes::slice(text, next.start, next.end));
            zone.end = next.end;
        }
        let last = last_line(text, zone.start);
        if let Some(last) = last.filter(|last| last.len() == line.len()) {
            is_proven |= is_checked(bytes::slice(text, last.start, last.end));
            zone.start = last.start;
        }
    }
    if is_proven {
        push(
            scanner,
            zone,
            EntityType::PASSPORT,
            Score::MAX,
            "machine-readable-zone",
        );
    }
}

const fn is_sign(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'<'
}

/// The line around a place, when it has only the signs of a zone, and as many as one has.
fn line_around(text: &[u8], place: usize) -> Option<Range<usize>> {
    let start = place - bytes::run_back(text, place, LONGEST + 1, is_sign);
    let end = place + bytes::run(text, place, LONGEST + 1, is_sign);
    matches!(end - start, 30 | 36 | 44).then_some(start..end)
}

fn next_line(text: &[u8], end: usize) -> usize {
    end + bytes::run(text, end, 4, |byte| byte.is_ascii_whitespace())
}

fn last_line(text: &[u8], start: usize) -> Option<Range<usize>> {
    let end = start - bytes::run_back(text, start, 4, |byte| byte.is_ascii_whitespace());
    let last = end.checked_sub(1).filter(|_| end < start)?;
    line_around(text, last)
}

/// Whether the number of the document, or the dates of birth and expiry, have their check digits.
fn is_checked(line: &[u8]) -> bool {
    let holds = |number: Range<usize>| {
        let digit = line.get(number.end).filter(|digit| digit.is_ascii_digit());
        let own = line.get(number);
        own.zip(digit)
            .is_some_and(|(own, digit)| check(own) == value(*digit))
    };
    match line.len() {
        30 => holds(5..14) || holds(0..6) && holds(8..14),
        _ => holds(0..9) && holds(13..19) && holds(21..27),
    }
}

/// By weights 7, 3 and 1; `<` counts as zero.
fn check(signs: &[u8]) -> i32 {
    let weighted = signs.iter().zip([7, 3, 1].into_iter().cycle());
    let values = weighted.map(|(&sign, weight)| {
        if sign == b'<' {
            0
        } else {
            value(sign) * weight
        }
    });
    values.sum::<i32>() % 10
}
