//! What masking did.

use std::collections::BTreeMap;

use super::Sighting;
use crate::{Coverage, EntityType};

/// What masking did: counts, never content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MaskSummary {
    /// How many values of each type were masked, repeats included.
    pub entity_counts: BTreeMap<EntityType, u64>,
    /// How many values were masked in all.
    pub transformations: u64,
    /// Where they stand and which rule found them: by type, field and rule.
    pub sightings: Vec<Sighting>,
    /// How many mappings the session holds now.
    pub mapping_count: u64,
    /// How many parts could not be read, and were left as they are: images, audio, PDF and other
    /// files that are no text, and what the provider encrypted.
    pub unread: u64,
    /// Which strings were read, and which were left.
    pub coverage: Coverage,
    /// How many results of calls were replaced by an error because a rule [asks](crate::RestoreAction::Ask).
    pub asked: u64,
}
