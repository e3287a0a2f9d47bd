//! Records where values were masked, and which rule found them.

use std::collections::BTreeMap;

use super::field::{self, Field};
use super::loud::SeenRule;
use crate::EntityType;
use crate::json::Value;

/// How many values of one type a rule found in one field of a request. Never a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The entity type of the values.
    pub entity: EntityType,
    /// The place of the values.
    pub field: Field,
    /// The rule that found them.
    pub rule: &'static str,
    /// How many there are, repeats included.
    pub count: u64,
}

/// What was masked, leaf by leaf.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The leaf that is read.
    leaf: Option<usize>,
    of_leaves: Vec<OfLeaf>,
}

#[derive(Debug)]
struct OfLeaf {
    /// Where the leaf begins in the body; `None` outside it.
    leaf: Option<usize>,
    entity: EntityType,
    rule: &'static str,
    count: u64,
}

impl Seen {
    pub(super) fn enter(&mut self, leaf: Option<usize>) {
        self.leaf = leaf;
    }

    pub(super) fn add(&mut self, entity: &EntityType, rule: &'static str, count: u64) {
        let leaf = self.leaf;
        let is_same =
            |last: &&mut OfLeaf| last.leaf == leaf && last.rule == rule && last.entity == *entity;
        match self.of_leaves.last_mut().filter(is_same) {
            Some(last) => last.count += count,
            None => self.of_leaves.push(OfLeaf {
                leaf,
                entity: entity.clone(),
                rule,
                count,
            }),
        }
    }

    /// What was masked in the leaf that is read.
    pub(super) fn of_leaf(&self) -> Vec<SeenRule> {
        let last = self.of_leaves.iter().rev();
        let last = last.take_while(|seen| seen.leaf == self.leaf).count();
        let own = self.of_leaves.iter().skip(self.of_leaves.len() - last);
        let seen = own.map(|seen| SeenRule {
            entity: seen.entity.clone(),
            rule: seen.rule,
            count: seen.count,
        });
        seen.collect()
    }

    /// The sightings by type, field and rule, with the fields of the body of this root.
    pub(super) fn named(&self, root: Option<Value<'_>>) -> Vec<Sighting> {
        let mut starts: Vec<_> = self.of_leaves.iter().filter_map(|seen| seen.leaf).collect();
        starts.sort_unstable();
        starts.dedup();
        let fields = root.map_or_else(Vec::new, |root| field::fields(root, &starts));
        let head = Field::head();
        let field = |seen: &OfLeaf| {
            let at = seen.leaf.and_then(|leaf| starts.binary_search(&leaf).ok());
            at.and_then(|at| fields.get(at)).unwrap_or(&head)
        };
        let mut counts = BTreeMap::new();
        for seen in &self.of_leaves {
            *counts
                .entry((&seen.entity, field(seen), seen.rule))
                .or_default() += seen.count;
        }
        let sightings = counts.into_iter();
        let sightings = sightings.map(|((entity, field, rule), count)| Sighting {
            entity: entity.clone(),
            field: field.clone(),
            rule,
            count,
        });
        sightings.collect()
    }
}
