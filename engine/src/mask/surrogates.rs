//! Replaces values with surrogates, and masks text that could be mistaken for one.

use std::ops::Range;

use crate::detect::names;
use crate::operator::surrogate::{is_part, stands_apart};
use crate::session::{Session, Written};
use crate::token::View;
use crate::{Detection, EntityType, Operator, Origin, Score};

/// How much of a text around a surrogate decides whether it is known again: more than emphasis takes, escaped.
const NEAR: usize = 64;

/// What is sent instead of a value at a place in a text, if that is a surrogate that is known again there.
pub(super) fn written(
    session: &mut Session,
    operator: &Operator,
    text: &str,
    detection: &Detection,
    value: &str,
    origin: Origin,
) -> Option<Written> {
    session.bring(&detection.entity, value, origin);
    let written = session.surrogate_of(&detection.entity, value)?;
    let mut mappings = written.mappings.iter();
    let is_retired = mappings.any(|mapping| session.is_retired(mapping));
    if !is_retired && is_known_again(text, detection.start..detection.end, &written) {
        return Some(written);
    }
    let token = session.issue_beside(&detection.entity, value, origin, operator);
    Some(Written {
        text: token.written(),
        mappings: vec![token],
    })
}

/// Whether a surrogate is known again in place of this part of a text: as the text is read, its escapes decoded, no word
/// touches it and no escape takes its beginning, as in `CORP\barbara` and `%203.0.113.7`.
fn is_known_again(text: &str, part: Range<usize>, written: &Written) -> bool {
    let near = text.floor_char_boundary(part.start.saturating_sub(NEAR))..part.start;
    let before = text.get(near).unwrap_or_default();
    let near = part.end..text.floor_char_boundary(part.end.saturating_add(NEAR));
    let after = text.get(near).unwrap_or_default();
    let surrogate = &written.text;
    let view = [before, surrogate, after].concat();
    let view = View::of(&view, true);
    let start = view.at(before.len());
    let standing = start..start + surrogate.len();
    let is_name = written.mappings.iter().all(|mapping| mapping.is_name());
    view.text().get(standing.clone()) == Some(surrogate)
        && stands_apart(view.text(), &standing, is_name)
}

/// Retires the surrogates that stand in a body between the texts that are looked at.
pub(super) fn retire_between(session: &mut Session, body: &str, gaps: &[Range<usize>]) {
    for gap in gaps {
        session.retire_surrogates(body.get(..gap.end).unwrap_or_default(), gap.start);
    }
}

/// Appends what in a part of a text is to be masked because of the surrogates of the session: parts of names that have
/// some, and what looks like one.
pub(super) fn find(session: &Session, text: &str, part: Range<usize>, found: &mut Vec<Detection>) {
    let before = found.len();
    find_names(session, text, part.clone(), found);
    let mut look_alikes = Vec::new();
    let view = View::of(text.get(part.clone()).unwrap_or_default(), true);
    session.find_surrogates(view.text(), 0, true, &mut look_alikes);
    let names = found.get(before..).unwrap_or_default();
    let literals = look_alikes.into_iter().filter_map(|standing| {
        let start = part.start + view.source_of(standing.range.start);
        let end = part.start + view.source_of(standing.range.end);
        let is_name = names
            .iter()
            .any(|name| name.start < end && start < name.end);
        let literal = Detection {
            start,
            end,
            entity: EntityType::LITERAL,
            score: Score::MAX,
            rule: "literal-surrogate",
        };
        (!is_name).then_some(literal)
    });
    let literals: Vec<_> = literals.collect();
    found.extend(literals);
}

/// Names of persons of which the session knows a part: `Ms Schmidt` after `Anna Schmidt`. A common
/// word is not one.
fn find_names(session: &Session, text: &str, part: Range<usize>, found: &mut Vec<Detection>) {
    let text = text.get(..part.end).unwrap_or_default();
    let mut at = part.start;
    while let Some(length) = text.get(at..).and_then(|rest| rest.find(is_part)) {
        let start = at + length;
        let rest = text.get(start..).unwrap_or_default();
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        at = start + length;
        if let Some((mapping, stem)) = session.part_of_name(word)
            && !names::is_common_word(mapping.value().expose())
        {
            found.push(Detection {
                start,
                end: start + stem,
                entity: EntityType::PERSON,
                score: Score::MAX,
                rule: "known-value",
            });
        }
    }
}
