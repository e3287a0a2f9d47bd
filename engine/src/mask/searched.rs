//! Remembers where a session's values stand in a text, so that a history is not searched for them again every turn.

use std::sync::Arc;

use super::MaskRules;
use super::findings::{Findings, TextFindings, TextKind};
use super::loud::Replaced;
use crate::session::{NewValues, Session};
use crate::{Detection, Mapping};

/// How many searches of a text are remembered: a request whose values are spelled in several ways makes two, and two
/// sessions may share a text.
const MOST: usize = 2;

/// How many sets of values are compared with those of a session.
const MOST_COMPARED: usize = 8;

/// The last searches of a text, or of a leaf in which nothing stands. The latest one comes first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Searches(Option<Arc<Vec<Search>>>);

/// A search of a text for known values.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Search {
    sought: SoughtId,
    outcome: Outcome,
}

/// What it came to, as far as it was made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// In the readings of the text, at their places in it.
    pub(super) respelled: Option<Arc<[KnownValue]>>,
    /// In the text itself.
    pub(super) standing: Option<Standing>,
    /// In a leaf, with what gives itself away there.
    pub(super) replaced: Option<Arc<Replaced>>,
}

/// A known value in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KnownValue {
    pub(super) detection: Detection,
    /// The number of its mapping in the session.
    pub(super) number: usize,
}

/// What stands in a text itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Standing {
    /// Whether strings in it were decoded.
    pub(super) in_strings: bool,
    pub(super) all: Arc<[Detection]>,
}

/// What stands for the values that are sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SoughtId {
    values: u128,
    /// Whether those of all types are, or of those that the settings name.
    of_all_types: bool,
}

impl Searches {
    /// About how many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        self.all().iter().map(Search::bytes).sum()
    }

    fn all(&self) -> &[Search] {
        self.0.as_ref().map_or(&[], |all| all)
    }

    fn change(&mut self) -> &mut Vec<Search> {
        Arc::make_mut(self.0.get_or_insert_default())
    }

    /// Remembers a search.
    fn keep(&mut self, sought: SoughtId, outcome: Outcome) {
        let all = self.change();
        all.retain(|search| search.sought != sought);
        all.truncate(MOST - 1);
        all.insert(0, Search { sought, outcome });
    }
}

impl Search {
    fn bytes(&self) -> usize {
        let Outcome {
            respelled,
            standing,
            replaced,
        } = &self.outcome;
        let respelled = respelled.as_ref().map_or(0, |all| size_of_val(&**all));
        let standing = standing.as_ref().map_or(0, |all| size_of_val(&*all.all));
        let replaced = replaced.as_ref().map_or(0, |all| all.bytes());
        size_of::<Self>() + respelled + standing + replaced
    }
}

/// A text, or a leaf, that is remembered.
#[derive(Debug, Clone)]
pub(super) struct KnownText {
    pub(super) digest: u128,
    pub(super) found: TextFindings,
    /// The values of this request, if an earlier search holds for them, and which one.
    same: Option<(SoughtId, usize)>,
}

impl KnownText {
    pub(super) fn new(digest: u128, found: TextFindings) -> Self {
        Self {
            digest,
            found,
            same: None,
        }
    }
}

/// The values of a session that texts are searched for.
pub(super) struct KnownValues<'a> {
    findings: &'a dyn Findings,
    sought: SoughtId,
    /// The values that came after others.
    since: Vec<(u128, Option<NewValues>)>,
}

impl<'a> KnownValues<'a> {
    pub(super) fn new(
        findings: &'a dyn Findings,
        mask_rules: MaskRules<'_>,
        session: &Session,
    ) -> Self {
        Self {
            findings,
            sought: SoughtId {
                values: session.known_id(&|mapping| digest(findings, mapping)),
                of_all_types: mask_rules.masks_all_known(),
            },
            since: Vec::new(),
        }
    }

    /// What is remembered of a text.
    pub(super) fn text(&self, text: &str, name: Option<&str>) -> Option<KnownText> {
        super::findings::remembered(self.findings, text, name)
    }

    /// What a search for these values came to, if there was one, or can't come to anything else than an earlier one.
    pub(super) fn outcome(
        &mut self,
        session: &Session,
        known: &mut KnownText,
        text: &str,
    ) -> Option<Outcome> {
        let TextFindings {
            holds, searches, ..
        } = &known.found;
        let same = known.same.filter(|(sought, _)| *sought == self.sought);
        let mut all = searches.all().iter();
        let same = same
            .map(|(_, at)| at)
            .or_else(|| all.position(|search| search.sought == self.sought));
        if let Some(same) = same.and_then(|at| searches.all().get(at)) {
            return Some(same.outcome.clone());
        }
        let hidden = holds.hidden.as_ref()?;
        let at = searches.all().iter().position(|earlier| {
            earlier.sought.of_all_types == self.sought.of_all_types
                && self
                    .since(session, earlier.sought.values)
                    .is_some_and(|new| !new.may_stand_in(text, hidden))
        })?;
        let earlier = searches.all().get(at)?.clone();
        let new = self.since(session, earlier.sought.values)?;
        if new.are_few() {
            known.same = Some((self.sought, at));
        } else {
            self.keep(known, earlier.outcome.clone());
        }
        Some(earlier.outcome)
    }

    /// The values that came after others.
    fn since(&mut self, session: &Session, before: u128) -> Option<&NewValues> {
        let at = self.since.iter().position(|(id, _)| *id == before);
        let at = at.unwrap_or_else(|| {
            let findings = self.findings;
            let new = session.known_since(before, &|mapping| digest(findings, mapping));
            self.since.truncate(MOST_COMPARED - 1);
            self.since.insert(0, (before, new));
            0
        });
        self.since.get(at)?.1.as_ref()
    }

    /// Remembers what a search came to.
    pub(super) fn keep(&self, known: &mut KnownText, outcome: Outcome) {
        known.same = None;
        known.found.searches.keep(self.sought, outcome);
        self.findings.keep(known.digest, known.found.clone());
    }

    /// Remembers what stands in the text itself, too.
    pub(super) fn add(&self, known: &mut KnownText, before: Option<Outcome>, standing: Standing) {
        let outcome = Outcome {
            standing: Some(standing),
            ..before.unwrap_or_default()
        };
        self.keep(known, outcome);
    }
}

/// What stands for a value of a session.
fn digest(findings: &dyn Findings, mapping: &Mapping) -> u128 {
    let (value, entity) = (mapping.value().expose(), mapping.entity().as_str());
    findings.digest(value, Some(entity), TextKind::Plain)
}
