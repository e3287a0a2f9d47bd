//! Values assigned to a secret-looking name, or near one.

mod judge;
mod name;
mod nearby;
mod syntax;
pub(super) mod value_class;
mod value_span;
mod vocabulary;
mod words;

use super::pass::Pass;
use super::{Detection, Score};
use crate::EntityType;
use name::Name;
use std::ops::Range;

pub(super) use name::STEMS;

/// Looks at the name around a stem.
pub(super) fn look(pass: &mut Pass<'_, '_>, stem: u16, at: usize) {
    let Some(stem) = STEMS.get(usize::from(stem)) else {
        return;
    };
    let stem = at..at + stem.len();
    if pass.assigned.is_spent(at) && pass.nearby.is_spent(at) {
        return;
    }
    let name = Name::around(pass.text, stem.clone());
    if let Some(name) = &name
        && assigned(pass, name)
    {
        return;
    }
    if pass.nearby.is_spent(at) {
        return;
    }
    let (found, reach) = nearby::find(pass, &stem, name.is_some());
    pass.nearby.spend(at, reach);
    if let Some((range, score)) = found {
        push(pass, &range, score, "nearby-secret");
    }
}

/// Looks at a whole text that is assigned to `name`.
pub(super) fn look_whole(pass: &mut Pass<'_, '_>, name: &str, text: &str) {
    let Some(name) = Name::whole(name) else {
        return;
    };
    if text.len() > value_span::LONGEST {
        return;
    }
    if let Some(score) = judge::judge_whole(&name, text) {
        push(pass, &(0..text.len()), score, "assigned-secret");
    }
}

/// Whether the name has a value that is a secret, or one that was looked at often enough.
fn assigned(pass: &mut Pass<'_, '_>, name: &Name) -> bool {
    let text = pass.text;
    if pass.assigned.is_spent(name.range.start) {
        return true;
    }
    let Some(assignment) = syntax::assignment(text, &name.range) else {
        return false;
    };
    let range = assignment.span.start..assignment.span.end;
    pass.assigned.spend(name.range.start, range.end);
    let value = pass.str(range.start, range.end);
    let Some(score) = judge::judge(text, name, &assignment, value) else {
        return false;
    };
    push(pass, &range, score, "assigned-secret");
    true
}

fn push(pass: &mut Pass<'_, '_>, range: &Range<usize>, score: u8, rule: &'static str) {
    pass.push(Detection {
        start: range.start,
        end: range.end,
        entity: EntityType::SECRET,
        score: Score::percent(score),
        rule,
    });
}
