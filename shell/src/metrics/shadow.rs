//! Metrics of policy shadow.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use engine::Sighting;
use prometheus::{IntCounterVec, Opts, Registry};

/// The most combinations of type, field and rule that have their own counter.
const MOST: usize = 500;

/// The field and the rule of what is beyond that.
const OTHER: &str = "other";

/// Counters that only policy shadow moves.
#[derive(Debug)]
pub(super) struct Shadow {
    findings: IntCounterVec,
    /// The fields and rules of each type that have their own counter.
    known: Mutex<HashSet<String>>,
    failures: IntCounterVec,
}

impl Shadow {
    pub(super) fn register(registry: &Registry) -> prometheus::Result<Self> {
        let counters = |name: &str, help: &str, labels: &[&str]| {
            let counters = IntCounterVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(counters.clone()))?;
            Ok::<_, prometheus::Error>(counters)
        };
        Ok(Self {
            findings: counters(
                "mask_shadow_findings_total",
                "Values that policy shadow found and did not mask.",
                &["type", "field", "rule"],
            )?,
            known: Mutex::default(),
            failures: counters(
                "mask_shadow_failures_total",
                "Requests that policy shadow forwarded before every detector had scanned them.",
                &["error_type"],
            )?,
        })
    }

    pub(super) fn count(&self, sightings: &[Sighting]) {
        for sighting in sightings {
            let entity = sighting.entity.as_str();
            let (field, rule) = if self.is_known(sighting) {
                (sighting.field.as_str(), sighting.rule)
            } else {
                (OTHER, OTHER)
            };
            self.findings
                .with_label_values(&[entity, field, rule])
                .inc_by(sighting.count);
        }
    }

    pub(super) fn count_failure(&self, error_type: &str) {
        self.failures.with_label_values(&[error_type]).inc();
    }

    /// Whether a sighting has its own counter, or gets one.
    fn is_known(&self, sighting: &Sighting) -> bool {
        let name = format!("{} {} {}", sighting.entity, sighting.field, sighting.rule);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.contains(&name) || known.len() < MOST && known.insert(name)
    }
}
