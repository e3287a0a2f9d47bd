//! The words around a number.

use crate::detect::bytes;

/// How far back most words may be, in bytes.
pub(in crate::detect) const BACK: usize = 48;

/// Words to search for, of two bytes or more in lower case.
pub(in crate::detect) struct Words(bytes::WordInitials);

impl Words {
    pub(in crate::detect) const fn of(all: &'static [&'static str]) -> Self {
        Self(bytes::WordInitials::of(all))
    }

    /// Whether one of the words begins a word of `window`.
    fn stand_in(&self, window: &[u8]) -> bool {
        // No word begins with a digit or punctuation, and rows of numbers contain nothing else.
        const LETTERS: u8 = 0xC0;
        window.iter().fold(0, |all, byte| all | byte) & LETTERS != 0
            && self.0.stand_in(window, |index| starts(window, index))
    }
}

/// Whether a word starts at `index`: after no letter, or at a hump.
fn starts(window: &[u8], index: usize) -> bool {
    let previous = bytes::before(window, index);
    let hump = previous.is_ascii_lowercase() && bytes::at(window, index).is_ascii_uppercase();
    hump || !previous.is_ascii_alphabetic()
}

/// Whether one of `words` is in the `back` bytes before `start`, on the same line.
pub(in crate::detect) fn within(text: &[u8], start: usize, back: usize, words: &Words) -> bool {
    let length = bytes::line_back(text, start, back);
    words.stand_in(bytes::slice(text, start - length, start))
}

/// Whether one of `words` is in the bytes before `start`, across line ends.
pub(in crate::detect) fn above(text: &[u8], start: usize, back: usize, words: &Words) -> bool {
    words.stand_in(bytes::slice(text, start.saturating_sub(back), start))
}

/// Whether the line above ends with a label that holds one of `words`: `Phone:` and the number below it.
pub(in crate::detect) fn labelled(text: &[u8], start: usize, words: &Words) -> bool {
    let gap = bytes::run_back(text, start, 8, |byte| byte.is_ascii_whitespace());
    let end = start - gap;
    bytes::before(text, end) == b':' && within(text, end, 24, words)
}

/// Whether one of `words` (lower case) follows `end`.
pub(in crate::detect) fn after(text: &[u8], end: usize, words: &[&str]) -> bool {
    let gap = bytes::run(text, end, 2, |byte| matches!(byte, b' ' | b'-' | b'('));
    gap > 0
        && !bytes::at(text, end + gap).is_ascii_digit()
        && words.iter().any(|word| {
            bytes::begins(text, end + gap, word.as_bytes())
                && !bytes::at(text, end + gap + word.len()).is_ascii_alphanumeric()
        })
}

/// Whether the word directly before `start` is one of `words` (lower case); spaces, quotes and
/// punctuation may come between.
pub(in crate::detect) fn is_after(text: &[u8], start: usize, words: &[&str]) -> bool {
    is_one_of(word_before(text, start).1, words)
}

/// Words of a label that say only that a number follows.
#[rustfmt::skip]
const NUMBERS: &[&str] = &["no", "nr", "num", "number", "nummer", "numero", "id", "ids", "code", "key"];

/// Whether the label right before `start` holds one of `words` (lower case): `tracking no. `, `invoice_id=`.
pub(in crate::detect) fn is_labelled(text: &[u8], start: usize, words: &[&str]) -> bool {
    let (first, last) = word_before(text, start);
    is_one_of(last, words) || is_one_of(last, NUMBERS) && is_after(text, first, words)
}

/// Whether a number is the value of a field whose name contains one of `words` (lower case):
/// `order: `, `"invoiceId": "`. In a sentence the word before a number may belong to something
/// else.
pub(in crate::detect) fn is_field(text: &[u8], start: usize, words: &[&str]) -> bool {
    let spaces = bytes::run_back(text, start, 2, |byte| byte == b' ');
    let sign = bytes::before(text, start - spaces);
    matches!(sign, b':' | b'=' | b'#' | b'"' | b'\'' | b'_' | b'>')
        && is_labelled(text, start, words)
}

fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    words
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// The letters directly before `start`, from their last hump on, and their position: `id` of
/// `userId: `.
fn word_before(text: &[u8], start: usize) -> (usize, &[u8]) {
    let gap = bytes::run_back(text, start, 4, |byte| {
        byte.is_ascii_punctuation() || byte == b' '
    });
    let end = start - gap;
    let length = bytes::run_back(text, end, 16, |byte| {
        byte.is_ascii_alphabetic() || byte >= 0x80
    });
    let word = bytes::slice(text, end - length, end);
    let hump = word.windows(2).rposition(|pair| {
        matches!(pair, [first, second] if first.is_ascii_lowercase() && second.is_ascii_uppercase())
    });
    let first = end - length + hump.map_or(0, |index| index + 1);
    (first, bytes::slice(text, first, end))
}
