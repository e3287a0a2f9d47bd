//! Decides what a masked value becomes.

use crate::Sensitive;

/// A key of 32 bytes.
pub type Key = Sensitive<[u8; 32]>;

/// What a masked value becomes.
#[derive(Debug, Clone)]
pub enum Operator {
    /// A token that is restored. Its id is a counter of the session, or derived from the value when
    /// an anchor secret is given.
    Pseudonym {
        /// Makes a value's token the same in every session.
        anchor: Option<Key>,
    },
    /// `[REDACTED_<TYPE>]`: nothing is kept, nothing restored.
    Redact,
}

impl Default for Operator {
    fn default() -> Self {
        Self::Pseudonym { anchor: None }
    }
}
