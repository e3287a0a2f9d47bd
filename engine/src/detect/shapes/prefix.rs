//! Network prefix lengths.

use crate::detect::bytes::{self, at};

/// Moves `end` after the prefix length of an address: `/24`, at most `most` bits.
pub(in crate::detect) fn with_prefix(text: &[u8], end: usize, most: u32) -> usize {
    if at(text, end) != b'/' {
        return end;
    }
    let length = bytes::run(text, end + 1, 4, |byte| byte.is_ascii_digit());
    let stop = end + 1 + length;
    let digits = bytes::slice(text, end + 1, stop);
    let bits = digits
        .iter()
        .fold(0, |bits, digit| bits * 10 + u32::from(digit - b'0'));
    let padded = length > 1 && at(text, end + 1) == b'0';
    let goes_on = match at(text, stop) {
        b'.' => at(text, stop + 1).is_ascii_digit(),
        next => bytes::is_word(next) || next == b'/',
    };
    if length == 0 || padded || bits > most || goes_on {
        end
    } else {
        stop
    }
}
