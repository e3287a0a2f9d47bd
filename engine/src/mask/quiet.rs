//! Leaves in which nothing is to be masked by itself: they are looked at as they are written, without being read again.

use std::sync::Arc;

use super::findings::{Findings, Holds, TextFindings, TextKind};
use crate::json::Value;
use crate::schema::{Form, RequestLeaf};
use crate::session::{HeadCollector, HiddenHeads, Session};

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
    hidden: HiddenHeads,
    /// No value of the session stands in it.
    is_passed: bool,
}

impl QuietLeaves {
    pub(super) fn push(&mut self, number: u32, hidden: HiddenHeads) {
        self.all.push(QuietLeaf {
            number,
            hidden,
            is_passed: false,
        });
    }

    /// Starts again with the first leaf. `may_know` says whether the session may know more values than before.
    pub(super) fn rewound(mut self, may_know: bool) -> Self {
        self.next = 0;
        if may_know {
            self.all.iter_mut().for_each(|leaf| leaf.is_passed = false);
        }
        self
    }

    /// Whether a leaf is quiet, and no value of the session stands in it.
    pub(super) fn pass(&mut self, number: u32, leaf: RequestLeaf<'_>, session: &Session) -> bool {
        let rest = self.all.get_mut(self.next..).unwrap_or_default();
        let before = rest
            .iter()
            .take_while(|quiet| quiet.number < number)
            .count();
        self.next += before;
        let quiet = rest.get_mut(before).filter(|quiet| quiet.number == number);
        let Some(quiet) = quiet else { return false };
        let written = leaf.value.raw_content();
        quiet.is_passed = quiet.is_passed || !session.may_stand_in(written, &quiet.hidden);
        quiet.is_passed
    }
}

/// What the texts of a leaf hold that was not remembered.
pub(super) struct Heard {
    digest: u128,
    /// `None` if it is not quiet.
    hidden: Option<HeadCollector>,
}

/// What is remembered of a leaf.
pub(super) enum Remembered {
    Quiet(HiddenHeads),
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
    let quiet = findings.get(digest).and_then(|known| known.holds.hidden);
    Some(quiet.map_or_else(
        || {
            Remembered::Nothing(Heard {
                digest,
                hidden: Some(HeadCollector::new(findings.key())),
            })
        },
        Remembered::Quiet,
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
    pub(super) fn keep(
        self,
        findings: &dyn Findings,
        leaf: RequestLeaf<'_>,
    ) -> Option<HiddenHeads> {
        let hidden = self.hidden?.of_leaf(leaf.value.raw_content())?;
        let found = TextFindings {
            detections: Arc::default(),
            holds: Holds {
                hidden: Some(hidden.clone()),
                ..Holds::default()
            },
        };
        findings.keep(self.digest, found);
        Some(hidden)
    }
}
