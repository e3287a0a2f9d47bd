//! Finds term groups by the hash of a case-folded word.

use std::ops::Range;

const CHUNK: usize = size_of::<u64>();
/// ASCII letters of either case hash alike.
const FOLD: u64 = 0x2020_2020_2020_2020;
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
/// Bits of the filter for each group: one in sixteen other words passes.
const BITS_A_GROUP: usize = 16;

/// Groups by word: a bitmap that rules out most words, backed by a hash table.
#[derive(Default)]
pub(super) struct Groups {
    filter: Vec<u64>,
    /// How far a hash is shifted to become a place in the filter.
    filter_shift: u32,
    slots: Vec<Slot>,
}

#[derive(Clone, Default)]
struct Slot {
    tag: u32,
    /// Empty in a free slot.
    group: Range<u32>,
}

impl Groups {
    /// Files groups, each under the hash of its word.
    pub(super) fn new(groups: &[(u64, Range<u32>)]) -> Self {
        let bits = (groups.len() * BITS_A_GROUP).next_power_of_two().max(64);
        let mut filed = Self {
            filter: vec![0; bits / 64],
            filter_shift: u64::BITS - bits.trailing_zeros(),
            slots: vec![Slot::default(); (groups.len() * 4 / 3 + 1).next_power_of_two()],
        };
        for (hash, group) in groups {
            filed.file(*hash, group);
        }
        filed
    }

    fn file(&mut self, hash: u64, group: &Range<u32>) {
        let place = self.place(hash);
        if let Some(word) = self.filter.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
        let is_free = |slot: Option<&Slot>| slot.is_some_and(|slot| slot.group.is_empty());
        let free = self
            .probe(hash)
            .find(|&index| is_free(self.slots.get(index)));
        if let Some(slot) = free.and_then(|index| self.slots.get_mut(index)) {
            *slot = Slot {
                tag: tag(hash),
                group: group.clone(),
            };
        }
    }

    /// Whether a word may have a group.
    #[inline]
    pub(super) fn may_hold(&self, hash: u64) -> bool {
        let place = self.place(hash);
        self.filter
            .get(place / 64)
            .is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    /// The groups whose word may have this hash.
    pub(super) fn get(&self, hash: u64) -> impl Iterator<Item = Range<u32>> {
        self.probe(hash)
            .map_while(|index| self.slots.get(index))
            .take_while(|slot| !slot.group.is_empty())
            .filter(move |slot| slot.tag == tag(hash))
            .map(|slot| slot.group.clone())
    }

    #[inline]
    const fn place(&self, hash: u64) -> usize {
        low_bits(hash >> self.filter_shift)
    }

    /// Slots in the order of probing.
    fn probe(&self, hash: u64) -> impl Iterator<Item = usize> + use<> {
        let mask = self.slots.len().saturating_sub(1);
        let first = low_bits(hash >> 20);
        (0..=mask).map(move |step| first.wrapping_add(step) & mask)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a hash, or as many bits of it as count"
)]
const fn low_bits(hash: u64) -> usize {
    hash as usize
}

const fn tag(hash: u64) -> u32 {
    (hash & 0xFFFF_FFFF) as u32
}

/// The hash of a word in one case.
pub(super) fn hash(word: &str) -> u64 {
    hash_long(word.as_bytes())
}

/// The hash of the ASCII word from `start` to `end`, in one case.
#[inline]
pub(super) fn hash_at(text: &[u8], start: usize, end: usize) -> u64 {
    let length = end - start;
    match text.get(start..).and_then(<[u8]>::first_chunk) {
        Some(chunk) if length <= CHUNK => {
            let unused = 8 * (CHUNK - length);
            mix(0, u64::from_le_bytes(*chunk) & u64::MAX >> unused)
        }
        _ => hash_long(text.get(start..end).unwrap_or_default()),
    }
}

#[inline(never)]
fn hash_long(word: &[u8]) -> u64 {
    let mut hash = 0;
    for part in word.chunks(CHUNK) {
        let mut chunk = [0; CHUNK];
        for (to, from) in chunk.iter_mut().zip(part) {
            *to = *from;
        }
        hash = mix(hash, u64::from_le_bytes(chunk));
    }
    hash
}

#[inline]
const fn mix(hash: u64, chunk: u64) -> u64 {
    let mixed = (hash ^ (chunk | FOLD)).wrapping_mul(FACTOR);
    mixed ^ mixed >> 32
}

/// Hashes a word in one case letter by letter.
#[derive(Default)]
pub(super) struct Hasher {
    hash: u64,
    chunk: u64,
    filled: u32,
}

impl Hasher {
    pub(super) fn push(&mut self, letter: char) {
        for &byte in letter.encode_utf8(&mut [0; 4]).as_bytes() {
            if self.filled == u64::BITS {
                self.hash = mix(self.hash, self.chunk);
                self.chunk = 0;
                self.filled = 0;
            }
            self.chunk |= u64::from(byte) << self.filled;
            self.filled += u8::BITS;
        }
    }

    pub(super) const fn finish(&self) -> u64 {
        mix(self.hash, self.chunk)
    }
}
