//! Finds the tool call to which a piece of a `chat_style` stream belongs.

use std::collections::{BTreeMap, BTreeSet};

use super::{Except, Span, Stage, number};
use crate::json::Value;
use crate::schema::calls::{name_of, space_of};
use crate::schema::tool::{MOST_NAME, Tool};

/// One call of a stream, whose name may still grow until its choice ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Call {
    pub(crate) choice: u32,
    number: u32,
}

/// What a call named so far.
#[derive(Debug, Default)]
pub(super) struct Named {
    space: String,
    /// It named several namespaces or tools, or what it is given may be another call's.
    pub(super) is_unclear: bool,
    /// The first piece of its name, and how often that came before another.
    first: String,
    times: usize,
    /// The pieces that came then.
    rest: String,
}

/// The tool calls of a stream.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The id of each call, by choice and index.
    ids: BTreeMap<(u32, u32), String>,
    by_id: BTreeMap<(u32, String), u32>,
    /// The last call of each choice, and the index after the highest.
    last: BTreeMap<u32, (u32, u32)>,
    /// The latest call at each choice and index.
    latest: BTreeMap<(u32, u32), Call>,
    /// The choices in which a call has an index.
    indexed: BTreeSet<u32>,
    /// The call of each choice, index and id.
    of_id: BTreeMap<(u32, u32, String), Call>,
    named: BTreeMap<Call, Named>,
}

impl Calls {
    /// The index of the call that an element belongs to, and the call. A call that begins makes others due.
    ///
    /// Other servers leave out the index, or send the same for every call: a new id begins a new
    /// call.
    pub(super) fn find(
        &mut self,
        choice: u32,
        position: Option<u32>,
        element: Value<'_>,
        due: &mut Vec<Span>,
    ) -> (u32, Call) {
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
        let call = self.name(choice, found, function.next().unwrap_or(element));
        if index.is_some() {
            self.indexed.insert(choice);
        } else if id.is_empty() && self.indexed.contains(&choice) && self.are_several(choice) {
            self.named.entry(call).or_default().is_unclear = true;
        }
        (found, call)
    }

    /// Whether a choice has more than one call.
    fn are_several(&self, choice: u32) -> bool {
        let calls = self.latest.range((choice, 0)..=(choice, u32::MAX));
        calls.take(2).count() > 1
    }

    /// Notes the tool that a call names, and returns the call.
    pub(super) fn name(&mut self, choice: u32, index: u32, function: Value<'_>) -> Call {
        let call = self.latest.get(&(choice, index)).copied();
        let call = call.unwrap_or_else(|| self.begin_call(choice, index, ""));
        self.named.entry(call).or_default().add(function);
        call
    }

    /// The tool that a call named so far.
    pub(super) fn tool(&self, call: Call) -> Option<Tool> {
        self.named.get(&call)?.tool()
    }

    fn begin_call(&mut self, choice: u32, index: u32, id: &str) -> Call {
        let number = u32::try_from(self.named.len()).unwrap_or(u32::MAX);
        let new = Call { choice, number };
        let call = match id {
            "" => new,
            id => *self
                .of_id
                .entry((choice, index, id.to_owned()))
                .or_insert(new),
        };
        self.named.entry(call).or_default();
        self.latest.insert((choice, index), call);
        call
    }

    fn begin(&mut self, choice: u32, index: Option<u32>, id: &str, due: &mut Vec<Span>) -> u32 {
        let (last, next) = self.last.get(&choice).copied().unzip();
        let next = next.unwrap_or(0);
        let index = index.unwrap_or(next);
        let call = |index| Span::inner(choice, Stage::Call, index);
        due.extend(last.map(|last| Span {
            except: Except::Unfinished,
            ..call(last)
        }));
        if self.ids.insert((choice, index), id.to_owned()).is_some() {
            due.push(call(index));
        }
        self.begin_call(choice, index, id);
        if !id.is_empty() {
            self.by_id.insert((choice, id.to_owned()), index);
        }
        self.last
            .insert(choice, (index, next.max(index.saturating_add(1))));
        index
    }
}

impl Named {
    /// Adds what an object says of the tool.
    pub(super) fn add(&mut self, function: Value<'_>) {
        match space_of(function).as_deref() {
            Some("") => {}
            Some(space) if self.space.is_empty() => space.clone_into(&mut self.space),
            Some(space) if self.space == space => {}
            _ => self.is_unclear = true,
        }
        if let Some(piece) = name_of(function) {
            self.add_piece(&piece);
        }
    }

    fn add_piece(&mut self, piece: &str) {
        if self.times == 0 {
            piece.clone_into(&mut self.first);
        }
        if self.rest.is_empty() && self.first == piece {
            self.times += 1;
        } else {
            self.rest.push_str(piece);
        }
    }

    /// The tool, as far as it is named.
    ///
    /// A name comes in pieces, or again with every piece. Where both are possible, it is in doubt.
    pub(super) fn tool(&self) -> Option<Tool> {
        if self.is_unclear || self.times == 0 {
            return None;
        }
        if self.times > 1 && self.rest.is_empty() {
            return Some(Tool::of(&self.space, &self.first).or_maybe(&self.repeated()));
        }
        let length = self.first.len().saturating_mul(self.times) + self.rest.len();
        let joined = || self.first.repeat(self.times) + &self.rest;
        (length <= MOST_NAME).then(|| Tool::of(&self.space, &joined()))
    }

    /// The name that its first piece makes alone. What more of it would match, so much of it does.
    fn repeated(&self) -> String {
        let most = MOST_NAME / self.first.len().max(1);
        self.first.repeat(self.times.min(most.max(2)))
    }
}
