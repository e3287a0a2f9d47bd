//! Pseudo-random draws, determined by a key and a value.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::EntityType;

/// A sequence of numbers that nobody can predict without the key.
#[derive(Debug)]
pub(crate) struct KeyedSequence(u64);

impl KeyedSequence {
    pub(super) fn new(key: &[u8], entity: &EntityType, value: &str) -> Self {
        let mut seed = 0;
        // HMAC accepts keys of any length.
        if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) {
            mac.update(b"maskproxy surrogate\0");
            mac.update(entity.as_str().as_bytes());
            mac.update(b"\0");
            mac.update(value.as_bytes());
            let bytes: [u8; 32] = mac.finalize().into_bytes().into();
            seed = bytes.first_chunk().copied().map_or(0, u64::from_be_bytes);
        }
        Self(seed)
    }

    /// A number below another, which is above 0 (`SplitMix64`).
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let below = mixed % (end as u64).max(1);
        usize::try_from(below).unwrap_or_default()
    }

    /// A number from one to another, both included.
    pub(super) fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last.saturating_sub(first) + 1)
    }

    pub(super) fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        let index = self.below(all.len());
        all.get(index).copied().unwrap_or_default()
    }

    pub(super) fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| self.digit()).collect()
    }

    pub(super) fn digit(&mut self) -> char {
        self.sign(b"0123456789")
    }

    pub(super) fn letter(&mut self) -> char {
        self.sign(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    }

    fn sign(&mut self, all: &[u8]) -> char {
        let index = self.below(all.len());
        all.get(index).copied().map_or('0', char::from)
    }
}
