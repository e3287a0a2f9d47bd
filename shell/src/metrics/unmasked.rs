//! Counts what was forwarded unmasked: bodies, and values in heads.

use engine::route::Content;
use prometheus::{IntCounter, IntCounterVec, Opts, Registry};

/// The part of a request's head with a value that is forwarded unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    Header,
}

impl Place {
    const ALL: [Self; 2] = [Self::Path, Self::Header];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Header => "header",
        }
    }
}

#[derive(Debug)]
pub(super) struct Unmasked {
    bodies: [IntCounter; Content::ALL.len()],
    heads: [IntCounter; Place::ALL.len()],
}

impl Unmasked {
    pub(super) fn register(registry: &Registry) -> prometheus::Result<Self> {
        let counters = |name: &str, help: &str, label: &str| -> prometheus::Result<IntCounterVec> {
            let counters = IntCounterVec::new(Opts::new(name, help), &[label])?;
            registry.register(Box::new(counters.clone()))?;
            Ok(counters)
        };
        let bodies = counters(
            "mask_unmasked_bodies_total",
            "Request bodies forwarded unmasked.",
            "content",
        )?;
        let heads = counters(
            "mask_unmasked_heads_total",
            "Requests that were forwarded with a value in their path or in a header.",
            "place",
        )?;
        Ok(Self {
            bodies: Content::ALL.map(|content| bodies.with_label_values(&[content.as_str()])),
            heads: Place::ALL.map(|place| heads.with_label_values(&[place.as_str()])),
        })
    }

    pub(super) fn body(&self, content: Content) {
        if let Some(counter) = self.bodies.get(content as usize) {
            counter.inc();
        }
    }

    pub(super) fn head(&self, place: Place) {
        if let Some(counter) = self.heads.get(place as usize) {
            counter.inc();
        }
    }
}
