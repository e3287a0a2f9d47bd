//! Leaves in which values give themselves away. What a leaf becomes is remembered, so that those of a history are not read
//! again every turn.

use std::sync::Arc;

use super::findings::{Holds, TextFindings};
use super::searched::{KnownText, KnownValues};
use crate::json::Edit;
use crate::schema::{Form, RequestLeaf};
use crate::session::{HiddenHeads, Session};
use crate::token;
use crate::{Detection, EntityType, Origin};

/// More leaves of a request are read again.
const MOST: usize = 1 << 14;

/// What is replaced in a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replaced {
    edits: Box<[Placed]>,
    pub(super) seen: Box<[SeenRule]>,
    /// What stands for the names that tools declare, if it matters.
    declared: u128,
}

/// A value as it is written in the leaf, and the number of its mapping in the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Placed {
    start: u32,
    end: u32,
    number: u32,
}

/// How often a rule found a type in the leaf, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SeenRule {
    pub(super) entity: EntityType,
    pub(super) rule: &'static str,
    pub(super) count: u64,
}

impl Replaced {
    /// What the edits of a leaf replace; `None` unless each writes nothing but a token that stands for a known value.
    pub(super) fn by(
        edits: &[Edit],
        leaf: RequestLeaf<'_>,
        seen: Vec<SeenRule>,
        declared: u128,
        session: &Session,
    ) -> Option<Self> {
        let declared = declared_for(leaf, declared);
        let begins = leaf.value.start() + 1;
        let place = |at: usize| u32::try_from(at.checked_sub(begins)?).ok();
        let edits = edits.iter().map(|edit| {
            let core = edit.text.strip_prefix('<')?.strip_suffix('>')?;
            Some(Placed {
                start: place(edit.start)?,
                end: place(edit.end)?,
                number: session.number_of(core)?.try_into().ok()?,
            })
        });
        Some(Self {
            edits: edits.collect::<Option<_>>()?,
            seen: seen.into(),
            declared,
        })
    }

    /// The cores of the tokens that it has, each with its place in the document; `None` if the session lacks one.
    pub(super) fn edits<'s>(
        &self,
        leaf: RequestLeaf<'_>,
        session: &'s Session,
    ) -> Option<Vec<(&'s str, Edit)>> {
        let begins = leaf.value.start() + 1;
        let edits = self.edits.iter().map(|placed| {
            let core = session.by_number(placed.number as usize)?.core();
            let edit = Edit {
                start: begins + placed.start as usize,
                end: begins + placed.end as usize,
                text: token::full(core),
            };
            Some((core, edit))
        });
        edits.collect()
    }

    /// Whether all of its values were brought from there before.
    fn are_brought(&self, origin: Origin, session: &Session) -> bool {
        self.edits.iter().all(|placed| {
            let mapping = session.by_number(placed.number as usize);
            let mapping = mapping.and_then(|mapping| session.by_core(mapping.core()));
            mapping.is_some_and(|mapping| mapping.origin() >= origin)
        })
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.edits) + size_of_val(&*self.seen)
    }
}

/// The loud leaves of a request, in prompt order.
#[derive(Default)]
pub(super) struct LoudLeaves {
    all: Vec<LoudLeaf>,
    /// The one that is read.
    current: Option<usize>,
}

pub(super) struct LoudLeaf {
    /// The number of the leaf in the prompt.
    number: u32,
    pub(super) known: KnownText,
    /// Whether its texts were not read.
    pub(super) is_passed: bool,
    /// Whether what it becomes follows from its values alone.
    pub(super) is_plain: bool,
}

impl LoudLeaf {
    /// What is replaced in it, as far as that is known.
    pub(super) fn replaced(
        &mut self,
        leaf: RequestLeaf<'_>,
        session: &Session,
        sought: Option<&mut KnownValues<'_>>,
        declared: u128,
    ) -> Option<Arc<Replaced>> {
        let written = leaf.value.raw_content();
        let outcome = sought?.outcome(session, &mut self.known, written)?;
        let declared = declared_for(leaf, declared);
        outcome
            .replaced
            .filter(|replaced| replaced.declared == declared)
    }
}

impl LoudLeaves {
    /// Adds a leaf that was read.
    pub(super) fn push(&mut self, number: u32, known: KnownText) {
        if self.all.len() < MOST {
            self.all.push(LoudLeaf {
                number,
                known,
                is_passed: false,
                is_plain: true,
            });
        }
    }

    /// Passes a leaf over, if it is known what becomes of it, and reading it teaches the session nothing.
    pub(super) fn pass(
        &mut self,
        number: u32,
        (known, leaf): (&KnownText, RequestLeaf<'_>),
        (session, sought): (&Session, Option<&mut KnownValues<'_>>),
        origin: impl FnOnce() -> Origin,
        declared: u128,
    ) -> bool {
        let mut loud = LoudLeaf {
            number,
            known: known.clone(),
            is_passed: true,
            is_plain: true,
        };
        let replaced = loud.replaced(leaf, session, sought, declared);
        let is_passed = self.all.len() < MOST
            && replaced.is_some_and(|replaced| replaced.are_brought(origin(), session));
        if is_passed {
            self.all.push(loud);
        }
        is_passed
    }

    /// Goes to the leaf of a number, and returns it if it is a loud one.
    pub(super) fn enter(&mut self, number: u32) -> Option<&mut LoudLeaf> {
        let at = self.all.binary_search_by_key(&number, |leaf| leaf.number);
        self.current = at.ok();
        self.current()
    }

    /// What comes next is no loud leaf, unless that is entered.
    pub(super) fn leave(&mut self) {
        self.current = None;
    }

    /// The leaf that was entered.
    pub(super) fn current(&mut self) -> Option<&mut LoudLeaf> {
        self.all.get_mut(self.current?)
    }

    /// Notes that what the current leaf becomes does not follow from its values alone.
    pub(super) fn blur(&mut self) {
        if let Some(leaf) = self.current() {
            leaf.is_plain = false;
        }
    }

    pub(super) fn has_passed(&self) -> bool {
        self.all.iter().any(|leaf| leaf.is_passed)
    }
}

/// What stands for the names that tools declare, where they matter: they are left in the arguments of calls.
fn declared_for(leaf: RequestLeaf<'_>, declared: u128) -> u128 {
    match leaf.form {
        Form::Arguments => declared,
        _ => 0,
    }
}

/// What is remembered of a loud leaf in the first place.
pub(super) fn remembered(hidden: HiddenHeads) -> TextFindings {
    TextFindings {
        holds: Holds {
            hidden: Some(hidden),
            is_loud: true,
            ..Holds::default()
        },
        ..TextFindings::from(Vec::new())
    }
}

/// Whether detections, in order, are all among others.
pub(super) fn are_among(detections: &[Detection], others: &[Detection]) -> bool {
    let mut others = others.iter();
    detections
        .iter()
        .all(|own| others.any(|other| (other.start, other.end) == (own.start, own.end)))
}
