//! Surrogates for card and US social security numbers.

use super::{KeyedSequence, digits_of, filled};

/// What cards begin with, and what test cards of the same issuer do.
const TEST_RANGES: [(&str, &str); 12] = [
    ("34", "378282"),
    ("37", "378282"),
    ("35", "356600"),
    ("30", "305693"),
    ("36", "305693"),
    ("38", "305693"),
    ("39", "305693"),
    ("62", "620000"),
    ("2", "222300"),
    ("4", "400000"),
    ("5", "555555"),
    ("6", "601111"),
];

pub(super) fn drawn(draw: &mut KeyedSequence, value: &str) -> Option<String> {
    let digits = digits_of(value);
    let range = TEST_RANGES
        .iter()
        .find(|(start, _)| digits.starts_with(start))?;
    let drawn = digits.len().checked_sub(range.1.len() + 1)?;
    let mut number = range.1.to_owned() + &draw.digits(drawn);
    number.push(luhn_digit(&number));
    Some(filled(value, &number))
}

/// The digit that a number needs for the sum of its digits, every second doubled, to end in 0.
fn luhn_digit(number: &str) -> char {
    let digits = number.bytes().rev().map(|digit| u32::from(digit - b'0'));
    let sum: u32 = digits
        .enumerate()
        .map(|(place, digit)| match (place % 2, digit) {
            (0, 5..) => 2 * digit - 9,
            (0, _) => 2 * digit,
            _ => digit,
        })
        .sum();
    char::from_digit((10 - sum % 10) % 10, 10).unwrap_or('0')
}

/// Numbers that begin with 666 were never issued.
pub(super) fn social_security(draw: &mut KeyedSequence, value: &str) -> Option<String> {
    let (group, serial) = (draw.between(1, 99), draw.between(1, 9999));
    let is_whole = digits_of(value).len() == 9;
    is_whole.then(|| filled(value, &format!("666{group:02}{serial:04}")))
}
