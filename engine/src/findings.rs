//! What was found in texts before.

use std::fmt::Debug;
use std::sync::Arc;

use crate::{Detection, Detectors};

/// Shorter texts, in bytes, are read about as fast as they are looked up.
const SHORTEST: usize = 256;

/// Remembers what was found in texts, so that a history is not read again with every turn.
///
/// The host keeps it, for as long as the engine's settings stay the same, and may share it among all
/// sessions: what is found in a text depends on the text and its name alone.
pub trait Findings: Debug + Send + Sync {
    /// What is found in a text: as it is remembered, or else by `read`. `name` is what the text is
    /// assigned to.
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
