//! History that a provider holds and a request does not contain (decisions, 7.5).
//!
//! The ids of this Envoy's replies are remembered next to the signed blocks, with the values of
//! their sessions. A request that refers to anything else gets a session with derived numbers, so
//! that no token of that history can mean another value. All workers derive them with one key.

use engine::{HistoryKind, HistoryName, Recall, Request, Sensitive, Session, SignedBlock};

use crate::host;
use crate::signed::{self, OwnBlocks};

const KEY: &str = "maskproxy.history-key";

/// Makes the key that is missing, before Envoy starts the workers.
pub(crate) fn prepare() {
    if host::shared(KEY).is_none() {
        host::share(KEY, &host::random_bytes::<32>(), 0);
    }
}

/// The session for a request of this owner.
pub(crate) fn session(request: &mut Request, owner: &str) -> Session {
    let blocks = shelf_owner(owner);
    request.keep_known(|name| OwnBlocks(&blocks).recall(&name.signature()).is_some());
    if request.history().is_empty() {
        return Session::new();
    }
    if let Some(session) = request.history().recalled(&OwnBlocks(&blocks)) {
        request.know_history(true);
        return session;
    }
    let shared = host::shared(KEY).and_then(|(key, _)| key.try_into().ok());
    let key = Sensitive::new(shared.unwrap_or_else(host::random_bytes));
    request.history().session(&key, owner)
}

/// Remembers what a reply to this owner can be named by, with the session of its exchange.
pub(crate) fn remember(owner: &str, names: &[HistoryName], session: &Session) {
    if session.is_derived() {
        return;
    }
    let owner = shelf_owner(owner);
    for name in names
        .iter()
        .filter(|name| name.kind() != HistoryKind::Place)
    {
        let known = OwnBlocks(&owner).recall(&name.signature());
        let block = SignedBlock::of_history(name, session, known.as_deref());
        signed::remember(&owner, &[block]);
    }
}

/// Keeps what a client may send as a signature apart from the names of history.
fn shelf_owner(owner: &str) -> String {
    format!("history of {owner}")
}
