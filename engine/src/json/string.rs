//! Decodes and encodes the text of a JSON string.

use std::borrow::Cow;

use memchr::memchr;

use super::Edit;
use super::near::InOrderFinder;

/// What a lone surrogate escape reads as. The escape itself stays in the document.
const REPLACEMENT: char = '\u{fffd}';

/// The content of a scanned string, decoded if it has an escape.
pub(crate) fn decoded(raw: &str) -> Cow<'_, str> {
    match memchr(b'\\', raw.as_bytes()) {
        None => Cow::Borrowed(raw),
        Some(_) => Cow::Owned(decode(raw)),
    }
}

/// Decodes the content of a scanned string.
pub(crate) fn decode(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut escapes = InOrderFinder::new(raw.as_bytes(), [b'\\']);
    let mut from = 0;
    while let Some(at) = escapes.next(from) {
        text.push_str(raw.get(from..at).unwrap_or_default());
        let (character, length) = unescape(raw.get(at..).unwrap_or_default());
        text.push(character);
        from = at + length;
    }
    text.push_str(raw.get(from..).unwrap_or_default());
    text
}

/// Whether a character stands for something that text can't contain, or may.
pub(crate) fn holds_replaced(text: &str) -> bool {
    // Nearly no text holds the first byte of its three.
    memchr(0xef, text.as_bytes()).is_some() && text.contains(REPLACEMENT)
}

/// Whether a character stands for something that text can't contain, or may.
pub(crate) fn is_replaced(c: char) -> bool {
    c == REPLACEMENT
}

/// The character of a text's first escape, and its length in bytes; `None` if it is not a JSON
/// escape.
pub(crate) fn escape(text: &str) -> Option<(char, usize)> {
    let is_whole = match text.as_bytes().get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => true,
        b'u' => text
            .get(2..6)?
            .bytes()
            .all(|digit| digit.is_ascii_hexdigit()),
        _ => false,
    };
    is_whole.then(|| unescape(text))
}

/// Whether every escape between two quotes is a JSON escape.
pub(crate) fn has_whole_escapes(written: &str) -> bool {
    let mut rest = written;
    while let Some(plain) = memchr(b'\\', rest.as_bytes()) {
        rest = rest.get(plain..).unwrap_or_default();
        let Some((_, length)) = escape(rest) else {
            return false;
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    true
}

/// The character of an escape, and its length in bytes.
fn unescape(escape: &str) -> (char, usize) {
    match escape.as_bytes().get(1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'u') => unicode_escape(escape),
        Some(&other) => (char::from(other), 2),
        None => (REPLACEMENT, escape.len()),
    }
}

fn unicode_escape(escape: &str) -> (char, usize) {
    let unit = |from: usize| u32::from_str_radix(escape.get(from..from + 4)?, 16).ok();
    let Some(first) = unit(2) else {
        return (REPLACEMENT, 2);
    };
    if (0xd800..0xdc00).contains(&first)
        && escape.get(6..8) == Some("\\u")
        && let Some(second @ 0xdc00..0xe000) = unit(8)
    {
        let scalar = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return (char::from_u32(scalar).unwrap_or(REPLACEMENT), 12);
    }
    (char::from_u32(first).unwrap_or(REPLACEMENT), 6)
}

/// Text as it is written between the quotes of a JSON string; most of it needs no escape.
pub(crate) fn escaped(text: String) -> String {
    // To the end in any case: without an early exit the loop handles many bytes at a time.
    let needs_any = text
        .bytes()
        .fold(false, |needs, byte| needs | needs_escape(byte));
    if !needs_any {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 8);
    escape_into(&mut out, &text);
    out
}

fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Appends text as it is written between the quotes of a JSON string, with no needless escape.
pub(crate) fn escape_into(out: &mut String, text: &str) {
    let mut plain_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if !needs_escape(byte) {
            continue;
        }
        out.push_str(text.get(plain_from..at).unwrap_or_default());
        plain_from = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => {
                out.push_str("\\u00");
                for nibble in [control >> 4, control & 15] {
                    out.push(char::from_digit(nibble.into(), 16).unwrap_or('0'));
                }
            }
        }
    }
    out.push_str(text.get(plain_from..).unwrap_or_default());
}

/// Moves edits of a string's decoded text into the document with the string.
///
/// `raw` is the content between the quotes, and `start` its position in the document. The edits
/// must be ordered and must not overlap. Their text is escaped here.
pub(crate) fn edits_in_string(raw: &str, start: usize, edits: Vec<Edit>, out: &mut Vec<Edit>) {
    if edits.is_empty() {
        return;
    }
    let is_plain = memchr(b'\\', raw.as_bytes()).is_none();
    let mut walk = Walk {
        raw,
        escapes: InOrderFinder::new(raw.as_bytes(), [b'\\']),
        escape: None,
        raw_at: 0,
        text_at: 0,
    };
    let mut raw_offset = |offset| {
        if is_plain {
            offset
        } else {
            walk.raw_offset(offset)
        }
    };
    out.extend(edits.into_iter().map(|edit| Edit {
        start: start + raw_offset(edit.start),
        end: start + raw_offset(edit.end),
        text: escaped(edit.text),
    }));
}

/// Walks a written string and its decoded text side by side, forwards only.
struct Walk<'r> {
    raw: &'r str,
    escapes: InOrderFinder<'r, 1>,
    /// The last escape that was found: a search for each edit would be quadratic.
    escape: Option<usize>,
    raw_at: usize,
    text_at: usize,
}

impl Walk<'_> {
    fn raw_offset(&mut self, text_offset: usize) -> usize {
        while self.text_at < text_offset {
            let wanted = text_offset - self.text_at;
            let escape = self.next_escape();
            let plain = escape.saturating_sub(self.raw_at);
            if plain >= wanted {
                self.raw_at += wanted;
                self.text_at = text_offset;
                break;
            }
            let (character, length) = unescape(self.raw.get(escape..).unwrap_or_default());
            if escape == self.raw.len() || length == 0 {
                break;
            }
            self.raw_at = escape + length;
            self.text_at += plain + character.len_utf8();
        }
        self.raw_at
    }

    /// Where the next escape stands, or the end.
    fn next_escape(&mut self) -> usize {
        let known = self.escape.filter(|escape| *escape >= self.raw_at);
        let next = known.or_else(|| self.escapes.next(self.raw_at));
        let next = next.unwrap_or(self.raw.len());
        self.escape = Some(next);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_decode_and_lone_surrogates_are_replaced() {
        assert_eq!(
            decode(r#"a\n\"\\\/\u00e9\ud83d\ude00\ud800x\udc00"#),
            "a\n\"\\/é😀\u{fffd}x\u{fffd}"
        );
        assert_eq!(decode(r"\ud83d\u0041"), "\u{fffd}A");
    }

    #[test]
    fn only_characters_that_json_requires_are_escaped() {
        let mut out = String::new();
        escape_into(&mut out, "<é\u{1}\n\"\\/>");
        assert_eq!(out, "<é\\u0001\\n\\\"\\\\/>");
    }

    #[test]
    fn edits_replace_escaped_text_and_keep_other_escapes() {
        let raw = r"\u0041\n\ud83d\ude00mail\u0020x";
        let text = decode(raw);
        let at = text.find("mail").unwrap();
        let edit = |start, end, text: &str| Edit {
            start,
            end,
            text: text.to_owned(),
        };
        let mut out = Vec::new();
        edits_in_string(
            raw,
            100,
            vec![edit(0, 1, "B"), edit(at, at + 4, "\"")],
            &mut out,
        );
        let at = raw.find("mail").unwrap() + 100;
        assert_eq!(out, [edit(100, 106, "B"), edit(at, at + 4, "\\\"")]);
    }
}
