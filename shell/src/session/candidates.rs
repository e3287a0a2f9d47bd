//! The sessions that a request may be masked with, and when each of them is safe.

use std::collections::VecDeque;
use std::sync::Arc;

use engine::{HistoryName, Scope, Sensitive, Session};

use super::identity::HistoryOwner;
use super::remembered::Snapshot;
use super::sessions::Held;
use super::{Identity, SessionSource};
use crate::base::clock::now;
use crate::vault::{Key, Link, NewSession};

/// The sessions that a request may be masked with, the best first, and what names its history.
#[derive(Debug)]
pub(crate) struct SessionCandidates {
    pub(super) holder: HistoryOwner,
    pub(super) names: Vec<HistoryName>,
    pub(super) waiting: VecDeque<Candidate>,
    pub(super) alone: UnsavedStart,
    /// Other sessions whose tokens may come back.
    pub(super) referred: Vec<Session>,
    /// The session that the names are linked to already.
    pub(super) linked: Option<Link>,
    /// Whether the request continues when the vault is down.
    pub(super) is_ephemeral: bool,
    pub(super) unseen: Unseen,
    /// Whether a new session derives its numbers.
    pub(super) derives: bool,
}

/// What of a request's history was never seen.
#[derive(Debug, Default)]
pub(super) struct Unseen {
    /// A name of it, or one leads elsewhere than another; a file may be an upload.
    pub(super) is_unknown: bool,
    /// That, or something that it leans on.
    pub(super) is_partial: bool,
}

/// A session of the vault.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) identity: Identity,
    pub(super) key: Key,
    pub(super) scope: Scope,
    pub(super) needs: Durability,
}

/// When a session is safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// Always: the request shows its history, or ids are derived from values in every session.
    Nothing,
    /// While it is the one that was made at this time.
    MadeAt(i64),
    /// When its numbers are derived, or it is new and they will be.
    DerivedNumbers,
}

/// What a session starts from that is in no vault while the request is masked.
#[derive(Debug)]
pub(crate) struct UnsavedStart {
    pub(crate) identity: Identity,
    pub(super) recalled: Vec<Arc<Snapshot>>,
    /// What its numbers are derived with, where they are.
    pub(super) seed: Option<Sensitive<[u8; 32]>>,
    pub(super) is_unknown: bool,
    /// Whether a new one never counts.
    pub(super) derives: bool,
}

/// What a request is masked with.
#[derive(Debug)]
pub(crate) enum SessionChoice {
    /// A session of the vault.
    Held(Box<Held>, Place),
    Unsaved(UnsavedStart),
}

/// Which session of the vault it is, and how far its reply may reach into it.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) identity: Identity,
    pub(crate) scope: Scope,
    /// Whether the session issued every token of the history.
    pub(crate) is_known: bool,
}

impl UnsavedStart {
    /// Whether the session issued every token of the history.
    pub(crate) fn is_known(&self) -> bool {
        !self.is_unknown
    }

    /// The session, before masking.
    pub(crate) fn session(&self) -> Session {
        let derived = self
            .seed
            .as_ref()
            .map(|seed| Session::derived(seed.clone()));
        let is_derived = |snapshot: &&Arc<Snapshot>| snapshot.session().is_derived();
        if self.is_unknown {
            let mut session = derived.unwrap_or_default();
            for snapshot in self.recalled.iter().filter(is_derived) {
                // What contradicts stays a token.
                session.adopt_session(snapshot.session());
            }
            return session;
        }
        let first = self
            .recalled
            .iter()
            .find(is_derived)
            .or(self.recalled.first());
        let mut session = match first {
            Some(first) => first.session().clone(),
            None if self.derives => return derived.unwrap_or_default(),
            None => return Session::new(),
        };
        // What others counted may be tokens of the history, too, that a derived one did not know.
        let knew_all = !session.is_derived();
        let agree = self
            .recalled
            .iter()
            .filter(|snapshot| knew_all || is_derived(snapshot))
            .all(|snapshot| session.adopt_session(snapshot.session()));
        if agree {
            session
        } else {
            derived.unwrap_or_default()
        }
    }
}

impl SessionCandidates {
    /// For a request that shows all that its provider knows.
    pub(super) fn plain(holder: HistoryOwner, identity: Identity) -> Self {
        let mut candidates = Self {
            holder,
            names: Vec::new(),
            waiting: VecDeque::new(),
            alone: UnsavedStart::plain(identity.clone()),
            referred: Vec::new(),
            linked: None,
            is_ephemeral: identity.stored.is_none(),
            unseen: Unseen::default(),
            derives: false,
        };
        candidates.offer(identity, Durability::Nothing);
        candidates
    }

    /// The same, with a session that may be lost before the provider forgets its tokens: a new one derives its numbers.
    pub(crate) fn deriving(mut self) -> Self {
        self.derives = true;
        self
    }

    /// Goes on without the vault.
    pub(super) fn give_up(&mut self) {
        self.unseen.is_unknown |= self.linked.take().is_some();
        self.waiting.clear();
    }

    /// Adds a session, if it is one that lasts.
    pub(super) fn offer(&mut self, identity: Identity, needs: Durability) {
        let Some(stored) = &identity.stored else {
            return;
        };
        self.waiting.push_back(Candidate {
            key: stored.key.clone(),
            scope: stored.scope,
            identity,
            needs,
        });
    }

    /// Whether a name of its history was never seen, or leads elsewhere than another.
    pub(crate) fn is_unknown(&self) -> bool {
        self.unseen.is_unknown
    }

    /// Other sessions whose tokens may come back.
    pub(crate) fn referred(&self) -> &[Session] {
        &self.referred
    }

    /// Whether the session may hold other values under the tokens of a signed text than that text
    /// has.
    pub(crate) fn may_know_more(&self) -> bool {
        !self.waiting.is_empty() || !self.names.is_empty() || !self.referred.is_empty()
    }
}

impl UnsavedStart {
    pub(super) fn plain(identity: Identity) -> Self {
        Self {
            identity,
            recalled: Vec::new(),
            seed: None,
            is_unknown: false,
            derives: false,
        }
    }
}

impl Candidate {
    pub(super) fn accepts(&self, made: Option<NewSession>) -> bool {
        match self.needs {
            Durability::Nothing => true,
            Durability::MadeAt(created) => made.is_some_and(|made| made.created == created),
            Durability::DerivedNumbers => made.is_none_or(|made| made.derived),
        }
    }

    pub(super) fn making(&self, derives: bool) -> NewSession {
        NewSession {
            created: now(),
            derived: derives || self.needs == Durability::DerivedNumbers,
            of_history: matches!(
                self.identity.source,
                SessionSource::History | SessionSource::Gateway
            ),
        }
    }
}
