//! Maps tokens to values.

mod forms;
mod heads;
mod ids;
mod issued;
mod known;
mod surrogates;

use std::sync::Arc;

pub(crate) use self::heads::{HeadCollector, HiddenHeads};
use self::issued::{Issued, Numbers};
use self::known::Known;
pub(crate) use self::surrogates::{PlacedSurrogate, Written};
use crate::operator::{Operator, derive_id};
use crate::token::{self, Mapping};
use crate::{Detection, EntityType, Origin, Sensitive};

/// The approximate size of a mapping besides its value, in all indexes together.
const MAPPING_BYTES: usize = 320;

/// The approximate size of an empty session.
const SESSION_BYTES: usize = 1024;

/// The mapping from tokens to values of one session.
///
/// A value with a version: the host loads it, masking adds to it, the host saves it.
///
/// The same value has one token, whatever it was found as first; ids are never given twice.
/// Cheap to clone: two copies share everything until one of them changes.
#[derive(Debug, Clone, Default)]
pub struct Session(Arc<Issued>);

/// Values that a session got last.
pub(crate) struct NewValues(Known);

impl NewValues {
    /// Whether they are so few that a text is searched for them in no time.
    pub(crate) fn are_few(&self) -> bool {
        self.0.seeks_few()
    }

    /// Whether one may stand in a text that is written so, whatever it is read as.
    pub(crate) fn may_stand_in(&self, written: &str, hidden: &HiddenHeads) -> bool {
        self.0.may_stand_in(written, hidden)
    }
}

/// A session's part of a mapping.
enum Held {
    New,
    Same,
    Conflict,
}

impl Session {
    /// A session without mappings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A session for requests with history whose tokens are unknown. Its numbers are derived from
    /// the values with a seed, are far above counted ones, and are the same when it is recreated.
    /// So no token of the history can come to mean another value.
    #[must_use]
    pub fn derived(seed: Sensitive<[u8; 32]>) -> Self {
        Self(Arc::new(Issued::numbered(Numbers::Derived(seed))))
    }

    /// Whether its numbers are derived from the values.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        matches!(self.0.numbers(), Numbers::Derived(_))
    }

    /// How many mappings it holds: token and value pairs, and [one more](Self::mappings) of a pair for each new origin.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// How many token and value pairs it holds.
    pub(crate) fn pairs(&self) -> usize {
        self.0.len() - self.0.repeated()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its approximate size in memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.value_bytes() + self.len() * MAPPING_BYTES + SESSION_BYTES
    }

    /// The mappings in the order of issue. One whose value turned out to be the system's or the
    /// user's is repeated, with that origin.
    pub fn mappings(&self) -> impl Iterator<Item = &Arc<Mapping>> {
        self.0.mappings()
    }

    /// Adopts a mapping that was issued before. Returns `false`, and changes nothing, if its token
    /// already stands for another value. A value that has another token keeps it, and both are
    /// restored.
    pub fn adopt(&mut self, mapping: Arc<Mapping>) -> bool {
        match self.compare(&mapping) {
            Held::Same => {
                let known = self.0.by_core(mapping.core());
                if known.is_some_and(|known| known.origin() < mapping.origin()) {
                    Issued::to_change(&mut self.0).insert(mapping);
                }
                true
            }
            Held::Conflict => false,
            Held::New => {
                let issued = Issued::to_change(&mut self.0);
                issued.take(mapping.id());
                issued.insert(mapping);
                true
            }
        }
    }

    /// Adopts mappings of one other session, all of them or none.
    pub(crate) fn adopt_all(&mut self, mappings: &[Arc<Mapping>]) -> bool {
        let fits = |mapping: &Arc<Mapping>| !matches!(self.compare(mapping), Held::Conflict);
        mappings.iter().all(fits)
            && mappings
                .iter()
                .all(|mapping| self.adopt(Arc::clone(mapping)))
    }

    /// Adopts all mappings of another session, or none if one contradicts; then returns `false`.
    pub fn adopt_session(&mut self, other: &Self) -> bool {
        let fits = |mapping: &Arc<Mapping>| !matches!(self.compare(mapping), Held::Conflict);
        Arc::ptr_eq(&self.0, &other.0)
            || other.0.mappings().all(fits)
                && other
                    .0
                    .mappings()
                    .all(|mapping| self.adopt(Arc::clone(mapping)))
    }

    /// Adopts the mappings of another session whose ids are derived from their values. A token that
    /// means something else here keeps its meaning.
    pub(crate) fn adopt_derived(&mut self, other: &Self) {
        for mapping in other.derived_ones() {
            self.adopt(Arc::clone(mapping));
        }
    }

    /// The same, of those that a third session holds as well.
    pub(crate) fn adopt_shared(&mut self, other: &Self, third: &Self) {
        for mapping in other.derived_ones() {
            if matches!(third.compare(mapping), Held::Same) {
                self.adopt(Arc::clone(mapping));
            }
        }
    }

    fn derived_ones(&self) -> impl Iterator<Item = &Arc<Mapping>> {
        self.0.mappings().filter(|mapping| !mapping.is_counted())
    }

    /// Adopts a token that was issued before and whose value can't be read any more: it is never
    /// restored, and never stands for another value.
    pub fn reserve(&mut self, entity: &EntityType, id: &str) {
        let issued = Issued::to_change(&mut self.0);
        issued.take(id);
        issued.lose(token::core(entity, id));
    }

    /// The same without the tokens of counting sessions, which a session with derived ids may have
    /// adopted: in unknown history they may mean other values.
    pub(crate) fn without_counted(self) -> Self {
        if !self.mappings().any(|mapping| mapping.is_counted()) {
            return self;
        }
        let mut kept = Self(Arc::new(Issued::numbered(self.0.numbers().clone())));
        kept.adopt_derived(&self);
        kept
    }

    fn compare(&self, mapping: &Mapping) -> Held {
        match self.0.by_core(mapping.core()) {
            Some(known) if known.value().expose() == mapping.value().expose() => Held::Same,
            None if !self.0.is_lost(mapping.core()) => Held::New,
            _ => Held::Conflict,
        }
    }

    /// The mapping of a value from somewhere, issued now if it has none.
    pub(crate) fn issue(
        &mut self,
        entity: &EntityType,
        value: &str,
        origin: Origin,
        operator: &Operator,
    ) -> Arc<Mapping> {
        match self.0.by_value(value).map(Arc::clone) {
            Some(known) => self.brought(known, origin),
            None => self.issue_new(entity, value, origin, operator),
        }
    }

    /// A mapping of the session with the origin that its value turns out to have.
    fn brought(&mut self, known: Arc<Mapping>, origin: Origin) -> Arc<Mapping> {
        if known.origin() >= origin {
            return known;
        }
        let mapping = Arc::new(Mapping::clone(&known).with_origin(origin));
        Issued::to_change(&mut self.0).insert(Arc::clone(&mapping));
        mapping
    }

    /// The token of a value that has a surrogate, for places where that would not be known again.
    pub(crate) fn issue_beside(
        &mut self,
        entity: &EntityType,
        value: &str,
        origin: Origin,
        operator: &Operator,
    ) -> Arc<Mapping> {
        let id = operator.id_key().map(|key| derive_id(key, value, 0));
        let known = id.and_then(|id| self.by_core(&token::core(entity, &id)));
        let known = known.filter(|known| known.value().expose() == value);
        match known.map(Arc::clone) {
            Some(known) => self.brought(known, origin),
            None => self.issue_new(entity, value, origin, operator),
        }
    }

    fn issue_new(
        &mut self,
        entity: &EntityType,
        value: &str,
        origin: Origin,
        operator: &Operator,
    ) -> Arc<Mapping> {
        let issued = Issued::to_change(&mut self.0);
        let id = issued.new_id(entity, value, operator);
        let value = Sensitive::new(value.to_owned());
        let mapping = Arc::new(Mapping::new(entity.clone(), &id, value).with_origin(origin));
        issued.insert(Arc::clone(&mapping));
        mapping
    }

    /// From now on, all values that it holds are found in texts.
    pub(crate) fn learn(&mut self) {
        if !self.0.has_learnt() {
            Issued::to_change(&mut self.0).learn();
        }
    }

    /// Whether it has values that are found everywhere.
    pub(crate) fn knows_any(&self) -> bool {
        self.0.knows_any()
    }

    /// Whether ends of lines or tabs stand in what it finds.
    pub(crate) fn knows_white_space(&self) -> bool {
        self.0.knows_white_space()
    }

    /// Tells the session's values in a text, in order: at each position the longest admitted one, with the number of its
    /// mapping, or of that whose value decodes to it.
    pub(crate) fn find_known(
        &self,
        text: &str,
        admits: &impl Fn(&str, &Detection) -> bool,
        tell: &mut impl FnMut(Detection, usize),
    ) {
        self.0.find_known(text, admits, tell);
    }

    /// What stands for the values that are found in texts, in their order. `digest` does for one mapping: hard to guess, and
    /// never the same for two.
    pub(crate) fn known_id(&self, digest: &dyn Fn(&Mapping) -> u128) -> u128 {
        self.0.known_id(digest)
    }

    /// What finds the values that came after those for which an id stands; `None` if these are not the first ones, or
    /// hardly any of them.
    pub(crate) fn known_since(
        &self,
        id: u128,
        digest: &dyn Fn(&Mapping) -> u128,
    ) -> Option<NewValues> {
        let count = self.0.count_of_known(id, digest)?;
        Some(NewValues(self.0.known_from(count)))
    }

    /// The mapping of a number.
    pub(crate) fn by_number(&self, number: usize) -> Option<&Arc<Mapping>> {
        self.0.by_number(number)
    }

    /// The number of the mapping with this core, if its value is found in texts.
    pub(crate) fn number_of(&self, core: &str) -> Option<usize> {
        let number = self.0.number_of(core)?;
        (number < self.0.learnt()).then_some(number)
    }

    /// Whether a value may stand in a leaf that is written so, whatever it is read as.
    pub(crate) fn may_stand_in(&self, written: &str, hidden: &HiddenHeads) -> bool {
        self.0.may_stand_in(written, hidden)
    }

    /// The mapping of a value.
    pub(crate) fn by_value(&self, value: &str) -> Option<&Arc<Mapping>> {
        self.0.by_value(value)
    }

    /// The mapping with this core.
    pub(crate) fn by_core(&self, core: &str) -> Option<&Arc<Mapping>> {
        self.0.by_core(core)
    }

    /// Whether this begins the core of an issued token, or is one.
    pub(crate) fn begins_core(&self, start: &str) -> bool {
        self.0.begins_core(start)
    }

    /// Whether the core of an issued token begins with this and is longer.
    pub(crate) fn begins_longer_core(&self, core: &str) -> bool {
        self.0.begins_longer_core(core)
    }

    /// The mapping with this long id, if it is unique.
    pub(crate) fn by_long_id(&self, id: &str) -> Option<&Arc<Mapping>> {
        self.0.by_long_id(id)
    }

    /// Whether this begins a long id of an issued token, or is one.
    pub(crate) fn begins_long_id(&self, start: &str) -> bool {
        self.0.begins_long_id(start)
    }

    pub(crate) fn has_long_ids(&self) -> bool {
        self.0.has_long_ids()
    }

    /// The length of the longest core.
    pub(crate) fn longest_core(&self) -> usize {
        self.0.longest_core()
    }
}

#[cfg(test)]
mod tests;
