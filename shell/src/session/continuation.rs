//! Stores what a later request needs to continue a reply.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{HistoryKind, HistoryName, Session};

use super::identity::HistoryOwner;
use super::remembered::Snapshot;
use super::{SessionCandidates, SessionId, Sessions};
use crate::vault::{Claim, Link};

/// Links what a reply can be named by to the session that issued its tokens.
#[derive(Debug)]
pub(crate) struct ReplyLinks {
    holder: HistoryOwner,
    subject: Subject,
    /// Whether the session of the exchange outlives it.
    outlives: Arc<AtomicBool>,
}

#[derive(Debug)]
enum Subject {
    /// A session of the vault.
    Kept(Link),
    /// One of this exchange, which goes into the vault only if the provider keeps the reply.
    Unsaved(SessionId, Arc<Snapshot>),
    /// The vault failed: the history will not be known, which is safe.
    Lost,
}

impl ReplyLinks {
    /// For a session of the vault.
    pub(crate) fn kept(candidates: &SessionCandidates, link: Link) -> Self {
        Self::of(candidates, Subject::Kept(link))
    }

    /// For a session of this exchange alone.
    pub(crate) fn alone(candidates: &SessionCandidates, id: SessionId, session: &Session) -> Self {
        Self::of(
            candidates,
            Subject::Unsaved(
                id,
                Snapshot::new(session.clone(), candidates.unseen.is_partial),
            ),
        )
    }

    fn of(candidates: &SessionCandidates, subject: Subject) -> Self {
        Self {
            holder: candidates.holder,
            subject,
            outlives: Arc::default(),
        }
    }

    /// Tells, now and later, whether the session outlives the exchange.
    pub(crate) fn outlives(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.outlives)
    }

    /// Keeps the session under names that the reply brought. A failure is logged only.
    pub(crate) async fn keep(&mut self, sessions: &Sessions, names: &[HistoryName]) {
        if !sessions.restores {
            return;
        }
        let is_kept = names.iter().any(|name| name.kind() != HistoryKind::Sealed);
        if let Subject::Unsaved(id, snapshot) = &self.subject {
            if !is_kept || snapshot.session().is_empty() {
                let remembered = &sessions.remembered;
                return remembered.put(self.holder, names, snapshot, Claim::Shared);
            }
            self.outlives.store(true, Ordering::Relaxed);
            self.subject = match sessions.keep(self.holder, id, snapshot.session()).await {
                Ok(link) => Subject::Kept(link),
                Err(error) => {
                    tracing::warn!(
                        error = error.class(),
                        "a session can't be kept for its history"
                    );
                    self.outlives.store(false, Ordering::Relaxed);
                    Subject::Lost
                }
            };
        }
        if let Subject::Kept(link) = &self.subject
            && !sessions.link(self.holder, names, link, Claim::Shared).await
        {
            self.subject = Subject::Lost;
        }
    }
}
