//! Which session goes on when a request names history that a provider holds.

use super::Key;

/// A keyed hash of an owner and of what names some history, in lower-case hex.
pub(crate) type LinkName = String;

/// A session, told from others that had its key before.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Link {
    pub(crate) session: Key,
    /// When it was made, in milliseconds.
    pub(crate) created: i64,
}
