//! The events of a stream: which strings are pieces of a longer text, and where that text ends (R9,
//! R10).
//!
//! A text is identified by its place in the events. The formats add only what is special: where
//! answers, blocks and items end, what a call is, and which event contains the text that a block
//! begins with.
//!
//! This is knowledge only. The caller holds back, collects and restores.

mod calls;
mod chat;
mod generic;
mod growing;
mod kind;
mod map;
mod messages;
mod named;
mod place;
mod responses;
mod skeleton;
mod span;
mod words;

use std::collections::BTreeMap;

use super::calls::{CallMap, Called, call_id, is_call_key, name_of, tool_of};
use super::rule::{Object, Rule};
use super::walk::walk;
use crate::Schema;
use crate::json::Value;
use crate::schema::tool::Tool;

use calls::Calls;
use kind::{format, kind, kind_of_name};
use named::Named;
use place::Places;
use span::Stage;

pub(crate) use calls::Call;
pub(crate) use growing::GrowingNames;
pub(crate) use map::{EventMap, Piece};
pub(crate) use named::Relation;
pub(crate) use place::{Unkeyed, text_channel};
pub(crate) use skeleton::{Last, SyntheticEvent, synthesize};
pub(crate) use span::{Channel, Except, Span};
pub(crate) use words::{ends_texts, is_report, is_stamp, names_text};

/// What an event is about: a block, an item or an answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Index(u32),
    Id(String),
}

impl Item {
    /// Of an event; none where it does not say.
    fn of(root: Value<'_>) -> Option<Self> {
        if let Some(id) = call_id(root).filter(|id| is_filled(*id)) {
            return Some(Self::Id(id.text().into_owned()));
        }
        if let Some(candidates) = root.member("candidates") {
            let mut candidates = candidates.elements();
            let index = number(candidates.next()?, "index").unwrap_or(0);
            return candidates.next().is_none().then_some(Self::Index(index));
        }
        let index = number(root, "output_index").or_else(|| number(root, "index"));
        index.map(Self::Index).or_else(|| {
            let begun = root.member("item").and_then(|item| item.member("id"));
            let id = root.member("item_id").or(begun);
            let id = id.filter(|id| is_filled(*id))?;
            Some(Self::Id(id.text().into_owned()))
        })
    }
}

/// What must be known of the events before.
#[derive(Debug, Default)]
pub(crate) struct EventState {
    calls: Calls,
    /// The tools of blocks, items and answers that are calls.
    tools: BTreeMap<Item, Tool>,
    /// The number of the latest event of a `responses` stream.
    latest: u64,
    /// Whether that event went out already.
    is_delivered: bool,
    named: Named,
    /// Events that bring a piece say so.
    marks_pieces: bool,
}

impl EventState {
    /// How the text of a key stands to the latest event.
    pub(crate) fn relation(&self, key: Option<u64>) -> Relation {
        self.named.relation(key)
    }

    /// Skips an event that needs no parsing except for its number.
    pub(crate) fn pass_over(&mut self, number: Option<u64>) {
        self.latest = number.unwrap_or(self.latest);
        self.is_delivered = true;
    }

    /// Marks that synthesized events now follow the latest event.
    pub(crate) fn delivered(&mut self) {
        self.is_delivered = true;
    }

    /// What is known of an argument once the name of its call is complete.
    pub(crate) fn called(&self, called: &Called) -> Called {
        let mut called = called.clone();
        if let Some(call) = called.growing {
            called.tool = self.calls.tool(call);
        }
        called
    }

    /// The least number that a synthesized event may have: numbers must not fall.
    fn least_number(&self) -> u64 {
        if self.is_delivered {
            self.latest
        } else {
            self.latest.saturating_sub(1)
        }
    }
}

/// The format's knowledge of an event.
struct Known<'t> {
    table: &'static Object,
    /// The answer, block or item that it belongs to.
    outer: u32,
    /// No string of it is a piece.
    is_whole: bool,
    /// What goes out before it.
    due: Option<Span>,
    begun: Option<Begun<'t>>,
}

/// The text that a block or part begins with.
struct Begun<'t> {
    text: Value<'t>,
    /// The event that would have brought it, with an empty string instead.
    name: String,
    data: String,
}

/// Reads an event. `name` is that of its `event` field.
pub(crate) fn event<'t>(
    schema: Schema,
    name: Option<&str>,
    root: Value<'t>,
    state: &mut EventState,
) -> EventMap<'t> {
    let format = format(schema, root);
    let kind = kind(format, name, root);
    let known = match format {
        Schema::ChatStyle => chat::read(&kind, root),
        Schema::MessagesStyle => messages::read(&kind, root),
        Schema::Responses => {
            state.latest = number(root, "sequence_number").unwrap_or(state.latest);
            state.is_delivered = false;
            responses::read(&kind, root)
        }
        Schema::Generic => generic::read(&kind, root, state),
    };
    let mut map = EventMap {
        is_typed: !kind.is_empty(),
        ..EventMap::default()
    };
    map.due.extend(known.due);
    walk(&mut map.reply, &Rule::Object(known.table), root, None);
    if !known.is_whole {
        let places = if format == Schema::Generic {
            Places::of_generic(root, &kind, known.outer)
        } else {
            let calls = (format == Schema::ChatStyle).then_some(&mut state.calls);
            Places::of(root, &kind, known.outer, calls)
        };
        map.read_pieces(places, root, format != Schema::Generic, &mut state.named);
        map.end_pieces(root.member("done").is_some_and(|done| done.raw() == "true"));
        if format == Schema::Generic && words::ends_something(root) {
            map.end_others(root, &mut state.named);
        }
    }
    if let Some(begun) = known.begun {
        map.begin(begun, known.outer);
    }
    map.only_collected = !map.pieces.is_empty()
        && map.pieces.iter().all(Piece::is_collected)
        && (format != Schema::ChatStyle || chat::has_no_other_news(root));
    map
}

/// Marks the strings of an event that are arguments of calls.
pub(crate) fn name_calls<'t>(map: &mut EventMap<'t>, root: Value<'t>, state: &mut EventState) {
    let piece = piece_of_call(root);
    let item = piece.and_then(Item::of).or_else(|| Item::of(root));
    let begun = root.member("content_block").or_else(|| root.member("item"));
    let begun = begun.or_else(|| piece.filter(|piece| name_of(*piece).is_some()));
    if let (Some(begun), Some(item)) = (begun, &item) {
        match tool_of(begun) {
            Some(tool) => state.tools.insert(item.clone(), tool),
            None => state.tools.remove(item),
        };
    }
    let tool = item.as_ref().and_then(|item| state.tools.get(item));
    let of_item = tool.filter(|_| format(Schema::Generic, root) != Schema::Generic);
    // A format may get new kinds of pieces; all of a call's are arguments.
    let of_item = of_item.map(|tool| Called {
        tool: Some(tool.clone()),
        ..Called::default()
    });
    let growing = std::mem::take(&mut map.growing);
    map.reply.calls = CallMap::of_event(root, tool.cloned(), growing);
    match (item, map.reply.calls.last()) {
        (Some(item), Some(last)) => {
            state.tools.insert(item, last.clone());
        }
        (None, _) if root.member("candidates").is_some() => state.tools.clear(),
        _ => {}
    }
    for piece in &mut map.pieces {
        let called = map.reply.calls.called(piece.value, piece.form);
        piece.called = called.or_else(|| of_item.clone());
    }
}

/// The object of an event that is a piece of a call: the event itself, beside the call's id, or a member.
fn piece_of_call(root: Value<'_>) -> Option<Value<'_>> {
    if call_id(root).is_some() {
        return Some(root);
    }
    let mut members = root.members();
    let found = members.find(|(key, member)| member.is_object() && is_call_key(&key.text()));
    found.map(|(_, piece)| piece)
}

fn is_filled(value: Value<'_>) -> bool {
    value.is_string() && !value.raw_content().is_empty()
}

/// Whether a member is there and not `null` or `false`.
fn is_set(value: Option<Value<'_>>) -> bool {
    value.is_some_and(|value| !matches!(value.raw(), "null" | "false"))
}

/// A member that counts; none when it is missing or no small whole number.
fn number<N: std::str::FromStr>(object: Value<'_>, name: &str) -> Option<N> {
    object.member(name)?.raw().parse().ok()
}
