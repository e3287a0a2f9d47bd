//! Texts with marked secrets and numbers. Names have their own tests.

use engine::detect::{DetectorSettings, Names};
use engine::{Detectors, detect};
use std::sync::LazyLock;

static WITHOUT_NAMES: LazyLock<Detectors> = LazyLock::new(|| {
    Detectors::new(&DetectorSettings {
        names: Names::Off,
        ..DetectorSettings::default()
    })
    .unwrap_or_default()
});

/// Checks that in every text exactly the part between `⟦` and `⟧` is found.
#[track_caller]
pub(crate) fn check(texts: &[&str]) {
    let wrong: Vec<_> = texts.iter().copied().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is found in a marked text instead of what is marked.
pub(crate) fn wrong(marked: &str) -> Option<String> {
    let expected: Vec<_> = marked
        .split('⟦')
        .skip(1)
        .filter_map(|rest| rest.split('⟧').next())
        .collect();
    let text = marked.replace(['⟦', '⟧'], "");
    let found = found(&text);
    (found != expected).then(|| format!("{text:?}\n  expected {expected:?}\n  found    {found:?}"))
}

fn found(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    WITHOUT_NAMES.detect(text, None, &mut found);
    detect::merge(found)
        .into_iter()
        .map(|detection| &text[detection.start..detection.end])
        .collect()
}
