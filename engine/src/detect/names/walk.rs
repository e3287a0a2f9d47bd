//! Walks through the words of a text that may be names.

use super::calendar;
use super::columns::Columns;
use super::features::{self, Features, Surroundings};
use super::line::Line;
use super::lists::{Lists, Marks};
use super::mappings;
use super::token::{Kind, Token, is_space};
use crate::base::bits;
use crate::detect::bytes;
use std::ops::Range;

/// The tag of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Tag {
    /// No name.
    #[default]
    Other = 0,
    /// A person's.
    Person = 1,
    /// A place's.
    Location = 2,
    /// An organisation's.
    Organization = 3,
}

impl Tag {
    /// All, in the order of their weights.
    pub const ALL: [Self; 4] = [
        Self::Other,
        Self::Person,
        Self::Location,
        Self::Organization,
    ];
}

/// The previous word, and its tag.
#[derive(Debug, Clone, Copy, Default)]
struct Last {
    start: usize,
    end: usize,
    tag: Tag,
    before: Tag,
}

/// Passes each word of `text` that may be a name to `decide`, with its features, and continues with
/// its answer.
///
/// `key` is the name of the whole text.
pub fn walk(
    text: &str,
    key: Option<&str>,
    lists: Lists<'_>,
    decide: &mut dyn FnMut(&Token, &Features) -> Tag,
) {
    let key = key.map(features::key_hashes);
    let mut last = Last::default();
    let mut line = Line::default();
    let mut columns = Columns::default();
    let mut found = Features::default();
    let mut capitals = Capitals::new(text);
    let mut at = 0;
    while let Some(start) = capitals.next(at) {
        let skipped = mappings::end(text.as_bytes(), start).or_else(|| code_end(text, start));
        if let Some(end) = skipped {
            at = end;
            continue;
        }
        let token = Token::at(text, start);
        at = token.end.max(start + 1);
        if !may_be_name(text, &token) {
            continue;
        }
        let marks = marks_of(text, lists, &token);
        let is_word = marks.has(Marks::COMMON) || token.kind == Kind::Capitals;
        let is_plain = is_word && !marks.has(Marks(7)) && is_alone(text, &token, last);
        let decided = if is_plain || calendar::is_date(text, &token) {
            Tag::Other
        } else {
            if !line.has(token.start) {
                line = Line::of(text.as_bytes(), token.start, &line);
            }
            let previous = Token::before(text, token.start);
            let (tag, joined) = tag_before(text, &token, &previous, last);
            let surroundings = Surroundings {
                text,
                lists,
                key,
                column: columns.head(text, token.start),
                token,
                marks,
                previous,
                next: Token::after(text, token.end),
                line: &line,
                tag,
                joined,
                before: if joined { last.before } else { last.tag },
            };
            surroundings.features(&mut found);
            decide(&token, &found)
        };
        last = Last {
            start: token.start,
            end: token.end + usize::from(token.kind == Kind::Initial),
            tag: decided,
            before: last.tag,
        };
    }
}

/// Whether no capitalized word comes directly before or after.
fn is_alone(text: &str, token: &Token, last: Last) -> bool {
    let bytes = text.as_bytes();
    let gap = bytes::slice(bytes, last.end, token.start);
    let follows = last.end > 0 && gap.len() < 8 && gap.iter().all(|byte| is_space(*byte));
    if follows || last.tag != Tag::Other && joins(text, last.end, token.start) {
        return false;
    }
    let behind = bytes::slice(bytes, token.end, bytes.len());
    let spaces = behind.iter().take_while(|byte| is_space(**byte)).count();
    match behind.get(spaces) {
        Some(byte) if byte.is_ascii() => !byte.is_ascii_uppercase(),
        _ => {
            let next = text
                .get(token.end + spaces..)
                .and_then(|rest| rest.chars().next());
            !next.is_some_and(char::is_uppercase)
        }
    }
}

/// The tag of the previous part of a name, if there is one: `J.`, `van der`, `Anna`.
fn tag_before(text: &str, token: &Token, previous: &Token, last: Last) -> (Tag, bool) {
    if last.tag == Tag::Other {
        return (
            Tag::Other,
            previous.start == last.start && previous.is_capital(),
        );
    }
    if joins(text, last.end, token.start) {
        (last.tag, true)
    } else {
        (Tag::Other, false)
    }
}

/// Whether two parts can be one name, by what is between them. A tab separates columns.
pub(super) fn joins(text: &str, from: usize, to: usize) -> bool {
    const FARTHEST: usize = 16;
    if to <= from {
        return true;
    }
    let Some(gap) = text.get(from..to).filter(|gap| gap.len() <= FARTHEST) else {
        return false;
    };
    let mut words = gap.split([' ', '\u{a0}']).filter(|word| !word.is_empty());
    words.all(super::particles::is_particle) || gap == ", " && is_dotted_initial(text, to)
}

/// Whether an initial begins at `at`, which behind a comma belongs to the surname before: `Lindholm, K.`
fn is_dotted_initial(text: &str, at: usize) -> bool {
    let mut letters = text.get(at..).unwrap_or_default().chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next() == Some('.')
}

/// Marks of a word; of the parts of a word with a hyphen, those that both have.
pub(super) fn marks_of(text: &str, lists: Lists<'_>, token: &Token) -> Marks {
    let whole = lists.marks(token.hash);
    if whole != Marks::default() {
        return whole;
    }
    let word = text.get(token.start..token.end).unwrap_or_default();
    let marks = |part: &str| lists.marks(super::token::hash_of(part));
    let Some((first, second)) = word.split_once(['-', '\'', '’']) else {
        // `Merkels Rede`
        return word.strip_suffix(['s', 'S']).map_or(whole, marks);
    };
    match second {
        "s" | "S" | "" => marks(first),
        _ => Marks(marks(first).0 & marks(second).0),
    }
}

/// Finds the words that begin with a capital letter.
struct Capitals<'t> {
    text: &'t str,
    /// The last block that was examined, and a bit for each of its bytes that a capital may begin with.
    block: Range<usize>,
    marks: u64,
}

impl<'t> Capitals<'t> {
    const fn new(text: &'t str) -> Self {
        Self {
            text,
            block: 0..0,
            marks: 0,
        }
    }

    /// Where the next word begins with a capital letter, from `from` on, which never decreases.
    fn next(&mut self, from: usize) -> Option<usize> {
        let mut from = from;
        loop {
            let at = self.next_mark(from)?;
            if self.begins_word(at) {
                return Some(at);
            }
            from = at + 1;
        }
    }

    #[inline]
    fn next_mark(&mut self, from: usize) -> Option<usize> {
        let mut from = from;
        loop {
            if from < self.block.end {
                let marks = self.marks & u64::MAX << (from - self.block.start);
                if marks != 0 {
                    return Some(self.block.start + marks.trailing_zeros() as usize);
                }
                from = self.block.end;
            }
            let rest = self.text.as_bytes().get(from..)?;
            let (marks, length) = bits::first_marks(rest, may_be_capital);
            if length == 0 {
                return None;
            }
            self.marks = marks;
            self.block = from..from + length;
        }
    }

    /// Whether a word begins at `at`, with a capital letter.
    #[inline]
    fn begins_word(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let is_capital = || {
            let letter = self.text.get(at..).and_then(|rest| rest.chars().next());
            letter.is_some_and(char::is_uppercase)
        };
        (bytes::at(bytes, at).is_ascii() || is_capital()) && begins_word(self.text, at)
    }
}

/// Whether a capital letter may begin with this byte.
const fn may_be_capital(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte >= 0xC3
}

/// Where a word of code ends that begins at `start`: one with digits and underscores, or with signs of code around it.
/// `None` for any other word.
fn code_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_bound = start
        .checked_sub(1)
        .and_then(|before| bytes.get(before))
        .is_some_and(|before| {
            matches!(
                before,
                b'/' | b'\\' | b'@' | b'#' | b'$' | b'%' | b'&' | b'<' | b'-' | b'+' | b'~' | b'^'
            )
        })
        && !is_wildcard(bytes, start.wrapping_sub(1));
    let rest = bytes.get(start..)?;
    let mut is_code = is_bound;
    let mut length = 0;
    while let Some(&byte) = rest.get(length) {
        if byte == b'_' || byte.is_ascii_digit() {
            is_code = true;
        } else if !byte.is_ascii_alphabetic() {
            break;
        }
        length += 1;
    }
    let is_called = matches!(
        rest.get(length),
        Some(b'(' | b'[' | b'{' | b'=' | b'\\' | b'@' | b'#' | b'$' | b'%' | b'+' | b'~' | b'^')
    ) && !is_wildcard(bytes, start + length);
    let is_path = bytes.get(start.wrapping_sub(2)..start) == Some(b"::")
        || match (rest.get(length), rest.get(length + 1)) {
            (Some(b':'), Some(b':')) => true,
            (Some(b'<'), Some(beyond)) => !matches!(beyond, b'/' | b'b'),
            (Some(b'.'), Some(beyond)) => beyond.is_ascii_alphanumeric() && length > 1,
            _ => false,
        };
    let is_ascii = rest.get(length).is_none_or(u8::is_ascii);
    (is_ascii && length > 0 && (is_code || is_called || is_path)).then_some(start + length)
}

/// Whether the `%` at a place begins or ends the pattern of a query: `LIKE '%Anna Schmidt%'`.
fn is_wildcard(text: &[u8], at: usize) -> bool {
    let is_quote = |index: usize| matches!(text.get(index), Some(b'\'' | b'"'));
    text.get(at) == Some(&b'%') && (is_quote(at.wrapping_sub(1)) || is_quote(at + 1))
}

#[inline]
fn begins_word(text: &str, at: usize) -> bool {
    let Some(&before) = at
        .checked_sub(1)
        .and_then(|index| text.as_bytes().get(index))
    else {
        return true;
    };
    if before < 0x80 {
        return !(before.is_ascii_alphanumeric() || before == b'_');
    }
    let before = text.get(..at).and_then(|lead| lead.chars().next_back());
    !before.is_some_and(char::is_alphanumeric)
}

/// Whether a word with a capital letter may be a part of a name by what touches it: not the parts of code and paths.
fn may_be_name(text: &str, token: &Token) -> bool {
    let bytes = text.as_bytes();
    let byte = |index: Option<usize>| index.and_then(|index| bytes.get(index)).copied();
    let before = byte(token.start.checked_sub(1));
    let behind = byte(Some(token.end));
    let beyond = byte(Some(token.end + 1)).unwrap_or(b' ');
    let is_bound = match before {
        Some(
            b'/' | b'\\' | b'@' | b'#' | b'$' | b'%' | b'&' | b'<' | b'-' | b'+' | b'~' | b'^',
        ) => is_wildcard(bytes, token.start - 1),
        Some(b'.') => !is_dotted(text, token.start - 1),
        Some(b':') => byte(token.start.checked_sub(2)) != Some(b':'),
        Some(b'\'') => {
            byte(token.start.checked_sub(2)).is_none_or(|other| !other.is_ascii_uppercase())
        }
        _ => true,
    };
    let is_free = match behind {
        Some(
            b'(' | b'[' | b'{' | b'=' | b'\\' | b'@' | b'#' | b'$' | b'%' | b'+' | b'~' | b'^',
        ) => is_wildcard(bytes, token.end),
        Some(b'<') => beyond == b'/' || beyond == b'b',
        Some(b'/' | b'|') => !beyond.is_ascii_lowercase(),
        Some(b':') => beyond != b':',
        Some(b'!') => beyond != b'(' && beyond != b'[',
        Some(b'.' | b'-' | b'&' | b'?' | b'*') => !beyond.is_ascii_alphanumeric(),
        _ => true,
    };
    let shaped = match token.kind {
        Kind::Capital | Kind::Capitals => token.end - token.start <= 48,
        Kind::Initial => behind == Some(b'.'),
        _ => false,
    };
    shaped && is_bound && (is_free || is_initials(text, token))
}

/// Whether the dot at `dot` binds what is around it, as in `foo.Bar`, and not as in `J.R. Smith`.
fn is_dotted(text: &str, dot: usize) -> bool {
    let lead = text.get(..dot).unwrap_or_default();
    let mut letters = lead.chars().rev();
    let Some(letter) = letters.next() else {
        return true;
    };
    let is_initial = letter.is_uppercase() && !letters.next().is_some_and(char::is_alphanumeric);
    !is_initial
        && (letter.is_alphanumeric() || matches!(letter, '_' | ')' | ']' | '"' | '\'' | '/'))
}

/// Whether this is the first of `J.R. Smith`.
fn is_initials(text: &str, token: &Token) -> bool {
    let next = text
        .get(token.end + 1..)
        .and_then(|rest| rest.chars().next());
    token.kind == Kind::Initial
        && text.as_bytes().get(token.end) == Some(&b'.')
        && next.is_some_and(char::is_uppercase)
}
