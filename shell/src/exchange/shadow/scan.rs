//! Scans a request that is forwarded unchanged, and counts what would be masked. Never fails the
//! exchange.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use engine::route::Route;
use engine::{Leaves, MaskSummary, NoMemory, Request, Sensitive};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;

use crate::audit::Event;
use crate::base::panics::contained;
use crate::error::Fault;
use crate::exchange::context::Shared;
use crate::exchange::headers;
use crate::exchange::heavy::Work;
use crate::exchange::masked::Checked;
use crate::exchange::report;
use crate::exchange::rules::{self, Head};
use crate::session::RequestId;

/// The most KiB of requests that may wait for a scan, or one request of the largest size.
const WAITING_KIB: usize = 64 << 10;

/// Room for the requests that wait for a scan.
#[derive(Debug)]
pub(crate) struct Shadow {
    room: Arc<Semaphore>,
}

impl Shadow {
    pub(in crate::exchange) fn new(max_body: usize) -> Self {
        let kib = WAITING_KIB.max(kib(max_body));
        Self {
            room: Arc::new(Semaphore::new(kib.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// Room for a body, if there is any.
    fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Unseen> {
        let kib = u32::try_from(kib(bytes)).map_err(|_| Unseen::Backlog)?;
        let taken = Arc::clone(&self.room).try_acquire_many_owned(kib);
        taken.map_err(|_| Unseen::Backlog)
    }
}

fn kib(bytes: usize) -> usize {
    bytes.div_ceil(1 << 10).max(1)
}

/// Why a request was not scanned, or not by every detector.
#[derive(Debug, Clone, Copy)]
enum Unseen {
    /// Masking would have met this.
    Fault(Fault),
    /// Too many requests wait for a scan.
    Backlog,
}

impl From<Fault> for Unseen {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Unseen {
    const fn class(self) -> &'static str {
        match self {
            Self::Fault(fault) => fault.class(),
            Self::Backlog => "ShadowBacklog",
        }
    }
}

/// What is known about a request besides its body.
pub(super) struct Asked {
    id: RequestId,
    route: Route,
    /// The path with its query, in which values may be found.
    target: Sensitive<String>,
    headers: HeaderMap,
    metadata: Result<Option<String>, Fault>,
}

impl Asked {
    pub(super) fn of(head: &Parts, route: Route, id: RequestId) -> Self {
        let checked = Checked::read(head, &route);
        Self {
            id,
            route,
            target: Sensitive::new(headers::target(&head.uri).to_owned()),
            headers: head.headers.clone(),
            metadata: checked.map(|checked| checked.metadata),
        }
    }
}

/// What was seen in a request.
struct Seen {
    summary: MaskSummary,
    /// What kept detectors from looking.
    missed: Option<Unseen>,
    took: Duration,
    /// The detectors that scanned it.
    detectors: Vec<&'static str>,
    /// The rules that decided.
    rules: String,
}

/// Scans a request while it is being forwarded, if it has a body that could be read. Returns the
/// report about it.
pub(super) fn begin(
    shared: &Arc<Shared>,
    asked: Asked,
    body: Result<Bytes, Fault>,
) -> Option<JoinHandle<HeaderValue>> {
    if body.as_ref().is_ok_and(Bytes::is_empty) {
        return None;
    }
    match ready(shared, &asked, body) {
        Err(unseen) => {
            record(shared, &asked, &Seen::nothing(unseen));
            None
        }
        Ok(scanning) => {
            let shared = Arc::clone(shared);
            Some(tokio::spawn(async move {
                let seen = contained(pin!(scanning.scan(&shared, &asked))).await;
                let seen = seen.unwrap_or_else(|panicked| Err(Fault::from(panicked).into()));
                let seen = seen.unwrap_or_else(Seen::nothing);
                record(&shared, &asked, &seen);
                report::header(
                    report::Fate::Found,
                    &seen.summary,
                    &seen.detectors,
                    seen.took,
                )
            }))
        }
    }
}

fn ready(shared: &Shared, asked: &Asked, body: Result<Bytes, Fault>) -> Result<Scan, Unseen> {
    let (metadata, body) = (asked.metadata.clone()?, body?);
    let shadow = shared.shadow.as_ref().ok_or(Unseen::Backlog)?;
    Ok(Scan {
        _room: shadow.take(body.len())?,
        target: asked.target.clone(),
        metadata,
        body,
    })
}

/// A request that is about to be scanned.
struct Scan {
    target: Sensitive<String>,
    metadata: Option<String>,
    body: Bytes,
    _room: OwnedSemaphorePermit,
}

impl Scan {
    async fn scan(&self, shared: &Arc<Shared>, asked: &Asked) -> Result<Seen, Unseen> {
        let began = Instant::now();
        let (body, size) = (self.body.clone(), self.body.len());
        let (engine, schema) = (shared.engine.clone(), asked.route.schema);
        let content_type = headers::content_types(&asked.headers);
        let read = move || engine.request_of_type(schema, content_type.as_deref(), body.to_vec());
        let request = shared.heavy.run(Work::Read, size, read).await?;
        let request = request.map_err(Fault::from)?;
        let mut request = request.with_path(self.target.expose());
        if let Some(metadata) = &self.metadata {
            request = request.with_metadata_header(metadata);
        }
        let head = Head {
            target: asked.target.expose(),
            headers: &asked.headers,
            route: &asked.route,
        };
        let request = rules::under(shared, head, request);
        let detectors = rules::detectors(shared, &request).into_owned();
        let rules = rules::names(&request);
        let (request, found) = scan(shared, request, size).await?;
        let (found, missed) = match found {
            Ok(found) => (found, None),
            // The built-in detectors scan it in any case.
            Err(fault) => (None, Some(Unseen::Fault(fault))),
        };
        let scan = move || request.shadow(found.as_ref());
        let summary = shared.heavy.run(Work::Mask, size, scan).await?;
        Ok(Seen {
            summary: summary.map_err(Fault::from)?,
            missed,
            took: began.elapsed(),
            detectors,
            rules,
        })
    }
}

/// Runs the external detectors, if there are any.
async fn scan(
    shared: &Arc<Shared>,
    request: Request,
    size: usize,
) -> Result<(Request, Result<Option<Leaves>, Fault>), Fault> {
    if shared.detectors.is_empty() {
        return Ok((request, Ok(None)));
    }
    let read = move || (request.leaves(&NoMemory), request);
    let (leaves, request) = shared.heavy.run(Work::Read, size, read).await?;
    let asks = |detector: &str| request.asks(detector);
    let found = match shared.detectors.scan_by(leaves, asks).await {
        Ok((leaves, scanned)) => {
            shared.metrics.count_llm_fallbacks(scanned.llm_fallbacks);
            Ok(Some(leaves))
        }
        Err(failure) => Err(Fault::from(failure)),
    };
    Ok((request, found))
}

impl Seen {
    fn nothing(unseen: Unseen) -> Self {
        Self {
            summary: MaskSummary::default(),
            missed: Some(unseen),
            took: Duration::ZERO,
            detectors: Vec::new(),
            rules: String::new(),
        }
    }
}

/// Counts what was seen, and adds it to the audit trail.
fn record(shared: &Shared, asked: &Asked, seen: &Seen) {
    let Seen {
        summary,
        missed,
        took,
        detectors,
        rules,
    } = seen;
    shared.metrics.count_shadow(&summary.sightings);
    shared.metrics.count_unread(summary.unread);
    shared.observed.shadowed(summary);
    let missed = missed.map(Unseen::class);
    if let Some(error) = missed {
        shared.metrics.count_shadow_failure(error);
        tracing::warn!(
            request = asked.id.as_str(),
            path = &*asked.route.path,
            error,
            "policy shadow: a request was forwarded before every detector had scanned it"
        );
    }
    let counts = summary.entity_counts.iter();
    let counts = counts.map(|(entity, count)| (entity.as_str(), *count));
    shared.record(Event::ShadowDetected, asked.id, |line| {
        let line = line
            .text("path", &asked.route.path)
            .text("schema", asked.route.schema.as_str())
            .counts("entity_counts", counts)
            .number("transformations", summary.transformations)
            .findings(&summary.sightings)
            .coverage(&summary.coverage, detectors, *took);
        let line = match rules.as_str() {
            "" => line,
            rules => line.text("policy_rules", rules),
        };
        match missed {
            Some(error) => line.text("error_type", error),
            None => line,
        }
    });
}
