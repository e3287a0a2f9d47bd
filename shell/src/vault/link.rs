//! Links from provider history to sessions.

use super::Key;

/// A keyed hash of an owner and of what names some history, in lower-case hex.
pub(crate) type LinkName = String;

/// A session, distinguished from earlier ones with the same key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Link {
    pub(crate) session: Key,
    /// When it was made, in milliseconds.
    pub(crate) created: i64,
}

impl Link {
    /// Leads to no session, because two replies had the same id. Only a request that
    /// [refers](Claim::Taken) to the id can replace it.
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
    /// It leads to this session: a request that referred to the id was masked with a session that
    /// is safe for everything that it can stand for.
    Taken,
    /// It leads nowhere: a reply brought a name that another had.
    Shared,
}
