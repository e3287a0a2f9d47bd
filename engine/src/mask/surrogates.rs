//! Replaces values with surrogates, and masks text that could be mistaken for one.

use std::ops::Range;

use crate::detect::names;
use crate::operator::surrogate::{is_word, stands_apart};
use crate::session::Session;
use crate::token::View;
use crate::{Detection, EntityType, Operator, Origin, Score};

/// What is sent instead of a value at a place in a text, if that is a surrogate that is known again there.
pub(super) fn written(
    session: &mut Session,
    operator: &Operator,
    text: &str,
    detection: &Detection,
    value: &str,
    origin: Origin,
) -> Option<crate::session::Written> {
    session.bring(&detection.entity, value, origin);
    let written = session.surrogate_of(&detection.entity, value)?;
    let mut mappings = written.mappings.iter();
    let is_name = mappings.clone().all(|mapping| mapping.is_name());
    let is_retired = mappings.any(|mapping| session.is_retired(mapping));
    if !is_retired && stands_apart(text, &(detection.start..detection.end), is_name) {
        return Some(written);
    }
    let token = session.issue_beside(&detection.entity, value, origin, operator);
    Some(crate::session::Written {
        text: token.written(),
        mappings: vec![token],
    })
}

/// Retires the surrogates that stand in a body between the texts that are looked at.
pub(super) fn retire_between(
    session: &mut Session,
    body: &str,
    texts: impl Iterator<Item = Range<usize>>,
) {
    let mut texts: Vec<_> = texts.collect();
    texts.sort_unstable_by_key(|text| text.start);
    let mut from = 0;
    for text in texts {
        session.retire_surrogates(body.get(..text.start).unwrap_or_default(), from);
        from = from.max(text.end);
    }
    session.retire_surrogates(body, from);
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
    while let Some(length) = text.get(at..).and_then(|rest| rest.find(is_word)) {
        let start = at + length;
        let rest = text.get(start..).unwrap_or_default();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        at = start + length;
        let name = word.trim_start_matches('_');
        let start = at - name.len();
        let word = name.trim_end_matches('_');
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
