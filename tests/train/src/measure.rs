//! How well weights do on the texts of a source.

use crate::fit::Weights;
use crate::samples::{Candidate, Text};

/// Counts of a source.
#[derive(Debug, Default, Clone, Copy)]
pub struct Measure {
    /// Labelled secrets.
    pub secrets: usize,
    /// Those that are hit.
    pub hit: usize,
    /// Labelled secrets that people think up.
    pub human: usize,
    /// Those that are hit.
    pub human_hit: usize,
    /// Texts without a secret.
    pub innocent: usize,
    /// Those in which something is found.
    pub wrong: usize,
}

impl Measure {
    /// What weights find in texts.
    pub fn of<'t>(texts: impl Iterator<Item = &'t Text>, weights: &Weights) -> Self {
        let accepts = |candidate: &&Candidate| {
            !candidate.is_vetoed && weights.margin(&candidate.sample.places) >= 0.0
        };
        let mut measure = Self::default();
        for text in texts {
            let accepted: Vec<_> = text.candidates.iter().filter(accepts).collect();
            for secret in &text.secrets {
                let is_hit = secret.is_found_otherwise
                    || accepted.iter().any(|candidate| secret.meets(candidate));
                let is_human = secret
                    .kind
                    .as_deref()
                    .is_some_and(crate::generate::is_human);
                measure.secrets += 1;
                measure.hit += usize::from(is_hit);
                measure.human += usize::from(is_human);
                measure.human_hit += usize::from(is_human && is_hit);
            }
            if text.secrets.is_empty() {
                measure.innocent += 1;
                measure.wrong += usize::from(text.is_found_otherwise || !accepted.is_empty());
            }
        }
        measure
    }
}
