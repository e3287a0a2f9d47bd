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

/// Whether one of `words` (lower case) begins a word of `window`.
fn holds(window: &[u8], words: &[&str]) -> bool {
    (0..window.len()).any(|index| {
        let starts = !bytes::before(window, index).is_ascii_lowercase()
            || bytes::at(window, index).is_ascii_uppercase();
        starts && words.iter().any(|word| begins(window, index, word))
    })
}

fn begins(window: &[u8], index: usize, word: &str) -> bool {
    window
        .get(index..index + word.len())
        .is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
}
