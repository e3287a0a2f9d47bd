//! Finds literals by their four-byte grams (letters folded to one case), at every other position.
//!
//! A literal of five or more bytes is stored under two of its grams, so that one of them is always
//! at an even position. Shorter literals are stored with the bytes that may come next to them. Two
//! tables over hashed grams rule out nearly every position, and the hashes of eight positions are
//! computed at once.

use crate::detect::bytes;
use crate::detect::scan::anchor::Anchor;
use crate::detect::scan::rarity::{self, GRAM};

/// A literal to search for.
#[derive(Debug, Clone, Copy)]
pub(in crate::detect) struct Literal {
    /// Three bytes or more.
    pub(in crate::detect) text: &'static str,
    /// Whether letters of either case match; those of `text` are in lower case then.
    pub(in crate::detect) nocase: bool,
    /// The ASCII characters that can follow three bytes; with all of them, anything can. Longer ones are reported
    /// whatever follows.
    pub(in crate::detect) followers: u128,
    /// Whether it must not follow a letter or digit, unless that belongs to an escape.
    pub(in crate::detect) begins_word: bool,
    /// What it means.
    pub(in crate::detect) anchor: Anchor,
}

impl Literal {
    pub(in crate::detect) const fn exact(text: &'static str, anchor: Anchor) -> Self {
        Self {
            text,
            nocase: false,
            followers: u128::MAX,
            begins_word: false,
            anchor,
        }
    }

    pub(in crate::detect) const fn any_case(text: &'static str, anchor: Anchor) -> Self {
        Self {
            nocase: true,
            ..Self::exact(text, anchor)
        }
    }
}

/// Literals by their grams.
#[derive(Debug)]
pub(in crate::detect) struct Grams {
    filter: Filter,
    /// For each bucket, where its entries begin; one more for the end.
    buckets: Box<[u16]>,
    /// Sorted by the buckets of their keys.
    entries: Vec<Entry>,
}

const BUCKET_BITS: u32 = 14;
const BUCKETS: usize = 1 << BUCKET_BITS;

/// Makes one of letters of either case in four bytes at once; other bytes fall together too, 64 are left.
const FOLD: u8 = 0x5F;

/// The gram of four bytes.
const fn gram(bytes: [u8; GRAM]) -> u32 {
    u32::from_le_bytes(bytes) & u32::from_le_bytes([FOLD; GRAM])
}

/// How many grams are looked up at once.
pub(in crate::detect) const AT_ONCE: usize = 8;
/// Bytes that they begin in.
pub(in crate::detect) const STEP: usize = 2 * AT_ONCE;

/// The key of a literal: a whole gram, or its first three bytes, `Here` at an even position or
/// `After` one byte later.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Gram,
    Here,
    After,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Gram, Self::Here, Self::After];

    /// The key for a gram. A three-byte key has a fourth byte that no folded byte equals.
    const fn key(self, gram: u32) -> u32 {
        match self {
            Self::Gram => gram,
            Self::Here => gram & 0x00FF_FFFF | 0x20 << 24,
            Self::After => gram >> 8 | 0x80 << 24,
        }
    }

    /// A gram's bit in the filter: one of several, so that fewer grams share one.
    const fn bit(self, gram: u32) -> u8 {
        let hash = hash(gram);
        1 << match self {
            Self::Gram => hash % 3,
            Self::Here => 3 + hash % 3,
            Self::After => 6 + hash % 2,
        }
    }
}

/// For each of eight bytes of bits, the kinds that they mean: the lowest three bits, in the order
/// of [`Kind::ALL`].
const fn kinds_of(bits: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let gram = bits | bits >> 1 | bits >> 2;
    let here = bits >> 3 | bits >> 4 | bits >> 5;
    let after = bits >> 6 | bits >> 7;
    gram & ONES | (here & ONES) << 1 | (after & ONES) << 2
}

/// The surroundings of a gram: two bytes before it, and two after.
const AROUND: usize = GRAM + 4;
/// Bytes before the gram.
const AHEAD: usize = 2;

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The literal's part of the gram's surroundings, padded with zeros.
    around: u64,
    /// A mask of the required bits, without the case bits of letters if case does not matter.
    mask: u64,
    fold: u64,
    anchor: Anchor,
    /// How far the literal begins before the gram (after it where negative), in bytes.
    offset: i8,
    traits: Traits,
    text: &'static str,
}

/// What is true of an entry, a bit each: there are many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Traits(u8);

impl Traits {
    const NOCASE: u8 = 1;
    const BEGINS_WORD: u8 = 2;
    /// The literal extends farther.
    const GOES_ON: u8 = 4;

    const fn has(self, one: u8) -> bool {
        self.0 & one != 0
    }
}

/// There are fewer, so that they are not moved to find room.
const MOST_ENTRIES: usize = 1 << 14;

impl Grams {
    pub(in crate::detect) fn new(literals: impl Iterator<Item = Literal>) -> Self {
        let mut collected = Collected {
            entries: Vec::with_capacity(MOST_ENTRIES),
            ..Collected::default()
        };
        for literal in literals {
            collected.add(&literal);
        }
        collected.build()
    }

    /// The bits of the kinds of keys that the grams at the even places of a window may have: a byte each, nearly all of
    /// them zero.
    #[inline]
    pub(in crate::detect) fn bits(&self, pairs: &[[u8; 2]; AT_ONCE + 1]) -> u64 {
        self.filter.bits(pairs)
    }

    /// Reports every literal around a gram of the window at `at`, by the literal's start.
    #[inline]
    pub(in crate::detect) fn verify(
        &self,
        text: &[u8],
        at: usize,
        bits: u64,
        mut report: impl FnMut(Anchor, usize),
    ) {
        let mut kinds = kinds_of(bits);
        while kinds != 0 {
            let first = kinds.trailing_zeros() as usize;
            kinds &= kinds - 1;
            let Some(kind) = Kind::ALL.get(first % 8) else {
                continue;
            };
            let place = at + 2 * (first / 8);
            let around = around(text, place);
            for entry in self.bucket(kind.key(gram_of(around))) {
                if (around | entry.fold) & entry.mask == entry.around
                    && let Some(start) = entry.start_at(text, place)
                {
                    report(entry.anchor, start);
                }
            }
        }
    }

    #[inline]
    fn bucket(&self, key: u32) -> &[Entry] {
        let bucket = bucket(key);
        let start = self.buckets.get(bucket).copied().unwrap_or(0);
        let end = self.buckets.get(bucket + 1).copied().unwrap_or(0);
        self.entries
            .get(usize::from(start)..usize::from(end))
            .unwrap_or_default()
    }
}

/// Two tables of kind bits; only bits in both count.
#[derive(Debug)]
struct Filter {
    first: Box<[u8; PLACES]>,
    second: Box<[u8; PLACES]>,
}

const PLACES: usize = 1 << u16::BITS;

impl Default for Filter {
    #[expect(
        clippy::large_stack_arrays,
        reason = "64 KiB each, moved to the heap at once"
    )]
    fn default() -> Self {
        Self {
            first: Box::new([0; PLACES]),
            second: Box::new([0; PLACES]),
        }
    }
}

impl Filter {
    /// Lets a gram through for this kind of key.
    fn add(&mut self, gram: u32, kind: Kind) {
        let (low, high) = ((gram & 0xFFFF) as u16, (gram >> 16) as u16);
        let bit = kind.bit(gram);
        self.first[usize::from(first_place(low, high))] |= bit;
        self.second[usize::from(second_place(low, high))] |= bit;
    }

    #[inline]
    fn bits(&self, pairs: &[[u8; 2]; AT_ONCE + 1]) -> u64 {
        let low: [u16; AT_ONCE] = std::array::from_fn(|at| fold(pairs[at]));
        let high: [u16; AT_ONCE] = std::array::from_fn(|at| fold(pairs[at + 1]));
        let first: [u16; AT_ONCE] = std::array::from_fn(|at| first_place(low[at], high[at]));
        let second: [u16; AT_ONCE] = std::array::from_fn(|at| second_place(low[at], high[at]));
        let mut bits = 0;
        for at in (0..AT_ONCE).rev() {
            let both = self.first[usize::from(first[at])] & self.second[usize::from(second[at])];
            bits = bits << 8 | u64::from(both);
        }
        bits
    }
}

#[inline]
const fn fold(pair: [u8; 2]) -> u16 {
    u16::from_le_bytes(pair) & u16::from_le_bytes([FOLD; 2])
}

/// The position of a gram in the first table, by its halves: simple enough to compute several at
/// once.
#[inline]
const fn first_place(low: u16, high: u16) -> u16 {
    low.wrapping_mul(0x9E3B) ^ high
}

/// The position in the second: by its last three bytes, so that the grams of a key [`Kind::After`]
/// share one position, whatever precedes them.
#[inline]
const fn second_place(low: u16, high: u16) -> u16 {
    high.wrapping_mul(0xC7D5) ^ low >> 8
}

/// The surroundings of the gram at `at`, with zeros beyond the ends of the text.
#[inline]
fn around(text: &[u8], at: usize) -> u64 {
    let start = at.checked_sub(AHEAD);
    let whole = start.and_then(|start| text.get(start..)?.first_chunk());
    let bytes = whole.copied().unwrap_or_else(|| {
        let byte = |index: usize| text.get((at + index).checked_sub(AHEAD)?).copied();
        std::array::from_fn(|index| byte(index).unwrap_or(0))
    });
    u64::from_le_bytes(bytes)
}

/// The gram in its surroundings.
const fn gram_of(around: u64) -> u32 {
    let [_, _, first, second, third, fourth, ..] = around.to_le_bytes();
    gram([first, second, third, fourth])
}

impl Entry {
    fn new(offset: i8, literal: &Literal) -> Self {
        let text = literal.text.as_bytes();
        let first = AHEAD.cast_signed() - isize::from(offset);
        let skipped = usize::try_from(-first).unwrap_or(0);
        let ahead = usize::try_from(first).unwrap_or(0);
        let near = bytes::slice(text, skipped, text.len().min(skipped + AROUND - ahead));
        let mut around = [0; AROUND];
        let mut mask = [0; AROUND];
        let mut fold = [0; AROUND];
        for (index, byte) in (ahead..AROUND).zip(near) {
            around[index] = *byte;
            mask[index] = 0xFF;
            fold[index] = u8::from(literal.nocase && byte.is_ascii_alphabetic()) * 0x20;
        }
        let bit = |is: bool, one: u8| if is { one } else { 0 };
        let traits = bit(literal.nocase, Traits::NOCASE)
            | bit(literal.begins_word, Traits::BEGINS_WORD)
            | bit(near.len() < text.len(), Traits::GOES_ON);
        Self {
            around: u64::from_le_bytes(around),
            mask: u64::from_le_bytes(mask),
            fold: u64::from_le_bytes(fold),
            anchor: literal.anchor,
            offset,
            traits: Traits(traits),
            text: literal.text,
        }
    }

    /// Where the literal around the gram at `at` begins, as far as can be seen there.
    fn start_at(&self, text: &[u8], at: usize) -> Option<usize> {
        let start = at.checked_add_signed(-isize::from(self.offset))?;
        let begins_word = self.traits.has(Traits::BEGINS_WORD);
        let goes_on = self.traits.has(Traits::GOES_ON);
        let stands = (!begins_word || bytes::begins_word(text, start))
            && (!goes_on || self.stands_at(text, start));
        stands.then_some(start)
    }

    fn stands_at(&self, text: &[u8], start: usize) -> bool {
        let own = self.text.as_bytes();
        let found = bytes::slice(text, start, start + own.len());
        if self.traits.has(Traits::NOCASE) {
            found.eq_ignore_ascii_case(own)
        } else {
            found == own
        }
    }
}

/// Literals on their way into the table.
#[derive(Default)]
struct Collected {
    filter: Filter,
    /// Each with its key.
    entries: Vec<(u32, Entry)>,
}

impl Collected {
    fn add(&mut self, literal: &Literal) {
        match *literal.text.as_bytes() {
            [first, second, third] => self.add_three([first, second, third], literal),
            [first, second, third, fourth] => {
                self.add_four([first, second, third, fourth], literal);
            }
            ref text => self.add_long(text, literal),
        }
    }

    /// A literal of three bytes: with the next byte at an even position, with the previous byte at
    /// an odd one.
    fn add_three(&mut self, text: [u8; 3], literal: &Literal) {
        let [first, second, third] = text;
        let followed = literal
            .followers()
            .map(|next| gram([first, second, third, next]));
        self.file(Kind::Here, 0, followed, literal);
        self.file_after(text, literal);
    }

    /// A literal of four bytes: itself at an even position, its first three with the previous byte
    /// at an odd one.
    fn add_four(&mut self, text: [u8; 4], literal: &Literal) {
        let [first, second, third, _] = text;
        self.file(Kind::Gram, 0, std::iter::once(gram(text)), literal);
        self.file_after([first, second, third], literal);
    }

    fn file_after(&mut self, [first, second, third]: [u8; 3], literal: &Literal) {
        let preceded = literal
            .preceders()
            .map(|before| gram([before, first, second, third]));
        self.file(Kind::After, -1, preceded, literal);
    }

    /// A longer literal: one of its grams at an even position, and one at an odd position.
    fn add_long(&mut self, text: &[u8], literal: &Literal) {
        for offset in rarity::rarest(text) {
            if let Some(bytes) = text.array_windows().nth(offset.into()) {
                let gram = std::iter::once(gram(*bytes));
                self.file(Kind::Gram, offset.cast_signed(), gram, literal);
            }
        }
    }

    /// Files a literal under the key that all of these grams have.
    fn file(
        &mut self,
        kind: Kind,
        offset: i8,
        grams: impl Iterator<Item = u32>,
        literal: &Literal,
    ) {
        let mut key = None;
        for gram in grams {
            self.filter.add(gram, kind);
            key = Some(kind.key(gram));
        }
        let entry = key.map(|key| (key, Entry::new(offset, literal)));
        self.entries.extend(entry);
    }

    fn build(self) -> Grams {
        let mut buckets = vec![0u16; BUCKETS + 1].into_boxed_slice();
        for (key, _) in &self.entries {
            if let Some(count) = buckets.get_mut(bucket(*key) + 1) {
                *count = count.saturating_add(1);
            }
        }
        let mut sum = 0u16;
        for count in &mut buckets {
            sum = sum.saturating_add(*count);
            *count = sum;
        }
        Grams {
            entries: self.in_order(&buckets),
            filter: self.filter,
            buckets,
        }
    }

    /// The entries, those of each bucket from the place on where it begins.
    fn in_order(&self, begins: &[u16]) -> Vec<Entry> {
        let mut next = begins.to_vec();
        let mut order = vec![0; self.entries.len()];
        for (index, (key, _)) in self.entries.iter().enumerate() {
            let Some(place) = next.get_mut(bucket(*key)) else {
                continue;
            };
            if let Some(at) = order.get_mut(usize::from(*place)) {
                *at = index;
            }
            *place = place.saturating_add(1);
        }
        let entries = order.iter().filter_map(|index| self.entries.get(*index));
        let mut in_order = Vec::with_capacity(order.len());
        in_order.extend(entries.map(|(_, entry)| *entry));
        in_order
    }
}

impl Literal {
    /// The bytes that can follow, where everything can also those outside ASCII; each of them folded once. The end
    /// of a text counts as a space.
    fn followers(&self) -> impl Iterator<Item = u8> {
        folded(self.followers)
    }

    /// The bytes that can come before, each folded once. No character ends with a byte that begins
    /// others.
    fn preceders(&self) -> impl Iterator<Item = u8> {
        let ascii = if self.begins_word {
            BEFORE_WORDS
        } else {
            u128::MAX
        };
        folded(ascii | LAST_OF_CHARACTERS)
    }
}

/// The ASCII bytes that can come before a word: no letters and digits, but for those that an escape
/// (`\n`, `\u003d`, `%3D`) can end with.
const BEFORE_WORDS: u128 = {
    let mut set = 0;
    let mut byte = 0u8;
    while byte < 128 {
        let ends_escape = byte.is_ascii_hexdigit() || matches!(byte, b'n' | b'r' | b't' | b'v');
        if ends_escape || !byte.is_ascii_alphanumeric() {
            set |= 1 << byte;
        }
        byte += 1;
    }
    set
};

/// What the last bytes of characters outside ASCII, `0x80` to `0xBF`, fold to.
const LAST_OF_CHARACTERS: u128 = 0xFFFF_FFFF;

/// The folded forms of a set of ASCII bytes, in order.
fn folded(bytes: u128) -> impl Iterator<Item = u8> {
    const BOTH_CASES: u32 = (!FOLD & 0x7F) as u32;
    const FOLDED: u128 = 0xFFFF_FFFF << 64 | 0xFFFF_FFFF;
    let mut left = (bytes | bytes >> BOTH_CASES) & FOLDED;
    std::iter::from_fn(move || {
        let next = u8::try_from(left.trailing_zeros()).ok()?;
        left = left.checked_sub(1)? & left;
        Some(next)
    })
}

/// A well-mixed hash.
#[inline]
const fn hash(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BUCKET_BITS)
}

#[inline]
const fn bucket(key: u32) -> usize {
    hash(key) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const LITERALS: [Literal; 5] = [
        Literal::exact("abc", Anchor::Url),
        Literal::any_case("defg", Anchor::Pem),
        Literal::exact("hijkl", Anchor::Scheme),
        Literal::any_case("a longer one", Anchor::Port),
        Literal {
            followers: 1 << b'9',
            begins_word: true,
            ..Literal::exact("x_y", Anchor::Jwt)
        },
    ];

    fn found(grams: &Grams, text: &[u8]) -> Vec<(Anchor, usize)> {
        let mut found = Vec::new();
        for at in (0..text.len()).step_by(STEP) {
            let byte = |offset: usize| text.get(at + offset).copied().unwrap_or(0);
            let pairs = std::array::from_fn(|pair| [byte(2 * pair), byte(2 * pair + 1)]);
            grams.verify(text, at, grams.bits(&pairs), |anchor, start| {
                found.push((anchor, start));
            });
        }
        found
    }

    #[test]
    fn a_literal_is_found_once_at_any_position() {
        let grams = Grams::new(LITERALS.into_iter());
        for literal in LITERALS {
            for before in 0..2 * STEP {
                for after in 1..4 {
                    let text = [
                        ".".repeat(before).as_bytes(),
                        literal.text.as_bytes(),
                        &b"999"[..after],
                    ]
                    .concat();
                    assert_eq!(found(&grams, &text), [(literal.anchor, before)], "{text:?}");
                }
            }
        }
    }

    #[test]
    fn case_insensitive_literals_match_either_case() {
        let grams = Grams::new(LITERALS.into_iter());
        assert_eq!(found(&grams, b". DeFG "), [(Anchor::Pem, 2)]);
        assert_eq!(found(&grams, b".DEFG"), [(Anchor::Pem, 1)]);
        assert_eq!(found(&grams, b"ABC ABC  HIJKL"), []);
    }

    #[test]
    fn a_word_start_literal_is_found_after_an_escape() {
        let grams = Grams::new(LITERALS.into_iter());
        for text in ["\\nx_y9", ".\\nx_y9", "%3Dx_y9", ".%3Dx_y9"] {
            assert_eq!(found(&grams, text.as_bytes()).len(), 1, "{text}");
        }
    }

    #[test]
    fn literals_beside_each_other_are_all_found() {
        let grams = Grams::new(LITERALS.into_iter());
        let text = b".abcDEFG x_y9hijkl abcabc";
        let starts: Vec<_> = found(&grams, text).iter().map(|(_, at)| *at).collect();
        for at in [1, 4, 9, 13, 19, 22] {
            assert_eq!(
                starts.iter().filter(|start| **start == at).count(),
                1,
                "{starts:?}"
            );
        }
    }
}
