//! Between the passes over the texts of a request: finds known values in other spellings.
//!
//! The last pass finds a known value as it was written first. Where the same value is escaped,
//! percent-encoded or interrupted by a terminal escape, it is another text, and what stands there
//! must come back. So it gets a token of its own.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::Texts;
use super::assign::{Given, Revealers};
use super::belonging::{whole, whole_in};
use super::find::{Finding, Found, joined};
use super::loud::are_among;
use super::parts::Parts;
use super::searched::{KnownText, KnownValue, KnownValues, Outcome};
use super::walk::TextNumber;
use crate::detect::{Backslash, Reading, each_reading, without_backslashes};
use crate::json::{Context, Edit, Nesting};
use crate::schema::RequestLeaf;
use crate::{Detection, Mapping, Sensitive};

/// Searches the texts, one after the other, in the order of the first pass.
pub(super) struct Respelled<'a> {
    first: Finding<'a>,
    /// Nothing without a memory.
    sought: Option<KnownValues<'a>>,
    found: Found,
    /// Whether the first pass did not read the leaf that is read.
    is_unread: bool,
    new: Vec<Given>,
    /// Which texts reveal the values of these cores.
    revealed: OnceCell<BTreeMap<String, Revealers>>,
}

/// A known value, and the number of the text that reveals it.
struct Hit {
    detection: Detection,
    revealing: TextNumber,
}

impl<'a> Respelled<'a> {
    pub(super) fn new(mut first: Finding<'a>) -> Self {
        first.quiet = first.quiet.rewound(true);
        Self {
            sought: first.sought(),
            first,
            found: Found::default(),
            is_unread: false,
            new: Vec::new(),
            revealed: OnceCell::new(),
        }
    }

    /// Whether what was found may stand elsewhere, beside something that belongs to it as well.
    pub(super) fn has_joined(&self) -> bool {
        self.first.joins && !self.new.is_empty()
    }

    /// How many values were known before.
    pub(super) fn known(&mut self) -> usize {
        self.first.values.issued().len()
    }

    /// The first pass, with what was found besides.
    pub(super) fn finish(self) -> Finding<'a> {
        let mut first = self.first;
        first.found = self.found;
        first.quiet = first.quiet.rewound(!self.new.is_empty());
        if !self.new.is_empty() {
            first.assignment.give_again(first.values.issued(), self.new);
        }
        first
    }

    /// The known values, as they stand in the text. Those in their own spelling are left to the last pass, unless it learnt
    /// something beside them.
    fn hits(&mut self, text: &str, is_plain: bool, known: Option<&mut KnownText>) -> Vec<Hit> {
        let mut values = Vec::new();
        if self.first.joins {
            self.add_standing(text, &mut values);
        }
        let respelled = self.respelled_in(text, is_plain, known);
        let all = values.iter().chain(respelled.iter());
        let (session, assignment) = (&*self.first.values.issued(), &self.first.assignment);
        let hits = all.filter_map(|KnownValue { detection, number }| {
            let all = self.revealed.get_or_init(|| assignment.revealed(session));
            let mapping = session.by_number(*number)?;
            let revealed = all.get(mapping.core());
            Some(Hit {
                detection: detection.clone(),
                revealing: revealed.map_or(TextNumber::default(), |revealed| revealed.first),
            })
        });
        hits.collect()
    }

    /// Those in their own spelling.
    fn add_standing(&mut self, text: &str, values: &mut Vec<KnownValue>) {
        let Finding {
            settings,
            mask_rules,
            values: own,
            ..
        } = &mut self.first;
        let admits =
            |text: &str, detection: &Detection| mask_rules.admits_known(settings, text, detection);
        own.issued()
            .find_known(text, &admits, &mut |known, number| {
                let detection = whole(text, known);
                if admits(text, &detection) {
                    values.push(KnownValue { detection, number });
                }
            });
    }

    /// Those in readings of the text.
    fn respelled_in(
        &mut self,
        text: &str,
        is_plain: bool,
        known: Option<&mut KnownText>,
    ) -> Arc<[KnownValue]> {
        let session = self.first.values.issued();
        let (Some(known), Some(sought)) = (known, &mut self.sought) else {
            return self.search_readings(text, is_plain).into();
        };
        let before = sought.outcome(session, known, text);
        if let Some(respelled) = before.and_then(|outcome| outcome.respelled) {
            return respelled;
        }
        let respelled: Arc<[_]> = self.search_readings(text, is_plain).into();
        if let Some(sought) = &self.sought {
            let outcome = Outcome {
                respelled: Some(Arc::clone(&respelled)),
                ..Outcome::default()
            };
            sought.keep(known, outcome);
        }
        respelled
    }

    fn search_readings(&mut self, text: &str, is_plain: bool) -> Vec<KnownValue> {
        let Finding {
            settings,
            mask_rules,
            values,
            ..
        } = &mut self.first;
        let session = &*values.issued();
        let admits =
            |text: &str, detection: &Detection| mask_rules.admits_known(settings, text, detection);
        let mut found = Vec::new();
        let mut scan = |reading: &Reading<'_>| {
            if reading.is_source() {
                return;
            }
            session.find_known(reading.text, &admits, &mut |detection, number| {
                let detection = whole_in(reading, detection);
                if let Some(detection) = detection.filter(|detection| admits(text, detection)) {
                    found.push(KnownValue { detection, number });
                }
            });
        };
        if !is_plain {
            each_reading(text, &mut scan);
        }
        without_backslashes(text, Backslash::Alone, &mut scan);
        if session.knows_white_space() {
            without_backslashes(text, Backslash::Escape, &mut scan);
        }
        found
    }

    /// Takes what has no token yet, or got it for a later text.
    fn take_new(&mut self, parts: &mut Parts<'_>, detection: &Detection, revealing: TextNumber) {
        let origin = self.first.written.origin();
        let session = self.first.values.issued();
        let revealed = self.revealed.get();
        let is_late = |mapping: &Arc<Mapping>| {
            let revealed = revealed.and_then(|all| all.get(mapping.core()));
            revealed.is_some_and(|revealed| revealed.given > revealing)
        };
        parts.for_each(detection.start..detection.end, |_, decoded| {
            if session.by_value(decoded).is_none_or(is_late) {
                self.new.push(Given {
                    text: revealing,
                    entity: detection.entity.clone(),
                    value: Sensitive::new(decoded.to_owned()),
                    origin,
                    is_respelled: true,
                });
            }
        });
    }
}

impl Texts for Respelled<'_> {
    fn enter(&mut self, part: u32, leaf: Option<usize>) {
        self.first.enter(part, leaf);
        self.first.loud.leave();
        self.is_unread = false;
        self.found.enter(part);
    }

    fn pass(&mut self, leaf: RequestLeaf<'_>, _: &mut Vec<Edit>) -> bool {
        let (number, sought) = (self.found.next().part(), self.sought.as_mut());
        let declared = self.first.declared();
        let session = self.first.values.issued();
        if self.first.quiet.pass(number, leaf, session, sought) {
            return true;
        }
        let Some(loud) = self.first.loud.enter(number).filter(|loud| loud.is_passed) else {
            return false;
        };
        let replaced = loud.replaced(leaf, session, self.sought.as_mut(), declared);
        loud.is_passed = replaced.is_some();
        self.is_unread = !loud.is_passed;
        loud.is_passed
    }

    fn plain(&mut self, text: &str, name: Option<&str>, nesting: Nesting) -> Vec<Edit> {
        let number = self.found.next();
        let is_plain = self.first.found.is_next_plain();
        let known = self.first.found.take_known();
        let mut known = known.or_else(|| self.sought.as_ref()?.text(text, name));
        let mut found = self.first.found.take();
        if self.is_unread {
            found = self.first.detect(text, name);
        }
        let mut hits = self.hits(text, is_plain, known.as_mut());
        self.found.remember_next(known);
        if !hits.is_empty() {
            hits.sort_by_key(|hit| hit.detection.start);
            let known = hits.iter().map(|hit| hit.detection.clone()).collect();
            let before = found.clone();
            found = joined(text, self.first.mask_rules.operator, found, known);
            if !are_among(&before, &found) {
                self.first.loud.blur();
            }
            let mut hits = &*hits;
            let mut parts = Parts::of(text, nesting);
            for detection in &found {
                let within = hits.partition_point(|hit| hit.detection.start < detection.end);
                let (of_detection, rest) = hits.split_at(within);
                if let Some(revealing) = revealing(detection, of_detection) {
                    self.take_new(&mut parts, detection, revealing.max(number));
                }
                hits = rest;
            }
        }
        self.found.push(found);
        Vec::new()
    }

    fn left(&mut self, text: &str) -> Vec<Edit> {
        self.plain(text, None, Nesting::new(Context::Plain, 0))
    }
}

/// The number of the text that reveals a detection which these known values are joined to: the first
/// that reveals one which is all of it, or else the last.
fn revealing(detection: &Detection, hits: &[Hit]) -> Option<TextNumber> {
    let is_all =
        |hit: &&Hit| (hit.detection.start, hit.detection.end) == (detection.start, detection.end);
    let whole = hits.iter().filter(is_all).map(|hit| hit.revealing).min();
    whole.or_else(|| hits.iter().map(|hit| hit.revealing).max())
}
