//! Searches for the few bytes with which an encoding or escape may begin.

use crate::detect::bytes;

/// Finds bytes of sets of three, from the beginning of a text to its end. Sets outside ASCII cost
/// nothing in ASCII texts.
pub(super) struct Seek<'t, const SETS: usize> {
    text: &'t [u8],
    sets: [[u8; 3]; SETS],
    /// The known position of the next byte of each set.
    next: [Option<usize>; SETS],
}

impl<'t, const SETS: usize> Seek<'t, SETS> {
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
