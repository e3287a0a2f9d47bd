//! MAC addresses: `00:1a:2b:3c:4d:5e`, `00-1A-2B-3C-4D-5E`.

use super::push;
use crate::EntityType;
use crate::detect::Score;
use crate::detect::bytes::{self, at, before};
use crate::detect::text::scanner::Scanner;

pub(super) const LENGTH: usize = 17;
const PAIR: usize = 3;

/// Reports the address whose second colon is at `colon`.
pub(in crate::detect) fn find(scanner: &mut Scanner<'_, '_>, colon: usize) {
    let start = colon
        .checked_sub(5)
        .filter(|&start| is_address(scanner.text, start));
    if let Some(start) = start {
        push(
            scanner,
            start..start + LENGTH,
            EntityType::MAC_ADDRESS,
            Score::percent(90),
            "mac",
        );
    }
}

/// Where the address with dashes that contains this pair of digits begins.
pub(super) fn around_pair(text: &[u8], pair: usize) -> Option<usize> {
    (0..6).find_map(|index| {
        let start = pair.checked_sub(PAIR * index)?;
        is_address(text, start).then_some(start)
    })
}

fn is_address(text: &[u8], start: usize) -> bool {
    let address = bytes::slice(text, start, start + LENGTH);
    let joint = at(address, 2);
    let is_formed = address
        .iter()
        .enumerate()
        .all(|(index, byte)| match index % PAIR {
            2 => *byte == joint,
            _ => byte.is_ascii_hexdigit(),
        });
    let is_free = |byte: u8| !byte.is_ascii_alphanumeric() && byte != joint;
    let first = bytes::slice(address, 0, 2);
    let is_other = |pair: &[u8]| pair.get(..2) != Some(first);
    matches!(joint, b':' | b'-')
        && address.len() == LENGTH
        && is_formed
        && is_free(before(text, start))
        && is_free(at(text, start + LENGTH))
        // `00:00:00:00:00:00` and `ff:ff:…` name no adapter.
        && address.chunks(PAIR).any(is_other)
}
