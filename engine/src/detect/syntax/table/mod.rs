//! Tables: values below column names.

mod row;

use crate::detect::bytes;
use crate::detect::lexicon::value_class::Value;
use crate::detect::text::marks::{Column, Kind, Seen, Style};
use crate::detect::text::scanner::Scanner;
use row::{ALIGNED, LONGEST_HEADER, LONGEST_IN_BRACKETS};
use std::ops::Range;

pub(in crate::detect) use row::{stroke_at, stroke_before};

/// Longest name of a column, and longest other text in a header, in bytes.
const LONGEST_NAME: usize = 40;
const LONGEST_LABEL: usize = 64;
/// Rows one after another that do not fit, before the table is over.
const MOST_ODD: usize = 4;
/// How many cells too long a row may be and still be read.
const MOST_EXTRA: usize = 16;

/// Heads of columns beside passwords: whose they are, and where.
const OWNERS: &[&[u8]] = &[
    b"user",
    b"username",
    b"login",
    b"account",
    b"email",
    b"host",
    b"hostname",
    b"server",
];

const fn seen<'p>(scanner: &'p mut Scanner<'_, '_>, kind: Kind) -> &'p mut Seen {
    match kind {
        Kind::Secrets => &mut scanner.marks.tables,
        Kind::PersonalNumbers => &mut scanner.marks.personal_tables,
    }
}

/// Reads the table whose header contains `name`, once, and passes every cell below a name that
/// `heads` knows to `take`; returns whether this decides the value of `name`.
pub(in crate::detect) fn each_below<'t, 'f, H>(
    scanner: &mut Scanner<'t, 'f>,
    kind: Kind,
    name: &Range<usize>,
    heads: impl Fn(&[u8], Range<usize>) -> Option<H>,
    mut take: impl FnMut(&mut Scanner<'t, 'f>, &H, Range<usize>),
) -> bool {
    let Some(style) = Style::around(scanner.text, name) else {
        return false;
    };
    if each_below_in(scanner, kind, style, name, &heads, &mut take) {
        return true;
    }
    // A bracket opened on a line above may be unrelated to this line.
    let other = style.on_own_line(scanner.text, name.start);
    other.is_some_and(|style| each_below_in(scanner, kind, style, name, &heads, &mut take))
}

/// The same for a table of one style.
fn each_below_in<'t, 'f, H>(
    scanner: &mut Scanner<'t, 'f>,
    kind: Kind,
    style: Style,
    name: &Range<usize>,
    heads: &impl Fn(&[u8], Range<usize>) -> Option<H>,
    take: &mut impl FnMut(&mut Scanner<'t, 'f>, &H, Range<usize>),
) -> bool {
    let text = scanner.text;
    let last = seen(scanner, kind);
    if last.style == Some(style) && last.header.contains(&name.start) {
        return last.is_table;
    }
    // Words are alone on their lines in any text, numbers rarely.
    if style.delimiter == b'\n' && kind == Kind::Secrets {
        return false;
    }
    let Some(start) = style.header_start(text, name.start) else {
        return false;
    };
    let mut table = Table::new(text, style);
    let mut columns = table.columns(start, name.end + LONGEST_HEADER - start, heads);
    let last = seen(scanner, kind);
    (last.style, last.header) = (Some(style), start..table.header_end);
    columns.retain(|(index, _)| !last.knows(&table.column(*index), start));
    last.is_table =
        !columns.is_empty() && table.has_row() && !table.is_within_rows(start, name.end);
    if !last.is_table {
        return false;
    }
    while table.advance(|cell| heads(text, cell).is_some()) {
        for (index, heading) in &columns {
            table.each_cell(*index, |cell| take(scanner, heading, cell));
        }
    }
    let last = seen(scanner, kind);
    for (index, _) in &columns {
        last.remember(table.column(*index), start);
    }
    last.is_table = !table.may_be_row;
    last.is_table
}

/// A table that is read from top to bottom.
#[derive(Debug)]
struct Table<'t> {
    text: &'t [u8],
    style: Style,
    header_end: usize,
    /// `| Password | x |` may be a row by itself.
    may_be_row: bool,
    /// How many cells a row has.
    count: usize,
    /// Where in their lines the columns begin that are aligned with spaces.
    offsets: Vec<usize>,
    /// Where the next row begins; at the end of the text if there is none.
    from: usize,
    /// Where the last row that was read ends.
    end: usize,
    /// The cells of the row before.
    cells: Vec<Range<usize>>,
    /// Rows up to that one that do not fit.
    odd: usize,
    /// Whether a line without cells came between rows, so that text may follow.
    is_torn: bool,
}

impl<'t> Table<'t> {
    const fn new(text: &'t [u8], style: Style) -> Self {
        Self {
            text,
            style,
            header_end: 0,
            may_be_row: false,
            count: 0,
            offsets: Vec::new(),
            from: 0,
            end: 0,
            cells: Vec::new(),
            odd: 0,
            is_torn: false,
        }
    }

    /// One of the columns, as far as it was read.
    fn column(&self, index: usize) -> Column {
        let is_aligned = self.style.delimiter == ALIGNED;
        let offset = self.offsets.get(index).filter(|_| is_aligned);
        Column {
            style: self.style,
            count: self.count,
            index,
            offset: offset.copied().unwrap_or_default(),
            until: self.from.min(self.end.max(self.header_end)),
        }
    }

    /// Whether the two lines above the one at `start` are rows as it is: then it is one of them, and heads none. Lines of sentences
    /// are no rows.
    fn is_within_rows(&mut self, start: usize, name: usize) -> bool {
        const ROWS: usize = 2;
        if self.style.in_brackets || !matches!(self.style.delimiter, b',' | b';' | b'\t' | b'|') {
            return false;
        }
        let limit = name + LONGEST_HEADER - start;
        let Some(end) = self.style.read(self.text, start, limit, &mut self.cells) else {
            return false;
        };
        if self.style.rule_end(self.text, end + 1).is_some() {
            return false;
        }
        let count = self.cells.len();
        let mut line = start - bytes::line_back(self.text, start, LONGEST_HEADER);
        for _ in 0..ROWS {
            let Some(end) = line.checked_sub(1) else {
                return false;
            };
            line = end - bytes::line_back(self.text, end, LONGEST_HEADER);
            let row = self.style.skip_edge(self.text, line);
            let read = self
                .style
                .read(self.text, row, LONGEST_HEADER, &mut self.cells);
            let is_spaced = matches!(self.style.delimiter, b',' | b';')
                && self
                    .cells
                    .iter()
                    .any(|cell| bytes::slice(self.text, cell.start, cell.end).contains(&b' '));
            if read.is_none() || self.cells.len() != count || is_spaced {
                return false;
            }
        }
        count > 1
    }

    /// The columns that `heads` knows in the header at `start`; empty if it is not a header.
    fn columns<H>(
        &mut self,
        start: usize,
        limit: usize,
        heads: impl Fn(&[u8], Range<usize>) -> Option<H>,
    ) -> Vec<(usize, H)> {
        if let Some(end) = self.style.code_end(self.text, start, limit) {
            self.header_end = end;
            return Vec::new();
        }
        let end = self.style.read(self.text, start, limit, &mut self.cells);
        self.header_end = end.unwrap_or(start + limit);
        let rows = end.and_then(|end| self.style.rows_start(self.text, end));
        let rule = end.and_then(|end| self.style.rule_end(self.text, end + 1));
        let is_code = rule.is_none() && self.style.is_code(self.text, start, &self.cells);
        let is_header = |row: &usize| !is_code && self.is_header(rule.is_some(), *row);
        let Some(from) = rows.filter(is_header) else {
            return Vec::new();
        };
        self.from = from;
        if self.style.has_edges() {
            if stroke_at(self.text, start) > 0 {
                // `||Host||Password||` over `|db|x|`, as in Jira.
                let text = self.text;
                self.cells.retain(|cell| !row::bare(text, cell).is_empty());
            }
            self.drop_empty(2);
        }
        self.count = self.cells.len();
        self.offsets = self.cells.iter().map(|cell| cell.start - start).collect();
        let names = self.cells.iter().enumerate();
        names
            .filter_map(|(index, cell)| {
                let label = row::label(self.text, cell);
                is_name(bytes::slice(self.text, label.start, label.end))
                    .then(|| heads(self.text, label))?
                    .map(|heading| (index, heading))
            })
            .collect()
    }

    /// Whether the cells are texts of a header, and half of them names or more.
    fn is_header(&mut self, is_ruled: bool, row: usize) -> bool {
        let (mut names, mut filled) = (0, 0);
        for cell in &self.cells {
            let label = row::label(self.text, cell);
            let label = bytes::slice(self.text, label.start, label.end);
            if !is_label(label, is_ruled)
                || !self.style.has_edges() && (is_figure(label) || is_drawn(label))
            {
                return false;
            }
            filled += usize::from(!label.is_empty());
            names += usize::from(label.is_empty() || is_name(label));
        }
        // A list has a comma after each line too, and code has a leading tab.
        let is_list = filled < 2
            && (matches!(self.style.delimiter, b',' | b';')
                || self.style.delimiter == b'\t' && bytes::at(self.text, row) == b'\t');
        let is_alone = self.cells.len() == 1 || self.style.in_brackets;
        self.may_be_row = self.style.has_edges() && !is_ruled && names < self.cells.len();
        names * 2 >= self.cells.len()
            && (!is_list || is_alone)
            && (is_ruled || !self.reads_as_sentence())
            && (is_ruled || !self.reads_as_line())
    }

    /// Whether a space follows each comma, and a conjunction joins cells, or the last one is of a sentence. Below the
    /// header of a table, the next line has as many cells.
    fn reads_as_sentence(&self) -> bool {
        #[rustfmt::skip]
        const CONJUNCTIONS: [&[u8]; 9] = [b" and ", b" or ", b" und ", b" oder ", b" et ", b" ou ", b" y ", b" o ", b" e "];
        let own = |cell: &Range<usize>| bytes::slice(self.text, cell.start, cell.end);
        let (Some(last), later) = (self.cells.last(), self.cells.iter().skip(1)) else {
            return false;
        };
        let is_joined = |cell: &Range<usize>| {
            let mut words = CONJUNCTIONS.iter();
            words.any(|word| own(cell).starts_with(word))
        };
        let goes_on = own(last).trim_ascii().is_empty() || own(last).trim_ascii().ends_with(b".");
        self.style.delimiter == b','
            && self.cells.len() > 1
            && later
                .clone()
                .all(|cell| matches!(own(cell), [] | [b' ', ..]))
            && (goes_on || later.clone().any(is_joined))
            && !self.is_next_line_alike(last.end)
    }

    /// Whether the line behind the last cell has as many commas as the cells, and ends with one if they do.
    fn is_next_line_alike(&self, end: usize) -> bool {
        const LONGEST_GAP: usize = 8;
        const LONGEST_LINE: usize = 512;
        let start = end
            + bytes::run(self.text, end, LONGEST_GAP, |byte| {
                byte.is_ascii_whitespace()
            });
        let line = bytes::run(self.text, start, LONGEST_LINE, |byte| byte != b'\n');
        let line = bytes::slice(self.text, start, start + line).trim_ascii_end();
        let is_empty = |cell: &Range<usize>| {
            bytes::slice(self.text, cell.start, cell.end)
                .trim_ascii()
                .is_empty()
        };
        let ends_empty = self.cells.last().is_some_and(is_empty);
        memchr::memchr_iter(b',', line).count() + 1 == self.cells.len()
            && line.ends_with(b",") == ends_empty
    }

    /// Whether the cells may be a line of text: space-aligned headers are in upper case, or name an account or a host.
    fn reads_as_line(&self) -> bool {
        let own = |cell: &Range<usize>| bytes::slice(self.text, cell.start, cell.end);
        let is_lower = |cell: &Range<usize>| own(cell).iter().any(u8::is_ascii_lowercase);
        let is_word = |cell: &Range<usize>| !own(cell).contains(&b' ');
        let owns = |cell: &Range<usize>| {
            OWNERS
                .iter()
                .any(|word| own(cell).eq_ignore_ascii_case(word))
        };
        let names_owner = self.cells.iter().any(owns) && self.cells.iter().all(is_word);
        self.style.delimiter == ALIGNED
            && (self.cells.len() < 2 || !names_owner && self.cells.iter().any(is_lower))
    }

    /// Whether a row has the cells of the header, and below it where columns are aligned with spaces.
    fn fits(&self, start: usize) -> bool {
        let is_below = |(cell, offset): (&Range<usize>, &usize)| cell.start == start + offset;
        let mut columns = self.cells.iter().zip(&self.offsets);
        self.cells.len() == self.count && (self.style.delimiter != ALIGNED || columns.all(is_below))
    }

    /// Whether a row follows soon that has as many cells as the header, or nearly as many where those are several.
    fn has_row(&mut self) -> bool {
        let from = self.from;
        let mut fits = false;
        while !fits && self.advance(|_| false) {
            fits = self.odd == 0 || self.count > 2 && self.cells.len().abs_diff(self.count) == 1;
        }
        (self.from, self.odd, self.is_torn) = (from, 0, false);
        fits
    }

    /// Reads the next row that may be one of the table's; after a gap, another header ends the table.
    fn advance(&mut self, is_name: impl Fn(Range<usize>) -> bool) -> bool {
        while self.from < self.text.len() && self.odd < MOST_ODD {
            let limit = if self.style.in_brackets {
                LONGEST_IN_BRACKETS
            } else {
                usize::MAX
            };
            let Some(end) = self
                .style
                .read(self.text, self.from, limit, &mut self.cells)
            else {
                return false;
            };
            if self.odd > 0 && self.is_header_again(end, &is_name) {
                return false;
            }
            let start = self.from;
            self.from = self.style.next_start(self.text, end);
            self.end = end;
            self.drop_empty(self.count);
            if self.fits(start) {
                self.odd = 0;
                return true;
            }
            if self.is_comment() {
                continue;
            }
            self.odd += 1;
            if self.cells.len() > 1 && self.style.delimiter != ALIGNED {
                return true;
            }
            self.is_torn = !self.style.has_edges();
        }
        false
    }

    /// Whether the row is a line like `# the second`, of which there may be many.
    fn is_comment(&self) -> bool {
        let [cell] = self.cells.as_slice() else {
            return false;
        };
        bytes::at(self.text, cell.start) == b'#' && !self.style.has_edges()
    }

    /// Names of columns have hardly any digits, and generated values may hold the word of a name (`9xKPwd3`).
    fn is_header_again(&self, end: usize, is_name: impl Fn(Range<usize>) -> bool) -> bool {
        let is_heading = |cell: &Range<usize>| {
            let label = row::label(self.text, cell);
            let own = bytes::slice(self.text, label.start, label.end);
            !own.iter().any(u8::is_ascii_digit) && is_name(label)
        };
        self.style.rule_end(self.text, end + 1).is_some() || self.cells.iter().any(is_heading)
    }

    /// Drops empty cells at the end, down to `count`.
    fn drop_empty(&mut self, count: usize) {
        while self.cells.len() > count
            && let Some(last) = self.cells.last()
            && row::bare(self.text, last).is_empty()
        {
            self.cells.pop();
        }
    }

    /// Passes the content of a column to `take`. If a row has one delimiter too many, it is one of
    /// several cells.
    fn each_cell(&self, index: usize, mut take: impl FnMut(Range<usize>)) {
        let extra = self.cells.len().saturating_sub(self.count);
        for cell in self
            .cells
            .iter()
            .skip(index)
            .take(1 + extra.min(MOST_EXTRA))
        {
            let is_set_off = bytes::at(self.text, cell.start) == b' ';
            let is_sure = self.odd == 0 && !(self.is_torn && is_set_off);
            let cell = row::bare(self.text, cell);
            if is_sure || !reads_as_text(bytes::slice(self.text, cell.start, cell.end)) {
                take(cell);
            }
        }
    }
}

/// Whether a cell holds words with spaces between.
fn reads_as_text(cell: &[u8]) -> bool {
    cell.contains(&b' ') && cell.iter().any(u8::is_ascii_alphabetic)
}

/// Whether the name of a column may be written so.
fn is_name(label: &[u8]) -> bool {
    let words = label.split(|&byte| byte == b' ').count();
    let is_written =
        |byte: &u8| bytes::is_word(*byte) || matches!(byte, b' ' | b'-' | b'.') || *byte >= 0x80;
    (1..=LONGEST_NAME).contains(&label.len())
        && words <= 3
        && label.iter().all(is_written)
        && !label.iter().all(u8::is_ascii_digit)
}

/// Whether a cell holds a version, a port or an amount, which no column is named by: `1:4.13+dfsg1-1`, `464/tcp`.
fn is_figure(label: &[u8]) -> bool {
    let number = bytes::run(label, 0, label.len(), |byte| byte.is_ascii_digit());
    number > 0
        && matches!(
            bytes::at(label, number),
            b'.' | b':' | b'/' | b',' | b'-' | b'+' | b'~'
        )
}

/// Whether a cell holds a generated value, which no column is named by: `3A85OA3UXCHNIAULY7G9IZ4MJ`.
fn is_drawn(label: &[u8]) -> bool {
    const SHORTEST: usize = 12;
    label.len() >= SHORTEST
        && label.iter().any(u8::is_ascii_digit)
        && str::from_utf8(label).is_ok_and(|label| Value::of(label).is_scrambled())
}

/// Whether a header may contain this in addition to its names: not code, unless a line is drawn
/// below it.
fn is_label(label: &[u8], is_ruled: bool) -> bool {
    let is_code = |byte: &u8| b"={}<>\\\"'".contains(byte);
    label.len() <= LONGEST_LABEL && (is_ruled || !label.iter().any(is_code))
}
