//! Describes why a value was taken for a secret.

use engine::Judged;
use serde_json::{Value, json};

/// Reasons shown of each kind, for and against.
const SHOWN: usize = 3;

/// The sum that decides and the strongest reasons.
pub(crate) fn as_json(judged: &Judged) -> Value {
    let reasons = strongest(judged).into_iter();
    let reasons: Vec<_> = reasons
        .map(|(weight, reason)| json!({"weight": weight, "reason": reason}))
        .collect();
    let mut shown = json!({"sum": judged.margin, "reasons": reasons});
    if let Some(veto) = judged.veto {
        shown["never"] = veto.into();
    }
    shown
}

/// The strongest reasons for a secret, then those against.
pub(crate) fn strongest(judged: &Judged) -> Vec<(i32, String)> {
    let mut reasons: Vec<_> = judged
        .features
        .iter()
        .map(|(feature, weight)| (*weight, feature.to_string()))
        .collect();
    reasons.sort_by(|(first, _), (second, _)| second.cmp(first));
    reasons.dedup_by(|second, first| second.1 == first.1);
    let against = reasons
        .iter()
        .rev()
        .take(SHOWN)
        .filter(|(weight, _)| *weight < 0)
        .cloned();
    let against: Vec<_> = against.collect();
    reasons.truncate(SHOWN);
    reasons.retain(|(weight, _)| *weight > 0);
    reasons.extend(against);
    reasons
}
