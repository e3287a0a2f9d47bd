//! Parts of addresses by the names of their fields: `{"street": "14 Market Place"}`, a column `PLZ`, a line `Postcode: …`.

use super::street::{is_capitalised, is_house};
use super::{eastern, push, tail};
use crate::detect::bytes::{self, at, before};
use crate::detect::names;
use crate::detect::shapes::ids;
use crate::detect::text::scanner::Scanner;
use std::ops::Range;

/// The longest name of a field, and the longest value, in bytes.
const LONGEST_NAME: usize = 40;
const LONGEST: usize = 120;
/// How far from a field another one of the same record may be, in bytes.
const NEAR: usize = 240;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::detect) enum Part {
    /// A street, or any line of an address.
    Street,
    /// The same, for names that other addresses have, too.
    Address,
    /// The number of a house.
    House,
    /// A postal code.
    Code,
    /// The same, for names that mean other things, too.
    Short,
    /// A town, which is no address, but shows one.
    Place,
}

include!(concat!(env!("OUT_DIR"), "/fields.rs"));

/// The part of an address that a column holds, and whether another column holds more of it.
#[derive(Debug, Clone, Copy)]
pub(in crate::detect) struct Column {
    part: Part,
    is_beside: bool,
}

impl Column {
    pub(in crate::detect) fn holds(self, cell: &[u8]) -> bool {
        is_value(cell, self.part, self.is_beside)
    }
}

/// What a column with one of these names of a header holds.
pub(in crate::detect) fn column(text: &[u8], name: &Range<usize>) -> Option<Column> {
    let part = part(bytes::slice(text, name.start, name.end))?;
    // The person beside a code may be that of a firm.
    let is_person = |other: &[u8]| part == Part::Code && self::part(other).is_none();
    let shows = |other: &[u8]| shows(part, other) && !is_person(other);
    let is_beside = has_beside(text, name, &header_around(text, name), is_cell_end, shows);
    let needs_other = matches!(part, Part::House | Part::Code | Part::Short);
    (part != Part::Place && (is_beside || !needs_other)).then_some(Column { part, is_beside })
}

/// Whether a member of this name holds a part of an address, and its text may be one.
pub(in crate::detect) fn is_member(name: &str, text: &str) -> bool {
    let has = |is: fn(char) -> bool| text.chars().any(is);
    match part(name.as_bytes()) {
        Some(Part::Code | Part::Short) => is_code(text.as_bytes()),
        Some(Part::Street | Part::Address) => {
            has(char::is_alphabetic)
                && has(|sign| sign.is_ascii_digit())
                && (text.contains(' ') || !text.is_ascii())
                && !is_of_network(text.as_bytes())
        }
        _ => false,
    }
}

/// Reports what the field at `start` holds, or its column.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, start: usize) {
    let text = scanner.text;
    let word = start - bytes::run_back(text, start, LONGEST_NAME, is_word)
        ..start + name_length(text, start);
    if ids::scan_column(scanner, &word) {
        return;
    }
    let Some((name, value)) = names_around(text, word).find_map(|name| {
        let value = Value::behind(text, &name)?;
        part(bytes::slice(text, name.start, name.end)).map(|part| (name, (part, value)))
    }) else {
        return;
    };
    let (part, value) = value;
    let own = bytes::slice(text, value.span.start, value.span.end);
    let shows = |other: &[u8]| shows(part, other);
    let near = name.start.saturating_sub(NEAR)..text.len().min(name.end + NEAR);
    let is_beside = || has_beside(text, &name, &near, is_name_end, shows);
    let stands_alone = match part {
        Part::Street | Part::Address => is_value(own, part, false) && value.may_be_street(),
        Part::Code => value.is_line && own.len() > 4 && is_value(own, part, false),
        Part::House | Part::Short | Part::Place => false,
    };
    // `street: String`
    let may_be_beside = value.is_enclosed || own.iter().any(u8::is_ascii_digit);
    let is_shown = || may_be_beside && is_value(own, part, true) && is_beside();
    if part != Part::Place && (stands_alone || is_shown()) {
        push(scanner, value.span, 80);
    }
}

/// The length of the rest of a name: `住所` of `住所：東京都`.
fn name_length(text: &[u8], start: usize) -> usize {
    let colon = "：".as_bytes();
    let belongs = |&at: &usize| is_word(bytes::at(text, at)) && !bytes::begins(text, at, colon);
    (start..start + LONGEST_NAME).take_while(belongs).count()
}

/// What a name may be spelled with, apart from spaces.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'-')
}

/// The name around a word: with the words beside it, and alone.
fn names_around(text: &[u8], word: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    // `PLZ, Ort:`, `Straße/Nr.:`
    let is_part = |byte: u8| is_word(byte) || matches!(byte, b' ' | b',' | b'/' | b'.');
    let lead = bytes::run_back(text, word.start, LONGEST_NAME, is_part);
    let lead = bytes::slice(text, word.start - lead, word.start);
    let gap = memchr::memmem::rfind(lead, b"  ").map_or(0, |gap| gap + 2);
    let lead = bytes::slice(lead, gap, lead.len()).trim_ascii_start().len();
    let rest = bytes::run(text, word.end, LONGEST_NAME, is_part);
    let rest = bytes::slice(text, word.end, word.end + rest)
        .trim_ascii_end()
        .len();
    [word.start - lead..word.end + rest, word].into_iter()
}

/// The part of an address that a field of this name holds.
fn part(name: &[u8]) -> Option<Part> {
    let name = str::from_utf8(name)
        .ok()
        .filter(|name| name.len() <= LONGEST_NAME)?;
    let letters = name.chars().filter(|sign| sign.is_alphanumeric());
    let name: String = letters.flat_map(char::to_lowercase).collect();
    let place = FIELDS.binary_search_by(|(own, _)| (*own).cmp(&name)).ok()?;
    FIELDS.get(place).map(|(_, part)| *part)
}

/// Whether a field beside one of an address shows what that one is.
fn shows(own: Part, other: &[u8]) -> bool {
    let is_person = || other.eq_ignore_ascii_case(b"name") || names::is_column(other);
    match (own, part(other)) {
        (Part::House, other) => other == Some(Part::Street),
        (Part::Code | Part::Short, Some(Part::Street | Part::Address | Part::House)) => true,
        (Part::Short, _) => false,
        (Part::Code, _) | (Part::Street, None) => is_person(),
        (_, Some(_)) => true,
        (_, None) => false,
    }
}

/// The header of a table around the name of one of its columns: a line, or what is in brackets.
fn header_around(text: &[u8], name: &Range<usize>) -> Range<usize> {
    let is_in = |byte: u8| !matches!(byte, b'\n' | b'(' | b')');
    name.start - bytes::run_back(text, name.start, NEAR, is_in)
        ..name.end + bytes::run(text, name.end, NEAR, is_in) + 1
}

/// Whether near a name there is another one of a field that shows what it is.
fn has_beside(
    text: &[u8],
    name: &Range<usize>,
    near: &Range<usize>,
    ends: fn(u8) -> bool,
    shows: impl Fn(&[u8]) -> bool,
) -> bool {
    let is_part = |byte: u8| is_word(byte) || byte == b' ';
    let mut index = near.start;
    while index < near.end {
        let length = bytes::run(text, index, near.end - index, is_part);
        let end = index + length;
        if length > 0 && ends(at(text, end)) && index != name.start {
            let own = bytes::slice(text, index, end).trim_ascii();
            let last = own.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
            if shows(own) || shows(last) {
                return true;
            }
        }
        index = end + 1;
    }
    false
}

/// What follows the name of a field.
const fn is_name_end(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b':' | b'=' | b'>')
}

/// What follows the name of a column.
const fn is_cell_end(byte: u8) -> bool {
    matches!(
        byte,
        b'"' | b'`' | b',' | b';' | b'|' | b'\t' | b'\n' | b'\r' | b')' | b'*' | 0
    )
}

/// The value of a field.
struct Value {
    span: Range<usize>,
    /// Whether the name is a label, and the value fills the rest of its line or column.
    is_line: bool,
    /// Whether the value is in quotes, or in an element.
    is_enclosed: bool,
}

impl Value {
    fn behind(text: &[u8], name: &Range<usize>) -> Option<Self> {
        let closes = at(text, name.end);
        if before(text, name.start) == b'<' && closes == b'>' {
            return Self::enclosed(text, name.end + 1, b'<');
        }
        let key = usize::from(matches!(closes, b'"' | b'\''));
        let space = |index| bytes::run(text, index, 3, |byte| matches!(byte, b' ' | b'*'));
        let sign = name.end + key + space(name.end + key);
        let width = match bytes::slice(text, sign, sign + 2) {
            b"=>" => 2,
            [b':' | b'=', _] => 1,
            _ if bytes::begins(text, sign, "：".as_bytes()) => "：".len(),
            _ => return None,
        };
        let start = sign + width + space(sign + width);
        match at(text, start) {
            quote @ (b'"' | b'\'') => Self::enclosed(text, start + 1, quote),
            _ if key > 0 => Self::bare(text, start, |byte| byte.is_ascii_alphanumeric(), false),
            _ if at(text, sign) == b'=' => {
                Self::bare(text, start, |byte| !b",;&\n\r ".contains(&byte), false)
            }
            _ => Self::bare(text, start, |byte| !b"\n\r|;\t".contains(&byte), true),
        }
    }

    fn enclosed(text: &[u8], start: usize, closer: u8) -> Option<Self> {
        let length = bytes::run(text, start, LONGEST + 1, |byte| {
            byte != closer && byte != b'\n'
        });
        (at(text, start + length) == closer && length > 0).then_some(Self {
            span: start..start + length,
            is_line: false,
            is_enclosed: true,
        })
    }

    fn bare(
        text: &[u8],
        start: usize,
        belongs: impl Fn(u8) -> bool,
        is_line: bool,
    ) -> Option<Self> {
        let length = bytes::run(text, start, LONGEST + 1, belongs);
        let own = bytes::slice(text, start, start + length);
        let gap = memchr::memmem::find(own, b"  ").unwrap_or(length);
        let own = bytes::slice(own, 0, gap).trim_ascii_end();
        let own = own.strip_suffix(b".").unwrap_or(own);
        let end = start + own.len();
        let end = if is_line {
            tail::before_label(text, start..end)
        } else {
            end
        };
        let own = bytes::slice(text, start, end);
        (!own.is_empty() && length <= LONGEST).then_some(Self {
            span: start..start + own.len(),
            is_line,
            is_enclosed: false,
        })
    }

    const fn may_be_street(&self) -> bool {
        self.is_line || self.is_enclosed
    }
}

/// Whether a value may be this part of an address; `is_beside` if another field shows that it is one.
fn is_value(own: &[u8], part: Part, is_beside: bool) -> bool {
    match part {
        Part::Code | Part::Short => is_code(own),
        Part::House => is_house(own),
        Part::Place => false,
        Part::Street | Part::Address => str::from_utf8(own).is_ok_and(|text| {
            (3..=LONGEST).contains(&own.len())
                && !is_of_network(own)
                && (is_numbered(text, is_beside)
                    || is_beside && is_titled(text)
                    || eastern::is_one(text))
        }),
    }
}

/// A postal code, alone or with its place: `01796 Pirna`.
fn is_code(own: &[u8]) -> bool {
    tail::postal_end(own, 0)
        .is_some_and(|end| end == own.len() || tail::place_after_code(own, end) == Some(own.len()))
}

/// Addresses in networks and memories, and code.
fn is_of_network(own: &[u8]) -> bool {
    let has_sign = own
        .iter()
        .any(|byte| b"@{}[]<>=\"`_|\\~^$%*!?".contains(byte));
    let is_dotted = own.windows(3).any(|signs| {
        matches!(signs, [first, b'.' | b':', last] if first.is_ascii_alphanumeric() && last.is_ascii_digit())
    });
    has_sign
        || is_dotted
        || has_colon(own)
        || own.starts_with(b"0x")
        || memchr::memmem::find(own, b"//").is_some()
}

/// A colon as behind the label of something else, and not as in `No: 15`.
fn has_colon(own: &[u8]) -> bool {
    memchr::memchr_iter(b':', own).any(|at| {
        let letters = bytes::run_back(own, at, 4, |byte| byte.is_ascii_alphabetic());
        let label = bytes::slice(own, at - letters, at);
        !matches!(label, b"No" | b"NO" | b"no" | b"D") || bytes::at(own, at + 1) != b' '
    })
}

/// `14 Market Place`, `Sonnenallee 221`, `Via dei Mille, 3`: words, and the number of a house first or last in a part.
fn is_numbered(text: &str, is_beside: bool) -> bool {
    let is_word = |word: &str| word.chars().filter(|sign| sign.is_alphabetic()).count() > 1;
    let starts = |sign: char| sign.is_uppercase() || sign.is_ascii_digit() || !sign.is_ascii();
    let parts = text.split([',', '#', '–']).map(str::trim);
    let mut parts = parts.filter(|part| !part.is_empty());
    text.starts_with(char::is_alphanumeric)
        && (is_beside || text.starts_with(starts) && !is_technical(text))
        && text.split([' ', ',', '.']).any(is_word)
        && parts.any(|part| {
            let mut words = part.split(' ');
            let first = words.next().unwrap_or_default();
            is_number(first) || words.next_back().is_some_and(is_number)
        })
}

/// `12`, `12a`, `44/12`, `2/1`, `nº18`
fn is_number(word: &str) -> bool {
    let word = word.trim_matches(|sign: char| !sign.is_alphanumeric());
    let mut parts = word.split('/');
    parts.all(|part| is_house(part.as_bytes()))
}

/// `The Old Forge`, `Sonnenallee`: every word is capitalized, except small ones.
fn is_titled(text: &str) -> bool {
    let is_small = |word: &str| word.len() <= 3 && word.chars().all(char::is_alphabetic);
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let mut words = text.split(' ');
    !has_digit
        && text.starts_with(|first: char| first.is_alphabetic())
        && text.contains(|sign: char| sign.is_lowercase() || sign == ' ')
        && is_capitalised(text.as_bytes())
        && words.all(|word| is_capitalised(word.as_bytes()) || is_small(word))
}

/// `Slot 4`, `Register 40001`: a place in a machine.
fn is_technical(text: &str) -> bool {
    #[rustfmt::skip]
    const PLACES: &[&str] = &[
        "slot", "port", "bank", "rack", "node", "register", "page", "line", "channel", "device", "block", "table", "sheet", "row", "cell", "bus", "level",
        "version", "host", "server", "offset", "byte", "sector", "index", "item", "step", "error", "value", "key", "id", "no", "type", "entry", "record",
        "field", "column", "pin", "relay", "coil", "sensor", "input", "output", "tcp", "udp", "memory", "segment", "room", "box", "shard", "cluster",
    ];
    let mut words = text.split([' ', ',']);
    words.any(|word| PLACES.contains(&word.to_ascii_lowercase().as_str()))
}
