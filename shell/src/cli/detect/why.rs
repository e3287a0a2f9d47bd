//! Explains why a value is masked, or nearly is.

use super::position::Position;
use crate::detector::explanation;
use engine::{Detection, Judged};
use serde_json::{Value, json};

/// The judged values of a text, in order.
pub(super) struct Reasons(Vec<Judged>);

impl Reasons {
    pub(super) fn new(judged: Option<Vec<Judged>>) -> Self {
        let mut judged = judged.unwrap_or_default();
        // A value has a verdict in each reading of its text: one is enough.
        judged.sort_by_key(|judged| (judged.start, judged.end, !judged.is_secret()));
        judged.dedup_by_key(|judged| (judged.start, judged.end));
        Self(judged)
    }

    /// How a detection was judged.
    pub(super) fn of(&self, detection: &Detection) -> Option<&Judged> {
        let is_it =
            |judged: &&Judged| judged.start >= detection.start && judged.end <= detection.end;
        self.0
            .iter()
            .filter(|judged| judged.is_secret())
            .find(is_it)
    }

    /// Values that were nearly judged secrets, in order.
    pub(super) fn near_misses<'r>(
        &'r self,
        found: &'r [Detection],
    ) -> impl Iterator<Item = &'r Judged> {
        let is_found = |judged: &Judged| {
            found
                .iter()
                .any(|detection| detection.start < judged.end && judged.start < detection.end)
        };
        self.0
            .iter()
            .filter(move |judged| judged.is_near_miss() && !is_found(judged))
    }
}

/// The reasons in one line: `+21 name: strong; -8 the value is words`.
pub(super) fn weighed(judged: &Judged) -> String {
    if let Some(veto) = judged.veto {
        return format!("never a secret: {veto}");
    }
    explanation::strongest(judged)
        .into_iter()
        .map(|(weight, reason)| format!("{weight:+} {reason}"))
        .collect::<Vec<_>>()
        .join("; ")
}

/// Adds the rule of a detection and its reasons to what is shown of it.
pub(super) fn explain(shown: &mut Value, detection: &Detection, found: &Reasons) {
    shown["rule"] = detection.rule.into();
    if let Some(judged) = found.of(detection) {
        shown["why"] = explanation::as_json(judged);
    }
}

/// Values that were nearly judged secrets, with the reasons.
pub(super) fn near_misses_as_json(judged: &Reasons, found: &[Detection], text: &str) -> Value {
    let mut position = Position::new(text);
    let near = judged.near_misses(found).map(|near| {
        json!({
            "start": position.of(near.start),
            "end": position.of(near.end),
            "value": text.get(near.start..near.end),
            "why": explanation::as_json(near),
        })
    });
    near.collect()
}
