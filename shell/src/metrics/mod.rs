//! Counters for `/metrics`. They start at zero with each process and never hold content.

mod process;
mod shadow;
mod unmasked;

use std::collections::BTreeMap;
use std::time::Duration;

use engine::route::Content;
use engine::{EntityType, RestoreSummary, Sighting};
use prometheus::{
    Encoder, Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGauge, Opts, Registry,
    TextEncoder,
};

use crate::audit::Event;
use crate::error::Phase;
use process::Process;
use shadow::Shadow;
use unmasked::Unmasked;

pub(crate) use unmasked::Place;

/// The content type of the exposition format.
pub(crate) const CONTENT_TYPE: &str = prometheus::TEXT_FORMAT;

/// Upper bounds of the response time histogram, in seconds.
const SECONDS: [f64; 14] = [
    0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0,
];

/// Upper bounds of the histogram of the proxy's own latency, in seconds.
const DELAY_SECONDS: [f64; 14] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
];

/// Everything that is counted.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    events: [IntCounter; Event::ALL.len()],
    errors: [IntCounter; Phase::ALL.len()],
    entities: IntCounterVec,
    built_in: Vec<(EntityType, IntCounter)>,
    unread: IntCounter,
    restored: IntCounter,
    unknown_tokens: IntCounter,
    kept: IntCounter,
    seconds: Histogram,
    delay: Histogram,
    process: Process,
    in_flight: IntGauge,
    ready: IntGauge,
    refused: IntCounter,
    passed: IntCounter,
    blocked: IntCounter,
    unmasked: Unmasked,
    audit_lost: IntCounter,
    log_lost: IntCounter,
    spans_lost: IntCounter,
    llm_fallbacks: IntCounter,
    unknown_histories: IntCounter,
    shadow: Shadow,
}

impl Default for Metrics {
    fn default() -> Self {
        #[expect(
            clippy::expect_used,
            reason = "names and labels are constants of this file"
        )]
        Self::register().expect("every metric has its own valid name")
    }
}

impl Metrics {
    fn register() -> prometheus::Result<Self> {
        let registry = Registry::new();
        let counter = |name: &str, help: &str| -> prometheus::Result<IntCounter> {
            let counter = IntCounter::new(name, help)?;
            registry.register(Box::new(counter.clone()))?;
            Ok(counter)
        };
        let counters = |name: &str, help: &str, label: &str| -> prometheus::Result<IntCounterVec> {
            let counters = IntCounterVec::new(Opts::new(name, help), &[label])?;
            registry.register(Box::new(counters.clone()))?;
            Ok(counters)
        };
        let seconds = Histogram::with_opts(
            HistogramOpts::new(
                "mask_response_seconds",
                "Time from a routed request to the end of its reply.",
            )
            .buckets(SECONDS.to_vec()),
        )?;
        let delay = Histogram::with_opts(
            HistogramOpts::new(
                "mask_request_delay_seconds",
                "Latency that the proxy adds to a request: session, detection, masking.",
            )
            .buckets(DELAY_SECONDS.to_vec()),
        )?;
        registry.register(Box::new(build_info()?))?;
        registry.register(Box::new(delay.clone()))?;
        let in_flight = IntGauge::new("mask_exchanges_in_flight", "Routed exchanges in progress.")?;
        registry.register(Box::new(seconds.clone()))?;
        registry.register(Box::new(in_flight.clone()))?;
        let ready = IntGauge::new("mask_ready", "1 if the vault answers, as /ready says.")?;
        registry.register(Box::new(ready.clone()))?;
        let events = counters("mask_events_total", "Audit events.", "event")?;
        let errors = counters("mask_errors_total", "Failed exchanges.", "phase")?;
        let entities = counters("mask_entities_total", "Masked values.", "type")?;
        let unrouted = counters("mask_unrouted_total", "Unrouted requests.", "outcome")?;
        Ok(Self {
            passed: unrouted.with_label_values(&["passed"]),
            blocked: unrouted.with_label_values(&["blocked"]),
            unmasked: Unmasked::register(&registry)?,
            events: Event::ALL.map(|event| events.with_label_values(&[event.as_str()])),
            errors: Phase::ALL.map(|phase| errors.with_label_values(&[phase.as_str()])),
            built_in: EntityType::BUILT_IN
                .iter()
                .map(|entity| {
                    (
                        entity.clone(),
                        entities.with_label_values(&[entity.as_str()]),
                    )
                })
                .collect(),
            entities,
            unread: counter(
                "mask_unread_parts_total",
                "Parts of requests that can't be read: images, audio, PDF, encrypted.",
            )?,
            restored: counter("mask_tokens_restored_total", "Tokens restored in replies.")?,
            unknown_tokens: counter(
                "mask_tokens_unknown_total",
                "Tokens in replies that the session did not issue.",
            )?,
            kept: counter(
                "mask_tokens_kept_total",
                "Tokens that a `restore` rule kept in tool arguments.",
            )?,
            seconds,
            delay,
            process: Process::started(),
            in_flight,
            ready,
            refused: counter(
                "mask_upgrades_refused_total",
                "WebSocket upgrades answered with 426.",
            )?,
            audit_lost: counter(
                "mask_audit_lines_lost_total",
                "Audit lines that could not be written.",
            )?,
            log_lost: counter(
                "mask_log_lines_lost_total",
                "Log lines that could not be written.",
            )?,
            spans_lost: counter(
                "mask_trace_spans_lost_total",
                "Spans that could not be sent to the collector of traces.",
            )?,
            llm_fallbacks: counter(
                "mask_llm_fallbacks_total",
                "Scans that ran without the language model because it failed.",
            )?,
            unknown_histories: counter(
                "mask_unknown_histories_total",
                "Requests that continue history whose tokens the proxy does not know.",
            )?,
            shadow: Shadow::register(&registry)?,
            registry,
        })
    }

    pub(crate) fn count_event(&self, event: Event) {
        if let Some(counter) = self.events.get(event as usize) {
            counter.inc();
        }
    }

    pub(crate) fn count_error(&self, phase: Phase) {
        if let Some(counter) = self.errors.get(phase as usize) {
            counter.inc();
        }
    }

    pub(crate) fn count_entities(&self, counts: &BTreeMap<EntityType, u64>) {
        for (entity, count) in counts {
            match self.built_in.iter().find(|(known, _)| known == entity) {
                Some((_, counter)) => counter.inc_by(*count),
                None => self
                    .entities
                    .with_label_values(&[entity.as_str()])
                    .inc_by(*count),
            }
        }
    }

    /// Parts of a request could not be read.
    pub(crate) fn count_unread(&self, parts: u64) {
        self.unread.inc_by(parts);
    }

    /// What was restored in a reply, or in the part of it that a client waited for.
    pub(crate) fn count_restored(&self, summary: &RestoreSummary) {
        self.restored.inc_by(summary.restored);
        self.unknown_tokens.inc_by(summary.unknown_tokens);
        self.kept.inc_by(summary.kept);
    }

    /// A reply was delivered whole, so long after its request.
    pub(crate) fn count_reply(&self, took: Duration) {
        self.seconds.observe(took.as_secs_f64());
    }

    /// A request was sent on, so long after it had arrived.
    pub(crate) fn count_delay(&self, took: Duration) {
        self.delay.observe(took.as_secs_f64());
    }

    pub(crate) fn count_refused_upgrade(&self) {
        self.refused.inc();
    }

    /// An unrouted request was forwarded, whatever became of its reply.
    pub(crate) fn count_passed(&self) {
        self.passed.inc();
    }

    /// A request body was forwarded unmasked.
    pub(crate) fn count_unmasked(&self, content: Content) {
        self.unmasked.body(content);
    }

    /// A request went on with a value in its head.
    pub(crate) fn count_unmasked_head(&self, place: Place) {
        self.unmasked.head(place);
    }

    /// An unrouted request was refused.
    pub(crate) fn count_blocked(&self) {
        self.blocked.inc();
    }

    /// Scans that ran without their language model.
    pub(crate) fn count_llm_fallbacks(&self, count: u64) {
        self.llm_fallbacks.inc_by(count);
    }

    /// A request continues history whose tokens the proxy does not know.
    pub(crate) fn count_unknown_history(&self) {
        self.unknown_histories.inc();
    }

    /// This would have been masked in a request that was forwarded unchanged.
    pub(crate) fn count_shadow(&self, sightings: &[Sighting]) {
        self.shadow.count(sightings);
    }

    /// Policy shadow forwarded a request before every detector had scanned it.
    pub(crate) fn count_shadow_failure(&self, error_type: &'static str) {
        self.shadow.count_failure(error_type);
    }

    pub(crate) fn begin_exchange(&self) {
        self.in_flight.inc();
    }

    pub(crate) fn end_exchange(&self) {
        self.in_flight.dec();
    }

    /// Whether the vault answers.
    pub(crate) fn set_ready(&self, is_ready: bool) {
        self.ready.set(is_ready.into());
    }

    /// Audit lines that could not be written.
    pub(crate) fn count_lost_audit_lines(&self, count: u64) {
        self.audit_lost.inc_by(count);
    }

    /// Log lines that could not be written.
    pub(crate) fn count_lost_log_lines(&self, count: u64) {
        self.log_lost.inc_by(count);
    }

    /// Counts spans that could not be sent.
    pub(crate) fn count_lost_spans(&self, count: u64) {
        self.spans_lost.inc_by(count);
    }

    /// The exposition text.
    pub(crate) fn expose(&self) -> Vec<u8> {
        let mut text = Vec::new();
        // Encoding into a vector can't fail: every family has a metric.
        let _ = TextEncoder::new().encode(&self.registry.gather(), &mut text);
        self.process.expose(&mut text);
        text
    }
}

fn build_info() -> prometheus::Result<IntGauge> {
    let info = IntGauge::with_opts(
        Opts::new("mask_build_info", "The running version; always 1.")
            .const_label("version", env!("CARGO_PKG_VERSION")),
    )?;
    info.set(1);
    Ok(info)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counters are found by the place of an event or a phase in its list.
    #[test]
    fn every_event_and_phase_counts_under_its_own_name() {
        for (place, event) in Event::ALL.into_iter().enumerate() {
            assert_eq!(event as usize, place, "{event:?}");
        }
        for (place, phase) in Phase::ALL.into_iter().enumerate() {
            assert_eq!(phase as usize, place, "{phase:?}");
        }
    }

    #[test]
    fn counters_start_at_zero_and_match_their_names() {
        let metrics = Metrics::default();
        let text = |metrics: &Metrics| String::from_utf8(metrics.expose()).unwrap();
        assert!(text(&metrics).contains("mask_errors_total{phase=\"stream\"} 0\n"));
        assert!(text(&metrics).contains("mask_entities_total{type=\"JWT\"} 0\n"));
        metrics.count_error(Phase::Stream);
        metrics.count_event(Event::ProxyBlocked);
        metrics.count_lost_audit_lines(3);
        metrics.count_unmasked(Content::Json);
        metrics.count_entities(&BTreeMap::from([(EntityType::EMAIL, 2)]));
        let text = text(&metrics);
        assert!(text.contains("mask_errors_total{phase=\"stream\"} 1\n"));
        assert!(text.contains("mask_events_total{event=\"proxy.blocked\"} 1\n"));
        assert!(text.contains("mask_events_total{event=\"session.created\"} 0\n"));
        assert!(text.contains("mask_entities_total{type=\"EMAIL\"} 2\n"));
        assert!(text.contains("mask_audit_lines_lost_total 3\n"));
    }
}
