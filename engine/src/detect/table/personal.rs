//! Numbers in columns that are headed as telephone or social security numbers.

use super::Kind;
use crate::EntityType;
use crate::detect::bytes;
use crate::detect::pass::Pass;
use crate::detect::{Detection, Score};
use std::ops::Range;

/// Parts of the names of such columns, as the scan looks for them.
pub(in crate::detect) const HEADERS: &[&str] = &["phone", "mobile", "telefon", "ssn", "social_sec"];

/// Looks at the column that the name around `start` heads.
pub(in crate::detect) fn look(pass: &mut Pass<'_, '_>, start: usize) {
    let text = pass.text;
    let in_name = |byte: u8| bytes::is_word(byte) || byte == b'-';
    let name = start - bytes::run_back(text, start, 24, in_name)
        ..start + bytes::run(text, start, 24, in_name);
    let is_phone = !matches!(bytes::at(text, start) | 0x20, b's');
    super::each_below(pass, Kind::PersonalNumbers, &name, |pass, cell| {
        let number = bytes::slice(text, cell.start, cell.end);
        if is_phone && is_phone_number(number) {
            push(pass, cell, EntityType::PHONE);
        } else if !is_phone && is_security_number(number) {
            push(pass, cell, EntityType::SSN);
        }
    });
}

fn push(pass: &mut Pass<'_, '_>, cell: Range<usize>, entity: EntityType) {
    pass.push(Detection {
        start: cell.start,
        end: cell.end,
        entity,
        score: Score::percent(80),
        rule: "column",
    });
}

/// Seven to fifteen digits, not all of them the same.
fn is_phone_number(cell: &[u8]) -> bool {
    let written = cell.iter().all(|&byte| {
        byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b' ' | b'(' | b')' | b'/')
    });
    let digits = cell.iter().filter(|byte| byte.is_ascii_digit());
    let mixed = digits.clone().any(|digit| Some(digit) != cell.last());
    written && mixed && (7..=15).contains(&digits.count())
}

/// Nine digits in one group or three, which are not all zeros.
fn is_security_number(cell: &[u8]) -> bool {
    let groups = || cell.split(|byte| matches!(byte, b'-' | b' ' | b'.'));
    let lengths = groups().map(<[u8]>::len);
    let shaped = lengths.clone().eq([9]) || lengths.eq([3, 2, 4]);
    shaped
        && groups().all(|group| group.iter().all(u8::is_ascii_digit))
        && groups().all(|group| group.iter().any(|&digit| digit != b'0'))
}
