//! Helpers to read the bytes around a position.

use crate::base::bits::first_marks;
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
    const WORD: Set = Set::word();
    WORD.holds(byte)
}

/// Whether the quote at `quote` is a character of the value without quotes that begins at `start`: it stands between others,
/// and the line has opened no string that it could close.
pub(super) fn is_within_value(text: &[u8], start: usize, quote: usize) -> bool {
    /// How far back a string may open, in bytes.
    const REACH: usize = 512;
    let is_word = |byte: u8| byte.is_ascii_alphanumeric();
    let next = at(text, quote + 1);
    // `-b"…"` is an option and its value.
    let opens_option = at(text, start) == b'-' && quote == start + 2;
    let stands_between = |byte: u8| is_word(byte) || b"!@#%^*_~-".contains(&byte);
    let is_between = quote > start && stands_between(before(text, quote)) && stands_between(next);
    if !is_between || opens_option || is_prefix(slice(text, start, quote)) {
        return false;
    }
    let kind = at(text, quote);
    let line = start - line_back(text, start, REACH);
    let lead = slice(text, line, start);
    let opens = |at: &usize| {
        let (last, next) = (before(lead, *at), self::at(lead, *at + 1));
        last != b'\\' && (kind != b'\'' || !(is_word(last) && is_word(next)))
    };
    memchr::memchr_iter(kind, lead)
        .filter(opens)
        .count()
        .is_multiple_of(2)
}

/// Whether letters before a quote say what kind of string it opens: `rb"…"`.
fn is_prefix(letters: &[u8]) -> bool {
    #[rustfmt::skip]
    static PREFIXES: Words = Words::of(&["b", "e", "f", "l", "n", "r", "u", "x", "br", "fr", "rb", "rf", "u8"]);
    PREFIXES.hold(letters)
}

/// A set of bytes, which answers at once.
pub(super) struct Set([bool; 256]);

impl Set {
    /// ASCII letters, digits and the underscore.
    pub(super) const fn word() -> Self {
        let mut set = Self([false; 256]);
        let mut byte = 0u8;
        while byte < 128 {
            set.0[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
            byte += 1;
        }
        set
    }

    pub(super) const fn none() -> Self {
        Self([false; 256])
    }

    pub(super) const fn with(mut self, bytes: &[u8]) -> Self {
        let mut rest = bytes;
        while let [byte, others @ ..] = rest {
            self.0[*byte as usize] = true;
            rest = others;
        }
        self
    }

    /// With the bytes from `first` to `last`.
    pub(super) const fn with_all(mut self, first: u8, last: u8) -> Self {
        let mut byte = first as usize;
        while byte <= last as usize {
            self.0[byte] = true;
            byte += 1;
        }
        self
    }

    #[inline]
    pub(super) const fn holds(&self, byte: u8) -> bool {
        self.0[byte as usize]
    }
}

/// Whether the lower-case `word` is at `index`, in any case.
#[inline]
pub(super) fn begins(text: &[u8], index: usize, word: &[u8]) -> bool {
    let first = word.first().copied().unwrap_or(0);
    at(text, index).to_ascii_lowercase() == first
        && slice(text, index, index + word.len()).eq_ignore_ascii_case(word)
}

/// Whether a short text contains a few bytes: faster there than a prepared search.
pub(super) fn holds(text: &[u8], few: &[u8]) -> bool {
    let first = few.first().copied().unwrap_or(0);
    memchr::memchr_iter(first, text).any(|index| slice(text, index, index + few.len()) == few)
}

/// A text in lower case, written to `buffer`; empty when it has no room there.
pub(super) fn lowered<'b>(text: &[u8], buffer: &'b mut [u8]) -> &'b [u8] {
    let Some(buffer) = buffer.get_mut(..text.len()) else {
        return &[];
    };
    buffer.copy_from_slice(text);
    buffer.make_ascii_lowercase();
    buffer
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

/// The positions of the bytes that satisfy `belongs`, in order.
pub(super) fn places(text: &[u8], belongs: impl Fn(u8) -> bool) -> impl Iterator<Item = usize> {
    let (mut start, mut end, mut marks) = (0, 0, 0);
    std::iter::from_fn(move || {
        while marks == 0 {
            start = end;
            let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
            let (of_block, length) = first_marks(rest, &belongs);
            (marks, end) = (of_block, start + length);
        }
        let place = start + marks.trailing_zeros() as usize;
        marks &= marks - 1;
        Some(place)
    })
}

/// How far back from `end` the line goes, at most `limit`.
pub(super) fn line_back(text: &[u8], end: usize, limit: usize) -> usize {
    let window = slice(text, end.saturating_sub(limit), end);
    memchr::memrchr(b'\n', window).map_or(window.len(), |index| window.len() - index - 1)
}

/// The width of a sign outside ASCII that begins at `index` and is part of no word: a quotation mark, a dash, an arrow.
pub(super) fn wide_sign(text: &[u8], index: usize) -> Option<usize> {
    let window = slice(text, index, text.len().min(index + 4));
    let sign = window.utf8_chunks().next()?.valid().chars().next()?;
    (!sign.is_ascii() && !sign.is_alphanumeric()).then(|| sign.len_utf8())
}

/// Whether such a sign ends at `end`.
pub(super) fn ends_wide_sign(text: &[u8], end: usize) -> bool {
    (2..=4).any(|width| {
        end.checked_sub(width)
            .is_some_and(|start| wide_sign(text, start) == Some(width))
    })
}

/// Whether a word may begin at `start`: the byte before it is not a letter or digit, or belongs to
/// an escape (`\n`, `\u003d`, `%3D`).
pub(super) fn begins_word(text: &[u8], start: usize) -> bool {
    !before(text, start).is_ascii_alphanumeric() || follows_escape(text, start)
}

/// How many bytes from `at` on belong to a word that began earlier, so that none begins at them; at
/// most `limit`.
pub(super) fn rest_of_word(text: &[u8], at: usize, limit: usize) -> usize {
    let goes_on = |byte: u8| byte.is_ascii_alphanumeric();
    if run_back(text, at, LONGEST_ESCAPE, goes_on) < LONGEST_ESCAPE {
        return 0;
    }
    // Nor does one at what ends the word.
    limit.min(run(text, at, limit, goes_on) + 1)
}

/// Whether the bytes just before `start` are an escape sequence that ends in a letter or digit.
#[inline]
pub(super) fn follows_escape(text: &[u8], start: usize) -> bool {
    let back = |count| start.checked_sub(count).map_or(0, |index| at(text, index));
    (back(2) == b'\\' || back(3) == b'%' || back(6) == b'\\') && ends_escape(text, start)
}

/// Longest escape sequence, in bytes: `\u003d`.
const LONGEST_ESCAPE: usize = 6;

fn ends_escape(text: &[u8], start: usize) -> bool {
    match slice(text, start.saturating_sub(LONGEST_ESCAPE), start) {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f' | b'v' | b'0'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [b'\\', b'u', digits @ ..] => digits.iter().all(u8::is_ascii_hexdigit),
        _ => false,
    }
}

/// The quote that stands at `index` as HTML, URLs or scripts write it.
#[inline]
pub(super) fn encoded_quote(text: &[u8], index: usize) -> Option<&'static [u8]> {
    matches!(at(text, index), b'&' | b'%' | b'\\')
        .then(|| which_encoded_quote(text, index))
        .flatten()
}

fn which_encoded_quote(text: &[u8], index: usize) -> Option<&'static [u8]> {
    #[rustfmt::skip]
    const QUOTES: &[&[u8]] = &[b"&quot;", b"&#34;", b"&#39;", b"&#x27;", b"%22", b"%27", b"\\u0022"];
    let stands = |quote: &&&[u8]| slice(text, index, index + quote.len()) == **quote;
    QUOTES.iter().find(stands).copied()
}

/// A hash table of the words of a list, several times as large as the list.
pub(super) struct Places<const COUNT: usize>([u16; COUNT]);

impl<const COUNT: usize> Places<COUNT> {
    const EMPTY: u16 = u16::MAX;

    pub(super) const fn none() -> Self {
        Self([Self::EMPTY; COUNT])
    }

    /// Adds a lower-case word with its index in the list.
    pub(super) const fn with(mut self, word: &[u8], index: u16) -> Self {
        let mut place = Self::place(word);
        while self.0[place] != Self::EMPTY {
            place = (place + 1) % COUNT;
        }
        self.0[place] = index;
        self
    }

    /// The index that `is_it` accepts among those whose words may equal `word`, in any case.
    #[inline]
    pub(super) fn find(&self, word: &[u8], is_it: impl Fn(usize) -> bool) -> Option<usize> {
        let mut place = Self::place(word);
        while self.0[place] != Self::EMPTY {
            let index = usize::from(self.0[place]);
            if is_it(index) {
                return Some(index);
            }
            place = (place + 1) % COUNT;
        }
        None
    }

    /// The same for letters of either case.
    #[inline]
    const fn place(word: &[u8]) -> usize {
        let [first, rest @ ..] = word else {
            return 0;
        };
        let (second, last) = match rest {
            [second, .., last] => (*second, *last),
            [second] => (*second, 0),
            [] => (0, 0),
        };
        let middle = word[word.len() / 2];
        let key = (*first & 31) as usize
            | ((second & 31) as usize) << 5
            | ((last & 31) as usize) << 10
            | ((middle & 31) as usize) << 15
            | (word.len() & 31) << 20;
        (key.wrapping_mul(0x9E37_79B1) >> 16) % COUNT
    }
}

/// Words in lower case that texts are compared with.
pub(super) struct Words {
    all: &'static [&'static str],
    places: Places<256>,
}

impl Words {
    pub(super) const fn of(all: &'static [&'static str]) -> Self {
        let mut places = Places::none();
        let mut index = 0;
        while (index as usize) < all.len() {
            places = places.with(all[index as usize].as_bytes(), index);
            index += 1;
        }
        Self { all, places }
    }

    pub(super) const fn all(&self) -> &[&'static str] {
        self.all
    }

    /// Whether a text is one of the words, in any case.
    pub(super) fn hold(&self, text: &[u8]) -> bool {
        let is = |word: &&str| word.as_bytes().eq_ignore_ascii_case(text);
        self.places
            .find(text, |index| self.all.get(index).is_some_and(is))
            .is_some()
    }
}

/// Words in lower case by what they begin with: the low five bits of each byte, the same for either case.
pub(super) struct WordInitials {
    words: &'static [&'static str],
    /// For the first byte, the possible second bytes as bits. A one-byte word allows any.
    pairs: [u32; 32],
    /// For the first byte, the position of the first such word in `words`, counted from one; 0 is
    /// none.
    first: [u8; 32],
    /// For each word, the place of the next one that begins with the same byte.
    next: [u8; MOST_WORDS],
}

/// Most words of a list.
const MOST_WORDS: usize = 192;

impl WordInitials {
    pub(super) const fn of(words: &'static [&'static str]) -> Self {
        let mut beginnings = Self {
            words,
            pairs: [0; 32],
            first: [0; 32],
            next: [0; MOST_WORDS],
        };
        let mut place = words.len();
        while place > 0 {
            let word = words[place - 1].as_bytes();
            let bits = (word[0] & 31) as usize;
            beginnings.pairs[bits] |= match word {
                [_, second, ..] => 1 << (*second & 31),
                _ => u32::MAX,
            };
            beginnings.next[place - 1] = beginnings.first[bits];
            beginnings.first[bits] = place.to_le_bytes()[0];
            place -= 1;
        }
        beginnings
    }

    pub(super) const fn words(&self) -> &'static [&'static str] {
        self.words
    }

    /// Whether one of the words may begin with two bytes.
    #[inline]
    pub(super) const fn hold(&self, first: u8, second: u8) -> bool {
        self.pairs[(first & 31) as usize] >> (second & 31) & 1 == 1
    }

    /// The words at `index`, in any case.
    pub(super) fn at(&self, text: &[u8], index: usize) -> impl Iterator<Item = &'static str> {
        let first = at(text, index);
        let mut place = if self.hold(first, at(text, index + 1)) {
            self.first[usize::from(first & 31)]
        } else {
            0
        };
        let may_stand = std::iter::from_fn(move || {
            let index = usize::from(place).checked_sub(1)?;
            place = self.next.get(index).copied()?;
            self.words.get(index).copied()
        });
        may_stand.filter(move |word| begins(text, index, word.as_bytes()))
    }

    /// Whether a text contains one of the words, in any case, at a position that `admits` accepts.
    pub(super) fn stand_in(&self, text: &[u8], admits: impl Fn(usize) -> bool) -> bool {
        text.array_windows()
            .enumerate()
            .any(|(index, &[first, second])| {
                self.hold(first, second) && admits(index) && self.at(text, index).next().is_some()
            })
    }
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
