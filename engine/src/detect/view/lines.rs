//! Framing of lines: prefixes that their neighbours confirm.

use super::Unframed;
use super::block::{self, Block};
use super::framed::{Change, Framed, Frames, Side};
use super::hunk::Hunk;
use super::prefix::{self, Form, Prefix};
use crate::base::bits;
use crate::detect::bytes::{self, at};
use std::ops::Range;

/// Lines before a change that are read together with what it took out.
const LEAD: usize = 4;
/// Most frames in one another. A line is read with those that are farther in.
const DEEPEST: usize = 8;

/// A text without the framing of its lines; `None` if there is none.
pub(super) fn strip(source: &str) -> Option<Unframed> {
    let text = source.as_bytes();
    let mut sweep = Sweep::new(text, DEEPEST, true);
    let mut start = 0;
    let (blocks, rest) = text.as_chunks();
    for (index, block) in blocks.iter().enumerate() {
        let mut ends = bits::marks(block, |byte| byte == b'\n');
        while ends != 0 {
            let end = index * block.len() + ends.trailing_zeros() as usize;
            sweep.scan(start, end);
            start = end + 1;
            ends &= ends - 1;
        }
    }
    for end in memchr::memchr_iter(b'\n', rest) {
        let end = text.len() - rest.len() + end;
        sweep.scan(start, end);
        start = end + 1;
    }
    sweep.scan(start, text.len());
    let frames = sweep.finish();
    (!frames.lines.is_empty()).then(|| frames.unframed(source))
}

/// Examines lines from top to bottom.
struct Sweep<'t> {
    text: &'t [u8],
    /// How many frames may be within those that are found.
    depth: usize,
    /// Whether to search for changes: not within the lines of a change.
    may_change: bool,
    frames: Frames,
    block: Option<Block>,
    hunk: Option<Hunk>,
    /// The two lines above, the nearer one first, and the class of that.
    above: [Range<usize>; 2],
    class: u32,
}

impl<'t> Sweep<'t> {
    fn new(text: &'t [u8], depth: usize, may_change: bool) -> Self {
        Self {
            text,
            depth,
            may_change,
            frames: Frames::default(),
            block: None,
            hunk: None,
            above: [0..0, 0..0],
            class: 0,
        }
    }

    #[inline]
    fn scan(&mut self, start: usize, end: usize) {
        let class = prefix::class(self.text, start);
        let is_plain = self.block.is_none() && self.hunk.is_none();
        let may_follow = class != 0 && class == self.class;
        if !is_plain || may_follow || at(self.text, start) == b'@' {
            self.read_closely(start..end, class);
        }
        let [above, _] = std::mem::take(&mut self.above);
        self.above = [start..end, above];
        self.class = class;
    }

    #[inline(never)]
    fn read_closely(&mut self, line: Range<usize>, class: u32) {
        if self.continues_hunk(&line) || self.begins_hunk(&line) {
            return;
        }
        if self.block.is_none() && !(class == self.class && self.begins(&line)) {
            return;
        }
        let next = self.block.as_ref();
        let next = next.and_then(|block| block.next_prefix(self.text, &line));
        match next.filter(|next| self.may_be(next)) {
            Some(prefix) => self.add(&prefix, line),
            None => self.pass_over(&line),
        }
    }

    /// Whether the line above begins a block that this one may continue.
    fn begins(&mut self, line: &Range<usize>) -> bool {
        let [first, above] = self.above.clone();
        let prefix = prefix::prefix(self.text, first.start, first.end);
        let Some(prefix) = prefix.filter(|prefix| self.may_be(prefix)) else {
            return false;
        };
        // Most remarks are prose.
        if prefix.form == Form::Comment && !self.are_telling(&prefix, line) {
            return false;
        }
        let block = Block::of(&prefix, above, self.frames.lines.len());
        self.block = Some(block);
        self.push(&prefix, first);
        true
    }

    /// Whether a line with a prefix and the next one look like configuration.
    fn are_telling(&self, prefix: &Prefix, below: &Range<usize>) -> bool {
        let width = prefix.end - self.above[0].start;
        let lines = [
            prefix.end..self.above[0].end,
            below.start + width..below.end,
        ];
        let is_telling =
            |line: &Range<usize>| block::is_telling(bytes::slice(self.text, line.start, line.end));
        lines.iter().all(is_telling)
    }

    fn may_be(&self, prefix: &Prefix) -> bool {
        self.may_change || prefix.form != Form::Change
    }

    /// Adds a line to the block that it continues, or ends that: the next one begins another together with this one.
    fn add(&mut self, prefix: &Prefix, line: Range<usize>) {
        let goes_on = |block: &Block| block.goes_on(self.text, prefix);
        if self.block.as_ref().is_some_and(goes_on) {
            self.push(prefix, line);
        } else {
            self.close();
        }
    }

    fn push(&mut self, prefix: &Prefix, line: Range<usize>) {
        if let Some(block) = &mut self.block {
            self.frames.lines.push(block.add(self.text, prefix, line));
            block.message.extend(prefix.message());
        }
    }

    /// Passes over a line without the prefix of a block.
    fn pass_over(&mut self, line: &Range<usize>) {
        let Some(block) = &mut self.block else {
            return;
        };
        if let Some(framed) = block.add_bare(self.text, line) {
            self.frames.lines.push(framed);
        } else if !block.outlasts_other() {
            self.close();
        }
    }

    fn begins_hunk(&mut self, line: &Range<usize>) -> bool {
        let head = bytes::slice(self.text, line.start, line.end);
        let first = self.frames.lines.len() + 1;
        let Some(hunk) = Hunk::headed(head, first).filter(|_| self.may_change) else {
            return false;
        };
        self.close();
        self.frames.message.push(line.clone());
        self.frames.lines.push(Framed {
            line: line.clone(),
            content: line.end..line.end,
            side: Side::Both,
        });
        self.hunk = Some(hunk);
        true
    }

    fn continues_hunk(&mut self, line: &Range<usize>) -> bool {
        let Some(hunk) = &mut self.hunk else {
            return false;
        };
        let next = hunk.next(self.text, line.start, line.end);
        let continues = next.is_some();
        self.frames.lines.extend(next);
        if !continues {
            self.close();
        }
        continues
    }

    /// Ends a block or a hunk, and forgets what was framed in a block unless its lines confirm each other.
    fn close(&mut self) {
        if let Some(hunk) = self.hunk.take() {
            self.nest(hunk.first, Some(0));
        }
        let Some(block) = self.block.take() else {
            return;
        };
        let lines = self.frames.lines.get(block.first..).unwrap_or_default();
        if !block.is_framing(lines) {
            self.frames.lines.truncate(block.first);
            return;
        }
        self.frames.is_doubtful |= block.is_in_doubt(self.text);
        let lead = (block.form == Form::Change).then_some(LEAD);
        self.frames.message.extend(block.message);
        self.nest(block.first, lead);
    }

    /// Searches for frames within the lines from `first` on, which belong to a change with this
    /// many lines above it.
    fn nest(&mut self, first: usize, lead: Option<usize>) {
        let lines = self.frames.lines.get(first..).unwrap_or_default();
        let takes_out = lines.iter().any(|line| line.side == Side::Before);
        if let [head, ..] = lines
            && let Some(last) = lines.last()
            && let Some(lead) = lead.filter(|_| takes_out)
        {
            self.frames.changes.push(Change {
                lines: head.line.start..last.line.end,
                lead,
            });
        }
        let Some(depth) = self.depth.checked_sub(1) else {
            return;
        };
        let mut inner = Sweep::new(self.text, depth, self.may_change && !takes_out);
        for line in lines {
            inner.scan(line.content.start, line.content.end);
        }
        let inner = inner.finish();
        self.frames.nest(first, inner);
    }

    fn finish(mut self) -> Frames {
        self.close();
        self.frames
    }
}
