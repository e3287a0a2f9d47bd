//! Emphasis of Markdown within a line: `_x_`, `**x**`, `~~x~~`.

use crate::detect::bytes::{self, at, before};

/// The signs of emphasis.
pub(super) const SIGNS: [u8; 3] = *b"*_~";
/// Most signs in a row.
const MOST_SIGNS: usize = 3;
/// As much of what is emphasized is examined, in bytes.
const EXAMINED: usize = 64;

/// Signs of emphasis at a place.
pub(super) struct Mark {
    pub(super) length: usize,
    /// Whether they open what may be a value or the name of one, and not a name of code: `__init__`.
    pub(super) is_telling: bool,
}

/// Finds the signs that open and close emphasis, from the beginning of a text to its end.
pub(super) struct Emphasis<'t> {
    text: &'t [u8],
    /// Where the line ends that was searched last.
    line_end: Option<usize>,
    /// What is known of each sign in each number.
    closings: [Closing; SIGNS.len() * MOST_SIGNS],
    /// The last place of signs that are expected to close something.
    last: usize,
}

/// Where signs close emphasis.
#[derive(Debug, Clone, Copy, Default)]
struct Closing {
    /// The first ones from `from` on; `None` where there are none before `until`.
    at: Option<usize>,
    from: usize,
    until: usize,
    /// The last ones that have something open.
    expected: Option<usize>,
}

impl<'t> Emphasis<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            line_end: None,
            closings: [Closing::default(); SIGNS.len() * MOST_SIGNS],
            last: 0,
        }
    }

    /// The signs at `index`, if they open or close emphasis.
    pub(super) fn at(&mut self, index: usize) -> Option<Mark> {
        let text = self.text;
        // Most signs are within a name of code.
        if index > self.last && !parts(before(text, index)) {
            return None;
        }
        let sign = at(text, index);
        let length = bytes::run(text, index, MOST_SIGNS + 1, |byte| byte == sign);
        let kind = SIGNS.iter().position(|own| *own == sign)? * MOST_SIGNS + length - 1;
        if before(text, index) == sign || length > MOST_SIGNS {
            return None;
        }
        if self.closings.get(kind)?.expected == Some(index) {
            return Some(Mark {
                length,
                is_telling: false,
            });
        }
        let first = index + length;
        // `é_x_` is one word.
        let is_inside =
            sign == b'_' && !before(text, index).is_ascii() && !bytes::ends_wide_sign(text, index);
        if is_inside || !parts(before(text, index)) || !begins(at(text, first)) {
            return None;
        }
        let end = self.closing(kind, first, length)?;
        self.closings.get_mut(kind)?.expected = Some(end);
        self.last = self.last.max(end);
        let examined = bytes::slice(text, first, end.min(first + EXAMINED));
        Some(Mark {
            length,
            is_telling: before(text, end) == b':' || may_be_value(examined),
        })
    }

    /// Where signs of a kind close what is emphasized from `first` on.
    fn closing(&mut self, kind: usize, first: usize, length: usize) -> Option<usize> {
        let known = self.closings.get(kind)?;
        let is_known = known.from <= first
            && match known.at {
                Some(end) => end >= first,
                None => first < known.until,
            };
        if !is_known {
            let (text, line_end) = (self.text, self.line_end(first));
            let sign = SIGNS.get(kind / MOST_SIGNS).copied()?;
            let line = bytes::slice(text, first, line_end);
            let mut ends = memchr::memchr_iter(sign, line).map(|end| first + end);
            let known = self.closings.get_mut(kind)?;
            known.at = ends.find(|end| closes(text, *end, length));
            known.from = first;
            known.until = line_end;
        }
        self.closings.get(kind)?.at
    }

    /// The end of the line of a place, which is never before the last one.
    fn line_end(&mut self, index: usize) -> usize {
        if let Some(end) = self.line_end.filter(|end| index <= *end) {
            return end;
        }
        let rest = bytes::slice(self.text, index, self.text.len());
        let end = memchr::memchr(b'\n', rest).map_or(self.text.len(), |end| index + end);
        self.line_end = Some(end);
        end
    }
}

/// Whether as many signs at `index` close what is before them.
fn closes(text: &[u8], index: usize, length: usize) -> bool {
    let sign = at(text, index);
    let last = before(text, index);
    last != sign
        && !last.is_ascii_whitespace()
        && bytes::run(text, index, length + 1, |byte| byte == sign) == length
        && ends(at(text, index + length))
}

/// Whether emphasis may begin after a byte.
const fn parts(byte: u8) -> bool {
    matches!(
        byte,
        0 | b' '
            | b'\t'
            | b'\r'
            | b'\n'
            | b'('
            | b'['
            | b'{'
            | b'<'
            | b'>'
            | b'"'
            | b'\''
            | b'|'
            | b','
            | b';'
            | b':'
            | b'-'
    ) || is_sign(byte)
        || !byte.is_ascii()
}

/// Whether what is emphasized may begin with a byte.
const fn begins(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'+' | b'(' | b'"' | b'\'' | b'`' | b'$' | b'#' | b'[')
        || is_sign(byte)
        || !byte.is_ascii()
}

/// Whether emphasis may end before a byte.
const fn ends(byte: u8) -> bool {
    matches!(byte, b')' | b']' | b'}' | b'.' | b'!' | b'?' | b'\\' | b'/') || parts(byte)
}

const fn is_sign(byte: u8) -> bool {
    matches!(byte, b'*' | b'_' | b'~')
}

/// Whether emphasized text has a digit, a word with a capital or other letters than ASCII.
fn may_be_value(text: &[u8]) -> bool {
    let is_name = |pair: &[u8; 2]| pair[0].is_ascii_uppercase() && pair[1].is_ascii_lowercase();
    text.array_windows().any(is_name)
        || text
            .iter()
            .any(|byte| byte.is_ascii_digit() || !byte.is_ascii())
}
