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
            _ if self.header.start >= self.row.start => return None,
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

/// How the cells of a line are parted, if it has some: by the first of the signs that has enough, or by spaces.
fn style_of(line: &[u8]) -> Option<Style> {
    const SIGNS: [(u8, usize); 4] = [(b'|', 2), (b'\t', 1), (b';', 1), (b',', 1)];
    let line = line.trim_ascii_end();
    if line.len() >= LONGEST {
        return None;
    }
    let Counts { signs, gaps } = Counts::of(line);
    let mut counted = SIGNS.into_iter().zip(signs);
    let style = counted.find_map(|((sign, least), count)| {
        let may_part = line.last() != Some(&b';');
        ((least..MOST).contains(&count) && may_part).then_some(Style::Sign(sign, count))
    });
    style.or_else(|| (1..MOST).contains(&gaps).then_some(Style::Aligned))
}

/// How many signs and gaps a line has that may part cells.
#[derive(Default)]
struct Counts {
    /// `|`, tabs, `;` and commas.
    signs: [usize; 4],
    /// Two spaces or more between words.
    gaps: usize,
}

impl Counts {
    /// Counts in one pass what [`separators`] and [`gap_ends`] find.
    fn of(line: &[u8]) -> Self {
        let indent = line.len() - line.trim_ascii_start().len();
        let mut counts = Self::default();
        let mut is_quoted = false;
        let is_mark = |byte| matches!(byte, b' ' | b'"' | b'|' | b'\t' | b';' | b',');
        for at in bytes::places(line, is_mark) {
            let sign = match bytes::at(line, at) {
                b'|' => 0,
                b'\t' => 1,
                b';' => 2,
                b',' if bytes::at(line, at + 1) != b' ' => 3,
                b'"' => {
                    is_quoted = !is_quoted;
                    continue;
                }
                b' ' if at > indent => {
                    let is_second = bytes::slice(line, at - 1, at) == b" "
                        && bytes::slice(line, at.saturating_sub(2), at - 1) != b" ";
                    counts.gaps += usize::from(is_second);
                    continue;
                }
                _ => continue,
            };
            counts.signs[sign] += usize::from(!is_quoted);
        }
        counts
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_head(text: &str, word: &str, head: Option<&str>) {
        let at = text.rfind(word).unwrap_or_default();
        assert_eq!(Columns::default().head(text, at), head, "{text}");
    }

    #[test]
    fn column_headings_are_found_in_every_kind_of_table() {
        assert_head(
            "| Ward | Nurse |\n|---|---|\n| 1 | Ada |\n| 2 | Ben |",
            "Ben",
            Some("Nurse"),
        );
        assert_head("nurse,ward\nAda,1\n\"Lee, Ben\",2", "Ben", Some("nurse"));
        assert_head("Ward;Nurse\n1;Ada", "Ada", Some("Nurse"));
        assert_head(
            "Shift   Nurse   Ward\nEarly   Ada     North",
            "Ada",
            Some("Nurse"),
        );
        assert_head("Shift   Nurse   Ward\n        Ada", "Ada", None);
    }

    #[test]
    fn sentences_and_header_rows_have_no_column_heading() {
        assert_head("One, two, three.\nFour, five, Ada.", "Ada", None);
        assert_head("| Ward | Nurse |", "Nurse", None);
        assert_head("a line\nanother with Ada", "Ada", None);
    }

    #[test]
    fn counting_separators_in_one_pass_matches_counting_each() {
        let line = b"a,b, c,\"d;e,f\";  g   h\t| i |";
        let counts = Counts::of(line);
        let by_sign = [b'|', b'\t', b';', b','].map(|sign| separators(line, sign));
        assert_eq!(counts.signs, by_sign);
        assert_eq!(counts.gaps, gap_ends(line).count());
    }
}
