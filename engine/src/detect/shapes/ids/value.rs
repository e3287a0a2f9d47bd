//! Values that a word may name: numbers that their format alone does not identify.

use super::{account, vin};
use crate::EntityType;
use crate::detect::bytes::{self, at};
use crate::detect::shapes::date;
use crate::detect::text::boundary::free_after;
use std::ops::{Range, RangeInclusive};

/// Longest number, with the signs between its groups.
const LONGEST: usize = 40;
/// From this length on a group is a number by itself: none follows after a space.
const LONG_GROUP: usize = 7;

/// The formats of a type's numbers.
struct Form {
    digits: RangeInclusive<usize>,
    letters: RangeInclusive<usize>,
    /// Of digits and letters.
    length: RangeInclusive<usize>,
}

const fn form(
    digits: RangeInclusive<usize>,
    letters: RangeInclusive<usize>,
    length: RangeInclusive<usize>,
) -> Form {
    Form {
        digits,
        letters,
        length,
    }
}

fn form_of(entity: &EntityType) -> Option<Form> {
    Some(match entity.as_str() {
        "NATIONAL_ID" => form(5..=18, 0..=11, 6..=22),
        "TAX_ID" => form(7..=18, 0..=7, 7..=20),
        "HEALTH_ID" => form(4..=20, 0..=7, 5..=22),
        "PASSPORT" => form(5..=12, 0..=4, 6..=14),
        "DRIVER_LICENSE" => form(4..=18, 0..=10, 5..=20),
        "BANK_ACCOUNT" => form(5..=26, 0..=5, 5..=28),
        "LICENSE_PLATE" => form(1..=6, 1..=6, 4..=8),
        _ => return None,
    })
}

/// Where the value of this type ends that begins here.
pub(super) fn end(text: &[u8], start: usize, entity: &EntityType) -> Option<usize> {
    match entity.as_str() {
        "DATE_OF_BIRTH" => date::end(text, start),
        "IBAN" => account_end(text, start),
        "VIN" => word_end(text, start, vin::is_formed),
        "CRYPTO_WALLET" => word_end(text, start, is_key_of_wallet),
        _ => number_end(text, start, &form_of(entity)?),
    }
}

/// Whether all of a cell is a value of this type.
pub(super) fn is_whole(cell: &[u8], entity: &EntityType) -> bool {
    // `1990.05.12.`, as in Hungary
    let dotted = || *entity == EntityType::DATE_OF_BIRTH && cell.ends_with(b".");
    let end = end(cell, 0, entity);
    end == Some(cell.len()) || dotted() && end == Some(cell.len() - 1)
}

fn word_end(text: &[u8], start: usize, is_it: fn(&[u8]) -> bool) -> Option<usize> {
    let length = bytes::run(text, start, 64, |byte| byte.is_ascii_alphanumeric());
    is_it(bytes::slice(text, start, start + length)).then_some(start + length)
}

/// Addresses without check digits, as those of Solana: Base58 of 32 bytes.
fn is_key_of_wallet(word: &[u8]) -> bool {
    let is_sign = |byte: &u8| !b"0OIl".contains(byte);
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    (32..=44).contains(&word.len())
        && word.iter().all(is_sign)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
}

/// An account after its word may be misspelled, so its check digits are not required.
fn account_end(text: &[u8], start: usize) -> Option<usize> {
    account::country(text, start)?;
    let number = Number::read(text, start);
    ((15..=34).contains(&number.length()) && number.digits > 7).then_some(number.end)
}

fn number_end(text: &[u8], start: usize, form: &Form) -> Option<usize> {
    let number = Number::read(text, start);
    let own = bytes::slice(text, start, number.end);
    let fits = form.digits.contains(&number.digits)
        && form.letters.contains(&number.letters())
        && form.length.contains(&number.length());
    // A word with digits in it is not a number: `x86_64`, `v2`, a hash.
    let is_word = number.lower > 2 || number.lower > 0 && number.upper > 0;
    (fits && !is_word && !is_other(text, start, own) && free_after(text, number.end))
        .then_some(number.end)
}

/// Dates, times and numbers of one digit.
fn is_other(text: &[u8], start: usize, own: &[u8]) -> bool {
    let first = own.iter().find(|byte| byte.is_ascii_digit());
    let is_plain = own
        .iter()
        .all(|byte| !byte.is_ascii_digit() || Some(byte) == first);
    let is_dated = date::end(text, start).is_some_and(|end| end >= start + own.len())
        && own.iter().any(|byte| matches!(byte, b'-' | b'/' | b'.'));
    is_plain || is_dated
}

/// Groups of letters and digits with single signs between.
#[derive(Default)]
struct Number {
    end: usize,
    digits: usize,
    upper: usize,
    lower: usize,
}

impl Number {
    fn read(text: &[u8], start: usize) -> Self {
        let mut number = Self::default();
        let mut group = group_at(text, start);
        let mut last_length = 0;
        while !group.is_empty() && group.end - start <= LONGEST {
            number.add(text, &group);
            last_length = group.len().max(last_length);
            let Some(next) = next_group(text, group.end, last_length, number.digits > 0) else {
                break;
            };
            group = next;
        }
        number
    }

    fn add(&mut self, text: &[u8], group: &Range<usize>) {
        for byte in bytes::slice(text, group.start, group.end) {
            match byte {
                b'0'..=b'9' => self.digits += 1,
                b'A'..=b'Z' => self.upper += 1,
                _ => self.lower += 1,
            }
        }
        self.end = group.end;
    }

    const fn letters(&self) -> usize {
        self.upper + self.lower
    }

    const fn length(&self) -> usize {
        self.digits + self.upper + self.lower
    }
}

fn group_at(text: &[u8], start: usize) -> Range<usize> {
    start..start + bytes::run(text, start, LONGEST, |byte| byte.is_ascii_alphanumeric())
}

/// The group that continues a number. After a space it must be short, like those before it, and
/// have a digit or be a letter.
fn next_group(text: &[u8], end: usize, longest: usize, has_digits: bool) -> Option<Range<usize>> {
    let (is_space, width) = match bytes::slice(text, end, end + 2) {
        [0xC2, 0xA0] => (true, 2),
        [b' ', ..] => (true, 1),
        [b'-' | b'.' | b'/', ..] => (false, 1),
        _ => return None,
    };
    let group = group_at(text, end + width);
    let own = bytes::slice(text, group.start, group.end);
    let has_digit = own.iter().any(u8::is_ascii_digit);
    let is_letter = own.len() == 1 && own.iter().all(u8::is_ascii_uppercase);
    let goes_on = if is_space {
        longest < LONG_GROUP
            && (own.len() < LONG_GROUP || !has_digits)
            && (has_digit || is_letter)
            && !matches!(at(text, group.end), b'/' | b':' | b'%')
            && !own.iter().any(u8::is_ascii_lowercase)
    } else {
        has_digit || is_letter
    };
    goes_on.then_some(group)
}
