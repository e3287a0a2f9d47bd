//! Encoded characters: in URLs, forms, HTML, JSON within text, mails, and full-width forms; and the signs of emphasis.

use super::emphasis::{self, Emphasis};
use super::entity::{self, LONGEST_NESTED, visible};
use super::form::Form;
use super::map::{Builder, View};
use super::seek::{SetFinder, Signs};
use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// Lines around one with an encoded character that are read together with it.
const AROUND: usize = 4;

/// What most encodings begin with, and the signs of emphasis.
const SIGNS: [u8; 6] = {
    let [first, second, third] = emphasis::SIGNS;
    [b'%', b'&', b'\\', first, second, third]
};

/// A character and the length of its encoding.
struct Decoded {
    /// `None`: this only breaks a line, or emphasizes.
    letter: Option<char>,
    length: usize,
    /// Whether a text is decoded because of it.
    is_telling: bool,
}

impl Decoded {
    const fn of(letter: char, length: usize) -> Self {
        Self {
            letter: Some(letter),
            length,
            is_telling: true,
        }
    }
}

/// The lines around encoded characters, decoded; `None` if there are none.
pub(super) fn decode(source: &str) -> Option<View> {
    let text = source.as_bytes();
    let mut decoder = Decoder::new(text);
    let mut builder = Builder::default();
    let mut reach = 0;
    while let Some(escape) = decoder.next_escape(reach) {
        let start = lines_back(text, reach, escape);
        if start > reach && reach > 0 {
            // Nothing continues from one part to the next.
            builder.end_line();
            builder.end_line();
        }
        reach = decoder.decode_part(source, start..escape, &mut builder);
    }
    (reach > 0).then(|| builder.finish())
}

/// The words with encoded characters.
pub(super) fn words(source: &str) -> Vec<Range<usize>> {
    let text = source.as_bytes();
    let mut decoder = Decoder::new(text);
    let mut words: Vec<Range<usize>> = Vec::new();
    let is_of_word = |byte: u8| !byte.is_ascii_whitespace();
    let mut from = 0;
    while let Some(index) = decoder.next_escape(from) {
        let start = index - bytes::run_back(text, index, index - from, is_of_word);
        from = index + bytes::run(text, index, usize::MAX, is_of_word);
        words.push(start..from);
    }
    words
}

/// Where the lines begin that are read together with the one at `index`; not before `from`.
fn lines_back(text: &[u8], from: usize, index: usize) -> usize {
    let window = bytes::slice(text, from, index);
    let lines = memchr::memrchr_iter(b'\n', window).nth(AROUND);
    from + lines.map_or(0, |end| end + 1)
}

/// Where the lines end that are read together with the one that ends at `line_end`.
fn lines_on(text: &[u8], line_end: usize) -> usize {
    let rest = bytes::slice(text, line_end, text.len());
    let lines = memchr::memchr_iter(b'\n', rest).nth(AROUND);
    lines.map_or(text.len(), |end| line_end + end + 1)
}

struct Decoder<'t> {
    text: &'t [u8],
    seek: SetFinder<'t, 2>,
    signs: Signs<'t, { SIGNS.len() }>,
    emphasis: Emphasis<'t>,
    form: Form<'t>,
    /// The last examined line, and whether it contains JSON in a string.
    line: Range<usize>,
    is_json: bool,
    /// The last examined backslashes.
    escape: Escape,
}

/// Backslashes in a row, as many as JSON in JSON has before one escape.
#[derive(Default)]
struct Escape {
    backslashes: Range<usize>,
    /// What they escape, and where that ends.
    escaped: Option<(char, usize)>,
}

impl<'t> Decoder<'t> {
    fn new(text: &'t [u8]) -> Self {
        // An equals sign encodes nothing unless a mail's header says so.
        let rare = if is_quoted_printable(text) {
            [0xEF, b'=', b'=']
        } else {
            [0xEF; 3]
        };
        Self {
            text,
            seek: SetFinder::new(text, [rare, [b'+'; 3]]),
            signs: Signs::new(text, SIGNS),
            emphasis: Emphasis::new(text),
            form: Form::new(text),
            line: 0..0,
            is_json: false,
            escape: Escape::default(),
        }
    }

    /// The next place where a character may be encoded, from `from` on, which never decreases.
    fn next(&mut self, from: usize) -> Option<usize> {
        let sign = self.signs.next(from);
        match (self.seek.next(from), sign) {
            (Some(index), Some(sign)) => Some(index.min(sign)),
            (index, sign) => index.or(sign),
        }
    }

    /// The next encoded character that causes a text to be decoded.
    fn next_escape(&mut self, from: usize) -> Option<usize> {
        let mut from = from;
        loop {
            let index = self.next(from)?;
            if self.at(index).is_some_and(|decoded| decoded.is_telling) {
                return Some(index);
            }
            from = index + 1;
        }
    }

    /// Decodes from the end of `lead` on, to a few lines after the last encoded character; returns
    /// the end.
    fn decode_part(&mut self, source: &str, lead: Range<usize>, builder: &mut Builder) -> usize {
        let text = self.text;
        let (mut kept, mut from) = (lead.start, lead.end);
        let mut line_end = lead.start;
        let mut reach = text.len();
        while let Some(index) = self.next(from).filter(|&index| index < reach) {
            let Some(decoded) = self.at(index) else {
                from = index + 1;
                continue;
            };
            builder.keep(source, kept..index);
            kept = index + decoded.length;
            if let Some(letter) = decoded.letter {
                builder.put(letter, index..kept);
            }
            from = kept;
            if decoded.is_telling && index >= line_end {
                line_end = line_end_of(text, index);
                reach = lines_on(text, line_end).max(kept);
            }
        }
        builder.keep(source, kept..reach);
        reach
    }

    /// The character encoded at `index`.
    fn at(&mut self, index: usize) -> Option<Decoded> {
        let text = self.text;
        match at(text, index) {
            b'%' => percent(text, index),
            b'&' => in_html(text, index).or_else(|| self.next_field(index)),
            b'+' => self.form.holds(index).then_some(Decoded::of(' ', 1)),
            b'*' | b'_' | b'~' => self.emphasis.at(index).map(|mark| Decoded {
                letter: None,
                length: mark.length,
                is_telling: mark.is_telling,
            }),
            b'=' => quoted_printable(text, index),
            b'\\' => self.escape(index).or_else(|| self.in_json(index)),
            _ => full_width(text, index),
        }
    }

    /// `\/`, `\u0040`, `\u{40}`, `\x40`, after as many backslashes as the levels of quotation have.
    fn escape(&mut self, index: usize) -> Option<Decoded> {
        if !self.escape.backslashes.contains(&index) {
            self.escape = Escape::at(self.text, index);
        }
        let (letter, end) = self.escape.escaped?;
        Some(Decoded::of(letter, end - index))
    }

    /// The end of a field of a form, which is a line of its own.
    fn next_field(&mut self, index: usize) -> Option<Decoded> {
        self.form.holds(index).then_some(Decoded {
            letter: Some('\n'),
            length: 1,
            is_telling: false,
        })
    }

    /// `\"` and its like, in a line that holds JSON in a string.
    fn in_json(&mut self, index: usize) -> Option<Decoded> {
        let letter = match at(self.text, index + 1) {
            letter @ (b'"' | b'\\' | b'\'') => char::from(letter),
            letter => white_space(letter)?,
        };
        self.line_holds_json(index)
            .then_some(Decoded::of(letter, 2))
    }

    fn line_holds_json(&mut self, index: usize) -> bool {
        if !self.line.contains(&index) {
            let start = index - bytes::line_back(self.text, index, index);
            self.line = start..line_end_of(self.text, index);
            self.is_json = holds_json(bytes::slice(self.text, start, self.line.end));
        }
        self.is_json
    }
}

fn line_end_of(text: &[u8], index: usize) -> usize {
    let rest = bytes::slice(text, index, text.len());
    memchr::memchr(b'\n', rest).map_or(text.len(), |end| index + end)
}

/// Whether an escaped quote closes the name of a member, or a text of several lines is spelled out.
fn holds_json(line: &[u8]) -> bool {
    let mut breaks = 0;
    memchr::memchr_iter(b'\\', line).any(|index| {
        let next = at(line, index + 1);
        breaks += usize::from(next == b'n');
        let colon = index + 2 + usize::from(at(line, index + 2) == b' ');
        breaks > 1 || next == b'"' && at(line, colon) == b':'
    })
}

/// `%40`, `%C3%A9`, `%2540` (RFC 3986, section 2.1), and `%u0040` as old scripts write it.
fn percent(text: &[u8], index: usize) -> Option<Decoded> {
    if at(text, index + 1) == b'u' {
        let code = hexadecimal(bytes::slice(text, index + 2, index + 6), 4)?;
        return Some(Decoded::of(visible(code)?, 6));
    }
    in_octets(text, index, octet)
}

/// Whether a mail in a text says how it is encoded.
fn is_quoted_printable(text: &[u8]) -> bool {
    const NAMES: [&[u8]; 3] = [
        b"quoted-printable",
        b"Quoted-Printable",
        b"QUOTED-PRINTABLE",
    ];
    // Few words have this letter.
    memchr::memchr2_iter(b'q', b'Q', text).any(|index| {
        let rest = bytes::slice(text, index, text.len());
        NAMES.iter().any(|name| rest.starts_with(name))
    })
}

/// `=40`, `=C3=A9`, and a line that continues after its end (RFC 2045, section 6.7).
fn quoted_printable(text: &[u8], index: usize) -> Option<Decoded> {
    let line_end = match (at(text, index + 1), at(text, index + 2)) {
        (b'\n', _) => 2,
        (b'\r', b'\n') => 3,
        _ => return in_octets(text, index, quoted_octet),
    };
    Some(Decoded {
        letter: None,
        length: line_end,
        is_telling: true,
    })
}

/// The byte that is written as `=40`, and where that ends.
fn quoted_octet(text: &[u8], index: usize) -> Option<(u8, usize)> {
    let digits = hexadecimal(bytes::slice(text, index + 1, index + 3), 2)?;
    let byte = u8::try_from(digits).ok()?;
    (at(text, index) == b'=').then_some((byte, index + 3))
}

/// Reads the byte that is encoded at a place, and where that ends.
type Octet = fn(&[u8], usize) -> Option<(u8, usize)>;

fn in_octets(text: &[u8], index: usize, octet: Octet) -> Option<Decoded> {
    let (letter, end) = octets(text, index, octet)?;
    Some(Decoded::of(letter, end - index))
}

/// The character whose bytes are written one after the other, in UTF-8 or else in Latin-1, and where that ends.
fn octets(text: &[u8], index: usize, octet: Octet) -> Option<(char, usize)> {
    let (lead, end) = octet(text, index)?;
    let latin = || (lead >= 0xA0 && !is_directive(text, index)).then(|| (char::from(lead), end));
    in_utf8(text, (lead, end), octet).or_else(latin)
}

/// `%define`, `%ad`: not the escape of a letter in the middle of a word, as in `M%fcller`.
fn is_directive(text: &[u8], index: usize) -> bool {
    let digits = bytes::slice(text, index + 1, index + 3);
    at(text, index) == b'%'
        && digits.iter().all(u8::is_ascii_lowercase)
        && !bytes::before(text, index).is_ascii_alphabetic()
}

fn in_utf8(text: &[u8], (lead, mut end): (u8, usize), octet: Octet) -> Option<(char, usize)> {
    let count = match lead {
        b'\t' | b'\n' | b'\r' | 0x1B | b' '..=b'~' => 1,
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let mut encoded = [lead, 0, 0, 0];
    for byte in encoded.iter_mut().take(count).skip(1) {
        (*byte, end) = octet(text, end)?;
    }
    Some((letter(encoded.get(..count)?)?, end))
}

/// The only character of a text in UTF-8.
fn letter(encoded: &[u8]) -> Option<char> {
    str::from_utf8(encoded).ok()?.chars().next()
}

/// The byte that is percent-encoded at `index`, once or several times, and where that ends.
fn octet(text: &[u8], index: usize) -> Option<(u8, usize)> {
    if at(text, index) != b'%' {
        return None;
    }
    let digits = |from: usize| hexadecimal(bytes::slice(text, from, from + 2), 2);
    let mut from = index + 1;
    while from < index + LONGEST_NESTED
        && bytes::slice(text, from, from + 2) == b"25"
        && digits(from + 2).is_some()
    {
        from += 2;
    }
    let byte = u8::try_from(digits(from)?).ok()?;
    Some((byte, from + 2))
}

/// A number of exactly this many hexadecimal digits.
fn hexadecimal(digits: &[u8], count: usize) -> Option<u32> {
    let is_number = digits.len() == count && digits.iter().all(u8::is_ascii_hexdigit);
    let digits = str::from_utf8(digits).ok().filter(|_| is_number)?;
    u32::from_str_radix(digits, 16).ok()
}

/// `&quot;`, `&#64;`, `&eacute;`.
fn in_html(text: &[u8], index: usize) -> Option<Decoded> {
    let (letter, end) = entity::letter(text, index)?;
    Some(Decoded::of(letter, end - index))
}

impl Escape {
    fn at(text: &[u8], index: usize) -> Self {
        let kind = after_backslashes(text, index);
        Self {
            backslashes: index..kind,
            escaped: escaped(text, kind).or_else(|| in_markdown(text, index..kind)),
        }
    }
}

/// A sign that Markdown escapes within a word: `sk\_live\_x`, `a\_b@c\.example`.
fn in_markdown(text: &[u8], backslashes: Range<usize>) -> Option<(char, usize)> {
    let sign = at(text, backslashes.end);
    let is_between = before(text, backslashes.start).is_ascii_alphanumeric()
        && at(text, backslashes.end + 1).is_ascii_alphanumeric();
    (is_between && matches!(sign, b'_' | b'-' | b'.' | b'@' | b'+'))
        .then(|| (char::from(sign), backslashes.end + 1))
}

fn after_backslashes(text: &[u8], index: usize) -> usize {
    index + bytes::run(text, index, usize::MAX, |byte| byte == b'\\')
}

/// The character that an escape stands for, and where that ends.
fn escaped(text: &[u8], kind: usize) -> Option<(char, usize)> {
    match at(text, kind) {
        b'/' => Some(('/', kind + 1)),
        b'u' => unicode(text, kind),
        b'x' | b'2' | b'3' => octets(text, kind - 1, escaped_octet),
        _ => None,
    }
}

/// The byte that is written as `\xc3`, or as `\303`, as Git and shells do, and where that ends.
fn escaped_octet(text: &[u8], index: usize) -> Option<(u8, usize)> {
    let kind = after_backslashes(text, index);
    let (first, radix) = match at(text, kind) {
        b'x' => (kind + 1, 16),
        b'2' | b'3' => (kind, 8),
        _ => return None,
    };
    let end = first + if radix == 16 { 2 } else { 3 };
    let digits = str::from_utf8(bytes::slice(text, first, end)).ok()?;
    let byte = u8::from_str_radix(digits, radix).ok()?;
    (kind > index && !digits.starts_with('+')).then_some((byte, end))
}

/// `u0040`, or two surrogates (RFC 8259, section 7), and where that ends.
fn unicode(text: &[u8], kind: usize) -> Option<(char, usize)> {
    if at(text, kind + 1) == b'{' {
        return in_braces(text, kind + 2);
    }
    let unit = |from: usize| hexadecimal(bytes::slice(text, from, from + 4), 4);
    let end = kind + 5;
    let first = unit(kind + 1)?;
    let Some(high) = first.checked_sub(0xD800).filter(|high| *high < 0x400) else {
        return Some((visible(first)?, end));
    };
    let second = after_backslashes(text, end);
    let low = unit(second + 1).filter(|_| at(text, second) == b'u')?;
    let low = low.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
    Some((visible(0x1_0000 + (high << 10) + low)?, second + 5))
}

/// `40}`, of an escape with braces, and where that ends.
fn in_braces(text: &[u8], start: usize) -> Option<(char, usize)> {
    const MOST_DIGITS: usize = 6;
    let length = bytes::run(text, start, MOST_DIGITS, |byte| byte.is_ascii_hexdigit());
    let code = hexadecimal(bytes::slice(text, start, start + length), length)?;
    let end = start + length;
    (at(text, end) == b'}').then_some((visible(code)?, end + 1))
}

/// What a backslash before `n`, `r` or `t` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Backslash {
    /// Written before a letter.
    Alone,
    /// The beginning of an escape, which stands for white space.
    Escape,
}

/// A text without its backslashes, however many are written in a row; `None` if there are none, or no escapes.
pub(super) fn without_backslashes(source: &str, backslash: Backslash) -> Option<View> {
    let text = source.as_bytes();
    let mut builder = Builder::default();
    let (mut kept, mut is_other) = (0, false);
    while let Some(start) = memchr::memchr(b'\\', text.get(kept..)?).map(|found| kept + found) {
        builder.keep(source, kept..start);
        kept = after_backslashes(text, start);
        let space = white_space(at(text, kept)).filter(|_| backslash == Backslash::Escape);
        if let Some(space) = space {
            kept += 1;
            builder.put(space, start..kept);
        }
        is_other |= space.is_some() || backslash == Backslash::Alone;
    }
    if !is_other {
        return None;
    }
    builder.keep(source, kept..text.len());
    Some(builder.finish())
}

/// What the letter of an escape stands for.
const fn white_space(letter: u8) -> Option<char> {
    match letter {
        b'n' => Some('\n'),
        b'r' => Some('\r'),
        b't' => Some('\t'),
        _ => None,
    }
}

/// `＠`: a full-width ASCII character. Punctuation is written like this in any Chinese text.
fn full_width(text: &[u8], index: usize) -> Option<Decoded> {
    const FIRST: u32 = 0xFF01;
    const WIDTH: usize = 3;
    let wide = u32::from(letter(bytes::slice(text, index, index + WIDTH))?);
    let narrow = u8::try_from(wide.checked_sub(FIRST)?)
        .ok()?
        .checked_add(b'!')?;
    (narrow <= b'~').then_some(Decoded {
        letter: Some(char::from(narrow)),
        length: WIDTH,
        is_telling: narrow.is_ascii_alphanumeric() || matches!(narrow, b'@' | b'.' | b'_'),
    })
}
