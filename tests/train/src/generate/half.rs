//! The two halves of every table: one to train on, the other to measure on.

use super::random::hash;

/// Which half of words, names, values and forms a record is made of. The halves share nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// To train on.
    Train,
    /// To measure on.
    Test,
}

impl Half {
    /// Whether an entry of a table is of this half.
    pub(super) fn has(self, entry: &str) -> bool {
        let test = (hash(entry) >> 32) & 1 == 1;
        test == (self == Self::Test)
    }
}
