//! IBANs (ISO 13616), and bank codes (ISO 9362) near them.

use super::begins_free;
use super::tables::{ACCOUNTS, Account};
use crate::detect::bytes::{self, at};
use crate::detect::text::boundary::free_after;
use std::ops::Range;

/// The country and the check digits.
const HEAD: usize = 4;
/// How far before a word with digits an account may begin: at it, before `WEST ` of `GB82 WEST 1234`, and at `GB82 `.
const BEFORE: [usize; 3] = [0, 5, 10];
const LONGEST: usize = 34;

/// The account that a word with digits begins, or belongs to.
pub(super) fn find(text: &[u8], word: &Range<usize>) -> Option<Range<usize>> {
    BEFORE.into_iter().find_map(|distance| {
        let start = word.start.checked_sub(distance)?;
        let account = country(text, start)?;
        if !begins_free(text, start) || !bytes::begins_word(text, start) {
            return None;
        }
        let end = read(text, start, account)?;
        (end >= word.end).then_some(start..end)
    })
}

/// Whether the digits at `start` are the check digits of an account: `AZ17 XWWK RTAE …` has few others.
#[inline]
pub(in crate::detect) fn begins(text: &[u8], start: usize) -> bool {
    let is_behind_country = bytes::before(text, start).is_ascii_alphabetic()
        && at(text, start + 1).is_ascii_digit()
        && (at(text, start + 2) == b' ' || at(text, start + 2).is_ascii_alphabetic());
    is_behind_country
        && start
            .checked_sub(2)
            .is_some_and(|first| bytes::begins_word(text, first) && country(text, first).is_some())
}

/// Whether an account number with valid check digits begins at `start`.
pub(in crate::detect) fn is_account(text: &[u8], start: usize) -> bool {
    country(text, start).is_some_and(|account| read(text, start, account).is_some())
}

/// The account number of a cell or a text, which may be spaced.
pub(super) fn country(text: &[u8], start: usize) -> Option<&'static Account> {
    let [first, second, digits @ ..] = bytes::slice(text, start, start + HEAD) else {
        return None;
    };
    let code = [first.to_ascii_uppercase(), second.to_ascii_uppercase()];
    if !digits.iter().all(u8::is_ascii_digit) || !code.iter().all(u8::is_ascii_uppercase) {
        return None;
    }
    let place = ACCOUNTS.binary_search_by_key(&code, |account| account.country);
    ACCOUNTS.get(place.ok()?)
}

/// Where an account with its country's format and valid check digits ends; one kind of separator
/// may be between its groups.
fn read(text: &[u8], start: usize, account: &Account) -> Option<usize> {
    let mut places = Characters {
        text,
        index: start,
        joint: 0,
    };
    let mut own = [0; LONGEST];
    let mut count = 0;
    let head = [(2, b'a'), (2, b'n')];
    for (length, kind) in head.iter().chain(account.parts) {
        for _ in 0..*length {
            let byte = places.next()?;
            if !belongs(byte, *kind) {
                return None;
            }
            *own.get_mut(count)? = byte;
            count += 1;
        }
    }
    let (head, rest) = own.get(..count)?.split_at_checked(HEAD)?;
    let whole = rest.iter().chain(head).copied();
    let is_one_case =
        !(own.iter().any(u8::is_ascii_lowercase) && own.iter().any(u8::is_ascii_uppercase));
    let adds_up = super::checks::remainder(whole.map(|byte| byte.to_ascii_uppercase()), 97) == 1;
    (is_one_case && adds_up && free_after(text, places.index)).then_some(places.index)
}

const fn belongs(byte: u8, kind: u8) -> bool {
    match kind {
        b'n' => byte.is_ascii_digit(),
        b'a' => byte.is_ascii_alphabetic(),
        _ => byte.is_ascii_alphanumeric(),
    }
}

/// The letters and digits of a number in groups.
struct Characters<'t> {
    text: &'t [u8],
    index: usize,
    /// The separator between the groups; zero before the first one.
    joint: u8,
}

impl Characters<'_> {
    fn next(&mut self) -> Option<u8> {
        let sign = at(self.text, self.index);
        let is_joint =
            matches!(sign, b' ' | b'-' | b'.') && (self.joint == 0 || self.joint == sign);
        if is_joint {
            self.joint = sign;
            self.index += 1;
        } else if bytes::slice(self.text, self.index, self.index + 2) == b"\xC2\xA0" {
            self.index += 2;
        }
        let byte = at(self.text, self.index);
        self.index += 1;
        byte.is_ascii_alphanumeric().then_some(byte)
    }
}

/// Where the code of a bank ends that begins here: four letters, a country, two or five more signs.
pub(super) fn bank_end(text: &[u8], start: usize) -> Option<usize> {
    let code = bytes::run(text, start, 12, |byte| byte.is_ascii_alphanumeric());
    let own = bytes::slice(text, start, start + code);
    let country = own.get(4..6)?;
    let is_letters = own.get(..6)?.iter().all(u8::is_ascii_uppercase);
    let known = ACCOUNTS.iter().any(|account| account.country == country)
        || [
            b"US", b"CA", b"AU", b"NZ", b"JP", b"CN", b"HK", b"SG", b"IN", b"ZA", b"KR", b"MX",
        ]
        .iter()
        .any(|other| *other == country);
    let is_upper = !own.iter().any(u8::is_ascii_lowercase);
    (matches!(code, 8 | 11) && is_letters && is_upper && known).then_some(start + code)
}
