//! Looks words up in the lists of names and words.

/// Places in a bucket.
const PLACES: usize = 4;
/// Bytes of a place: a fingerprint of 12 bits and four marks.
const SIZE: usize = 2;

/// The lists: a cuckoo table of fingerprints. One in 500 words that no list contains is mistaken
/// for one in a list.
#[derive(Debug, Clone, Copy)]
pub struct Lists<'m> {
    buckets: &'m [[u8; PLACES * SIZE]],
}

/// The lists that have a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks(pub u8);

impl Marks {
    /// First names.
    pub const FIRST: Self = Self(1);
    /// Surnames.
    pub const SURNAME: Self = Self(2);
    /// Places: cities, regions, countries.
    pub const PLACE: Self = Self(4);
    /// Words of a language.
    pub const COMMON: Self = Self(8);

    /// Whether one of these lists has the word.
    #[must_use]
    pub const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    /// Both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it is a name, and no word of a language.
    #[must_use]
    pub const fn is_only_name(self) -> bool {
        self.has(Self(3)) && !self.has(Self::COMMON)
    }
}

impl<'m> Lists<'m> {
    /// Lists as `tests/train` writes them.
    #[must_use]
    pub const fn of(bytes: &'m [u8]) -> Self {
        Self {
            buckets: bytes.as_chunks().0,
        }
    }

    /// The lists that have the word of this hash.
    #[inline]
    #[must_use]
    pub fn marks(&self, hash: u64) -> Marks {
        let print = fingerprint(hash);
        let [first, second] = buckets(hash, self.buckets.len());
        self.scan(first, print)
            .or_else(|| self.scan(second, print))
            .unwrap_or_default()
    }

    #[inline]
    fn scan(&self, bucket: usize, print: u16) -> Option<Marks> {
        let (places, _) = self.buckets.get(bucket)?.as_chunks();
        let places = places.iter().map(|place| u16::from_le_bytes(*place));
        places
            .into_iter()
            .find(|place| place >> 4 == print)
            .map(|place| Marks((place & 15) as u8))
    }
}

/// The fingerprint of a word: 12 bits, never 0.
#[must_use]
pub const fn fingerprint(hash: u64) -> u16 {
    let print = (scramble(hash) & 0xFFF) as u16;
    if print == 0 { 1 } else { print }
}

/// The two buckets, of `count`, in which a word may be.
#[must_use]
pub const fn buckets(hash: u64, count: usize) -> [usize; 2] {
    let mixed = scramble(hash);
    let first = ((mixed >> 32) * count as u64) >> 32;
    let second = (((mixed >> 12) & 0xFFFF_FFFF) * count as u64) >> 32;
    [first as usize, second as usize]
}

const fn scramble(hash: u64) -> u64 {
    let mixed = (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 32)
}
