//! Leaves in which nothing is to be masked by itself: they are looked at as they are written, without being read again.

use std::sync::Arc;

use super::findings::{Findings, Holds, TextFindings, TextKind};
use super::loud;
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

/// What the texts of a leaf hold that is read.
pub(super) struct Heard {
    digest: u128,
    /// What is remembered of a loud leaf.
    known: Option<TextFindings>,
    /// `None` if it is not known, or remembered.
    hidden: Option<HeadCollector>,
    is_quiet: bool,
}

/// What a leaf turned out to be.
pub(super) enum Leaf {
    Quiet(KnownText),
    Loud(KnownText),
}

/// What is remembered of a leaf.
pub(super) enum Remembered {
    Quiet(KnownText),
    /// Values give themselves away in it.
    Loud(KnownText),
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
    let known = findings.get(digest);
    let Some(known) = known.filter(|known| known.holds.hidden.is_some()) else {
        return Some(Remembered::Nothing(Heard::new(digest, findings)));
    };
    let is_loud = known.holds.is_loud;
    let known = KnownText::new(digest, known);
    Some(if is_loud {
        Remembered::Loud(known)
    } else {
        Remembered::Quiet(known)
    })
}

impl Heard {
    fn new(digest: u128, findings: &dyn Findings) -> Self {
        Self {
            digest,
            known: None,
            hidden: Some(HeadCollector::new(findings.key())),
            is_quiet: true,
        }
    }

    /// Of a leaf that is known to be loud.
    pub(super) fn again(known: KnownText) -> Self {
        Self {
            digest: known.digest,
            known: Some(known.found),
            hidden: None,
            is_quiet: false,
        }
    }

    /// Adds what one text holds, and whether anything was found in it.
    pub(super) fn add(&mut self, holds: &Holds, is_found: bool) {
        self.is_quiet &= !is_found && !holds.files && !holds.cores;
        match (&mut self.hidden, &holds.hidden) {
            (Some(all), Some(hidden)) if !holds.files => all.add_all(hidden),
            _ => self.hidden = None,
        }
    }

    /// Remembers the leaf if it is quiet. Of a loud one there is no more to remember yet.
    pub(super) fn keep(self, findings: &dyn Findings, leaf: RequestLeaf<'_>) -> Option<Leaf> {
        if let Some(known) = self.known {
            return Some(Leaf::Loud(KnownText::new(self.digest, known)));
        }
        let hidden = self.hidden?.of(leaf.value.raw_content())?;
        if !self.is_quiet {
            let found = loud::remembered(hidden);
            return Some(Leaf::Loud(KnownText::new(self.digest, found)));
        }
        let found = TextFindings {
            detections: Arc::default(),
            holds: Holds {
                hidden: Some(hidden),
                ..Holds::default()
            },
            searches: Searches::default(),
        };
        findings.keep(self.digest, found.clone());
        Some(Leaf::Quiet(KnownText::new(self.digest, found)))
    }
}
