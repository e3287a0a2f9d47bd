//! Check digits and dates.

use super::tables::{Check, Date, Number};

/// Whether a number begins, has a date and adds up as its country's do.
pub(super) fn hold(number: &Number, id: &[u8]) -> bool {
    let begins = |prefix: &&str| id.starts_with(prefix.as_bytes());
    (number.prefixes.is_empty() || number.prefixes.iter().any(begins))
        && number.date.as_ref().is_none_or(|date| has_date(date, id))
        && number.checks.iter().all(|check| match check {
            Check::Sum { weights, modulus } => sum(id, weights).rem_euclid(*modulus) == 0,
            Check::Own(own) => own(id),
        })
        && !is_one_digit(id)
}

/// `000.000.000-00`
fn is_one_digit(id: &[u8]) -> bool {
    let mut digits = id.iter().filter(|byte| byte.is_ascii_digit());
    let first = digits.next();
    digits.all(|digit| Some(digit) == first)
}

/// The digits of a number times their weights; letters count as they do in [`value`].
pub(super) fn sum(id: &[u8], weights: &[i32]) -> i32 {
    let pairs = id.iter().zip(weights);
    pairs.map(|(&byte, weight)| value(byte) * weight).sum()
}

/// A digit's value; a letter's is 10 and more.
pub(super) fn value(byte: u8) -> i32 {
    if byte.is_ascii_digit() {
        i32::from(byte - b'0')
    } else {
        i32::from(byte.saturating_sub(b'A')) + 10
    }
}

/// The value of some digits; -1 if there are other characters, or no digits.
pub(super) fn number(id: &[u8], start: usize, count: usize) -> i64 {
    let digits = id.get(start..start + count).unwrap_or_default();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return -1;
    }
    digits
        .iter()
        .fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
}

fn has_date(date: &Date, id: &[u8]) -> bool {
    let letters = id.iter().take_while(|byte| byte.is_ascii_alphabetic());
    let skipped = if date.behind_letters {
        letters.count()
    } else {
        0
    };
    let number = |at: usize, count| number(id, skipped + at, count);
    let less = |number: i64, offsets: &[u8], most: i64| {
        let within = |offset: &u8| (1..=most).contains(&(number - i64::from(*offset)));
        offsets.iter().any(within)
    };
    let years = number(date.year, date.years);
    let in_living_memory = date.years == 2 || (1900..=2099).contains(&years);
    in_living_memory
        && less(number(date.month, 2), date.months, 12)
        && less(number(date.day, 2), date.days, 31)
}

/// ISO/IEC 7812-1, annex B.
pub(super) fn luhn(digits: &[u8]) -> bool {
    let doubled = |(place, &digit): (usize, &u8)| {
        let value = value(digit) << (place % 2);
        if value > 9 { value - 9 } else { value }
    };
    let sum: i32 = digits.iter().rev().enumerate().map(doubled).sum();
    sum % 10 == 0
}

/// Verhoeff's check: products in the dihedral group of order ten.
pub(super) fn verhoeff(digits: &[u8]) -> bool {
    const SWAPS: [u8; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let mut check = 0;
    for (place, &digit) in digits.iter().rev().enumerate() {
        let mut swapped = digit.saturating_sub(b'0') % 10;
        for _ in 0..place % 8 {
            swapped = SWAPS.get(usize::from(swapped)).copied().unwrap_or(0);
        }
        check = product(check, swapped);
    }
    check == 0
}

/// Of rotations (0 to 4) and reflections (5 to 9).
const fn product(first: u8, second: u8) -> u8 {
    match (first < 5, second < 5) {
        (true, true) => (first + second) % 5,
        (true, false) => (first + second - 5) % 5 + 5,
        (false, true) => (first - 5 + 5 - second) % 5 + 5,
        (false, false) => (first + 5 - second) % 5,
    }
}

/// The remainder of a long number whose letters count as two digits (ISO 7064).
pub(super) fn remainder(id: impl Iterator<Item = u8>, modulus: u64) -> u64 {
    id.fold(0, |rest, byte| {
        let value = u64::from(value(byte).unsigned_abs());
        let shift = if value > 9 { 100 } else { 10 };
        (rest * shift + value) % modulus
    })
}
