//! Texts in which marks say what is to be found.

use engine::{Detectors, detect};

/// Checks that in every text exactly what stands between `⟦` and `⟧` is found.
#[track_caller]
pub(crate) fn check(texts: &[&str]) {
    let mut wrong = Vec::new();
    for marked in texts {
        let expected: Vec<_> = marked
            .split('⟦')
            .skip(1)
            .filter_map(|rest| rest.split('⟧').next())
            .collect();
        let text = marked.replace(['⟦', '⟧'], "");
        let found = found(&text);
        if found != expected {
            wrong.push(format!(
                "{text:?}\n  expected {expected:?}\n  found    {found:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn found(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    Detectors::built_in().detect(text, None, &mut found);
    detect::merge(found)
        .into_iter()
        .map(|detection| &text[detection.start..detection.end])
        .collect()
}
