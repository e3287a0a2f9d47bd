//! A detection and its score.

use crate::EntityType;

/// A span of text, its entity type and its score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detection {
    /// First byte of the value.
    pub start: usize,
    /// The byte after the value.
    pub end: usize,
    /// The entity type.
    pub entity: EntityType,
    /// How sure the detector is.
    pub score: Score,
    /// The rule that found it, as `detect --why` shows it.
    pub rule: &'static str,
}

/// Confidence in percent, 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(u8);

impl Score {
    /// Certain: a checksum or an unmistakable shape.
    pub const MAX: Self = Self(100);

    /// A score in percent; above 100 counts as 100.
    #[must_use]
    pub const fn percent(percent: u8) -> Self {
        Self(if percent > 100 { 100 } else { percent })
    }

    /// The score in percent.
    #[must_use]
    pub const fn as_percent(self) -> u8 {
        self.0
    }
}
