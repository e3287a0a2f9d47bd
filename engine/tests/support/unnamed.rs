//! The detections of the built-in detectors, without names of people and places.

use engine::detect::{DetectorSettings, Names, merge};
use engine::{Detection, Detectors};
use std::sync::LazyLock;

#[allow(clippy::expect_used, reason = "a test stops where it fails")]
static DETECTORS: LazyLock<Detectors> = LazyLock::new(|| {
    let settings = DetectorSettings {
        names: Names::Off,
        ..DetectorSettings::default()
    };
    Detectors::new(&settings).expect("detectors")
});

/// Everything, merged, in a text or in the member of this name.
pub(crate) fn detections(text: &str, name: Option<&str>) -> Vec<Detection> {
    let mut found = Vec::new();
    DETECTORS.detect(text, name, &mut found);
    merge(found)
}

/// Types and values, in order.
pub(crate) fn found(text: &str) -> Vec<(String, &str)> {
    let found = detections(text, None).into_iter();
    found
        .map(|found| (found.entity.to_string(), &text[found.start..found.end]))
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
