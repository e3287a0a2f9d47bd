//! The mappings of a source map (ECMA-426), whose segments look like words in capitals:
//! `"mappings":"AAAA,SAAS,EAAE;AACF"`.

use crate::detect::bytes;

/// How many segments in a row are mappings, and not a list of words.
const FEWEST: usize = 6;
/// Among how many of the first segments there is a small letter, which names listed in capitals do not have.
const SMALL_WITHIN: usize = 16;

/// Where the mappings end whose segment begins at `start`. `None` if there are none.
#[inline]
pub(super) fn end(text: &[u8], start: usize) -> Option<usize> {
    let may_begin = matches!(bytes::before(text, start), b',' | b';' | b'"');
    (may_begin && !bytes::at(text, start + 1).is_ascii_lowercase())
        .then(|| run_end(text, start))
        .flatten()
}

fn run_end(text: &[u8], start: usize) -> Option<usize> {
    let mut end = start;
    let mut segments = 0;
    let mut has_small = false;
    while let Some(length) = segment(bytes::slice(text, end, text.len())) {
        let own = bytes::slice(text, end, end + length);
        has_small |= own.iter().any(u8::is_ascii_lowercase);
        segments += 1;
        if segments == SMALL_WITHIN && !has_small {
            return None;
        }
        end += length;
        end += bytes::run(text, end, text.len(), |byte| matches!(byte, b',' | b';'));
    }
    (segments >= FEWEST && has_small).then_some(end)
}

/// The length of the segment that `text` begins with: one number, or four or five, of which the second tells the source,
/// mostly the same as before or the next one.
fn segment(text: &[u8]) -> Option<usize> {
    const LONGEST: usize = 40;
    let mut numbers = 0;
    let mut is_within = false;
    let mut length = 0;
    while let Some((digit, is_last)) = text.get(length).and_then(|byte| base64_vlq(*byte)) {
        let is_next_source = numbers == 1 && !(is_last && digit <= 2);
        if is_next_source || length == LONGEST {
            return None;
        }
        numbers += usize::from(is_last);
        is_within = !is_last;
        length += 1;
    }
    (!is_within && matches!(numbers, 1 | 4 | 5)).then_some(length)
}

/// The five bits of a digit, and whether the number ends with it.
const fn base64_vlq(byte: u8) -> Option<(u8, bool)> {
    let digit = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some((digit & 31, digit < 32))
}
