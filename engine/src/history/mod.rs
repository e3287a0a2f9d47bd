//! History that a provider holds and a request does not contain.
//!
//! A reply may repeat any token of that history. So the request must be masked with the session
//! that issued them, or with a session whose new tokens can't equal them (decisions, 7.5).

mod memory;
mod naming;
mod sealed;
pub(crate) mod shared;

use std::collections::BTreeSet;
use std::fmt;

use sha2::{Digest, Sha256};

use crate::operator::cipher::derive_key;
use crate::{Sensitive, Session};

pub use memory::{Memory, NoMemory, Recall, SignedBlock};
pub(crate) use naming::{
    belongs_to_place, belongs_to_turn, identifies, is_id, is_of_later_turn, is_of_place,
    is_of_turn, is_session_cookie, is_single_word, may_be_id, may_be_of_turn, may_name,
};
pub use sealed::SealedBlock;

/// Identifies a piece of history: a digest of an id or of sealed content, so that neither is
/// stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HistoryName {
    kind: HistoryKind,
    digest: [u8; 32],
}

/// The kinds of references, most specific first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HistoryKind {
    /// A place that the provider keeps and that grows: a conversation, a thread, a container.
    Place,
    /// A turn that the provider keeps and that stays as it is: a response, an item of it.
    Turn,
    /// A file of the provider's: one that the model wrote, or an upload, which holds no tokens.
    File,
    /// Content that the client keeps and only the provider can read: encrypted reasoning, a
    /// compaction.
    Sealed,
}

impl HistoryName {
    fn of(kind: HistoryKind, text: &[u8]) -> Self {
        Self {
            kind,
            digest: Sha256::digest(text).into(),
        }
    }

    /// A conversation, thread, response or interaction by its id.
    pub(crate) fn place(id: &str) -> Self {
        Self::place_of_bytes(id.as_bytes())
    }

    pub(crate) fn place_of_bytes(id: &[u8]) -> Self {
        Self::of(HistoryKind::Place, id)
    }

    pub(crate) fn turn(id: &str) -> Self {
        Self::of(HistoryKind::Turn, id.as_bytes())
    }

    pub(crate) fn file(id: &str) -> Self {
        Self::of(HistoryKind::File, id.as_bytes())
    }

    pub(crate) fn sealed(content: &str) -> Self {
        Self::of(HistoryKind::Sealed, content.as_bytes())
    }

    /// What a block of [`SignedBlock::of_history`](crate::SignedBlock::of_history) is found by.
    #[must_use]
    pub fn signature(&self) -> String {
        use std::fmt::Write;
        let mut text = String::with_capacity(2 * self.digest.len());
        for byte in self.digest {
            // Writing to a string can't fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }

    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> HistoryKind {
        self.kind
    }

    /// SHA-256 of the id or content. Keep a keyed hash of it only: ids may be guessed.
    #[must_use]
    pub const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }
}

impl fmt::Debug for HistoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HistoryName({:?})", self.kind)
    }
}

/// The history that a request refers to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four independent facts")]
pub struct History {
    /// Its names, each once, the most telling first; none when the request shows all that the
    /// provider knows.
    names: Vec<HistoryName>,
    /// Those of the names that seal content beside which the request has a text of it.
    shown: BTreeSet<HistoryName>,
    /// What the provider keeps for many requests and this one uses, each once.
    references: Vec<HistoryName>,
    /// Whether the provider may hold more than the references show, because the path is unknown.
    pub(crate) may_hide: bool,
    /// Whether all names are ids of members that no format knows.
    pub(crate) is_assumed: bool,
    /// Whether the provider may keep history under the name of the host's own session.
    pub(crate) of_session: bool,
    /// Whether the provider keeps the reply, so that a later request can refer to it.
    pub(crate) kept: bool,
}

/// Names, each once, by their kind. Within a kind the first in the request stays first.
fn in_order(mut names: Vec<HistoryName>) -> Vec<HistoryName> {
    names.sort_by_key(HistoryName::kind);
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    names
}

impl History {
    pub(crate) fn new(names: Vec<HistoryName>, kept: bool) -> Self {
        Self {
            names: in_order(names),
            kept,
            ..Self::default()
        }
    }

    /// Adds names that seal content beside which the request has a text of it.
    pub(crate) fn show(&mut self, names: Vec<HistoryName>) {
        self.shown.extend(names);
    }

    /// The names of signed thinking. The text beside a signature may be a summary of what it seals, so a session that is
    /// known goes on with it.
    #[must_use]
    pub const fn shown(&self) -> &BTreeSet<HistoryName> {
        &self.shown
    }

    /// Forgets those that are not known.
    pub(crate) fn keep_known(&mut self, is_known: impl Fn(&HistoryName) -> bool) {
        let shown = std::mem::take(&mut self.shown);
        self.names
            .retain(|name| !shown.contains(name) || is_known(name));
    }

    /// Adds what the provider keeps for many requests and this one uses.
    pub(crate) fn refer(&mut self, names: impl IntoIterator<Item = HistoryName>) {
        self.references.extend(names);
        self.references.sort_unstable();
        self.references.dedup();
    }

    /// An empty session for a request with this history, in a host that does not know it. The
    /// numbers are always the same under one key. `owner` separates those who must not share them.
    #[must_use]
    pub fn session(&self, key: &Sensitive<[u8; 32]>, owner: &str) -> Session {
        if self.is_empty() {
            return Session::new();
        }
        let of_owner = derive_key(key, owner.as_bytes());
        Session::derived(derive_key(&of_owner, &self.first().digest))
    }

    /// The input for derived numbers: the most specific reference, or a common one if there is
    /// none.
    #[must_use]
    pub fn first(&self) -> HistoryName {
        let first = self.names.first();
        first.copied().unwrap_or_else(|| HistoryName::place(""))
    }

    /// The counted session that continues all the references, in a host that keeps
    /// [`SignedBlock::of_history`](crate::SignedBlock::of_history) for its replies.
    ///
    /// `None` if one is unknown, if they contradict each other, for a place to which others may add
    /// at the same time, and if there [may be more](Self::may_hide).
    #[must_use]
    pub fn recalled(&self, memory: &dyn Recall) -> Option<Session> {
        if self.may_hide {
            return None;
        }
        let mut session = Session::new();
        for name in &self.names {
            if name.kind == HistoryKind::Place {
                return None;
            }
            let block = memory.recall(&name.signature())?;
            if !session.adopt_all(block.mappings()) {
                return None;
            }
        }
        Some(session)
    }

    /// Adds what a request's path or head names.
    pub(crate) fn add(&mut self, of_head: impl IntoIterator<Item = HistoryName>) {
        let mut names: Vec<_> = of_head.into_iter().collect();
        if names.is_empty() {
            return;
        }
        names.append(&mut self.names);
        self.names = in_order(names);
        self.is_assumed = false;
    }

    /// Its names, each once, by their kind, and in the order of the body.
    #[must_use]
    pub fn names(&self) -> &[HistoryName] {
        &self.names
    }

    /// What the provider keeps for many requests and this one uses: agents, assistants, stores.
    /// They are identified by kind only, and named like the requests that create them.
    ///
    /// Their tokens are derived from values, so a host that does not know them need not do
    /// anything. A host that does passes their sessions to
    /// [`Request::refer`](crate::Request::refer).
    #[must_use]
    pub fn references(&self) -> &[HistoryName] {
        &self.references
    }

    /// Whether the request contains all its history, except for its
    /// [`references`](Self::references).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && !self.may_hide
    }

    /// Whether the provider may hold more than the references show, because the path is unknown.
    /// Then a counting session must not be used.
    #[must_use]
    pub fn may_hide(&self) -> bool {
        self.may_hide
    }

    /// Whether it is only assumed from ids that no format knows, which may as well be data.
    #[must_use]
    pub fn is_assumed(&self) -> bool {
        self.is_assumed
    }

    /// Whether the provider may keep history under the name of the host's own session, and longer than the host keeps
    /// that session: a new one must not count then.
    #[must_use]
    pub fn is_of_session(&self) -> bool {
        self.of_session
    }

    /// Whether the provider keeps the reply, or the place that it goes to, so that a later request
    /// can refer to it.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.kept
            || self
                .names
                .iter()
                .any(|name| matches!(name.kind, HistoryKind::Place | HistoryKind::Turn))
    }
}
