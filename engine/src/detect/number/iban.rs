//! Bank account numbers (ISO 13616), whose groups of digits are neither cards nor telephone numbers.

use crate::detect::bytes::{self, at, before};

const SHORTEST: usize = 15;
const LONGEST: usize = 34;
/// The country and the check digits.
const HEAD: usize = 4;
/// Farthest that an account number is followed back, spaces between its groups included.
const BACK: usize = 44;

/// Whether `start` lies in an account number that is printed in groups.
pub(super) fn covers(text: &[u8], start: usize) -> bool {
    let back = bytes::run_back(text, start, BACK, |byte| {
        byte.is_ascii_digit() || byte.is_ascii_uppercase() || byte == b' '
    });
    (start - back..start).any(|from| begins(text, from) && is_checked(text, from, start))
}

fn begins(text: &[u8], from: usize) -> bool {
    let head = bytes::slice(text, from, from + HEAD);
    let formed = matches!(head, [first, second, digits @ ..]
        if first.is_ascii_uppercase() && second.is_ascii_uppercase() && digits.iter().all(u8::is_ascii_digit));
    formed && !before(text, from).is_ascii_alphanumeric()
}

/// Whether the check digits are those of a number that begins at `from` and goes on behind `place`.
fn is_checked(text: &[u8], from: usize, place: usize) -> bool {
    let mut remainder = 0;
    let mut count = HEAD;
    let mut index = from + HEAD;
    while count <= LONGEST {
        let byte = at(text, index);
        if byte.is_ascii_digit() || byte.is_ascii_uppercase() {
            remainder = with(remainder, byte);
            count += 1;
            index += 1;
            continue;
        }
        let head = bytes::slice(text, from, from + HEAD);
        let whole = head.iter().fold(remainder, |sum, &byte| with(sum, byte));
        if count >= SHORTEST && index > place && whole == 1 {
            return true;
        }
        if byte != b' ' {
            return false;
        }
        index += 1;
        if at(text, index) == b' ' {
            return false;
        }
    }
    false
}

/// The remainder by 97 with one more character; letters count as two digits.
fn with(remainder: u32, byte: u8) -> u32 {
    if byte.is_ascii_digit() {
        (remainder * 10 + u32::from(byte - b'0')) % 97
    } else {
        (remainder * 100 + u32::from(byte.saturating_sub(b'A')) + 10) % 97
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_numbers_are_known_by_their_check_digits() {
        for (text, place) in [
            ("IBAN DE89 3704 0044 0532 0130 00 today", 10),
            ("GB82 WEST 1234 5698 7654 32", 10),
            ("to NL91 ABNA 0417 1643 00.", 13),
        ] {
            assert!(covers(text.as_bytes(), place), "{text}");
        }
        for (text, place) in [
            ("IBAN DE88 3704 0044 0532 0130 00 today", 10),
            ("PO12 4111 1111 1111 1111", 5),
            ("IBAN DE89 3704 0044 0532 0130 00 4111 1111 1111 1111", 33),
        ] {
            assert!(!covers(text.as_bytes(), place), "{text}");
        }
    }
}
