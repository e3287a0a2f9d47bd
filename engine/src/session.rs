//! Which value a token stands for.

mod known;

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use self::known::Known;
use crate::operator::{FIRST_DERIVED, Operator, derive_id, derive_number};
use crate::token::{self, LONG_ID};
use crate::{Detection, EntityType, Sensitive};

/// What a mapping takes beside its value, in all indexes together, about.
const MAPPING_BYTES: usize = 320;

/// What a session takes without any, about.
const SESSION_BYTES: usize = 1024;

/// The mapping from tokens to values of one session.
///
/// A value with a version: the host loads it, masking adds to it, the host saves it.
///
/// The same value has one token, whatever it was found as first; ids are never given twice.
/// Cheap to clone: two copies share everything until one of them changes.
#[derive(Debug, Clone, Default)]
pub struct Session(Arc<Issued>);

#[derive(Debug, Clone, Default)]
struct Issued {
    /// In the order in which they were issued.
    mappings: Vec<Arc<Mapping>>,
    by_value: BTreeSet<ByValue>,
    by_core: BTreeSet<ByCore>,
    /// The mappings with ids of [`LONG_ID`] characters or more; none where several share an id.
    by_long_id: BTreeMap<String, Option<Arc<Mapping>>>,
    numbers: Numbers,
    /// Counters of adopted mappings, which are skipped.
    taken: BTreeSet<u64>,
    /// Cores whose value can't be read, and which are not given again.
    unreadable: BTreeSet<String>,
    /// The length of the longest core.
    longest_core: usize,
    /// How long all values are together.
    value_bytes: usize,
    /// Finds the values; as far as they were learnt.
    known: Known,
}

/// How a session numbers its tokens, where the operator doesn't derive their ids.
#[derive(Debug, Clone)]
enum Numbers {
    /// 1, 2, 3…: the last one that was given.
    Counted(u64),
    /// Derived from the values with this seed.
    Derived(Sensitive<[u8; 32]>),
}

impl Default for Numbers {
    fn default() -> Self {
        Self::Counted(0)
    }
}

/// What a session has of a mapping.
enum Held {
    New,
    Same,
    Conflict,
}

/// One token and its value.
#[derive(Debug, Clone)]
pub struct Mapping {
    entity: EntityType,
    core: String,
    /// Where the id begins in the core.
    id_at: usize,
    value: Sensitive<String>,
}

impl Mapping {
    /// A mapping as a vault holds it.
    #[must_use]
    pub fn new(entity: EntityType, id: &str, value: Sensitive<String>) -> Self {
        let core = token::core(&entity, id);
        Self {
            entity,
            id_at: core.len() - id.len(),
            core,
            value,
        }
    }

    /// What the value was first found as.
    #[must_use]
    pub fn entity(&self) -> &EntityType {
        &self.entity
    }

    /// The last part of the token: a counter or 16 hex digits.
    #[must_use]
    pub fn id(&self) -> &str {
        self.core.get(self.id_at..).unwrap_or_default()
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> &Sensitive<String> {
        &self.value
    }

    pub(crate) fn core(&self) -> &str {
        &self.core
    }
}

impl Session {
    /// A session without mappings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A session for requests that lean on history of which nobody knows what its tokens stand for:
    /// its numbers are derived from the values with a seed, begin far above those that are counted,
    /// and are the same when it is made anew. So no token of the history can come to mean another
    /// value.
    #[must_use]
    pub fn derived(seed: Sensitive<[u8; 32]>) -> Self {
        Self(Arc::new(Issued {
            numbers: Numbers::Derived(seed),
            ..Issued::default()
        }))
    }

    /// Whether its numbers are derived from the values.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        matches!(self.0.numbers, Numbers::Derived(_))
    }

    /// How many token and value pairs it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.mappings.len()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.mappings.is_empty()
    }

    /// How many bytes of memory it takes, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.value_bytes + self.len() * MAPPING_BYTES + SESSION_BYTES
    }

    /// The mappings in the order in which they were issued.
    pub fn mappings(&self) -> impl Iterator<Item = &Mapping> {
        self.0.mappings.iter().map(AsRef::as_ref)
    }

    /// Takes in a mapping that was issued before: false, and nothing changes, when its token
    /// already stands for another value or its value has another token.
    pub fn adopt(&mut self, mapping: Arc<Mapping>) -> bool {
        match self.compare(&mapping) {
            Held::Same => true,
            Held::Conflict => false,
            Held::New => {
                let issued = Arc::make_mut(&mut self.0);
                issued.taken.extend(mapping.id().parse::<u64>());
                issued.insert(mapping);
                true
            }
        }
    }

    /// Takes in mappings of one other session, all of them or none.
    pub(crate) fn adopt_all(&mut self, mappings: &[Arc<Mapping>]) -> bool {
        let fits = |mapping: &Arc<Mapping>| !matches!(self.compare(mapping), Held::Conflict);
        mappings.iter().all(fits)
            && mappings
                .iter()
                .all(|mapping| self.adopt(Arc::clone(mapping)))
    }

    /// Takes in all mappings of another session, or none when one contradicts: false then.
    pub fn adopt_session(&mut self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.adopt_all(&other.0.mappings)
    }

    /// Takes in a token that was issued before and whose value can't be read any more: it is never
    /// restored, and never stands for another value.
    pub fn reserve(&mut self, entity: &EntityType, id: &str) {
        let issued = Arc::make_mut(&mut self.0);
        issued.taken.extend(id.parse::<u64>());
        issued.unreadable.insert(token::core(entity, id));
    }

    /// The same without the tokens of sessions that count, which a session that derives its ids may
    /// have adopted: in history that it does not know they may stand for other values.
    pub(crate) fn without_counted(self) -> Self {
        let is_counted = |mapping: &Mapping| {
            let number = mapping.id().parse::<u64>();
            number.is_ok_and(|number| number < FIRST_DERIVED)
        };
        if !self.mappings().any(is_counted) {
            return self;
        }
        let mut kept = Self(Arc::new(Issued {
            numbers: self.0.numbers.clone(),
            ..Issued::default()
        }));
        for mapping in &self.0.mappings {
            if !is_counted(mapping) {
                kept.adopt(Arc::clone(mapping));
            }
        }
        kept
    }

    fn compare(&self, mapping: &Mapping) -> Held {
        let known_value = self.0.by_value(mapping.value.expose());
        let known_core = self.0.by_core(&mapping.core);
        match (known_value, known_core) {
            (Some(value), Some(core)) if Arc::ptr_eq(value, core) => Held::Same,
            (None, None) if !self.0.unreadable.contains(&mapping.core) => Held::New,
            _ => Held::Conflict,
        }
    }

    /// The mapping of a value, issued now if it has none.
    pub(crate) fn issue(
        &mut self,
        entity: &EntityType,
        value: &str,
        operator: &Operator,
    ) -> Arc<Mapping> {
        if let Some(mapping) = self.0.by_value(value) {
            return Arc::clone(mapping);
        }
        let issued = Arc::make_mut(&mut self.0);
        let id = issued.new_id(entity, value, operator);
        let value = Sensitive::new(value.to_owned());
        let mapping = Arc::new(Mapping::new(entity.clone(), &id, value));
        issued.insert(Arc::clone(&mapping));
        mapping
    }

    /// Prepares the search for the values that it holds, as far as that was not done before.
    pub(crate) fn learn(&mut self) {
        if !self.0.known.holds(&self.0.mappings) {
            let Issued {
                known, mappings, ..
            } = Arc::make_mut(&mut self.0);
            known.learn(mappings);
        }
    }

    /// Whether it learnt values that are found wherever they stand.
    pub(crate) fn knows_any(&self) -> bool {
        !self.0.known.is_empty()
    }

    /// Appends the values that it learnt and that stand in a text, in order: at each place the
    /// longest of those that are admitted.
    pub(crate) fn find_known(
        &self,
        text: &str,
        admits: &impl Fn(&str, &Detection) -> bool,
        found: &mut Vec<Detection>,
    ) {
        let Issued {
            known, mappings, ..
        } = &*self.0;
        known.find(mappings, text, admits, found);
    }

    /// The mapping whose core this is.
    pub(crate) fn by_core(&self, core: &str) -> Option<&Arc<Mapping>> {
        self.0.by_core(core)
    }

    /// Whether this begins the core of an issued token, or is one.
    pub(crate) fn begins_core(&self, start: &str) -> bool {
        let from = (Bound::Included(start), Bound::Unbounded);
        let next = self.0.by_core.range::<str, _>(from).next();
        next.is_some_and(|ByCore(mapping)| mapping.core.starts_with(start))
    }

    /// The mapping whose long id this is, if only one has it.
    pub(crate) fn by_long_id(&self, id: &str) -> Option<&Arc<Mapping>> {
        self.0.by_long_id.get(id)?.as_ref()
    }

    /// Whether this begins a long id of an issued token, or is one.
    pub(crate) fn begins_long_id(&self, start: &str) -> bool {
        let from = (Bound::Included(start), Bound::Unbounded);
        let next = self.0.by_long_id.range::<str, _>(from).next();
        next.is_some_and(|(id, _)| id.starts_with(start))
    }

    pub(crate) fn has_long_ids(&self) -> bool {
        !self.0.by_long_id.is_empty()
    }

    /// The length of the longest core.
    pub(crate) fn longest_core(&self) -> usize {
        self.0.longest_core
    }
}

impl Issued {
    fn new_id(&mut self, entity: &EntityType, value: &str, operator: &Operator) -> String {
        let Some(key) = operator.id_key() else {
            return self.next_number(entity, value).to_string();
        };
        let mut attempt = 0;
        loop {
            let id = derive_id(key, value, attempt);
            let core = token::core(entity, &id);
            if self.is_free(&core) {
                return id;
            }
            attempt += 1;
        }
    }

    fn next_number(&mut self, entity: &EntityType, value: &str) -> u64 {
        match &mut self.numbers {
            Numbers::Counted(last) => {
                *last += 1;
                while self.taken.contains(last) {
                    *last += 1;
                }
                *last
            }
            Numbers::Derived(seed) => {
                let seed = seed.clone();
                let mut attempt = 0;
                loop {
                    let number = derive_number(seed.expose(), value, attempt);
                    if self.is_free(&token::core(entity, &number.to_string())) {
                        return number;
                    }
                    attempt += 1;
                }
            }
        }
    }

    fn is_free(&self, core: &str) -> bool {
        self.by_core(core).is_none() && !self.unreadable.contains(core)
    }

    fn insert(&mut self, mapping: Arc<Mapping>) {
        self.longest_core = self.longest_core.max(mapping.core.len());
        self.value_bytes += mapping.value.expose().len();
        if mapping.id().len() >= LONG_ID {
            let only = Some(Arc::clone(&mapping));
            let entry = self.by_long_id.entry(mapping.id().to_owned());
            entry.and_modify(|shared| *shared = None).or_insert(only);
        }
        self.by_value.insert(ByValue(Arc::clone(&mapping)));
        self.by_core.insert(ByCore(Arc::clone(&mapping)));
        self.mappings.push(mapping);
    }

    fn by_value(&self, value: &str) -> Option<&Arc<Mapping>> {
        self.by_value.get(value).map(|ByValue(mapping)| mapping)
    }

    fn by_core(&self, core: &str) -> Option<&Arc<Mapping>> {
        self.by_core.get(core).map(|ByCore(mapping)| mapping)
    }
}

/// Mappings in the order of one of their texts, so that a set of them is an index.
macro_rules! index {
    ($name:ident, $mapping:ident, $text:expr) => {
        #[derive(Debug, Clone)]
        struct $name(Arc<Mapping>);

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                let $mapping = &self.0;
                $text
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> Ordering {
                Borrow::<str>::borrow(self).cmp(other.borrow())
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other) == Ordering::Equal
            }
        }

        impl Eq for $name {}
    };
}

index!(ByValue, mapping, mapping.value.expose());
index!(ByCore, mapping, &mapping.core);

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(entity: EntityType, id: &str, value: &str) -> Arc<Mapping> {
        Arc::new(Mapping::new(entity, id, Sensitive::new(value.to_owned())))
    }

    #[test]
    fn one_counter_numbers_all_types_and_a_value_keeps_its_token() {
        let (mut session, operator) = (Session::new(), Operator::default());
        let cores: Vec<_> = [
            (EntityType::EMAIL, "a"),
            (EntityType::PHONE, "b"),
            (EntityType::SECRET, "a"),
        ]
        .iter()
        .map(|(entity, value)| session.issue(entity, value, &operator).core().to_owned())
        .collect();
        assert_eq!(cores, ["MASK_EMAIL_1", "MASK_PHONE_2", "MASK_EMAIL_1"]);
    }

    #[test]
    fn the_counter_skips_adopted_numbers_and_conflicts_are_refused() {
        let (mut session, operator) = (Session::new(), Operator::default());
        assert!(session.adopt(mapping(EntityType::EMAIL, "2", "bob")));
        assert!(session.adopt(mapping(EntityType::EMAIL, "2", "bob")));
        assert!(!session.adopt(mapping(EntityType::EMAIL, "2", "eve")));
        assert!(!session.adopt(mapping(EntityType::EMAIL, "3", "bob")));
        let core = |session: &mut Session, value| {
            session
                .issue(&EntityType::EMAIL, value, &operator)
                .core()
                .to_owned()
        };
        assert_eq!(core(&mut session, "alice"), "MASK_EMAIL_1");
        assert_eq!(core(&mut session, "carol"), "MASK_EMAIL_3");
    }

    #[test]
    fn mappings_are_adopted_all_or_none() {
        let mut session = Session::new();
        assert!(session.adopt(mapping(EntityType::EMAIL, "1", "bob")));
        let conflicting = [
            mapping(EntityType::EMAIL, "2", "eve"),
            mapping(EntityType::EMAIL, "1", "alice"),
        ];
        assert!(!session.adopt_all(&conflicting));
        assert_eq!(session.len(), 1);
        let fitting = [
            mapping(EntityType::EMAIL, "1", "bob"),
            mapping(EntityType::EMAIL, "2", "eve"),
        ];
        assert!(session.adopt_all(&fitting));
        assert_eq!(session.len(), 2);
    }

    #[test]
    fn a_token_whose_value_is_lost_is_not_given_again() {
        let (mut session, operator) = (Session::new(), Operator::default());
        session.reserve(&EntityType::EMAIL, "1");
        let counted = session.issue(&EntityType::EMAIL, "alice", &operator);
        assert_eq!(counted.id(), "2");
        assert!(!session.adopt(mapping(EntityType::EMAIL, "1", "eve")));

        let anchor = Some(Sensitive::new(b"secret".to_vec()));
        let operator = Operator::Pseudonym { anchor };
        let mut session = Session::new();
        session.reserve(&EntityType::EMAIL, "A398D49CE1980B36");
        let derived = session.issue(&EntityType::EMAIL, "alice@example.com", &operator);
        assert_ne!(derived.id(), "A398D49CE1980B36");
        assert_eq!(derived.id().len(), 16);
    }

    fn derived(seed: u8) -> Session {
        Session::derived(Sensitive::new([seed; 32]))
    }

    /// After a restart a conversation that the provider holds once got another value's token.
    #[test]
    fn a_derived_session_that_is_made_anew_gives_a_value_the_same_number() {
        let operator = Operator::default();
        let number = |session: &mut Session, value: &str| {
            let mapping = session.issue(&EntityType::EMAIL, value, &operator);
            mapping.id().parse::<u64>().unwrap()
        };
        let mut session = derived(1);
        let (alice, bob) = (number(&mut session, "alice"), number(&mut session, "bob"));
        let mut anew = derived(1);
        assert_eq!(number(&mut anew, "bob"), bob);
        assert_eq!(number(&mut anew, "alice"), alice);
        assert_ne!(number(&mut derived(2), "alice"), alice);
        assert!(session.is_derived() && !Session::new().is_derived());
        for number in [alice, bob] {
            assert!((100_000..100_000_000_000).contains(&number), "{number}");
        }
    }

    #[test]
    fn a_derived_number_that_is_taken_is_not_given_again() {
        let operator = Operator::default();
        let id = |session: &mut Session| {
            let mapping = session.issue(&EntityType::EMAIL, "alice", &operator);
            mapping.id().to_owned()
        };
        let first = id(&mut derived(1));
        let mut other = derived(1);
        assert!(other.adopt(mapping(EntityType::EMAIL, &first, "eve")));
        assert_ne!(id(&mut other), first);
        let mut lost = derived(1);
        lost.reserve(&EntityType::EMAIL, &first);
        assert_ne!(id(&mut lost), first);
    }

    #[test]
    fn another_session_is_adopted_whole_or_not_at_all() {
        let operator = Operator::default();
        let of = |values: &[&str]| {
            let mut session = Session::new();
            for value in values {
                session.issue(&EntityType::EMAIL, value, &operator);
            }
            session
        };
        let mut session = Session::new();
        assert!(session.adopt_session(&of(&["alice", "bob"])));
        assert_eq!(
            session.issue(&EntityType::EMAIL, "eve", &operator).id(),
            "3"
        );
        assert!(session.adopt_session(&of(&["alice"])));
        assert!(!session.adopt_session(&of(&["alice", "carol"])));
        assert_eq!(session.len(), 3);
    }

    #[test]
    fn an_anchor_derives_the_same_token_in_every_session() {
        let anchor = Some(Sensitive::new(b"secret".to_vec()));
        let operator = Operator::Pseudonym { anchor };
        let mut session = Session::new();
        let id = session
            .issue(&EntityType::EMAIL, "alice@example.com", &operator)
            .id()
            .to_owned();
        assert_eq!(id, "A398D49CE1980B36");
        assert!(session.by_long_id(&id).is_some());
        assert!(session.begins_long_id("A398") && !session.begins_long_id("A399"));
        assert!(session.begins_core("MASK_EM") && !session.begins_core("MASK_PH"));
    }
}
