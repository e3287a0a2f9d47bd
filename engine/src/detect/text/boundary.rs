//! Whether a number or word ends at a place.

use crate::detect::bytes::{self, at};

/// Whether more digits end at `end` than a date, a time or a port has.
fn is_long(text: &[u8], end: usize) -> bool {
    const MOST: usize = 8;
    bytes::run_back(text, end, MOST + 1, |byte| byte.is_ascii_digit()) > MOST
}

/// Whether nothing after `end` belongs to a number or word.
pub(in crate::detect) fn free_after(text: &[u8], end: usize) -> bool {
    let next = at(text, end);
    let following = at(text, end + 1);
    match next {
        b'%' => !is_percentage(text, end),
        b'_' | b'~' => is_emphasis(bytes::slice(text, end, text.len()).iter(), next),
        // `12:30`, but `+491712345678:x` and `4539148803436467:12:25`.
        b':' => !following.is_ascii_digit() || is_long(text, end),
        b'.' | b'-' => !following.is_ascii_alphanumeric(),
        b',' | b'/' => true,
        0x80.. => !begins_letter(text, end),
        _ => !next.is_ascii_alphanumeric(),
    }
}

/// Whether `%` at `end` follows a number of a few digits, as in `12.5 %`: a longer one is something else, which a
/// pattern may surround (`LIKE '%4111 1111 1111 1111%'`).
fn is_percentage(text: &[u8], end: usize) -> bool {
    const LONGEST: usize = 7;
    let length = bytes::run_back(text, end, LONGEST + 1, |byte| {
        byte.is_ascii_digit() || matches!(byte, b'.' | b',')
    });
    let start = end - length;
    let joins = matches!(bytes::before(text, start), b' ' | b'-' | b'/' | b')');
    let goes_on = joins && bytes::before(text, start - 1).is_ascii_digit();
    (1..=LONGEST).contains(&length) && !goes_on
}

/// Whether Markdown markers, not parts of a name, surround a number: `_…_`, `~~…~~`.
pub(in crate::detect) fn is_emphasis<'t>(outwards: impl Iterator<Item = &'t u8>, mark: u8) -> bool {
    let mut beyond = outwards.skip_while(|byte| **byte == mark);
    !beyond.next().is_some_and(|byte| bytes::is_word(*byte))
}

/// Whether a letter outside ASCII begins at `at`; ideographs and kana do not count, as they are
/// written without spaces.
fn begins_letter(text: &[u8], at: usize) -> bool {
    let window = bytes::slice(text, at, text.len().min(at + 4));
    first_char(window).is_some_and(joins_words)
}

pub(in crate::detect) fn ends_letter(text: &[u8], end: usize) -> bool {
    let back = (1..=4).find(|&back| {
        end.checked_sub(back)
            .is_some_and(|start| at(text, start) & 0xC0 != 0x80)
    });
    back.is_some_and(|back| begins_letter(text, end - back))
}

fn first_char(window: &[u8]) -> Option<char> {
    window.utf8_chunks().next()?.valid().chars().next()
}

fn joins_words(letter: char) -> bool {
    letter.is_alphabetic()
        && !matches!(letter, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}')
}
