//! A cache of detection results.

use std::fmt::Debug;
use std::sync::Arc;

use crate::schema::encoded;
use crate::{Detection, Detectors, token};

/// Shorter texts, in bytes, are scanned about as fast as they are looked up.
const SHORTEST: usize = 16;

/// A cache of what texts hold, so that a history is not scanned again every turn.
///
/// The host keeps it as long as the engine's settings stay the same, and may share it among all
/// sessions: results depend only on the text and its name.
pub trait Findings: Debug + Send + Sync {
    /// The findings in a text, from the cache or from `read`. `name` is what the text is assigned
    /// to.
    fn of(
        &self,
        text: &str,
        name: Option<&str>,
        read: &mut dyn FnMut() -> TextFindings,
    ) -> TextFindings;
}

/// What was found in a text.
#[derive(Debug, Clone)]
pub struct TextFindings {
    /// The detections, unmerged and in no order.
    pub detections: Arc<[Detection]>,
    pub(crate) holds: Holds,
}

impl From<Vec<Detection>> for TextFindings {
    fn from(detections: Vec<Detection>) -> Self {
        Self {
            detections: detections.into(),
            holds: Holds::default(),
        }
    }
}

/// What a text may hold besides detections, so that nobody searches where there is nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Holds {
    /// [Readings](mod@crate::detect) besides the text itself.
    pub(crate) readings: bool,
    /// [Files](encoded::embedded).
    pub(crate) files: bool,
    /// What [looks like a token](token::may_hold_core).
    pub(crate) cores: bool,
}

impl Default for Holds {
    /// Anything.
    fn default() -> Self {
        Self {
            readings: true,
            files: true,
            cores: true,
        }
    }
}

/// Appends what the detectors find in a text, or found before, and tells what else it holds.
pub(crate) fn detect(
    detectors: &Detectors,
    findings: Option<&dyn Findings>,
    text: &str,
    name: Option<&str>,
    found: &mut Vec<Detection>,
) -> Holds {
    let Some(findings) = findings.filter(|_| text.len() >= SHORTEST) else {
        let readings = detectors.detect_in_readings(text, name, found);
        return Holds {
            readings,
            ..Holds::default()
        };
    };
    let mut read = || {
        let mut found = Vec::new();
        let readings = detectors.detect_in_readings(text, name, &mut found);
        TextFindings {
            detections: found.into(),
            holds: Holds {
                readings,
                files: !encoded::embedded(text).is_empty(),
                cores: token::may_hold_core(text.as_bytes()),
            },
        }
    };
    let TextFindings { detections, holds } = findings.of(text, name, &mut read);
    found.extend(detections.iter().cloned());
    holds
}
