//! What all exchanges share.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use engine::route::{Content, NamedPaths, Route, Routes};
use engine::{ClientKeys, Engine, Sensitive};
use http::{HeaderMap, Response, StatusCode};

use super::headers;
use super::heavy::Heavy;
use super::live::Recorder;
use super::observed::Observed;
use super::outbound::Outbound;
use super::shadow::Shadow;
use crate::audit::{Audit, Event, Line};
use crate::config::{Config, Limits, Lists, Store, Unrouted};
use crate::detector::ExternalDetectors;
use crate::detector::cache::{CacheLimit, Findings};
use crate::error::{self, Fault, Phase};
use crate::log::AccessLog;
use crate::metrics::{Metrics, Place};
use crate::session::{OwnerKey, Remembered, RequestId, Sessions, SignedBlocks};
use crate::traces::Traces;
use crate::upstream::Upstream;

/// What outlives a change of the configuration.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProcessState {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) access: AccessLog,
    pub(crate) observed: Observed,
    pub(crate) recorder: Recorder,
    pub(crate) owner_key: OwnerKey,
    pub(crate) signed_blocks: SignedBlocks,
    pub(crate) remembered: Remembered,
}

/// What all workers share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(super) engine: Engine,
    pub(super) detectors: ExternalDetectors,
    /// The names of all detectors.
    pub(super) detector_names: Vec<&'static str>,
    /// Scans requests that are forwarded unchanged.
    pub(super) shadow: Option<Shadow>,
    /// Whether all are.
    pub(super) shadows_all: bool,
    pub(super) client_keys: ClientKeys,
    pub(super) routes: Routes,
    pub(super) unrouted: Unrouted,
    pub(super) outbound: Outbound,
    pub(super) limits: Limits,
    pub(super) upstream_host: String,
    pub(super) owner_key: OwnerKey,
    /// What gateways must present.
    pub(super) guardrail_key: Option<Sensitive<String>>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) signed_blocks: SignedBlocks,
    pub(super) heavy: Heavy,
    pub(super) metrics: Arc<Metrics>,
    pub(super) access: AccessLog,
    pub(super) observed: Observed,
    pub(super) recorder: Recorder,
    /// What the live page writes.
    pub(super) lists: Option<Lists>,
    /// Since `began`.
    pub(super) named_paths: Mutex<NamedPaths>,
    began: Instant,
    unknown_history: Mutex<NamedPaths>,
    left_tokens: Mutex<NamedPaths>,
    passed_tokens: Mutex<NamedPaths>,
    telling_headers: Mutex<NamedPaths>,
    telling_paths: Mutex<NamedPaths>,
    pub(super) audit: Audit,
    pub(super) traces: Traces,
}

impl Shared {
    pub(crate) fn new(
        config: Config,
        detectors: ExternalDetectors,
        sessions: Arc<Sessions>,
        audit: Audit,
        traces: Traces,
        lasting: ProcessState,
        cores: usize,
    ) -> Self {
        let own = if config.has_built_ins {
            "regex"
        } else {
            "terms"
        };
        let has_shadow = config.shadow || config.engine.rules.iter().any(|rule| rule.shadow);
        Self {
            sessions,
            engine: engine(config.engine, config.limits.findings_cache),
            detector_names: [own].into_iter().chain(detectors.names()).collect(),
            detectors,
            shadow: has_shadow.then(|| Shadow::new(config.limits.max_body)),
            shadows_all: config.shadow,
            client_keys: config.client_keys,
            routes: config.routes,
            unrouted: config.unrouted,
            upstream_host: config.mode.origin().authority().to_owned(),
            outbound: Outbound {
                mode: config.mode,
                credentials: config.credentials,
                added: config.provider_headers,
            },
            limits: config.limits,
            owner_key: lasting.owner_key,
            guardrail_key: config.guardrail.and_then(|guardrail| guardrail.key),
            signed_blocks: lasting.signed_blocks,
            heavy: Heavy::on(cores),
            metrics: lasting.metrics,
            access: lasting.access,
            observed: lasting.observed,
            recorder: lasting.recorder,
            lists: config.lists,
            named_paths: Mutex::default(),
            began: Instant::now(),
            unknown_history: Mutex::default(),
            left_tokens: Mutex::default(),
            passed_tokens: Mutex::default(),
            telling_headers: Mutex::default(),
            telling_paths: Mutex::default(),
            audit,
            traces,
        }
    }

    /// Its sessions, which may continue under another configuration.
    pub(crate) fn sessions(&self) -> &Arc<Sessions> {
        &self.sessions
    }

    /// Writes what still waits for the disk, but of the sessions.
    pub(crate) fn close(&self) {
        self.audit.close();
        self.traces.close();
        self.count_lost();
    }

    /// Counts a request with history whose tokens are unknown.
    pub(super) fn unknown_history(&self) {
        self.metrics.count_unknown_history();
        let warned = self.unknown_history.lock();
        let mut warned = warned.unwrap_or_else(PoisonError::into_inner);
        if warned.due("", self.began.elapsed()).is_some() {
            let advice = match self.sessions.store() {
                Store::Redis(_) => {
                    "if another instance began it, both need the same MASK_ANCHOR_SECRET"
                }
                Store::Sqlite { .. } => "if another instance began it, both need vault redis",
                Store::Memory | Store::Unusable(_) => {
                    "use vault sqlite or redis to keep sessions across restarts"
                }
            };
            tracing::warn!(
                "a request continues a response or conversation that this proxy has not seen: tokens of \
                 earlier turns may stay in replies ({advice})"
            );
        }
    }

    /// Warns of tokens that stay in a reply because its session did not issue them, of each path at most once a minute. The
    /// result of a job may have those of the request that began it.
    pub(super) fn left_tokens(&self, path: &str) {
        let named = self.left_tokens.lock();
        let mut named = named.unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = named.due(path, self.began.elapsed()) {
            tracing::warn!(
                path,
                "a reply has tokens that its session did not issue, and they were left: if they are of an earlier request, \
                 name the same session in both (x-mask-session), or set session.strategy to client"
            );
        }
    }

    /// Warns of tokens in a reply to an unrouted request, of each path at most once a minute. `path` is as it may be shown.
    pub(super) fn passed_tokens(&self, path: &str) {
        let named = self.passed_tokens.lock();
        let mut named = named.unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = named.due(path, self.began.elapsed()) {
            tracing::warn!(
                path,
                "a reply contains tokens that were not restored, because its path has no route; add it to proxy.add_routes, or set \
                 proxy.unrouted to mask"
            );
        }
    }

    /// Warns of headers to the provider that name a user or hold an e-mail address, each at most once a minute: but for
    /// those of the configuration they are forwarded as they came.
    pub(super) fn warn_of_headers(&self, headers: &HeaderMap) {
        let is_sent = |name: &str| !self.outbound.added.iter().any(|(added, _)| added == name);
        let sent = headers::pairs(headers).filter(|(name, _)| is_sent(name));
        let mut reveals = false;
        for name in self.engine.revealing_headers(sent) {
            reveals = true;
            let named = self.telling_headers.lock();
            let mut named = named.unwrap_or_else(PoisonError::into_inner);
            if let Some(header) = named.due(name, self.began.elapsed()) {
                tracing::warn!(
                    header,
                    "a header contains an e-mail address or names a user, and headers are not masked: turn it off in the \
                     client, or overwrite it with provider.headers"
                );
            }
        }
        if reveals {
            self.revealed(Place::Header);
        }
    }

    /// Warns of the path of a masked request that holds what would be masked in a text: paths are forwarded as they came.
    pub(super) fn warn_of_path(&self, path: &str, route: &Route) {
        if path != &*route.path {
            self.warn_of_target(
                path,
                "the path of a masked request holds a value, and paths are not masked: name it in the body or the query, \
                 or give the client another path",
            );
        }
    }

    /// Warns of the path and the query of a request without a body that is forwarded as it came.
    pub(super) fn warn_of_unrouted(&self, target: &str) {
        let warning = match self.unrouted {
            Unrouted::Mask => {
                "the path of a request without a body holds a value, and paths are not masked: give the client another \
                 path, or set proxy.unrouted to refuse"
            }
            Unrouted::Forward | Unrouted::Refuse => {
                "the path or the query of a request that was forwarded unmasked holds a value: its path is not routed; \
                 add it to proxy.add_routes, or set proxy.unrouted to mask or refuse"
            }
        };
        self.warn_of_target(target, warning);
    }

    /// Counts a target that holds a value, and names its path at most once a minute.
    fn warn_of_target(&self, target: &str, warning: &str) {
        let Some(shown) = self.engine.revealing_target(target) else {
            return;
        };
        self.revealed(Place::Path);
        let named = self.telling_paths.lock();
        let mut named = named.unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = named.due(&shown, self.began.elapsed()) {
            tracing::warn!(path, "{warning}");
        }
    }

    /// A request went on with a value in its head.
    fn revealed(&self, place: Place) {
        self.metrics.count_unmasked_head(place);
        self.observed.revealed();
    }

    /// Counts the lines of the audit trail and of the log that could not be written, and the spans that could not be sent.
    pub(super) fn count_lost(&self) {
        self.metrics.count_lost_audit_lines(self.audit.take_lost());
        self.metrics.count_lost_log_lines(self.access.take_lost());
        self.metrics.count_lost_spans(self.traces.take_lost());
    }

    /// A request with a body was forwarded unmasked: its path has no route, or takes files. `path` is as it may be shown.
    pub(super) fn unmasked(&self, path: &str, content: Content, is_routed: bool) {
        self.metrics.count_unmasked(content);
        let named = self.named_paths.lock();
        let mut named = named.unwrap_or_else(PoisonError::into_inner);
        let named = named.due(path, self.began.elapsed());
        self.observed.unmasked(path, named);
        if let Some(path) = named {
            let advice = match self.unrouted {
                _ if is_routed => "it is a file, which can't be masked",
                Unrouted::Mask => "it is a file; to forward none, set proxy.unrouted to refuse",
                Unrouted::Forward | Unrouted::Refuse => {
                    "its path is not routed; add it to proxy.add_routes, or set proxy.unrouted to mask or refuse"
                }
            };
            let content = content.as_str();
            tracing::warn!(path, content, "a request was forwarded unmasked: {advice}");
        }
    }

    /// Counts an event of an unrouted exchange and adds its line to the audit trail.
    pub(super) fn record(
        &self,
        event: Event,
        request: RequestId,
        fields: impl FnOnce(Line<'_>) -> Line<'_>,
    ) {
        self.metrics.count_event(event);
        let mut line = Vec::with_capacity(256);
        fields(Line::begin(&mut line, event, request, None)).end();
        self.audit.append(&line);
    }

    /// Counts a failure of an unrouted exchange, and records it in the log and the audit trail.
    pub(super) fn record_failure(
        &self,
        request: RequestId,
        fault: Fault,
        phase: Phase,
        took: Duration,
    ) {
        self.metrics.count_error(phase);
        self.observed.failed(fault);
        tracing::warn!(
            request = request.as_str(),
            phase = phase.as_str(),
            error = %fault,
            "{}",
            fault.code()
        );
        self.record(Event::ProxyError, request, |line| {
            line.text("phase", phase.as_str())
                .text("error_type", fault.class())
                .text("code", fault.code())
                .milliseconds("duration_ms", took)
        });
    }
}

/// The engine of a configuration, with a cache of this size.
fn engine(settings: engine::Settings, bytes: usize) -> Engine {
    let engine = Engine::new(settings);
    if bytes == 0 {
        return engine;
    }
    let texts = usize::MAX;
    engine.remembering(Arc::new(Findings::new(CacheLimit { texts, bytes })))
}

/// What the exchanges of one worker thread work with.
#[derive(Debug)]
pub(crate) struct Context {
    pub(super) shared: Arc<Shared>,
    pub(super) upstream: Upstream,
}

impl Context {
    pub(crate) fn new(shared: Arc<Shared>, upstream: Upstream) -> Self {
        Self { shared, upstream }
    }

    /// Closes connections to the provider that lay idle for too long.
    pub(crate) fn close_stale(&self) {
        self.upstream.close_stale();
    }

    /// Other settings are in force: connections to the provider end with the exchanges that use them.
    pub(crate) fn retire(&self) {
        self.upstream.retire();
    }

    /// An exchange met a panic that left no record. The reply to it.
    pub(crate) fn stopped(&self, fault: Fault) -> Response<Bytes> {
        let request = RequestId::random();
        self.shared
            .record_failure(request, fault, Phase::Transform, Duration::ZERO);
        error::answer(fault, request)
    }

    /// A head was refused under a status before it became a request. The reply to it.
    pub(crate) fn head_refused(&self, status: StatusCode) -> Response<Bytes> {
        let fault = if status == StatusCode::BAD_REQUEST {
            Fault::MalformedHead
        } else {
            Fault::HeadTooLarge
        };
        let request = RequestId::random();
        self.shared
            .record_failure(request, fault, Phase::Transform, Duration::ZERO);
        let mut reply = error::answer(fault, request);
        *reply.status_mut() = status;
        reply
    }
}
