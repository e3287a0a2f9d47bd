//! What may come between a name and its value: a separator, a type, a tag, the quote of a label.

use super::assignment::{line_end, spaces};
use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// A separator at `from`: its width, and whether it is a colon.
pub(super) fn separator(text: &[u8], from: usize) -> Option<(usize, bool)> {
    #[rustfmt::skip]
    const LONG: &[&[u8]] = &[
        b"===", b"||=", b"??=", b"%3D", b"%3d", b":=", b"=>", b"==", b"?=", b"+=", b"!=", b"->",
        b"<-", b"~>",
    ];
    if !matches!(
        at(text, from),
        b'=' | b'|' | b'?' | b'%' | b':' | b'+' | b'!' | b'-' | b'<' | b'~' | b'.' | 0xEF
    ) {
        return None;
    }
    if let Some(long) = LONG
        .iter()
        .find(|long| bytes::slice(text, from, from + long.len()) == **long)
    {
        return Some((long.len(), false));
    }
    match at(text, from) {
        b'=' => Some((1, false)),
        b':' => Some((1, true)),
        b'%' if bytes::begins(text, from, b"%3a") => Some((3, true)),
        // `(password . "x")`
        b'.' if before(text, from) == b' ' && bytes::begins(text, from, b". \"") => {
            Some((2, false))
        }
        0xEF if bytes::slice(text, from, from + 3) == "：".as_bytes() => Some((3, true)),
        _ => None,
    }
}

/// `str = `, `Optional[str] = ` after a colon: where the value begins.
pub(super) fn annotation(text: &[u8], start: usize) -> Option<usize> {
    // `[u8; 32] = `
    let array =
        usize::from(at(text, start) == b'[') * bytes::run(text, start, 24, |byte| byte != b']');
    // `&'static str = `
    let lifetime = lifetime_length(text, start);
    let array = array + lifetime;
    let kind = array
        + bytes::run(text, start + array, 40, |byte| {
            bytes::is_word(byte)
                || matches!(
                    byte,
                    b'[' | b']' | b'.' | b'|' | b'?' | b'<' | b'>' | b'&' | b'\''
                )
        });
    if kind == 0
        || !at(text, start).is_ascii_alphabetic() && !matches!(at(text, start), b'&' | b'[' | b'_')
    {
        return None;
    }
    let after = spaces(text, start + kind);
    let assigns = at(text, after) == b'=' && !matches!(at(text, after + 1), b'=' | b'>');
    (assigns && after > start + kind).then(|| spaces(text, after + 1))
}

/// The length of a reference's lifetime with its space: `&'static `.
fn lifetime_length(text: &[u8], start: usize) -> usize {
    if bytes::slice(text, start, start + 2) != b"&'" {
        return 0;
    }
    let word = bytes::run(text, start + 2, 16, bytes::is_word);
    if at(text, start + 2 + word) == b' ' {
        word + 3
    } else {
        0
    }
}

/// Where the accessors of a property or the length of an array end that begin at `from`: `{ get; set; } = "x"`.
pub(super) fn accessors_end(text: &[u8], from: usize) -> usize {
    if at(text, from) == b'[' {
        let length = bytes::run(text, from + 1, 16, bytes::is_word);
        let end = from + 1 + length;
        let next = spaces(text, end + 1);
        let assigns = at(text, end) == b']' && at(text, next) == b'=';
        return if assigns { next } else { from };
    }
    if !bytes::begins(text, from, b"{ get") {
        return from;
    }
    let length = bytes::run(text, from, 40, |byte| !matches!(byte, b'}' | b'\n'));
    from + length + usize::from(at(text, from + length) == b'}')
}

/// Skips what PHP shows before a text: `["password"]=>`, `string(7) "x"` on the line below.
pub(super) fn dumped(text: &[u8], start: usize) -> usize {
    const KIND: &[u8] = b"string(";
    const LONGEST_COUNT: usize = 6;
    let line = line_end(text, start);
    let kind = spaces(text, line + usize::from(at(text, line) == b'\n'));
    let count = kind + KIND.len();
    let end = count + bytes::run(text, count, LONGEST_COUNT, |byte| byte.is_ascii_digit());
    let is_dumped = end > count
        && bytes::begins(text, kind, KIND)
        && bytes::slice(text, end, end + 3) == b") \"";
    if is_dumped { end + 2 } else { start }
}

/// Skips the tag or anchor of a value in YAML: `!!str x`, `&name x`.
pub(super) fn untagged(text: &[u8], start: usize) -> usize {
    const LONGEST: usize = 32;
    let length = match (at(text, start), at(text, start + 1)) {
        (b'!', b'!') | (b'&', b'a'..=b'z') => bytes::run(text, start, LONGEST, |byte| {
            byte.is_ascii_graphic() && byte != b';'
        }),
        (b'!', b'u') if bytes::begins(text, start, b"!unsafe ") => 7,
        _ => return start,
    };
    let next = spaces(text, start + length);
    if next > start + length { next } else { start }
}

/// Skips the space before a quote in a URL.
pub(super) fn encoded_space(text: &[u8], from: usize) -> usize {
    let after = [&b"%20"[..], b"+"]
        .iter()
        .find(|space| bytes::begins(text, from, space))
        .map(|space| from + space.len());
    after
        .filter(|&after| bytes::encoded_quote(text, after).is_some())
        .unwrap_or(from)
}

/// Whether the quote at `start` closes the one before the name: `"Password:"` is a label.
pub(super) fn closes_label(text: &[u8], name: &Range<usize>, closed: usize, start: usize) -> bool {
    let quote = at(text, start);
    let own = bytes::slice(text, name.start.saturating_sub(24), name.start);
    let opened = own
        .iter()
        .rev()
        .find(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let follows = at(text, start + 1);
    matches!(quote, b'"' | b'\'' | b'`')
        && closed == name.end
        && opened == Some(&quote)
        && (matches!(
            follows,
            b',' | b')' | b';' | b']' | b'}' | b'\n' | b'>' | b'+' | b':' | 0
        ) || follows == b' ' && before(text, name.start) == quote)
}
