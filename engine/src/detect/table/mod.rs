//! Tables: what stands below the name of a column.

mod personal;

use super::bytes::{self, at, before};
use super::pass::{Guard, Pass};
use std::ops::Range;

pub(super) use personal::{HEADERS, look};

/// Longest header, and longest row, in bytes.
const LONGEST_HEADER: usize = 512;
const LONGEST_ROW: usize = 4096;
/// Longest name of a column, in bytes.
const LONGEST_NAME: usize = 40;

/// How the rows of a table are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Style {
    delimiter: u8,
    /// `(a, b), (c, d)` instead of a line each.
    in_brackets: bool,
}

impl Style {
    const fn closer(self) -> u8 {
        if self.in_brackets { b')' } else { b'\n' }
    }
}

/// What is looked for in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Secrets,
    PersonalNumbers,
}

impl Kind {
    const fn guard<'p>(self, pass: &'p mut Pass<'_, '_>) -> &'p mut Guard {
        match self {
            Self::Secrets => &mut pass.tables,
            Self::PersonalNumbers => &mut pass.personal_tables,
        }
    }
}

/// Hands the cells of the column that a name heads to `take`; whether there is one.
pub(super) fn each_below<'t, 'f>(
    pass: &mut Pass<'t, 'f>,
    kind: Kind,
    name: &Range<usize>,
    mut take: impl FnMut(&mut Pass<'t, 'f>, Range<usize>),
) -> bool {
    let Some(style) = style(pass.text, name) else {
        return false;
    };
    // Words stand alone on their lines in any text, numbers hardly do.
    if style.delimiter == b'\n' && kind == Kind::Secrets {
        return false;
    }
    if kind.guard(pass).is_spent(name.start) {
        return false;
    }
    let Some(mut column) = Column::below(pass.text, name, style) else {
        kind.guard(pass)
            .spend(name.start, name.end + LONGEST_HEADER);
        return false;
    };
    for cell in column.by_ref() {
        take(pass, cell);
    }
    kind.guard(pass).spend(name.start, column.from);
    true
}

/// The cells of a column, from top to bottom.
#[derive(Debug)]
struct Column<'t> {
    text: &'t [u8],
    style: Style,
    index: usize,
    count: usize,
    /// Where the next row begins, or the table ends.
    from: usize,
}

impl<'t> Column<'t> {
    /// The column that a name heads, when a row follows.
    fn below(text: &'t [u8], name: &Range<usize>, style: Style) -> Option<Self> {
        let start = header_start(text, name.start, style)?;
        let (mut index, mut named) = (0, true);
        let limit = name.end + LONGEST_HEADER - start;
        let row = each_cell(text, start, limit, style, |position, cell| {
            if cell.contains(&name.start) {
                index = position;
            }
            named &= is_name(bytes::slice(text, cell.start, cell.end));
        })?;
        let from = rows_start(text, row.end, style)?;
        let column = Self {
            text,
            style,
            index,
            count: row.count,
            from,
        };
        (named && column.row().is_some()).then_some(column)
    }

    /// The cell of the row at `from`, and where the row ends.
    fn row(&self) -> Option<(Range<usize>, usize)> {
        let mut own = None;
        let row = each_cell(
            self.text,
            self.from,
            LONGEST_ROW,
            self.style,
            |position, cell| {
                if position == self.index {
                    own = Some(cell);
                }
            },
        )?;
        (row.count == self.count).then_some((own?, row.end))
    }

    /// Moves to the row after the one that ends at `end`.
    fn advance(&mut self, end: usize) {
        self.from = if self.style.in_brackets {
            let gap = bytes::run(self.text, end + 1, 64, |byte| {
                byte.is_ascii_whitespace() || byte == b','
            });
            bytes::slice(self.text, end + 1 + gap, end + 2 + gap)
                .iter()
                .position(|&byte| byte == b'(')
                .map_or(self.text.len(), |_| end + 2 + gap)
        } else {
            row_start(self.text, end + 1, self.style)
        };
    }
}

impl Iterator for Column<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.from >= self.text.len() {
            return None;
        }
        let (cell, end) = self.row()?;
        self.advance(end);
        Some(bare(self.text, cell))
    }
}

/// The style of a table in whose header a name stands. Most names are found out here.
fn style(text: &[u8], name: &Range<usize>) -> Option<Style> {
    let quote = |byte| matches!(byte, b'"' | b'\'' | b'`' | b' ');
    let after = at(text, name.end + bytes::run(text, name.end, 3, quote));
    let back = before(
        text,
        name.start - bytes::run_back(text, name.start, 3, quote),
    );
    let delimits = |byte| matches!(byte, b',' | b';' | b'\t' | b'|');
    let ends = matches!(after, b'\n' | b'\r' | b')' | 0) || delimits(after);
    let begins = matches!(back, b'\n' | b'(' | 0) || delimits(back);
    // A table of one column has no delimiter but the end of a line.
    let alone = matches!(back, b'\n' | 0) && matches!(after, b'\n' | b'\r');
    let delimiter = [after, back]
        .into_iter()
        .find(|&byte| delimits(byte))
        .or(alone.then_some(b'\n'))?;
    (begins && ends).then(|| Style {
        delimiter,
        in_brackets: delimiter == b',' && opens(text, name.start).is_some(),
    })
}

/// Where the bracket opens that a name stands in.
fn opens(text: &[u8], name: usize) -> Option<usize> {
    let back = bytes::run_back(text, name, LONGEST_HEADER, |byte| {
        !matches!(byte, b'(' | b')' | b';' | b'=')
    });
    (before(text, name - back) == b'(').then_some(name - back)
}

fn header_start(text: &[u8], name: usize, style: Style) -> Option<usize> {
    if style.in_brackets {
        return opens(text, name);
    }
    let back = bytes::line_back(text, name, LONGEST_HEADER);
    Some(skip_edge(text, name - back, style))
}

/// Where the first row begins below a header that ends at `end`.
fn rows_start(text: &[u8], end: usize, style: Style) -> Option<usize> {
    if !style.in_brackets {
        return (at(text, end) == b'\n').then(|| row_start(text, end + 1, style));
    }
    let space = |from| from + bytes::run(text, from, 64, |byte: u8| byte.is_ascii_whitespace());
    let values = space(end + 1);
    let first = space(values + 6);
    let follows = bytes::begins(text, values, b"values") && at(text, first) == b'(';
    follows.then_some(first + 1)
}

/// Where the cells of a row begin; the line between header and rows is skipped.
fn row_start(text: &[u8], line: usize, style: Style) -> usize {
    let rule = bytes::run(text, line, LONGEST_HEADER, |byte| {
        matches!(byte, b'|' | b'-' | b':' | b' ' | b'+' | b'\r')
    });
    let is_rule = style.delimiter == b'|' && rule > 2 && at(text, line + rule) == b'\n';
    let line = if is_rule { line + rule + 1 } else { line };
    skip_edge(text, line, style)
}

/// Skips the stroke that a line of a table may begin with.
fn skip_edge(text: &[u8], line: usize, style: Style) -> usize {
    let indent = bytes::run(text, line, 16, |byte| byte == b' ');
    if style.delimiter == b'|' && at(text, line + indent) == b'|' {
        line + indent + 1
    } else {
        line
    }
}

/// A row: how many cells it has, and where what closes it stands.
struct Row {
    count: usize,
    end: usize,
}

/// Calls `take` with the place of every cell of the row that begins at `start`. Quoted cells may hold delimiters.
fn each_cell(
    text: &[u8],
    start: usize,
    limit: usize,
    style: Style,
    mut take: impl FnMut(usize, Range<usize>),
) -> Option<Row> {
    let mut count = 0;
    let mut cell = start;
    let mut quote = None;
    for index in start..start + limit {
        let byte = at(text, index);
        let over = index >= text.len();
        if let Some(open) = quote {
            if over || byte == b'\n' {
                return None;
            }
            if byte == open {
                quote = None;
            }
            continue;
        }
        let is_quote = byte == b'"' || byte == b'\'' && style.in_brackets;
        if is_quote && bytes::slice(text, cell, index).trim_ascii().len() < 2 {
            quote = Some(byte);
            continue;
        }
        let closes = over || byte == style.closer();
        if closes || byte == style.delimiter {
            take(count, cell..index);
            count += 1;
            cell = index + 1;
        }
        if closes {
            return (!over || !style.in_brackets).then_some(Row { count, end: index });
        }
    }
    None
}

/// Whether the name of a column may be written so.
fn is_name(cell: &[u8]) -> bool {
    let name = cell.trim_ascii();
    let words = name.split(|&byte| byte == b' ').count();
    cell.len() <= LONGEST_NAME
        && words <= 3
        && name.iter().all(|&byte| {
            bytes::is_word(byte)
                || matches!(byte, b' ' | b'-' | b'.' | b'"' | b'`' | b'\'')
                || byte >= 0x80
        })
        && !name.iter().all(u8::is_ascii_digit)
        || name.is_empty() && cell.len() < 4
}

/// A cell without the spaces and quotes around it.
fn bare(text: &[u8], cell: Range<usize>) -> Range<usize> {
    let space = |byte: u8| byte.is_ascii_whitespace();
    let mut start = cell.start + bytes::run(text, cell.start, cell.len(), space);
    let mut end = cell.end - bytes::run_back(text, cell.end, cell.end - start, space);
    if at(text, start) | 0x20 == b'n' && at(text, start + 1) == b'\'' {
        start += 1;
    }
    let quote = at(text, start);
    if matches!(quote, b'"' | b'\'' | b'`') && end > start + 1 && before(text, end) == quote {
        (start, end) = (start + 1, end - 1);
    }
    start..end
}
