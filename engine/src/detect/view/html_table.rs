//! Tables of HTML as lines of cells: what a cell means stands in the head of its column.

use super::map::{Builder, View};
use crate::detect::bytes::{self, at};
use std::ops::Range;

/// Longest tag that is read, in bytes.
const LONGEST_TAG: usize = 256;

/// What a tag is to a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    /// A row ends.
    RowEnd,
    /// A cell begins.
    Cell,
    /// It frames a row or a cell.
    Frame,
}

/// Whether a text may hold such a table.
pub(super) fn may_be_in(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"</td>").is_some() && memchr::memmem::find(text, b"</th>").is_some()
}

/// The rows of the tables in a text, each in a line, as `|a |b |`; `None` if there are none.
pub(super) fn read(source: &str) -> Option<View> {
    let text = source.as_bytes();
    if !may_be_in(text) {
        return None;
    }
    let mut rows = Builder::default();
    let mut is_in_cell = false;
    let mut from = 0;
    for (tag, range) in tags(text) {
        if is_in_cell {
            keep_in_line(&mut rows, source, from..range.start);
        }
        if tag != Tag::Frame {
            rows.put(' ', range.start..range.start);
            rows.put('|', range.clone());
        }
        if tag == Tag::RowEnd {
            rows.end_line();
        }
        (is_in_cell, from) = (tag == Tag::Cell, range.end);
    }
    Some(rows.finish())
}

/// Copies the content of a cell, its line ends as spaces.
fn keep_in_line(rows: &mut Builder, source: &str, cell: Range<usize>) {
    let text = source.as_bytes();
    let mut from = cell.start;
    let content = bytes::slice(text, cell.start, cell.end);
    for end in memchr::memchr2_iter(b'\n', b'|', content) {
        let end = cell.start + end;
        rows.keep(source, from..end);
        rows.put(' ', end..end + 1);
        from = end + 1;
    }
    rows.keep(source, from..cell.end);
}

/// The tags of rows and cells.
fn tags(text: &[u8]) -> impl Iterator<Item = (Tag, Range<usize>)> {
    memchr::memchr_iter(b'<', text).filter_map(|start| {
        let closes = usize::from(at(text, start + 1) == b'/');
        let name = start + 1 + closes;
        let name = bytes::slice(text, name, name + 2);
        let is = |known: &[u8]| name.eq_ignore_ascii_case(known);
        let tag = match closes {
            1 if is(b"tr") => Tag::RowEnd,
            1 if is(b"td") || is(b"th") => Tag::Frame,
            0 if is(b"td") || is(b"th") => Tag::Cell,
            0 if is(b"tr") => Tag::Frame,
            _ => return None,
        };
        let behind = start + 3 + closes;
        let is_whole = matches!(at(text, behind), b'>' | b' ' | b'\n' | b'\t');
        let length = bytes::run(text, behind, LONGEST_TAG, |byte| byte != b'>');
        let ends = is_whole && at(text, behind + length) == b'>';
        ends.then(|| (tag, start..behind + length + 1))
    })
}
