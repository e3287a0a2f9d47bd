//! Masks text that looks like a token, so that it can't be mistaken for one.

use std::ops::Range;

use crate::token::{self, View};
use crate::{Detection, EntityType, Operator, Score, Session};

/// Whether a text may contain something to mask because it looks like a token.
pub(super) fn may_hold(operator: &Operator, text: &str) -> bool {
    may_hold_if(operator, || token::may_hold_core(text.as_bytes()))
}

/// The same, where it is known whether the text may hold a core.
pub(super) fn may_hold_if(operator: &Operator, may_hold_core: impl FnOnce() -> bool) -> bool {
    operator.restores() && (operator.id_key().is_some() || may_hold_core())
}

/// Whether something in a text looks like a token.
pub(crate) fn looks_like_token(operator: &Operator, text: &str) -> bool {
    let mut found = Vec::new();
    if may_hold(operator, text) {
        find(operator, text, 0..text.len(), &mut found);
    }
    !found.is_empty()
}

/// Appends what looks like a token in a part of a text.
pub(super) fn find(
    operator: &Operator,
    text: &str,
    part: Range<usize>,
    found: &mut Vec<Detection>,
) {
    let start = part.start;
    let part = text.get(part).unwrap_or_default();
    let literal = |range: Range<usize>| literal(start + range.start..start + range.end);
    let view = View::of(part, true);
    found.extend(token::look_alikes(&view).map(literal));
    if operator.id_key().is_some() {
        found.extend(token::lone_ids(&view).map(literal));
    }
}

/// Reserves what looks like a token in the parts of a body that are sent as they are: it is issued for no value.
pub(super) fn reserve_between(session: &mut Session, body: &str, gaps: &[Range<usize>]) {
    let parts = gaps.iter().filter_map(|gap| body.get(gap.clone()));
    for part in parts {
        for run in token::cores(part) {
            let core = part.get(run).unwrap_or_default();
            let Some((entity, id)) = token::parts_of_core(core) else {
                continue;
            };
            if let Ok(entity) = EntityType::parse(entity)
                && session.by_core(core).is_none()
            {
                session.reserve(&entity, id);
            }
        }
    }
}

fn literal(range: Range<usize>) -> Detection {
    Detection {
        start: range.start,
        end: range.end,
        entity: EntityType::LITERAL,
        score: Score::MAX,
        rule: "literal-token",
    }
}
