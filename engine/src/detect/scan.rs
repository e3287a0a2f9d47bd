//! One pass over a text that finds the places where something may begin.

use super::grams::{Grams, gram};
use super::pass::Pass;
use super::{email, ipv6, look_at, number};

/// Bytes looked at together.
const STEP: usize = 16;
/// A step and what follows: enough for the grams that begin in it, and to see whether a number goes on.
const WINDOW: usize = STEP + WORD;
const WORD: usize = size_of::<u64>();
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Looks at every place of the text where something may begin.
pub(super) fn scan(pass: &mut Pass<'_, '_>, grams: &Grams) {
    let text = pass.text;
    let mut state = State::new(text);
    let mut padded = [0; WINDOW];
    let mut index = 0;
    while index < text.len() {
        let rest = text.get(index..).unwrap_or_default();
        let window = rest.first_chunk().unwrap_or_else(|| {
            // Zeros stand beyond the end.
            padded = [0; WINDOW];
            for (to, from) in padded.iter_mut().zip(rest) {
                *to = *from;
            }
            &padded
        });
        state.step(window, index, grams, pass);
        index += STEP;
    }
}

struct State<'t> {
    /// The places of `@` that are ahead.
    signs: memchr::Memchr<'t>,
    next_sign: usize,
    /// Bit 0 is set when the byte before the step is a digit.
    digit_before: u32,
    /// Colons of the five bytes before the step, lowest bit first.
    colons_before: u32,
}

impl<'t> State<'t> {
    fn new(text: &'t [u8]) -> Self {
        let mut signs = memchr::memchr_iter(b'@', text);
        Self {
            next_sign: signs.next().unwrap_or(usize::MAX),
            signs,
            digit_before: 0,
            colons_before: 0,
        }
    }

    #[inline]
    fn step(
        &mut self,
        window: &[u8; WINDOW],
        index: usize,
        grams: &Grams,
        pass: &mut Pass<'_, '_>,
    ) {
        // Written out, as the compiler does not unroll a loop over them.
        gram_at::<0>(window, index, grams, pass);
        gram_at::<2>(window, index, grams, pass);
        gram_at::<4>(window, index, grams, pass);
        gram_at::<6>(window, index, grams, pass);
        gram_at::<8>(window, index, grams, pass);
        gram_at::<10>(window, index, grams, pass);
        gram_at::<12>(window, index, grams, pass);
        gram_at::<14>(window, index, grams, pass);
        while self.next_sign < index + STEP {
            email::look(pass, self.next_sign, 1);
            self.next_sign = self.signs.next().unwrap_or(usize::MAX);
        }
        let (words, _) = window.as_chunks();
        let &[first, second, next] = words else {
            return;
        };
        let words = [first, second, next].map(u64::from_le_bytes);
        let [first, second, _] = words;
        if below(first, COLON + 1) | below(second, COLON + 1) == 0 {
            self.digit_before = 0;
            self.colons_before = 0;
        } else {
            self.numbers(words, index, pass);
            self.colons(words, index, pass);
        }
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
        let [first, second, _] =
            words.map(|word| compress(below(word, COLON + 1) & !below(word, COLON)));
        let marks = first | second << 8;
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

/// Looks at the literals around the gram at an offset of a window.
#[inline]
fn gram_at<const OFFSET: usize>(
    window: &[u8; WINDOW],
    index: usize,
    grams: &Grams,
    pass: &mut Pass<'_, '_>,
) {
    let gram = gram([
        window[OFFSET],
        window[OFFSET + 1],
        window[OFFSET + 2],
        window[OFFSET + 3],
    ]);
    if grams.may_hold(gram) {
        look_at_gram(grams, gram, pass, index + OFFSET);
    }
}

#[cold]
#[inline(never)]
fn look_at_gram(grams: &Grams, gram: u32, pass: &mut Pass<'_, '_>, at: usize) {
    if grams.likely_holds(gram) {
        look_around(grams, gram, pass, at);
    }
}

#[inline(never)]
fn look_around(grams: &Grams, gram: u32, pass: &mut Pass<'_, '_>, at: usize) {
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
    let distance = word ^ (ONES * 0x30);
    let carried = (distance & !HIGHS) + ONES * (0x80 - count);
    !(carried | distance) & HIGHS
}

/// The high bits of eight bytes as eight bits.
#[inline]
const fn compress(marks: u64) -> u32 {
    ((marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}
