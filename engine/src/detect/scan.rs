//! One pass over a text that finds the places where something may begin.

use super::grams::{self, Grams};
use super::pass::Pass;
use super::{bytes, email, ipv6, look_at, number, repeats};
use std::ops::Range;

/// Bytes looked at together.
const STEP: usize = 32;
/// A step and what follows: enough to see whether a number goes on.
const WINDOW: usize = STEP + WORD;
const WORD: usize = size_of::<u64>();
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Looks at every place of the text where something may begin.
pub(super) fn scan(pass: &mut Pass<'_, '_>, grams: &Grams) {
    repeats::each_stretch(pass, &mut |pass, stretch| scan_grams(pass, grams, stretch));
    repeats::each_stretch(pass, &mut |pass, stretch| {
        for sign in memchr::memchr_iter(b'@', bytes::slice(pass.text, stretch.start, stretch.end)) {
            email::look(pass, stretch.start + sign, 1);
        }
    });
    repeats::each_stretch(pass, &mut |pass, stretch| scan_numbers(pass, stretch));
}

/// Looks at literals.
fn scan_grams(pass: &mut Pass<'_, '_>, grams: &Grams, stretch: Range<usize>) {
    let (text, Range { start, end }) = (pass.text, stretch);
    if end < text.len() {
        let whole = end - (end - start) % grams::STEP;
        // One more pair shows that a step is whole.
        look_at_pairs(pass, grams, pairs(text, start, whole + 2), start, 0);
        let last = pairs(text, whole, whole + grams::STEP + 2);
        look_at_pairs(pass, grams, last, whole, grams::STEP - (end - whole));
        return;
    }
    let all = pairs(text, start, end);
    look_at_pairs(pass, grams, all, start, 0);
    let seen = start + all.len().saturating_sub(1) / grams::AT_ONCE * grams::STEP;
    let mut padded = [0; 2 * grams::STEP + 2];
    let (rest, _) = window(text, seen, &mut padded).as_chunks();
    look_at_pairs(pass, grams, rest, seen, 0);
}

fn pairs(text: &[u8], start: usize, end: usize) -> &[[u8; 2]] {
    bytes::slice(text, start, end).as_chunks().0
}

/// Looks at the grams that begin with as many pairs as are looked at at once, and so on while one more follows; not at
/// those in so many bytes at the end of each.
#[inline(never)]
fn look_at_pairs(
    pass: &mut Pass<'_, '_>,
    grams: &Grams,
    pairs: &[[u8; 2]],
    start: usize,
    without: usize,
) {
    let Some(own) = u64::MAX.checked_shr(u32::try_from(4 * without).unwrap_or(u32::MAX)) else {
        return;
    };
    let mut at = start;
    for window in pairs.array_windows().step_by(grams::AT_ONCE) {
        let bits = grams.bits(window) & own;
        if bits != 0 {
            look_around(pass, grams, bits, at);
        }
        at += grams::STEP;
    }
}

/// Looks at digits and colons. Most steps hold neither.
#[inline(never)]
fn scan_numbers(pass: &mut Pass<'_, '_>, stretch: Range<usize>) {
    let text = pass.text;
    let mut state = State::before(text, stretch.start);
    let mut padded = [0; WINDOW];
    let (steps, rest) = bytes::slice(text, stretch.start, stretch.end).as_chunks::<STEP>();
    let mut index = stretch.start;
    for step in steps {
        if holds_digit_or_colon(step) {
            state.look(window(text, index, &mut padded), index, pass);
        } else {
            state.forget();
        }
        index += STEP;
    }
    if !rest.is_empty() {
        state.own = (1 << rest.len()) - 1;
        state.look(window(text, index, &mut padded), index, pass);
    }
}

/// Whether a digit or colon stands in a step: looked at all at once, so that none is passed over.
#[inline]
fn holds_digit_or_colon(step: &[u8; STEP]) -> bool {
    let is_one = |byte: u8| byte.wrapping_sub(b'0') <= b':' - b'0';
    step.iter().fold(false, |found, &byte| found | is_one(byte))
}

/// The bytes from `index` on. Zeros stand beyond the end.
#[inline]
fn window<'w, const LENGTH: usize>(
    text: &'w [u8],
    index: usize,
    padded: &'w mut [u8; LENGTH],
) -> &'w [u8; LENGTH] {
    let rest = text.get(index..).unwrap_or_default();
    rest.first_chunk().unwrap_or_else(|| {
        *padded = [0; LENGTH];
        for (to, from) in padded.iter_mut().zip(rest) {
            *to = *from;
        }
        padded
    })
}

/// What stands before a step.
struct State {
    /// Bit 0 is set when the byte before is a digit.
    digit_before: u64,
    /// Colons of the five bytes before, lowest bit first.
    colons_before: u64,
    /// The bytes of a step that are looked at, lowest bit first.
    own: u64,
}

impl State {
    fn before(text: &[u8], index: usize) -> Self {
        let colons = (1..=5).filter(|&back| index >= back && bytes::at(text, index - back) == b':');
        Self {
            digit_before: u64::from(bytes::before(text, index).is_ascii_digit()),
            colons_before: colons.fold(0, |marks, back| marks | 1 << (5 - back)),
            own: (1 << STEP) - 1,
        }
    }

    /// Neither digits nor colons stand in a step.
    const fn forget(&mut self) {
        (self.digit_before, self.colons_before) = (0, 0);
    }

    /// Looks at the step at `index`, with which a window begins.
    #[inline(never)]
    fn look(&mut self, window: &[u8; WINDOW], index: usize, pass: &mut Pass<'_, '_>) {
        let mut words = [0; WINDOW / WORD];
        for (word, bytes) in words.iter_mut().zip(window.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        self.numbers(&words, index, pass);
        self.colons(&words, index, pass);
    }

    /// Looks at the numbers that begin in a step. Most are short and alone: those are left out.
    #[inline]
    fn numbers(&mut self, words: &[u64; WINDOW / WORD], index: usize, pass: &mut Pass<'_, '_>) {
        let digits = bits(&words.map(|word| below(word, COLON)));
        let starts = digits & !(digits << 1 | self.digit_before) & self.own;
        self.digit_before = digits >> (STEP - 1) & 1;
        // More than three digits, or another number that begins near the end of one, two or three.
        let long = digits >> 1 & digits >> 2 & digits >> 3;
        let ends = digits << 1 & !digits;
        let near = ends & (digits >> 1 | digits >> 2 | digits >> 3 | digits >> 4);
        let mut looked_at = starts & (long | near >> 1 | near >> 2 | near >> 3);
        if words.iter().any(|word| word & HIGHS != 0) {
            looked_at = starts;
        }
        while looked_at != 0 {
            let offset = looked_at.trailing_zeros();
            looked_at &= looked_at - 1;
            let length = (digits >> offset).trailing_ones().min(LONG);
            number::look(pass, index + offset as usize, length as usize);
        }
    }

    /// Looks at colons that follow another within five bytes.
    #[inline]
    fn colons(&mut self, words: &[u64; WINDOW / WORD], index: usize, pass: &mut Pass<'_, '_>) {
        let [words @ .., _] = words;
        let colons = words.map(|word| below(word, COLON + 1) ^ below(word, COLON));
        if self.colons_before == 0 && colons == [0; STEP / WORD] {
            return;
        }
        let marks = bits(&colons);
        let bits = self.colons_before | marks << 5;
        let near = bits << 1 | bits << 2 | bits << 3 | bits << 4 | bits << 5;
        let mut paired = bits & near & self.own << 5;
        while paired != 0 {
            ipv6::look(pass, index + paired.trailing_zeros() as usize - 5);
            paired &= paired - 1;
        }
        self.colons_before = bits >> STEP & 0b1_1111;
    }
}

#[inline(never)]
fn look_around(pass: &mut Pass<'_, '_>, grams: &Grams, bits: u64, at: usize) {
    grams.verify(pass.text, at, bits, |anchor, start| {
        look_at(pass, anchor, start);
    });
}

/// As many digits of a number as are seen wherever in a step it begins.
const LONG: u32 = 8;
/// How far behind `0` the byte `:` comes, right behind `9`.
const COLON: u64 = 10;

/// The high bit of every byte from `0` on, as far as `count` (at most 128) bytes.
#[inline]
const fn below(word: u64, count: u64) -> u64 {
    !beyond(word, count) & HIGHS
}

/// The high bit of every other byte, among bits that mean nothing.
#[inline]
const fn beyond(word: u64, count: u64) -> u64 {
    let distance = word ^ (ONES * 0x30);
    let carried = (distance & !HIGHS) + ONES * (0x80 - count);
    carried | distance
}

/// The bytes of words that are marked by their high bits, lowest bit first.
#[inline]
fn bits(marks: &[u64]) -> u64 {
    let marks = marks.iter().rev();
    marks.fold(0, |bits, marks| bits << WORD | compress(*marks))
}

/// The high bits of eight bytes as eight bits.
#[inline]
const fn compress(marks: u64) -> u64 {
    (marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
