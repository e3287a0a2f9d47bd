//! What may stand before a line without belonging to it. One line proves little: its neighbours confirm it (`lines`).

use crate::detect::bytes::{self, at};
use std::ops::Range;

/// Longest number of a line, in digits.
const LONGEST_NUMBER: usize = 8;
/// Farthest that a number is indented, as it is set flush right.
const DEEPEST: usize = 12;
/// Longest name of a container, host or program, and longest path, in bytes.
const LONGEST_NAME: usize = 64;
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
    /// `9:`, and `9-` for what stands around.
    Colon,
    /// `L9: `
    Label,
    /// `file.yml:9:`
    Path,
    /// `> `
    Quote,
    /// `+`, `-`
    Change,
    /// `# `, `// `, ` * `
    Comment,
    /// `│ … │`
    Border,
    /// `2026-11-22T10:00:00Z `, with what a log says of where a line comes from.
    Stamp,
    /// `db-1  | `, `[db] `: where a line comes from.
    Origin,
}

/// A prefix of a line.
#[derive(Debug, Clone)]
pub(super) struct Prefix {
    pub(super) form: Form,
    /// Where the line goes on.
    pub(super) end: usize,
    /// What is the same in all lines of a block.
    pub(super) key: Range<usize>,
    /// The number of the line.
    pub(super) number: Option<u64>,
    /// What it says that may be a value.
    said: Range<usize>,
}

impl Prefix {
    const fn of(form: Form, end: usize) -> Self {
        Self {
            form,
            end,
            key: 0..0,
            number: None,
            said: 0..0,
        }
    }

    /// What it says, where that may be a value.
    pub(super) fn said(&self) -> Option<Range<usize>> {
        (!self.said.is_empty()).then(|| self.said.clone())
    }

    fn numbered(form: Form, end: usize, digits: &[u8]) -> Self {
        Self {
            number: Some(value_of(digits)),
            ..Self::of(form, end)
        }
    }
}

/// The same number for the lines that may have a prefix of one form; 0 where a line has none. Hardly anything is asked
/// of each line, and nothing branches: lines follow no pattern that a processor could foresee.
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
    let [head @ .., _, _, _, _, _, _, _, _, _, _, _, _] = window.to_le_bytes();
    // `L9: ` and `L10: ` are alike in one byte only.
    let digit = u32::from(head[1].wrapping_sub(b'0') < 10 && head[0] == b'L');
    let head = u32::from_le_bytes(head) & (u32::MAX >> (24 * digit));
    match (class, indent) {
        (NAME, 0) => head,
        (NAME | CHANGE, 1..) => 0,
        _ => class,
    }
}

/// The class of a line that begins with a word: such lines begin with the same four bytes.
const NAME: u32 = 1;
const CHANGE: u32 = 3;
/// The class of a line by its first byte behind spaces.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0u8;
    while byte < u8::MAX {
        classes[byte as usize] = match byte {
            b'0'..=b'9' => 2,
            b'+' | b'-' => 3,
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
        b'0'..=b'9' => stamp(text, first).or_else(|| number(text, first)),
        b'>' => Some(quote(text, first)),
        b'+' | b'-' if first == start => change(text, first).or_else(|| comment(text, first)),
        b'[' => bracket(text, first),
        b'#' => comment(text, first).or_else(|| build_step(text, first)),
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
        b' ' => container(text, first)
            .or_else(|| syslog(text, first))
            .or_else(|| pod(text, first))
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
        said: start..dash,
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
            let width = bar_width(text, bar);
            (Form::Bar, (width > 0).then(|| space(text, bar + width))?)
        }
    };
    Some(Prefix::numbered(form, end, own))
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
        said: first..colon,
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
    !digits.is_empty() && !is_gutter() && stamp(text, digits.start).is_none()
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

/// The left side of a box. In a table, more such signs stand between the cells.
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

/// Where the content ends of a line in a box, whose left side is `prefix`, and which ends at `end`.
pub(super) fn right_border(text: &[u8], prefix: &Prefix, end: usize) -> Option<usize> {
    let sign = bytes::slice(text, prefix.key.start, prefix.key.end);
    let line = bytes::slice(text, prefix.end, end).trim_ascii_end();
    let inner = line
        .strip_suffix(sign)
        .filter(|_| prefix.form == Form::Border)?;
    Some(prefix.end + inner.trim_ascii_end().len())
}

/// `2026-11-22T10:00:00.123Z stdout F `, `2026-11-22T10:00:00+01:00 host program[12]: `
fn stamp(text: &[u8], first: usize) -> Option<Prefix> {
    let date = first + matched(text, first, b"dddd-dd-dd")?;
    let time = date + 1;
    let from = time + matched(text, time, b"dd:dd:dd")?;
    if !matches!(at(text, date), b'T' | b' ') {
        return None;
    }
    let fraction = usize::from(matches!(at(text, from), b'.' | b','));
    let from = from
        + fraction
        + fraction * bytes::run(text, from + fraction, 9, |byte| byte.is_ascii_digit());
    let zone = bytes::run(text, from, 6, |byte| {
        byte.is_ascii_digit() || matches!(byte, b'Z' | b'+' | b'-' | b':')
    });
    let end = from + zone;
    (at(text, end) == b' ').then(|| behind_stamp(text, end + 1))
}

/// `Nov 22 10:00:00 host program[12]: ` (RFC 3164)
fn syslog(text: &[u8], first: usize) -> Option<Prefix> {
    const MONTHS: &[u8] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
    let month = bytes::slice(text, first, first + 3);
    let is_month = month.len() == 3 && MONTHS.as_chunks::<3>().0.iter().any(|known| known == month);
    let day = first + 4;
    let digits = bytes::run(text, day, 2, |byte| byte.is_ascii_digit() || byte == b' ');
    let time = day + digits + 1;
    let end = time + matched(text, time, b"dd:dd:dd")?;
    let is_stamp = is_month && digits == 2 && at(text, end) == b' ';
    is_stamp.then(|| behind_stamp(text, end + 1))
}

/// What a log says behind the time: the stream of a container, or a host and a program.
fn behind_stamp(text: &[u8], from: usize) -> Prefix {
    let stream = [&b"stdout F "[..], b"stderr F ", b"stdout P ", b"stderr P "]
        .into_iter()
        .find(|stream| bytes::slice(text, from, from + stream.len()) == *stream);
    if let Some(stream) = stream {
        return Prefix::of(Form::Stamp, from + stream.len());
    }
    let end = program_end(text, from).or_else(|| program_end(text, name_end(text, from)? + 1));
    let end = end.unwrap_or(from);
    Prefix {
        said: from..end,
        ..Prefix::of(Form::Stamp, end)
    }
}

/// Where a line goes on behind `program[12]: `.
fn program_end(text: &[u8], from: usize) -> Option<usize> {
    let bracket = from + bytes::run(text, from, LONGEST_NAME, is_name);
    if bracket == from || at(text, bracket) != b'[' {
        return None;
    }
    let close = bracket + 1 + bytes::run(text, bracket + 1, LONGEST_NAME, is_name);
    (bytes::slice(text, close, close + 3) == b"]: ").then_some(close + 3)
}

/// Where a name ends that a space follows.
fn name_end(text: &[u8], from: usize) -> Option<usize> {
    let end = from + bytes::run(text, from, LONGEST_NAME, is_name);
    (end > from && at(text, end) == b' ').then_some(end)
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b'@')
}

/// Length of what `shape` describes, where `d` is a digit.
fn matched(text: &[u8], start: usize, shape: &[u8]) -> Option<usize> {
    let own = bytes::slice(text, start, start + shape.len());
    let fits = |(byte, shape): (&u8, &u8)| match shape {
        b'd' => byte.is_ascii_digit(),
        _ => byte == shape,
    };
    (own.len() == shape.len() && own.iter().zip(shape).all(fits)).then_some(shape.len())
}

/// `db-1  | `, as Docker Compose prints.
fn container(text: &[u8], first: usize) -> Option<Prefix> {
    let name = first
        + bytes::run(text, first, LONGEST_NAME, |byte| {
            bytes::is_word(byte) || matches!(byte, b'-' | b'.')
        });
    let bar = name + bytes::run(text, name, LONGEST_NAME, |byte| byte == b' ');
    let is_bar = bar > name && at(text, bar) == b'|' && matches!(at(text, bar + 1), b' ' | 0);
    is_bar.then(|| origin(first..name, space(text, bar + 1)))
}

/// `web-7d9fbb5c4-x2x7k nginx `, as tools for logs of Kubernetes print.
fn pod(text: &[u8], first: usize) -> Option<Prefix> {
    const LONGEST_TAIL: usize = 5;
    let name = name_end(text, first)?;
    let own = bytes::slice(text, first, name);
    let tail = own.rsplit(|&byte| byte == b'-').next()?;
    let is_pod = memchr::memchr_iter(b'-', own).count() >= 2
        && tail.len() == LONGEST_TAIL
        && tail
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let container = name_end(text, name + 1).filter(|_| is_pod)?;
    Some(origin(first..container, container + 1))
}

/// `[db] `, `[pod/web-1/nginx] `
fn bracket(text: &[u8], first: usize) -> Option<Prefix> {
    let close = first + 1 + bytes::run(text, first + 1, LONGEST_PATH, is_name);
    let follows = close > first + 1 && bytes::slice(text, close, close + 2) == b"] ";
    follows.then(|| origin(first..close + 1, close + 2))
}

/// `#12 0.345 `, as Docker prints while it builds.
fn build_step(text: &[u8], first: usize) -> Option<Prefix> {
    let step = digits(text, first + 1);
    let seconds = digits(text, step.end + 1);
    let parts = digits(text, seconds.end + 1);
    let is_step = [&step, &seconds, &parts]
        .iter()
        .all(|part| !part.is_empty())
        && at(text, step.end) == b' '
        && at(text, seconds.end) == b'.'
        && at(text, parts.end) == b' ';
    is_step.then(|| origin(first..step.end, parts.end + 1))
}

fn origin(key: Range<usize>, end: usize) -> Prefix {
    Prefix {
        said: key.clone(),
        key,
        ..Prefix::of(Form::Origin, end)
    }
}
