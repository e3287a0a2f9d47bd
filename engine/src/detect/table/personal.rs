//! Numbers in columns named as phone or social security numbers.

use super::Kind;
use crate::EntityType;
use crate::detect::assigned::each_word;
use crate::detect::bytes;
use crate::detect::scanner::Scanner;
use crate::detect::shapes::ids;
use crate::detect::{Detection, Score};
use std::ops::Range;

/// Parts of the names of such columns, as the scan searches for them.
pub(in crate::detect) const HEADERS: &[&str] = &["phone", "mobile", "telefon", "ssn", "social_sec"];

/// Examines the table whose header contains the name around `start`; returns whether this decides
/// the value.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, start: usize) -> bool {
    let text = scanner.text;
    let in_name = |byte: u8| bytes::is_word(byte) || byte == b'-';
    let name = start - bytes::run_back(text, start, 24, in_name)
        ..start + bytes::run(text, start, 24, in_name);
    super::each_below(
        scanner,
        Kind::PersonalNumbers,
        &name,
        |text, name| heading(bytes::slice(text, name.start, name.end)),
        |scanner, entity, cell| {
            let number = bytes::slice(text, cell.start, cell.end);
            let is_number = match entity.as_str() {
                "PHONE" => is_phone_number(number),
                "SSN" => is_security_number(number),
                _ => ids::is_whole(number, entity),
            };
            if is_number {
                push(scanner, cell, entity.clone());
            }
        },
    )
}

/// The values below the name of a column.
fn heading(name: &[u8]) -> Option<EntityType> {
    #[rustfmt::skip]
    static PHONES: bytes::Words = bytes::Words::of(&[
        "phone", "phones", "telephone", "cellphone", "homephone", "workphone", "mobilephone", "phonenumber", "phoneno",
        "phonenr", "mobile", "mobilenumber", "mobileno", "telefon", "telefono", "telefone", "telefonnummer", "telefonnr",
        "mobiltelefon", "telefonnumer",
    ]);
    #[rustfmt::skip]
    static WITH_PHONE: bytes::Words = bytes::Words::of(&[
        "number", "numbers", "no", "nr", "num", "nummer", "home", "work", "office", "private", "business", "main",
        "primary", "secondary", "other", "alt", "e", "raw", "formatted", "contact", "day", "evening", "emergency",
    ]);
    let (mut phone, mut other, mut security, mut last) = (false, false, false, false);
    each_word(name, |word| {
        security |= word == b"ssn" || last && word.starts_with(b"sec");
        last = word == b"social";
        let is_phone = PHONES.hold(word);
        // The following word shows what is counted or named: `phone_id`.
        other |=
            phone && !is_phone && !WITH_PHONE.hold(word) && !word.iter().all(u8::is_ascii_digit);
        phone |= is_phone;
    });
    if security {
        return Some(EntityType::SSN);
    }
    if phone && !other {
        return Some(EntityType::PHONE);
    }
    ids::topic(name).cloned()
}

fn push(scanner: &mut Scanner<'_, '_>, cell: Range<usize>, entity: EntityType) {
    scanner.push(Detection {
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
