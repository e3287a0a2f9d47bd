//! The text of codes that phones join a network by: `WIFI:T:WPA;S:home;P:hunter2;;`.

use crate::detect::bytes::{self, at};
use std::ops::Range;

/// Fields of a code, at most.
const MOST: usize = 6;
const LONGEST: usize = 128;

/// The password of the code that begins with a phrase.
pub(super) fn password(text: &[u8], phrase: &Range<usize>) -> Option<Range<usize>> {
    if bytes::slice(text, phrase.start, phrase.end) != b"WIFI:" {
        return None;
    }
    let mut start = phrase.end;
    for _ in 0..MOST {
        if at(text, start + 1) != b':' {
            return None;
        }
        let end = field_end(text, start + 2)?;
        if at(text, start) == b'P' {
            return (end > start + 2).then_some(start + 2..end);
        }
        start = end + 1;
    }
    None
}

/// Where the semicolon is that ends a field. A backslash makes one a part of the value.
fn field_end(text: &[u8], start: usize) -> Option<usize> {
    let mut end = start;
    while end < start + LONGEST {
        end += bytes::run(text, end, LONGEST, |byte| !b"\\;\n".contains(&byte));
        match at(text, end) {
            b';' => return Some(end),
            b'\\' => end += 2,
            _ => return None,
        }
    }
    None
}
