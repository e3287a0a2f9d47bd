//! How the rows of a table are written.

use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// Longest header to either side of a name, and longest row in brackets, in bytes.
pub(super) const LONGEST_HEADER: usize = 512;
pub(super) const LONGEST_IN_BRACKETS: usize = 16 * 1024;
/// Longest quoted cell, in bytes.
const LONGEST_QUOTED: usize = 4096;
/// More cells than a header has room for.
const MOST_CELLS: usize = 1024;
/// What the tools print between the number of a line and the line, beside a tab.
const ARROW: &[u8] = "→".as_bytes();

/// The style of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) delimiter: u8,
    /// `(a, b), (c, d)` instead of a line each.
    pub(super) in_brackets: bool,
    /// What begins every line that is quoted (`>`) or added (`+`); 0 where nothing does.
    mark: u8,
}

impl Style {
    /// The style of a table in whose header a name stands. Most names are found out here.
    pub(super) fn around(text: &[u8], name: &Range<usize>) -> Option<Self> {
        let quote = |byte| matches!(byte, b'"' | b'\'' | b'`' | b'*' | b' ');
        let name_end = name.end + remark_length(text, name.end);
        let after = at(text, name_end + bytes::run(text, name_end, 3, quote));
        let delimits = |byte| matches!(byte, b',' | b';' | b'\t' | b'|');
        if !matches!(after, b'\n' | b'\r' | b')' | 0) && !delimits(after) {
            return None;
        }
        let first = first_word(text, name.start);
        let back = before(text, first - bytes::run_back(text, first, 3, quote));
        let begins_line = matches!(back, b'\n' | 0 | b'>' | b'+') || ARROW.last() == Some(&back);
        if !begins_line && back != b'(' && !delimits(back) {
            return None;
        }
        // A table of one column has no delimiter but the end of a line.
        let alone = matches!(back, b'\n' | 0) && matches!(after, b'\n' | b'\r');
        let delimiter = [after, back]
            .into_iter()
            .find(|&byte| delimits(byte))
            .or((alone && first == name.start).then_some(b'\n'))?;
        let line = name.start - bytes::line_back(text, name.start, LONGEST_HEADER);
        let mark = at(text, line);
        Some(Self {
            delimiter,
            in_brackets: delimiter == b',' && opens(text, name.start).is_some(),
            mark: if matches!(mark, b'>' | b'+') { mark } else { 0 },
        })
    }

    const fn closer(self) -> u8 {
        if self.in_brackets { b')' } else { b'\n' }
    }

    /// Where the header begins that a name stands in.
    pub(super) fn header_start(self, text: &[u8], name: usize) -> Option<usize> {
        if self.in_brackets {
            return opens(text, name);
        }
        let back = bytes::line_back(text, name, LONGEST_HEADER);
        Some(self.skip_edge(text, name - back))
    }

    /// Where the first row begins below a header that ends at `end`.
    pub(super) fn rows_start(self, text: &[u8], end: usize) -> Option<usize> {
        if !self.in_brackets {
            return (at(text, end) == b'\n').then(|| self.row_start(text, end + 1));
        }
        let space = |from| from + bytes::run(text, from, 64, |byte: u8| byte.is_ascii_whitespace());
        let values = space(end + 1);
        let first = space(values + 6);
        let follows = bytes::begins(text, values, b"values") && at(text, first) == b'(';
        follows.then_some(first + 1)
    }

    /// Where the row begins after one that ends at `end`; the end of the text where there is none.
    pub(super) fn next_start(self, text: &[u8], end: usize) -> usize {
        if !self.in_brackets {
            return self.row_start(text, end + 1);
        }
        let gap = |byte: u8| byte.is_ascii_whitespace() || byte == b',';
        let mut next = end + 1 + bytes::run(text, end + 1, 64, gap);
        if bytes::slice(text, next, next + 2) == b"--" {
            next += bytes::run(text, next, LONGEST_HEADER, |byte| byte != b'\n');
            next += bytes::run(text, next, 64, gap);
        }
        let opens = at(text, next) == b'(';
        if opens { next + 1 } else { text.len() }
    }

    /// Where the cells of a row begin; the line between header and rows is skipped.
    fn row_start(self, text: &[u8], line: usize) -> usize {
        self.skip_edge(text, self.rule_end(text, line).unwrap_or(line))
    }

    /// Where the line ends that is drawn at `line`, as between header and rows.
    pub(super) fn rule_end(self, text: &[u8], line: usize) -> Option<usize> {
        let line = self.skip_marks(text, line);
        let rule = bytes::run(text, line, LONGEST_HEADER, |byte| {
            matches!(byte, b'|' | b'-' | b':' | b' ' | b'+' | b'=' | b'\r')
        });
        let is_rule = self.delimiter == b'|' && rule > 2 && at(text, line + rule) == b'\n';
        is_rule.then_some(line + rule + 1)
    }

    /// Skips what stands before the first cell of a line.
    fn skip_edge(self, text: &[u8], line: usize) -> usize {
        let line = self.skip_marks(text, line);
        let indent = bytes::run(text, line, 16, |byte| byte == b' ');
        if self.delimiter == b'|' && at(text, line + indent) == b'|' {
            line + indent + 1
        } else {
            line
        }
    }

    /// Skips the number of a line, and the marks of a quotation or a change.
    fn skip_marks(self, text: &[u8], line: usize) -> usize {
        let mut start = self.skip_number(text, line);
        if self.mark != 0 && at(text, start) == self.mark {
            start += bytes::run(text, start, 8, |byte| byte == self.mark || byte == b' ');
        }
        start
    }

    /// Skips the number of a line, as `cat -n` prints it.
    fn skip_number(self, text: &[u8], line: usize) -> usize {
        let indent = line + bytes::run(text, line, 8, |byte| byte == b' ');
        let end = indent + bytes::run(text, indent, 8, |byte| byte.is_ascii_digit());
        if end == indent {
            return line;
        }
        if at(text, end) == b'\t' && self.delimiter != b'\t' {
            return end + 1;
        }
        let arrow = end + ARROW.len();
        let follows = bytes::slice(text, end, arrow) == ARROW;
        if follows { arrow } else { line }
    }

    /// Reads the cells of the row that begins at `start`; where what closes it stands.
    pub(super) fn read(
        self,
        text: &[u8],
        start: usize,
        limit: usize,
        cells: &mut Vec<Range<usize>>,
    ) -> Option<usize> {
        cells.clear();
        let (mut cell, mut index, mut depth) = (start, start, 0_usize);
        let stop = start.saturating_add(limit);
        while index < stop {
            index += bytes::run(text, index, stop - index, |byte| !self.may_mean(byte));
            if index >= stop {
                break;
            }
            let byte = at(text, index);
            let over = index >= text.len();
            if self.opens_quote(text, cell, index) {
                if let Some(close) = self.quote_end(text, index) {
                    index = close + 1;
                    continue;
                }
                if self.in_brackets {
                    return None;
                }
            }
            let closes = over || byte == self.closer() && depth == 0;
            if closes || byte == self.delimiter && depth == 0 && !self.is_escaped(text, index) {
                if cells.len() < MOST_CELLS {
                    cells.push(cell..index);
                }
                cell = index + 1;
            }
            if closes {
                return (!over || !self.in_brackets).then_some(index);
            }
            if self.in_brackets {
                depth = match byte {
                    b'(' => depth + 1,
                    b')' => depth.saturating_sub(1),
                    _ => depth,
                };
            }
            index += 1;
        }
        None
    }

    /// Whether a byte may be more than one of a cell.
    const fn may_mean(self, byte: u8) -> bool {
        byte == self.delimiter || matches!(byte, b'"' | b'\'' | b'\n' | b'(' | b')')
    }

    /// `\|` stands for a stroke in a cell.
    fn is_escaped(self, text: &[u8], index: usize) -> bool {
        self.delimiter == b'|' && before(text, index) == b'\\'
    }

    /// Whether the quote of a quoted cell opens at `index`.
    fn opens_quote(self, text: &[u8], cell: usize, index: usize) -> bool {
        let quote = at(text, index);
        let is_quote = quote == b'"' || quote == b'\'' && self.in_brackets;
        // `N'x'` in SQL.
        let most = usize::from(self.in_brackets);
        is_quote && bytes::slice(text, cell, index).trim_ascii().len() <= most
    }

    /// Where the quote closes that opens at `open`; a doubled one does not. On a line its own, a quote that does not end
    /// a cell closes nothing.
    fn quote_end(self, text: &[u8], open: usize) -> Option<usize> {
        let quote = at(text, open);
        let limit = text.len().min(open + LONGEST_QUOTED);
        let mut from = open + 1;
        loop {
            let close = from + memchr::memchr(quote, bytes::slice(text, from, limit))?;
            if at(text, close + 1) == quote {
                from = close + 2;
            } else if self.in_brackets && is_after_escape(text, from, close) {
                from = close + 1;
            } else {
                let space = |byte| matches!(byte, b' ' | b'\r');
                let next = close + 1 + bytes::run(text, close + 1, 8, space);
                let ends_cell = next >= text.len()
                    || matches!(at(text, next), byte if byte == self.delimiter || byte == b'\n');
                return (ends_cell || self.in_brackets).then_some(close);
            }
        }
    }
}

/// Whether an odd number of backslashes stands before `end`, from `start` on.
fn is_after_escape(text: &[u8], start: usize, end: usize) -> bool {
    bytes::run_back(text, end, end - start, |byte| byte == b'\\') % 2 == 1
}

/// Where the first of the words in a cell begins of which the last begins at `start`.
fn first_word(text: &[u8], start: usize) -> usize {
    let mut first = start;
    for _ in 0..2 {
        let length = match before(text, first) {
            b' ' => bytes::run_back(text, first - 1, 24, bytes::is_word),
            _ => 0,
        };
        if length == 0 {
            break;
        }
        first -= length + 1;
    }
    first
}

/// How long the remark is that stands behind a name in its cell: ` (plain)`, `<br>plain`.
fn remark_length(text: &[u8], end: usize) -> usize {
    if bytes::slice(text, end, end + 3) == b"<br" {
        return bytes::run(text, end, 48, |byte| !matches!(byte, b'|' | b'\n'));
    }
    if bytes::slice(text, end, end + 2) != b" (" {
        return 0;
    }
    let remark = 2 + bytes::run(text, end + 2, 24, |byte| {
        bytes::is_word(byte) || byte == b' '
    });
    if at(text, end + remark) == b')' {
        remark + 1
    } else {
        0
    }
}

/// Where the bracket opens that a name stands in.
fn opens(text: &[u8], name: usize) -> Option<usize> {
    let window = bytes::slice(text, name.saturating_sub(LONGEST_HEADER), name);
    let bracket = memchr::memrchr2(b'(', b')', window)?;
    let ends = memchr::memchr2(b';', b'=', bytes::slice(window, bracket, window.len()));
    (at(window, bracket) == b'(' && ends.is_none()).then(|| name - window.len() + bracket + 1)
}

/// A cell without the spaces and quotes around it.
pub(super) fn bare(text: &[u8], cell: &Range<usize>) -> Range<usize> {
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

/// The name in the cell of a header, without quotes, emphasis and a remark.
pub(super) fn label(text: &[u8], cell: &Range<usize>) -> Range<usize> {
    let around =
        |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'*');
    let start = cell.start + bytes::run(text, cell.start, cell.len(), around);
    let end = cell.end - bytes::run_back(text, cell.end, cell.end - start, around);
    let name = bytes::run(text, start, end - start, |byte| {
        !matches!(byte, b'(' | b'<')
    });
    let space = usize::from(at(text, start + name) == b'(');
    let name = start + name.saturating_sub(space);
    let is_remark = name > start && name + remark_length(text, name) >= end;
    start..if is_remark { name } else { end }
}
