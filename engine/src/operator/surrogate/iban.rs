//! Surrogates for bank accounts: valid check digits, but no real bank.

use super::KeyedSequence;

/// The country and the check digits.
const HEAD: usize = 4;

/// An account in the same country. The first half, with the bank, is zeros: no bank has that
/// number, except in Belgium.
pub(super) fn drawn(draw: &mut KeyedSequence, value: &str) -> Option<String> {
    let signs: Vec<char> = value.chars().filter(char::is_ascii_alphanumeric).collect();
    let country: String = signs.iter().take(2).collect();
    if signs.len() < 15 || country == "BE" || signs.iter().any(char::is_ascii_lowercase) {
        return None;
    }
    let half = (signs.len() - HEAD) / 2;
    let account: String = signs
        .iter()
        .skip(HEAD)
        .enumerate()
        .map(|(at, sign)| match (at < half, sign.is_ascii_digit()) {
            (true, true) => '0',
            (true, false) => 'X',
            (false, true) => draw.digit(),
            (false, false) => draw.letter(),
        })
        .collect();
    let check = 98 - remainder(&format!("{account}{country}00"));
    let number = format!("{country}{check:02}{account}");
    let mut number = number.chars();
    let sign = |c: char| {
        if c.is_ascii_alphanumeric() {
            number.next()
        } else {
            Some(c)
        }
    };
    Some(value.chars().filter_map(sign).collect())
}

/// What is left of a number with letters (A = 10) divided by 97.
fn remainder(number: &str) -> u32 {
    number.chars().fold(0, |rest, sign| {
        let digit = sign.to_digit(36).unwrap_or(0);
        let shift = if digit > 9 { 100 } else { 10 };
        (rest * shift + digit) % 97
    })
}
