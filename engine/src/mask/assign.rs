//! Gives the values of a request their tokens or surrogates.

use std::collections::BTreeMap;

use super::request_words::RequestWords;
use super::walk::TextNumber;
use crate::detect::each_decoded;
use crate::operator::surrogate::Surrogates;
use crate::session::Session;
use crate::{EntityType, Operator, Origin, Sensitive};

/// What gets tokens or surrogates, in the order in which the texts reveal it.
pub(super) struct TokenAssignment<'a> {
    operator: &'a Operator,
    /// With surrogates all waits until the whole request was read, so that no surrogate equals a
    /// word of it.
    surrogates: Option<(&'a Surrogates, RequestWords)>,
    /// The session without what it was given.
    before: Option<Session>,
    given: Vec<Given>,
}

/// A value, and what it is given for.
pub(super) struct Given {
    /// The number of the text that reveals it.
    pub(super) text: TextNumber,
    pub(super) entity: EntityType,
    pub(super) value: Sensitive<String>,
    pub(super) origin: Origin,
    /// Whether it is another spelling of a value, which gets no surrogate.
    pub(super) is_respelled: bool,
}

/// The numbers of the texts that reveal a value.
#[derive(Clone, Copy, Default)]
pub(super) struct Revealers {
    /// The first for which it is given something.
    pub(super) given: TextNumber,
    /// The first that says it, in any spelling.
    pub(super) first: TextNumber,
}

impl<'a> TokenAssignment<'a> {
    pub(super) fn new(operator: &'a Operator) -> Self {
        let surrogates = operator.surrogates();
        Self {
            operator,
            surrogates: surrogates.map(|surrogates| (surrogates, RequestWords::default())),
            before: None,
            given: Vec::new(),
        }
    }

    /// Begins again with what was heard, and returns the session without what it was given, if it was given anything.
    pub(super) fn emptied(&mut self) -> Option<Session> {
        self.given.clear();
        self.before.take()
    }

    pub(super) fn read(&mut self, text: &str) {
        if let Some((_, words)) = &mut self.surrogates {
            words.add(text);
        }
    }

    /// Takes a value that a text reveals. A token is issued at once.
    pub(super) fn add(
        &mut self,
        session: &mut Session,
        text: TextNumber,
        entity: &EntityType,
        value: &str,
        origin: Origin,
    ) {
        if self.surrogates.is_none() {
            self.keep(session);
            let before = session.len();
            let _ = session.issue(entity, value, origin, self.operator);
            if session.len() == before {
                return;
            }
        }
        self.given.push(Given {
            text,
            entity: entity.clone(),
            value: Sensitive::new(value.to_owned()),
            origin,
            is_respelled: false,
        });
    }

    /// Gives what waited.
    pub(super) fn finish(&mut self, session: &mut Session) {
        if let Some((_, words)) = &mut self.surrogates {
            words.sort();
            self.keep(session);
            self.give(session);
        }
        session.learn();
    }

    /// Gives everything anew, with more values, each at its place in the order. So a longer history
    /// numbers them as the shorter one did.
    pub(super) fn give_again(&mut self, session: &mut Session, more: Vec<Given>) {
        self.given.extend(more);
        self.given.sort_by_key(|given| given.text);
        if let Some(before) = &self.before {
            session.clone_from(before);
        }
        self.give(session);
        session.learn();
    }

    /// Which texts reveal the values that are new in the session, by their cores.
    pub(super) fn revealed(&self, session: &Session) -> BTreeMap<String, Revealers> {
        let core = |value: &str| Some(session.by_value(value)?.core().to_owned());
        let mut all = BTreeMap::new();
        for given in &self.given {
            if let Some(core) = core(given.value.expose()) {
                all.entry(core).or_insert(Revealers {
                    given: given.text,
                    first: given.text,
                });
            }
        }
        for given in &self.given {
            each_decoded(given.value.expose(), &mut |decoded| {
                if let Some(revealed) = core(decoded).and_then(|core| all.get_mut(&core)) {
                    revealed.first = revealed.first.min(given.text);
                }
            });
        }
        all
    }

    fn keep(&mut self, session: &mut Session) {
        if self.before.is_none() {
            // A learnt session can be shared without a copy of it.
            session.learn();
            self.before = Some(session.clone());
        }
    }

    fn give(&self, session: &mut Session) {
        for given in &self.given {
            self.give_one(session, given);
        }
    }

    fn give_one(&self, session: &mut Session, given: &Given) {
        let (entity, value, origin) = (&given.entity, given.value.expose(), given.origin);
        if let Some((surrogates, words)) = &self.surrogates
            && !given.is_respelled
            && session.give_surrogate(surrogates, entity, value, origin, &|text| words.hold(text))
        {
            return session.bring(entity, value, origin);
        }
        let _ = session.issue(entity, value, origin, self.operator);
    }
}
