//! The literals that a scan looks for, in one table.
//!
//! Every literal is filed under one of its four-byte grams (letters folded to one case). A bitmap over
//! hashed grams answers for nearly every place of a text that nothing begins there.

use super::rarity::{self, GRAM};
use super::{assigned, command_line, vendor};

/// What stands where a literal was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    /// `://`
    Url,
    /// `-----BEGIN`
    Pem,
    /// `eyJ`
    Jwt,
    /// `bearer`, `basic` or `token` of an authorization.
    Scheme,
    /// A command whose arguments hold passwords; index into [`command_line::COMMANDS`].
    Command(u16),
    /// `:5432:`, the port of a line in `.pgpass`.
    Port,
    /// A full-width `@`.
    WideAt,
    /// Part of a name that secrets are assigned to; index into [`assigned::STEMS`].
    Name(u16),
    /// An anchor of a vendor rule.
    Vendor { rule: u16, anchor: u16 },
}

#[derive(Debug)]
struct Entry {
    /// Where in the literal the gram begins.
    offset: usize,
    text: &'static str,
    nocase: bool,
    anchor: Anchor,
}

/// Every literal of the built-in detectors.
#[derive(Debug)]
pub(super) struct Anchors {
    /// One bit for each value of [`hash`].
    filter: Box<[u64; FILTER_WORDS]>,
    /// For each bucket of hashes, where its grams begin in `grams`; one more for the end.
    buckets: Vec<u16>,
    /// Sorted by hash.
    pub(super) grams: Vec<u32>,
    /// What each gram stands for.
    entries: Vec<Entry>,
}

const HASH_BITS: u32 = 18;
const FILTER_WORDS: usize = 1 << (HASH_BITS - 6);
const BUCKET_BITS: u32 = 12;

/// Turns ASCII letters to lower case in four bytes at once; other bytes may fall together.
pub(super) const FOLD: u32 = 0x2020_2020;

const LITERALS: &[(&str, Anchor)] = &[
    ("-----begin", Anchor::Pem),
    (":5432:", Anchor::Port),
    ("bearer", Anchor::Scheme),
    ("basic", Anchor::Scheme),
];

impl Anchors {
    pub(super) fn new() -> Self {
        let mut collected = Collected(Vec::new());
        for (text, anchor) in LITERALS {
            collected.add(text, true, u128::MAX, *anchor);
        }
        collected.add("＠", false, u128::MAX, Anchor::WideAt);
        collected.add("://", false, u128::MAX, Anchor::Url);
        collected.add("eyJ", false, ALPHANUMERIC, Anchor::Jwt);
        for (index, command) in (0..).zip(command_line::COMMANDS) {
            collected.add(command, true, u128::MAX, Anchor::Command(index));
        }
        for (index, stem) in (0..).zip(assigned::STEMS) {
            collected.add(stem, true, u128::MAX, Anchor::Name(index));
        }
        for literal in vendor::literals() {
            let (rule, anchor) = (literal.rule, literal.anchor);
            let anchor = Anchor::Vendor { rule, anchor };
            collected.add(literal.text, literal.nocase, literal.followers, anchor);
        }
        collected.build()
    }

    /// Whether a gram (folded) may be one of ours.
    #[inline]
    pub(super) fn may_hold(&self, gram: u32) -> bool {
        let hash = hash(gram);
        let word = self.filter[hash >> 6 & (FILTER_WORDS - 1)];
        word >> (hash & 63) & 1 == 1
    }

    /// Reports every literal whose gram stands at `at`, by its own start.
    #[inline]
    pub(super) fn verify(
        &self,
        text: &[u8],
        at: usize,
        gram: u32,
        mut report: impl FnMut(Anchor, usize),
    ) {
        let bucket = bucket(hash(gram));
        let (Some(&first), Some(&end)) = (self.buckets.get(bucket), self.buckets.get(bucket + 1))
        else {
            return;
        };
        for index in usize::from(first)..usize::from(end) {
            if self.grams.get(index) == Some(&gram)
                && let Some(entry) = self.entries.get(index)
                && let Some(start) = entry.start_at(text, at)
            {
                report(entry.anchor, start);
            }
        }
    }
}

impl Entry {
    /// Where the literal begins, when it stands around the gram at `at`.
    fn start_at(&self, text: &[u8], at: usize) -> Option<usize> {
        let start = at.checked_sub(self.offset)?;
        let found = text.get(start..start + self.text.len())?;
        let equal = if self.nocase {
            found.eq_ignore_ascii_case(self.text.as_bytes())
        } else {
            found == self.text.as_bytes()
        };
        equal.then_some(start)
    }
}

/// Literals on their way into the table, with their grams.
struct Collected(Vec<(u32, Entry)>);

impl Collected {
    fn add(&mut self, text: &'static str, nocase: bool, followers: u128, anchor: Anchor) {
        let bytes = text.as_bytes();
        let (offset, grams) = if bytes.len() < GRAM {
            (0, followed(bytes, followers))
        } else {
            let (offset, gram) = rarity::rarest(bytes);
            (offset, vec![u32::from_le_bytes(gram) | FOLD])
        };
        self.0.extend(grams.into_iter().map(|gram| {
            let entry = Entry {
                offset,
                text,
                nocase,
                anchor,
            };
            (gram, entry)
        }));
    }

    fn build(mut self) -> Anchors {
        self.0.sort_by_key(|(gram, _)| (hash(*gram), *gram));
        #[expect(
            clippy::large_stack_arrays,
            reason = "32 KiB, moved to the heap at once"
        )]
        let mut filter = Box::new([0u64; FILTER_WORDS]);
        let mut buckets = vec![0u16; (1 << BUCKET_BITS) + 1];
        for (gram, _) in &self.0 {
            let hash = hash(*gram);
            if let Some(word) = filter.get_mut(hash >> 6) {
                *word |= 1u64 << (hash & 63);
            }
            if let Some(count) = buckets.get_mut(bucket(hash) + 1) {
                *count = count.saturating_add(1);
            }
        }
        let mut sum = 0u16;
        for count in &mut buckets {
            sum = sum.saturating_add(*count);
            *count = sum;
        }
        let (grams, entries) = self.0.into_iter().unzip();
        Anchors {
            filter,
            buckets,
            grams,
            entries,
        }
    }
}

/// A well-mixed hash of [`HASH_BITS`] bits.
#[inline]
fn hash(gram: u32) -> usize {
    (gram.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize
}

#[inline]
const fn bucket(hash: usize) -> usize {
    hash >> (HASH_BITS - BUCKET_BITS)
}

const ALPHANUMERIC: u128 = 0x07FF_FFFE_07FF_FFFE_03FF_0000_0000_0000;

/// The grams of a literal of three bytes and whatever may follow it: characters, any byte outside ASCII where
/// everything may follow, and the end of the text.
fn followed(text: &[u8], followers: u128) -> Vec<u32> {
    let ascii = (0..128u8).filter(|byte| followers >> byte & 1 == 1);
    let other = (0x80..=0xFFu8).filter(|_| followers == u128::MAX);
    let mut grams: Vec<u32> = ascii
        .chain(other)
        .map(|follower| {
            let mut gram = [follower; GRAM];
            for (to, from) in gram.iter_mut().zip(text) {
                *to = *from;
            }
            u32::from_le_bytes(gram) | FOLD
        })
        .collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}
