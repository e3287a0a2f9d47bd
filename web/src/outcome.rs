//! What the page shows for a masked input.

use engine::Detection;
use serde::Serialize;

use crate::utf16::Offsets;

/// A masked input.
#[derive(Serialize)]
pub struct Outcome {
    /// What was replaced, in order.
    pub findings: Vec<Finding>,
    /// What would be sent.
    pub masked: String,
    /// How many values there are, repeats not counted. None are kept when they are redacted.
    pub values: usize,
}

/// A value that was found.
#[derive(Serialize)]
pub struct Finding {
    /// Where it begins, in UTF-16 units, as JavaScript counts.
    pub start: usize,
    /// Where it ends, in UTF-16 units.
    pub end: usize,
    /// Its type.
    pub entity: String,
    /// How sure the detector is, in percent.
    pub score: u8,
    /// The rule that found it.
    pub rule: String,
}

pub(crate) fn finding(detection: &Detection, offsets: &mut Offsets<'_>) -> Finding {
    Finding {
        start: offsets.of(detection.start),
        end: offsets.of(detection.end),
        entity: detection.entity.as_str().to_owned(),
        score: detection.score.as_percent(),
        rule: detection.rule.to_owned(),
    }
}
