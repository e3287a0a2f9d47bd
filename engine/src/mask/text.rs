//! Masks plain texts.

use std::ops::Range;

use super::parts::for_each_part;
use super::recurring::Recurring;
use super::{Spelling, Texts};
use crate::json::Edit;
use crate::leaves::Leaves;
use crate::remembered::SignedBlock;
use crate::token::{self, View};
use crate::{Detection, EntityType, Error, MaskSummary, Score, Session, Settings, detect};

/// Masks the plain texts of one request, one after the other, in prompt order.
pub(crate) struct Masking<'a> {
    settings: &'a Settings,
    session: &'a mut Session,
    /// What the host found, where it looked, too.
    host: Option<&'a Leaves>,
    /// A text came that the host was not offered.
    is_unseen: bool,
    summary: MaskSummary,
    /// The mappings whose tokens the masked request holds, where that is asked for.
    own: Option<Session>,
    recurring: Recurring,
    found: Vec<Detection>,
}

impl<'a> Masking<'a> {
    pub(crate) fn new(
        settings: &'a Settings,
        session: &'a mut Session,
        host: Option<&'a Leaves>,
    ) -> Self {
        Self {
            settings,
            session,
            host,
            is_unseen: false,
            summary: MaskSummary::default(),
            own: None,
            recurring: Recurring::default(),
            found: Vec::new(),
        }
    }

    /// Keeps apart the mappings whose tokens the masked request holds.
    pub(crate) fn keep_own(&mut self) {
        self.own = Some(Session::new());
    }

    /// What was done, and the mappings that were to be kept apart.
    ///
    /// # Errors
    /// [`Error::ScanFailed`] when a text was not offered to the host.
    pub(crate) fn finish(mut self) -> Result<(MaskSummary, Option<Session>), Error> {
        if self.is_unseen {
            return Err(Error::ScanFailed);
        }
        self.summary.mapping_count = self.session.len() as u64;
        Ok((self.summary, self.own))
    }

    /// What is masked in a plain text, in order.
    pub(super) fn detect(&mut self, text: &str, name: Option<&str>) -> Vec<Detection> {
        self.settings.detectors.detect(text, name, &mut self.found);
        if let Some(host) = self.host {
            self.is_unseen |= !host.add_to(text, name, &self.settings.detectors, &mut self.found);
        }
        let policy = &self.settings.policy;
        self.found
            .retain(|detection| policy.masks(&detection.entity));
        let may_hold_literals = may_hold_literals(self.settings, text);
        if may_hold_literals {
            find_literals(self.settings, text, 0, &mut self.found);
        }
        if self.found.is_empty() && self.recurring.is_empty() {
            return Vec::new();
        }
        let mut found = detect::merge(std::mem::take(&mut self.found));
        self.recurring.learn(text, &found);
        if self.recurring.may_stand_in(text, &found) {
            add_between(text, &mut found, |gap, more| {
                self.recurring.find(text, gap, more);
            });
        }
        if may_hold_literals && !found.is_empty() {
            // They were words that touched a value, and look like a token once it is masked.
            add_between(text, &mut found, |gap, more| {
                let part = text.get(gap.clone()).unwrap_or_default();
                find_literals(self.settings, part, gap.start, more);
            });
        }
        found
    }

    fn replace(
        &mut self,
        text: &str,
        detection: &Detection,
        spelling: Spelling,
        edits: &mut Vec<Edit>,
    ) {
        let (start, end) = (detection.start, detection.end);
        if self.settings.operator.restores() {
            let value = text.get(start..end).unwrap_or_default();
            let before = edits.len();
            for_each_part(value, spelling, |range, said| {
                edits.push(Edit {
                    start: start + range.start,
                    end: start + range.end,
                    text: self.token(&detection.entity, said),
                });
            });
            if edits.len() == before {
                return;
            }
        } else {
            let text = token::redacted(&detection.entity);
            edits.push(Edit { start, end, text });
        }
        let counts = &mut self.summary.entity_counts;
        *counts.entry(detection.entity.clone()).or_default() += 1;
        self.summary.transformations += 1;
    }

    fn token(&mut self, entity: &EntityType, value: &str) -> String {
        let operator = &self.settings.operator;
        let mapping = self.session.issue(entity, value, operator);
        let text = token::full(mapping.core());
        if let Some(own) = &mut self.own {
            own.adopt(mapping);
        }
        text
    }
}

impl Texts for Masking<'_> {
    fn plain(&mut self, text: &str, name: Option<&str>, spelling: Spelling) -> Vec<Edit> {
        let found = self.detect(text, name);
        let mut edits = Vec::with_capacity(found.len());
        for detection in &found {
            self.replace(text, detection, spelling, &mut edits);
        }
        edits
    }

    fn takes_back(&mut self, block: &SignedBlock) -> bool {
        let mappings = block.mappings();
        if !self.session.adopt_all(mappings) {
            return false;
        }
        self.own.as_mut().is_none_or(|own| own.adopt_all(mappings))
    }
}

/// Whether something in a text may have to be masked because it looks like a token.
fn may_hold_literals(settings: &Settings, text: &str) -> bool {
    let operator = &settings.operator;
    operator.restores() && (operator.id_key().is_some() || token::may_hold_core(text.as_bytes()))
}

/// Appends what looks like a token in a text that begins at `start`.
fn find_literals(settings: &Settings, text: &str, start: usize, found: &mut Vec<Detection>) {
    let literal = |range: Range<usize>| literal(start + range.start..start + range.end);
    let view = View::of(text, true);
    found.extend(token::look_alikes(&view).map(literal));
    if settings.operator.id_key().is_some() {
        found.extend(token::lone_ids(&view).map(literal));
    }
}

/// Adds what `find` finds between the detections, and keeps their order.
fn add_between(
    text: &str,
    found: &mut Vec<Detection>,
    mut find: impl FnMut(Range<usize>, &mut Vec<Detection>),
) {
    let mut more = Vec::new();
    let mut start = 0;
    for detection in found.iter() {
        find(start..detection.start, &mut more);
        start = detection.end;
    }
    find(start..text.len(), &mut more);
    if !more.is_empty() {
        found.append(&mut more);
        found.sort_by_key(|detection| detection.start);
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
