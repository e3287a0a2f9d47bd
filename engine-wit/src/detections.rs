//! Converts detections from and to the host.

use engine::{Detection, EntityType, Score};

use crate::bindings::exports::maskproxy::mask::{detection as outside, engine as wit};

/// The rule of what the host found.
const OF_HOST: &str = "host";

/// Why a detection of the host can't be used.
pub(crate) struct Unusable;

pub(crate) fn from_host(detection: &outside::Detection) -> Result<Detection, Unusable> {
    if detection.score > Score::MAX.as_percent() {
        return Err(Unusable);
    }
    Ok(Detection {
        start: detection.start as usize,
        end: detection.end as usize,
        entity: EntityType::parse(&detection.entity).map_err(|_| Unusable)?,
        score: Score::percent(detection.score),
        rule: OF_HOST,
    })
}

pub(crate) fn to_host(found: &Detection) -> wit::Finding {
    wit::Finding {
        detection: outside::Detection {
            start: offset(found.start),
            end: offset(found.end),
            entity: found.entity.as_str().to_owned(),
            score: found.score.as_percent(),
        },
        rule: found.rule.to_owned(),
    }
}

/// A text in 32-bit memory is never longer.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
