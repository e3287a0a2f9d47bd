//! The metrics of a running proxy.

use std::collections::BTreeMap;

use super::exposition::{Sample, samples};
use super::histogram::Histogram;

pub(super) type Counts = BTreeMap<String, u64>;

/// The metrics of one moment. Counters begin at zero with each process.
#[derive(Debug, Default, Clone)]
pub(super) struct Counters {
    pub(super) version: String,
    /// When the process started, in seconds since the epoch.
    pub(super) started: f64,
    /// Requests whose reply began, and calls of other gateways.
    pub(super) requests: u64,
    pub(super) under_way: u64,
    pub(super) masked: Counts,
    /// What policy shadow would have masked.
    pub(super) seen: Counts,
    pub(super) restored: u64,
    pub(super) unknown_tokens: u64,
    pub(super) unread: u64,
    pub(super) passed: u64,
    pub(super) blocked: u64,
    /// Request bodies that were forwarded unmasked, by kind.
    pub(super) unmasked: Counts,
    pub(super) errors: Counts,
    pub(super) lost_audit_lines: u64,
    pub(super) lost_log_lines: u64,
    /// What the proxy adds to a request.
    pub(super) added: Histogram,
    /// From a request to the end of its reply.
    pub(super) replies: Histogram,
}

impl Counters {
    /// Parses a metrics page; `None` if it is not maskproxy's.
    pub(super) fn read(page: &str) -> Option<Self> {
        let mut counters = Self::default();
        let mut is_ours = false;
        for sample in samples(page) {
            is_ours |= sample.name == "mask_build_info";
            counters.add(&sample);
        }
        is_ours.then_some(counters)
    }

    fn add(&mut self, sample: &Sample<'_>) {
        let count = whole(sample.value);
        match sample.name {
            "mask_build_info" => sample.label("version").clone_into(&mut self.version),
            "process_start_time_seconds" => self.started = sample.value,
            "mask_events_total" => match sample.label("event") {
                "proxy.request" | "guardrail.call" => {
                    self.requests = self.requests.saturating_add(count);
                }
                _ => {}
            },
            "mask_exchanges_in_flight" => self.under_way = count,
            "mask_entities_total" => add(&mut self.masked, sample.label("type"), count),
            "mask_shadow_findings_total" => add(&mut self.seen, sample.label("type"), count),
            "mask_tokens_restored_total" => self.restored = count,
            "mask_tokens_unknown_total" => self.unknown_tokens = count,
            "mask_unread_parts_total" => self.unread = count,
            "mask_unrouted_total" => match sample.label("outcome") {
                "blocked" => self.blocked = count,
                _ => self.passed = count,
            },
            "mask_unmasked_bodies_total" => {
                add(&mut self.unmasked, sample.label("content"), count);
            }
            "mask_errors_total" => add(&mut self.errors, sample.label("phase"), count),
            "mask_audit_lines_lost_total" => self.lost_audit_lines = count,
            "mask_log_lines_lost_total" => self.lost_log_lines = count,
            "mask_request_delay_seconds_bucket" => bucket(&mut self.added, sample),
            "mask_response_seconds_bucket" => bucket(&mut self.replies, sample),
            _ => {}
        }
    }
}

fn bucket(histogram: &mut Histogram, sample: &Sample<'_>) {
    if let Ok(bound) = sample.label("le").parse() {
        histogram.add_bucket(bound, whole(sample.value));
    }
}

/// A count. Most counters of a service stay at zero, and are not worth a row.
fn add(counts: &mut Counts, name: &str, count: u64) {
    if count > 0 {
        let sum = counts.entry(name.to_owned()).or_default();
        *sum = sum.saturating_add(count);
    }
}

/// A counter's value as a whole number; zero if it is not one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and takes what is no number for zero"
)]
fn whole(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Event;
    use crate::metrics::Metrics;
    use engine::EntityType;
    use std::time::Duration;

    /// Names of metrics that only one side knows would go unseen.
    #[test]
    fn every_counter_of_the_service_is_read() {
        let metrics = Metrics::default();
        metrics.count_event(Event::ProxyRequest);
        metrics.count_entities(&[(EntityType::EMAIL, 2)].into());
        metrics.count_delay(Duration::from_micros(300));
        metrics.count_blocked();
        metrics.count_passed();
        metrics.count_lost_audit_lines(4);
        metrics.begin_exchange();
        let page = String::from_utf8(metrics.expose()).unwrap();
        let counters = Counters::read(&page).unwrap();
        assert_eq!(counters.version, env!("CARGO_PKG_VERSION"));
        assert_eq!((counters.requests, counters.under_way), (1, 1));
        assert_eq!(counters.masked, Counts::from([("EMAIL".to_owned(), 2)]));
        assert_eq!((counters.passed, counters.blocked), (1, 1));
        assert_eq!(counters.lost_audit_lines, 4);
        assert_eq!(counters.added.count(), 1);
        assert!(counters.started > 1.0e9);
    }

    #[test]
    fn metrics_of_another_service_are_refused() {
        assert!(Counters::read("process_start_time_seconds 1\n").is_none());
        assert!(Counters::read("<html>not found</html>").is_none());
    }

    #[test]
    fn an_invalid_count_is_clamped() {
        assert_eq!([f64::NAN, -1.0, 7.0].map(whole), [0, 0, 7]);
        assert_eq!(whole(f64::INFINITY), u64::MAX);
    }
}
