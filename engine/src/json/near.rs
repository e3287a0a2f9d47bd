//! Finds bytes that are likely near.
//!
//! Code and logs have an escape every few dozen bytes. There a vectorised search costs more to begin than it saves, so the
//! first bytes are searched here: block by block, and then word by word.

use memchr::{memchr, memchr2};

/// How many bytes are searched that way.
const NEAR: usize = 128;

/// How many bytes are compared at once: what a compiler turns into a few instructions.
const BLOCK: usize = 32;

type Word = u64;
const BYTES: usize = size_of::<Word>();
const LOW_BITS: Word = Word::MAX / 255;
const HIGH_BITS: Word = LOW_BITS << 7;

/// Where the first backslash stands.
pub(super) fn backslash(bytes: &[u8]) -> Option<usize> {
    let marks = |word| equal(word, b'\\');
    find(
        bytes,
        |byte| byte == b'\\',
        marks,
        |rest| memchr(b'\\', rest),
    )
}

/// Where the first quotation mark or backslash stands.
pub(super) fn quote_or_backslash(bytes: &[u8]) -> Option<usize> {
    let is_mark = |byte| byte == b'"' || byte == b'\\';
    let marks = |word| equal(word, b'"') | equal(word, b'\\');
    find(bytes, is_mark, marks, |rest| memchr2(b'"', b'\\', rest))
}

/// Where the first mark is: `is_mark` and `marks` look in the blocks and words at the beginning, `search` in the rest.
#[inline]
fn find(
    bytes: &[u8],
    is_mark: impl Fn(u8) -> bool,
    marks: impl Fn(Word) -> Word,
    search: impl Fn(&[u8]) -> Option<usize>,
) -> Option<usize> {
    let near = bytes.get(..NEAR).unwrap_or(bytes);
    // To the end of a block in any case, so that its bytes are compared at once.
    let holds = |block: &[u8; BLOCK]| block.iter().fold(false, |any, byte| any | is_mark(*byte));
    let blocks = near.as_chunks().0.iter();
    let mut at = blocks.take_while(|block| !holds(block)).count() * BLOCK;
    for word in near.get(at..)?.as_chunks::<BYTES>().0 {
        let marks = marks(Word::from_le_bytes(*word));
        if marks != 0 {
            return Some(at + marks.trailing_zeros() as usize / 8);
        }
        at += BYTES;
    }
    Some(at + search(bytes.get(at..)?)?)
}

/// The high bit of each byte that is this one. Above the first of them bits may be set by mistake.
#[inline]
fn equal(word: Word, byte: u8) -> Word {
    let differences = word ^ (LOW_BITS * Word::from(byte));
    differences.wrapping_sub(LOW_BITS) & !differences & HIGH_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_found_at_every_place_among_any_bytes() {
        for filler in [b'x', 0, 0x5b, 0x5d, 0x21, 0x23, 0x80, 0xdc, 0xff] {
            for length in [
                0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 170,
            ] {
                let mut bytes = vec![filler; length];
                assert_eq!(backslash(&bytes), None);
                assert_eq!(quote_or_backslash(&bytes), None);
                for at in (0..length).rev() {
                    bytes[at] = b'\\';
                    assert_eq!(backslash(&bytes), Some(at), "{filler} {length}");
                    assert_eq!(quote_or_backslash(&bytes), Some(at));
                }
                bytes.fill(filler);
                for at in (0..length).rev() {
                    bytes[at] = b'"';
                    assert_eq!(quote_or_backslash(&bytes), Some(at), "{filler} {length}");
                    assert_eq!(backslash(&bytes), None);
                }
            }
        }
    }
}
