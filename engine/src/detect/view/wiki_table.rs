//! Tables of `MediaWiki` as lines of cells, as in `html_table`.

use super::map::{Builder, View};
use crate::detect::bytes::{self, at};
use std::ops::Range;

const OPENING: &[u8] = b"{|";

/// Whether a text may hold such a table.
pub(super) fn may_be_in(text: &[u8]) -> bool {
    memchr::memmem::find(text, OPENING).is_some() && memchr::memmem::find(text, b"\n|-").is_some()
}

/// The rows of the tables in a text, each in a line, as `|a |b |`; `None` if there are none.
pub(super) fn read(source: &str) -> Option<View> {
    let text = source.as_bytes();
    if !may_be_in(text) {
        return None;
    }
    let mut rows = Builder::default();
    let (mut is_in_table, mut holds_cells) = (false, false);
    let mut from = 0;
    for end in memchr::memchr_iter(b'\n', text).chain([text.len()]) {
        let start = from + bytes::run(text, from, end - from, |byte| byte == b' ');
        from = end + 1;
        let lead = bytes::slice(text, start, end.min(start + 2));
        let closes = matches!(lead, b"|-" | b"|}");
        if closes && holds_cells {
            rows.put('|', start..start);
            rows.end_line();
            holds_cells = false;
        }
        is_in_table = (is_in_table || lead == OPENING) && lead != b"|}";
        let is_cell = matches!(at(text, start), b'|' | b'!') && start < end;
        if is_in_table && is_cell && !closes && lead != b"|+" {
            keep_cells(&mut rows, source, start..end);
            holds_cells = true;
        }
    }
    Some(rows.finish())
}

/// Copies the cells of a line: `| a || b`, `! a !! b`, `| style="…" | a`.
fn keep_cells(rows: &mut Builder, source: &str, line: Range<usize>) {
    let text = source.as_bytes();
    let sign = at(text, line.start);
    let own = bytes::slice(text, line.start, line.end);
    let mut from = line.start + 1;
    rows.put('|', line.start..from);
    for index in memchr::memchr2_iter(sign, b'|', own) {
        let start = line.start + index;
        if start < from {
            continue;
        }
        let is_double = at(text, start + 1) == at(text, start);
        if !is_double && at(text, start) != b'|' {
            continue;
        }
        let is_attribute = !is_double && bytes::holds(bytes::slice(text, from, start), b"=\"");
        if !is_attribute {
            rows.keep(source, from..start);
        }
        from = start + 1 + usize::from(is_double);
        rows.put(if is_double { '|' } else { ' ' }, start..from);
    }
    rows.keep(source, from..line.end);
    rows.put(' ', line.end..line.end);
}
