//! Finds the calls whose names may come in pieces, in events of no known format.

use std::collections::BTreeMap;

use super::calls::Named;
use super::words::is_whole_event;
use super::{EventState, Item, format, is_set, kind};
use crate::Schema;
use crate::json::Value;
use crate::schema::calls::{CallMap, name_of};

/// The calls of a stream whose names may still grow, by the item that their events name.
#[derive(Debug, Default)]
pub(crate) struct GrowingNames {
    items: BTreeMap<Item, Growing>,
    /// How many of them are not complete.
    open: usize,
}

#[derive(Debug)]
struct Growing {
    named: Named,
    /// What the types of its events begin with: `tool-call` of `tool-call-start`.
    family: String,
    is_complete: bool,
}

impl GrowingNames {
    /// Whether no name was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Reads an event, and returns whether some name may still grow after it.
    pub(crate) fn read(&mut self, schema: Schema, name: Option<&str>, root: Value<'_>) -> bool {
        if format(schema, root) == Schema::Generic {
            let kind = kind(Schema::Generic, name, root);
            let calls = CallMap::calls_in_delta(root);
            match Item::of(root).filter(|_| !calls.is_empty()) {
                Some(item) => self.add(item, &kind, &calls),
                None => self.end(&kind, root),
            }
        }
        self.open > 0
    }

    fn add(&mut self, item: Item, kind: &str, calls: &[Value<'_>]) {
        let growing = self.items.entry(item).or_insert_with(|| Growing {
            named: Named::default(),
            family: family(kind).to_owned(),
            is_complete: true,
        });
        self.open += usize::from(std::mem::take(&mut growing.is_complete));
        for call in calls {
            growing.named.add(*call);
        }
        let names = calls.iter().filter(|call| name_of(**call).is_some());
        growing.named.is_unclear |= names.count() > 1;
    }

    fn end(&mut self, kind: &str, root: Value<'_>) {
        let is_last = root.member("done").is_some_and(|done| done.raw() == "true");
        if !is_last && !is_set(root.member("error")) && !is_whole_event(kind) {
            return;
        }
        let Some(ended) = Item::of(root).filter(|_| !is_last) else {
            let items = self.items.values_mut();
            items.for_each(|growing| growing.is_complete = true);
            self.open = 0;
            return;
        };
        let growing = self.items.get_mut(&ended);
        if let Some(growing) = growing.filter(|growing| growing.family == family(kind)) {
            self.open -= usize::from(!std::mem::replace(&mut growing.is_complete, true));
        }
    }
}

impl EventState {
    /// Notes the tools of calls whose names `are_complete`, or of which nobody knows the rest.
    pub(crate) fn name_items(&mut self, names: GrowingNames, are_complete: bool) {
        for (item, growing) in names.items {
            match growing.named.tool().filter(|_| are_complete) {
                Some(tool) => self.tools.insert(item, tool),
                None => self.tools.remove(&item),
            };
        }
    }
}

fn family(kind: &str) -> &str {
    kind.rsplit_once(['-', '.', '_', ':'])
        .map_or("", |(family, _)| family)
}
