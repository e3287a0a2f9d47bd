//! Why a value is masked, or nearly is.

use super::position::Position;
use engine::{Detection, Judged};
use serde_json::{Value, json};

/// Reasons shown of each kind, for and against.
const SHOWN: usize = 3;

/// What was judged in a text, in order.
pub(super) struct Reasons(Vec<Judged>);

impl Reasons {
    pub(super) fn new(judged: Option<Vec<Judged>>) -> Self {
        let mut judged = judged.unwrap_or_default();
        // A value has a verdict in each reading of its text: one is enough.
        judged.sort_by_key(|judged| (judged.start, judged.end, !judged.is_secret()));
        judged.dedup_by_key(|judged| (judged.start, judged.end));
        Self(judged)
    }

    /// What was judged of a detection.
    pub(super) fn of(&self, detection: &Detection) -> Option<&Judged> {
        let is_it =
            |judged: &&Judged| judged.start >= detection.start && judged.end <= detection.end;
        self.0
            .iter()
            .filter(|judged| judged.is_secret())
            .find(is_it)
    }

    /// What was judged no secret by little, in order.
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
    strongest(judged)
        .into_iter()
        .map(|(weight, reason)| format!("{weight:+} {reason}"))
        .collect::<Vec<_>>()
        .join("; ")
}

/// Adds the rule of a detection and its reasons to what is shown of it.
pub(super) fn explain(shown: &mut Value, detection: &Detection, reasons: &Reasons) {
    shown["rule"] = detection.rule.into();
    if let Some(judged) = reasons.of(detection) {
        shown["why"] = as_json(judged);
    }
}

/// What was judged no secret by little, with the reasons.
pub(super) fn near_misses_as_json(reasons: &Reasons, found: &[Detection], text: &str) -> Value {
    let mut position = Position::new(text);
    let near = reasons.near_misses(found).map(|near| {
        json!({
            "start": position.of(near.start),
            "end": position.of(near.end),
            "value": text.get(near.start..near.end),
            "why": as_json(near),
        })
    });
    near.collect()
}

/// The sum that decides and the strongest reasons.
fn as_json(judged: &Judged) -> Value {
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
fn strongest(judged: &Judged) -> Vec<(i32, String)> {
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
