//! The words around a number.

use crate::detect::bytes;

/// How far back a word may stand, in bytes.
const BACK: usize = 48;

/// Whether one of `words` (lower case) stands in the line before `start`.
pub(super) fn before(text: &[u8], start: usize, words: &[&str]) -> bool {
    within(text, start, BACK, words)
}

/// Whether one of `words` (lower case) stands in the `back` bytes before `start`, on the same line.
pub(super) fn within(text: &[u8], start: usize, back: usize, words: &[&str]) -> bool {
    let length = bytes::run_back(text, start, back, |byte| byte != b'\n');
    holds(bytes::slice(text, start - length, start), words)
}

/// Whether one of `words` (lower case) stands in the bytes before `start`, line ends included.
pub(super) fn above(text: &[u8], start: usize, back: usize, words: &[&str]) -> bool {
    holds(bytes::slice(text, start.saturating_sub(back), start), words)
}

/// Whether the line above ends with a label that holds one of `words`: `Phone:` and the number below it.
pub(super) fn labelled(text: &[u8], start: usize, words: &[&str]) -> bool {
    let gap = bytes::run_back(text, start, 8, |byte| byte.is_ascii_whitespace());
    let end = start - gap;
    bytes::before(text, end) == b':' && within(text, end, 24, words)
}

/// Whether one of `words` (lower case) follows `end`.
pub(super) fn after(text: &[u8], end: usize, words: &[&str]) -> bool {
    let gap = bytes::run(text, end, 2, |byte| matches!(byte, b' ' | b'-' | b'('));
    gap > 0
        && words.iter().any(|word| {
            bytes::begins(text, end + gap, word.as_bytes())
                && !bytes::at(text, end + gap + word.len()).is_ascii_alphanumeric()
        })
}

/// Whether one of `words` (lower case) begins a word of `window`.
fn holds(window: &[u8], words: &[&str]) -> bool {
    let firsts = bytes::Firsts::of(words);
    let mut previous = 0u8;
    window.iter().enumerate().any(|(index, &byte)| {
        let hump = previous.is_ascii_lowercase() && byte.is_ascii_uppercase();
        let starts = hump || !previous.is_ascii_alphabetic();
        previous = byte;
        starts
            && firsts.hold(byte)
            && words
                .iter()
                .any(|word| bytes::begins(window, index, word.as_bytes()))
    })
}
