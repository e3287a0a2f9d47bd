//! Replies as UTF-8, and back: other bytes go through as they came.

use std::borrow::Cow;

use memchr::{memchr, memmem};

/// The encoding of a reply, in the middle of it.
#[derive(Debug)]
pub(super) struct Transcoder {
    coding: Coding,
    /// The beginning of a character.
    partial: Vec<u8>,
    /// Whether bytes that are no UTF-8 came by.
    has_stray: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Undecided { is_declared_wide: bool },
    Utf8,
    Utf16 { is_big_endian: bool },
}

/// Stands for a stray byte, which is added to it, in UTF-8. The last characters that there are, which stand for nothing.
const STRAY: u32 = 0x10_FF00;
/// Stands for half a surrogate pair in UTF-16.
const LONE: u32 = 0x10_F000;
/// The first half of a surrogate pair.
const FIRST_HALF: u32 = 0xD800;
const HALVES: u32 = 0x800;
/// What the characters from 0x10F000 on begin with in UTF-8.
const HEAD: &[u8] = b"\xf4\x8f";

impl Transcoder {
    /// For a reply with this content type.
    pub(super) fn new(content_type: &str) -> Self {
        let kind = content_type.to_ascii_lowercase();
        let charset = kind.split("charset=").nth(1).unwrap_or_default();
        let is_declared_wide = charset.trim_start_matches('"').starts_with("utf-16");
        Self {
            coding: Coding::Undecided { is_declared_wide },
            partial: Vec::new(),
            has_stray: false,
        }
    }

    /// The next bytes in UTF-8, without a character that is not complete.
    pub(super) fn decode<'c>(&mut self, chunk: &'c [u8]) -> Cow<'c, str> {
        let mut chunk = Cow::Borrowed(chunk);
        if !self.partial.is_empty() {
            let mut joined = std::mem::take(&mut self.partial);
            joined.extend_from_slice(&chunk);
            chunk = joined.into();
        }
        if let Coding::Undecided { is_declared_wide } = self.coding {
            let Some(coding) = Coding::of(&chunk, is_declared_wide) else {
                self.partial = chunk.into_owned();
                return Cow::Borrowed("");
            };
            self.coding = coding;
        }
        if let Coding::Utf16 { is_big_endian } = self.coding {
            return self.decode_wide(&chunk, is_big_endian).into();
        }
        match chunk {
            Cow::Borrowed(bytes) => match plain(bytes) {
                Some(text) => text.into(),
                None => self.decode_stray(bytes).into(),
            },
            Cow::Owned(bytes) => self.decode_stray(&bytes).into(),
        }
    }

    /// Whether no part of a character waits for the rest.
    pub(super) const fn is_between_characters(&self) -> bool {
        self.partial.is_empty()
    }

    /// The character that the reply ends in, as far as it came.
    pub(super) fn finish(&mut self) -> String {
        let partial = std::mem::take(&mut self.partial);
        self.has_stray |= !partial.is_empty();
        partial.iter().filter_map(|byte| stray(*byte)).collect()
    }

    /// Puts what was made of the reply into its encoding, from a place on.
    pub(super) fn encode(&self, out: &mut Vec<u8>, from: usize) {
        let is_utf8 = !matches!(self.coding, Coding::Utf16 { .. });
        let made = out.get(from..).unwrap_or_default();
        if is_utf8 && (!self.has_stray || !may_stand_for_others(made)) {
            return;
        }
        let made = String::from_utf8_lossy(made).into_owned();
        out.truncate(from);
        for letter in made.chars() {
            self.write(letter, out);
        }
    }

    fn write(&self, letter: char, out: &mut Vec<u8>) {
        let code = u32::from(letter);
        let stray = u8::try_from(code.wrapping_sub(STRAY)).ok();
        if let Some(byte) = stray.filter(|_| self.has_stray) {
            return out.push(byte);
        }
        let Coding::Utf16 { is_big_endian } = self.coding else {
            return out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        };
        let lone = code.wrapping_sub(LONE);
        let lone = u16::try_from(lone + FIRST_HALF)
            .ok()
            .filter(|_| lone < HALVES);
        let mut units = [0; 2];
        let units = match &lone {
            Some(lone) => std::slice::from_ref(lone),
            None => letter.encode_utf16(&mut units),
        };
        for unit in units {
            out.extend(if is_big_endian {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            });
        }
    }

    fn decode_stray(&mut self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len() + 8);
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            for letter in chunk.valid().chars() {
                match letter {
                    // It stands for something here, so its own bytes do, too.
                    _ if u32::from(letter) >= STRAY => {
                        let mut bytes = [0; 4];
                        let bytes = letter.encode_utf8(&mut bytes).bytes();
                        text.extend(bytes.filter_map(stray));
                        self.has_stray = true;
                    }
                    _ => text.push(letter),
                }
            }
            let rest = chunk.invalid();
            if chunks.peek().is_none() && may_go_on(rest) {
                self.partial = rest.to_vec();
            } else {
                self.has_stray |= !rest.is_empty();
                text.extend(rest.iter().filter_map(|byte| stray(*byte)));
            }
        }
        text
    }

    fn decode_wide(&mut self, bytes: &[u8], is_big_endian: bool) -> String {
        let read = if is_big_endian {
            u16::from_be_bytes
        } else {
            u16::from_le_bytes
        };
        let (pairs, odd) = bytes.as_chunks();
        let mut units: Vec<_> = pairs.iter().copied().map(read).collect();
        let is_open = units
            .pop_if(|unit| (0xD800..0xDC00).contains(unit))
            .is_some();
        let kept = odd.len() + if is_open { 2 } else { 0 };
        self.partial = bytes.get(bytes.len() - kept..).unwrap_or_default().to_vec();
        let halves = |text: &mut String, units: &[u16]| {
            text.extend(units.iter().filter_map(|unit| lone(*unit)));
        };
        let mut text = String::with_capacity(units.len());
        for letter in char::decode_utf16(units) {
            match letter {
                Ok(letter) if u32::from(letter) >= LONE => {
                    halves(&mut text, letter.encode_utf16(&mut [0; 2]));
                }
                Ok(letter) => text.push(letter),
                Err(error) => halves(&mut text, &[error.unpaired_surrogate()]),
            }
        }
        text
    }
}

impl Coding {
    /// That of a reply that begins so; `None` if too little of it is there.
    fn of(start: &[u8], is_declared_wide: bool) -> Option<Self> {
        let wide = |is_big_endian| Self::Utf16 { is_big_endian };
        match start {
            [] | [0xfe | 0xff] => None,
            [_] if is_declared_wide => None,
            [0xff, 0xfe, ..] => Some(wide(false)),
            [0xfe, 0xff, ..] => Some(wide(true)),
            // JSON and events begin with ASCII.
            [0, _, ..] if is_declared_wide => Some(wide(true)),
            [_, 0, ..] if is_declared_wide => Some(wide(false)),
            _ => Some(Self::Utf8),
        }
    }
}

/// A text in UTF-8 in which no character stands for a stray byte.
fn plain(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    (!may_stand_for_others(bytes)).then_some(text)
}

/// Whether bytes that are no UTF-8 are the beginning of a character.
fn may_go_on(bytes: &[u8]) -> bool {
    let error = std::str::from_utf8(bytes).err();
    error.is_some_and(|error| error.error_len().is_none())
}

fn stray(byte: u8) -> Option<char> {
    char::from_u32(STRAY + u32::from(byte))
}

fn lone(unit: u16) -> Option<char> {
    char::from_u32(LONE + u32::from(unit).checked_sub(FIRST_HALF)?)
}

/// Whether a text has characters that may stand for other bytes.
fn may_stand_for_others(text: &[u8]) -> bool {
    // Hardly any text has the first byte.
    memchr(0xf4, text).is_some() && memmem::find(text, HEAD).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(content_type: &str, bytes: &[u8], size: usize) -> (String, Vec<u8>) {
        let mut transcoder = Transcoder::new(content_type);
        let (mut text, mut out) = (String::new(), Vec::new());
        for chunk in bytes.chunks(size) {
            let decoded = transcoder.decode(chunk).into_owned();
            text.push_str(&decoded);
            let from = out.len();
            out.extend_from_slice(decoded.as_bytes());
            transcoder.encode(&mut out, from);
        }
        let last = transcoder.finish();
        let from = out.len();
        out.extend_from_slice(last.as_bytes());
        transcoder.encode(&mut out, from);
        (text + &last, out)
    }

    #[test]
    fn every_byte_survives_transcoding() {
        let wide =
            |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
        for bytes in [
            "aü😀".as_bytes().to_vec(),
            b"a\xffb\xc3".to_vec(),
            b"\xff".to_vec(),
            b"\xf0\x9f\x98".to_vec(),
            [b"\xff ", "\u{10ffc3}\u{10f801}ü".as_bytes()].concat(),
            ["\u{10ffc3}".as_bytes(), b"\xff"].concat(),
            wide("\u{feff}aü😀\u{10f801}\u{10ffc3}"),
            [wide("\u{feff}a"), vec![0x3d, 0xd8, b'a', 0, 0x00, 0xdc, 1]].concat(),
            vec![0xfe, 0xff, 0, b'a', 0xd8, 0x3d],
        ] {
            for size in 1..=bytes.len() {
                assert_eq!(through("", &bytes, size).1, bytes, "{size}");
            }
        }
    }

    #[test]
    fn utf16_is_recognized_by_byte_order_mark_or_charset() {
        let text = "{\"a\": \"ü😀\"}";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for size in [1, 3, 100] {
            for (kind, bytes) in [
                ("utf-16", &little),
                ("\"UTF-16\"", &big),
                ("utf-16le", &little),
            ] {
                let kind = format!("application/json; charset={kind}");
                assert_eq!(
                    through(&kind, bytes, size),
                    (text.to_owned(), bytes.clone())
                );
            }
            let marked = [b"\xfe\xff", &big[..]].concat();
            assert_eq!(
                through("text/event-stream", &marked, size).0,
                format!("\u{feff}{text}")
            );
        }
    }
}
