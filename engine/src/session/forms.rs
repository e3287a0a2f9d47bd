//! The surrogates of a session, in the forms in which texts are searched for them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use crate::EntityType;
use crate::operator::surrogate::{GroupedNumber, SHORTEST, ungrouped};
use crate::token::Mapping;

/// The surrogates in lower case, in order.
///
/// For a person's name these are its parts: whatever a model makes of the whole consists of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Forms {
    all: BTreeMap<String, Arc<Mapping>>,
    /// How they begin: most words begin differently, and need no further check.
    heads: BTreeSet<[u8; SHORTEST]>,
    /// The numbers among them, without what groups them.
    numbers: BTreeMap<String, Arc<Mapping>>,
}

impl Forms {
    pub(super) fn insert(&mut self, mapping: &Arc<Mapping>) {
        let Some(surrogate) = mapping.surrogate() else {
            return;
        };
        let is_part = surrogate.bytes().all(|byte| byte.is_ascii_alphabetic());
        if is_part || *mapping.entity() != EntityType::PERSON {
            let form = surrogate.to_ascii_lowercase();
            self.heads.extend(form.as_bytes().first_chunk());
            self.all.insert(form, Arc::clone(mapping));
        }
        if let Some(number) = ungrouped(mapping.entity(), surrogate) {
            let number = number.to_ascii_lowercase();
            self.numbers
                .entry(number)
                .or_insert_with(|| Arc::clone(mapping));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn get(&self, form: &str) -> Option<&Arc<Mapping>> {
        self.all.get(form)
    }

    /// Whether a form may begin like a text, ignoring case.
    pub(super) fn may_begin(&self, text: &[u8]) -> bool {
        let head: Option<&[u8; SHORTEST]> = text.first_chunk();
        head.is_some_and(|head| {
            self.heads
                .contains(&head.map(|byte| byte.to_ascii_lowercase()))
        })
    }

    /// Whether a number begins with these signs, whatever groups them.
    pub(super) fn begin_number(&self, signs: &str) -> bool {
        begins(&self.numbers, signs)
    }

    /// The longest number with which another begins that fits there, and where it ends.
    pub(super) fn longest_number(
        &self,
        number: &GroupedNumber,
        fits: &impl Fn(&Mapping, usize) -> bool,
    ) -> Option<(usize, &Arc<Mapping>)> {
        let ends = number.ends.iter().enumerate().rev();
        let mut found = ends.filter_map(|(last, end)| {
            let mapping = self.numbers.get(number.signs.get(..=last)?)?;
            Some((*end, mapping))
        });
        found.find(|(end, mapping)| fits(mapping, *end))
    }

    /// Whether this begins a form, or is one.
    pub(super) fn begins(&self, start: &str) -> bool {
        begins(&self.all, start)
    }

    /// Whether some form is how this begins.
    pub(super) fn holds_beginning_of(&self, form: &str) -> bool {
        let ends = form.char_indices().skip(SHORTEST).map(|(end, _)| end);
        let mut beginnings = ends.filter_map(|end| form.get(..end));
        beginnings.any(|beginning| self.all.contains_key(beginning))
    }

    /// The longest form that a text begins with and that fits there.
    pub(super) fn longest(
        &self,
        text: &str,
        fits: &impl Fn(&Mapping) -> bool,
    ) -> Option<&Arc<Mapping>> {
        let mut begun = text;
        loop {
            let upto = (Bound::Unbounded, Bound::Included(begun));
            let (form, mapping) = self.all.range::<str, _>(upto).next_back()?;
            let common = common_length(form, begun);
            if common < form.len() {
                // Anything greater than the common prefix does not begin with any of it.
                begun = begun.get(..common)?;
            } else if fits(mapping) {
                return Some(mapping);
            } else {
                begun = begun.get(..common.checked_sub(1)?)?;
            }
        }
    }
}

/// Whether this begins one of some texts, or is one.
fn begins(all: &BTreeMap<String, Arc<Mapping>>, start: &str) -> bool {
    let mut next = all.range::<str, _>((Bound::Included(start), Bound::Unbounded));
    next.next().is_some_and(|(text, _)| text.starts_with(start))
}

fn common_length(one: &str, other: &str) -> usize {
    let both = one.bytes().zip(other.bytes());
    both.take_while(|(one, other)| one == other).count()
}
