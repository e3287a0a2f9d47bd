//! Texts as the model sees them: every candidate of a text, whether it is a secret, and what is found without the model.

use crate::fit::{BITS, Sample};
use crate::record::{Record, Span};
use engine::{Detection, Detectors, EntityType, Judged};

/// Rules that ask the model.
const JUDGED: [&str; 3] = ["assigned-secret", "column", "nearby-secret"];

/// A text, and what there is to judge in it.
#[derive(Debug)]
pub struct Text {
    /// Where the text is from; whole sources are left out.
    pub source: String,
    /// Its secrets.
    pub secrets: Vec<Secret>,
    /// Its candidates.
    pub candidates: Vec<Candidate>,
    /// Whether something is found in it without the model.
    pub is_found_otherwise: bool,
}

/// A labelled secret.
#[derive(Debug)]
pub struct Secret {
    start: usize,
    end: usize,
    /// How it was made, where that is known.
    pub kind: Option<String>,
    /// Whether it is found without the model.
    pub is_found_otherwise: bool,
}

/// What the model is asked.
#[derive(Debug)]
pub struct Candidate {
    start: usize,
    end: usize,
    /// Whether a veto goes before the model.
    pub is_vetoed: bool,
    /// Its features and its label.
    pub sample: Sample,
}

impl Candidate {
    /// Where it begins, in bytes.
    #[must_use]
    pub const fn start(&self) -> usize {
        self.start
    }

    /// Where it ends, in bytes.
    #[must_use]
    pub const fn end(&self) -> usize {
        self.end
    }
}

impl Secret {
    /// Whether a candidate is a part of it.
    #[must_use]
    pub fn meets(&self, candidate: &Candidate) -> bool {
        candidate.start < self.end && self.start < candidate.end
    }
}

impl Text {
    /// What there is to judge in a record.
    #[must_use]
    pub fn of(detectors: &Detectors, record: &Record, weight: f32) -> Self {
        let mut found = Vec::new();
        detectors.detect(&record.text, None, &mut found);
        found.retain(|detection| is_secret(detection) && !JUDGED.contains(&detection.rule));
        let secrets = record.spans.iter().filter(|span| span.entity == "SECRET");
        let secrets = secrets.map(|span| Secret {
            start: span.byte_start,
            end: span.byte_end,
            kind: span.kind.clone(),
            is_found_otherwise: found
                .iter()
                .any(|detection| meets(span, detection.start, detection.end)),
        });
        Self {
            source: record.family().to_owned(),
            secrets: secrets.collect(),
            candidates: candidates(detectors, record, weight),
            is_found_otherwise: !found.is_empty(),
        }
    }
}

fn candidates(detectors: &Detectors, record: &Record, weight: f32) -> Vec<Candidate> {
    let judged = detectors.judge(&record.text).into_iter();
    let is_labelled = |judged: &Judged, entity: &str| {
        let mut spans = record.spans.iter();
        spans.any(|span| span.entity == entity && meets(span, judged.start, judged.end))
    };
    let candidate = |judged: Judged| {
        let is_secret = is_labelled(&judged, "SECRET");
        if !is_secret && is_labelled(&judged, "IGNORE") {
            return None;
        }
        let places = judged
            .features
            .iter()
            .map(|(feature, _)| u32::try_from(feature.index(BITS)).unwrap_or_default())
            .collect();
        Some(Candidate {
            start: judged.start,
            end: judged.end,
            is_vetoed: judged.veto.is_some(),
            sample: Sample {
                places,
                is_secret,
                weight,
            },
        })
    };
    judged.filter_map(candidate).collect()
}

fn meets(span: &Span, start: usize, end: usize) -> bool {
    start < span.byte_end && span.byte_start < end
}

fn is_secret(detection: &Detection) -> bool {
    [
        EntityType::API_KEY,
        EntityType::AUTH_TOKEN,
        EntityType::JWT,
        EntityType::PRIVATE_KEY,
        EntityType::URL_CREDENTIAL,
        EntityType::SECRET,
    ]
    .contains(&detection.entity)
}
