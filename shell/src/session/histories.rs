//! Which session goes on with history that a provider holds (decisions, 7.5).
//!
//! A token means one value for as long as a provider may hold it. A session that counts is used only
//! with history that is known to be its own; any other history gets a session whose numbers are
//! derived, so that none of its tokens can be one of the history.
//!
//! ```text
//! names in a request ─► links in the vault ─┬─► one session          it goes on
//!                   └─► remembered here ────┼─► sessions that agree   an ephemeral one starts from them
//!                                           └─► neither               numbers are derived
//! ```
//!
//! Of sessions that contradict each other, and of what many requests use ([`History::references`]), only the tokens
//! come back that are derived from their values: what was counted may mean two things.

use engine::{History, HistoryKind, HistoryName, Scope, Sensitive, Session};

use super::candidates::{Alone, Chosen, Course, Needs, Place};
use super::identity::{Holder, Identities};
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
    pub(crate) fn plain_course(&self, identity: Identity, caller: Caller<'_>) -> Course {
        Course::plain(Identities::holder(self.settings, caller), identity)
    }

    /// Which sessions a request that leans on history, or uses what many share, may be masked with. `identity` is what its headers and the strategy
    /// say.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn course(
        &self,
        identity: Identity,
        history: &History,
        caller: Caller<'_>,
    ) -> Result<Course, VaultError> {
        let holder = Identities::holder(self.settings, caller);
        if !self.restores {
            return Ok(Course::plain(holder, identity));
        }
        let mut course = if history.is_empty() {
            Course::plain(holder, identity)
        } else {
            self.leaning_course(holder, identity, history).await?
        };
        if history.is_kept() && self.derives() && course.alone.seed.is_none() {
            // While the vault is down the session can't be kept.
            let identities = self.identities().await;
            let identities = identities.as_ref().unwrap_or(&self.local);
            course.alone.seed = Some(seed(identities, holder, history));
        }
        course.alone.derives = self.derives();
        course.derives = history.is_of_session();
        // While the vault is down their tokens only stay.
        if let Ok(sessions) = self.referred(holder, history.references()).await {
            course.referred.extend(sessions);
        }
        Ok(course)
    }

    /// Whether new sessions derive numbers from values. If the vault may lose changes, a counted
    /// number could be issued again for another value.
    fn derives(&self) -> bool {
        self.counts && self.vault.may_lose_changes()
    }

    async fn leaning_course(
        &self,
        holder: Holder,
        identity: Identity,
        history: &History,
    ) -> Result<Course, VaultError> {
        let identity = if self.counts {
            given(identity)
        } else {
            whole(identity)
        };
        let is_ephemeral = identity.stored.is_none();
        match self.leaning(holder, identity.clone(), history).await {
            Err(_) if is_ephemeral => {
                let mut course = Course::plain(holder, identity.clone());
                course.is_unknown = true;
                self.add_unknown(&mut course, &self.local, identity, history);
                course.candidates.clear();
                Ok(course)
            }
            course => course,
        }
    }

    /// The course of a request that refers to history.
    async fn leaning(
        &self,
        holder: Holder,
        identity: Identity,
        history: &History,
    ) -> Result<Course, VaultError> {
        let identities = &self.identities().await?;
        let mut known = self.known(identities, holder, history.names()).await?;
        let mut course = Course::plain(holder, identity.clone());
        course.names = history.names().to_vec();
        if let ([link], true, true) = (&*known.links, known.is_complete, known.snapshots.is_empty())
            && !history.may_hide()
            && let Some(followed) = Identities::of_link(link.clone())
        {
            course.candidates.clear();
            course.offer(followed, Needs::MadeAt(link.created));
            course.linked = Some(link.clone());
            self.add_unknown(&mut course, identities, identity, history);
            return Ok(course);
        }
        if !known.links.is_empty() {
            self.read_all(&mut known).await?;
            course.referred = known.sessions();
            // Turns stay as they are: each one still leads to its own session.
            course
                .names
                .retain(|name| name.kind() == HistoryKind::Place);
        }
        if known.is_complete && !grows(history) && !history.may_hide() {
            course.alone.seed = Some(seed(identities, holder, history));
            if known.snapshots.is_empty() {
                return Ok(course);
            }
            course.alone.recalled = known.snapshots;
            if identity.stored.is_none() {
                return Ok(course);
            }
        } else {
            course.is_unknown = known.is_lacking;
            course.alone.recalled = known.snapshots;
        }
        course.candidates.clear();
        self.add_unknown(&mut course, identities, identity, history);
        Ok(course)
    }

    /// Adds what a request is masked with if nobody knows what the tokens of its history mean.
    fn add_unknown(
        &self,
        course: &mut Course,
        identities: &Identities,
        identity: Identity,
        history: &History,
    ) {
        if !self.counts {
            course.alone.identity = identity.clone();
            return course.offer(identity, Needs::Nothing);
        }
        course.offer(identity, Needs::DerivedNumbers);
        course.alone.is_unknown = true;
        course.alone.seed = Some(seed(identities, course.holder, history));
        // A turn that is known has its session already.
        let is_new = course.is_unknown || grows(history) || !history.may_hide();
        if history.is_kept() && is_new {
            let own = identities.of_history(course.holder, &history.first());
            course.offer(own, Needs::DerivedNumbers);
        }
    }

    /// Takes the first session of a course that is safe.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn choose(&self, course: &mut Course) -> Result<Chosen, VaultError> {
        while let Some(candidate) = course.candidates.front() {
            let held = match self.load(candidate.key.clone()).await {
                Err(_) if course.is_ephemeral => {
                    course.give_up();
                    continue;
                }
                held => held?,
            };
            if let Some(chosen) = self.accepted(course, held).await? {
                return Ok(chosen);
            }
        }
        let alone = Alone::plain(course.alone.identity.clone());
        Ok(Chosen::Alone(std::mem::replace(&mut course.alone, alone)))
    }

    /// Takes a session that another request changed meanwhile, if it still is safe.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn choose_again(
        &self,
        course: &mut Course,
        held: Held,
    ) -> Result<Chosen, VaultError> {
        match self.accepted(course, held).await? {
            Some(chosen) => Ok(chosen),
            None => Box::pin(self.choose(course)).await,
        }
    }

    /// The session of the first candidate, where it is safe; else that candidate is dropped.
    async fn accepted(
        &self,
        course: &mut Course,
        mut held: Held,
    ) -> Result<Option<Chosen>, VaultError> {
        let Some(candidate) = course.candidates.front() else {
            return Ok(None);
        };
        if !candidate.accepts(held.made()) {
            course.is_unknown |= course.linked.take().is_some();
            course.candidates.pop_front();
            return Ok(None);
        }
        let making = candidate.making(self.derives() || self.counts && course.derives);
        let seed = self.identities().await?.seed(&candidate.key);
        held.begin(making, seed);
        let place = Place {
            identity: candidate.identity.clone(),
            scope: candidate.scope,
            is_known: candidate.needs != Needs::DerivedNumbers,
        };
        Ok(Some(Chosen::Held(Box::new(held), place)))
    }

    /// Links the ids of a request's history to the session that it was masked with, so that the
    /// next request with them shares that session. A failure only means that they don't.
    pub(crate) async fn link_history(&self, course: &Course, link: &Link) {
        if course.names.is_empty() || course.linked.as_ref() == Some(link) {
            return;
        }
        self.link(course.holder, &course.names, link, Claim::Taken)
            .await;
    }

    /// The same for a session that is in no vault.
    pub(crate) fn remember_history(&self, course: &Course, session: &Session) {
        if !course.names.is_empty() && self.restores {
            let snapshot = Snapshot::new(session.clone());
            self.remembered
                .put(course.holder, &course.names, &snapshot, Claim::Taken);
        }
    }

    /// Links names to a session of the vault; false when that failed.
    pub(super) async fn link(
        &self,
        holder: Holder,
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

fn seed(identities: &Identities, holder: Holder, history: &History) -> Sensitive<[u8; 32]> {
    identities.seed_of_history(holder, &history.first())
}
