//! Personal, document, account and vehicle numbers.
//!
//! A number with sufficient checks is found wherever a scan for digits meets it ([`find`]). Others
//! are found next to a word that names them ([`named`]). Country data is in `rules/ids`.

mod account;
mod checks;
mod column;
mod layout;
mod mac;
mod mrz;
pub(super) mod named;
mod own;
mod tables;
mod value;
mod vin;

use super::{key, wallet};
use crate::EntityType;
use crate::detect::bytes::{self, at, before};
use crate::detect::text::boundary::{ends_letter, free_after};
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score};
use std::ops::Range;

pub(in crate::detect) use account::{begins as begins_account, is_account};
pub(in crate::detect) use column::{HEADERS, scan as scan_column, scan_header};
pub(in crate::detect) use mac::find as find_mac_address;
pub(in crate::detect) use mrz::scan as scan_zone;
pub(in crate::detect) use named::{scan as scan_word, scan_bank, scan_birth, topic};
pub(in crate::detect) use tables::{MONTHS, WORDS};

/// Letters and digits from which on a word may be the address of a wallet.
const SHORTEST_WALLET: usize = 25;

/// Reports the number that the word around a digit begins, or belongs to; where it ends.
pub(in crate::detect) fn find(scanner: &mut Scanner<'_, '_>, start: usize) -> Option<usize> {
    let word = scanner.next_word(start)?;
    let key = key::around(scanner, &word).map(|key| (key, EntityType::API_KEY, "prefixed-key"));
    let (span, entity, rule) = key.or_else(|| proven(scanner.text, &word))?;
    let end = span.end;
    push(scanner, span, entity, Score::percent(95), rule);
    Some(end)
}

/// Whether a digit is in a word long enough to be a wallet address, which was not examined.
pub(in crate::detect) fn is_in_long_word(scanner: &Scanner<'_, '_>, start: usize) -> bool {
    let belongs = |byte: u8| byte.is_ascii_alphanumeric();
    let has_length = || {
        let behind = bytes::run(scanner.text, start, SHORTEST_WALLET, belongs);
        let before = bytes::run_back(scanner.text, start, SHORTEST_WALLET, belongs);
        behind + before >= SHORTEST_WALLET
    };
    let touches = belongs(before(scanner.text, start)) || belongs(at(scanner.text, start + 1));
    touches && !scanner.knows_word(start) && has_length()
}

fn push(
    scanner: &mut Scanner<'_, '_>,
    span: Range<usize>,
    entity: EntityType,
    score: Score,
    rule: &'static str,
) {
    scanner.push(Detection {
        start: span.start,
        end: span.end,
        entity,
        score,
        rule,
    });
}

type Proven = (Range<usize>, EntityType, &'static str);

/// What a word of letters and digits proves to be, together with what follows or, of an account, precedes it.
fn proven(text: &[u8], word: &Range<usize>) -> Option<Proven> {
    let own = bytes::slice(text, word.start, word.end);
    if let Some(span) = account::find(text, word) {
        return Some((span, EntityType::IBAN, "iban"));
    }
    let is_pair = own.len() == 2 && [before(text, word.start), at(text, word.end)].contains(&b'-');
    if is_pair && let Some(start) = mac::around_pair(text, word.start) {
        return Some((start..start + mac::LENGTH, EntityType::MAC_ADDRESS, "mac"));
    }
    if own.len() < SHORTEST_WALLET && !vin::is_checked(own) {
        let (span, number) = layout::find(text, word)?;
        return Some((span, number.entity.clone(), number.id));
    }
    if !begins_free(text, word.start) || !free_after(text, word.end) {
        return None;
    }
    if own.len() < SHORTEST_WALLET {
        return Some((word.clone(), EntityType::VIN, "vin"));
    }
    Some((word.clone(), EntityType::CRYPTO_WALLET, wallet::kind(own)?))
}

/// Whether a number that begins here is not part of something longer.
fn begins_free(text: &[u8], start: usize) -> bool {
    let ahead = start.checked_sub(1).map_or(0, |index| before(text, index));
    match before(text, start) {
        b'_' | b'$' | b'^' => false,
        b'-' | b'.' | b'/' | b'\\' => !ahead.is_ascii_alphanumeric(),
        0x80.. => !ends_letter(text, start),
        _ => true,
    }
}

/// Whether letters touch the digits at `start`.
pub(in crate::detect) fn touches_letter(text: &[u8], start: usize, length: usize) -> bool {
    before(text, start).is_ascii_alphabetic() || at(text, start + length).is_ascii_alphabetic()
}
