//! Searches for the few bytes with which an encoding or escape may begin.

use crate::base::bits;
use crate::detect::bytes;
use std::ops::Range;

/// Finds bytes of sets of three, from the beginning of a text to its end. Sets outside ASCII cost
/// nothing in ASCII texts.
pub(super) struct SetFinder<'t, const SETS: usize> {
    text: &'t [u8],
    sets: [[u8; 3]; SETS],
    /// The known position of the next byte of each set.
    next: [Option<usize>; SETS],
}

impl<'t, const SETS: usize> SetFinder<'t, SETS> {
    pub(super) fn new(text: &'t [u8], sets: [[u8; 3]; SETS]) -> Self {
        let is_ascii = text.is_ascii();
        let next = sets.map(|set: [u8; 3]| {
            let is_absent = is_ascii && !set.iter().any(u8::is_ascii);
            is_absent.then_some(usize::MAX)
        });
        Self { text, sets, next }
    }

    /// The position of the next such byte from `from` on, which never decreases.
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        let text = self.text;
        for (next, [first, second, third]) in self.next.iter_mut().zip(self.sets) {
            if next.is_none_or(|known| known < from) {
                let rest = bytes::slice(text, from, text.len());
                let found = memchr::memchr3(first, second, third, rest);
                *next = Some(found.map_or(usize::MAX, |index| from + index));
            }
        }
        let nearest = self.next.iter().flatten().min().copied();
        nearest.filter(|&index| index < text.len())
    }
}

/// Finds bytes of one set that any code has many of, from the beginning of a text to its end.
pub(super) struct Signs<'t, const COUNT: usize> {
    text: &'t [u8],
    set: [u8; COUNT],
    /// The last block that was examined, and a bit for each of its bytes that is in the set and not passed yet.
    block: Range<usize>,
    marks: u64,
}

impl<'t, const COUNT: usize> Signs<'t, COUNT> {
    pub(super) const fn new(text: &'t [u8], set: [u8; COUNT]) -> Self {
        Self {
            text,
            set,
            block: 0..0,
            marks: 0,
        }
    }

    /// The position of the next such byte from `from` on, which never decreases.
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        let set = self.set;
        loop {
            let passed = from.saturating_sub(self.block.start).min(bits::BLOCK - 1);
            let marks = self.marks & u64::MAX << passed;
            if marks != 0 && from < self.block.end {
                return Some(self.block.start + marks.trailing_zeros() as usize);
            }
            let start = self.block.end.max(from);
            let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
            let (marks, length) = bits::first_marks(rest, |byte| {
                // Without an early exit, so that many bytes are compared at once.
                let are = set.map(|one| u8::from(byte == one));
                are.iter().fold(0, |any, is| any | is) != 0
            });
            self.marks = marks;
            self.block = start..start + length;
        }
    }
}
