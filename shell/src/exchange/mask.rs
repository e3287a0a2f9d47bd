//! Masks a request with the session that it belongs to.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{HistoryName, Leaves, Masked, NoMemory, Request, Schema, Scope, Session};

use http::HeaderMap;

use super::context::Shared;
use super::headers;
use super::heavy::Work;
use super::read_ahead::mask_helped;
use crate::error::Fault;
use crate::session::{
    Held, Identity, Owner, Place, ReplyLinks, Saved, SessionCandidates, SessionChoice, SessionId,
    SessionSource, UnsavedStart,
};

/// A request that was read, and is not masked yet.
#[derive(Debug)]
pub(super) struct Unmasked {
    request: Request,
    /// What external detectors found, where there are any.
    found: Option<Leaves>,
    owner: Owner,
    bytes: usize,
    took: Duration,
}

/// A masked request, and what became of its session.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) masked: Masked,
    /// The session that it was.
    pub(super) identity: Identity,
    /// What keeps it for later requests.
    pub(super) reply_links: ReplyLinks,
    /// Whether the provider holds history whose tokens are unknown.
    pub(super) is_unknown: bool,
    /// Whether the session was made for this request and lasts.
    pub(super) created: bool,
    /// How long masking took, without the vault.
    pub(super) took: Duration,
}

impl Unmasked {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// The engine's, as a fault.
    pub(super) async fn read(
        shared: &Shared,
        schema: Schema,
        path: &str,
        headers: &HeaderMap,
        body: Vec<u8>,
        metadata: Option<String>,
        owner: Owner,
    ) -> Result<Self, Fault> {
        let bytes = body.len();
        let engine = shared.engine.clone();
        let content_type = headers::content_types(headers);
        let read = move || {
            let began = Instant::now();
            let request = engine.request_of_type(schema, content_type.as_deref(), body);
            (request, began.elapsed())
        };
        let (request, took) = shared.heavy.run(Work::Read, bytes, read).await?;
        // Where the session is given, other headers name the provider's history.
        let given = headers.get(headers::SESSION);
        let is_given = given.is_some_and(|name| !name.is_empty());
        let names_session = |name: &str| !is_given && shared.sessions.is_named_by(name);
        let mut request = request?
            .with_path(path)
            // A session that lasts has tokens that mean the same in each request.
            .with_headers(headers::pairs(headers).filter(|(name, _)| !names_session(name)))
            .with_session_headers(
                headers::pairs(headers)
                    .filter(|(name, _)| names_session(name) || *name == "user-agent"),
            );
        if let Some(metadata) = &metadata {
            request = request.with_metadata_header(metadata);
        }
        Ok(Self {
            request,
            found: None,
            owner,
            bytes,
            took,
        })
    }

    /// The same with its request changed.
    pub(super) fn with(self, change: impl FnOnce(Request) -> Request) -> Self {
        Self {
            request: change(self.request),
            ..self
        }
    }

    /// Of the names of signed thinking, keeps these.
    pub(super) fn keep_known(&mut self, known: &BTreeSet<HistoryName>) {
        self.request.keep_known(|name| known.contains(name));
    }

    /// The request itself.
    pub(super) fn request(&self) -> &Request {
        &self.request
    }

    /// What external detectors found.
    pub(super) fn found(&self) -> Option<&Leaves> {
        self.found.as_ref()
    }

    /// Masks the request with the first session of its course that is safe, and keeps what the
    /// session gained.
    ///
    /// # Errors
    /// The engine's, the detectors' and the vault's, as a fault.
    pub(super) async fn mask(
        mut self,
        shared: &Arc<Shared>,
        mut candidates: SessionCandidates,
    ) -> Result<Done, Fault> {
        if !shared.detectors.is_empty() {
            // Seldom needed and large: kept out of every exchange's future.
            self = Box::pin(self.scan(shared, candidates.may_know_more())).await?;
        }
        let mut chosen = shared.sessions.choose(&mut candidates).await?;
        loop {
            let (held, place) = match chosen {
                SessionChoice::Held(held, place) => (held, place),
                SessionChoice::Unsaved(alone) => {
                    return self.mask_alone(shared, &candidates, alone).await;
                }
            };
            match self.mask_held(shared, &candidates, held, place).await? {
                Attempt::Done(done) => return Ok(*done),
                Attempt::Again(attempt, held) => {
                    self = *attempt;
                    chosen = shared.sessions.choose_again(&mut candidates, *held).await?;
                }
            }
        }
    }

    /// Runs the external detectors.
    pub(super) async fn scan(self, shared: &Arc<Shared>, lasts: bool) -> Result<Self, Fault> {
        let began = Instant::now();
        let known = shared.signed_blocks.of(self.owner);
        let bytes = self.bytes;
        let read = move || {
            // A lasting session may have other values for the tokens of a signed text. Then the
            // text is masked, and must have been scanned.
            let leaves = if lasts {
                self.request.leaves(&NoMemory)
            } else {
                self.request.leaves(&known)
            };
            (leaves, self)
        };
        let (leaves, mut read) = shared.heavy.run(Work::Read, bytes, read).await?;
        let asks = |detector: &str| read.request.asks(detector);
        let (leaves, scanned) = shared.detectors.scan_by(leaves, asks).await?;
        shared.metrics.count_llm_fallbacks(scanned.llm_fallbacks);
        read.found = Some(leaves);
        read.took += began.elapsed();
        Ok(read)
    }

    /// With a session that is in no vault, or not yet.
    async fn mask_alone(
        mut self,
        shared: &Arc<Shared>,
        candidates: &SessionCandidates,
        alone: UnsavedStart,
    ) -> Result<Done, Fault> {
        let (bytes, is_known) = (self.bytes, alone.is_known());
        let identity = alone.identity.clone();
        self.request.know_history(is_known);
        self.request.refer(candidates.referred().to_vec());
        let of_work = Arc::clone(shared);
        let work = move || {
            let mut session = alone.session();
            let masked = self.mask_here(&of_work, &mut session)?;
            Ok::<_, Fault>((self, session, masked))
        };
        let (attempt, session, masked) = shared.heavy.run(Work::Mask, bytes, work).await??;
        shared.sessions.remember_history(candidates, &session);
        let reply_links = ReplyLinks::alone(candidates, identity.id.clone(), &session);
        Ok(attempt.done(candidates, masked, identity, reply_links, false))
    }

    /// With a session of the vault.
    async fn mask_held(
        mut self,
        shared: &Arc<Shared>,
        candidates: &SessionCandidates,
        mut held: Box<Held>,
        place: Place,
    ) -> Result<Attempt, Fault> {
        let bytes = self.bytes + held.bytes();
        let request = self.request.with_scope(place.scope);
        self.request = request.with_most_values(held.most_values());
        self.request.know_history(place.is_known);
        if held.has_room_for(candidates.referred()) {
            self.request.refer(candidates.referred().to_vec());
        }
        let of_work = Arc::clone(shared);
        let work = move || {
            let mut session = of_work.sessions.open(&mut held)?;
            let masked = self.mask_here(&of_work, &mut session)?;
            Ok::<_, Fault>((self, held, session, masked))
        };
        let (attempt, held, session, masked) = shared.heavy.run(Work::Mask, bytes, work).await??;
        let Place {
            identity, scope, ..
        } = place;
        if held.is_new() && session.is_empty() && identity.source == SessionSource::History {
            let reply_links = ReplyLinks::alone(candidates, SessionId::random(), &session);
            shared.sessions.remember_history(candidates, &session);
            return Ok(attempt
                .done(candidates, masked, identity, reply_links, false)
                .into());
        }
        let (link, created) = match shared.sessions.save(*held, &session).await? {
            Saved::Created(link) => (link, true),
            Saved::Kept(link) => (link, false),
            Saved::Again(held) => return Ok(Attempt::Again(Box::new(attempt), Box::new(held))),
        };
        shared.sessions.link_history(candidates, &link).await;
        let reply_links = if scope == Scope::OwnTokens && identity.is_guess() {
            // Others may share the session by chance, so a request that continues this reply gets
            // only what it contains.
            ReplyLinks::alone(candidates, SessionId::random(), masked.restoring.session())
        } else {
            ReplyLinks::kept(candidates, link)
        };
        Ok(attempt
            .done(candidates, masked, identity, reply_links, created)
            .into())
    }

    fn mask_here(&mut self, shared: &Shared, session: &mut Session) -> Result<Masked, Fault> {
        let began = Instant::now();
        let known = shared.signed_blocks.of(self.owner);
        let helpers = shared.heavy.helpers(Work::Mask, self.bytes);
        let masked = mask_helped(helpers, self.bytes, &self.request, &known, || {
            match &self.found {
                Some(found) => self.request.mask_with(session, &known, found),
                None => self.request.mask(session, &known),
            }
        })?;
        self.took += began.elapsed();
        shared.observed.masked(&masked.summary, session);
        Ok(masked)
    }

    fn done(
        self,
        candidates: &SessionCandidates,
        masked: Masked,
        identity: Identity,
        reply_links: ReplyLinks,
        created: bool,
    ) -> Done {
        Done {
            masked,
            identity,
            reply_links,
            is_unknown: candidates.is_unknown(),
            created,
            took: self.took,
        }
    }
}

/// What became of masking with a session that others may change.
enum Attempt {
    Done(Box<Done>),
    Again(Box<Unmasked>, Box<Held>),
}

impl From<Done> for Attempt {
    fn from(done: Done) -> Self {
        Self::Done(Box::new(done))
    }
}
