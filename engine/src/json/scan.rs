//! The scanner: one pass, no recursion.

use super::near::InOrderFinder;
use super::tape::{CONTAINER_WORDS, FLAG, Tape, is_space};

/// Why a document can't be scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScanError {
    /// Not JSON from this byte on.
    Syntax { at: usize },
    /// Nested deeper than allowed.
    TooDeep,
    /// Larger than offsets of 31 bits reach.
    TooLarge,
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

pub(super) fn scan(source: &str, max_depth: usize) -> Result<Tape, ScanError> {
    if source.len() >= FLAG as usize {
        return Err(ScanError::TooLarge);
    }
    let at = if source.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let mut scanner = Scanner {
        bytes: source.as_bytes(),
        marks: InOrderFinder::new(source.as_bytes(), [b'"', b'\\']),
        at,
        words: Vec::with_capacity(source.len() / 24 + 24),
        strings: 0,
        open: Vec::with_capacity(16),
        max_depth,
    };
    scanner.document()?;
    Ok(Tape {
        words: scanner.words,
        strings: scanner.strings,
    })
}

struct Scanner<'s> {
    bytes: &'s [u8],
    /// Quotation marks and backslashes.
    marks: InOrderFinder<'s, 2>,
    at: usize,
    words: Vec<u32>,
    /// The number of strings that are not member names.
    strings: u32,
    /// Places of the containers that are open here.
    open: Vec<u32>,
    max_depth: usize,
}

impl Scanner<'_> {
    fn document(&mut self) -> Result<(), ScanError> {
        self.skip_space();
        self.value()?;
        while let Some(&container) = self.open.last() {
            self.next_in(container)?;
        }
        self.skip_space();
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            self.fail()
        }
    }

    /// Continues after a value or an opening bracket: a separator and the next value, or the end.
    fn next_in(&mut self, container: u32) -> Result<(), ScanError> {
        self.skip_space();
        let is_first = self.words.len() == (container + CONTAINER_WORDS) as usize;
        let is_object = self.is_object(container);
        match self.peek() {
            Some(b'}') if is_object => {
                self.close(container);
                return Ok(());
            }
            Some(b']') if !is_object => {
                self.close(container);
                return Ok(());
            }
            Some(b',') if !is_first => {
                self.at += 1;
                self.skip_space();
            }
            Some(_) if is_first => {}
            _ => return self.fail(),
        }
        if is_object {
            self.key()?;
        }
        self.value()
    }

    fn is_object(&self, container: u32) -> bool {
        let start = self.words.get(container as usize);
        start.and_then(|start| self.bytes.get(*start as usize)) == Some(&b'{')
    }

    fn key(&mut self) -> Result<(), ScanError> {
        if self.peek() != Some(b'"') {
            return self.fail();
        }
        self.string(FLAG)?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return self.fail();
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    fn value(&mut self) -> Result<(), ScanError> {
        match self.peek() {
            Some(b'"') => {
                self.strings += 1;
                self.string(0)
            }
            Some(b'{') => self.open(b'}'),
            Some(b'[') => self.open(b']'),
            _ => self.scalar(),
        }
    }

    /// Begins an object or array that ends with `close`.
    fn open(&mut self, close: u8) -> Result<(), ScanError> {
        if self.open.len() >= self.max_depth {
            return Err(ScanError::TooDeep);
        }
        let start = offset(self.at);
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(close) {
            self.at += 1;
            self.words.push(start | FLAG);
        } else {
            self.open.push(offset(self.words.len()));
            self.words.extend([start, 0, 0]);
        }
        Ok(())
    }

    fn close(&mut self, container: u32) {
        self.at += 1;
        self.open.pop();
        let (next, end) = (offset(self.words.len()), offset(self.at));
        if let Some([_, next_word, end_word, ..]) = self.words.get_mut(container as usize..) {
            (*next_word, *end_word) = (next, end);
        }
    }

    /// `flag` is that of a member name.
    fn string(&mut self, flag: u32) -> Result<(), ScanError> {
        let start = offset(self.at);
        let mut escaped = 0;
        self.at += 1;
        loop {
            let found = self.marks.next(self.at);
            self.at = found.unwrap_or(self.bytes.len());
            match self.bytes.get(self.at..).unwrap_or_default() {
                [b'"', ..] => {
                    self.at += 1;
                    self.words.extend([start | flag, offset(self.at) | escaped]);
                    return Ok(());
                }
                [
                    _,
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't',
                    ..,
                ] => self.at += 2,
                [_, b'u', a, b, c, d, ..] if [a, b, c, d].iter().all(|h| h.is_ascii_hexdigit()) => {
                    self.at += 6;
                }
                _ => return self.fail(),
            }
            escaped = FLAG;
        }
    }

    fn scalar(&mut self) -> Result<(), ScanError> {
        const WORDS: [&[u8]; 6] = [
            b"true",
            b"false",
            b"null",
            b"NaN",
            b"Infinity",
            b"-Infinity",
        ];
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let word = WORDS
            .iter()
            .find(|word| rest.starts_with(word))
            .map(|word| word.len());
        let Some(length) = word.or_else(|| number(rest)) else {
            return self.fail();
        };
        self.words.push(offset(self.at));
        self.at += length;
        Ok(())
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn fail(&self) -> Result<(), ScanError> {
        Err(ScanError::Syntax { at: self.at })
    }
}

/// The length of the number that begins here (RFC 8259, section 6).
fn number(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| {
        bytes
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(at);
    if whole == 0 || (whole > 1 && bytes.get(at) == Some(&b'0')) {
        return None;
    }
    at += whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        if exponent == 0 {
            return None;
        }
        at += 1 + sign + exponent;
    }
    Some(at)
}

/// Positions in the document fit into 31 bits and places in its tape into 32: [`scan`] refuses anything
/// longer.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the length is checked once, in scan"
)]
fn offset(at: usize) -> u32 {
    at as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(source: &str) -> Option<ScanError> {
        scan(source, 64).err()
    }

    #[test]
    fn documents_of_every_kind_are_accepted() {
        for good in [
            "{}",
            "[]",
            " null ",
            "\"\"",
            "0",
            "-0.0e-1",
            "1e400",
            "123456789012345678901234567",
            "[1.10,NaN,-Infinity]",
            r#"{"a":{"a":1,"a":[{}]}}"#,
            r#""\ud800 \" \\ \/ \u00e9""#,
        ] {
            assert_eq!(error(good), None, "{good}");
        }
    }

    #[test]
    fn broken_documents_are_refused_where_they_break() {
        for (bad, at) in [
            ("", 0),
            ("{", 1),
            ("{}}", 2),
            ("[1,]", 3),
            ("[,1]", 1),
            ("{\"a\"}", 4),
            ("{a:1}", 1),
            ("{\"a\":1,}", 7),
            ("[1 2]", 3),
            ("\"\\x\"", 1),
            ("\"abc", 4),
            ("[01]", 1),
            ("1.", 0),
            ("'a'", 0),
            ("{\"a\":1]", 6),
            ("[1}", 2),
            ("// x\n{}", 0),
            ("\"\\u12g4\"", 1),
        ] {
            assert_eq!(error(bad), Some(ScanError::Syntax { at }), "{bad}");
        }
    }

    #[test]
    fn depth_is_bounded_without_recursion() {
        assert_eq!(error(&"[".repeat(100_000)), Some(ScanError::TooDeep));
        assert_eq!(
            error(&format!("{}{}", "[".repeat(64), "]".repeat(64))),
            None
        );
    }
}
