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
mod growing;
mod messages;
mod named;
mod place;
mod responses;
mod skeleton;
mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::calls::{CallMap, Called, call_id, is_call_key, name_of, tool_of};
use super::rule::{Object, Rule};
use super::walk::walk;
use super::{Form, ReplyMap, generic};
use crate::Schema;
use crate::json::Value;
use crate::schema::tool::Tool;

pub(crate) use calls::Call;
use calls::Calls;
pub(crate) use growing::GrowingNames;
use named::Named;
pub(crate) use named::Relation;
use place::{Places, names_of, text_at};

pub(crate) use place::{Unkeyed, text_channel};
pub(crate) use skeleton::{Last, SyntheticEvent, synthesize};
pub(crate) use words::{ends_texts, is_report, is_stamp, names_text};

/// What joins the pieces of one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Channel {
    /// The choice, block or output item.
    outer: u32,
    stage: Stage,
    /// What is counted inside of it: the tool call, content part, summary or command.
    inner: u32,
    place: u64,
}

impl Channel {
    /// The choice, block or output item that it belongs to.
    pub(crate) const fn outer(self) -> u32 {
        self.outer
    }
}

/// What comes after what in an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Stage {
    Thought,
    Answer,
    Call,
    #[default]
    Other,
}

/// Channels that end together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) first: Channel,
    pub(crate) last: Channel,
    pub(crate) except: Except,
}

/// The channels that do not end with the others of a span: they may continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Except {
    None,
    /// Those that end with the beginning of a token.
    BegunTokens,
    /// Those whose end may still become a token, or whose arguments are no whole JSON.
    Unfinished,
    /// Those that the event is not about.
    Others,
    /// The same, and, unless the event is about them, those that end with the beginning of a token that is more than a
    /// character or two which could begin one.
    OthersAndTokens,
    /// The same, and those that end with the beginning of a token.
    OthersAndBegunTokens,
}

impl Span {
    pub(crate) const ALL: Self =
        Self::between((0, Stage::Thought, 0), (u32::MAX, Stage::Other, u32::MAX));

    const fn between(first: (u32, Stage, u32), last: (u32, Stage, u32)) -> Self {
        const fn channel((outer, stage, inner): (u32, Stage, u32), place: u64) -> Channel {
            Channel {
                outer,
                stage,
                inner,
                place,
            }
        }
        Self {
            first: channel(first, 0),
            last: channel(last, u64::MAX),
            except: Except::None,
        }
    }

    /// All of one answer, block or item.
    const fn outer(outer: u32) -> Self {
        Self::between((outer, Stage::Thought, 0), (outer, Stage::Other, u32::MAX))
    }

    /// Whether all of an answer is in it.
    pub(crate) fn is_all_of(&self, outer: u32) -> bool {
        let all = Self::outer(outer);
        self.except == Except::None && self.first <= all.first && all.last <= self.last
    }

    /// All of one call or part.
    const fn inner(outer: u32, stage: Stage, inner: u32) -> Self {
        Self::between((outer, stage, inner), (outer, stage, inner))
    }

    /// What comes before a call, or before the answer: clients take it as complete there. Behind a call the answer may go on.
    const fn before(outer: u32, stage: Stage) -> Self {
        let (last, except) = match stage {
            Stage::Call => (Stage::Answer, Except::BegunTokens),
            _ => (Stage::Thought, Except::None),
        };
        Self::between((outer, Stage::Thought, 0), (outer, last, u32::MAX)).except(except)
    }

    const fn except(self, except: Except) -> Self {
        Self { except, ..self }
    }

    const fn only(channel: Channel) -> Self {
        Self {
            first: channel,
            last: channel,
            except: Except::None,
        }
    }
}

/// A string that is a part of a longer text.
#[derive(Debug)]
pub(crate) struct Piece<'t> {
    pub(crate) channel: Channel,
    /// The first key on the way, which is that of its event where that has one, or else that of the last element.
    pub(crate) key: Option<u64>,
    /// Its place without the keys on the way, where it has any: they may count events instead of naming texts.
    pub(crate) unkeyed: Option<Unkeyed>,
    pub(crate) value: Value<'t>,
    pub(crate) form: Form,
    /// The format has texts in pieces there. At other places a string may also be whole.
    pub(crate) is_known: bool,
    /// It is in a member called `delta`.
    pub(crate) is_in_delta: bool,
    /// The text ends with it.
    pub(crate) ends: bool,
    /// The event that brings more of a text which another kind of event began.
    pub(crate) next: Option<Next>,
    /// The call that it is an argument of, once that was asked for.
    pub(crate) called: Option<Called>,
}

impl Piece<'_> {
    /// Whether it is delivered with all the others of its channel, when that ends.
    pub(crate) fn is_collected(&self) -> bool {
        self.is_known && matches!(self.form, Form::Arguments | Form::Input)
    }

    /// Whether it begins as JSON that holds all arguments of a call, of which more follows.
    pub(crate) fn begins_arguments(&self) -> bool {
        let is_all = |called: &Called| called.argument.is_none();
        self.is_in_delta
            && self.called.as_ref().is_some_and(is_all)
            && self.value.text().trim_start().starts_with(['{', '[', '"'])
    }

    /// Whether a signature of its whole text may follow.
    pub(crate) fn may_be_signed(&self) -> bool {
        self.is_known && self.form == Form::Signed
    }
}

/// An event with an empty string where its text belongs.
#[derive(Debug)]
pub(crate) struct Next {
    pub(crate) name: String,
    pub(crate) data: String,
    /// Where the string begins.
    pub(crate) piece: usize,
}

/// The content of an event.
#[derive(Debug, Default)]
pub(crate) struct EventMap<'t> {
    /// What these channels hold is delivered before this event, in separate events.
    pub(crate) due: Vec<Span>,
    /// Channels that end with this event. What has no piece here goes out before.
    pub(crate) ends: Vec<Span>,
    /// In document order.
    pub(crate) pieces: Vec<Piece<'t>>,
    /// Every other string.
    pub(crate) reply: ReplyMap<'t>,
    /// Signatures of all that came on a channel, as the provider wrote it.
    pub(crate) signatures: Vec<(Channel, Value<'t>)>,
    /// The calls whose names may still grow, in document order.
    growing: Vec<(Value<'t>, Call)>,
    /// The event states its kind.
    pub(crate) is_typed: bool,
    /// The event contains only collected pieces, and is dropped while they are collected.
    pub(crate) only_collected: bool,
}

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
        Schema::Generic => read_generic(&kind, root, state),
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

impl<'t> EventMap<'t> {
    /// Whether a text ends before this event, if it is not excepted.
    pub(crate) fn ends_before(
        &self,
        channel: Channel,
        is_excepted: impl Fn(Except) -> bool,
    ) -> bool {
        let is_in =
            |span: &Span| (span.first..=span.last).contains(&channel) && !is_excepted(span.except);
        let is_here = || self.pieces.iter().any(|piece| piece.channel == channel);
        self.due.iter().any(is_in) || self.ends.iter().any(is_in) && !is_here()
    }

    /// Whether an answer ends with this event, and with it everything that its calls are named.
    pub(crate) fn ends_answer(&self, outer: u32) -> bool {
        self.ended_answers().any(|ended| ended.contains(&outer))
    }

    /// The answers of which that is so.
    pub(crate) fn ended_answers(&self) -> impl Iterator<Item = RangeInclusive<u32>> {
        let spans = self.due.iter().chain(&self.ends);
        let whole = spans.filter(|span| span.is_all_of(span.first.outer));
        whole.map(|span| span.first.outer..=span.last.outer)
    }

    /// Separates the strings that are pieces from the others.
    fn read_pieces(
        &mut self,
        places: Places<'t, '_>,
        root: Value<'t>,
        is_format: bool,
        named: &mut Named,
    ) {
        let signed = &self.reply.signed;
        let is_signed = |text: Value<'_>| {
            signed
                .iter()
                .any(|signed| signed.text.start() == text.start())
        };
        let pieces = &mut self.pieces;
        self.reply.leaves.retain(|leaf| {
            let start = leaf.value.start();
            let Some(string) = places.at(start).filter(|_| is_filled(leaf.value)) else {
                return true;
            };
            if matches!(leaf.form, Form::Base64 | Form::Key) || is_signed(leaf.value) {
                return true;
            }
            pieces.push(Piece {
                channel: string.channel,
                key: string.key,
                unkeyed: string
                    .unkeyed
                    .filter(|unkeyed| !named.is_begun(unkeyed.key)),
                value: leaf.value,
                form: leaf.form,
                is_known: is_format && string.is_in_delta && leaf.form != Form::Text,
                is_in_delta: string.is_in_delta,
                ends: string.is_followed,
                next: None,
                called: None,
            });
            false
        });
        for names in places.names {
            let key = names.key();
            if pieces.iter().any(|piece| piece.key == Some(key)) {
                named.add_text(names);
            }
        }
        self.growing = places.growing;
        self.due.extend(places.due);
        let signed = places
            .signatures
            .iter()
            .map(|(channel, _)| Span::only(*channel));
        self.due.extend(signed);
        self.signatures = places.signatures;
        for element in places.elements {
            if self.pieces.iter().any(|piece| piece.key == Some(element)) {
                named.add_element(element);
            }
        }
        let ends_all = places.enders.is_empty() || !named.names_texts();
        let except = if ends_all {
            Except::None
        } else {
            Except::Others
        };
        named.end_by(root, &places.enders);
        let ended = places.ended.iter();
        self.ends
            .extend(ended.map(|&outer| Span::outer(outer).except(except)));
        let reached = places.reached.iter();
        self.ends
            .extend(reached.map(|(&outer, &stage)| Span::before(outer, stage)));
    }

    /// Ends the pieces whose texts end with the event, or all if it says that it is the last.
    fn end_pieces(&mut self, is_last: bool) {
        if is_last {
            self.ends = vec![Span::ALL];
        }
        self.ends.sort_by_key(|span| span.first);
        for piece in &mut self.pieces {
            let after = self
                .ends
                .partition_point(|span| span.first <= piece.channel);
            let before = self.ends.get(..after).unwrap_or_default();
            // Of one answer two spans at most begin at the same channel.
            let mut near = before.iter().rev().take(2);
            piece.ends |= near.any(|span| piece.channel <= span.last);
        }
    }

    /// Ends the texts that an event brings if it says that they are over, and others that it may be about.
    fn end_others(&mut self, root: Value<'t>, named: &mut Named) {
        named.end(root);
        if words::is_final(root) {
            self.pieces.iter_mut().for_each(|piece| piece.ends = true);
        }
        self.ends.push(Span::ALL.except(Except::OthersAndTokens));
    }

    /// Adds the text that a block begins with: a piece like those that follow.
    fn begin(&mut self, begun: Begun<'t>, outer: u32) {
        let Some((channel, piece)) = text_at(&begun.name, &begun.data, outer) else {
            return;
        };
        let Some(at) = self
            .reply
            .leaves
            .iter()
            .position(|leaf| leaf.value.start() == begun.text.start())
        else {
            return;
        };
        let leaf = self.reply.leaves.remove(at);
        self.pieces.push(Piece {
            channel,
            key: None,
            unkeyed: None,
            value: leaf.value,
            form: leaf.form,
            is_known: true,
            is_in_delta: false,
            ends: false,
            next: Some(Next {
                name: begun.name,
                data: begun.data,
                piece,
            }),
            called: None,
        });
    }
}

/// Reads an event of unknown format.
fn read_generic<'t>(kind: &str, root: Value<'t>, state: &mut EventState) -> Known<'t> {
    let index = number(root, "index").filter(|_| !words::counts_tokens(root));
    let index = index.or_else(|| number(root, "output_index"));
    let is_error = is_set(root.member("error"));
    let is_piece = words::is_piece(root);
    state.marks_pieces |= is_piece;
    let is_whole = is_error || words::is_whole_event(kind) || state.marks_pieces && !is_piece;
    let except = if !is_whole {
        Except::None
    } else if words::begins(kind) {
        state.named.begin(kind, root, names_of(root));
        Except::OthersAndBegunTokens
    } else {
        state.named.end(root);
        if !words::is_result(kind) && !words::is_of_part(kind) {
            Except::Others
        } else if words::is_result(kind) && !words::ends_something(root) {
            Except::OthersAndBegunTokens
        } else {
            Except::OthersAndTokens
        }
    };
    let due = match index {
        _ if is_error => Span::ALL,
        Some(index) => Span::outer(index),
        None => Span::ALL.except(except),
    };
    Known {
        table: &generic::REPLY,
        outer: index.unwrap_or(u32::MAX),
        is_whole,
        due: is_whole.then_some(due),
        begun: None,
    }
}

/// The format of an event: an event in another format than the route's is read in its own.
fn format(schema: Schema, root: Value<'_>) -> Schema {
    let kind = root.member("type").map(Value::text).unwrap_or_default();
    if kind.starts_with("response.") {
        Schema::Responses
    } else if kind.starts_with("content_block_") || kind.starts_with("message_") {
        Schema::MessagesStyle
    } else if kind.is_empty() && root.member("choices").is_some() {
        Schema::ChatStyle
    } else {
        schema
    }
}

fn kind<'t>(format: Schema, name: Option<&'t str>, root: Value<'t>) -> Cow<'t, str> {
    let named = kind_of_name(name);
    let of = |member| root.member(member).filter(|kind| kind.is_string());
    if let Some(kind) = of("type") {
        return kind.text();
    }
    // Some servers name all their events the same, and say in the event or in its result what it is.
    let says_nothing = matches!(named, "" | "data");
    if format == Schema::Generic && says_nothing {
        let of_result = || {
            root.member("result")?
                .member("kind")
                .filter(|kind| kind.is_string())
        };
        let kind = of("event").or_else(|| of("kind")).or_else(of_result);
        let kind = kind.map(Value::text).or_else(|| kind_by_member(root));
        return kind.unwrap_or(Cow::Borrowed(named));
    }
    Cow::Borrowed(named)
}

/// The name of the only member, if that says what the event is: `{"contentBlockStop": {…}}`.
fn kind_by_member(root: Value<'_>) -> Option<Cow<'_, str>> {
    let mut members = root.members();
    let (name, member) = members.next()?;
    let is_kind = member.is_object() && members.next().is_none();
    Some(name.text()).filter(|name| is_kind && words::is_whole_event(name))
}

/// What the name of an event says about its kind. An event without a name is a `message`.
fn kind_of_name(name: Option<&str>) -> &str {
    name.filter(|name| *name != "message").unwrap_or_default()
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
