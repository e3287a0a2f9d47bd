//! Values assigned to a secret-looking name, or near one.

mod judge;
mod name;
mod nearby;
mod syntax;
pub(super) mod value_class;
mod value_span;
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
    if assigned(pass, &stem) {
        return;
    }
    if let Some((range, score)) = nearby::find(pass, &stem) {
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

/// Whether an assignment was found; its value may have been rejected.
fn assigned(pass: &mut Pass<'_, '_>, stem: &Range<usize>) -> bool {
    let text = pass.text;
    let Some(name) = Name::around(text, stem.clone()) else {
        return false;
    };
    let Some(assignment) = syntax::assignment(text, &name.range) else {
        return false;
    };
    let range = assignment.span.start..assignment.span.end;
    if !pass.assigned.admits(name.range.start, range.end) {
        return true;
    }
    let value = pass.str(range.start, range.end);
    let Some(score) = judge::judge(text, &name, &assignment, value) else {
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
