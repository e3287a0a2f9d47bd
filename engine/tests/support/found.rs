//! The detections of the built-in detectors.

use engine::{Detectors, detect};
use std::sync::LazyLock;

static DETECTORS: LazyLock<Detectors> = LazyLock::new(Detectors::built_in);

/// Types and values, in order.
pub(crate) fn found(text: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    DETECTORS.detect(text, None, &mut found);
    detect::merge(found)
        .into_iter()
        .map(|detection| {
            let value = &text[detection.start..detection.end];
            (detection.entity.as_str().to_owned(), value)
        })
        .collect()
}

/// Checks that nothing is found in any of the texts.
#[track_caller]
pub(crate) fn leaves(texts: &[&str]) {
    let wrong: Vec<_> = texts
        .iter()
        .map(|text| (text, found(text)))
        .filter(|(_, found)| !found.is_empty())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
