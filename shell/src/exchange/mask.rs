//! Masking a request, with the session that it belongs to.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Leaves, Masked, NoMemory, Request, Schema, Scope, Session};

use super::context::Shared;
use crate::error::Fault;
use crate::session::{Identity, Owner, Saved};
use crate::vault::Key;

/// A request that was read, and is not masked yet.
#[derive(Debug)]
pub(super) struct Unmasked {
    request: Request,
    /// What the detectors found that must be waited for, where there are any.
    found: Option<Leaves>,
    owner: Owner,
    bytes: usize,
    took: Duration,
}

/// A masked request, and what became of its session.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) masked: Masked,
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
        body: Vec<u8>,
        metadata: Option<String>,
        owner: Owner,
    ) -> Result<Self, Fault> {
        let bytes = body.len();
        let engine = shared.engine.clone();
        let read = move || {
            let began = Instant::now();
            let request = engine.request(schema, body);
            (request, began.elapsed())
        };
        let (request, took) = shared.heavy.run(bytes, read).await?;
        let mut request = request?;
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

    /// The request itself.
    pub(super) fn request(&self) -> &Request {
        &self.request
    }

    /// Masks the request with its session, and keeps what the session gained.
    ///
    /// # Errors
    /// The engine's, the detectors' and the vault's, as a fault.
    pub(super) async fn mask(
        mut self,
        shared: &Arc<Shared>,
        identity: &Identity,
    ) -> Result<Done, Fault> {
        if !shared.detectors.is_empty() {
            // Seldom needed and large: kept out of every exchange's future.
            let lasts = identity.stored.is_some();
            self = Box::pin(self.scan(shared, lasts)).await?;
        }
        let Some(stored) = &identity.stored else {
            return self.mask_alone(shared).await;
        };
        if stored.scope != Scope::default() {
            self.request = self.request.with_scope(stored.scope);
        }
        self.mask_kept(shared, stored.key.clone()).await
    }

    /// Has the detectors look that must be waited for.
    async fn scan(self, shared: &Arc<Shared>, lasts: bool) -> Result<Self, Fault> {
        let began = Instant::now();
        let known = shared.signed_blocks.of(self.owner);
        let bytes = self.bytes;
        let read = move || {
            // A session that lasts may hold other values under the tokens of a signed text. Then that
            // is masked, and must have been looked at.
            let leaves = if lasts {
                self.request.leaves(&NoMemory)
            } else {
                self.request.leaves(&known)
            };
            (leaves, self)
        };
        let (leaves, mut read) = shared.heavy.run(bytes, read).await?;
        let (leaves, scanned) = shared.detectors.scan(leaves).await?;
        shared.metrics.count_llm_fallbacks(scanned.llm_fallbacks);
        read.found = Some(leaves);
        read.took += began.elapsed();
        Ok(read)
    }

    /// With a session that ends with the exchange.
    async fn mask_alone(self, shared: &Arc<Shared>) -> Result<Done, Fault> {
        let bytes = self.bytes;
        let of_work = Arc::clone(shared);
        let work = move || {
            let mut attempt = self;
            let masked = attempt.mask_here(&of_work, &mut Session::new())?;
            Ok(attempt.done(masked, false))
        };
        shared.heavy.run(bytes, work).await?
    }

    /// With a session of the vault: again, as long as others change it in the meantime.
    async fn mask_kept(mut self, shared: &Arc<Shared>, key: Key) -> Result<Done, Fault> {
        let mut held = shared.sessions.load(key).await?;
        loop {
            let bytes = self.bytes + held.bytes();
            let of_work = Arc::clone(shared);
            let work = move || {
                let mut session = of_work.sessions.open(&mut held)?;
                let masked = self.mask_here(&of_work, &mut session)?;
                Ok::<_, Fault>((self, held, session, masked))
            };
            let (attempt, opened, session, masked) = shared.heavy.run(bytes, work).await??;
            match shared.sessions.save(opened, &session).await? {
                Saved::Created => return Ok(attempt.done(masked, true)),
                Saved::Kept => return Ok(attempt.done(masked, false)),
                Saved::Again(as_it_is) => (self, held) = (attempt, as_it_is),
            }
        }
    }

    fn mask_here(&mut self, shared: &Shared, session: &mut Session) -> Result<Masked, Fault> {
        let began = Instant::now();
        let known = shared.signed_blocks.of(self.owner);
        let masked = match &self.found {
            Some(found) => self.request.mask_with(session, &known, found)?,
            None => self.request.mask(session, &known)?,
        };
        self.took += began.elapsed();
        shared.observed.masked(&masked.summary, session);
        Ok(masked)
    }

    fn done(self, masked: Masked, created: bool) -> Done {
        Done {
            masked,
            created,
            took: self.took,
        }
    }
}
