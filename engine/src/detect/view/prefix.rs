//! Prefixes that do not belong to a line. One line proves little: its neighbours must confirm it
//! (`lines`).

mod origin;

use crate::detect::bytes::{self, at};
use std::ops::Range;

/// Longest number of a line, in digits.
const LONGEST_NUMBER: usize = 8;
/// Farthest that a number is indented, as it is set flush right.
const DEEPEST: usize = 12;
/// Longest path, in bytes.
const LONGEST_PATH: usize = 256;

/// A kind of prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `9\t`
    Tab,
    /// `9→`
    Arrow,
    /// `9 │ `, `9 | `
    Bar,
    /// `9:`, and `9-` for context lines.
    Colon,
    /// `L9: `
    Label,
    /// `file.yml:9:`
    Path,
    /// `9) `, `[9] `
    Item,
    /// `9 +`, `9 -`, `9  `: the number of a line, and what became of it
    Gutter,
    /// `1a2b3c4d (Ann 2026-11-22 10:00:00 +0100 9) `
    Blame,
    /// `> `, `< `
    Quote,
    /// `+`, `-`
    Change,
    /// `# `, `// `, ` * `
    Comment,
    /// `│ … │`
    Border,
    /// `2026-11-22T10:00:00Z `, with a log's origin of a line.
    Stamp,
    /// `db-1  | `, `[db] `: where a line comes from.
    Origin,
}

/// A prefix of a line.
#[derive(Debug, Clone)]
pub(super) struct Prefix {
    pub(super) form: Form,
    /// Where the line continues.
    pub(super) end: usize,
    /// What is the same in all lines of a block.
    pub(super) key: Range<usize>,
    /// The number of the line.
    pub(super) number: Option<u64>,
    /// Its content that may be a value.
    message: Range<usize>,
}

impl Prefix {
    const fn of(form: Form, end: usize) -> Self {
        Self {
            form,
            end,
            key: 0..0,
            number: None,
            message: 0..0,
        }
    }

    /// Its content, if that may be a value.
    pub(super) fn message(&self) -> Option<Range<usize>> {
        (!self.message.is_empty()).then(|| self.message.clone())
    }

    fn numbered(form: Form, end: usize, digits: &[u8]) -> Self {
        Self {
            number: Some(value_of(digits)),
            ..Self::of(form, end)
        }
    }
}

/// The same number for lines that may have a prefix of one form; 0 for a line without. Each line
/// needs few checks and no branches, because processors can't predict them.
#[inline]
pub(super) fn class(text: &[u8], start: usize) -> u32 {
    const WINDOW: usize = size_of::<u128>();
    const SPACES: u128 = u128::from_le_bytes([b' '; WINDOW]);
    let rest = text.get(start..).unwrap_or_default();
    let mut padded = [0; WINDOW];
    let window = rest.first_chunk().unwrap_or_else(|| {
        for (to, from) in padded.iter_mut().zip(rest) {
            *to = *from;
        }
        &padded
    });
    let window = u128::from_le_bytes(*window);
    let indent = (window ^ SPACES).trailing_zeros() & !7;
    let first = window.wrapping_shr(indent).to_le_bytes()[0];
    let class = u32::from(CLASSES[usize::from(first)]);
    let [head @ .., _, _, _, _, end, open, _, _, _, _, _, _] = window.to_le_bytes();
    // Lines of different commits are similar only after their hashes.
    let is_blame = u32::from(end == b' ' && open == b'(');
    // `L9: ` and `L10: ` are alike in one byte only.
    let digit = u32::from(head[1].wrapping_sub(b'0') < 10 && head[0] == b'L');
    let head = u32::from_le_bytes(head) & (u32::MAX >> (24 * digit));
    match (class, indent) {
        _ if is_blame == 1 => BLAME,
        // Tags begin with the same sign.
        (LESS, _) => LESS * u32::from(head.to_le_bytes()[1] == b' '),
        (NAME, 0) => head,
        (NAME | CHANGE, 1..) => 0,
        _ => class,
    }
}

/// The class of a line that begins with a word: such lines begin with the same four bytes.
const NAME: u32 = 1;
const CHANGE: u32 = 3;
const BLAME: u32 = 4;
const LESS: u32 = 5;
/// The class of a line by its first byte after spaces.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0u8;
    while byte < u8::MAX {
        classes[byte as usize] = match byte {
            b'0'..=b'9' => 2,
            b'+' | b'-' => 3,
            b'<' => 5,
            mark @ (b'>' | b'#' | b'/' | b'*' | b';' | b'[' | 0xE2) => mark,
            b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'~' | b'_' => 1,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn indent(text: &[u8], start: usize) -> usize {
    bytes::run(text, start, DEEPEST, |byte| byte == b' ')
}

fn value_of(digits: &[u8]) -> u64 {
    digits
        .iter()
        .fold(0, |value, digit| value * 10 + u64::from(digit - b'0'))
}

/// Skips one space.
fn space(text: &[u8], end: usize) -> usize {
    end + usize::from(at(text, end) == b' ')
}

/// The prefix of the line from `start` to `end`.
pub(super) fn prefix(text: &[u8], start: usize, end: usize) -> Option<Prefix> {
    let text = bytes::slice(text, 0, end);
    let first = start + indent(text, start);
    match at(text, first) {
        b'0'..=b'9' => origin::stamp(text, first)
            .or_else(|| number(text, first))
            .or_else(|| origin::blame(text, first)),
        b'^' => origin::blame(text, first),
        b'>' => Some(quote(text, first)),
        b'<' if at(text, first + 1) == b' ' => Some(Prefix::of(Form::Quote, first + 2)),
        b'+' | b'-' if first == start => change(text, first).or_else(|| comment(text, first)),
        b'[' => origin::bracket(text, first),
        b'#' => comment(text, first).or_else(|| origin::build_step(text, first)),
        b'/' => comment(text, first).or_else(|| path(text, first)),
        b'*' | b';' => comment(text, first).filter(|_| first > start || at(text, first) == b';'),
        0xE2 => border(text, first),
        _ => named(text, first),
    }
}

/// A prefix that begins with a word.
fn named(text: &[u8], first: usize) -> Option<Prefix> {
    let word = first + bytes::run(text, first, LONGEST_PATH, is_path);
    match at(text, word) {
        b':' => label(text, first).or_else(|| path(text, first)),
        b'|' => label(text, first),
        b' ' => origin::container(text, first)
            .or_else(|| origin::syslog(text, first))
            .or_else(|| origin::klog(text, first))
            .or_else(|| origin::blame(text, first))
            .or_else(|| origin::pod(text, first))
            .or_else(|| label(text, first))
            .or_else(|| comment(text, first)),
        _ => None,
    }
}

const fn is_path(byte: u8) -> bool {
    bytes::is_word(byte) || matches!(byte, b'.' | b'/' | b'-' | b'@' | b'+' | b'~') || byte >= 0x80
}

/// The gutter of a line without a number, which belongs to the one above: `   | `.
pub(super) fn empty_bar(text: &[u8], start: usize) -> Option<usize> {
    let bar = start + indent(text, start);
    let width = bar_width(text, bar);
    (bar > start && width > 0).then(|| space(text, bar + width))
}

/// Whether a line holds its number alone, as it is left where spaces at the ends of lines are dropped.
pub(super) fn bare_number(text: &[u8], start: usize, end: usize) -> Option<u64> {
    let line = bytes::slice(text, start, end).trim_ascii();
    let is_number =
        (1..=LONGEST_NUMBER).contains(&line.len()) && line.iter().all(u8::is_ascii_digit);
    is_number.then(|| value_of(line))
}

/// A line around those that a search found: `file.yml-9-`.
pub(super) fn around(text: &[u8], start: usize, end: usize, path: &[u8]) -> Option<Prefix> {
    let text = bytes::slice(text, 0, end);
    let dash = start + path.len();
    if bytes::slice(text, start, dash) != path || at(text, dash) != b'-' {
        return None;
    }
    let digits = digits(text, dash + 1);
    (!digits.is_empty() && at(text, digits.end) == b'-').then(|| Prefix {
        key: start..dash,
        message: start..dash,
        ..Prefix::numbered(
            Form::Path,
            digits.end + 1,
            bytes::slice(text, digits.start, digits.end),
        )
    })
}

fn digits(text: &[u8], start: usize) -> Range<usize> {
    start..start + bytes::run(text, start, LONGEST_NUMBER, |byte| byte.is_ascii_digit())
}

fn number(text: &[u8], first: usize) -> Option<Prefix> {
    let digits = digits(text, first);
    let own = bytes::slice(text, digits.start, digits.end);
    let arrow = "→".len();
    let (form, end) = match at(text, digits.end) {
        b'\t' => (Form::Tab, digits.end + 1),
        b':' => (Form::Colon, space(text, digits.end + 1)),
        b'-' => (Form::Colon, digits.end + 1),
        _ if bytes::slice(text, digits.end, digits.end + arrow) == "→".as_bytes() => {
            (Form::Arrow, digits.end + arrow)
        }
        _ => {
            let bar = digits.end + indent(text, digits.end);
            match bar_width(text, bar) {
                0 => item(text, digits.end).or_else(|| gutter(text, digits.end))?,
                width => (Form::Bar, space(text, bar + width)),
            }
        }
    };
    Some(Prefix::numbered(form, end, own))
}

/// `9) `: the number of an item, which ends at `end`.
fn item(text: &[u8], end: usize) -> Option<(Form, usize)> {
    (bytes::slice(text, end, end + 2) == b") ").then_some((Form::Item, end + 2))
}

/// `9 +x`, `9 -x`, `9  x`: a number and a mark, unless that is the sign of another number.
fn gutter(text: &[u8], end: usize) -> Option<(Form, usize)> {
    let is_mark = matches!(at(text, end + 1), b'+' | b'-' | b' ');
    let is_number = match at(text, end + 1) {
        b' ' => at(text, end + 2).is_ascii_digit(),
        _ => is_signed(text, end + 1),
    };
    (at(text, end) == b' ' && is_mark && !is_number).then_some((Form::Gutter, end + 2))
}

/// `|`, or a line drawn down a page: `│`, `┃`, `║`, `┆`, `▌`, `▎`.
fn bar_width(text: &[u8], start: usize) -> usize {
    match (at(text, start), at(text, start + 1), at(text, start + 2)) {
        (b'|', ..) => 1,
        (0xE2, 0x94, 0x82 | 0x83 | 0x86 | 0x8A)
        | (0xE2, 0x95, 0x91)
        | (0xE2, 0x96, 0x8C | 0x8E | 0x8F) => 3,
        _ => 0,
    }
}

/// `L9: `, `Line 9: `
fn label(text: &[u8], first: usize) -> Option<Prefix> {
    let word = [&b"Line "[..], b"line ", b"L"]
        .into_iter()
        .find(|word| bytes::slice(text, first, first + word.len()) == *word)?;
    let digits = digits(text, first + word.len());
    let own = bytes::slice(text, digits.start, digits.end);
    let separated = matches!(at(text, digits.end), b':' | b'|');
    (!own.is_empty() && separated)
        .then(|| Prefix::numbered(Form::Label, space(text, digits.end + 1), own))
}

/// `src/file.yml:9:`, `file.yml:9:5:`
fn path(text: &[u8], first: usize) -> Option<Prefix> {
    let length = bytes::run(text, first, LONGEST_PATH, is_path);
    let colon = first + length;
    let own = bytes::slice(text, first, colon);
    if memchr::memchr2(b'.', b'/', own).is_none() || at(text, colon) != b':' {
        return None;
    }
    let line = digits(text, colon + 1);
    if line.is_empty() || at(text, line.end) != b':' {
        return None;
    }
    let column = digits(text, line.end + 1);
    let has_column = !column.is_empty() && at(text, column.end) == b':';
    let end = if has_column { column.end } else { line.end } + 1;
    Some(Prefix {
        key: first..colon,
        message: first..colon,
        ..Prefix::numbered(Form::Path, end, bytes::slice(text, line.start, line.end))
    })
}

fn quote(text: &[u8], first: usize) -> Prefix {
    let mut end = first;
    while at(text, end) == b'>' {
        end = space(text, end + 1);
    }
    Prefix::of(Form::Quote, end)
}

/// A sign before a digit is that of a number, unless that belongs to another prefix; a line of signs is drawn.
fn change(text: &[u8], first: usize) -> Option<Prefix> {
    let is_drawn = match bytes::slice(text, first, first + 3) {
        [_, b'-' | b'=', ..] => true,
        signs => signs == b"+++",
    };
    (!is_drawn && !is_signed(text, first)).then(|| Prefix::of(Form::Change, first + 1))
}

/// Whether the sign at `sign` may be that of a number.
pub(super) fn is_signed(text: &[u8], sign: usize) -> bool {
    let digits = digits(text, sign + 1);
    let is_gutter = || at(text, digits.end) != b'-' && number(text, digits.start).is_some();
    let is_origin = || {
        let origin = origin::stamp(text, digits.start);
        origin
            .or_else(|| origin::blame(text, digits.start))
            .is_some()
    };
    !digits.is_empty() && !is_gutter() && !is_origin()
}

/// `# `, `// `, `-- `, `; `, ` * `, `REM `
fn comment(text: &[u8], first: usize) -> Option<Prefix> {
    let leader = match at(text, first) {
        b'/' => bytes::run(text, first, 4, |byte| matches!(byte, b'/' | b'!')),
        mark @ (b'#' | b';') => bytes::run(text, first, 4, |byte| byte == mark),
        b'*' => 1,
        b'-' if at(text, first + 1) == b'-' => 2,
        _ if bytes::begins(text, first, b"rem ") => 3,
        _ => 0,
    };
    let end = first + leader;
    let is_leader = leader > usize::from(at(text, first) == b'/');
    (is_leader && matches!(at(text, end), b' ' | b'\t' | b'\r' | 0)).then(|| Prefix {
        key: first..end,
        ..Prefix::of(Form::Comment, space(text, end))
    })
}

/// The left side of a box. In a table, more such characters are between the cells.
fn border(text: &[u8], first: usize) -> Option<Prefix> {
    let width = bar_width(text, first);
    let bar = first..first + width;
    let sign = bytes::slice(text, bar.start, bar.end);
    let line = bytes::slice(text, bar.end, text.len()).trim_ascii_end();
    let inner = line.strip_suffix(sign).unwrap_or(line);
    let is_cell = memchr::memmem::find(inner, sign).is_some();
    (width > 0 && !is_cell).then(|| Prefix {
        key: bar.clone(),
        ..Prefix::of(Form::Border, space(text, bar.end))
    })
}

/// Where the content of a line in a box ends, if its left side is `prefix` and it ends at `end`.
pub(super) fn right_border(text: &[u8], prefix: &Prefix, end: usize) -> Option<usize> {
    let sign = bytes::slice(text, prefix.key.start, prefix.key.end);
    let line = bytes::slice(text, prefix.end, end).trim_ascii_end();
    let inner = line
        .strip_suffix(sign)
        .filter(|_| prefix.form == Form::Border)?;
    Some(prefix.end + inner.trim_ascii_end().len())
}
