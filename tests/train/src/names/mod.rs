//! Makes the model that finds names: lists of names and words from packages, labelled and generated texts, the fit.

pub mod corpus;
pub mod fit;
pub mod generate;
pub mod inflect;
pub mod marked;
pub mod material;
pub mod measure;
pub mod negatives;
pub mod pasted;
pub mod resources;
pub mod slots;
pub mod swapped;
pub mod table;
pub mod template;
pub mod written;

use engine::detect::names::walk::Tag;
use std::ops::Range;

/// A text with the names in it.
#[derive(Debug, Clone)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Where names are, in bytes; `None` where both answers are right.
    pub names: Vec<(Range<usize>, Option<Tag>)>,
    /// Where it is from.
    pub source: String,
    /// Its language.
    pub language: String,
    /// How much it counts.
    pub weight: f32,
}

impl Text {
    /// What the word at `start` is.
    #[must_use]
    pub fn tag_at(&self, start: usize, end: usize) -> Option<Tag> {
        let index = self.names.partition_point(|(span, _)| span.end <= start);
        match self.names.get(index) {
            Some((span, tag)) if span.start < end => *tag,
            _ => Some(Tag::Other),
        }
    }
}

/// A number drawn from a seed.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Draws from a seed and a name.
    #[must_use]
    pub fn of(seed: u64, name: &str) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ hash(name))
    }

    /// A number below `count`.
    #[expect(clippy::cast_possible_truncation, reason = "it is below a size")]
    pub fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % count.max(1) as u64) as usize
    }

    /// Whether one of `percent` cases in a hundred comes about.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// A hash that is the same everywhere.
#[must_use]
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}
