//! What words begin or end with, in three bytes: rules out nearly all others.

const WORDS: usize = 64;

/// A set of three bytes each, in which letters of either case are the same. It may hold a few others too.
pub(super) struct Threes([u64; WORDS]);

impl Threes {
    pub(super) const fn none() -> Self {
        Self([0; WORDS])
    }

    pub(super) const fn add(&mut self, bytes: [u8; 3]) {
        let place = Self::place(bytes);
        self.0[place / WORDS] |= 1 << (place % WORDS);
    }

    #[inline]
    pub(super) const fn hold(&self, bytes: [u8; 3]) -> bool {
        let place = Self::place(bytes);
        self.0[place / WORDS] >> (place % WORDS) & 1 == 1
    }

    #[inline]
    const fn place([first, second, third]: [u8; 3]) -> usize {
        const BITS: u32 = (WORDS * WORDS).trailing_zeros();
        let key = (first & 31) as u32 | ((second & 31) as u32) << 5 | ((third & 31) as u32) << 10;
        (key.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BITS)) as usize
    }
}
