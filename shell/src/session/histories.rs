//! Finds the session that continues history that a provider holds (decisions, 7.5).
//!
//! A token means one value for as long as a provider may hold it. A session that counts is used only
//! with history that is known to be its own; any other history gets a session whose numbers are
//! derived, so that none of its tokens can be one of the history.
//!
//! ```text
//! names in a request ─► links in the vault ─┬─► one session          it continues
//!                   └─► remembered here ────┼─► sessions that agree   an ephemeral one starts from them
//!                                           └─► neither               numbers are derived
//! ```
//!
//! Of sessions that contradict each other, and of what many requests use ([`History::references`]), only the tokens
//! come back that are derived from their values: what was counted may mean two things.

use engine::{History, HistoryKind, HistoryName, Scope, Sensitive, Session};

use super::candidates::{Durability, Place, SessionCandidates, SessionChoice, UnsavedStart};
use super::identity::{HistoryOwner, Identities};
use super::remembered::Snapshot;
use super::sessions::{Held, Sessions};
use super::{Caller, Identity};
use crate::vault::{Claim, Link, VaultError};

impl Sessions {
    /// Whether a request contains all its history, so that nothing else matters.
    pub(crate) fn is_plain(&self, history: &History) -> bool {
        let leans = !history.is_empty() || !history.references().is_empty();
        !(leans || history.is_of_session() || history.is_kept() && self.derives())
    }

    /// The session of a request that shows all that its provider knows.
    pub(crate) fn plain_candidates(
        &self,
        identity: Identity,
        caller: Caller<'_>,
    ) -> SessionCandidates {
        SessionCandidates::plain(Identities::holder(self.settings, caller), identity)
    }

    /// Which sessions a request that leans on history, or uses what many share, may be masked with. `identity` is what its headers and the strategy
    /// say.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn candidates(
        &self,
        identity: Identity,
        history: &History,
        caller: Caller<'_>,
    ) -> Result<SessionCandidates, VaultError> {
        let holder = Identities::holder(self.settings, caller);
        if !self.restores {
            return Ok(SessionCandidates::plain(holder, identity));
        }
        let mut candidates = if history.is_empty() {
            SessionCandidates::plain(holder, identity)
        } else {
            self.leaning_course(holder, identity, history).await?
        };
        if history.is_kept() && self.derives() && candidates.alone.seed.is_none() {
            // While the vault is down the session can't be kept.
            let identities = self.identities().await;
            let identities = identities.as_ref().unwrap_or(&self.local);
            candidates.alone.seed = Some(seed(identities, holder, history));
        }
        candidates.alone.derives = self.derives();
        candidates.derives = history.is_of_session();
        // While the vault is down their tokens only stay.
        if let Ok(sessions) = self.referred(holder, history.references()).await {
            candidates.referred.extend(sessions);
        }
        Ok(candidates)
    }

    /// Whether new sessions derive numbers from values. If the vault may lose changes, a counted
    /// number could be issued again for another value.
    fn derives(&self) -> bool {
        self.counts && self.vault.may_lose_changes()
    }

    async fn leaning_course(
        &self,
        holder: HistoryOwner,
        identity: Identity,
        history: &History,
    ) -> Result<SessionCandidates, VaultError> {
        let identity = if self.counts {
            given(identity)
        } else {
            whole(identity)
        };
        let is_ephemeral = identity.stored.is_none();
        match self.leaning(holder, identity.clone(), history).await {
            Err(_) if is_ephemeral => {
                let mut candidates = SessionCandidates::plain(holder, identity.clone());
                candidates.unseen.is_unknown = true;
                self.add_unknown(&mut candidates, &self.local, identity, history);
                candidates.waiting.clear();
                Ok(candidates)
            }
            candidates => candidates,
        }
    }

    /// The course of a request that refers to history.
    async fn leaning(
        &self,
        holder: HistoryOwner,
        identity: Identity,
        history: &History,
    ) -> Result<SessionCandidates, VaultError> {
        let identities = &self.identities().await?;
        let mut known = self.known(identities, holder, history.names()).await?;
        let mut candidates = SessionCandidates::plain(holder, identity.clone());
        candidates.names = history.names().to_vec();
        if let ([link], true, true) = (&*known.links, known.is_complete, known.snapshots.is_empty())
            && !history.may_hide()
            && let Some(followed) = Identities::of_link(link.clone())
        {
            candidates.waiting.clear();
            candidates.offer(followed, Durability::MadeAt(link.created));
            candidates.linked = Some(link.clone());
            self.add_unknown(&mut candidates, identities, identity, history);
            return Ok(candidates);
        }
        if !known.links.is_empty() {
            self.read_all(&mut known).await?;
            candidates.referred = known.sessions();
            // Turns stay as they are: each one still leads to its own session.
            candidates
                .names
                .retain(|name| name.kind() == HistoryKind::Place);
        }
        candidates.unseen.is_partial = known.is_partial || known.is_lacking;
        if known.is_complete && !grows(history) && !history.may_hide() {
            candidates.alone.seed = Some(seed(identities, holder, history));
            if known.snapshots.is_empty() {
                return Ok(candidates);
            }
            candidates.alone.recalled = known.snapshots;
            if identity.stored.is_none() {
                return Ok(candidates);
            }
        } else {
            candidates.unseen.is_unknown = known.is_lacking;
            candidates.alone.recalled = known.snapshots;
        }
        candidates.waiting.clear();
        self.add_unknown(&mut candidates, identities, identity, history);
        Ok(candidates)
    }

    /// Adds what a request is masked with if nobody knows what the tokens of its history mean.
    fn add_unknown(
        &self,
        candidates: &mut SessionCandidates,
        identities: &Identities,
        identity: Identity,
        history: &History,
    ) {
        if !self.counts {
            candidates.alone.identity = identity.clone();
            return candidates.offer(identity, Durability::Nothing);
        }
        candidates.offer(identity, Durability::DerivedNumbers);
        candidates.alone.is_unknown = true;
        candidates.alone.seed = Some(seed(identities, candidates.holder, history));
        // A turn that is known has its session already.
        let is_new = candidates.unseen.is_unknown || grows(history) || !history.may_hide();
        if history.is_kept() && is_new {
            let own = identities.of_history(candidates.holder, &history.first());
            candidates.offer(own, Durability::DerivedNumbers);
        }
    }

    /// Takes the first session of a course that is safe.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn choose(
        &self,
        candidates: &mut SessionCandidates,
    ) -> Result<SessionChoice, VaultError> {
        while let Some(candidate) = candidates.waiting.front() {
            let held = match self.load(candidate.key.clone()).await {
                Err(_) if candidates.is_ephemeral => {
                    candidates.give_up();
                    continue;
                }
                held => held?,
            };
            if let Some(chosen) = self.accepted(candidates, held).await? {
                return Ok(chosen);
            }
        }
        let alone = UnsavedStart::plain(candidates.alone.identity.clone());
        Ok(SessionChoice::Unsaved(std::mem::replace(
            &mut candidates.alone,
            alone,
        )))
    }

    /// Takes a session that another request changed meanwhile, if it still is safe.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn choose_again(
        &self,
        candidates: &mut SessionCandidates,
        held: Held,
    ) -> Result<SessionChoice, VaultError> {
        match self.accepted(candidates, held).await? {
            Some(chosen) => Ok(chosen),
            None => Box::pin(self.choose(candidates)).await,
        }
    }

    /// The session of the first candidate, where it is safe; else that candidate is dropped.
    async fn accepted(
        &self,
        candidates: &mut SessionCandidates,
        mut held: Held,
    ) -> Result<Option<SessionChoice>, VaultError> {
        let Some(candidate) = candidates.waiting.front() else {
            return Ok(None);
        };
        if !candidate.accepts(held.made()) {
            candidates.unseen.is_unknown |= candidates.linked.take().is_some();
            candidates.waiting.pop_front();
            return Ok(None);
        }
        let making = candidate.making(self.derives() || self.counts && candidates.derives);
        let seed = self.identities().await?.seed(&candidate.key);
        held.begin(making, seed);
        let place = Place {
            identity: candidate.identity.clone(),
            scope: candidate.scope,
            is_known: candidate.needs != Durability::DerivedNumbers,
        };
        Ok(Some(SessionChoice::Held(Box::new(held), place)))
    }

    /// Links the ids of a request's history to the session that it was masked with, so that the
    /// next request with them shares that session. A failure only means that they don't.
    pub(crate) async fn link_history(&self, candidates: &SessionCandidates, link: &Link) {
        if candidates.names.is_empty() || candidates.linked.as_ref() == Some(link) {
            return;
        }
        self.link(candidates.holder, &candidates.names, link, Claim::Taken)
            .await;
    }

    /// The same for a session that is in no vault.
    pub(crate) fn remember_history(&self, candidates: &SessionCandidates, session: &Session) {
        if !candidates.names.is_empty() && self.restores {
            let snapshot = Snapshot::new(session.clone(), candidates.unseen.is_partial);
            self.remembered.put(
                candidates.holder,
                &candidates.names,
                &snapshot,
                Claim::Taken,
            );
        }
    }

    /// Remembers files that hold no tokens, because a client uploaded them.
    pub(crate) fn know_uploads(&self, holder: HistoryOwner, files: &[HistoryName]) {
        let blank = Snapshot::new(Session::new(), false);
        self.remembered.put(holder, files, &blank, Claim::Shared);
    }

    /// Whose history a caller may continue.
    pub(crate) fn holder(&self, caller: Caller<'_>) -> HistoryOwner {
        Identities::holder(self.settings, caller)
    }

    /// Links names to a session of the vault; false when that failed.
    pub(super) async fn link(
        &self,
        holder: HistoryOwner,
        names: &[HistoryName],
        link: &Link,
        claim: Claim,
    ) -> bool {
        let linked = async {
            let identities = self.identities().await?;
            let owner = identities.links(holder);
            let names = names
                .iter()
                .map(|name| identities.link(holder, name))
                .collect();
            self.vault.link(&owner, names, link.clone(), claim).await
        };
        let linked = linked.await;
        if let Err(error) = &linked {
            tracing::warn!(
                error = error.class(),
                "history can't be linked to its session"
            );
        }
        linked.is_ok()
    }
}

/// Without what is only a guess, because the history is more reliable.
fn given(identity: Identity) -> Identity {
    match &identity.stored {
        Some(stored) if stored.is_guess => Identity::ephemeral(),
        _ => identity,
    }
}

/// With its whole session, unless that is a guess: the body does not contain the history.
fn whole(mut identity: Identity) -> Identity {
    if let Some(stored) = identity.stored.as_mut().filter(|stored| !stored.is_guess) {
        stored.scope = Scope::Session;
    }
    identity
}

/// Whether others may add to the history meanwhile.
fn grows(history: &History) -> bool {
    let mut kinds = history.names().iter().map(HistoryName::kind);
    kinds.any(|kind| kind == HistoryKind::Place)
}

fn seed(identities: &Identities, holder: HistoryOwner, history: &History) -> Sensitive<[u8; 32]> {
    identities.seed_of_history(holder, &history.first())
}
