//! The rest of a line behind a label for addresses: `Adresse: C 4, 12, 68159 Mannheim`.

use super::street::Street;
use super::tail;
use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// The longest label and the longest address, in bytes.
const LONGEST_LABEL: usize = 32;
const LONGEST: usize = 120;

/// The address that fills the line behind the label that ends with `word`.
pub(super) fn find(text: &[u8], word: &Range<usize>) -> Option<Street> {
    let label = bytes::run_back(text, word.end - 1, LONGEST_LABEL, |byte| {
        byte.is_ascii_alphabetic() || byte >= 0x80 || matches!(byte, b' ' | b':' | b'-')
    });
    let label = word.end - 1 - label;
    let begins_line = matches!(before(text, label), b'\n' | b'|' | b'*' | 0);
    let length = bytes::run(text, word.end, LONGEST, |byte| {
        !matches!(byte, b'\n' | b'\r')
    });
    let line = bytes::slice(text, word.end, word.end + length).trim_ascii_end();
    let end = tail::before_label(text, word.end..word.end + line.len());
    let closes = matches!(at(text, word.end + length), b'\n' | b'\r' | 0);
    (begins_line && closes && is_address(text, word.end..end)).then_some(Street {
        span: word.end..end,
        is_plain: true,
        needs_code: false,
    })
}

/// Whether a line is an address: a number, a comma, and a postal code or a place, and nothing of addresses in networks.
fn is_address(text: &[u8], line: Range<usize>) -> bool {
    let own = bytes::slice(text, line.start, line.end);
    let has = |sign: u8| memchr::memchr(sign, own).is_some();
    let is_other = own.iter().any(|byte| b"@{}[]<>=;\"`_".contains(byte))
        || memchr::memmem::find(own, b"//").is_some();
    // `10.0.0.1, port 8080`
    let is_dotted = own.windows(3).any(|sign| matches!(sign, [before, b'.', after] if before.is_ascii_digit() && after.is_ascii_digit()));
    let is_other = is_other || is_dotted || !own.iter().any(u8::is_ascii_uppercase);
    let has_digit = own.iter().any(u8::is_ascii_digit);
    let mut words = line
        .clone()
        .filter(|&index| bytes::begins_word(text, index));
    has_digit
        && has(b',')
        && !is_other
        && words
            .any(|index| tail::postal_end(text, index).is_some() || tail::known_place(text, index))
}
