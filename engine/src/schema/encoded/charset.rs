//! The character encodings of text files.

use std::borrow::Cow;

/// The encodings that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    /// A byte order mark counts as a character.
    Utf8,
    /// Each byte is a character: ISO 8859-1. Of Windows-1252 only punctuation is read as something else.
    Latin1,
    /// A byte order mark counts as a character.
    Utf16 { is_big_endian: bool },
}

impl Charset {
    /// What the beginning of a file says.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0xff, 0xfe, ..] => Self::Utf16 {
                is_big_endian: false,
            },
            [0xfe, 0xff, ..] => Self::Utf16 {
                is_big_endian: true,
            },
            _ => Self::Utf8,
        }
    }

    /// The one that a file is in whose type does not name it.
    pub(crate) fn guessed(bytes: &[u8]) -> Self {
        match Self::of(bytes) {
            Self::Utf8 if is_western(bytes) => Self::Latin1,
            Self::Utf8 => unmarked_wide(bytes).unwrap_or(Self::Utf8),
            charset => charset,
        }
    }

    /// The one that a content type or a parameter names, if it is read.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" | "us-ascii" | "ascii" => Some(Self::Utf8),
            "iso-8859-1" | "iso_8859-1" | "latin1" | "windows-1252" | "cp1252" => {
                Some(Self::Latin1)
            }
            "utf-16le" => Some(Self::Utf16 {
                is_big_endian: false,
            }),
            // Without a mark it is big-endian (RFC 2781).
            "utf-16be" | "utf-16" => Some(Self::Utf16 {
                is_big_endian: true,
            }),
            _ => None,
        }
    }

    /// The text of a file; `None` if the file is something else.
    pub(crate) fn read(self, bytes: Cow<'_, [u8]>) -> Option<Cow<'_, str>> {
        match (self, bytes) {
            (Self::Utf8, Cow::Borrowed(bytes)) => std::str::from_utf8(bytes).ok().map(Cow::from),
            (Self::Utf8, Cow::Owned(bytes)) => String::from_utf8(bytes).ok().map(Cow::from),
            (Self::Latin1, bytes) => Some(bytes.iter().copied().map(char::from).collect()),
            (Self::Utf16 { is_big_endian }, bytes) => read_wide(&bytes, is_big_endian),
        }
    }

    /// Whether it has all characters of a text.
    pub(crate) fn can_write(self, text: &str) -> bool {
        self != Self::Latin1 || text.chars().all(|c| u8::try_from(c).is_ok())
    }

    /// The file of a text, with `?` for characters that the encoding lacks.
    pub(crate) fn write(self, text: String) -> Vec<u8> {
        match self {
            Self::Utf8 => text.into_bytes(),
            Self::Latin1 => text
                .chars()
                .map(|c| u8::try_from(c).unwrap_or(b'?'))
                .collect(),
            Self::Utf16 { is_big_endian } => {
                let write = if is_big_endian {
                    u16::to_be_bytes
                } else {
                    u16::to_le_bytes
                };
                text.encode_utf16().flat_map(write).collect()
            }
        }
    }
}

/// Whether bytes are a text in Latin-1 or Windows-1252, and neither a damaged one in UTF-8 nor one in another encoding.
fn is_western(bytes: &[u8]) -> bool {
    let mut chunks = bytes.utf8_chunks();
    !bytes.is_ascii()
        && chunks.all(|chunk| chunk.valid().is_ascii())
        && is_mostly_ascii(bytes)
        && !is_of_other_letters(bytes)
}

fn is_mostly_ascii(bytes: &[u8]) -> bool {
    let printed = bytes
        .iter()
        .filter(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    let is_text = bytes.iter().all(|byte| super::is_printed(*byte));
    is_text && printed.count() * 5 >= bytes.len() * 4
}

/// Whether most letters that are not ASCII stand in words of such letters, as in Cyrillic, Greek or Japanese.
fn is_of_other_letters(bytes: &[u8]) -> bool {
    const SHORTEST_WORD: usize = 4;
    let others = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let words = bytes.split(u8::is_ascii);
    let words = words.filter(|word| word.len() >= SHORTEST_WORD && is_varied(word));
    words.map(<[u8]>::len).sum::<usize>() * 2 > others
}

/// Whether there are other bytes than repeated dashes and quotes.
fn is_varied(word: &[u8]) -> bool {
    let [first, .., last] = word else {
        return false;
    };
    word.iter().any(|byte| byte != first && byte != last)
}

/// UTF-16 without a mark, if the text begins with ASCII and consists mostly of Latin letters.
fn unmarked_wide(bytes: &[u8]) -> Option<Charset> {
    let is_big_endian = match bytes {
        [0, _, 0, _, ..] => true,
        [_, 0, _, 0, ..] => false,
        _ => return None,
    };
    let is_latin = |unit: &u16| (0x20..0x100).contains(unit) || (9..=13).contains(unit);
    let all = units(bytes, is_big_endian);
    let latin = units(bytes, is_big_endian).filter(is_latin).count();
    let is_mostly_latin = latin * 4 >= all.count() * 3;
    is_mostly_latin.then_some(Charset::Utf16 { is_big_endian })
}

fn read_wide(bytes: &[u8], is_big_endian: bool) -> Option<Cow<'static, str>> {
    let text: Result<String, _> = char::decode_utf16(units(bytes, is_big_endian)).collect();
    text.ok()
        .filter(|_| bytes.len().is_multiple_of(2))
        .map(Cow::from)
}

/// The units of UTF-16, without half of one at the end.
pub(super) fn units(bytes: &[u8], is_big_endian: bool) -> impl Iterator<Item = u16> {
    let read = if is_big_endian {
        u16::from_be_bytes
    } else {
        u16::from_le_bytes
    };
    bytes.as_chunks().0.iter().copied().map(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_and_encoding_round_trip() {
        for bytes in [
            "\u{feff}aü😀".as_bytes(),
            b"",
            b"\xff\xfe",
            b"\xff\xfea\0\xfc\0\x3d\xd8\x00\xde",
            b"\xfe\xff\0a\0\xfc\xd8\x3d\xde\x00",
        ] {
            let charset = Charset::of(bytes);
            let text = charset.read(Cow::Borrowed(bytes)).unwrap();
            assert_eq!(charset.write(text.into_owned()), bytes);
        }
        for (name, bytes) in [
            ("ISO-8859-1", &b"a\xfc\xff\x80"[..]),
            ("UTF-16LE", b"a\0\xfc\0"),
            ("utf-16", b"\0a\0\xfc"),
        ] {
            let charset = Charset::named(name).unwrap();
            let text = charset.read(Cow::Borrowed(bytes)).unwrap();
            assert!(text.starts_with("aü"));
            assert_eq!(charset.write(text.into_owned()), bytes);
        }
    }

    #[test]
    fn only_known_encodings_are_read() {
        assert_eq!(Charset::Latin1.write("łü".to_owned()), b"?\xfc");
        assert_eq!(Charset::named("shift_jis"), None);
    }

    #[test]
    fn incomplete_characters_are_not_text() {
        for bytes in [&b"\xff\xfea"[..], b"\xff\xfe\x3d\xd8", b"\xfe", b"\xfc"] {
            assert_eq!(Charset::of(bytes).read(bytes.into()), None);
        }
    }
}
