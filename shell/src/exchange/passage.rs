//! What an unrouted exchange leaves behind: counters, an audit line, a line in the log.

use std::sync::Arc;
use std::time::Instant;

use engine::route::{Content, shown};
use http::{Method, Request, StatusCode};

use super::context::Shared;
use crate::audit::Event;
use crate::error::{self, Fault, Phase};
use crate::log::Access;
use crate::session::RequestId;

/// The trail of one unrouted exchange. Dropped at its end, it writes the line in the log.
#[derive(Debug)]
pub(super) struct Passage {
    shared: Arc<Shared>,
    pub(super) request: RequestId,
    method: Method,
    /// For the log, and only where there is one.
    path: Option<String>,
    /// The path and content of a body that leaves unmasked.
    unmasked: Option<(String, Content)>,
    pub(super) status: Option<StatusCode>,
    began: Instant,
}

impl Passage {
    pub(super) fn begin(shared: &Arc<Shared>, request: &Request<impl Sized>) -> Self {
        let logged = shared.access.is_on();
        Self {
            shared: Arc::clone(shared),
            request: RequestId::random(),
            method: request.method().clone(),
            path: logged.then(|| shown(&shared.engine, request.uri().path())),
            unmasked: None,
            status: None,
            began: Instant::now(),
        }
    }

    /// The request was forwarded, with a body that is not masked.
    pub(super) fn unmasked(&mut self, path: &str, content: Content) {
        let path = shown(&self.shared.engine, path);
        self.shared.unmasked(&path, content);
        self.unmasked = Some((path, content));
    }

    pub(super) fn answered(&mut self, status: StatusCode) {
        self.status = Some(status);
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

    /// The exchange failed. Its path is not said.
    pub(super) fn failed(&mut self, fault: Fault, phase: Phase) {
        if fault == Fault::ClientLeft {
            return;
        }
        self.status = self.status.or(Some(error::status(fault)));
        let took = self.began.elapsed();
        self.shared.record_failure(self.request, fault, phase, took);
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
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
