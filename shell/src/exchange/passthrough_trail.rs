//! Records an unrouted exchange: counters, an audit line, a log line.

use std::sync::Arc;
use std::time::Instant;

use engine::route::Content;
use http::{Method, Request, StatusCode};

use super::context::Shared;
use crate::audit::Event;
use crate::error::{self, Fault, Phase};
use crate::log::Access;
use crate::session::RequestId;
use crate::traces::Span;

/// The trail of one unrouted exchange. Dropped at its end, it writes the line in the log.
#[derive(Debug)]
pub(super) struct PassthroughTrail {
    shared: Arc<Shared>,
    pub(super) request: RequestId,
    method: Method,
    /// For the log, the live page and the span, and only where there is one of them.
    path: Option<String>,
    /// The path and content of a body that leaves unmasked.
    unmasked: Option<(String, Content)>,
    status: Option<StatusCode>,
    /// Where the exchange is traced.
    span: Option<Span>,
    /// What became of it, for the live page.
    note: &'static str,
    began: Instant,
}

impl PassthroughTrail {
    pub(super) fn begin(shared: &Arc<Shared>, request: &mut Request<impl Sized>) -> Self {
        let mut span = shared.traces.begin(request.headers_mut());
        let is_shown = shared.access.is_on() || shared.recorder.is_on() || span.is_some();
        let path = is_shown.then(|| shared.engine.shown_path(request.uri().path()));
        let id = RequestId::random();
        if let (Some(span), Some(path)) = (&mut span, &path) {
            span.name(request.method().as_str(), path);
            span.text("mask.request_id", id.as_str());
            span.text("mask.upstream", &shared.upstream_host);
            span.flag("mask.unrouted");
        }
        Self {
            shared: Arc::clone(shared),
            request: id,
            method: request.method().clone(),
            path,
            span,
            unmasked: None,
            status: None,
            note: "not routed: passed as it came",
            began: Instant::now(),
        }
    }

    /// The request was refused.
    pub(super) fn refused(&mut self, status: StatusCode) {
        self.shared.observed.refused();
        self.status = Some(status);
        self.note = "refused";
    }

    /// The request was forwarded, with a body that is not masked.
    pub(super) fn unmasked(&mut self, path: &str, content: Content) {
        let path = self.shared.engine.shown_path(path);
        self.shared.unmasked(&path, content, false);
        if let Some(span) = &mut self.span {
            span.text("mask.unmasked", content.as_str());
        }
        self.note = "not routed: passed unmasked";
        self.unmasked = Some((path, content));
    }

    pub(super) fn answered(&mut self, status: StatusCode) {
        self.status = Some(status);
        if let Some(span) = &mut self.span {
            span.milliseconds("mask.first_byte_ms", self.began.elapsed());
        }
        self.shared
            .record(Event::ProxyPassthrough, self.request, |line| {
                let line = line
                    .text("method", self.method.as_str())
                    .number("status", status.as_u16().into());
                match &self.unmasked {
                    Some((path, content)) => {
                        line.text("path", path).text("unmasked", content.as_str())
                    }
                    None => line,
                }
            });
    }

    /// Its reply has tokens, which stay there.
    pub(super) fn has_tokens(&self, path: &str) {
        self.shared
            .passed_tokens(&self.shared.engine.shown_path(path));
    }

    /// The exchange failed. Its path is not shown.
    pub(super) fn failed(&mut self, fault: Fault, phase: Phase) {
        if fault == Fault::ClientLeft {
            return;
        }
        self.status = self.status.or(Some(error::status(fault)));
        if let Some(span) = &mut self.span {
            span.text("mask.phase", phase.as_str());
            span.failed(fault.class());
        }
        self.note = fault.code();
        let took = self.began.elapsed();
        self.shared.record_failure(self.request, fault, phase, took);
    }
}

impl Drop for PassthroughTrail {
    fn drop(&mut self) {
        if let (Some(span), Some(status)) = (&mut self.span, self.status) {
            span.count("http.response.status_code", status.as_u16().into());
        }
        if let Some(path) = &self.path {
            let recorder = &self.shared.recorder;
            recorder.note(self.request, path, self.status, self.note);
            self.shared.access.write(&Access {
                request: self.request,
                method: &self.method,
                path,
                status: self.status,
                took: self.began.elapsed(),
            });
        }
    }
}
