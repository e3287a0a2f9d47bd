//! Random numbers that a seed repeats.

/// `SplitMix64`.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn of(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From `least` on, below `end`.
    pub(crate) const fn between(&mut self, least: u64, end: u64) -> u64 {
        least + self.next() % (end - least)
    }

    /// True once in this many times.
    pub(crate) const fn once_in(&mut self, times: u64) -> bool {
        self.between(0, times) == 0
    }

    /// Below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(1);
        usize::try_from(self.between(0, end)).unwrap_or(0)
    }

    pub(crate) fn of_these<T: Copy>(&mut self, these: &[T]) -> T {
        these[self.below(these.len())]
    }
}
