//! The literals that a scan looks for, in one table.
//!
//! Every literal is filed under one of its four-byte grams (letters folded to one case). A bitmap over
//! hashed grams answers for nearly every place of a text that nothing begins there.

use super::bytes;
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
    /// Part of a name that secrets are assigned to; index into [`assigned::STEMS`].
    Name(u16),
    /// An anchor of a vendor rule.
    Vendor { rule: u16, anchor: u16 },
}

#[derive(Debug)]
struct Entry {
    gram: u32,
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
    /// Sorted by gram.
    entries: Vec<Entry>,
}

const HASH_BITS: u32 = 16;
const FILTER_WORDS: usize = 1 << (HASH_BITS - 6);
const GRAM: usize = 4;

/// Turns ASCII letters to lower case in four bytes at once; other bytes may fall together.
pub(super) const FOLD: u32 = 0x2020_2020;

const LITERALS: &[(&str, Anchor)] = &[
    ("-----begin", Anchor::Pem),
    (":5432:", Anchor::Port),
    ("bearer", Anchor::Scheme),
    ("basic", Anchor::Scheme),
];

/// What may follow a literal of three bytes, folded like a gram.
const FOLLOWERS: &[u8] =
    b"abcdefghijklmnopqrstuvwxyz0123456789 =:\"'_-[]();,<>/\\\n\r\t`|!?@.&%$#*+{}\xff\0";

impl Anchors {
    pub(super) fn new() -> Self {
        let mut anchors = Self {
            filter: Box::new([0; FILTER_WORDS]),
            entries: Vec::new(),
        };
        for (text, anchor) in LITERALS {
            anchors.add(text, true, *anchor);
        }
        anchors.add("://", false, Anchor::Url);
        anchors.add("eyJ", false, Anchor::Jwt);
        for (index, command) in (0..).zip(command_line::COMMANDS) {
            anchors.add(command, true, Anchor::Command(index));
        }
        for (index, stem) in (0..).zip(assigned::STEMS) {
            anchors.add(stem, true, Anchor::Name(index));
        }
        for (rule, anchor, text, nocase) in vendor::anchors() {
            anchors.add(text, nocase, Anchor::Vendor { rule, anchor });
        }
        anchors.entries.sort_by_key(|entry| entry.gram);
        anchors
    }

    /// Whether a gram (folded) may be one of ours.
    #[inline]
    pub(super) fn may_hold(&self, gram: u32) -> bool {
        let hash = hash(gram);
        let word = self.filter[hash >> 6 & (FILTER_WORDS - 1)];
        word >> (hash & 63) & 1 == 1
    }

    /// Reports every literal whose gram stands at `at`, by its own start.
    pub(super) fn verify(
        &self,
        text: &[u8],
        at: usize,
        gram: u32,
        mut report: impl FnMut(Anchor, usize),
    ) {
        let first = self.entries.partition_point(|entry| entry.gram < gram);
        let same = self.entries.get(first..).unwrap_or_default();
        for entry in same.iter().take_while(|entry| entry.gram == gram) {
            let Some(start) = at.checked_sub(entry.offset) else {
                continue;
            };
            let found = bytes::slice(text, start, start + entry.text.len());
            let equal = if entry.nocase {
                found.eq_ignore_ascii_case(entry.text.as_bytes())
            } else {
                found == entry.text.as_bytes()
            };
            if equal {
                report(entry.anchor, start);
            }
        }
    }

    fn add(&mut self, text: &'static str, nocase: bool, anchor: Anchor) {
        let bytes = text.as_bytes();
        let (offset, grams) = if bytes.len() < GRAM {
            (0, followed(bytes))
        } else {
            let (offset, gram) = rarest(bytes);
            (offset, vec![gram])
        };
        for gram in grams {
            let hash = hash(gram);
            if let Some(word) = self.filter.get_mut(hash >> 6) {
                *word |= 1 << (hash & 63);
            }
            self.entries.push(Entry {
                gram,
                offset,
                text,
                nocase,
                anchor,
            });
        }
    }
}

/// A well-mixed hash of [`HASH_BITS`] bits.
#[inline]
fn hash(gram: u32) -> usize {
    (gram.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize
}

/// The grams of a literal of three bytes and whatever follows it.
fn followed(text: &[u8]) -> Vec<u32> {
    let mut grams: Vec<u32> = FOLLOWERS
        .iter()
        .map(|&follower| {
            let mut gram = [0; GRAM];
            for (to, from) in gram.iter_mut().zip(text.iter().chain([&follower])) {
                *to = *from;
            }
            u32::from_le_bytes(gram) | FOLD
        })
        .collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

/// The gram that ordinary text holds least.
fn rarest(text: &[u8]) -> (usize, u32) {
    text.windows(GRAM)
        .enumerate()
        .max_by_key(|(_, window)| window.iter().map(|&byte| rarity(byte)).sum::<u32>())
        .map_or((0, 0), |(offset, window)| {
            let mut gram = [0; GRAM];
            gram.copy_from_slice(window);
            (offset, u32::from_le_bytes(gram) | FOLD)
        })
}

/// How rare a byte is in prose and code, 0 for the commonest.
fn rarity(byte: u8) -> u32 {
    const COMMONEST_FIRST: &[u8] = b" etaonirsldcumpfhgbyv_w.k\"(-),='/:x0";
    let folded = byte.to_ascii_lowercase();
    COMMONEST_FIRST
        .iter()
        .position(|&common| common == folded)
        .unwrap_or(COMMONEST_FIRST.len())
        .try_into()
        .unwrap_or(0)
}
