//! Finds bytes that are likely near.
//!
//! Names are short, and code and logs have an escape every few dozen bytes. There a vectorised search costs more to begin
//! than it saves, so blocks are examined here, each of them once, however many of the bytes it holds.

use memchr::{memchr, memchr2};

use crate::base::bits::first_marks;

/// How many blocks are examined before the rest is searched.
const NEAR: usize = 2;

/// Finds a few bytes in a text, one after the other.
pub(super) struct InOrderFinder<'b, const N: usize> {
    bytes: &'b [u8],
    sought: [u8; N],
    /// Where the block begins and ends that was examined last.
    start: usize,
    end: usize,
    /// A bit for each byte of the block that is sought.
    marks: u64,
}

impl<'b, const N: usize> InOrderFinder<'b, N> {
    pub(super) const fn new(bytes: &'b [u8], sought: [u8; N]) -> Self {
        Self {
            bytes,
            sought,
            start: 0,
            end: 0,
            marks: 0,
        }
    }

    /// The first such byte from a place on.
    #[inline]
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        let mut from = from;
        for _ in 0..=NEAR {
            if !(self.start..self.end).contains(&from) {
                self.examine(from)?;
            }
            let marks = self.marks >> (from - self.start);
            if marks != 0 {
                return Some(from + marks.trailing_zeros() as usize);
            }
            from = self.end;
        }
        let rest = self.bytes.get(from..)?;
        let found = match self.sought.as_slice() {
            [one] => memchr(*one, rest),
            [one, other] => memchr2(*one, *other, rest),
            more => rest.iter().position(|byte| more.contains(byte)),
        };
        Some(from + found?)
    }

    /// Examines the block that begins at a place; `None` at the end.
    fn examine(&mut self, from: usize) -> Option<()> {
        let rest = self.bytes.get(from..).filter(|rest| !rest.is_empty())?;
        let sought = self.sought;
        let is_sought = |byte: u8| {
            let is = |own: &u8| *own == byte;
            sought.iter().fold(false, |any, own| any | is(own))
        };
        let (marks, length) = first_marks(rest, is_sought);
        (self.start, self.end, self.marks) = (from, from + length, marks);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<const N: usize>(bytes: &[u8], sought: [u8; N]) -> Vec<usize> {
        let mut near = InOrderFinder::new(bytes, sought);
        let mut found = Vec::new();
        while let Some(at) = near.next(found.last().map_or(0, |last| last + 1)) {
            found.push(at);
        }
        found
    }

    #[test]
    fn bytes_are_found_at_every_position_among_any_bytes() {
        for filler in [b'x', 0, 0x5b, 0x5d, 0x21, 0x23, 0x80, 0xdc, 0xff] {
            for length in [
                0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 170, 193, 300,
            ] {
                let mut bytes = vec![filler; length];
                let mut places = Vec::new();
                assert_eq!(all(&bytes, [b'\\']), places);
                for at in (0..length).rev() {
                    bytes[at] = b'\\';
                    places.insert(0, at);
                    assert_eq!(
                        InOrderFinder::new(&bytes, [b'\\']).next(0),
                        Some(at),
                        "{length}"
                    );
                }
                assert_eq!(all(&bytes, [b'\\']), places);
                assert_eq!(all(&bytes, [b'"', b'\\']), places);
                bytes.fill(filler);
                for at in (0..length).step_by(7) {
                    bytes[at] = b'"';
                }
                let places: Vec<_> = (0..length).step_by(7).collect();
                assert_eq!(all(&bytes, [b'"', b'\\']), places, "{filler} {length}");
                assert!(all(&bytes, [b'\\']).is_empty());
            }
        }
    }

    #[test]
    fn a_search_may_begin_anywhere() {
        let bytes = [b"abc\\".repeat(40), b"x".repeat(200), b"\\".to_vec()].concat();
        let mut near = InOrderFinder::new(&bytes, [b'\\']);
        for from in (0..bytes.len()).chain([5, 0, 300]) {
            let expected = memchr(b'\\', &bytes[from..]).map(|at| from + at);
            assert_eq!(near.next(from), expected, "{from}");
        }
        assert_eq!(near.next(bytes.len()), None);
        assert_eq!(near.next(bytes.len() + 1), None);
    }
}
