//! Classifies the line of a word: prose, a list, a table, code.

use super::token::is_space;
use crate::detect::bytes;
use std::ops::Range;

/// The longest part of a line that is examined as one, in bytes.
const LONGEST: usize = 256;

/// A stretch of a line, and how it is written, in a few classes each.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    span: Range<usize>,
    /// How many signs of code there are for its letters, 0 to 4.
    pub(super) code: u64,
    /// How many words it has, 0 to 4.
    pub(super) words: u64,
    /// How many of them begin with a capital, 0 to 3.
    pub(super) capitals: u64,
    /// What it begins with: the indentation, the first sign.
    pub(super) first: u64,
    /// What it ends with.
    pub(super) last: u64,
    /// The signs of code in the line before.
    pub(super) above: u64,
}

impl Line {
    /// The line of the place `at`; `last` is the line that was asked for before, which is at or before it.
    pub(super) fn of(text: &[u8], at: usize, last: &Self) -> Self {
        let from = last.span.end.min(at);
        let lead = bytes::slice(text, from, at);
        let start = memchr::memrchr(b'\n', lead).map_or(from, |index| from + index + 1);
        // A long line is cut where it was cut before, or now.
        let start = start + (at - start) / LONGEST * LONGEST;
        let rest = bytes::slice(text, start, start + LONGEST);
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |index| index + 1);
        let written = bytes::slice(rest, 0, length);
        let mut line = Self::read(written);
        line.span = start..start + length;
        line.above = if last.span.end == start {
            last.code
        } else {
            above(text, start)
        };
        line
    }

    pub(super) const fn has(&self, at: usize) -> bool {
        self.span.start <= at && at < self.span.end
    }

    fn read(line: &[u8]) -> Self {
        let line = line.trim_ascii_end();
        let body = line.trim_ascii_start();
        let indent = line.len() - body.len();
        let Counts {
            signs,
            letters,
            words,
            capitals,
        } = Counts::of(body);
        Self {
            span: 0..0,
            code: share(signs, letters, [0, 3, 10, 25]),
            words: class(words, [1, 2, 4, 9]),
            capitals: share(capitals, words, [20, 50, 80, 100]),
            first: class(indent, [0, 3, 8, 20]) << 4 | kind(bytes::at(body, 0)),
            last: kind(bytes::before(body, body.len())),
            above: 0,
        }
    }
}

/// What a stretch of text has of each.
struct Counts {
    signs: usize,
    letters: usize,
    words: usize,
    capitals: usize,
}

impl Counts {
    /// Counts everything at once, in parts of one number. A stretch has no more than 256 of anything.
    fn of(text: &[u8]) -> Self {
        static ADDED: [u64; 2 * BYTES] = added();
        let mut counts = 0u64;
        let mut state = BEGINS;
        for &byte in text {
            let added = ADDED[state | usize::from(byte)];
            counts = counts.wrapping_add(added);
            state = (added >> STATE) as usize;
        }
        let count = |part: u32| {
            let count = counts >> (WIDTH * part) & ((1 << WIDTH) - 1);
            usize::try_from(count).unwrap_or_default()
        };
        Self {
            signs: count(SIGNS),
            letters: count(LETTERS),
            words: count(WORDS),
            capitals: count(CAPITALS),
        }
    }
}

/// The parts of the number that counts, and the bits of each.
const SIGNS: u32 = 0;
const LETTERS: u32 = 1;
const WORDS: u32 = 2;
const CAPITALS: u32 = 3;
const WIDTH: u32 = 10;

const BYTES: usize = 1 << u8::BITS;
/// The state of a byte that may begin a word: the second half of what bytes add.
const BEGINS: usize = BYTES;
/// Where the state behind a byte is in what it adds; it is the highest bit, which gets lost in the sum.
const STATE: u32 = u64::BITS - 1 - BYTES.trailing_zeros();

/// What each byte adds where it continues a word, and where it may begin one.
const fn added() -> [u64; 2 * BYTES] {
    let mut all = [0; 2 * BYTES];
    let mut byte = u8::MAX;
    loop {
        all[byte as usize] = added_by(byte, false);
        all[BEGINS | byte as usize] = added_by(byte, true);
        if byte == 0 {
            return all;
        }
        byte -= 1;
    }
}

const fn added_by(byte: u8, begins: bool) -> u64 {
    const fn one_if(is_so: bool, part: u32) -> u64 {
        (is_so as u64) << (WIDTH * part)
    }
    let is_letter = byte.is_ascii_alphabetic() || byte >= 0x80;
    let goes_on = is_letter || byte.is_ascii_digit();
    one_if(is_sign(byte), SIGNS)
        | one_if(is_letter, LETTERS)
        | one_if(is_letter && begins, WORDS)
        | one_if(byte.is_ascii_uppercase() && begins, CAPITALS)
        | (if goes_on { 0 } else { BEGINS as u64 }) << STATE
}

/// The signs of code in the line that ends right before `start`.
fn above(text: &[u8], start: usize) -> u64 {
    let Some(end) = start.checked_sub(1) else {
        return 7;
    };
    let lead = bytes::slice(text, end.saturating_sub(LONGEST), end);
    let begins = memchr::memrchr(b'\n', lead).map_or(0, |index| index + 1);
    Line::read(bytes::slice(lead, begins, lead.len())).code
}

const fn is_sign(byte: u8) -> bool {
    matches!(
        byte,
        b'{' | b'}'
            | b'['
            | b']'
            | b'('
            | b')'
            | b';'
            | b'='
            | b'<'
            | b'>'
            | b'_'
            | b'$'
            | b'\\'
            | b'|'
            | b'&'
            | b'*'
            | b'#'
            | b'@'
            | b'`'
            | b'"'
            | b'/'
            | b'%'
            | b'+'
    )
}

/// What sign a line begins or ends with.
const fn kind(byte: u8) -> u64 {
    match byte {
        b'A'..=b'Z' => 1,
        b'a'..=b'z' => 2,
        b'0'..=b'9' => 3,
        b'-' | b'*' => 4,
        b'#' => 5,
        b'/' => 6,
        b'"' | b'\'' => 7,
        b'.' | b'!' | b'?' => 8,
        b',' => 9,
        b';' | b'{' | b'}' => 10,
        b')' | b']' => 11,
        b':' => 12,
        b'<' | b'>' => 13,
        0x80.. => 14,
        byte if is_space(byte) => 0,
        _ => 15,
    }
}

fn share(some: usize, of: usize, bounds: [usize; 4]) -> u64 {
    class(some * 100 / of.max(1), bounds)
}

/// How many of the bounds a number is beyond.
fn class(number: usize, bounds: [usize; 4]) -> u64 {
    bounds.iter().map(|bound| u64::from(number > *bound)).sum()
}
