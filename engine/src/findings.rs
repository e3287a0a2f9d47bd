//! A cache of detection results.

use std::fmt::Debug;
use std::sync::Arc;

use crate::{Detection, Detectors};

/// Shorter texts, in bytes, are scanned about as fast as they are looked up.
const SHORTEST: usize = 256;

/// A cache of detection results, so that a history is not scanned again every turn.
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
        read: &mut dyn FnMut() -> Vec<Detection>,
    ) -> Arc<[Detection]>;
}

/// Appends what the detectors find in a text, or found before.
pub(crate) fn detect(
    detectors: &Detectors,
    findings: Option<&dyn Findings>,
    text: &str,
    name: Option<&str>,
    found: &mut Vec<Detection>,
) {
    let Some(findings) = findings.filter(|_| text.len() >= SHORTEST) else {
        return detectors.detect(text, name, found);
    };
    let mut read = || {
        let mut found = Vec::new();
        detectors.detect(text, name, &mut found);
        found
    };
    found.extend(findings.of(text, name, &mut read).iter().cloned());
}
