//! What a session has issued, in layers, so that a change to a large shared session copies only
//! what is new.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Arc, OnceLock};

use super::HiddenHeads;
use super::forms::Forms;
use super::ids::Ids;
use super::known::{self, Known};
use crate::operator::{Operator, derive_id, derive_number};
use crate::token::Mapping;
use crate::token::{self, LONG_ID};
use crate::{Detection, EntityType, Sensitive};

/// From this many mappings on, a layer is not copied for a change; another layer is put on it.
const LARGE: usize = 1024;

/// A layer has at least this many times the mappings of the one on top; otherwise the two are
/// merged. So there are few.
const RATIO: usize = 8;

/// With more new values, a text is searched for all of them anew.
const MOST_NEW: usize = 64;

/// What was issued: a layer, and those below it.
#[derive(Debug, Clone, Default)]
pub(super) struct Issued {
    /// What was issued before, which never changes, and was [learnt](Self::learn).
    below: Option<Arc<Self>>,
    /// In the order in which they were issued.
    mappings: Vec<Arc<Mapping>>,
    by_value: BTreeSet<ByValue>,
    by_core: BTreeSet<ByCore>,
    /// The surrogates that texts are searched for.
    forms: Forms,
    /// The mappings with ids of [`LONG_ID`] characters or more; none where several share an id.
    by_long_id: BTreeMap<String, Option<Arc<Mapping>>>,
    numbers: Numbers,
    /// Counters of adopted mappings, which are skipped.
    taken: BTreeSet<u64>,
    /// Cores whose value can't be read, and which are not issued again.
    lost: BTreeSet<String>,
    /// The length of the longest core of all layers.
    longest_core: usize,
    /// How many mappings the layers below have.
    below_len: usize,
    /// How many of all layers repeat another with another origin.
    repeated: usize,
    /// How long the values of all layers are together.
    value_bytes: usize,
    /// How many of the mappings of this layer are found in texts.
    learnt: usize,
    /// Whether there is anything to find in them.
    finds_any: bool,
    /// Finds them, or the first of them.
    known: Option<Arc<Known>>,
    /// Finds all of them, once a text was searched.
    all_known: OnceLock<Arc<Known>>,
    ids: Ids,
}

/// How a session numbers its tokens, where the operator doesn't derive their ids.
#[derive(Debug, Clone)]
pub(super) enum Numbers {
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

impl Issued {
    pub(super) fn numbered(numbers: Numbers) -> Self {
        Self {
            numbers,
            ..Self::default()
        }
    }

    /// What can be changed of what others may share.
    pub(super) fn to_change(shared: &mut Arc<Self>) -> &mut Self {
        let is_alone = Arc::get_mut(shared).is_some();
        if !is_alone && shared.mappings.len() >= LARGE && shared.own_are_learnt() {
            *shared = Arc::new(Self::upon(Arc::clone(shared)));
        }
        Arc::make_mut(shared)
    }

    /// A new layer upon others.
    fn upon(below: Arc<Self>) -> Self {
        let below = match &below.below {
            Some(lower) if lower.mappings.len() < RATIO * below.mappings.len() => {
                Arc::new(Self::joined(lower, &below))
            }
            _ => below,
        };
        Self {
            numbers: below.numbers.clone(),
            longest_core: below.longest_core,
            below_len: below.len(),
            repeated: below.repeated,
            value_bytes: below.value_bytes,
            below: Some(below),
            ..Self::default()
        }
    }

    /// Two layers as one.
    fn joined(lower: &Self, upper: &Self) -> Self {
        let mut joined = lower.clone();
        joined.numbers = upper.numbers.clone();
        joined.taken.extend(&upper.taken);
        joined.lost.extend(upper.lost.iter().cloned());
        for mapping in &upper.mappings {
            joined.insert(Arc::clone(mapping));
        }
        joined.learn();
        joined
    }

    /// This layer and those below it.
    pub(super) fn layers(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |layer| layer.below.as_deref())
    }

    pub(super) fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    pub(super) fn len(&self) -> usize {
        self.below_len + self.mappings.len()
    }

    pub(super) fn repeated(&self) -> usize {
        self.repeated
    }

    /// How long the values are, and what else is found of them.
    pub(super) fn value_bytes(&self) -> usize {
        let others = self.layers().map(|layer| layer.known().other_bytes());
        self.value_bytes + others.sum::<usize>()
    }

    pub(super) fn longest_core(&self) -> usize {
        self.longest_core
    }

    /// All mappings in the order in which they were issued.
    pub(super) fn mappings(&self) -> impl Iterator<Item = &Arc<Mapping>> {
        let mut layers: Vec<_> = self.layers().collect();
        layers.reverse();
        layers.into_iter().flat_map(|layer| &layer.mappings)
    }

    pub(super) fn by_value(&self, value: &str) -> Option<&Arc<Mapping>> {
        // The lowest has the first token of a value, which it keeps.
        let found = self.layers().filter_map(|layer| layer.by_value.get(value));
        let ByValue(first) = found.last()?;
        if self.repeated == 0 {
            return Some(first);
        }
        self.by_core(first.core())
    }

    pub(super) fn by_core(&self, core: &str) -> Option<&Arc<Mapping>> {
        let found = self.layers().find_map(|layer| layer.by_core.get(core));
        found.map(|ByCore(mapping, _)| mapping)
    }

    /// The number of the mapping with this core.
    pub(super) fn number_of(&self, core: &str) -> Option<usize> {
        self.layers().find_map(|layer| {
            let ByCore(_, number) = layer.by_core.get(core)?;
            Some(layer.below_len + number)
        })
    }

    /// How many mappings of all layers are found in texts.
    pub(super) fn learnt(&self) -> usize {
        self.below_len + self.learnt
    }

    pub(super) fn by_long_id(&self, id: &str) -> Option<&Arc<Mapping>> {
        let mut found = self.layers().filter_map(|layer| layer.by_long_id.get(id));
        let latest = found.next()?.as_ref()?;
        let is_latest = |other: &Option<Arc<Mapping>>| {
            let other = other.as_ref();
            other.is_some_and(|other| other.core() == latest.core())
        };
        found.all(is_latest).then_some(latest)
    }

    pub(super) fn begins_core(&self, start: &str) -> bool {
        let from = (Bound::Included(start), Bound::Unbounded);
        self.layers().any(|layer| {
            let next = layer.by_core.range::<str, _>(from).next();
            next.is_some_and(|ByCore(mapping, _)| mapping.core().starts_with(start))
        })
    }

    pub(super) fn begins_longer_core(&self, core: &str) -> bool {
        let behind = (Bound::Excluded(core), Bound::Unbounded);
        self.layers().any(|layer| {
            let next = layer.by_core.range::<str, _>(behind).next();
            next.is_some_and(|ByCore(mapping, _)| mapping.core().starts_with(core))
        })
    }

    pub(super) fn begins_long_id(&self, start: &str) -> bool {
        let from = (Bound::Included(start), Bound::Unbounded);
        self.layers().any(|layer| {
            let next = layer.by_long_id.range::<str, _>(from).next();
            next.is_some_and(|(id, _)| id.starts_with(start))
        })
    }

    pub(super) fn has_long_ids(&self) -> bool {
        self.layers().any(|layer| !layer.by_long_id.is_empty())
    }

    /// Whether a token's value can't be read.
    pub(super) fn is_lost(&self, core: &str) -> bool {
        self.layers().any(|layer| layer.lost.contains(core))
    }

    /// Notes that a token's value can't be read.
    pub(super) fn lose(&mut self, core: String) {
        self.lost.insert(core);
    }

    /// Notes that an id was given, where it is a number.
    pub(super) fn take(&mut self, id: &str) {
        self.taken.extend(id.parse::<u64>());
    }

    pub(super) fn insert(&mut self, mapping: Arc<Mapping>) {
        self.value_bytes += mapping.value().expose().len();
        if mapping.surrogate().is_some() {
            self.forms.insert(&mapping);
        } else {
            self.longest_core = self.longest_core.max(mapping.core().len());
        }
        if mapping.id().len() >= LONG_ID && mapping.surrogate().is_none() {
            let only = Some(Arc::clone(&mapping));
            let is_same = |other: &Option<Arc<Mapping>>| {
                let other = other.as_ref();
                other.is_some_and(|other| other.core() == mapping.core())
            };
            let entry = self.by_long_id.entry(mapping.id().to_owned());
            entry
                .and_modify(|shared| *shared = only.clone().filter(|_| is_same(shared)))
                .or_insert(only);
        }
        if self.by_core(mapping.core()).is_some() {
            self.repeated += 1;
        }
        // The first token of a value stays the one that it is given.
        let number = self.mappings.len();
        self.by_value.insert(ByValue(Arc::clone(&mapping)));
        self.by_core.replace(ByCore(Arc::clone(&mapping), number));
        self.mappings.push(mapping);
    }

    pub(super) fn new_id(
        &mut self,
        entity: &EntityType,
        value: &str,
        operator: &Operator,
    ) -> String {
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
        match self.numbers.clone() {
            Numbers::Counted(mut last) => {
                last += 1;
                while self.layers().any(|layer| layer.taken.contains(&last)) {
                    last += 1;
                }
                self.numbers = Numbers::Counted(last);
                last
            }
            Numbers::Derived(seed) => {
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

    /// The surrogates that texts are searched for, layer by layer.
    pub(super) fn forms(&self) -> impl Iterator<Item = &Forms> {
        self.layers()
            .map(|layer| &layer.forms)
            .filter(|forms| !forms.is_empty())
    }

    pub(super) fn is_free(&self, core: &str) -> bool {
        self.by_core(core).is_none() && !self.is_lost(core)
    }

    /// Whether all values are found.
    pub(super) fn has_learnt(&self) -> bool {
        self.own_are_learnt()
    }

    fn own_are_learnt(&self) -> bool {
        self.learnt == self.mappings.len()
    }

    /// From now on, all values are found. The search for them is prepared once a text is searched.
    pub(super) fn learn(&mut self) {
        if let Some(known) = self.all_known.take() {
            self.known = Some(known);
        }
        let new = self.mappings.get(self.learnt..).unwrap_or_default();
        self.finds_any |= new.iter().any(|mapping| known::is_found(mapping));
        self.learnt = self.mappings.len();
    }

    /// Finds the values of this layer that were learnt.
    fn known(&self) -> &Known {
        let known = self.known.as_deref();
        if let Some(all) = known.filter(|known| known.learnt() == self.learnt) {
            return all;
        }
        self.all_known.get_or_init(|| {
            let known = known.cloned();
            let mut known = known.unwrap_or_else(|| Known::of_layer(self.below_len));
            known.learn(self.learnt_ones());
            Arc::new(known)
        })
    }

    fn learnt_ones(&self) -> &[Arc<Mapping>] {
        self.mappings.get(..self.learnt).unwrap_or_default()
    }

    pub(super) fn knows_any(&self) -> bool {
        self.layers().any(|layer| layer.finds_any)
    }

    pub(super) fn knows_white_space(&self) -> bool {
        self.layers().any(|layer| layer.known().holds_white_space())
    }

    pub(super) fn may_stand_in(&self, written: &str, hidden: &HiddenHeads) -> bool {
        let mut layers = self.layers();
        layers.any(|layer| layer.known().may_stand_in(written, hidden))
    }

    pub(super) fn find_known(
        &self,
        text: &str,
        admits: &impl Fn(&str, &Detection) -> bool,
        visit: &mut impl FnMut(Detection, usize),
    ) {
        if text.len() < known::SHORTEST {
            return;
        }
        if self.below.is_none() && self.finds_any {
            return known::find(&[self.known()], text, admits, visit);
        }
        let layers = self.layers().filter(|layer| layer.finds_any);
        let layers: Vec<_> = layers.map(Self::known).collect();
        known::find(&layers, text, admits, visit);
    }

    /// Finds the values from a number on.
    pub(super) fn known_from(&self, number: usize) -> Known {
        let mut known = Known::default();
        let new: Vec<_> = self.learnt_from(number).cloned().collect();
        known.learn(&new);
        known
    }

    fn learnt_from(&self, number: usize) -> impl Iterator<Item = &Arc<Mapping>> {
        let layers: Vec<_> = self.layers().collect();
        layers.into_iter().rev().flat_map(move |layer| {
            let first = number.saturating_sub(layer.below_len);
            layer.learnt_ones().get(first..).unwrap_or_default()
        })
    }

    /// The mapping of this number.
    pub(super) fn by_number(&self, number: usize) -> Option<&Arc<Mapping>> {
        let layer = self.layers().find(|layer| layer.below_len <= number)?;
        layer.mappings.get(number - layer.below_len)
    }

    /// What stands for the values that are found, in their order. `digest` does for one mapping.
    pub(super) fn known_id(&self, digest: &dyn Fn(&Mapping) -> u128) -> u128 {
        self.known_ids(digest).last().copied().unwrap_or_default()
    }

    /// How many values an id stands for; `None` if these are not the first ones, or hardly any of them.
    pub(super) fn count_of_known(
        &self,
        id: u128,
        digest: &dyn Fn(&Mapping) -> u128,
    ) -> Option<usize> {
        let ids = self.known_ids(digest);
        let latest = ids.iter().rev().take(MOST_NEW);
        let new = latest.enumerate().find(|(_, latest)| **latest == id);
        new.map(|(new, _)| self.learnt() - new)
    }

    fn known_ids(&self, digest: &dyn Fn(&Mapping) -> u128) -> Arc<[u128]> {
        let before = self.below.as_ref().map(|below| below.known_id(digest));
        self.ids.of(self.learnt_ones(), before, digest)
    }
}

/// Mappings in the order of one of their texts, so that a set of them is an index.
macro_rules! index {
    ($name:ident($($number:ty)?), $mapping:ident, $text:expr) => {
        #[derive(Debug, Clone)]
        struct $name(Arc<Mapping> $(, $number)?);

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

index!(ByValue(), mapping, mapping.value().expose());
// With its number in the layer.
index!(ByCore(usize), mapping, mapping.core());
