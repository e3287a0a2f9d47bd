//! Envoy statistics: counts, never content.

use std::cell::RefCell;
use std::collections::BTreeMap;

use engine::route::Content;
use engine::{MaskSummary, RestoreSummary};
use proxy_wasm::hostcalls;
use proxy_wasm::types::MetricType;

/// Where in an exchange it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Reading and masking the request.
    Transform,
    /// Connecting, sending, waiting for the reply's head.
    Upstream,
    /// A reply that can't be restored.
    Response,
    /// A reply that the client already has in part.
    Stream,
}

impl Phase {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Transform => "transform",
            Self::Upstream => "upstream",
            Self::Response => "response",
            Self::Stream => "stream",
        }
    }
}

/// Envoy's counters, each made when it is first needed. All workers add to the same ones.
#[derive(Debug, Default)]
pub(crate) struct Counters(RefCell<BTreeMap<String, u32>>);

impl Counters {
    pub(crate) fn masked(&self, summary: &MaskSummary) {
        self.add("mask_requests_masked_total", 1);
        self.add("mask_unread_parts_total", summary.unread);
        for (entity, count) in &summary.entity_counts {
            self.add(&format!("mask_entities_total.{entity}"), *count);
        }
    }

    pub(crate) fn restored(&self, summary: &RestoreSummary) {
        self.add("mask_tokens_restored_total", summary.restored);
        self.add("mask_tokens_unknown_total", summary.unknown_tokens);
        self.add("mask_tokens_kept_total", summary.kept);
    }

    pub(crate) fn failed(&self, phase: Phase) {
        self.add(&format!("mask_errors_total.{}", phase.as_str()), 1);
    }

    pub(crate) fn refused_upgrade(&self) {
        self.add("mask_upgrades_refused_total", 1);
    }

    pub(crate) fn unrouted(&self, outcome: &str) {
        self.add(&format!("mask_unrouted_total.{outcome}"), 1);
    }

    pub(crate) fn unmasked(&self, content: Content) {
        self.add(
            &format!("mask_unmasked_bodies_total.{}", content.as_str()),
            1,
        );
    }

    pub(crate) fn count_path(&self) {
        self.add("mask_unmasked_heads_total.path", 1);
    }

    pub(crate) fn count_header(&self) {
        self.add("mask_unmasked_heads_total.header", 1);
    }

    fn add(&self, name: &str, count: u64) {
        let Some(metric) = self.metric(name) else {
            return;
        };
        let _ = hostcalls::increment_metric(metric, i64::try_from(count).unwrap_or(i64::MAX));
    }

    fn metric(&self, name: &str) -> Option<u32> {
        let mut known = self.0.borrow_mut();
        if let Some(metric) = known.get(name) {
            return Some(*metric);
        }
        let metric = hostcalls::define_metric(MetricType::Counter, name).ok()?;
        known.insert(name.to_owned(), metric);
        Some(metric)
    }
}
