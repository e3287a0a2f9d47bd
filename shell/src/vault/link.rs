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

impl Link {
    /// Leads to no session, and no other takes its place but one of a request that
    /// [leans](Claim::Taken) on the name: two replies were named the same.
    pub(super) fn nowhere() -> Self {
        // No owner's tag is written so.
        let session = Key {
            owner: "-".to_owned(),
            id: "-".to_owned(),
        };
        Self {
            session,
            created: 0,
        }
    }
}

/// What becomes of a name that leads to another session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    /// It leads to this one: a request that leans on the name was masked with a session that is safe
    /// for all that it can stand for.
    Taken,
    /// It leads nowhere: a reply brought a name that another had.
    Shared,
}
