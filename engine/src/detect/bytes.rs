//! Looking at the bytes around a place in a text.

use std::sync::LazyLock;

/// As many bytes as entropy is computed of.
const MAX_COUNT: usize = 255;

/// Counts times their binary logarithms.
static LOGS: LazyLock<[f64; MAX_COUNT + 1]> = LazyLock::new(|| {
    std::array::from_fn(|count| {
        let count = f64::from(u8::try_from(count).unwrap_or(u8::MAX));
        count * count.max(1.0).log2()
    })
});

/// The byte at `index`, or 0 beyond the end.
pub(super) fn at(text: &[u8], index: usize) -> u8 {
    text.get(index).copied().unwrap_or(0)
}

/// The byte before `index`, or 0 at the start.
pub(super) fn before(text: &[u8], index: usize) -> u8 {
    index.checked_sub(1).map_or(0, |index| at(text, index))
}

/// A range of the text, empty when it is out of bounds.
pub(super) fn slice(text: &[u8], start: usize, end: usize) -> &[u8] {
    text.get(start..end).unwrap_or_default()
}

/// An ASCII letter, digit or underscore.
#[inline]
pub(super) const fn is_word(byte: u8) -> bool {
    IS_WORD[byte as usize]
}

const IS_WORD: [bool; 256] = {
    let mut is_word = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        is_word[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    is_word
};

/// Whether `word` (lower case) stands at `index`, in any case.
#[inline]
pub(super) fn begins(text: &[u8], index: usize, word: &[u8]) -> bool {
    let first = word.first().copied().unwrap_or(0);
    at(text, index).to_ascii_lowercase() == first
        && slice(text, index, index + word.len()).eq_ignore_ascii_case(word)
}

/// Whether a few bytes stand anywhere in a short text: quicker there than a search that is prepared.
pub(super) fn holds(text: &[u8], few: &[u8]) -> bool {
    let first = few.first().copied().unwrap_or(0);
    memchr::memchr_iter(first, text).any(|index| slice(text, index, index + few.len()) == few)
}

/// Length of the run of bytes that satisfy `belongs`, from `start`, at most `limit`.
pub(super) fn run(text: &[u8], start: usize, limit: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let window = slice(text, start, text.len().min(start.saturating_add(limit)));
    window
        .iter()
        .position(|&byte| !belongs(byte))
        .unwrap_or(window.len())
}

/// Length of the run of bytes that satisfy `belongs` and end before `end`, at most `limit`.
pub(super) fn run_back(
    text: &[u8],
    end: usize,
    limit: usize,
    belongs: impl Fn(u8) -> bool,
) -> usize {
    let window = slice(text, end.saturating_sub(limit), end);
    window
        .iter()
        .rev()
        .position(|&byte| !belongs(byte))
        .unwrap_or(window.len())
}

/// How far back from `end` the line goes, at most `limit`.
pub(super) fn line_back(text: &[u8], end: usize, limit: usize) -> usize {
    let window = slice(text, end.saturating_sub(limit), end);
    memchr::memrchr(b'\n', window).map_or(window.len(), |index| window.len() - index - 1)
}

/// Whether a word may begin at `start`: no letter or digit stands before it, or only one that belongs
/// to an escape (`\n`, `\u003d`, `%3D`).
pub(super) fn begins_word(text: &[u8], start: usize) -> bool {
    !before(text, start).is_ascii_alphanumeric() || follows_escape(text, start)
}

/// Whether the bytes just before `start` are an escape sequence that ends in a letter or digit.
pub(super) fn follows_escape(text: &[u8], start: usize) -> bool {
    match slice(text, start.saturating_sub(6), start) {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f' | b'v' | b'0'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [b'\\', b'u', digits @ ..] => digits.iter().all(u8::is_ascii_hexdigit),
        _ => false,
    }
}

/// A set of bytes that words may begin with, in either case.
pub(super) struct Firsts([u64; 4]);

impl Firsts {
    /// The first bytes of words in lower case.
    pub(super) const fn of(words: &[&str]) -> Self {
        let mut firsts = [0; 4];
        let mut rest = words;
        while let [word, others @ ..] = rest {
            if let [first, ..] = word.as_bytes() {
                let upper = first.to_ascii_uppercase();
                firsts[(*first >> 6) as usize] |= 1 << (*first & 63);
                firsts[(upper >> 6) as usize] |= 1 << (upper & 63);
            }
            rest = others;
        }
        Self(firsts)
    }

    #[inline]
    pub(super) const fn hold(&self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 == 1
    }
}

/// Whether one of `words` (lower case) stands anywhere in a text, in any case.
pub(super) fn holds_word(text: &[u8], words: &[&str], firsts: &Firsts) -> bool {
    text.iter().enumerate().any(|(index, &byte)| {
        firsts.hold(byte)
            && words
                .iter()
                .any(|word| begins(text, index, word.as_bytes()))
    })
}

/// Shannon entropy in tenths of a bit a byte; of a value's first 255 bytes where it is longer.
pub(super) fn entropy(value: &[u8]) -> u8 {
    let value = slice(value, 0, value.len().min(MAX_COUNT));
    let logs = &*LOGS;
    let log = |count: u8| logs.get(usize::from(count)).copied().unwrap_or_default();
    let mut counts = [0u8; 256];
    // The sum of each byte's count times the count's logarithm.
    let mut sum = 0.0;
    for &byte in value {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            sum -= log(*count);
            *count += 1;
            sum += log(*count);
        }
    }
    let total = u8::try_from(value.len()).unwrap_or(u8::MAX).max(1);
    // Sums of rounded logarithms may fall just short of a whole number.
    let bits = (log(total) - sum) / f64::from(total) + 1e-9;
    // At most 80, as a byte holds 8 bits.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 80"
    )]
    let tenths = (bits * 10.0) as u8;
    tenths
}
