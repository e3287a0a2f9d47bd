//! The events of the three formats' streams: which strings are pieces of a longer text, and where
//! such a text ends (R9, R10).
//!
//! This is knowledge only. Holding back, collecting and restoring is done by who asks.

mod chat;
mod envelope;
mod messages;
mod place;
mod progress;
mod responses;
mod skeleton;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::generic;
use super::rule::Rule;
use super::walk::walk;
use super::{Form, ReplyMap};
use crate::Schema;
use crate::json::Value;

use place::Places;

pub(crate) use envelope::{Last, Made, synthesize};

/// What joins the pieces of one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Channel {
    /// The choice, block or output item.
    pub(crate) outer: u32,
    pub(crate) kind: ChannelKind,
    /// What is counted inside of it: the tool call, content part, summary or command.
    pub(crate) inner: u32,
}

/// What a text is, in the order in which texts that end together are delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ChannelKind {
    ChatReasoning,
    ChatReasoningContent,
    ChatReasoningDetail,
    ChatReasoningSummary,
    ChatThinking,
    ChatContent,
    ChatRefusal,
    ChatTranscript,
    ChatArguments,
    ChatInput,
    ChatFunctionCall,
    /// The text of a choice that has no delta, as older servers send it.
    ChatText,
    MessageThinking,
    MessageText,
    MessageInput,
    ReasoningSummary,
    ReasoningText,
    OutputText,
    Refusal,
    Transcript,
    ShellStdout,
    ShellStderr,
    FunctionArguments,
    McpArguments,
    CustomInput,
    Code,
    ShellCommand,
    /// A text that is known by its place alone.
    Place(u64),
}

impl Channel {
    const FIRST: Self = Self::new(ChannelKind::ChatReasoning, 0, 0);
    const LAST: Self = Self::new(ChannelKind::Place(u64::MAX), u32::MAX, u32::MAX);

    /// Whether it is known by its place alone, so that what stands there may also be whole texts.
    pub(crate) const fn is_place(self) -> bool {
        matches!(self.kind, ChannelKind::Place(_))
    }

    const fn new(kind: ChannelKind, outer: u32, inner: u32) -> Self {
        Self { outer, kind, inner }
    }

    /// Whether a signature of its whole text may follow.
    pub(crate) const fn may_be_signed(self) -> bool {
        matches!(
            self.kind,
            ChannelKind::MessageThinking
                | ChannelKind::ChatThinking
                | ChannelKind::ChatReasoningDetail
        )
    }
}

/// How a piece is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// At once, but for a tail that may yet become a token.
    HoldBack(Form),
    /// With all the others of its channel, when that ends.
    Collect(Form),
}

/// A string that is a part of a longer text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'t> {
    pub(crate) channel: Channel,
    pub(crate) value: Value<'t>,
    pub(crate) flow: Flow,
}

/// Channels that are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Flush {
    All,
    /// All of one choice, block or item.
    Outer(u32),
    /// Those of some kinds in one choice, block or item.
    Kinds(u32, &'static [ChannelKind]),
    Channel(Channel),
    /// A channel, unless its end may still become a token: it may go on.
    Settled(Channel),
}

impl Flush {
    /// Whether one of some covers a channel.
    pub(crate) fn any_covers(due: &BTreeSet<Self>, channel: Channel) -> bool {
        let Channel { outer, kind, .. } = channel;
        let whole = [Self::All, Self::Outer(outer), Self::Channel(channel)];
        let mut of_kinds = due.range(Self::Kinds(outer, &[])..Self::Channel(Channel::FIRST));
        whole.iter().any(|flush| due.contains(flush))
            || of_kinds.any(|flush| {
                matches!(flush, Self::Kinds(other, kinds) if *other == outer && kinds.contains(&kind))
            })
    }

    /// The channels among which those are that it covers, in order.
    pub(crate) fn range(self) -> RangeInclusive<Channel> {
        match self {
            Self::All => Channel::FIRST..=Channel::LAST,
            Self::Outer(outer) => {
                Channel {
                    outer,
                    ..Channel::FIRST
                }..=Channel {
                    outer,
                    ..Channel::LAST
                }
            }
            Self::Kinds(outer, kinds) => {
                let last = kinds.iter().copied().max().unwrap_or(Channel::FIRST.kind);
                let kind = last;
                Channel {
                    outer,
                    ..Channel::FIRST
                }..=Channel {
                    outer,
                    kind,
                    ..Channel::LAST
                }
            }
            Self::Channel(channel) | Self::Settled(channel) => channel..=channel,
        }
    }
}

/// What an event holds.
#[derive(Debug, Default)]
pub(crate) struct EventMap<'t> {
    /// What these channels hold goes out, in events of their own, before this event.
    pub(crate) flush_before: BTreeSet<Flush>,
    /// In document order.
    pub(crate) pieces: Vec<Piece<'t>>,
    /// Channels that end with this event. A piece of them in this event takes what is held with it;
    /// what has no piece here goes out before.
    pub(crate) ends: BTreeSet<Flush>,
    /// Every other string.
    pub(crate) reply: ReplyMap<'t>,
    /// Signs all that came on the channel, as the provider wrote it.
    pub(crate) signature: Option<(Channel, Value<'t>)>,
    /// The event carries nothing but collected pieces: while they are collected it is dropped.
    pub(crate) only_collected: bool,
}

impl<'t> EventMap<'t> {
    /// Adds a piece. An empty or missing string is none.
    fn piece(&mut self, channel: Channel, value: Option<Value<'t>>, flow: Flow) {
        if let Some(value) = value.filter(|&value| says_something(value)) {
            self.pieces.push(Piece {
                channel,
                value,
                flow,
            });
        }
    }

    /// Reads every string that is no piece yet: as a piece of the text at its place, where that may stream, else as
    /// part of a reply.
    fn read_rest(&mut self, rule: &Rule, root: Value<'t>, places: Option<&Places<'t>>) {
        walk(&mut self.reply, rule, root, None);
        if let Some(places) = places {
            self.read_places(places);
        }
        let pieces = self.piece_starts();
        let is_piece = |value: Value<'_>| pieces.contains(&value.start());
        self.reply.leaves.retain(|leaf| !is_piece(leaf.value));
        self.reply.signed.retain(|signed| !is_piece(signed.text));
    }

    fn piece_starts(&self) -> BTreeSet<usize> {
        let starts = self.pieces.iter().map(|piece| piece.value.start());
        starts.collect()
    }

    fn read_places(&mut self, places: &Places<'t>) {
        let known = self.piece_starts();
        for leaf in &self.reply.leaves {
            let start = leaf.value.start();
            let Some(string) = places.at(start).filter(|_| !known.contains(&start)) else {
                continue;
            };
            if says_something(leaf.value) && leaf.form != Form::Base64 {
                self.pieces.push(Piece {
                    channel: Channel::new(ChannelKind::Place(string.place), string.outer, 0),
                    value: leaf.value,
                    flow: Flow::HoldBack(leaf.form),
                });
            }
        }
        self.ends
            .extend(places.ended.iter().copied().map(Flush::Outer));
    }
}

/// What must be known of the events before.
#[derive(Debug, Default)]
pub(crate) struct EventState {
    chat: chat::State,
    /// The number of the latest event of a `responses` stream.
    latest: u64,
    /// Whether that event went out already.
    is_delivered: bool,
}

impl EventState {
    /// Passes over an event that needs no reading but for its number.
    pub(crate) fn pass_over(&mut self, number: Option<u64>) {
        self.latest = number.unwrap_or(self.latest);
        self.is_delivered = true;
    }

    /// Tells that what is synthesized from now on follows the latest event.
    pub(crate) fn delivered(&mut self) {
        self.is_delivered = true;
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

/// Reads an event. `name` is that of its `event` field.
pub(crate) fn event<'t>(
    schema: Schema,
    name: Option<&str>,
    root: Value<'t>,
    state: &mut EventState,
) -> EventMap<'t> {
    match format(schema, root) {
        Schema::ChatStyle => chat::read(root, &mut state.chat),
        Schema::MessagesStyle => messages::read(name, root),
        Schema::Responses => {
            state.latest = number(root, "sequence_number").unwrap_or(state.latest);
            state.is_delivered = false;
            responses::read(name, root)
        }
        Schema::Generic => read_generic(name, root),
    }
}

/// The channel of the events of a name of which the data is no JSON.
pub(crate) fn text_channel(name: Option<&str>) -> Channel {
    let place = place::of_text(name.unwrap_or_default());
    Channel::new(ChannelKind::Place(place), u32::MAX, 0)
}

/// Reads an event of which nothing is known.
fn read_generic<'t>(name: Option<&str>, root: Value<'t>) -> EventMap<'t> {
    let mut map = EventMap::default();
    let kind = messages::kind(name, root);
    let index = number(root, "index").or_else(|| number(root, "output_index"));
    let is_whole = is_set(root.member("error")) || place::is_whole_event(&kind);
    if is_whole {
        map.flush_before
            .insert(index.map_or(Flush::All, Flush::Outer));
    }
    let places = Places::of(root, &kind, index.unwrap_or(u32::MAX));
    let rule = Rule::Object(&generic::REPLY);
    map.read_rest(&rule, root, (!is_whole).then_some(&places));
    if root.member("done").is_some_and(|done| done.raw() == "true") {
        map.ends.insert(Flush::All);
    }
    map
}

/// The format of an event: an event in another format than the route's is read as what it is.
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

fn says_something(value: Value<'_>) -> bool {
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
