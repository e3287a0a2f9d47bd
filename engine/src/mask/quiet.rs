//! Leaves in which nothing is to be masked by itself: they are looked at as they are written, without being read again.

use std::sync::Arc;

use super::findings::{Findings, Holds, TextFindings, TextKind};
use super::searched::{KnownText, KnownValues, Outcome, Searches};
use crate::json::Value;
use crate::schema::{Form, RequestLeaf};
use crate::session::{HeadCollector, Session};

/// What is written shorter, in bytes, is read about as fast as it is looked up.
const SHORTEST: usize = 32;

/// The quiet leaves of a request, in prompt order.
#[derive(Default)]
pub(super) struct QuietLeaves {
    all: Vec<QuietLeaf>,
    /// Which is the next one.
    next: usize,
}

struct QuietLeaf {
    /// The number of the leaf in the prompt.
    number: u32,
    known: KnownText,
    /// Whether a value of the session may stand in it, if that is known.
    may_hold_value: Option<bool>,
}

impl QuietLeaves {
    pub(super) fn push(&mut self, number: u32, known: KnownText) {
        self.all.push(QuietLeaf {
            number,
            known,
            may_hold_value: None,
        });
    }

    /// Starts again with the first leaf. `may_know` says whether the session may know more values than before.
    pub(super) fn rewound(mut self, may_know: bool) -> Self {
        self.next = 0;
        if may_know {
            let all = self.all.iter_mut();
            all.for_each(|leaf| leaf.may_hold_value = None);
        }
        self
    }

    /// Whether a leaf is quiet, and no value of the session stands in it.
    pub(super) fn pass(
        &mut self,
        number: u32,
        leaf: RequestLeaf<'_>,
        session: &Session,
        sought: Option<&mut KnownValues<'_>>,
    ) -> bool {
        let rest = self.all.get_mut(self.next..).unwrap_or_default();
        let before = rest
            .iter()
            .take_while(|quiet| quiet.number < number)
            .count();
        self.next += before;
        let quiet = rest.get_mut(before).filter(|quiet| quiet.number == number);
        let (Some(quiet), Some(sought)) = (quiet, sought) else {
            return false;
        };
        let QuietLeaf {
            known,
            may_hold_value,
            ..
        } = quiet;
        let written = leaf.value.raw_content();
        !*may_hold_value.get_or_insert_with(|| may_hold_value_in(written, known, session, sought))
    }
}

/// Whether a value of the session may stand in a quiet leaf.
fn may_hold_value_in(
    written: &str,
    known: &mut KnownText,
    session: &Session,
    sought: &mut KnownValues<'_>,
) -> bool {
    if sought.outcome(session, known, written).is_some() {
        return false;
    }
    let hidden = known.found.holds.hidden.as_ref();
    let may_hold = hidden.is_none_or(|hidden| session.may_stand_in(written, hidden));
    if !may_hold {
        sought.keep(known, Outcome::default());
    }
    may_hold
}

/// What the texts of a leaf hold that was not remembered.
pub(super) struct Heard {
    digest: u128,
    /// `None` if it is not quiet.
    hidden: Option<HeadCollector>,
}

/// What is remembered of a leaf.
pub(super) enum Remembered {
    Quiet(KnownText),
    /// Nothing yet: this is to be told what its texts hold.
    Nothing(Heard),
}

/// What is remembered of a leaf; `None` if that is never remembered.
pub(super) fn remembered(findings: &dyn Findings, leaf: RequestLeaf<'_>) -> Option<Remembered> {
    let written = leaf.value.raw_content();
    let kind = match leaf.form {
        Form::Arguments => TextKind::WrittenArguments,
        Form::Key | Form::Base64 | Form::Left => return None,
        _ => TextKind::Written,
    };
    if written.len() < SHORTEST {
        return None;
    }
    let name = leaf.name.map(Value::text);
    let digest = findings.digest(written, name.as_deref(), kind);
    let quiet = findings.get(digest);
    let quiet = quiet.filter(|known| known.holds.hidden.is_some());
    Some(quiet.map_or_else(
        || {
            Remembered::Nothing(Heard {
                digest,
                hidden: Some(HeadCollector::new(findings.key())),
            })
        },
        |known| Remembered::Quiet(KnownText::new(digest, known)),
    ))
}

impl Heard {
    /// Adds what one text holds, and whether anything was found in it.
    pub(super) fn add(&mut self, holds: &Holds, is_found: bool) {
        let hidden = holds.hidden.as_ref();
        match hidden.filter(|_| !is_found && !holds.files && !holds.cores) {
            Some(hidden) => {
                if let Some(all) = &mut self.hidden {
                    all.add_all(hidden);
                }
            }
            None => self.hidden = None,
        }
    }

    /// Remembers the leaf if it is quiet.
    pub(super) fn keep(self, findings: &dyn Findings, leaf: RequestLeaf<'_>) -> Option<KnownText> {
        let hidden = self.hidden?.of_leaf(leaf.value.raw_content())?;
        let found = TextFindings {
            detections: Arc::default(),
            holds: Holds {
                hidden: Some(hidden),
                ..Holds::default()
            },
            searches: Searches::default(),
        };
        findings.keep(self.digest, found.clone());
        Some(KnownText::new(self.digest, found))
    }
}
