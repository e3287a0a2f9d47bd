//! What the ids in events of no known format name, and which texts an event is about.
//!
//! An event that ends something ends the texts of that thing, and those of what it contains. What contains what is
//! told by the ids that two events share, and by the order and the kinds of the events that began things.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::place::Ender;
use super::words::{IDS, INDEXES};
use crate::json::Value;

/// The member that names an event more often than what it is about.
pub(super) const ID: &str = "id";

/// The members by which an object says what it is about, and hashes of their values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Names(Vec<(&'static str, u64)>);

impl Names {
    /// Those of these members that an object has.
    pub(super) fn of(object: Value<'_>, names: impl Iterator<Item = &'static str>) -> Self {
        let is_name = |value: &Value<'_>| !value.is_object();
        let found =
            names.filter_map(|name| Some((name, object.member(name).filter(is_name)?.raw())));
        Self(found.map(|(name, raw)| (name, hash(name, raw))).collect())
    }

    /// All of an event: also those of the objects in it.
    fn of_event(root: Value<'_>) -> Self {
        let all = || INDEXES.into_iter().chain(IDS).chain([ID]);
        let mut names = Self::of(root, all());
        let members = root.members().filter(|(_, member)| member.is_object());
        names
            .0
            .extend(members.flat_map(|(_, member)| Self::of(member, all()).0));
        names
    }

    pub(super) fn filled(self) -> Option<Self> {
        (!self.0.is_empty()).then_some(self)
    }

    /// One number for all of them.
    pub(super) fn key(&self) -> u64 {
        let mut key = DefaultHasher::new();
        self.0.hash(&mut key);
        key.finish()
    }

    fn has(&self, value: u64) -> bool {
        self.0.iter().any(|(_, own)| *own == value)
    }

    /// Whether others name all that these do, whatever they call it.
    fn are_within(&self, others: &Self) -> bool {
        self.0.iter().all(|(_, value)| others.has(*value))
    }

    fn share_any(&self, others: &Self) -> bool {
        self.0.iter().any(|(_, value)| others.has(*value))
    }

    /// Whether others say something else under the same name.
    fn contradict(&self, others: &Self) -> bool {
        let is_both = |name| name != ID && others.0.iter().any(|(other, _)| *other == name);
        let mut own = self.0.iter();
        own.any(|(name, value)| is_both(*name) && !others.has(*value))
    }

    /// Without what may name an event only.
    fn without_id(&self) -> Self {
        let names = self.0.iter().filter(|(name, _)| *name != ID);
        Self(names.copied().collect())
    }
}

/// An id is the same under any name; an index is not.
fn hash(name: &str, raw: &str) -> u64 {
    let mut value = DefaultHasher::new();
    INDEXES
        .iter()
        .find(|index| **index == name)
        .hash(&mut value);
    raw.hash(&mut value);
    value.finish()
}

/// Something that events name.
#[derive(Debug)]
struct Thing {
    names: Names,
    /// How many others were named before it.
    since: u64,
    /// The kind of the event that began it.
    begun_by: Option<u64>,
    /// Pieces of a text came under its names.
    has_text: bool,
}

/// How a text stands to an event that begins or ends something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The event is about the text, or about what contains it.
    About,
    /// Nothing says so, and nothing says the opposite.
    Unsaid,
    /// The event is about something else.
    Apart,
}

/// What an event does that brings no pieces.
#[derive(Debug, Default)]
enum Turn {
    #[default]
    None,
    Begins(Names),
    Ends(Ending),
    EndsElements(Vec<u64>),
}

/// An event that ends something.
#[derive(Debug)]
struct Ending {
    names: Names,
    /// The keys of what it names that others named before.
    about: Vec<u64>,
}

/// What the events of a stream named so far.
#[derive(Debug, Default)]
pub(super) struct Named {
    things: BTreeMap<u64, Thing>,
    /// The oldest first.
    order: VecDeque<u64>,
    count: u64,
    /// The keys of elements in which texts came.
    elements: BTreeSet<u64>,
    /// What the latest event begins or ends.
    turn: Turn,
}

impl Named {
    /// How many things are remembered.
    const MANY: usize = 1024;

    /// Reads an event that begins something, of which the names of its own are these.
    pub(super) fn begin(&mut self, kind: &str, root: Value<'_>, own: Option<Names>) {
        self.turn = Turn::Begins(Names::of_event(root));
        if let Some(own) = own {
            let mut by = DefaultHasher::new();
            kind.hash(&mut by);
            self.thing(own).begun_by = Some(by.finish());
        }
    }

    /// Reads an event that ends something, or may.
    pub(super) fn end(&mut self, root: Value<'_>) {
        let names = Names::of_event(root);
        let about = self
            .things
            .iter()
            .filter(|(_, thing)| thing.names.are_within(&names));
        let about = about.map(|(key, _)| *key).collect();
        self.turn = Turn::Ends(Ending { names, about });
    }

    /// Reads an event in which these say that their texts are over.
    pub(super) fn end_by(&mut self, root: Value<'_>, enders: &[Ender]) {
        let elements = enders.iter().filter_map(|ender| match ender {
            Ender::Element(key) => Some(*key),
            Ender::Event => None,
        });
        let elements: Vec<_> = elements.collect();
        if !elements.is_empty() {
            self.turn = Turn::EndsElements(elements);
        } else if !enders.is_empty() {
            self.end(root);
        }
    }

    /// Remembers that pieces of a text came in an element of a list.
    pub(super) fn add_element(&mut self, key: u64) {
        if self.elements.len() < Self::MANY {
            self.elements.insert(key);
        }
    }

    /// Whether texts are told apart by what names them.
    pub(super) fn names_texts(&self) -> bool {
        !self.elements.is_empty() || self.things.values().any(|thing| thing.has_text)
    }

    /// Remembers that pieces of a text came under these names.
    pub(super) fn add_text(&mut self, names: Names) {
        self.thing(names).has_text = true;
    }

    fn thing(&mut self, names: Names) -> &mut Thing {
        let key = names.key();
        if !self.things.contains_key(&key) {
            if self.things.len() >= Self::MANY
                && let Some(oldest) = self.order.pop_front()
            {
                self.things.remove(&oldest);
            }
            self.order.push_back(key);
            self.count += 1;
        }
        let since = self.count;
        self.things.entry(key).or_insert(Thing {
            names,
            since,
            begun_by: None,
            has_text: false,
        })
    }

    /// Whether an event began what this key is made of: it names a thing, and does not count events.
    pub(super) fn is_begun(&self, key: u64) -> bool {
        let thing = self.things.get(&key);
        thing.is_some_and(|thing| thing.begun_by.is_some())
    }

    /// How the text of a key stands to the latest event.
    pub(super) fn relation(&self, key: Option<u64>) -> Relation {
        if let (Turn::EndsElements(ended), Some(key)) = (&self.turn, key)
            && self.elements.contains(&key)
        {
            return if ended.contains(&key) {
                Relation::About
            } else {
                Relation::Apart
            };
        }
        let Some(text) = key.and_then(|key| self.things.get(&key)) else {
            return Relation::Unsaid;
        };
        match &self.turn {
            Turn::Begins(event) if !text.names.are_within(event) => Relation::Apart,
            Turn::None | Turn::Begins(_) | Turn::EndsElements(_) => Relation::Unsaid,
            Turn::Ends(event) => self.relation_to(text, event),
        }
    }

    /// Whether what an event ends is or contains what a text belongs to.
    fn relation_to(&self, text: &Thing, event: &Ending) -> Relation {
        let scope = event.names.without_id();
        if text.names.are_within(&event.names)
            || !scope.0.is_empty() && scope.are_within(&text.names)
        {
            return Relation::About;
        }
        let mut about = event.about.iter().filter_map(|key| self.things.get(key));
        let is_apart = text.names.contradict(&event.names)
            || text.names.share_any(&event.names)
            || about.any(|thing| thing.is_beside(text));
        if is_apart {
            Relation::Apart
        } else {
            Relation::Unsaid
        }
    }
}

impl Thing {
    /// Whether it does not contain another thing: it has a text of its own, began later, or in the same way.
    fn is_beside(&self, other: &Self) -> bool {
        let is_begun = self.begun_by.is_some();
        self.has_text || is_begun && (self.begun_by == other.begun_by || self.since > other.since)
    }
}
