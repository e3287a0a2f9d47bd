//! Masks text that looks like a token, so that it can't be mistaken for one.

use std::ops::Range;

use crate::token::{self, View};
use crate::{Detection, EntityType, Operator, Score, Session};

/// With more places, tokens are looked for everywhere.
const MOST_PLACES: usize = 1024;

/// Finds what looks like a token in parts of a text.
pub(super) struct LookAlikes<'t> {
    text: &'t str,
    /// Where letters of them stand, in order; `None` if that is not known.
    places: Option<Vec<usize>>,
    has_lone_ids: bool,
}

impl<'t> LookAlikes<'t> {
    /// `None` if there is nothing to mask in the text because it looks like a token.
    pub(super) fn of(operator: &Operator, text: &'t str) -> Option<Self> {
        let has_lone_ids = operator.id_key().is_some();
        let places = if has_lone_ids { None } else { places(text) };
        let is_any = places.as_ref().is_none_or(|places| !places.is_empty());
        (is_any && operator.restores()).then_some(Self {
            text,
            places,
            has_lone_ids,
        })
    }

    /// Appends what looks like a token in a part of the text.
    pub(super) fn find(&self, part: Range<usize>, found: &mut Vec<Detection>) {
        if !self.may_be_in(&part) {
            return;
        }
        let start = part.start;
        let part = self.text.get(part).unwrap_or_default();
        let literal = |range: Range<usize>| literal(start + range.start..start + range.end);
        let view = View::of(part, true);
        found.extend(token::look_alikes(&view).map(literal));
        if self.has_lone_ids {
            found.extend(token::lone_ids(&view).map(literal));
        }
    }

    fn may_be_in(&self, part: &Range<usize>) -> bool {
        self.places.as_ref().is_none_or(|places| {
            let next = places.partition_point(|place| *place < part.start);
            places.get(next).is_some_and(|place| *place < part.end)
        })
    }
}

/// Where letters of what looks like a token stand, unless these places are many.
fn places(text: &str) -> Option<Vec<usize>> {
    let mut places = Vec::new();
    for place in token::places_of_letters(text) {
        if places.len() == MOST_PLACES {
            return None;
        }
        places.push(place);
    }
    places.sort_unstable();
    Some(places)
}

/// Whether something in a text looks like a token.
pub(crate) fn looks_like_token(operator: &Operator, text: &str) -> bool {
    let mut found = Vec::new();
    if let Some(look_alikes) = LookAlikes::of(operator, text) {
        look_alikes.find(0..text.len(), &mut found);
    }
    !found.is_empty()
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
