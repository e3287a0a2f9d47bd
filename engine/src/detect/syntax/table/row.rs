//! The row syntax of tables.

use crate::detect::bytes::{self, at, before};
use crate::detect::syntax::forms::STROKES;
use crate::detect::text::marks::Style;
use std::ops::Range;

/// Longest header to either side of a name, and longest row in brackets, in bytes.
pub(super) const LONGEST_HEADER: usize = 512;
pub(super) const LONGEST_IN_BRACKETS: usize = 16 * 1024;
/// Longest quoted cell, in bytes.
const LONGEST_QUOTED: usize = 4096;
/// More cells than a header has room for.
const MOST_CELLS: usize = 1024;
/// Deepest that brackets nest in a row.
const DEEPEST: usize = 16;

/// The delimiter of tables whose lines are drawn with one of several characters that begin with
/// this byte.
pub(super) const DRAWN: u8 = 0xE2;
/// The delimiter of tables whose columns are aligned with two or more spaces.
pub(super) const ALIGNED: u8 = b' ';
/// Length of a drawn character, in bytes.
const DRAWN_LENGTH: usize = 3;
/// The widest column next to a name, in spaces.
const WIDEST: usize = 64;

/// The length of the drawn line between two columns at `index`; 0 if there is none.
pub(in crate::detect) fn stroke_at(text: &[u8], index: usize) -> usize {
    match at(text, index) {
        b'|' => 1,
        DRAWN if is_drawn(bytes::slice(text, index, index + DRAWN_LENGTH)) => DRAWN_LENGTH,
        _ => 0,
    }
}

/// The length of the stroke that ends at `end`.
pub(in crate::detect) fn stroke_before(text: &[u8], end: usize) -> usize {
    let drawn = || is_drawn(bytes::slice(text, end.saturating_sub(DRAWN_LENGTH), end));
    match before(text, end) {
        b'|' => 1,
        0x80..=0xBF if drawn() => DRAWN_LENGTH,
        _ => 0,
    }
}

fn is_drawn(character: &[u8]) -> bool {
    STROKES.iter().any(|stroke| stroke.as_bytes() == character)
}

/// The delimiter of the table in which a cell ends at `end`.
fn delimiter_at(text: &[u8], end: usize) -> Option<u8> {
    match at(text, end) {
        delimiter @ (b',' | b';' | b'\t' | b'|') => Some(delimiter),
        DRAWN => (stroke_at(text, end) > 0).then_some(DRAWN),
        _ => None,
    }
}

/// The delimiter of the table in which a cell begins at `start`.
fn delimiter_before(text: &[u8], start: usize) -> Option<u8> {
    match before(text, start) {
        delimiter @ (b',' | b';' | b'\t' | b'|') => Some(delimiter),
        _ => (stroke_before(text, start) > 0).then_some(DRAWN),
    }
}

impl Style {
    /// The style of a table whose header contains a name. This rules out most names.
    pub(super) fn around(text: &[u8], name: &Range<usize>) -> Option<Self> {
        let quote = |byte| matches!(byte, b'"' | b'\'' | b'`' | b'*' | b' ');
        let name_end = name.end + remark_length(text, name.end);
        let end = name_end + bytes::run(text, name_end, WIDEST, quote);
        let behind = delimiter_at(text, end);
        let gap = bytes::run(text, name_end, WIDEST, |byte| byte == b' ');
        let is_aligned = gap > 1 || matches!(at(text, end), b'\n' | b'\r');
        if behind.is_none() && !is_aligned && !matches!(at(text, end), b')' | 0) {
            return None;
        }
        let first = first_word(text, name.start);
        let start = first - bytes::run_back(text, first, WIDEST, quote);
        let ahead = delimiter_before(text, start);
        let back = before(text, start);
        let begins_line = matches!(back, b'\n' | 0);
        let lead = bytes::run_back(text, first, WIDEST, |byte| byte == b' ');
        let follows_gap = lead > 1 && back.is_ascii_graphic();
        if !begins_line && back != b'(' && ahead.is_none() && !follows_gap {
            return None;
        }
        // A table of one column has no delimiter but the end of a line.
        let alone = matches!(back, b'\n' | 0) && matches!(at(text, end), b'\n' | b'\r');
        let aligned = || (is_aligned && (gap > 1 || follows_gap)).then_some(ALIGNED);
        let delimiter = behind
            .or(ahead)
            .or((alone && first == name.start).then_some(b'\n'))
            .or_else(aligned)?;
        Some(Self {
            delimiter,
            in_brackets: delimiter == b',' && opens(text, name.start).is_some(),
        })
    }

    /// The style of a table whose header is the line of a name, if this one's begins above that.
    pub(super) fn on_own_line(self, text: &[u8], name: usize) -> Option<Self> {
        let line = name - bytes::line_back(text, name, LONGEST_HEADER);
        let is_above = self.in_brackets && opens(text, name)? <= line;
        is_above.then_some(Self {
            in_brackets: false,
            ..self
        })
    }

    const fn closer(self) -> u8 {
        if self.in_brackets { b')' } else { b'\n' }
    }

    /// Where the header that contains a name begins.
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

    /// Where the row after one that ends at `end` begins; the end of the text if there is none.
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
        let rule = bytes::run(text, line, LONGEST_HEADER, |byte| {
            match self.delimiter {
                b'|' => matches!(byte, b'|' | b'-' | b':' | b' ' | b'+' | b'=' | b'\r'),
                ALIGNED => matches!(byte, b'-' | b'=' | b' ' | b'\r'),
                // Every character from U+2500 to U+257F.
                DRAWN => matches!(byte, 0xE2 | 0x80..=0xBF | b' ' | b'\r'),
                _ => false,
            }
        });
        let is_rule = rule > 2 && at(text, line + rule) == b'\n' && !self.is_bottom(text, line);
        is_rule.then_some(line + rule + 1)
    }

    /// Whether a line closes a table that is drawn.
    fn is_bottom(self, text: &[u8], line: usize) -> bool {
        const CORNERS: &[&str] = &["└", "╰", "╚", "┗"];
        let start = line + bytes::run(text, line, WIDEST, |byte| byte == b' ');
        let own = bytes::slice(text, start, start + DRAWN_LENGTH);
        self.delimiter == DRAWN && CORNERS.iter().any(|corner| corner.as_bytes() == own)
    }

    /// Whether strokes are drawn at both edges of a line.
    pub(super) const fn has_edges(self) -> bool {
        matches!(self.delimiter, b'|' | DRAWN)
    }

    /// Where a line of separated values ends that has signs of code, so that it is no header. This rules out most lines.
    pub(super) fn code_end(self, text: &[u8], start: usize, limit: usize) -> Option<usize> {
        if self.in_brackets || !matches!(self.delimiter, b',' | b';' | b'\t') {
            return None;
        }
        let line = bytes::slice(text, start, text.len().min(start + limit));
        let length = memchr::memchr(b'\n', line).unwrap_or(line.len());
        let line = bytes::slice(line, 0, length);
        // A remark in a name's cell may have any sign.
        let is_code = memchr::memchr3(b'=', b'{', b'}', line).is_some()
            && memchr::memchr(b'<', line).is_none();
        is_code.then_some(start + length)
    }

    /// Whether the line of these cells goes on below: `| "password"` in a union of types, an indented `pass_fds, env,` among
    /// arguments.
    pub(super) fn is_code(self, text: &[u8], start: usize, cells: &[Range<usize>]) -> bool {
        let (Some(first), Some(last)) = (cells.first(), cells.last()) else {
            return false;
        };
        let ends = bare(text, last).is_empty();
        if self.has_edges() {
            return stroke_before(text, start) > 0 && !ends;
        }
        let is_indented = || matches!(at(text, first.start), b' ' | b'\t' | b'\'');
        self.delimiter == b',' && !self.in_brackets && ends && is_indented()
    }

    /// Skips what precedes the first cell of a line.
    pub(super) fn skip_edge(self, text: &[u8], line: usize) -> usize {
        let indent = bytes::run(text, line, 16, |byte| byte == b' ');
        let stroke = stroke_at(text, line + indent);
        if self.has_edges() && stroke > 0 {
            line + indent + stroke
        } else {
            line
        }
    }

    /// Reads the cells of the row that begins at `start`; returns where it is closed.
    pub(super) fn read(
        self,
        text: &[u8],
        start: usize,
        limit: usize,
        cells: &mut Vec<Range<usize>>,
    ) -> Option<usize> {
        cells.clear();
        if self.delimiter == ALIGNED {
            return read_aligned(text, start, limit, cells);
        }
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
            let width = if byte == DRAWN {
                stroke_at(text, index)
            } else {
                1
            };
            let delimits = byte == self.delimiter && width > 0 && depth == 0;
            if closes || delimits && !self.is_escaped(text, index) {
                if cells.len() < MOST_CELLS {
                    cells.push(cell..index);
                }
                cell = index + width;
            }
            if closes {
                return (!over || !self.in_brackets).then_some(index);
            }
            if depth > DEEPEST {
                return None;
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

    /// `\|` is a literal line in a cell.
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

    /// Where the quote that opens at `open` closes; a doubled one does not close it. On its own
    /// line, a quote that does not end a cell closes nothing.
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

/// Reads the cells of a row whose columns are aligned with spaces.
fn read_aligned(
    text: &[u8],
    start: usize,
    limit: usize,
    cells: &mut Vec<Range<usize>>,
) -> Option<usize> {
    let line = bytes::slice(text, start, text.len().min(start.saturating_add(limit)));
    let length =
        memchr::memchr(b'\n', line).or((start + line.len() == text.len()).then_some(line.len()))?;
    let end = start + length;
    let mut index = start;
    while cells.len() < MOST_CELLS {
        index += bytes::run(text, index, end - index, |byte| {
            byte == b' ' || byte == b'\r'
        });
        if index >= end {
            break;
        }
        let rest = bytes::slice(text, index, end);
        let gap = memchr::memchr_iter(b' ', rest).find(|&gap| at(rest, gap + 1) == b' ');
        let cell = bytes::slice(rest, 0, gap.unwrap_or(rest.len())).trim_ascii_end();
        cells.push(index..index + cell.len());
        index += cell.len();
    }
    Some(end)
}

/// Whether an odd number of backslashes precedes `end`, from `start` on.
fn is_after_escape(text: &[u8], start: usize, end: usize) -> bool {
    bytes::run_back(text, end, end - start, |byte| byte == b'\\') % 2 == 1
}

/// Where the first of the words in a cell begins whose last one begins at `start`.
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

/// The length of the comment after a name in its cell: ` (plain)`, `<br>plain`.
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

/// Where the bracket around a name opens.
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
