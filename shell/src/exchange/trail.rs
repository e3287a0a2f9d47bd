//! Records an exchange: audit lines, counters, and the end of its session.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::route::Route;
use engine::{Coverage, MaskSummary, RestoreSummary, Schema};
use http::{Method, StatusCode};

use super::context::Shared;
use super::rules;
use crate::audit::{Event, Line};
use crate::error::{self, Fault, Phase};
use crate::log::Access;
use crate::session::{Identity, RequestId, SessionId, SessionSource};
use crate::traces::Span;

/// The trail of one routed exchange. Dropped before its end, it records that the client left, or
/// that the exchange met a panic.
///
/// ```text
/// session exists ──transform──► forwarded ──reply's head──► answered ──reply's end──► delivered
///        └───────────────┴──────────────────────┴──► failed | aborted
/// ```
#[derive(Debug)]
pub(super) struct Trail {
    shared: Arc<Shared>,
    request: RequestId,
    session: Option<OpenSession>,
    route: Route,
    method: Method,
    began: Instant,
    /// Forwarded unchanged.
    is_shadow: bool,
    /// The result of the policy rules, if there are any.
    ruled: Option<Ruled>,
    masked: Option<Masked>,
    answered: Option<Answered>,
    /// Audit lines that are not in the trail yet.
    lines: Vec<u8>,
    /// Where the exchange is traced.
    span: Option<Span>,
    over: bool,
}

#[derive(Debug)]
struct OpenSession {
    id: SessionId,
    source: SessionSource,
    mappings: u64,
    /// Whether it ends with the exchange, unless it is to outlive it.
    ephemeral: bool,
    /// Whether the trail has its creation.
    is_recorded: bool,
    outlives: Option<Arc<AtomicBool>>,
}

/// What rules decided.
#[derive(Debug)]
struct Ruled {
    names: String,
    detectors: Vec<&'static str>,
}

/// What masking scanned.
#[derive(Debug, Clone, Copy)]
struct Masked {
    coverage: Coverage,
    /// Whether it changed the request.
    has_values: bool,
    /// How many results of calls an error took the place of.
    asked: u64,
    took: Duration,
}

/// What is known once the reply's head arrived.
#[derive(Debug, Clone, Copy)]
struct Answered {
    status: StatusCode,
    stream: bool,
}

impl Trail {
    pub(super) fn begin(
        shared: Arc<Shared>,
        request: RequestId,
        route: Route,
        method: Method,
        mut span: Option<Span>,
    ) -> Self {
        shared.metrics.begin_exchange();
        if let Some(span) = &mut span {
            span.name(method.as_str(), &route.path);
            span.text("mask.request_id", request.as_str());
            span.text("mask.schema", route.schema.as_str());
            span.text("mask.upstream", &shared.upstream_host);
        }
        Self {
            shared,
            request,
            session: None,
            route,
            method,
            began: Instant::now(),
            is_shadow: false,
            ruled: None,
            masked: None,
            answered: None,
            lines: Vec::with_capacity(768),
            span,
            over: false,
        }
    }

    pub(super) fn schema(&self) -> Schema {
        self.route.schema
    }

    pub(super) fn request(&self) -> RequestId {
        self.request
    }

    pub(super) fn session(&self) -> Option<&SessionId> {
        self.session.as_ref().map(|session| &session.id)
    }

    /// The request is forwarded unchanged.
    pub(super) fn shadowed(&mut self) {
        self.is_shadow = true;
        if let Some(span) = &mut self.span {
            span.flag("mask.shadow");
        }
    }

    /// The rules of the policy, where there are any, decided about the request.
    pub(super) fn ruled(&mut self, request: &engine::Request) {
        if self.shared.engine.settings().rules.is_empty() {
            return;
        }
        self.ruled = Some(Ruled {
            names: rules::names(request),
            detectors: rules::detectors(&self.shared, request).into_owned(),
        });
    }

    /// It is known which session the request belongs to.
    pub(super) fn belongs_to(&mut self, identity: &Identity) {
        let ephemeral = identity.stored.is_none();
        self.session = Some(OpenSession {
            id: identity.id.clone(),
            source: identity.source,
            mappings: 0,
            ephemeral,
            is_recorded: false,
            outlives: None,
        });
    }

    /// The session may outlive the exchange; this decides.
    pub(super) fn may_outlive(&mut self, outlives: Arc<AtomicBool>) {
        if let Some(session) = &mut self.session {
            session.outlives = Some(outlives);
        }
    }

    /// Writes that a session was created for this request.
    fn session_created(&mut self) {
        let unrecorded = self.session.as_mut().filter(|session| !session.is_recorded);
        let Some(session) = unrecorded else { return };
        session.is_recorded = true;
        let source = session.source;
        self.write(Event::SessionCreated, |line| {
            line.text("source", source.as_str())
        });
    }

    /// Writes that a session ends with the exchange, if there is one.
    fn ephemeral_created(&mut self) {
        if self
            .session
            .as_ref()
            .is_some_and(|session| session.ephemeral)
        {
            self.session_created();
        }
    }

    /// The request body was masked in this time; `created` is a new session that lasts.
    pub(super) fn masked(&mut self, summary: &MaskSummary, took: Duration, created: bool) {
        if created {
            self.session_created();
        }
        self.ephemeral_created();
        if let Some(session) = &mut self.session {
            session.mappings = summary.mapping_count;
        }
        self.shared.metrics.count_unread(summary.unread);
        self.masked = Some(Masked {
            coverage: summary.coverage,
            has_values: summary.transformations > 0,
            asked: summary.asked,
            took,
        });
        if let Some(span) = &mut self.span {
            span.milliseconds("mask.masking_ms", took);
            span.count("mask.texts", summary.coverage.texts);
            span.count("mask.values", summary.transformations);
            for (entity, count) in &summary.entity_counts {
                span.count(format!("mask.values.{}", entity.as_str()), *count);
            }
        }
        if summary.transformations > 0 {
            self.shared.metrics.count_entities(&summary.entity_counts);
            let counts = summary.entity_counts.iter();
            let counts = counts.map(|(entity, count)| (entity.as_str(), *count));
            let path = Arc::clone(&self.route.path);
            self.write(Event::SessionTransform, |line| {
                line.text("path", &path)
                    .counts("entity_counts", counts)
                    .number("transformations", summary.transformations)
                    .findings(&summary.sightings)
            });
        }
        self.flush();
    }

    /// The method of the request.
    pub(super) fn method(&self) -> &Method {
        &self.method
    }

    /// The reply's head arrived.
    pub(super) fn answered(&mut self, status: StatusCode, stream: bool) {
        self.answered = Some(Answered { status, stream });
        let (took, masked) = (self.began.elapsed(), self.masked);
        if let Some(span) = &mut self.span {
            span.count("http.response.status_code", status.as_u16().into());
            span.milliseconds("mask.first_byte_ms", took);
            if stream {
                span.flag("mask.stream");
            }
        }
        let (shared, method) = (Arc::clone(&self.shared), self.method.clone());
        let route = self.route.clone();
        let (is_shadow, ruled) = (self.is_shadow, self.ruled.take());
        if is_shadow {
            let note = "passed as it came, by a rule with shadow";
            shared
                .recorder
                .note(self.request, &route.path, Some(status), note);
        }
        self.write(Event::ProxyRequest, |line| {
            let line = line
                .text("method", method.as_str())
                .text("path", &route.path)
                .text("schema", route.schema.as_str())
                .number("status", status.as_u16().into())
                .flag("stream", stream)
                .milliseconds("duration_ms", took)
                .text("upstream", &shared.upstream_host);
            let line = if is_shadow {
                line.flag("shadow", true)
            } else {
                line
            };
            let Some(masked) = masked else { return line };
            let (line, detectors) = match &ruled {
                None => (line, &shared.detector_names),
                Some(Ruled { names, detectors }) => (line.text("policy_rules", names), detectors),
            };
            let line = line.coverage(&masked.coverage, detectors, masked.took);
            let line = if masked.asked > 0 {
                line.number("asked", masked.asked)
            } else {
                line
            };
            if masked.has_values {
                line.milliseconds("transform_ms", masked.took)
            } else {
                line
            }
        });
        self.flush();
        if stream {
            // It may last long, and there may be thousands.
            self.lines.shrink_to_fit();
        }
    }

    /// The reply was delivered whole.
    pub(super) fn delivered(&mut self, summary: &RestoreSummary, bytes: u64) {
        self.respond(summary, bytes, false);
    }

    /// The reply broke off when a part of it, restored so far, was delivered.
    pub(super) fn broke_off(&mut self, summary: &RestoreSummary, fault: Fault) {
        self.restored(summary);
        self.failed(fault, Phase::Stream);
    }

    /// The exchange failed.
    pub(super) fn failed(&mut self, fault: Fault, phase: Phase) {
        if self.over {
            return;
        }
        self.over = true;
        self.ephemeral_created();
        self.shared.metrics.count_error(phase);
        self.shared.observed.failed(fault);
        let answered = self.answered.map(|answered| answered.status);
        // A reply that broke after its head went out has its own status.
        let status = match phase {
            Phase::Stream => answered,
            _ => Some(error::status(fault)),
        };
        self.log_access(status);
        let recorder = &self.shared.recorder;
        recorder.note(self.request, &self.route.path, status, fault.code());
        tracing::warn!(
            request = self.request.as_str(),
            path = &*self.route.path,
            phase = phase.as_str(),
            error = %fault,
            "{}",
            fault.code()
        );
        if let Some(mut span) = self.span.take() {
            if let Some(status) = status.filter(|_| answered.is_none()) {
                span.count("http.response.status_code", status.as_u16().into());
            }
            span.text("mask.phase", phase.as_str());
            span.failed(fault.class());
        }
        let (took, path) = (self.began.elapsed(), Arc::clone(&self.route.path));
        self.write(Event::ProxyError, |line| {
            line.text("phase", phase.as_str())
                .text("error_type", fault.class())
                .text("code", fault.code())
                .text("path", &path)
                .milliseconds("duration_ms", took)
        });
        self.end_session();
    }

    /// The exchange met a panic.
    fn stopped(&mut self) {
        let phase = match self.answered {
            None => Phase::Transform,
            Some(_) => Phase::Response,
        };
        self.failed(Fault::WorkStopped, phase);
    }

    /// The client left before it had the whole reply.
    pub(super) fn aborted(&mut self, summary: &RestoreSummary, bytes: u64) {
        self.respond(summary, bytes, true);
    }

    fn respond(&mut self, summary: &RestoreSummary, bytes: u64, aborted: bool) {
        if self.over {
            return;
        }
        self.over = true;
        self.ephemeral_created();
        let took = self.began.elapsed();
        if !aborted {
            self.shared.metrics.count_reply(took);
        }
        self.restored(summary);
        if let Some(mut span) = self.span.take() {
            span.count("mask.reply_bytes", bytes);
            if aborted {
                span.flag("mask.aborted");
            }
        }
        let (answered, outlives) = (self.answered, self.outlives());
        self.log_access(answered.map(|answered| answered.status));
        self.write(Event::ProxyResponse, |line| {
            let line = match answered {
                Some(Answered { status, stream }) => line
                    .number("status", status.as_u16().into())
                    .flag("stream", stream),
                None => line,
            };
            let line = line
                .number("restored", summary.restored)
                .milliseconds("duration_ms", took)
                .number("bytes", bytes);
            let line = if summary.frames > 0 {
                line.number("frames", summary.frames)
            } else {
                line
            };
            let line = if summary.kept > 0 {
                line.number("kept", summary.kept)
            } else {
                line
            };
            let line = if outlives {
                line.flag("session_kept", true)
            } else {
                line
            };
            if aborted {
                line.flag("aborted", true)
            } else {
                line
            }
        });
        self.end_session();
    }

    fn restored(&mut self, summary: &RestoreSummary) {
        self.shared.metrics.count_restored(summary);
        if summary.unknown_tokens > 0 {
            self.shared.left_tokens(&self.route.path);
        }
        if let Some(span) = &mut self.span {
            span.count("mask.restored", summary.restored);
        }
        if summary.restored > 0 {
            self.write(Event::SessionRestore, |line| {
                line.number("transformations", summary.restored)
            });
        }
    }

    fn log_access(&self, status: Option<StatusCode>) {
        self.shared.access.write(&Access {
            request: self.request,
            method: &self.method,
            path: &self.route.path,
            status,
            took: self.began.elapsed(),
        });
    }

    /// Whether a session that was created for the exchange outlives it.
    fn outlives(&self) -> bool {
        let session = self.session.as_ref().filter(|session| session.ephemeral);
        let outlives = session.and_then(|session| session.outlives.as_ref());
        outlives.is_some_and(|outlives| outlives.load(Ordering::Relaxed))
    }

    fn end_session(&mut self) {
        if self.outlives() {
            return self.flush();
        }
        if let Some(OpenSession {
            mappings,
            ephemeral: true,
            ..
        }) = self.session
        {
            self.write(Event::SessionDeleted, |line| {
                line.text("reason", "ephemeral_request_complete")
                    .number("mapping_count", mappings)
            });
        }
        self.flush();
    }

    fn write(&mut self, event: Event, fields: impl FnOnce(Line<'_>) -> Line<'_>) {
        self.shared.metrics.count_event(event);
        let session = self.session.as_ref().map(|session| &session.id);
        fields(Line::begin(&mut self.lines, event, self.request, session)).end();
    }

    fn flush(&mut self) {
        self.shared.audit.append(&self.lines);
        self.lines.clear();
    }
}

impl Drop for Trail {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.stopped();
        } else {
            self.aborted(&RestoreSummary::default(), 0);
        }
        self.shared.metrics.end_exchange();
    }
}
