//! Finds literals by their four-byte grams (letters folded to one case), of which only every other place of a
//! text is looked at.
//!
//! A literal of five bytes or more is filed under two neighbouring grams, one of which stands at an even
//! place wherever the literal stands. Shorter ones are filed with the bytes that may stand around them. A
//! bitmap over hashed grams answers for nearly every place that nothing stands there.

use super::anchors::Anchor;
use super::bytes;
use super::rarity::{self, GRAM};

/// A text to look for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Literal {
    /// Three bytes or more.
    pub(super) text: &'static str,
    /// Whether letters of either case match; those of `text` are in lower case then.
    pub(super) nocase: bool,
    /// The ASCII characters that can follow; with all of them, anything can.
    pub(super) followers: u128,
    /// Whether no letter or digit stands before it, unless that belongs to an escape.
    pub(super) begins_word: bool,
    /// What stands there.
    pub(super) anchor: Anchor,
}

impl Literal {
    pub(super) const fn exact(text: &'static str, anchor: Anchor) -> Self {
        Self {
            text,
            nocase: false,
            followers: u128::MAX,
            begins_word: false,
            anchor,
        }
    }

    pub(super) const fn any_case(text: &'static str, anchor: Anchor) -> Self {
        Self {
            nocase: true,
            ..Self::exact(text, anchor)
        }
    }
}

/// Literals by their grams.
#[derive(Debug)]
pub(super) struct Grams {
    /// One bit for each value of [`hash`].
    filter: Filter,
    /// For each value of another hash, which kinds of keys grams of it have.
    kinds: Box<[u8; KINDS]>,
    /// For each bucket of hashes, where its entries begin; one more for the end.
    buckets: Box<[u16; BUCKETS + 1]>,
    /// Sorted by the hash of their keys.
    entries: Vec<Entry>,
}

const HASH_BITS: u32 = 18;
const FILTER_WORDS: usize = 1 << (HASH_BITS - 6);
/// Two values share a byte.
const KINDS: usize = 1 << (HASH_BITS - 1);
const BUCKET_BITS: u32 = 12;
const BUCKETS: usize = 1 << BUCKET_BITS;

/// Makes one of letters of either case in four bytes at once; other bytes fall together too, 64 are left.
const FOLD: u8 = 0x5F;

/// The gram at the start of four bytes.
#[inline]
pub(super) const fn gram(bytes: [u8; GRAM]) -> u32 {
    u32::from_le_bytes(bytes) & u32::from_le_bytes([FOLD; GRAM])
}

/// The grams at the even places of eight bytes, of which the last goes on in the `next` eight.
#[inline]
pub(super) const fn grams(word: [u8; 8], next: [u8; 8]) -> [u32; 4] {
    const FOLDS: u64 = u64::from_le_bytes([FOLD; 8]);
    let word = u64::from_le_bytes(word) & FOLDS;
    let next = u64::from_le_bytes(next) & FOLDS;
    [
        low_half(word),
        low_half(word >> 16),
        low_half(word >> 32),
        low_half(word >> 48 | next << 16),
    ]
}

const fn low_half(word: u64) -> u32 {
    (word & 0xFFFF_FFFF) as u32
}

/// Keys of three bytes carry their place beside the gram in the fourth, which no folded byte can be.
const HERE: u32 = 0x20 << 24;
const AFTER: u32 = 0x80 << 24;
const BEFORE: u32 = 0xA0 << 24;
const THREE: u32 = 0x00FF_FFFF;

/// The kind of a key as a bit: a whole gram, or what [`HERE`], [`AFTER`] and [`BEFORE`] mark, in this order.
const fn kind(key: u32) -> u8 {
    match key & BEFORE {
        BEFORE => 8,
        AFTER => 4,
        HERE => 2,
        _ => 1,
    }
}

#[derive(Debug)]
struct Entry {
    key: u32,
    /// How far the literal begins before the gram (after it where negative), in bytes.
    offset: i8,
    nocase: bool,
    begins_word: bool,
    text: &'static str,
    /// The first eight bytes of the text, zeros behind it, and the bit of each letter whose case does not count.
    head: u64,
    fold: u64,
    anchor: Anchor,
}

impl Grams {
    pub(super) fn new(literals: impl Iterator<Item = Literal>) -> Self {
        let mut collected = Collected::default();
        for literal in literals {
            collected.add(&literal);
        }
        collected.build()
    }

    /// Whether a gram may be that of a literal.
    #[inline]
    pub(super) fn may_hold(&self, gram: u32) -> bool {
        self.filter.holds(hash(gram)) && self.kinds(gram) != 0
    }

    /// The kinds of keys that a gram may have, seldom in vain.
    #[inline]
    fn kinds(&self, gram: u32) -> u8 {
        let hash = second_hash(gram);
        let both = self.kinds[hash >> 1 & (KINDS - 1)];
        both >> (4 * (hash & 1)) & 0xF
    }

    /// Reports every literal that stands around `gram`, found at the even place `at`, by its own start.
    #[inline]
    pub(super) fn verify(
        &self,
        text: &[u8],
        at: usize,
        gram: u32,
        mut report: impl FnMut(Anchor, usize),
    ) {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let keys = [
            gram,
            HERE | gram & THREE,
            AFTER | gram >> 8,
            BEFORE | gram << 8 & THREE | u32::from(before.map_or(0, |byte| byte & FOLD)),
        ];
        let mut kinds = self.kinds(gram);
        while let Some(key) = keys.get(kinds.trailing_zeros() as usize) {
            kinds &= kinds - 1;
            let entries = self.bucket(hash(*key));
            for entry in entries.iter().filter(|entry| entry.key == *key) {
                if let Some(start) = entry.start_at(text, at) {
                    report(entry.anchor, start);
                }
            }
        }
    }

    #[inline]
    fn bucket(&self, hash: usize) -> &[Entry] {
        let bucket = bucket(hash);
        let start = self.buckets.get(bucket).copied().unwrap_or(0);
        let end = self.buckets.get(bucket + 1).copied().unwrap_or(0);
        self.entries
            .get(usize::from(start)..usize::from(end))
            .unwrap_or_default()
    }
}

/// A set of hashes.
#[derive(Debug)]
struct Filter(Box<[u64; FILTER_WORDS]>);

impl Filter {
    fn new(hashes: impl Iterator<Item = usize>) -> Self {
        #[expect(
            clippy::large_stack_arrays,
            reason = "32 KiB, moved to the heap at once"
        )]
        let mut words = Box::new([0u64; FILTER_WORDS]);
        for hash in hashes {
            if let Some(word) = words.get_mut(hash >> 6) {
                *word |= 1u64 << (hash & 63);
            }
        }
        Self(words)
    }

    #[inline]
    fn holds(&self, hash: usize) -> bool {
        let word = self.0[hash >> 6 & (FILTER_WORDS - 1)];
        word >> (hash & 63) & 1 == 1
    }
}

impl Entry {
    fn new(key: u32, offset: i8, literal: &Literal) -> Self {
        let mut head = [0; HEAD];
        let mut fold = [0; HEAD];
        for ((head, fold), byte) in head.iter_mut().zip(&mut fold).zip(literal.text.bytes()) {
            *head = byte;
            *fold = if literal.nocase && byte.is_ascii_alphabetic() {
                0x20
            } else {
                0
            };
        }
        Self {
            key,
            offset,
            nocase: literal.nocase,
            begins_word: literal.begins_word,
            text: literal.text,
            head: u64::from_le_bytes(head),
            fold: u64::from_le_bytes(fold),
            anchor: literal.anchor,
        }
    }

    /// Where the literal begins, when it stands around the gram at `at`.
    #[inline]
    fn start_at(&self, text: &[u8], at: usize) -> Option<usize> {
        let start = at.checked_add_signed(-isize::from(self.offset))?;
        if self.begins_word && !bytes::begins_word(text, start) {
            return None;
        }
        let Some(head) = text.get(start..).and_then(<[u8]>::first_chunk) else {
            return self.stands_at(text, start).then_some(start);
        };
        let beyond = 8 * HEAD.saturating_sub(self.text.len());
        let head = (u64::from_le_bytes(*head) & u64::MAX >> beyond) | self.fold;
        if head != self.head || self.text.len() > HEAD && !self.stands_at(text, start) {
            return None;
        }
        Some(start)
    }

    fn stands_at(&self, text: &[u8], start: usize) -> bool {
        let own = self.text.as_bytes();
        let Some(found) = text.get(start..start + own.len()) else {
            return false;
        };
        if self.nocase {
            found.eq_ignore_ascii_case(own)
        } else {
            found == own
        }
    }
}

/// Bytes of a literal that are compared at once.
const HEAD: usize = size_of::<u64>();

/// Literals on their way into the table, with their keys, and the grams that the filter lets through.
#[derive(Default)]
struct Collected {
    entries: Vec<Entry>,
    /// Each with the kind of the key that it is filed under.
    grams: Vec<(u32, u8)>,
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

    /// A literal of three bytes: with what follows at an even place, with what stands before at an odd one.
    fn add_three(&mut self, text: [u8; 3], literal: &Literal) {
        let [first, second, third] = text;
        let key = gram([first, second, third, 0]) & THREE;
        let followed = literal
            .followers()
            .map(|next| gram([first, second, third, next]));
        self.file(HERE | key, 0, followed, literal);
        let preceded = literal
            .preceders()
            .map(|before| gram([before, first, second, third]));
        self.file(AFTER | key, -1, preceded, literal);
    }

    /// A literal of four bytes: itself at an even place, at an odd one with fewer of what follows and what stands
    /// before.
    fn add_four(&mut self, text: [u8; 4], literal: &Literal) {
        let [first, second, third, fourth] = text;
        self.file(gram(text), 0, std::iter::once(gram(text)), literal);
        let key = gram([first, second, third, 0]) & THREE;
        if literal.followers().count() < literal.preceders().count() {
            let followed = literal
                .followers()
                .map(|next| gram([second, third, fourth, next]));
            self.file(BEFORE | key, 1, followed, literal);
        } else {
            let preceded = literal
                .preceders()
                .map(|before| gram([before, first, second, third]));
            self.file(AFTER | key, -1, preceded, literal);
        }
    }

    /// A longer literal: two neighbouring grams of its own.
    fn add_long(&mut self, text: &[u8], literal: &Literal) {
        let offset = rarity::rarest(text);
        for (offset, bytes) in (offset..).zip(text.array_windows().skip(offset.into()).take(2)) {
            let gram = gram(*bytes);
            self.file(gram, offset.cast_signed(), std::iter::once(gram), literal);
        }
    }

    fn file(&mut self, key: u32, offset: i8, grams: impl Iterator<Item = u32>, literal: &Literal) {
        self.entries.push(Entry::new(key, offset, literal));
        self.grams.extend(grams.map(|gram| (gram, kind(key))));
    }

    fn build(mut self) -> Grams {
        let filter = Filter::new(self.grams.iter().map(|&(gram, _)| hash(gram)));
        #[expect(
            clippy::large_stack_arrays,
            reason = "128 KiB, moved to the heap at once"
        )]
        let mut kinds = Box::new([0u8; KINDS]);
        for &(gram, kind) in &self.grams {
            let hash = second_hash(gram);
            if let Some(both) = kinds.get_mut(hash >> 1) {
                *both |= kind << (4 * (hash & 1));
            }
        }
        self.entries.sort_by_key(|entry| hash(entry.key));
        let mut buckets = Box::new([0u16; BUCKETS + 1]);
        for entry in &self.entries {
            if let Some(count) = buckets.get_mut(bucket(hash(entry.key)) + 1) {
                *count = count.saturating_add(1);
            }
        }
        let mut sum = 0u16;
        for count in buckets.iter_mut() {
            sum = sum.saturating_add(*count);
            *count = sum;
        }
        Grams {
            filter,
            kinds,
            buckets,
            entries: self.entries,
        }
    }
}

impl Literal {
    /// The bytes that can follow, where everything can also those outside ASCII; each of them folded once. The end
    /// of a text counts as a space.
    fn followers(&self) -> impl Iterator<Item = u8> {
        let followers = self.followers;
        let can_follow = move |byte: u8| match followers {
            u128::MAX => true,
            _ => byte < 128 && followers >> byte & 1 == 1,
        };
        folded(can_follow)
    }

    /// The bytes that can stand before, each of them folded once.
    fn preceders(&self) -> impl Iterator<Item = u8> {
        let begins_word = self.begins_word;
        folded(move |byte| !begins_word || !byte.is_ascii_alphanumeric() || ends_escape(byte))
    }
}

/// Whether an escape (`\n`, `\u003d`, `%3D`) can end with a letter or digit.
const fn ends_escape(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || matches!(byte, b'n' | b'r' | b't' | b'v')
}

/// The folded forms of the bytes that pass `test`.
fn folded(test: impl Fn(u8) -> bool) -> impl Iterator<Item = u8> {
    let mut passes = [false; FOLD as usize + 1];
    for byte in (0..=u8::MAX).filter(|&byte| test(byte)) {
        if let Some(passes) = passes.get_mut(usize::from(byte & FOLD)) {
            *passes = true;
        }
    }
    (0..)
        .zip(passes)
        .filter(|(_, passes)| *passes)
        .map(|(byte, _)| byte)
}

/// A well-mixed hash of [`HASH_BITS`] bits.
#[inline]
const fn hash(gram: u32) -> usize {
    (gram.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize
}

const fn second_hash(gram: u32) -> usize {
    (gram.wrapping_mul(0x85EB_CA6B) >> (32 - HASH_BITS)) as usize
}

#[inline]
const fn bucket(hash: usize) -> usize {
    hash >> (HASH_BITS - BUCKET_BITS)
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
            ..Literal::exact("x_y_", Anchor::Jwt)
        },
    ];

    fn found(grams: &Grams, text: &[u8]) -> Vec<(Anchor, usize)> {
        let mut found = Vec::new();
        for at in (0..text.len()).step_by(2) {
            let byte = |offset: usize| text.get(at + offset).copied().unwrap_or(0);
            let gram = gram([byte(0), byte(1), byte(2), byte(3)]);
            if grams.may_hold(gram) {
                grams.verify(text, at, gram, |anchor, start| {
                    found.push((anchor, start));
                });
            }
        }
        found
    }

    #[test]
    fn a_literal_is_found_once_wherever_it_stands() {
        let grams = Grams::new(LITERALS.into_iter());
        for literal in LITERALS {
            for before in 0..9 {
                for after in 1..4 {
                    let text = [
                        &b"........."[..before],
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
    fn letters_of_either_case_are_found_where_case_does_not_count() {
        let grams = Grams::new(LITERALS.into_iter());
        assert_eq!(found(&grams, b". DeFG "), [(Anchor::Pem, 2)]);
        assert_eq!(found(&grams, b".DEFG"), [(Anchor::Pem, 1)]);
        assert_eq!(found(&grams, b"ABC ABC  HIJKL"), []);
    }

    #[test]
    fn a_literal_that_begins_a_word_is_found_after_an_escape() {
        let grams = Grams::new(LITERALS.into_iter());
        for text in ["\\nx_y_9", ".\\nx_y_9", "%3Dx_y_9", ".%3Dx_y_9"] {
            assert_eq!(found(&grams, text.as_bytes()).len(), 1, "{text}");
        }
    }
}
