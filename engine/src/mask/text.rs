//! Masks one text, and JSON that it holds.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::json::{Edit, Kind, Value, edits_in_string, held_json};
use crate::schema::Form;
use crate::{Detection, EntityType, Mapping, MaskSummary, Score, Session, Settings, detect, token};

/// JSON held in a string, held in a string, …: deeper than this it is text.
const MAX_HELD_JSON: u32 = 6;

/// Masks the texts of one request, one after the other, in prompt order.
pub(crate) struct Masker<'a> {
    settings: &'a Settings,
    session: &'a mut Session,
    summary: MaskSummary,
    /// The mappings whose tokens the masked request holds, where that is asked for.
    own: Option<Session>,
    found: Vec<Detection>,
    /// The property names that tools declare, sorted.
    declared: Vec<Cow<'a, str>>,
}

impl<'a> Masker<'a> {
    pub(crate) fn new(settings: &'a Settings, session: &'a mut Session) -> Self {
        Self {
            settings,
            session,
            summary: MaskSummary::default(),
            own: None,
            found: Vec::new(),
            declared: Vec::new(),
        }
    }

    /// Keeps apart the mappings whose tokens the masked request holds.
    pub(crate) fn keep_own(&mut self) {
        self.own = Some(Session::new());
    }

    /// Tells which names tools declare, sorted.
    pub(crate) fn declare(&mut self, names: Vec<Cow<'a, str>>) {
        self.declared = names;
    }

    fn is_declared(&self, name: &str) -> bool {
        let found = self.declared.binary_search_by(|known| (**known).cmp(name));
        found.is_ok()
    }

    /// Takes in the mappings of a signed block, all of them or none.
    pub(crate) fn adopt(&mut self, mappings: &[Arc<Mapping>]) -> bool {
        if !self.session.adopt_all(mappings) {
            return false;
        }
        self.own.as_mut().is_none_or(|own| own.adopt_all(mappings))
    }

    /// What was done, and the mappings that were to be kept apart.
    pub(crate) fn finish(mut self) -> (MaskSummary, Option<Session>) {
        self.summary.mapping_count = self.session.len() as u64;
        (self.summary, self.own)
    }

    /// The edits that mask a text, in order. `name` is what the text is assigned to.
    pub(crate) fn mask(&mut self, text: &str, name: Option<&str>, form: Form) -> Vec<Edit> {
        self.mask_level(text, name, form, MAX_HELD_JSON)
    }

    fn mask_level(&mut self, text: &str, name: Option<&str>, form: Form, levels: u32) -> Vec<Edit> {
        let may_hold_json = form != Form::Key && levels > 0;
        let Some(tape) = held_json(text).filter(|_| may_hold_json) else {
            return self.mask_plain(text, name);
        };
        let held = HeldJson {
            is_arguments: form == Form::Arguments,
            levels: levels - 1,
        };
        let mut edits = Vec::new();
        self.mask_value(tape.root(text), name, held, &mut edits);
        edits
    }

    fn mask_plain(&mut self, text: &str, name: Option<&str>) -> Vec<Edit> {
        detect_in(self.settings, text, name, &mut self.found);
        if self.found.is_empty() {
            return Vec::new();
        }
        let mut found = detect::merge(std::mem::take(&mut self.found));
        let beside = literals_between(self.settings, text, &found);
        if !beside.is_empty() {
            found.extend(beside);
            found.sort_by_key(|detection| detection.start);
        }
        found
            .iter()
            .map(|detection| self.replace(text, detection))
            .collect()
    }

    fn replace(&mut self, text: &str, detection: &Detection) -> Edit {
        let (start, end) = (detection.start, detection.end);
        let value = text.get(start..end).unwrap_or_default();
        *self
            .summary
            .entity_counts
            .entry(detection.entity.clone())
            .or_default() += 1;
        self.summary.transformations += 1;
        let text = if self.settings.operator.restores() {
            let mapping = self
                .session
                .issue(&detection.entity, value, &self.settings.operator);
            let text = token::full(mapping.core());
            if let Some(own) = &mut self.own {
                own.adopt(mapping);
            }
            text
        } else {
            token::redacted(&detection.entity)
        };
        Edit { start, end, text }
    }

    fn mask_value(
        &mut self,
        value: Value<'_>,
        name: Option<&str>,
        held: HeldJson,
        out: &mut Vec<Edit>,
    ) {
        match value.kind() {
            Kind::Object => self.mask_members(value, held, out),
            Kind::Array => self.mask_elements(value, name, held, out),
            Kind::String => {
                let edits = self.mask_level(&value.text(), name, Form::Text, held.levels);
                edits_in_string(value.raw_content(), value.start() + 1, edits, out);
            }
            Kind::Scalar if !held.is_arguments => {
                let start = value.start();
                let edits = self.mask_plain(value.raw(), name).into_iter();
                out.extend(edits.map(|e| Edit {
                    start: start + e.start,
                    end: start + e.end,
                    ..e
                }));
            }
            Kind::Scalar | Kind::Key => {}
        }
    }

    fn mask_members(&mut self, object: Value<'_>, held: HeldJson, out: &mut Vec<Edit>) {
        let beside = object
            .member("name")
            .or_else(|| object.member("key"))
            .filter(|v| v.is_string());
        for (key, value) in object.members() {
            let text = key.text();
            if !(held.is_arguments && self.is_declared(&text)) {
                let edits = self.mask_plain(&text, None);
                edits_in_string(key.raw_content(), key.start() + 1, edits, out);
            }
            let namer = beside.filter(|_| key.raw_content().eq_ignore_ascii_case("value"));
            self.mask_value(value, Some(&namer.unwrap_or(key).text()), held, out);
        }
    }

    fn mask_elements(
        &mut self,
        array: Value<'_>,
        name: Option<&str>,
        held: HeldJson,
        out: &mut Vec<Edit>,
    ) {
        let mut before: Option<Value<'_>> = None;
        for element in array.elements() {
            let flag = before.filter(|value| value.is_string()).map(Value::text);
            let flag = flag.filter(|flag| flag.starts_with('-'));
            self.mask_value(element, flag.as_deref().or(name), held, out);
            before = Some(element);
        }
    }
}

/// How JSON that a text holds is masked.
#[derive(Clone, Copy)]
struct HeldJson {
    /// Of a call: numbers keep their type, and names that a tool declares stay (R3).
    is_arguments: bool,
    levels: u32,
}

/// Everything in a text that is to be masked, unmerged.
pub(super) fn detect_in(
    settings: &Settings,
    text: &str,
    name: Option<&str>,
    found: &mut Vec<Detection>,
) {
    settings.detectors.detect(text, name, found);
    found.retain(|detection| settings.policy.masks(&detection.entity));
    if !settings.operator.restores() {
        return;
    }
    find_literals(settings, text, 0, found);
}

/// Appends what looks like a token in a text that begins at `start`.
fn find_literals(settings: &Settings, text: &str, start: usize, found: &mut Vec<Detection>) {
    let literal = |range: Range<usize>| literal(start + range.start..start + range.end);
    found.extend(token::look_alikes(text).map(literal));
    if settings.operator.id_key().is_some() {
        found.extend(token::lone_ids(text).map(literal));
    }
}

/// What looks like a token only once the values beside it are masked: they were words that touched it.
fn literals_between(settings: &Settings, text: &str, masked: &[Detection]) -> Vec<Detection> {
    let mut found = Vec::new();
    if !settings.operator.restores() {
        return found;
    }
    let ends = masked.iter().map(|detection| detection.end);
    let starts = masked.iter().map(|detection| detection.start);
    let gaps = std::iter::once(0)
        .chain(ends)
        .zip(starts.chain([text.len()]));
    for (start, end) in gaps {
        find_literals(
            settings,
            text.get(start..end).unwrap_or_default(),
            start,
            &mut found,
        );
    }
    found
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
