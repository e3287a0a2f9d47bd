//! One pass over a text that finds the places where something may begin.

use super::anchors::{Anchors, FOLD};

/// A place where a detector has to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A four-byte gram (folded) that a literal may hold.
    Gram(u32),
    /// `@`
    At,
    /// The first digit of a run.
    Digits,
    /// A colon that follows another within five bytes.
    Colons,
}

const STEP: usize = 8;
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Reports every place, in order of the blocks they stand in.
pub(super) fn scan(text: &[u8], anchors: &Anchors, mut report: impl FnMut(Place, usize)) {
    let mut state = State::default();
    let (blocks, _) = text.as_chunks::<STEP>();
    let mut index = 0;
    if let Some((&first, rest)) = blocks.split_first() {
        let mut current = u64::from_le_bytes(first);
        for &next in rest {
            let next = u64::from_le_bytes(next);
            state.block(current, next, index, anchors, &mut report);
            current = next;
            index += STEP;
        }
    }
    // The last whole block and the bytes after it, with zeros beyond the end.
    let tail = text.get(index..).unwrap_or_default();
    let mut padded = [0; 3 * STEP];
    for (to, from) in padded.iter_mut().zip(tail) {
        *to = *from;
    }
    let (blocks, _) = padded.as_chunks::<STEP>();
    for pair in blocks.windows(2) {
        if let [current, next] = *pair
            && index < text.len()
        {
            let (current, next) = (u64::from_le_bytes(current), u64::from_le_bytes(next));
            state.block(current, next, index, anchors, &mut report);
            index += STEP;
        }
    }
}

#[derive(Default)]
struct State {
    /// Bit 7 is set when the byte before the block is a digit.
    digit_before: u64,
    /// Colons of the five bytes before the block, lowest bit first.
    colons_before: u32,
}

impl State {
    #[inline]
    fn block(
        &mut self,
        current: u64,
        next: u64,
        index: usize,
        anchors: &Anchors,
        report: &mut impl FnMut(Place, usize),
    ) {
        let mut any = 0u8;
        let mut grams = [0u32; STEP];
        for (offset, gram) in (0u32..).zip(&mut grams) {
            let shifted = if offset == 0 {
                current
            } else {
                current >> (8 * offset) | next << (64 - 8 * offset)
            };
            #[expect(clippy::cast_possible_truncation, reason = "a gram is the low half")]
            let low = shifted as u32;
            *gram = low | FOLD;
        }
        for (offset, &gram) in grams.iter().enumerate() {
            any |= u8::from(anchors.may_hold(gram)) << offset;
        }
        if any != 0 {
            for (offset, &gram) in grams.iter().enumerate() {
                if any >> offset & 1 == 1 {
                    report(Place::Gram(gram), index + offset);
                }
            }
        }
        let ats = equal(current, b'@');
        each(ats, |offset| report(Place::At, index + offset));
        let digits = digits(current);
        let starts = digits & !(digits << 8 | self.digit_before);
        each(starts, |offset| report(Place::Digits, index + offset));
        self.digit_before = digits >> 56;
        self.colons(equal(current, b':'), index, report);
    }

    #[inline]
    fn colons(&mut self, marks: u64, index: usize, report: &mut impl FnMut(Place, usize)) {
        if marks == 0 {
            self.colons_before = 0;
            return;
        }
        let bits = self.colons_before | compress(marks) << 5;
        let near = bits << 1 | bits << 2 | bits << 3 | bits << 4 | bits << 5;
        let mut paired = bits & near & 0x1fe0;
        while paired != 0 {
            report(Place::Colons, index + paired.trailing_zeros() as usize - 5);
            paired &= paired - 1;
        }
        self.colons_before = bits >> 8;
    }
}

/// The high bit of every byte that equals `byte`.
#[inline]
fn equal(block: u64, byte: u8) -> u64 {
    let difference = block ^ (ONES * u64::from(byte));
    let low = !HIGHS;
    !(((difference & low) + low) | difference) & HIGHS
}

/// The high bit of every ASCII digit.
#[inline]
fn digits(block: u64) -> u64 {
    let difference = block ^ (ONES * 0x30);
    let carried = (difference & !HIGHS) + ONES * 0x76;
    !(carried | difference) & HIGHS
}

/// The high bits of eight bytes as eight bits.
#[inline]
fn compress(marks: u64) -> u32 {
    ((marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

#[inline]
fn each(mut marks: u64, mut report: impl FnMut(usize)) {
    while marks != 0 {
        report(marks.trailing_zeros() as usize / 8);
        marks &= marks - 1;
    }
}
