//! One pass over a text that finds the places where something may begin.

use super::grams::{self, Grams};
use super::pass::Pass;
use super::{email, ipv6, look_at, number};

/// Bytes looked at together for digits and colons.
const STEP: usize = 16;
/// A step and what follows: enough to see whether a number goes on.
const WINDOW: usize = STEP + WORD;
const WORD: usize = size_of::<u64>();
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Looks at every place of the text where something may begin.
pub(super) fn scan(pass: &mut Pass<'_, '_>, grams: &Grams) {
    scan_grams(pass, grams);
    for sign in memchr::memchr_iter(b'@', pass.text) {
        email::look(pass, sign, 1);
    }
    scan_numbers(pass);
}

/// Looks at literals.
fn scan_grams(pass: &mut Pass<'_, '_>, grams: &Grams) {
    let (words, _) = pass.text.as_chunks();
    look_at_words(pass, grams, words, 0);
    let last = words.len().saturating_sub(1) * WORD;
    let mut padded = [0; WINDOW];
    let (words, _) = window(pass.text, last, &mut padded).as_chunks();
    look_at_words(pass, grams, words, last);
}

/// Looks at the grams that begin in each word but the last.
#[inline(never)]
fn look_at_words(pass: &mut Pass<'_, '_>, grams: &Grams, words: &[[u8; WORD]], start: usize) {
    let mut at = start;
    for [word, next] in words.array_windows() {
        // Written out, as the compiler does not unroll a loop over them.
        let [first, second, third, fourth] = grams::grams(*word, *next);
        if grams.may_hold(first) {
            look_around(pass, grams, first, at);
        }
        if grams.may_hold(second) {
            look_around(pass, grams, second, at + 2);
        }
        if grams.may_hold(third) {
            look_around(pass, grams, third, at + 4);
        }
        if grams.may_hold(fourth) {
            look_around(pass, grams, fourth, at + 6);
        }
        at += WORD;
    }
}

/// Looks at digits and colons.
fn scan_numbers(pass: &mut Pass<'_, '_>) {
    let text = pass.text;
    let mut state = State::default();
    let (steps, _) = text.as_chunks::<STEP>();
    let mut index = 0;
    for steps in steps.array_windows::<2>() {
        let (words, _) = steps.as_flattened().as_chunks();
        state.step(words, index, pass);
        index += STEP;
    }
    let mut padded = [0; WINDOW];
    while index < text.len() {
        let (words, _) = window(text, index, &mut padded).as_chunks();
        state.step(words, index, pass);
        index += STEP;
    }
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
#[derive(Default)]
struct State {
    /// Bit 0 is set when the byte before is a digit.
    digit_before: u32,
    /// Colons of the five bytes before, lowest bit first.
    colons_before: u32,
}

impl State {
    /// Looks at the step of two words at `index`, which a third follows. Most hold neither digits nor colons.
    #[inline]
    fn step(&mut self, words: &[[u8; WORD]], index: usize, pass: &mut Pass<'_, '_>) {
        let &[first, second, next, ..] = words else {
            return;
        };
        let words = [first, second, next].map(u64::from_le_bytes);
        let [first, second, _] = words;
        if beyond(first, COLON + 1) & beyond(second, COLON + 1) & HIGHS == HIGHS {
            *self = Self::default();
        } else {
            self.look(words, index, pass);
        }
    }

    #[inline(never)]
    fn look(&mut self, words: [u64; 3], index: usize, pass: &mut Pass<'_, '_>) {
        self.numbers(words, index, pass);
        self.colons(words, index, pass);
    }

    /// Looks at the numbers that begin in a step. Most are short and alone: those are left out.
    #[inline]
    fn numbers(&mut self, words: [u64; 3], index: usize, pass: &mut Pass<'_, '_>) {
        let [first, second, next] = words.map(|word| compress(below(word, COLON)));
        let digits = first | second << 8 | next << 16;
        let beyond_ascii = words.iter().any(|word| word & HIGHS != 0);
        let mut starts = digits & !(digits << 1 | self.digit_before) & STEP_MASK;
        self.digit_before = digits >> (STEP - 1) & 1;
        while starts != 0 {
            let offset = starts.trailing_zeros();
            starts &= starts - 1;
            let ahead = digits >> offset;
            let length = ahead.trailing_ones();
            if length > 3 || ahead >> length & NEAR != 0 || beyond_ascii {
                number::look(pass, index + offset as usize);
            }
        }
    }

    /// Looks at colons that follow another within five bytes.
    #[inline]
    fn colons(&mut self, words: [u64; 3], index: usize, pass: &mut Pass<'_, '_>) {
        let [first, second, _] = words.map(|word| below(word, COLON + 1) ^ below(word, COLON));
        if first | second == 0 && self.colons_before == 0 {
            return;
        }
        let marks = compress(first) | compress(second) << 8;
        let bits = self.colons_before | marks << 5;
        let near = bits << 1 | bits << 2 | bits << 3 | bits << 4 | bits << 5;
        let mut paired = bits & near & STEP_MASK << 5;
        while paired != 0 {
            ipv6::look(pass, index + paired.trailing_zeros() as usize - 5);
            paired &= paired - 1;
        }
        self.colons_before = bits >> STEP;
    }
}

#[cold]
#[inline(never)]
fn look_around(pass: &mut Pass<'_, '_>, grams: &Grams, gram: u32, at: usize) {
    grams.verify(pass.text, at, gram, |anchor, start| {
        look_at(pass, anchor, start);
    });
}

const STEP_MASK: u32 = (1 << STEP) - 1;
/// Bytes after the end of a group of digits that the next one begins in, all of them ASCII.
const NEAR: u32 = 0b1_1111;
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

/// The high bits of eight bytes as eight bits.
#[inline]
const fn compress(marks: u64) -> u32 {
    ((marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}
