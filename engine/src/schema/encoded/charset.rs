//! The character encodings of text files.

use std::borrow::Cow;

/// The encodings that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    /// A byte order mark counts as a character.
    Utf8,
    /// UTF-16 behind its byte order mark.
    Utf16 { is_big_endian: bool },
}

const LITTLE_ENDIAN: [u8; 2] = [0xff, 0xfe];
const BIG_ENDIAN: [u8; 2] = [0xfe, 0xff];

impl Charset {
    /// What the beginning of a file says.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        if bytes.starts_with(&LITTLE_ENDIAN) {
            Self::Utf16 {
                is_big_endian: false,
            }
        } else if bytes.starts_with(&BIG_ENDIAN) {
            Self::Utf16 {
                is_big_endian: true,
            }
        } else {
            Self::Utf8
        }
    }

    /// The text of a file; `None` if the file is something else.
    pub(crate) fn read(self, bytes: Cow<'_, [u8]>) -> Option<Cow<'_, str>> {
        let Self::Utf16 { is_big_endian } = self else {
            return match bytes {
                Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
                Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
            };
        };
        let (units, []) = bytes.get(LITTLE_ENDIAN.len()..)?.as_chunks() else {
            return None;
        };
        let read = if is_big_endian {
            u16::from_be_bytes
        } else {
            u16::from_le_bytes
        };
        char::decode_utf16(units.iter().copied().map(read))
            .collect::<Result<String, _>>()
            .ok()
            .map(Cow::Owned)
    }

    /// The file of a text.
    pub(crate) fn write(self, text: String) -> Vec<u8> {
        let Self::Utf16 { is_big_endian } = self else {
            return text.into_bytes();
        };
        let (mark, write): (_, fn(u16) -> [u8; 2]) = if is_big_endian {
            (BIG_ENDIAN, u16::to_be_bytes)
        } else {
            (LITTLE_ENDIAN, u16::to_le_bytes)
        };
        mark.into_iter()
            .chain(text.encode_utf16().flat_map(write))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written_the_same() {
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
    }

    #[test]
    fn half_a_character_is_no_text() {
        for bytes in [&b"\xff\xfea"[..], b"\xff\xfe\x3d\xd8", b"\xfe", b"\xfc"] {
            assert_eq!(Charset::of(bytes).read(bytes.into()), None);
        }
    }
}
