//! Where text lives in the three wire formats.
//!
//! Follows the formats' own reference; the rules R1 to R15 that comments name are in
//! `docs/formats.md`. Walks are by position and discriminator, never by member name alone.

use crate::json::Value;

/// Where in the prompt a text stands: the order in which tokens are numbered (decisions, 2.3), so
/// that a longer history never renumbers what came before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Tools,
    Instructions,
    Conversation,
    Metadata,
}

/// What a string is, for masking and restoring alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Text. When the whole of it is a JSON object or array it is walked as one.
    Text,
    /// The arguments of a call: JSON whose numbers keep their type; text when it does not parse.
    Arguments,
    /// The model's answer: JSON if the request asked for JSON, else plain text (R11).
    Answer,
    /// A member name, masked when the whole of it is a detected value (R3).
    Key,
}

/// A string of a request that may hold values.
#[derive(Debug, Clone)]
pub(crate) struct RequestLeaf<'t> {
    pub(crate) value: Value<'t>,
    /// The string that names it: its member name, the flag before it, the `name` beside a `value`.
    pub(crate) name: Option<Value<'t>>,
    pub(crate) form: Form,
    pub(crate) place: Place,
}

/// A signed text: returns to the provider exactly as it wrote it (R6).
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignedText<'t> {
    pub(crate) text: Value<'t>,
    pub(crate) signature: Value<'t>,
}

/// What a request holds.
#[derive(Debug, Default)]
pub(crate) struct RequestMap<'t> {
    /// In document order; sort by `place` (stable) for prompt order.
    pub(crate) leaves: Vec<RequestLeaf<'t>>,
    /// Their texts are leaves too, for when they are not remembered.
    pub(crate) signed: Vec<SignedText<'t>>,
    /// The request asked for JSON output (R11).
    pub(crate) json_output: bool,
    /// The request leans on history that the provider holds (decisions, 3.4).
    pub(crate) history_at_provider: bool,
}

/// A string of a reply that may hold tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplyLeaf<'t> {
    pub(crate) value: Value<'t>,
    pub(crate) form: Form,
}

/// What a reply, or an event that is no piece of a text, holds.
#[derive(Debug, Default)]
pub(crate) struct ReplyMap<'t> {
    /// In document order.
    pub(crate) leaves: Vec<ReplyLeaf<'t>>,
    pub(crate) signed: Vec<SignedText<'t>>,
}

pub(crate) fn request(_: crate::Schema, root: Value<'_>) -> RequestMap<'_> {
    let _ = root;
    RequestMap::default()
}

pub(crate) fn reply(_: crate::Schema, root: Value<'_>) -> ReplyMap<'_> {
    let _ = root;
    ReplyMap::default()
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Channel {}
impl Channel {
    pub(crate) fn may_be_signed(self) -> bool {
        false
    }
}
#[derive(Debug, Clone, Copy)]
pub(crate) enum Flow {
    HoldBack(Form),
    Collect(Form),
}
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'t> {
    pub(crate) channel: Channel,
    pub(crate) value: Value<'t>,
    pub(crate) flow: Flow,
}
#[derive(Debug, Clone, Copy)]
pub(crate) enum Flush {
    All,
    Channel(Channel),
}
impl Flush {
    pub(crate) fn covers(&self, c: Channel) -> bool {
        match self {
            Flush::All => true,
            Flush::Channel(d) => *d == c,
        }
    }
}
#[derive(Debug, Default)]
pub(crate) struct EventMap<'t> {
    pub(crate) flush_before: Vec<Flush>,
    pub(crate) pieces: Vec<Piece<'t>>,
    pub(crate) ends: Vec<Flush>,
    pub(crate) reply: ReplyMap<'t>,
    pub(crate) signature: Option<(Channel, Value<'t>)>,
    pub(crate) only_collected: bool,
}
#[derive(Debug, Default)]
pub(crate) struct EventState {}
#[derive(Debug, Default)]
pub(crate) struct Envelope {}
pub(crate) fn event<'t>(
    _: crate::Schema,
    _: Option<&str>,
    _: Value<'t>,
    _: &mut EventState,
) -> EventMap<'t> {
    EventMap::default()
}
pub(crate) fn envelope(_: crate::Schema, _: Option<&str>, _: Value<'_>) -> Envelope {
    Envelope {}
}
pub(crate) fn synthesize(_: Channel, _: &Envelope, _: &str) -> String {
    String::new()
}
