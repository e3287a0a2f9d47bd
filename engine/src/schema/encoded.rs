//! Base64 files in JSON, and the text that some of them contain.

mod charset;
mod embedded;
mod layout;

use std::borrow::Cow;
use std::ops::Range;

use base64::Engine;
use base64::alphabet::{Alphabet, STANDARD, URL_SAFE};
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use crate::json::{Edit, spliced};
use layout::{Frame, Layout, lines};

pub(crate) use charset::Charset;
pub(crate) use embedded::{
    Embedded, embedded, embedded_with_tokens, is_of_base64, may_embed_token, merged,
};

const SCHEME: &str = "data:";
const MARK: &str = ";base64,";
/// A longer head is not the head of a `data:` URL.
const LONGEST_HEAD: usize = 256;
/// What a PDF begins with.
pub(crate) const PDF: &str = "%PDF-";
/// How many encoded bytes decide whether a file is text. A multiple of four.
const BEGINNING: usize = 4096;

/// The content of a string that should be a file.
#[derive(Debug)]
pub(crate) enum Content {
    Text(EncodedText),
    /// Base64 that is not text: an image, audio, PDF, encrypted content.
    Binary,
    /// No base64.
    Plain,
}

/// Text in base64, with or without a `data:` URL's head.
#[derive(Debug)]
pub(crate) struct EncodedText {
    text: String,
    /// Where the base64 is.
    payload: Range<usize>,
    /// How base64 with escapes or line ends is written.
    layout: Option<Layout>,
    spelling: Spelling,
    charset: Charset,
}

/// How base64 is written.
#[derive(Debug, Clone, Copy)]
struct Spelling {
    is_url_safe: bool,
    is_padded: bool,
}

/// Reads a file: base64 of either alphabet, with or without padding, line ends and a `data:` URL's
/// head (RFC 2397, RFC 4648).
pub(crate) fn read(source: &str) -> Content {
    read_in(source, Frame::default())
}

/// The same of a file whose lines are framed.
fn read_in(source: &str, frame: Frame<'_>) -> Content {
    let Some(start) = payload_start(source) else {
        return Content::Plain;
    };
    let written = source.get(start..).unwrap_or_default();
    let payload = bare(written, start > 0, frame);
    if payload.is_empty() || !is_base64(&payload) {
        return Content::Plain;
    }
    let spelling = Spelling::of(&payload);
    let engine = spelling.engine();
    if is_binary(&engine, &payload) {
        return Content::Binary;
    }
    let Ok(bytes) = engine.decode(payload.as_bytes()) else {
        return Content::Plain;
    };
    let charset = Charset::guessed(&bytes);
    match charset.read(Cow::Owned(bytes)) {
        Some(text) if is_text(&text) => Content::Text(EncodedText {
            text: text.into_owned(),
            payload: start..source.len(),
            layout: (payload.len() != written.len()).then(|| Layout::of(written, frame)),
            spelling,
            charset,
        }),
        _ => Content::Binary,
    }
}

/// Whether a string is a `data:` URL.
pub(crate) fn is_data_url(source: &str) -> bool {
    // Servers ignore white space before it.
    let source = source.trim_start();
    source
        .get(..SCHEME.len())
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME))
}

/// Whether a string may be sealed by a provider: base64 of either alphabet, or hex.
pub(crate) fn is_opaque(text: &str) -> bool {
    !may_be_key(text) && is_of_alphabet(text)
}

/// Whether encoded characters may be a password or a vendor's key: short, or of moderate length
/// with a separator after a prefix.
pub(crate) fn may_be_key(text: &str) -> bool {
    const SHORTEST_SEAL: usize = 40;
    const LONGEST_KEY: usize = 256;
    const LONGEST_PREFIX: usize = 8;
    let mut start = text.bytes().take(LONGEST_PREFIX);
    text.len() < SHORTEST_SEAL
        || text.len() <= LONGEST_KEY && start.any(|byte| matches!(byte, b'_' | b'-'))
}

impl EncodedText {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The edit of the file that its text's edits restore. A value that the file's encoding can't write stays a token.
    pub(crate) fn restored(&self, edits: &[Edit]) -> Option<Edit> {
        let writable = |edit: &&Edit| self.charset.can_write(&edit.text);
        let edits: Vec<_> = edits.iter().filter(writable).cloned().collect();
        self.rewritten(&edits)
    }

    /// The edit of the file that all edits of its text come to, with `?` for characters that the file's encoding lacks.
    pub(crate) fn rewritten(&self, edits: &[Edit]) -> Option<Edit> {
        (!edits.is_empty()).then(|| {
            let bytes = self.charset.write(spliced(&self.text, edits));
            let encoded = self.spelling.engine().encode(bytes);
            let Range { start, end } = self.payload;
            let text = match &self.layout {
                Some(layout) => layout.write(&encoded),
                None => encoded,
            };
            Edit { start, end, text }
        })
    }

    /// The place of a part of the text in the file: as wide as its base64.
    pub(crate) fn place(&self, part: &Range<usize>) -> Range<usize> {
        if self.layout.is_some() || self.charset != Charset::Utf8 {
            return self.payload.clone();
        }
        let start = self.payload.start;
        start + part.start / 3 * 4..self.payload.end.min(start + part.end.div_ceil(3) * 4)
    }
}

/// Where the base64 of a string begins; none in a `data:` URL without any.
fn payload_start(source: &str) -> Option<usize> {
    if !is_data_url(source) {
        return Some(0);
    }
    let head = source
        .get(..source.floor_char_boundary(LONGEST_HEAD))
        .unwrap_or(source);
    head.to_ascii_lowercase()
        .find(MARK)
        .map(|at| at + MARK.len())
}

/// Base64 without the escapes of a URL and line ends. White space in any other place says that it is
/// none, and so do lines of several lengths: a list of names is text.
fn bare<'p>(payload: &'p str, is_url: bool, frame: Frame<'_>) -> Cow<'p, str> {
    let decoded = if is_url {
        percent_decode_str(payload).decode_utf8_lossy()
    } else {
        Cow::Borrowed(payload)
    };
    if decoded.contains(['\n', '\\']) && is_wrapped(&decoded, frame) {
        let lines = lines(&decoded, frame).map(|(line, _)| line);
        return lines.collect::<String>().into();
    }
    decoded
}

/// Whether lines have an encoder's line length: all equal, except the last.
fn is_wrapped(text: &str, frame: Frame<'_>) -> bool {
    let mut lines = lines(text, frame).map(|(line, _)| line);
    let Some(width) = lines.next().map(str::len) else {
        return false;
    };
    let mut last = lines.next().unwrap_or_default();
    let before_last = lines.all(|line| std::mem::replace(&mut last, line).len() == width);
    before_last && width.is_multiple_of(4) && last.len() <= width
}

fn is_base64(payload: &str) -> bool {
    let trimmed = payload.trim_end_matches('=');
    trimmed.len() % 4 != 1 && is_of_alphabet(payload)
}

/// Whether a text has only characters of one of the alphabets of base64, and padding at its end.
fn is_of_alphabet(text: &str) -> bool {
    let trimmed = text.trim_end_matches('=');
    let is_of = |signs: [u8; 2]| {
        let mut bytes = trimmed.bytes();
        bytes.all(|byte| byte.is_ascii_alphanumeric() || signs.contains(&byte))
    };
    text.len() - trimmed.len() <= 2 && (is_of(*b"+/") || is_of(*b"-_"))
}

impl Spelling {
    fn of(payload: &str) -> Self {
        let is_url_safe = payload.contains(['-', '_']);
        // The alphabet of URLs is seldom padded.
        let may_be_padded = !is_url_safe && payload.len().is_multiple_of(4);
        Self {
            is_url_safe,
            is_padded: payload.ends_with('=') || may_be_padded,
        }
    }

    /// Reads what was written, and writes it the same way.
    const fn engine(self) -> GeneralPurpose {
        let alphabet: &Alphabet = if self.is_url_safe {
            &URL_SAFE
        } else {
            &STANDARD
        };
        let config = GeneralPurposeConfig::new()
            .with_encode_padding(self.is_padded)
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true);
        GeneralPurpose::new(alphabet, config)
    }
}

/// Whether a long file is binary by its beginning, so that the rest need not be read.
fn is_binary(engine: &GeneralPurpose, payload: &str) -> bool {
    let Some(beginning) = payload.get(..BEGINNING) else {
        return false;
    };
    let Ok(bytes) = engine.decode(beginning.as_bytes()) else {
        return false;
    };
    match std::str::from_utf8(&bytes) {
        Ok(text) => !is_text(text),
        // A character may be cut at the end.
        Err(error) => error.error_len().is_some() && Charset::guessed(&bytes) == Charset::Utf8,
    }
}

/// What the beginning of base64 decodes to, if that is text, without a character that is cut.
fn decoded_beginning(beginning: &str) -> Option<String> {
    if !is_of_alphabet(beginning) {
        return None;
    }
    let bytes = Spelling::of(beginning).engine().decode(beginning).ok()?;
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) if error.utf8_error().error_len().is_some() => None,
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(valid);
            String::from_utf8(bytes).ok()
        }
    }
}

/// A PDF may be written in ASCII, but its parts are found by their offsets.
pub(crate) fn is_text(text: &str) -> bool {
    !text.starts_with(PDF) && !text.contains('\0')
}

/// Whether some bytes are a text in any encoding: without control characters, as no other file is, or nearly all printed,
/// as JSON with a stray byte.
pub(crate) fn is_any_text(bytes: &[u8]) -> bool {
    if bytes.starts_with(PDF.as_bytes()) {
        return false;
    }
    if let Charset::Utf16 { is_big_endian } = Charset::guessed(bytes) {
        return charset::units(bytes, is_big_endian).all(is_printed);
    }
    let texts = bytes.utf8_chunks().map(|chunk| chunk.valid());
    let printed = texts.flat_map(str::bytes).filter(|byte| is_printed(*byte));
    let is_nearly_all = || printed.count() * 10 >= bytes.len() * 9;
    bytes.iter().all(|byte| is_printed(*byte)) || !bytes.contains(&0) && is_nearly_all()
}

/// Whether a byte or a unit of UTF-16 may stand in a text.
fn is_printed(unit: impl Into<u32>) -> bool {
    const ESCAPE: u32 = 0x1b;
    let unit = unit.into();
    (0x20..0x7f).contains(&unit) || unit > 0x7f || (9..=13).contains(&unit) || unit == ESCAPE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> Option<String> {
        match read(source) {
            Content::Text(encoded) => Some(encoded.text),
            _ => None,
        }
    }

    #[test]
    fn text_is_read_in_every_spelling_of_base64() {
        for source in ["YT5iP2M_w7w+", "YT5iP2M/w7w+"] {
            // Mixed alphabets are not base64.
            assert_eq!(text(source).is_some(), !source.contains('_'), "{source}");
        }
        for source in [
            "w7w+P2E=",
            "w7w-P2E=",
            "w7w+P2E",
            "w7w+\r\nP2E=\n",
            "w7w+P2E=\n",
            "data:text/plain;base64,w7w+P2E=",
            "data:;base64,w7w+P2E",
            "DATA:text/csv;charset=utf-8;BASE64,w7w%2BP2E%3D",
            "data:application/octet-stream;base64,w7w-P2E",
        ] {
            assert_eq!(text(source).as_deref(), Some("ü>?a"), "{source}");
        }
    }

    /// A value with other characters would have come back as question marks.
    #[test]
    fn values_outside_latin_1_are_masked_but_not_restored() {
        let source = STANDARD_ENGINE.encode(b"M\xfcller, X, Y");
        let Content::Text(encoded) = read(&source) else {
            panic!("no text");
        };
        let edit = |at: usize, text: &str| Edit {
            start: at,
            end: at + 1,
            text: text.to_owned(),
        };
        let [first, second] = ["X", "Y"].map(|x| encoded.text().find(x).unwrap());
        let edits = [edit(first, "Łukasz"), edit(second, "Özil")];
        let expected = STANDARD_ENGINE.encode(b"M\xfcller, X, \xd6zil");
        assert_eq!(encoded.restored(&edits).unwrap().text, expected);
        assert!(encoded.restored(&edits[..1]).is_none());
        // Where values are masked, none may stay because its surrogate can't be written.
        let masked = STANDARD_ENGINE.encode(b"M\xfcller, ?ukasz, Y");
        assert_eq!(encoded.rewritten(&edits[..1]).unwrap().text, masked);
    }

    #[test]
    fn binary_base64_is_not_text_and_other_text_is_plain() {
        let jpeg = STANDARD_ENGINE.encode([0xff, 0xd8, 0xff, 0xe0, 0, 16, b'J', b'F']);
        let pdf = STANDARD_ENGINE.encode("%PDF-1.4\n1 0 obj\n");
        let wide = STANDARD_ENGINE.encode(b"\xff\xfea\0b");
        let mut long = vec![b'a'; 8000];
        long.extend([0, 0xff]);
        let long = STANDARD_ENGINE.encode(long);
        for source in [&jpeg, &pdf, &wide, &long] {
            assert!(matches!(read(source), Content::Binary));
            let url = format!("data:image/png;base64,{source}");
            assert!(matches!(read(&url), Content::Binary));
        }
        for source in [
            "",
            "alice@example.com",
            "a",
            "data:text/plain,YWJj",
            "YWJj=YWJj",
            "ab c!",
            "Alice lives in Berlin",
            "Alice\nBob\nCarol Ann\nDave",
            "AliceBeispiel\nBobBeispiel1\nCarolBeispiel",
        ] {
            assert!(matches!(read(source), Content::Plain), "{source}");
        }
    }

    #[test]
    fn a_character_split_at_the_sniffing_limit_is_accepted() {
        let umlauts = "aü".repeat(4000);
        let source = STANDARD_ENGINE.encode(&umlauts);
        assert_eq!(text(&source), Some(umlauts));
    }

    #[test]
    fn edited_base64_keeps_its_padding_style() {
        for (source, expected) in [
            ("data:text/plain;base64,YWJj", "eGM="),
            ("YWI=", "eA=="),
            ("YWI", "eA"),
        ] {
            let Content::Text(encoded) = read(source) else {
                panic!("{source} is text");
            };
            let edit = Edit {
                start: 0,
                end: 2,
                text: "x".to_owned(),
            };
            let edit = encoded.rewritten(&[edit]).unwrap();
            assert_eq!(edit.text, expected);
            assert_eq!(&source[..edit.start], source.trim_end_matches(|c| c != ','));
            assert_eq!(edit.end, source.len());
            assert!(encoded.rewritten(&[]).is_none());
        }
    }

    /// Wrapped base64 that a tool wrote to a file came back on one line.
    #[test]
    fn masking_and_restoring_keep_base64_line_wrapping() {
        let plain =
            "to alice@example.com, and more?> of it, so that there are lines ü>?ü>?".repeat(3);
        let word = STANDARD_ENGINE.encode(&plain);
        let wrapped = |width: usize, end: &str| {
            let lines = word.as_bytes().chunks(width);
            let lines: Vec<_> = lines
                .map(|line| std::str::from_utf8(line).unwrap())
                .collect();
            lines.join(end)
        };
        let escaped = word
            .replace('+', "%2B")
            .replace('/', "%2F")
            .replace('=', "%3D");
        for source in [
            word.clone(),
            format!("{word}\n"),
            wrapped(76, "\n"),
            wrapped(64, "\r\n"),
            wrapped(76, "\n") + "\n",
            wrapped(64, "\r\n") + "\r\n",
            wrapped(76, "\n    "),
            wrapped(76, "\n\t") + "\n",
            wrapped(76, "\\n") + "\\n",
            format!("data:;base64,{escaped}"),
            format!(
                "data:;base64,{}",
                escaped
                    .replace("%2B", "%2b")
                    .replace("%2F", "%2f")
                    .replace("%3D", "%3d")
            ),
            format!("data:;base64,{}", wrapped(76, "%0A")),
            word.replace('+', "-").replace('/', "_"),
        ] {
            let edited = |source: &str, from: &str, to: &str| {
                let Content::Text(file) = read(source) else {
                    panic!("{source} is text");
                };
                let edits = file.text().match_indices(from).map(|(start, _)| Edit {
                    start,
                    end: start + from.len(),
                    text: to.to_owned(),
                });
                let edit = file.rewritten(&edits.collect::<Vec<_>>()).unwrap();
                spliced(source, &[edit])
            };
            let masked = edited(&source, "alice@example.com", "<MASK_EMAIL_1>");
            assert_ne!(masked, source);
            let restored = edited(&masked, "<MASK_EMAIL_1>", "alice@example.com");
            assert_eq!(restored, source);
        }
    }

    const STANDARD_ENGINE: GeneralPurpose = base64::engine::general_purpose::STANDARD;
}
