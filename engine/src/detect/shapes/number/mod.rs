//! Numbers: splits a run of digits into groups, and tries each kind of number.

mod card;
mod drawing;
mod ipv4;
mod lookalike;
mod phone;
mod phone_metadata;
mod quantity;
mod release;
mod ssn;

use crate::detect::bytes::{self, at, before};
use crate::detect::shapes::context::{self, Words};
use crate::detect::shapes::country::Form;
use crate::detect::shapes::{address, ids};
use crate::detect::text::boundary::{ends_letter, free_after, is_emphasis};
use crate::detect::text::scanner::Scanner;

/// The most groups that are examined together; a phone number has fewer than half as many.
const MAX_GROUPS: usize = 32;
/// Fewest digits of a number in several groups.
const FEWEST_DIGITS: usize = 4;
/// Fewest digits of a number in one group.
const MIN_DIGITS: usize = 7;
/// Groups at the end of a full window that are examined with what follows.
const OVERLAP: usize = 8;
/// How many group lengths are compared at once.
const ROW: usize = 8;
/// The length of every longer group in the lengths of a row; no number has as many digits.
const LONGEST: usize = 31;
/// Longest space between the rows of a dump, in bytes.
const LONGEST_INDENT: usize = 32;
/// Farthest before a number that a word about it may begin, in bytes.
const WORDS: usize = 64;

/// A run of ASCII digits.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    start: usize,
    end: usize,
}

impl Group {
    const fn len(self) -> usize {
        self.end - self.start
    }
}

/// The separators between two groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Gap {
    #[default]
    None,
    Space,
    Dash,
    Dot,
    Slash,
    /// A parenthesis, with or without a space or dash.
    Parenthesis,
    /// A dash or slash between spaces.
    Wide,
    /// Several spaces, as between columns.
    Columns,
}

/// Neighbouring groups, each with the gap that follows it.
struct Cluster<'t> {
    text: &'t [u8],
    groups: [Group; MAX_GROUPS],
    gaps: [Gap; MAX_GROUPS],
    /// The number of digits of each group, followed by zeros.
    lengths: [u8; MAX_GROUPS + ROW],
    count: usize,
    /// How many of the first groups belong to numbers that were found.
    taken: usize,
    /// Where the last letter before the groups ends; there is none between them.
    words_end: usize,
}

/// Examines the number that begins at `start`, a digit after a non-digit, with a group of `length`
/// digits, or at least eight if it is eight.
#[inline]
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, start: usize, length: usize) {
    address::scan_code(scanner, start, length);
    ids::scan_birth(scanner, start);
    if start < scanner.marks.numbers_until {
        return;
    }
    if !is_short(scanner.text, start, length) {
        scan_groups(scanner, start);
    } else if ids::touches_letter(scanner.text, start, length) {
        scan_word(scanner, start);
    }
}

#[inline(never)]
fn scan_word(scanner: &mut Scanner<'_, '_>, start: usize) {
    if let Some(end) = ids::find(scanner, start) {
        scanner.marks.numbers_until = end;
    }
}

/// Whether this is a lone group of few digits, like most numbers.
#[inline]
fn is_short(text: &[u8], start: usize, length: usize) -> bool {
    let end = start + length;
    length < MIN_DIGITS && (!GAPS.holds(at(text, end)) || gap_at(text, end).0 == Gap::None)
}

#[inline(never)]
fn scan_groups(scanner: &mut Scanner<'_, '_>, start: usize) {
    let Some(mut cluster) = Cluster::parse(scanner.text, start) else {
        return;
    };
    scanner.marks.numbers_until = cluster.resume();
    let mut index = 0;
    while index < cluster.own() {
        // Both, as one of the types may be switched off: which of two findings counts is decided when they are merged.
        let proven = proven(scanner, &cluster, index);
        let tried = try_each(scanner, &cluster, index);
        let used = proven.max(tried);
        index += used.unwrap_or(1);
        if used.is_some() {
            cluster.taken = index;
        }
    }
}

/// Tries numbers with country-specific checks at one group; returns the number of groups used.
fn proven(scanner: &mut Scanner<'_, '_>, cluster: &Cluster<'_>, index: usize) -> Option<usize> {
    let end = ids::find(scanner, cluster.group(index).start)?;
    scanner.marks.numbers_until = scanner.marks.numbers_until.max(end);
    let groups = cluster.some(index, MAX_GROUPS).iter();
    Some(groups.take_while(|group| group.start < end).count().max(1))
}

/// Tries each kind at one group; the count of groups that were used up.
fn try_each(scanner: &mut Scanner<'_, '_>, cluster: &Cluster<'_>, index: usize) -> Option<usize> {
    ipv4::find(scanner, cluster, index)
        .or_else(|| ssn::find(scanner, cluster, index))
        .or_else(|| card::find(scanner, cluster, index))
        .or_else(|| phone::find(scanner, cluster, index))
}

impl<'t> Cluster<'t> {
    /// Groups from `start` on; `None` when there are too few digits for anything.
    fn parse(text: &'t [u8], start: usize) -> Option<Self> {
        let mut cluster = Self {
            text,
            groups: [Group::default(); MAX_GROUPS],
            gaps: [Gap::None; MAX_GROUPS],
            lengths: [0; MAX_GROUPS + ROW],
            count: 0,
            taken: 0,
            words_end: 0,
        };
        let (mut from, mut digits) = (start, 0);
        let places = cluster.groups.iter_mut().zip(&mut cluster.gaps);
        for ((group, gap), stored) in places.zip(&mut cluster.lengths) {
            let length = bytes::run(text, from, text.len(), |byte| byte.is_ascii_digit());
            *group = Group {
                start: from,
                end: from + length,
            };
            *stored = u8::try_from(length.min(LONGEST)).unwrap_or_default();
            cluster.count += 1;
            digits += length;
            let (kind, width) = gap_at(text, from + length);
            *gap = kind;
            if kind == Gap::None {
                break;
            }
            from += length + width;
        }
        if digits < FEWEST_DIGITS {
            return None;
        }
        cluster.words_end = words_end(text, start);
        Some(cluster)
    }

    /// The number of groups to examine; the rest of a full window is examined with what follows.
    fn own(&self) -> usize {
        let last = self.count.saturating_sub(1);
        if self.gap(last) == Gap::None {
            self.count
        } else {
            self.count - OVERLAP
        }
    }

    /// Whether `count` groups from `index` on are in a row of measures.
    fn is_drawn(&self, index: usize, count: usize) -> bool {
        let range = self.group(index).start..self.group(index + count - 1).end;
        drawing::is_drawn(self.text, &range)
    }

    /// Where the search for the next number continues.
    fn resume(&self) -> usize {
        let own = self.own();
        if own == self.count {
            self.group(own - 1).end
        } else {
            self.group(own).start
        }
    }

    /// Whether one of `words` is in the `back` bytes before `start`, on the same line.
    fn follows(&self, start: usize, back: usize, words: &Words) -> bool {
        self.words_end > start.saturating_sub(back)
            && context::within(self.text, start, back, words)
    }

    fn group(&self, index: usize) -> Group {
        self.groups.get(index).copied().unwrap_or_default()
    }

    fn gap(&self, index: usize) -> Gap {
        self.gaps.get(index).copied().unwrap_or_default()
    }

    /// The number of digits in `count` groups (at most eight) from `index` on; those beyond
    /// [`LONGEST`] do not count.
    fn digits(&self, index: usize, count: usize) -> usize {
        let sums = self.shape(index, count).wrapping_mul(0x0101_0101_0101_0101);
        usize::from(sums.to_be_bytes()[0])
    }

    /// The lengths of as many of `count` groups (one to eight) from `index` on as there are, a byte each.
    fn shape(&self, index: usize, count: usize) -> u64 {
        let all = self.lengths.get(index..).and_then(<[u8]>::first_chunk);
        let all = all.map_or(0, |lengths| u64::from_le_bytes(*lengths));
        let beyond = 8 * (ROW - count.clamp(1, ROW));
        all << beyond >> beyond
    }

    /// Whether `count` groups from `index` on have these lengths.
    fn is_shaped<const COUNT: usize>(
        &self,
        index: usize,
        count: usize,
        lengths: [u8; COUNT],
    ) -> bool {
        count == COUNT && self.shape(index, COUNT) == shape(lengths)
    }

    /// Whether `count` groups from `index` on are as many and as long as those of a form, and parted as they are.
    fn is_grouped(&self, index: usize, count: usize, form: &Form) -> bool {
        let gap = |sign: &u8| match sign {
            b' ' => Gap::Space,
            b'-' => Gap::Dash,
            _ => Gap::Dot,
        };
        count == form.groups.len()
            && self
                .lengths(index, count)
                .eq(form.groups.iter().map(|length| usize::from(*length)))
            && (index..)
                .zip(form.gaps)
                .all(|(index, sign)| self.gap(index) == gap(sign))
    }

    /// Whether no other group precedes this one, except in another column.
    fn is_alone(&self, index: usize) -> bool {
        matches!(self.gap_before(index), Gap::None | Gap::Columns)
    }

    /// As many of `count` groups from `index` on as there are.
    fn some(&self, index: usize, count: usize) -> &[Group] {
        let end = self.count.min(index.saturating_add(count));
        self.groups.get(index..end).unwrap_or_default()
    }

    /// The gap before a group.
    fn gap_before(&self, index: usize) -> Gap {
        index
            .checked_sub(1)
            .map_or(Gap::None, |index| self.gap(index))
    }

    /// Whether `count` groups from `index` on are joined by `gap` alone.
    fn joined(&self, index: usize, count: usize, gap: Gap) -> bool {
        index + count <= self.count
            && (index..index + count - 1).all(|index| self.gap(index) == gap)
    }

    /// Lengths of `count` groups from `index` on.
    fn lengths(&self, index: usize, count: usize) -> impl Iterator<Item = usize> + '_ {
        self.some(index, count).iter().map(|group| group.len())
    }

    /// Whether the number that starts with a group is separate: not part of a longer word,
    /// identifier, decimal or amount.
    fn starts_free(&self, index: usize) -> bool {
        match self.gap_before(index) {
            Gap::None => self.cluster_starts_free(),
            Gap::Space | Gap::Parenthesis | Gap::Wide | Gap::Columns => true,
            Gap::Dash => index == 1 && ends_line_number(self.text, self.group(index).start),
            Gap::Dot | Gap::Slash => false,
        }
    }

    fn cluster_starts_free(&self) -> bool {
        let start = self.group(0).start;
        if start > 0 && !bytes::begins_word(self.text, start) {
            return false;
        }
        let glue = before(self.text, start);
        match glue {
            b'_' | b'~' => is_emphasis(bytes::slice(self.text, 0, start).iter().rev(), glue),
            // `SSN #123-45-6789`, but not the number of an issue.
            b'#' if self.group(0).len() >= 9 || self.gap(0) == Gap::Dash => true,
            // `#5555 5555 5555 4444`: an amount has groups of three.
            b'#' | b'$' => self.some(0, 3).len() == 3 && self.group(0).len() == 4,
            // `'^4111…`, but not the exponent of `2^53`.
            b'^' => start
                .checked_sub(1)
                .is_none_or(|sign| !bytes::is_word(before(self.text, sign))),
            b'-' | b'.' | b',' | b'/' | b':' | b'%' => {
                // A flag (`-4`), a list after a space, or a colon after a label is separate.
                let ahead = start
                    .checked_sub(1)
                    .map_or(0, |index| before(self.text, index));
                match glue {
                    b':' => {
                        !ahead.is_ascii_digit()
                            || self.group(0).len() > 2 && ends_line_number(self.text, start)
                    }
                    b',' => {
                        // `1,234` is one number, `…,123-45-6789` are two cells.
                        let thousands = ahead.is_ascii_digit() && self.group(0).len() == 3;
                        !thousands || self.gap(0) == Gap::Dash
                    }
                    b'/' => {
                        !ahead.is_ascii_alphanumeric() && ahead != b'.'
                            || bytes::slice(self.text, start.saturating_sub(6), start) == b"wa.me/"
                    }
                    b'%' => true,
                    // `is...5555` and leaders of dots, but not the range `1..5`.
                    _ if ahead == glue => {
                        let row = bytes::run_back(self.text, start, start, |byte| byte == glue);
                        !before(self.text, start - row).is_ascii_digit()
                    }
                    _ => !bytes::is_word(ahead),
                }
            }
            0x80.. => !ends_letter(self.text, start),
            _ => true,
        }
    }

    /// Whether two groups of the same number of hexadecimal digits, or one more, are next to the
    /// row, the nearest with a letter: a dump of bytes or characters. A single one may be anything:
    /// `Lot 3B`.
    fn is_in_dump(&self, digits: usize) -> bool {
        let first = self.group(0);
        // The row may begin within a byte: `d3 09 19`.
        let start = if is_hex(before(self.text, first.start)) {
            first.end + 1
        } else {
            first.start
        };
        let behind = self.dumped_before(start, digits);
        behind + self.dumped_after(digits) > 1
            || before(self.text, start) == b'"' && opens_hex(self.text, start)
    }

    /// How many groups of a dump end before a place; two at most.
    fn dumped_before(&self, start: usize, digits: usize) -> usize {
        let mut start = start;
        for found in 0..2 {
            let end = start.saturating_sub(1);
            let length = bytes::run_back(self.text, end, digits + 2, is_hex);
            start = end - length;
            let apart = at(self.text, end).is_ascii_whitespace()
                && !before(self.text, start).is_ascii_alphanumeric();
            if !apart || !is_dumped(bytes::slice(self.text, start, end), digits, found == 0) {
                return found;
            }
            if opens_hex(self.text, start) {
                break;
            }
        }
        2
    }

    /// How many groups of a dump follow the row; at most two.
    fn dumped_after(&self, digits: usize) -> usize {
        let last = self.group(self.count.saturating_sub(1));
        // `20` of `20BBF` ends the row.
        let gap = bytes::run(self.text, last.end, LONGEST_INDENT, |byte| {
            byte.is_ascii_whitespace()
        });
        let mut next = if gap > 0 { last.end + gap } else { last.start };
        for found in 0..2 {
            let length = bytes::run(self.text, next, digits + 2, is_hex);
            let end = next + length;
            // `2a02:…` is an address, and `DE89 3704 …` an account.
            let next_sign = at(self.text, end);
            let apart = !next_sign.is_ascii_alphanumeric() && next_sign != b':';
            if !apart
                || found == 0 && ids::is_account(self.text, next)
                || !is_dumped(bytes::slice(self.text, next, end), digits, found == 0)
            {
                return found;
            }
            next = end + 1;
        }
        2
    }

    /// Whether the number that ends with a group is separate.
    fn ends_free(&self, index: usize) -> bool {
        match self.gap(index) {
            Gap::None => free_after(self.text, self.group(index).end),
            Gap::Space | Gap::Wide | Gap::Parenthesis | Gap::Columns => true,
            Gap::Dash | Gap::Dot | Gap::Slash => false,
        }
    }

    /// The value of a group's first `most` digits, nine at most.
    fn number(&self, index: usize, most: usize) -> u32 {
        let group = self.group(index);
        let end = group.end.min(group.start + most);
        bytes::slice(self.text, group.start, end)
            .iter()
            .fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
    }

    /// The digits of `count` groups from `index` on.
    fn values(&self, index: usize, count: usize) -> impl Iterator<Item = u8> + '_ {
        self.some(index, count)
            .iter()
            .flat_map(|group| bytes::slice(self.text, group.start, group.end))
            .map(|digit| digit - b'0')
    }
}

/// The lengths of groups, a byte each.
const fn shape<const COUNT: usize>(lengths: [u8; COUNT]) -> u64 {
    let mut shape = 0;
    let mut index = COUNT;
    while index > 0 {
        index -= 1;
        shape = shape << 8 | lengths[index] as u64;
    }
    shape
}

/// Whether the number of a line, as a search puts it before what it found, ends here: `12:`, `L12:`, `file.csv:12:5:`,
/// `file.csv-12-`. One line has no neighbours that could confirm a prefix.
fn ends_line_number(text: &[u8], end: usize) -> bool {
    /// Most digits of a line's number.
    const LONGEST: usize = 8;
    let Some(sign) = end.checked_sub(1) else {
        return false;
    };
    let length = bytes::run_back(text, sign, LONGEST, |byte| byte.is_ascii_digit());
    let ahead = before(text, sign - length);
    let is_apart = match at(text, sign) {
        b':' if ahead == b'L' => bytes::begins_word(text, sign - length - 1),
        b':' => !bytes::is_word(ahead) && !matches!(ahead, b'.' | b','),
        _ => ahead == b'-' && ends_path(text, sign - length - 1),
    };
    length > 0 && is_apart
}

/// Whether a path or the name of a file ends here.
fn ends_path(text: &[u8], end: usize) -> bool {
    /// Longest path, in bytes.
    const LONGEST: usize = 256;
    let is_path = |byte: u8| bytes::is_word(byte) || matches!(byte, b'.' | b'/' | b'-' | b'~');
    let path = bytes::slice(
        text,
        end - bytes::run_back(text, end, LONGEST, is_path),
        end,
    );
    memchr::memchr2(b'.', b'/', path).is_some() && path.iter().any(u8::is_ascii_alphabetic)
}

/// Where the last nearby letter before `start` ends; 0 if there is none.
fn words_end(text: &[u8], start: usize) -> usize {
    /// No word begins with a digit or a mark.
    const LETTERS: u8 = 0xC0;
    let window = bytes::slice(text, start.saturating_sub(WORDS), start);
    if window.iter().fold(0, |all, byte| all | byte) & LETTERS == 0 {
        return 0;
    }
    let last = window.iter().rposition(|byte| byte & LETTERS != 0);
    last.map_or(0, |last| start - window.len() + last + 1)
}

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

/// Whether a group is one of a dump; with a letter, if that must be. `de` and `cafe` are words.
fn is_dumped(group: &[u8], digits: usize, lettered: bool) -> bool {
    let is_vowel = |byte: &u8| matches!(byte | 0x20, b'a' | b'e');
    let has_letter = group.iter().any(u8::is_ascii_alphabetic);
    let has_digit = group.iter().any(u8::is_ascii_digit);
    (digits..=digits + 1).contains(&group.len())
        && (has_letter || !lettered)
        && (has_digit || !lettered || !group.iter().any(is_vowel))
}

/// `hex!("`
fn opens_hex(text: &[u8], start: usize) -> bool {
    bytes::slice(text, 0, start).ends_with(b"hex!(\"")
}

/// What a gap begins with.
static GAPS: bytes::Set = bytes::Set::none().with(b" -./()\xC2\xE2");

/// The gap between two groups at `at`, and its width.
fn gap_at(text: &[u8], at: usize) -> (Gap, usize) {
    if !GAPS.holds(bytes::at(text, at)) {
        return (Gap::None, 0);
    }
    let (mut kind, mut width) = gap_part(text, at);
    if kind != Gap::None && bytes::at(text, at + width).is_ascii_digit() {
        return (kind, width);
    }
    for _ in 1..4 {
        let (part, length) = gap_part(text, at + width);
        if part == Gap::None {
            break;
        }
        let Some(both) = combine(kind, part) else {
            return (Gap::None, 0);
        };
        kind = both;
        width += length;
    }
    let digit = bytes::at(text, at + width).is_ascii_digit();
    if digit { (kind, width) } else { (Gap::None, 0) }
}

fn gap_part(text: &[u8], at: usize) -> (Gap, usize) {
    match bytes::slice(text, at, text.len().min(at + 3)) {
        [b' ', ..] => (Gap::Space, 1),
        [b'-', ..] => (Gap::Dash, 1),
        [b'.', ..] => (Gap::Dot, 1),
        [b'/', ..] => (Gap::Slash, 1),
        [b'(' | b')', ..] => (Gap::Parenthesis, 1),
        [0xC2, 0xA0, ..] => (Gap::Space, 2),
        // Narrow and thin spaces; hyphens and dashes.
        [0xE2, 0x80, 0xAF | 0x87 | 0x89] => (Gap::Space, 3),
        [0xE2, 0x80, 0x90..=0x93] | [0xE2, 0x88, 0x92] => (Gap::Dash, 3),
        _ => (Gap::None, 0),
    }
}

fn combine(first: Gap, second: Gap) -> Option<Gap> {
    Some(match (first, second) {
        (Gap::None, part) => part,
        (Gap::Space | Gap::Columns, Gap::Space) => Gap::Columns,
        (Gap::Parenthesis, Gap::Space | Gap::Dash | Gap::Parenthesis | Gap::Dot | Gap::Slash)
        | (Gap::Space | Gap::Dash, Gap::Parenthesis) => Gap::Parenthesis,
        (Gap::Space, Gap::Dash | Gap::Slash) | (Gap::Dash | Gap::Slash | Gap::Wide, Gap::Space) => {
            Gap::Wide
        }
        _ => return None,
    })
}
