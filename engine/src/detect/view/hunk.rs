//! Hunks of `diff -u`.

use super::framed::{Framed, Side};
use super::prefix;
use crate::detect::bytes::{self, at};

/// How many lines are left, before the change and after it.
#[derive(Debug)]
pub(super) struct Hunk {
    before: usize,
    after: usize,
    /// How much was framed above.
    pub(super) first: usize,
}

impl Hunk {
    /// The hunk with this head: `@@ -1,3 +1,4 @@`, or `@@` alone, as models write it.
    pub(super) fn headed(line: &[u8], first: usize) -> Option<Self> {
        let rest = line.strip_prefix(b"@@")?;
        if !matches!(at(rest, 0), 0 | b' ' | b'\r') {
            return None;
        }
        let [before, after] = [b'-', b'+'].map(|mark| count(rest, mark).unwrap_or(usize::MAX));
        Some(Self {
            before,
            after,
            first,
        })
    }

    /// The next line, from `start` to `end`; `None` if it is none of these.
    pub(super) fn next(&mut self, text: &[u8], start: usize, end: usize) -> Option<Framed> {
        let text = bytes::slice(text, 0, end);
        // An empty line has lost its space.
        let mark = if start < end { at(text, start) } else { b' ' };
        let side = Side::of(mark);
        let left = match side {
            Side::Both => self.before.min(self.after),
            Side::Before => self.before,
            Side::After => self.after,
        };
        if left == 0 || !matches!(mark, b' ' | b'+' | b'-' | b'\\' | b'\r') {
            return None;
        }
        // `\ No newline at end of file` is not one of its lines.
        let is_line = mark != b'\\';
        self.before -= usize::from(is_line && side != Side::After);
        self.after -= usize::from(is_line && side != Side::Before);
        // A sign before a digit may be that of a number.
        let is_sign = side != Side::Both && prefix::is_signed(text, start);
        let content = (start + usize::from(!is_sign)).min(end)..end;
        Some(Framed {
            line: start..end,
            content,
            side,
        })
    }
}

/// The number of lines after a marker: `-1,3`, `-1`.
fn count(head: &[u8], mark: u8) -> Option<usize> {
    let mut parts = head.split(|&byte| byte == b' ');
    let range = parts.find_map(|part| part.strip_prefix(&[mark]))?;
    match str::from_utf8(range).ok()?.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => range.iter().all(u8::is_ascii_digit).then_some(1),
    }
}
