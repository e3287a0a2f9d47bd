//! One call of a gateway: its session, its work, and its audit line.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{MaskedBody, RestoreSummary, Schema, Session};
use http::{HeaderMap, Method, StatusCode};

use super::super::context::Shared;
use super::super::heavy::Work;
use super::super::mask::{Done, Unmasked};
use crate::audit::{Event, Line};
use crate::error::{self, Fault, Phase};
use crate::log::Access;
use crate::session::{Caller, Identity, RequestId, SessionId};

/// A call. Dropped before its end, it records that the caller left.
#[derive(Debug)]
pub(super) struct Call {
    shared: Arc<Shared>,
    request: RequestId,
    path: &'static str,
    began: Instant,
    session: Option<SessionId>,
    over: bool,
}

impl Call {
    pub(super) fn begin(shared: &Arc<Shared>, path: &'static str) -> Self {
        shared.metrics.begin_exchange();
        Self {
            shared: Arc::clone(shared),
            request: RequestId::random(),
            path,
            began: Instant::now(),
            session: None,
            over: false,
        }
    }

    pub(super) fn request(&self) -> RequestId {
        self.request
    }

    /// Masks a body with a session that lasts.
    ///
    /// # Errors
    /// As those of the proxy; and when the body leans on history that the provider holds.
    pub(super) async fn mask(
        &mut self,
        schema: Schema,
        body: Vec<u8>,
        identity: Identity,
    ) -> Result<MaskedBody, Fault> {
        let shared = Arc::clone(&self.shared);
        let nobody = HeaderMap::new();
        let nobody = Caller::of_headers(&nobody);
        let owner = shared.owner_key.owner(nobody);
        // The gateway's own path is unrelated to the provider's, which is unknown.
        let mut unmasked =
            Unmasked::read(&shared, schema, "", &HeaderMap::new(), body, None, owner).await?;
        unmasked.keep_known(&BTreeSet::new());
        let history = unmasked.request().history();
        let is_assumed = history.is_assumed();
        if !history.is_empty() && !is_assumed {
            return Err(Fault::GatewayHistory);
        }
        self.session = Some(identity.id.clone());
        let mut candidates = shared.sessions.plain_candidates(identity, nobody);
        if is_assumed {
            candidates = candidates.deriving();
        }
        let Done {
            masked,
            created,
            took,
            ..
        } = unmasked.mask(&shared, candidates).await?;
        if created {
            self.write(Event::SessionCreated, |line| line.text("source", "gateway"));
        }
        let summary = &masked.summary;
        shared.metrics.count_unread(summary.unread);
        shared.metrics.count_delay(took);
        if summary.transformations > 0 {
            shared.metrics.count_entities(&summary.entity_counts);
            let counts = summary.entity_counts.iter();
            let counts = counts.map(|(entity, count)| (entity.as_str(), *count));
            let path = self.path;
            self.write(Event::SessionTransform, |line| {
                line.text("path", path)
                    .counts("entity_counts", counts)
                    .number("transformations", summary.transformations)
                    .findings(&summary.sightings)
            });
        }
        Ok(masked.body)
    }

    /// Opens a session that was masked with; `None` when there is none.
    ///
    /// # Errors
    /// When the vault fails.
    pub(super) async fn open(&mut self, identity: Identity) -> Result<Option<Session>, Fault> {
        let Some(stored) = identity.stored else {
            return Ok(None);
        };
        let mut held = self.shared.sessions.load(stored.key).await?;
        if held.is_new() {
            return Ok(None);
        }
        self.session = Some(identity.id);
        let (shared, bytes) = (Arc::clone(&self.shared), held.bytes());
        let open = move || shared.sessions.open(&mut held);
        Ok(Some(
            self.shared.heavy.run(Work::Restore, bytes, open).await??,
        ))
    }

    /// Restores texts in a session, as far as they came.
    ///
    /// # Errors
    /// When the work broke off.
    pub(super) async fn restore(
        &self,
        session: Session,
        texts: Vec<String>,
    ) -> Result<Vec<Restored>, Fault> {
        let bytes = texts.iter().map(String::len).sum();
        let restore = move || {
            let texts = texts.into_iter();
            let restored = texts.map(|text| {
                let (restored, held, summary) = session.restore_so_far(&text);
                Restored {
                    text: restored,
                    held,
                    summary,
                }
            });
            restored.collect::<Vec<_>>()
        };
        let restored = self.shared.heavy.run(Work::Restore, bytes, restore).await?;
        for text in &restored {
            self.restored(&text.summary);
        }
        Ok(restored)
    }

    /// Restores a reply of this schema in a session.
    ///
    /// # Errors
    /// When the work broke off.
    pub(super) async fn restore_body(
        &self,
        session: Session,
        schema: Schema,
        body: Vec<u8>,
    ) -> Result<Vec<u8>, Fault> {
        let (engine, bytes) = (self.shared.engine.clone(), body.len());
        let restore = move || {
            let mut session = session;
            let nothing = engine.request(schema, Vec::new())?;
            let masked = nothing.mask(&mut session, &engine::NoMemory)?;
            let mut reply = masked.restoring.reply(Some("application/json"));
            let mut restored = Vec::with_capacity(body.len());
            reply.push(&body, &mut restored);
            reply.finish(&mut restored);
            Ok::<_, engine::Error>((restored, reply.summary().clone()))
        };
        let restored = self.shared.heavy.run(Work::Restore, bytes, restore).await?;
        let (body, summary) = restored?;
        self.restored(&summary);
        Ok(body)
    }

    fn restored(&self, summary: &RestoreSummary) {
        self.shared.metrics.count_restored(summary);
        if summary.restored > 0 {
            self.write(Event::SessionRestore, |line| {
                line.number("transformations", summary.restored)
            });
        }
    }

    /// The call was answered.
    pub(super) fn answered(&mut self) {
        self.end(Some(StatusCode::OK));
    }

    /// The call failed.
    pub(super) fn failed(&mut self, fault: Fault) {
        if fault == Fault::ClientLeft {
            return self.end(None);
        }
        self.over = true;
        self.log(Some(error::status(fault)));
        let phase = match fault {
            Fault::Vault(_) => Phase::Vault,
            _ => Phase::Transform,
        };
        let took = self.began.elapsed();
        self.shared.record_failure(self.request, fault, phase, took);
    }

    fn end(&mut self, status: Option<StatusCode>) {
        self.over = true;
        self.log(status);
        let took = self.began.elapsed();
        self.write(Event::GuardrailCall, |line| {
            let line = line.text("path", self.path);
            let line = match status {
                Some(status) => line.number("status", status.as_u16().into()),
                None => line.flag("aborted", true),
            };
            line.milliseconds("duration_ms", took)
        });
    }

    fn log(&self, status: Option<StatusCode>) {
        self.shared.access.write(&Access {
            request: self.request,
            method: &Method::POST,
            path: self.path,
            status,
            took: self.began.elapsed(),
        });
    }

    fn write(&self, event: Event, fields: impl FnOnce(Line<'_>) -> Line<'_>) {
        self.shared.metrics.count_event(event);
        let mut line = Vec::with_capacity(256);
        let begun = Line::begin(&mut line, event, self.request, self.session.as_ref());
        fields(begun).end();
        self.shared.audit.append(&line);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if !self.over {
            if std::thread::panicking() {
                let took = Duration::ZERO;
                let fault = Fault::WorkStopped;
                self.shared
                    .record_failure(self.request, fault, Phase::Transform, took);
            } else {
                self.end(None);
            }
        }
        self.shared.metrics.end_exchange();
    }
}

/// A restored text.
pub(super) struct Restored {
    pub(super) text: String,
    /// How many of its last characters may change when more comes.
    pub(super) held: usize,
    summary: RestoreSummary,
}
