//! The heads of values that may stand in the readings of a text, but do not stand in it as it is written.
//!
//! With them, and with what is written, it shows whether a value can stand in a text, without reading the text again.

use std::sync::Arc;

use memchr::memchr;

use super::known::{SHORTEST, common_length};
use crate::detect::Reading;

/// A set of bytes, all of those outside ASCII as one.
pub(super) type Bytes = u128;

/// Stands for all bytes outside ASCII.
const NO_ASCII: u8 = 0x7f;

/// What JSON always escapes. Heads with one of these are not collected.
pub(super) const ALWAYS_ESCAPED: Bytes = u32::MAX as Bytes | bit(b'"') | bit(b'\\');

/// A text has at most one such head for so many bytes, and some more: of one with more, it is not worth it.
const BYTES_PER_HEAD: usize = 16;
const FEW: usize = 8;

pub(super) const fn bit(byte: u8) -> Bytes {
    1 << if byte.is_ascii() { byte } else { NO_ASCII }
}

/// The set of some bytes.
pub(super) fn set(bytes: &[u8]) -> Bytes {
    bytes.iter().fold(0, |all, byte| all | bit(*byte))
}

/// The heads that stand only in readings of a text, and the bytes that are escaped in it as it is written. Nothing of it
/// is readable without the key. Most texts have none.
#[derive(Debug, Clone)]
pub(crate) struct HiddenHeads(Option<Arc<Heads>>);

#[derive(Debug)]
struct Heads {
    key: u64,
    /// Sorted.
    keyed: Vec<u32>,
    escaped: Bytes,
}

impl HiddenHeads {
    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        let heads = self.0.as_deref();
        heads.map_or(0, |heads| size_of::<Heads>() + size_of_val(&*heads.keyed))
    }

    pub(super) fn escaped(&self) -> Bytes {
        self.0.as_deref().map_or(0, |heads| heads.escaped)
    }

    /// Whether one of the heads may be among them. If there are so many that it is faster to read a text of this length, none
    /// is looked up.
    pub(super) fn hold_any<'h>(
        &self,
        mut heads: impl ExactSizeIterator<Item = &'h [u8; SHORTEST]>,
        text_length: usize,
    ) -> bool {
        let Some(own) = self.0.as_deref().filter(|own| !own.keyed.is_empty()) else {
            return false;
        };
        let is_own =
            |head: &[u8; SHORTEST]| own.keyed.binary_search(&keyed(own.key, *head)).is_ok();
        heads.len() > FEW + text_length / BYTES_PER_HEAD || heads.any(is_own)
    }
}

/// Collects the heads of a text, or of all texts that a leaf holds.
#[derive(Debug)]
pub(crate) struct HeadCollector {
    key: u64,
    heads: Vec<u32>,
    /// Some were left out.
    is_full: bool,
}

impl HeadCollector {
    pub(crate) const fn new(key: u64) -> Self {
        Self {
            key,
            heads: Vec::new(),
            is_full: false,
        }
    }

    /// Adds those of a reading.
    pub(crate) fn add(&mut self, text: &str, reading: &Reading<'_>) {
        let read = reading.text;
        let mut at = 0;
        while let Some(first) = read.get(at..).and_then(|rest| rest.chars().next()) {
            self.is_full |= self.heads.len() > text.len();
            if self.is_full {
                return;
            }
            let behind = at + first.len_utf8();
            let source = reading.locate(at..behind);
            let source = source.and_then(|source| text.get(source.start..));
            let rest = read.as_bytes().get(at..).unwrap_or_default();
            let same = common_length(rest, source.unwrap_or_default().as_bytes());
            at = behind.max(read.floor_char_boundary(at + same));
            self.add_across(read.as_bytes(), at);
        }
    }

    /// Adds the heads that begin before a place and end behind it.
    fn add_across(&mut self, text: &[u8], place: usize) {
        let first = place.saturating_sub(SHORTEST - 1);
        let around = text.get(first..).unwrap_or_default();
        let around = around.get(..place - first + SHORTEST - 1).unwrap_or(around);
        let heads = around.array_windows::<SHORTEST>();
        let heads = heads.filter(|head| set(*head) & ALWAYS_ESCAPED == 0);
        self.heads.extend(heads.map(|head| keyed(self.key, *head)));
    }

    /// Adds those of another text in the same leaf.
    pub(crate) fn add_all(&mut self, others: &HiddenHeads) {
        if let Some(others) = &others.0 {
            self.heads.extend_from_slice(&others.keyed);
        }
    }

    /// The heads of a text, or of a leaf as it is written; `None` if there are too many, or what is escaped in it can't be
    /// told.
    pub(crate) fn of(mut self, text: &str) -> Option<HiddenHeads> {
        let escaped = escaped(text)?;
        self.heads.sort_unstable();
        self.heads.dedup();
        let most = FEW + text.len() / BYTES_PER_HEAD;
        let are_few = !self.is_full && self.heads.len() <= most;
        let has_any = escaped != 0 || !self.heads.is_empty();
        let heads = has_any.then_some(Heads {
            key: self.key,
            keyed: self.heads,
            escaped,
        });
        are_few.then(|| HiddenHeads(heads.map(Arc::new)))
    }
}

fn keyed(key: u64, head: [u8; SHORTEST]) -> u32 {
    let head = head
        .iter()
        .fold(0, |word, byte| word << 8 | u64::from(*byte));
    // The golden ratio's fraction spreads them.
    ((head ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

/// The bytes that escapes in a JSON string stand for, and those in JSON that it holds, besides those that are always
/// escaped; `None` where escapes may make up others.
fn escaped(written: &str) -> Option<Bytes> {
    let mut all = 0;
    let mut rest = written.as_bytes();
    while let Some(backslash) = memchr(b'\\', rest) {
        let escape = rest.get(backslash..).unwrap_or_default();
        let backslashes = escape.iter().take_while(|byte| **byte == b'\\').count();
        rest = escape.get(backslashes..).unwrap_or_default();
        match rest {
            [b'/', ..] => all |= bit(b'/'),
            [b'u', digits @ ..] => match code(digits) {
                Some(code) if code == b'\\' || code.is_ascii_alphanumeric() => return None,
                Some(code) => all |= bit(code),
                None => {}
            },
            _ => {}
        }
    }
    Some(all)
}

/// The character of four hexadecimal digits, as one byte; `None` if they are none.
fn code(digits: &[u8]) -> Option<u8> {
    let digits = digits.get(..4)?.iter();
    let digits = digits.map(|digit| char::from(*digit).to_digit(16));
    let code = digits.reduce(|code, digit| Some(code? << 4 | digit?))??;
    Some(u8::try_from(code).unwrap_or(NO_ASCII))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::each_reading;

    fn heads(text: &str) -> HiddenHeads {
        let mut all = HeadCollector::new(5);
        each_reading(text, &mut |reading| all.add(text, reading));
        all.of(text).unwrap()
    }

    #[test]
    fn heads_found_only_in_a_decoded_reading_are_kept() {
        let text = format!(
            "{}see p%40ssw0rd-1 and hun&#116;er22 there",
            "x ".repeat(200)
        );
        let heads = heads(&text);
        let holds = |head: &[u8; SHORTEST]| heads.hold_any([head].into_iter(), text.len());
        for head in [
            b"p@ssw0",
            b"hunter2".first_chunk().unwrap(),
            b"unter2",
            b" p@ssw",
        ] {
            let stands = text
                .as_bytes()
                .windows(SHORTEST)
                .any(|written| written == head);
            assert!(holds(head) || stands, "{head:?}");
        }
        assert!(holds(b"p@ssw0") && holds(b"unter2") && !holds(b"ssw0rd") && !holds(b"p@ssw1"));
    }

    #[test]
    fn text_without_encodings_has_no_heads() {
        assert_eq!(heads(&"see the log. ".repeat(40)).bytes(), 0);
    }

    #[test]
    fn escaped_characters_are_reported_or_unknown() {
        for (written, expected) in [
            (r"a\nb\\t\\\\n\\\x22", Some(0)),
            (r"a\/b", Some(bit(b'/'))),
            (r"\\\/", Some(bit(b'/'))),
            (r"\u003cb\u003E", Some(bit(b'<') | bit(b'>'))),
            (r"\u00e9\ud83d\ude00\\u00e9", Some(bit(NO_ASCII))),
            (r"\\users and \\u00", Some(0)),
            (r"\u0061", None),
            (r"\u005cn", None),
            (r"\\\u0075003c", None),
        ] {
            assert_eq!(escaped(written), expected, "{written}");
        }
    }
}
