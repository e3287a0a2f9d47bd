//! Finds the tool call to which a piece of a `chat_style` stream belongs.

use std::collections::BTreeMap;

use super::{Span, Stage, number};
use crate::json::Value;
use crate::schema::calls::space_of;
use crate::tool::Tool;

/// The tool calls of a stream.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The id of each call, by choice and index.
    ids: BTreeMap<(u32, u32), String>,
    by_id: BTreeMap<(u32, String), u32>,
    /// The last call of each choice, and the index after the highest.
    last: BTreeMap<u32, (u32, u32)>,
    /// The namespace and the name of each call's tool, by choice and index.
    tools: BTreeMap<(u32, u32), (String, String)>,
}

impl Calls {
    /// The index of the call that an element belongs to. A call that begins makes others due.
    ///
    /// Other servers leave out the index, or send the same for every call: a new id begins a new
    /// call.
    pub(super) fn find(
        &mut self,
        choice: u32,
        position: Option<u32>,
        element: Value<'_>,
        due: &mut Vec<Span>,
    ) -> u32 {
        let id = element.member("id").filter(|id| id.is_string());
        let id = id.map(Value::text).unwrap_or_default();
        let index = number(element, "index");
        let found = match (index, position) {
            (Some(index), _) => Some(index),
            (None, _) if !id.is_empty() => self.by_id.get(&(choice, id.to_string())).copied(),
            (None, Some(position)) => Some(position),
            (None, None) => self.last.get(&choice).map(|(last, _)| *last),
        };
        let goes_on = |at: &u32| {
            let known = self.ids.get(&(choice, *at));
            known.is_some_and(|known| id.is_empty() || known.is_empty() || *known == *id)
        };
        let found = found.filter(goes_on).unwrap_or_else(|| {
            let index = index.or(if id.is_empty() { position } else { None });
            self.begin(choice, index, &id, due)
        });
        let function = ["function", "custom"].into_iter();
        let mut function = function.filter_map(|name| element.member(name));
        self.name(choice, found, function.next().unwrap_or(element));
        found
    }

    /// Notes the tool that a call names. A name may come in pieces, or again with every piece.
    pub(super) fn name(&mut self, choice: u32, call: u32, function: Value<'_>) {
        let Some(name) = function.member("name").filter(|name| name.is_string()) else {
            return;
        };
        let (space, tool) = self.tools.entry((choice, call)).or_default();
        let name = name.text();
        if *tool != *name {
            tool.push_str(&name);
        }
        if let Some(named) = space_of(function).filter(|named| !named.is_empty()) {
            *space = named.into_owned();
        }
    }

    /// The tool that a call named.
    pub(super) fn tool(&self, choice: u32, call: u32) -> Option<Tool> {
        let (space, tool) = self.tools.get(&(choice, call))?;
        (!tool.is_empty()).then(|| Tool::of(space, tool))
    }

    fn begin(&mut self, choice: u32, index: Option<u32>, id: &str, due: &mut Vec<Span>) -> u32 {
        let (last, next) = self.last.get(&choice).copied().unzip();
        let next = next.unwrap_or(0);
        let index = index.unwrap_or(next);
        let call = |index| Span::inner(choice, Stage::Call, index);
        due.extend(last.map(|last| Span {
            only_settled: true,
            ..call(last)
        }));
        if self.ids.insert((choice, index), id.to_owned()).is_some() {
            due.push(call(index));
            self.tools.remove(&(choice, index));
        }
        if !id.is_empty() {
            self.by_id.insert((choice, id.to_owned()), index);
        }
        self.last
            .insert(choice, (index, next.max(index.saturating_add(1))));
        index
    }
}
