//! A text without the escapes that encode a token's characters.
//!
//! Markdown writes `\_` and `\<`, JSON `\u003c` and, for any character, `\u004d`, URLs `%3C`, HTML
//! `&lt;`. JSON inside JSON doubles its backslashes. In the view each of these is the one character
//! that it stands for, and every position leads back to the source.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr3_iter;

use super::is_core_byte;

/// How a character of the view is written in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// `\u003c`, `\x3c`, `\n`.
    Code,
    /// `\_`, `\<`, `\>`.
    Markdown,
    /// `%3C`.
    Percent,
    /// `&lt;`.
    Html,
}

#[derive(Debug)]
struct Escape {
    /// Its character in the view.
    at: Range<usize>,
    /// Its position in the source.
    source: Range<usize>,
    spelling: Spelling,
}

/// The HTML escapes of `<` and `>`, whatever their case.
const HTML: [(&str, char); 6] = [
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&#60;", '<'),
    ("&#62;", '>'),
    ("&#x3c;", '<'),
    ("&#x3e;", '>'),
];

/// The most backslashes before an escape: JSON in JSON in JSON.
const MOST_BACKSLASHES: usize = 4;

/// A text without the escapes that encode a token's characters.
#[derive(Debug)]
pub(crate) struct View<'t> {
    text: Cow<'t, str>,
    escapes: Vec<Escape>,
    /// Where the escape that the source may continue begins; the source's length if there is none.
    open: usize,
    source: &'t str,
}

/// What is at a position where an escape may begin.
enum Read {
    Escape(Range<usize>, char, Spelling),
    /// The source ends with the beginning of an escape, which begins here.
    Open(usize),
    Nothing,
}

impl<'t> View<'t> {
    /// The view of a text. Unless it has `ended`, an escape cut by its end is not part of the view.
    pub(crate) fn of(source: &'t str, ended: bool) -> Self {
        let mut view = Self {
            text: Cow::Borrowed(source),
            escapes: Vec::new(),
            open: source.len(),
            source,
        };
        let mut text = String::new();
        let mut copied = 0;
        for at in memchr3_iter(b'\\', b'%', b'&', source.as_bytes()) {
            match read(source, at) {
                Read::Escape(range, character, spelling) if range.start >= copied => {
                    text.push_str(source.get(copied..range.start).unwrap_or_default());
                    copied = range.end;
                    let at = text.len();
                    text.push(character);
                    view.escapes.push(Escape {
                        at: at..text.len(),
                        source: range,
                        spelling,
                    });
                }
                Read::Open(start) if !ended && start >= copied => {
                    view.open = start;
                    break;
                }
                _ => {}
            }
        }
        let rest = source.get(copied..view.open).unwrap_or_default();
        if view.escapes.is_empty() {
            view.text = Cow::Borrowed(rest);
        } else {
            text.push_str(rest);
            view.text = Cow::Owned(text);
        }
        view
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is the source itself.
    pub(crate) fn is_source(&self) -> bool {
        self.escapes.is_empty() && self.open == self.source.len()
    }

    /// The source position of the character at this position of the view.
    pub(crate) fn source_of(&self, at: usize) -> usize {
        let before = self.escapes.partition_point(|escape| escape.at.start < at);
        let last = before
            .checked_sub(1)
            .and_then(|last| self.escapes.get(last));
        last.map_or(at, |escape| {
            escape.source.end + at.saturating_sub(escape.at.end)
        })
    }

    /// The first view position at or after this source position.
    pub(crate) fn at(&self, source: usize) -> usize {
        let before = self
            .escapes
            .partition_point(|escape| escape.source.start < source);
        let last = before
            .checked_sub(1)
            .and_then(|last| self.escapes.get(last));
        let at = last.map_or(source, |escape| {
            escape.at.end + source.saturating_sub(escape.source.end)
        });
        at.min(self.text.len())
    }

    /// How the character is written that is here in the view, if it is escaped.
    pub(crate) fn spelling_of(&self, at: usize) -> Option<Spelling> {
        let found = self
            .escapes
            .binary_search_by_key(&at, |escape| escape.at.start);
        let escape = found.ok().and_then(|found| self.escapes.get(found));
        escape.map(|escape| escape.spelling)
    }

    /// Whether a range of the view holds a character in this spelling.
    pub(crate) fn is_spelled(&self, range: &Range<usize>, spelling: Spelling) -> bool {
        let from = self
            .escapes
            .partition_point(|escape| escape.at.start < range.start);
        let escapes = self.escapes.iter().skip(from);
        escapes
            .take_while(|escape| escape.at.start < range.end)
            .any(|escape| escape.spelling == spelling)
    }

    /// Where the source continues with an escape that may begin a token, or with nothing.
    pub(crate) fn open(&self) -> usize {
        let begun = self.source.get(self.open..).unwrap_or_default();
        let openers = ["%3c", "&lt;", "&#60;", "&#x3c;"];
        let begins = begun.starts_with('\\') || openers.iter().any(|opener| cuts(opener, begun));
        if begins { self.open } else { self.source.len() }
    }
}

/// Whether a text is the beginning of an escape and not all of it.
fn cuts(escape: &str, begun: &str) -> bool {
    let start = escape.get(..begun.len());
    begun.len() < escape.len() && start.is_some_and(|start| start.eq_ignore_ascii_case(begun))
}

fn read(source: &str, at: usize) -> Read {
    match source.as_bytes().get(at) {
        Some(b'%') => read_percent(source, at),
        Some(b'&') => read_html(source, at),
        _ => read_backslashes(source, at),
    }
}

fn read_percent(source: &str, at: usize) -> Read {
    match hex(source, at + 1, 2) {
        Hex::Cut => Read::Open(at),
        // Nobody encodes letters, digits and underscores.
        Hex::Number(code) if is_mark(code) => {
            Read::Escape(at..at + 3, character(code), Spelling::Percent)
        }
        _ => Read::Nothing,
    }
}

fn read_html(source: &str, at: usize) -> Read {
    let rest = source.get(at..).unwrap_or_default();
    let is = |escape: &str| {
        let start = rest.get(..escape.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(escape))
    };
    if let Some((escape, character)) = HTML.iter().find(|(escape, _)| is(escape)) {
        return Read::Escape(at..at + escape.len(), *character, Spelling::Html);
    }
    if HTML.iter().any(|(escape, _)| cuts(escape, rest)) {
        return Read::Open(at);
    }
    Read::Nothing
}

/// Reads the escape at the end of a run of backslashes whose first unread one this is.
///
/// JSON doubles them at each level, so a number that is not a power of two stands for backslashes.
fn read_backslashes(source: &str, at: usize) -> Read {
    let bytes = source.as_bytes();
    if at > 0 && bytes.get(at - 1) == Some(&b'\\') {
        return Read::Nothing;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let run = rest.iter().take_while(|&&byte| byte == b'\\').count();
    let end = at + run;
    let most = run.min(MOST_BACKSLASHES);
    let start = end - (1 << most.trailing_zeros());
    let escape =
        |length, character, spelling| Read::Escape(start..end + length, character, spelling);
    match bytes.get(end) {
        None => Read::Open(end - most),
        Some(byte @ (b'_' | b'<' | b'>')) => escape(1, char::from(*byte), Spelling::Markdown),
        Some(b'n' | b'r' | b't' | b'b' | b'f') => escape(1, '\n', Spelling::Code),
        Some(b'x') => match hex(source, end + 1, 2) {
            Hex::Cut => Read::Open(start),
            Hex::Number(code) if is_mark(code) => escape(3, character(code), Spelling::Code),
            _ => Read::Nothing,
        },
        Some(b'u') => match unit(source, end) {
            Hex::Cut => Read::Open(start),
            Hex::Other => Read::Nothing,
            Hex::Number(first @ 0xd800..0xdc00) => {
                match second_unit(source, end + 5, end - start) {
                    Hex::Cut => Read::Open(start),
                    Hex::Number(second @ 0xdc00..0xe000) => {
                        let scalar = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                        escape(2 * 5 + end - start, character(scalar), Spelling::Code)
                    }
                    _ => escape(5, character(first), Spelling::Code),
                }
            }
            Hex::Number(code) => escape(5, character(code), Spelling::Code),
        },
        Some(_) => Read::Nothing,
    }
}

/// Whether a character of ASCII is none that a core has.
fn is_mark(code: u32) -> bool {
    u8::try_from(code).is_ok_and(|byte| byte.is_ascii() && !is_core_byte(byte))
}

/// A half of a pair that stands alone is no character.
fn character(code: u32) -> char {
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The number after a `u`.
fn unit(source: &str, at: usize) -> Hex {
    match source.as_bytes().get(at) {
        None => Hex::Cut,
        Some(b'u') => hex(source, at + 1, 4),
        Some(_) => Hex::Other,
    }
}

/// The number of a second escape with as many backslashes.
fn second_unit(source: &str, at: usize, backslashes: usize) -> Hex {
    let rest = source.as_bytes().get(at..).unwrap_or_default();
    let is_run = rest.iter().take(backslashes).all(|&byte| byte == b'\\');
    if is_run {
        unit(source, at + backslashes)
    } else {
        Hex::Other
    }
}

enum Hex {
    Number(u32),
    /// The text ends before the last digit.
    Cut,
    Other,
}

fn hex(source: &str, at: usize, length: usize) -> Hex {
    let rest = source.as_bytes().get(at..).unwrap_or_default();
    let digits = rest.get(..length).unwrap_or(rest);
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return Hex::Other;
    }
    if digits.len() < length {
        return Hex::Cut;
    }
    let number = source
        .get(at..at + length)
        .map(|digits| u32::from_str_radix(digits, 16));
    number.and_then(Result::ok).map_or(Hex::Other, Hex::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_decode_to_their_characters() {
        for (source, text) in [
            (r"\<MASK\_A\_1\>", "<MASK_A_1>"),
            (r"\u003c\\u004d\x3e", "<M>"),
            ("%3C%3e%41 5%", "<>%41 5%"),
            ("&lt;&GT;&#x3C;&amp;", "<><&amp;"),
            (r"C:\\\u003cx\\y\z", "C:\\\\<x\\\\y\\z"),
            (r"a\nb\u0", "a\nb\\u0"),
        ] {
            assert_eq!(View::of(source, true).text(), text, "{source}");
        }
    }

    #[test]
    fn positions_map_back_to_the_source() {
        let source = r"é\<M\_%3Ex";
        let view = View::of(source, true);
        let sources: Vec<_> = (2..=view.text().len())
            .map(|at| view.source_of(at))
            .collect();
        assert_eq!(view.text(), "é<M_>x");
        assert_eq!(sources, [2, 4, 5, 7, 10, 11]);
        assert_eq!(view.spelling_of(5), Some(Spelling::Percent));
        assert!(view.is_spelled(&(2..3), Spelling::Markdown));
        assert!(!view.is_spelled(&(3..4), Spelling::Markdown));
    }

    #[test]
    fn an_escape_cut_at_the_end_is_incomplete() {
        for (source, open, begins) in [
            ("ab\\", 2, true),
            (r"ab\\u00", 2, true),
            ("ab%3", 2, true),
            ("ab%4", 2, false),
            ("ab&#x", 2, true),
            ("ab&g", 2, false),
            ("ab&x", 4, false),
            (r"ab\ux", 5, false),
        ] {
            let view = View::of(source, false);
            let expected = if begins { open } else { source.len() };
            assert_eq!((view.open, view.open()), (open, expected), "{source}");
        }
    }
}
