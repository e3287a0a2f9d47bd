//! Heads of the columns of a table: what stands below `Nurse` is a person as much as what stands behind `Nurse:`.

use crate::detect::bytes;
use std::ops::Range;

/// The longest row, in bytes; other lines are no rows.
const LONGEST: usize = 256;
const LONGEST_HEAD: usize = 32;
/// The cells of the widest row.
const MOST: usize = 24;

/// What parts the cells of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `|`, a tab, `;`, a comma without a space behind it; and how many of them a row has.
    Sign(u8, usize),
    /// Two spaces or more.
    Aligned,
}

/// The table of the row that was asked for last.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    row: Range<usize>,
    style: Option<Style>,
    header: Range<usize>,
}

impl Columns {
    /// The head of the column of the place `at`, which never decreases. Every line is read once.
    pub(super) fn head<'t>(&mut self, text: &'t str, at: usize) -> Option<&'t str> {
        let bytes = text.as_bytes();
        if !self.row.contains(&at) {
            self.read(bytes, at);
        }
        let style = self.style?;
        let header = bytes::slice(bytes, self.header.start, self.header.end);
        let lead = bytes::slice(bytes, self.row.start, at);
        let head = match style {
            _ if self.header.end >= self.row.start => return None,
            Style::Sign(sign, _) => nth_cell(header, sign, separators(lead, sign)),
            Style::Aligned => {
                let row = bytes::slice(bytes, self.row.start, self.row.end);
                aligned_cell(header, row, lead)
            }
        }?;
        let start = self.header.start + head.start;
        let bare = |letter: char| !letter.is_alphanumeric();
        let head = text.get(start..start + head.len())?.trim_matches(bare);
        (1..=LONGEST_HEAD).contains(&head.len()).then_some(head)
    }

    fn read(&mut self, text: &[u8], at: usize) {
        let floor = self.row.end;
        let row = line_around(text, at);
        let style = style_of(bytes::slice(text, row.start, row.end));
        let mut header = row.clone();
        while style.is_some() && header.start > floor {
            let above = line_around(text, header.start - 1);
            if style_of(bytes::slice(text, above.start, above.end)) != style {
                break;
            }
            header = above;
        }
        let goes_on = header.start == floor && self.style == style && floor > 0;
        if !goes_on {
            self.header = header;
        }
        self.style = style;
        self.row = row;
    }
}

/// The line of a place, with its end; cut if it is longer than a row.
fn line_around(text: &[u8], at: usize) -> Range<usize> {
    let start = at - bytes::line_back(text, at, LONGEST);
    let rest = bytes::slice(text, at, text.len().min(at + LONGEST));
    let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |index| index + 1);
    start..at + length
}

/// How the cells of a line are parted, if it has some.
fn style_of(line: &[u8]) -> Option<Style> {
    const SIGNS: [(u8, usize); 4] = [(b'|', 2), (b'\t', 1), (b';', 1), (b',', 1)];
    let line = line.trim_ascii_end();
    if line.len() >= LONGEST {
        return None;
    }
    let signs = SIGNS.into_iter().find_map(|(sign, least)| {
        let count = separators(line, sign);
        ((least..MOST).contains(&count) && line.last() != Some(&b';'))
            .then_some(Style::Sign(sign, count))
    });
    let is_aligned = || (1..MOST).contains(&gap_ends(line.trim_ascii_start()).count());
    signs.or_else(|| is_aligned().then_some(Style::Aligned))
}

/// How often a sign parts cells in a line: not within quotes, and no comma of a sentence.
fn separators(line: &[u8], sign: u8) -> usize {
    cell_ends(line, sign).count()
}

fn cell_ends(line: &[u8], sign: u8) -> impl Iterator<Item = usize> {
    let is_end = move |at: &usize| sign != b',' || bytes::at(line, at + 1) != b' ';
    let mut is_quoted = false;
    let signs = memchr::memchr2_iter(sign, b'"', line).filter(move |at| {
        let is_quote = bytes::at(line, *at) == b'"';
        is_quoted ^= is_quote;
        !is_quote && !is_quoted
    });
    signs.filter(is_end)
}

/// A cell of a header, by its number.
fn nth_cell(header: &[u8], sign: u8, number: usize) -> Option<Range<usize>> {
    let start = match number.checked_sub(1) {
        Some(before) => cell_ends(header, sign).nth(before)? + 1,
        None => 0,
    };
    let end = cell_ends(header, sign).nth(number);
    Some(start..end.unwrap_or(header.len()))
}

/// The cell of a header above the one that begins behind `lead`: the same of as many, or the one that begins there.
fn aligned_cell(header: &[u8], row: &[u8], lead: &[u8]) -> Option<Range<usize>> {
    if gap_ends(header).count() != gap_ends(row).count() {
        return cell_above(header, lead.len());
    }
    let start = match gap_ends(lead).count().checked_sub(1) {
        Some(before) => gap_ends(header).nth(before)?,
        None => 0,
    };
    Some(cell_from(header, start))
}

/// Where cells begin behind two spaces or more.
fn gap_ends(line: &[u8]) -> impl Iterator<Item = usize> {
    let gaps = memchr::memmem::find_iter(line, b"  ").map(|at| at + 2);
    let is_end = |at: &usize| !matches!(bytes::at(line, *at), b' ' | b'\n' | b'\r');
    // An odd number of spaces ends one byte behind the last pair.
    let ends = gaps.map(|at| at + usize::from(bytes::at(line, at) == b' '));
    ends.filter(is_end)
}

fn cell_from(header: &[u8], start: usize) -> Range<usize> {
    let rest = bytes::slice(header, start, header.len());
    start..start + memchr::memmem::find(rest, b"  ").unwrap_or(rest.len())
}

/// The cell of a header that begins where a cell does below it, give or take a letter with a mark.
fn cell_above(header: &[u8], at: usize) -> Option<Range<usize>> {
    let begins = |index: &usize| {
        let gap = bytes::slice(header, index.saturating_sub(2), *index);
        bytes::at(header, *index) != b' ' && (*index == 0 || gap == b"  ")
    };
    let start = (0..=(at + 1).min(header.len())).rev().find(begins)?;
    Some(cell_from(header, start))
}
