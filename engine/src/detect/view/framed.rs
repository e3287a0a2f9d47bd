//! Separates lines from their framing, and builds the readings without it.

use super::Unframed;
use super::map::Builder;
use crate::detect::bytes;
use std::ops::Range;

/// A line that is framed.
#[derive(Debug)]
pub(super) struct Framed {
    pub(super) line: Range<usize>,
    /// The content of the line.
    pub(super) content: Range<usize>,
    pub(super) side: Side,
}

/// The side of a change on which a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Both,
    Before,
    After,
}

impl Side {
    pub(super) const fn of(mark: u8) -> Self {
        match mark {
            b'-' => Self::Before,
            b'+' => Self::After,
            _ => Self::Both,
        }
    }
}

/// Lines of a change.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) lines: Range<usize>,
    /// How many lines above are read together with what the change took out.
    pub(super) lead: usize,
}

/// The framed lines of a text, from top to bottom.
#[derive(Debug, Default)]
pub(super) struct Frames {
    pub(super) lines: Vec<Framed>,
    /// What prefixes say that may be a value.
    pub(super) message: Vec<Range<usize>>,
    pub(super) changes: Vec<Change>,
    /// Whether some of it may be no framing.
    pub(super) is_doubtful: bool,
}

impl Frames {
    /// Removes what frames the contents of the lines from `first` on.
    pub(super) fn nest(&mut self, first: usize, inner: Self) {
        let mut outer = self.lines.iter_mut().skip(first);
        for line in inner.lines {
            if let Some(outer) = outer.find(|outer| outer.content.start == line.line.start) {
                outer.content = line.content;
                if line.side != Side::Both {
                    outer.side = line.side;
                }
            }
        }
        self.message.extend(inner.message);
        self.changes.extend(inner.changes);
        self.is_doubtful |= inner.is_doubtful;
    }

    pub(super) fn unframed(mut self, source: &str) -> Unframed {
        self.message.sort_by_key(|message| message.start);
        self.changes.sort_by_key(|change| change.lines.start);
        let (mut main, mut aside) = (Builder::default(), Builder::default());
        self.keep(source, 0..source.len(), &mut main, Side::Before);
        for message in &self.message {
            aside.keep(source, message.clone());
            aside.end_line();
        }
        Unframed {
            main: main.finish(),
            aside: aside.finish(),
            other: self.before(source).finish(),
            is_sure: !self.is_doubtful,
        }
    }

    /// The text that changes removed, as it was before.
    fn before(&self, source: &str) -> Builder {
        let mut before = Builder::default();
        let mut read = 0;
        for Change { lines, lead } in &self.changes {
            let first = self.index(lines.start);
            let start = self.lines.get(first).map_or(0, |line| line.line.start);
            let above = bytes::slice(source.as_bytes(), read, start);
            let end = memchr::memrchr_iter(b'\n', above).nth(*lead);
            let start = end.map_or(read, |end| read + end + 1);
            self.keep(source, start..lines.end, &mut before, Side::After);
            before.end_line();
            read = lines.end;
        }
        before
    }

    /// The index, at or after `at`, of the framed line in the list.
    fn index(&self, at: usize) -> usize {
        self.lines.partition_point(|line| line.line.end < at)
    }

    /// Keeps the contents of lines, except those on only one side of a change.
    fn keep(&self, source: &str, range: Range<usize>, builder: &mut Builder, without: Side) {
        let first = self.index(range.start);
        let lines = self.lines.iter().skip(first);
        let mut kept = range.start;
        for line in lines.take_while(|line| line.line.start < range.end) {
            builder.keep(source, kept..line.line.start);
            kept = line.line.end;
            if line.side == without {
                kept = (kept + 1).min(range.end);
            } else {
                builder.keep(source, line.content.clone());
            }
        }
        builder.keep(source, kept..range.end);
    }
}
