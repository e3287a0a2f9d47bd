//! The last pass over the texts of a request: replaces the values that were found, everywhere they
//! occur.

use std::sync::Arc;

use memchr::memchr;

use super::assign::TokenAssignment;
use super::belonging::whole;
use super::find::{Finding, Found, MaskRules, Values, Written, add_between, joined};
use super::leaves::Leaves;
use super::loud::{LoudLeaves, Replaced, are_among};
use super::parts::{Parts, for_each_part};
use super::quiet::QuietLeaves;
use super::searched::{KnownText, KnownValues, Outcome, Standing};
use super::sightings::Seen;
use super::{Texts, surrogates};
use crate::json::{Context, Edit, Nesting, Value, decoded, edits_in_string, escaped};
use crate::schema::RequestLeaf;
use crate::token::{self, Spelled, Spellings};
use crate::{
    Detection, EntityType, Error, Findings, MaskSummary, Sensitive, Session, Settings, detect,
};

/// Masks the texts of one request, one after the other, in the order in which they were searched.
pub(crate) struct Masking<'a> {
    settings: &'a Settings,
    mask_rules: MaskRules<'a>,
    values: Values<'a>,
    /// Not everything was read.
    is_unseen: bool,
    most_values: usize,
    own: Option<Session>,
    /// The same when the pass began.
    own_before: Option<Session>,
    /// Whether the first passes looked for what stands beside known values.
    joins: bool,
    quiet: QuietLeaves,
    /// Nothing without a memory.
    sought: Option<KnownValues<'a>>,
    loud: LoudLeaves,
    /// What stands for the names that tools declare.
    declared: u128,
    found: Found,
    written: Written<'a>,
    /// For another first pass.
    findings: Option<&'a dyn Findings>,
    host: Option<&'a Leaves>,
    assignment: TokenAssignment<'a>,
    /// The number of values when the pass began.
    known: usize,
    summary: MaskSummary,
    seen: Seen,
    spellings: Spellings,
}

impl<'a> Masking<'a> {
    pub(super) fn new(mut first: Finding<'a>) -> Self {
        Self {
            known: first.values.issued().len(),
            sought: first.sought(),
            declared: first.declared(),
            loud: first.loud,
            findings: first.findings,
            host: first.host,
            assignment: first.assignment,
            settings: first.settings,
            mask_rules: first.mask_rules,
            values: first.values,
            most_values: first.most_values,
            is_unseen: first.is_unseen,
            own_before: first.own.clone(),
            own: first.own,
            joins: first.joins,
            quiet: first.quiet,
            found: first.found,
            written: first.written,
            summary: MaskSummary::default(),
            seen: Seen::default(),
            spellings: Spellings::default(),
        }
    }

    /// Whether a value was new: a known one stands beside something that belongs to it, and together they are another.
    /// The first passes did not search for it.
    pub(super) fn has_learnt(&mut self) -> bool {
        self.values.issued().len() > self.known
    }

    /// Another first pass over the same request. The first time it begins anew and looks for what this pass learnt, so
    /// that it is numbered at its place: numbered last, it would get another number in a longer history.
    pub(super) fn again(mut self) -> Finding<'a> {
        let before = self.assignment.emptied();
        match before.filter(|_| !self.joins) {
            Some(before) => {
                *self.values.issued() = before;
                self.own = self.own_before;
            }
            None => self.values.issued().learn(),
        }
        let mut finding = Finding::on(
            self.settings,
            self.mask_rules,
            self.findings,
            self.values,
            self.host,
        );
        finding.is_unseen = self.is_unseen;
        finding.most_values = self.most_values;
        finding.own = self.own;
        finding.written = self.written;
        finding.assignment = self.assignment;
        finding.joins = true;
        finding
    }

    /// Refuses the request: a value that was learnt last may stand anywhere.
    pub(super) fn give_up(&mut self) {
        self.is_unseen = true;
    }

    /// Whether there is nothing that a text could contain, or it does not matter any more.
    pub(crate) fn is_idle(&mut self) -> bool {
        let session = self.values.issued();
        let is_full = session.len() > self.most_values;
        let is_plain = !session.knows_any() && !session.has_surrogates();
        is_full || self.found.is_empty() && is_plain && !self.loud.has_passed()
    }

    /// How values are spelled in JSON, where they are not written as they are.
    pub(crate) fn take_spellings(&mut self) -> Spellings {
        let mut spellings = std::mem::take(&mut self.spellings);
        spellings.retain(|_, spelled| spelled.written.expose().contains('\\'));
        spellings
    }

    /// What was done in the body of this root, and the mappings that were to be kept apart.
    ///
    /// # Errors
    /// [`Error::TooManyValues`] when the session holds too many, [`Error::ScanFailed`] when a text was not offered to the
    /// host, or the texts were not read often enough.
    pub(crate) fn finish(
        mut self,
        root: Option<Value<'_>>,
    ) -> Result<(MaskSummary, Option<Session>), Error> {
        if self.values.issued().len() > self.most_values {
            return Err(Error::TooManyValues);
        }
        if self.is_unseen {
            return Err(Error::ScanFailed);
        }
        self.summary.sightings = self.seen.named(root);
        Ok((self.summary, self.own))
    }

    /// What is masked in the next text, in order.
    pub(super) fn detections(&mut self, text: &str, nesting: &Nesting) -> Vec<Detection> {
        let mut found = self.known_detections(text, nesting);
        let session = self.values.issued();
        let mask_rules = self.mask_rules;
        if session.has_surrogates() && mask_rules.operator.restores() {
            add_between(text, &mut found, |gap, more| {
                surrogates::find(session, text, gap, more);
                more.retain(|detection| mask_rules.masks_known(&detection.entity));
            });
        }
        found
    }

    /// What was found, and other places of the session's values.
    fn known_detections(&mut self, text: &str, nesting: &Nesting) -> Vec<Detection> {
        let known = self.found.take_known();
        let found = self.found.take();
        if !self.values.issued().knows_any() {
            return found;
        }
        let in_strings = memchr(b'\\', text.as_bytes()).is_some() && nesting.may_escape(text);
        let standing = self.standing(text, in_strings, known);
        let known = standing.iter().filter(|known| !is_within(known, &found));
        let known: Vec<_> = known.cloned().collect();
        if known.is_empty() {
            return found;
        }
        let before = found.clone();
        let joined = joined(text, self.mask_rules.operator, found, known);
        if !are_among(&before, &joined) {
            self.loud.blur();
        }
        joined
    }

    /// The session's values in a text, in the text's spelling, in order.
    fn standing(
        &mut self,
        text: &str,
        in_strings: bool,
        known: Option<KnownText>,
    ) -> Arc<[Detection]> {
        let (settings, mask_rules) = (self.settings, self.mask_rules);
        let session = &*self.values.issued();
        let search = || find_known(session, settings, mask_rules, text, in_strings).into();
        let (Some(mut known), Some(sought)) = (known, &mut self.sought) else {
            return search();
        };
        let before = sought.outcome(session, &mut known, text);
        let standing = before
            .as_ref()
            .and_then(|outcome| outcome.standing.as_ref());
        if let Some(same) = standing.filter(|standing| standing.in_strings == in_strings) {
            return Arc::clone(&same.all);
        }
        let all: Arc<[_]> = search();
        let standing = Standing {
            in_strings,
            all: Arc::clone(&all),
        };
        sought.add(&mut known, before, standing);
        all
    }

    /// Adds the edits of a detection.
    pub(super) fn replace(
        &mut self,
        text: &str,
        detection: &Detection,
        parts: &mut Parts<'_>,
        edits: &mut Vec<Edit>,
    ) {
        let (start, end) = (detection.start, detection.end);
        if self.mask_rules.operator.restores() {
            let before = edits.len();
            parts.for_each(start..end, |range, decoded| {
                edits.push(Edit {
                    start: range.start,
                    end: range.end,
                    text: self.instead(text, detection, decoded),
                });
            });
            if edits.len() == before {
                return;
            }
            if let Some(begins) = parts.in_string() {
                for edit in edits.iter().skip(before) {
                    let written = text.get(edit.start..edit.end).unwrap_or_default();
                    self.spelled(&edit.text, written, begins && edit.start == start);
                }
            }
        } else {
            // It is kept nowhere, but masked wherever it stands.
            let (operator, origin) = (self.mask_rules.operator, self.written.origin());
            let issued = self.values.issued();
            parts.for_each(start..end, |_, decoded| {
                let _ = issued.issue(&detection.entity, decoded, origin, operator);
            });
            let text = token::redacted(&detection.entity);
            edits.push(Edit { start, end, text });
        }
        self.count(&detection.entity, detection.rule, 1);
    }

    fn count(&mut self, entity: &EntityType, rule: &'static str, count: u64) {
        let counts = &mut self.summary.entity_counts;
        *counts.entry(entity.clone()).or_default() += count;
        self.summary.transformations += count;
        self.seen.add(entity, rule, count);
    }

    /// Adds the edits of a leaf that was not read; `false` if they are not known.
    fn replace_passed(&mut self, leaf: RequestLeaf<'_>, edits: &mut Vec<Edit>) -> bool {
        let session = &*self.values.issued();
        let loud = self.loud.current();
        let (sought, declared) = (self.sought.as_mut(), self.declared);
        let replaced = loud.and_then(|loud| loud.replaced(leaf, session, sought, declared));
        let Some(replaced) = replaced else {
            return false;
        };
        let Some(own) = replaced.edits(leaf, session) else {
            return false;
        };
        for (core, edit) in own {
            if let (Some(own), Some(mapping)) = (&mut self.own, session.by_core(core)) {
                own.adopt(Arc::clone(mapping));
            }
            edits.push(edit);
        }
        for seen in &replaced.seen {
            self.count(&seen.entity, seen.rule, seen.count);
        }
        true
    }

    /// Remembers what a leaf became.
    fn remember(&mut self, leaf: RequestLeaf<'_>, edits: &[Edit]) {
        let session = &*self.values.issued();
        let loud = self.loud.current().filter(|loud| loud.is_plain);
        let (Some(loud), Some(sought)) = (loud, &mut self.sought) else {
            return;
        };
        let declared = self.declared;
        let before = loud.replaced(leaf, session, Some(sought), declared);
        if before.is_some() {
            return;
        }
        let seen = self.seen.of_leaf();
        if let Some(replaced) = Replaced::by(edits, leaf, seen, declared, session) {
            let outcome = Outcome {
                replaced: Some(Arc::new(replaced)),
                ..Outcome::default()
            };
            sought.keep(&mut loud.known, outcome);
        }
    }

    fn instead(&mut self, text: &str, detection: &Detection, value: &str) -> String {
        let session = self.values.issued();
        if !session.has_surrogates() {
            return self.token(&detection.entity, value);
        }
        let (operator, origin) = (self.mask_rules.operator, self.written.origin());
        let written = surrogates::written(session, operator, text, detection, value, origin);
        let Some(written) = written else {
            return self.token(&detection.entity, value);
        };
        if let Some(own) = &mut self.own {
            for mapping in written.mappings {
                own.adopt(mapping);
            }
        }
        written.text
    }

    fn token(&mut self, entity: &EntityType, value: &str) -> String {
        let operator = self.mask_rules.operator;
        let origin = self.written.origin();
        let issued = self.values.issued();
        let mapping = issued.issue(entity, value, origin, operator);
        let text = token::full(mapping.core());
        if let Some(own) = &mut self.own {
            own.adopt(mapping);
        }
        text
    }
}

impl Texts for Masking<'_> {
    fn enter(&mut self, part: u32, leaf: Option<usize>) {
        self.loud.leave();
        self.seen.enter(leaf);
        self.written.enter(leaf);
        self.found.enter(part);
    }

    fn pass(&mut self, leaf: RequestLeaf<'_>, edits: &mut Vec<Edit>) -> bool {
        let (number, sought) = (self.found.next().part(), self.sought.as_mut());
        let session = self.values.issued();
        if self.quiet.pass(number, leaf, session, sought) {
            return true;
        }
        let loud = self.loud.enter(number);
        if !loud.is_some_and(|loud| loud.is_passed) {
            return false;
        }
        let is_replaced = self.replace_passed(leaf, edits);
        // Without the first passes, not all of it would be masked.
        self.is_unseen |= !is_replaced;
        is_replaced
    }

    fn leave(&mut self, leaf: RequestLeaf<'_>, edits: &[Edit]) {
        self.remember(leaf, edits);
    }

    fn plain(&mut self, text: &str, _: Option<&str>, nesting: Nesting) -> Vec<Edit> {
        let found = self.detections(text, &nesting);
        let mut parts = Parts::of(text, nesting);
        let mut edits = Vec::with_capacity(found.len());
        for detection in &found {
            self.replace(text, detection, &mut parts, &mut edits);
        }
        edits
    }

    fn left(&mut self, text: &str) -> Vec<Edit> {
        self.plain(text, None, Nesting::new(Context::Plain, 0))
    }

    /// A value that is spelled in several ways is written in the usual one.
    fn spelled(&mut self, token: &str, written: &str, begins: bool) {
        self.loud.blur();
        let session = self.values.issued();
        let core = token
            .strip_prefix('<')
            .and_then(|rest| rest.strip_suffix('>'));
        let Some(mapping) = core.and_then(|core| session.by_core(core)) else {
            return;
        };
        let value = mapping.value().expose();
        if decoded(written) != *value {
            return;
        }
        if let Some(spelled) = self.spellings.get_mut(mapping.core()) {
            spelled.begins |= begins;
            if spelled.written.expose() != written {
                spelled.written = Sensitive::new(escaped(value.clone()));
            }
            return;
        }
        let written = Sensitive::new(written.to_owned());
        let spelled = Spelled { written, begins };
        self.spellings.insert(mapping.core().to_owned(), spelled);
    }
}

/// Whether one of these, which are in order and apart from each other, covers all of another.
fn is_within(one: &Detection, others: &[Detection]) -> bool {
    let next = others.partition_point(|other| other.end < one.end);
    let next = others.get(next);
    next.is_some_and(|other| other.start <= one.start)
}

/// The session's values in a text, in the text's spelling, in order.
fn find_known(
    session: &Session,
    settings: &Settings,
    mask_rules: MaskRules<'_>,
    text: &str,
    in_strings: bool,
) -> Vec<Detection> {
    let mut found = Vec::new();
    let admits =
        |text: &str, detection: &Detection| mask_rules.admits_known(settings, text, detection);
    session.find_known(text, &admits, &mut |known, _| {
        let known = whole(text, known);
        found.extend(admits(text, &known).then_some(known));
    });
    if !in_strings {
        return found;
    }
    // The same in the strings of JSON that is cut off, or of which there are several.
    for_each_part(text, 1, |range, decoded| {
        let mut standing = Vec::new();
        session.find_known(decoded, &admits, &mut |known, _| {
            let known = whole(decoded, known);
            standing.extend(admits(decoded, &known).then_some(known));
        });
        let mut standing = detect::merge(standing);
        let standing_at = standing.iter().map(|detection| Edit {
            start: detection.start,
            end: detection.end,
            text: String::new(),
        });
        let mut placed = Vec::new();
        let raw = text.get(range.clone()).unwrap_or_default();
        edits_in_string(raw, range.start, standing_at.collect(), &mut placed);
        for (detection, place) in standing.iter_mut().zip(placed) {
            (detection.start, detection.end) = (place.start, place.end);
        }
        found.append(&mut standing);
    });
    found
}
