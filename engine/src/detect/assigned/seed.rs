//! Seed phrases of wallets (BIP-39): words that are a key together.

use super::syntax;
use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// Stems of names that a seed phrase is assigned to.
pub(super) const NAMES: &[&str] = &["mnemonic", "seed_phrase", "seed phrase", "recovery phrase"];
/// Words of a phrase; its length is a multiple of three.
const FEWEST: usize = 12;
const MOST: usize = 24;
/// Words that sentences have, and phrases have not.
#[rustfmt::skip]
const SAID: &[&[u8]] = &[
    b"and", b"are", b"but", b"for", b"from", b"has", b"not", b"the", b"was", b"with", b"your",
];

/// The phrase behind the name that ends at `end`, with a colon, an equals sign, a quote or a line end between.
pub(super) fn phrase(text: &[u8], end: usize) -> Option<Range<usize>> {
    let name = end + bytes::run(text, end, 24, bytes::is_word);
    let from = syntax::spaces(text, name);
    let verb = if bytes::begins(text, from, b"is ") {
        2
    } else {
        0
    };
    let from = from + verb;
    let gap = bytes::run(text, from, 16, |byte| {
        byte.is_ascii_whitespace() || b":=\"'`\\".contains(&byte)
    });
    let between = bytes::slice(text, from, from + gap);
    let separates = verb > 0 || between.iter().any(|byte| b":=\"'`\n".contains(byte));
    let start = from + gap;
    let mut stop = start;
    let mut count = 0;
    while separates && count <= MOST {
        let length = bytes::run(text, stop, 9, |byte| byte.is_ascii_lowercase());
        let word = bytes::slice(text, stop, stop + length);
        if !(3..=8).contains(&length) || SAID.contains(&word) {
            return None;
        }
        count += 1;
        stop += length;
        if at(text, stop) != b' ' || !at(text, stop + 1).is_ascii_lowercase() {
            break;
        }
        stop += 1;
    }
    let ends = !bytes::is_word(at(text, stop)) && before(text, stop) != b' ';
    let is_phrase = (FEWEST..=MOST).contains(&count) && count % 3 == 0;
    (is_phrase && ends).then_some(start..stop)
}
