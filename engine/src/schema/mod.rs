//! The text fields of the wire formats.
//!
//! The rules R1 to R17 that comments refer to are in `docs/formats.md`. Walks go by position and
//! discriminator, never by member name alone.

mod answers;
mod calls;
mod chat;
mod conversation;
pub(crate) mod coverage;
pub(crate) mod encoded;
mod event;
mod generic;
mod history;
mod json_schema;
mod kind;
mod leaves;
mod messages;
mod responses;
mod rule;
mod settings;
mod speakers;
mod token_ids;
pub(crate) mod tool;
mod walk;

use std::borrow::Cow;

use crate::json::{Edit, Value};
pub(crate) use answers::{Answers, given};
pub(crate) use calls::{CallMap, Called, argument_at};
pub use conversation::Conversation;
pub(crate) use conversation::conversation;
pub use coverage::Coverage;
use coverage::Unread;
pub(crate) use event::{
    Channel, EventMap, EventState, Except, GrowingNames, Last, Piece, Relation, Span,
    SyntheticEvent, Unkeyed, ends_texts, event, is_report, is_stamp, name_calls, names_text,
    synthesize, text_channel,
};
pub use history::uploaded_files;
pub(crate) use history::{history, names_history, names_of_reply};
pub use kind::Schema;
pub(crate) use leaves::{RequestLeaf, RequestLeaves};
use rule::{Object, Rule};
pub(crate) use settings::GATEWAY_KEY;
use settings::Settings;
pub(crate) use speakers::{Speaker, Speakers};
pub(crate) use token_ids::holds_token_ids;
use walk::{Parent, Sink, Subtree, any, member_of_settings, walk};

/// A member of a request: its name, its place in the prompt, and how it is read.
type Top = (&'static str, Place, Rule);

/// The place of a text in the prompt: the order in which tokens are numbered (decisions, 2.3), so
/// that a longer history never renumbers earlier text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    #[default]
    Tools,
    Instructions,
    Conversation,
    /// Unknown to the format.
    Unknown,
    Metadata,
}

impl Place {
    const ALL: [Self; 5] = [
        Self::Tools,
        Self::Instructions,
        Self::Conversation,
        Self::Unknown,
        Self::Metadata,
    ];
    const COUNT: usize = Self::ALL.len();
}

/// The kind of a string, for masking and restoring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Text. When the whole of it is a JSON object or array it is walked as one.
    Text,
    /// The arguments of a call: JSON whose numbers keep their type; text if it does not parse.
    Arguments,
    /// The model's answer: JSON if the request asked for JSON, else plain text (R11).
    Answer,
    /// Arguments of a call that are not JSON: streams deliver them in one piece (R10).
    Input,
    /// Text that may arrive in pieces: restored as plain text, even if it looks like JSON.
    Prose,
    /// The same, and a signature may follow (R6).
    Signed,
    /// A file in base64 that is text: read and written within.
    Base64,
    /// A member name, masked when the whole of it is a detected value (R3).
    Key,
    /// A URL or a file's name: sent as it is, but for values that are known from elsewhere (R5).
    Left,
}

/// A signed text: returns to the provider exactly as it wrote it (R6).
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignedText<'t> {
    pub(crate) text: Value<'t>,
    pub(crate) signature: Value<'t>,
}

/// The content of a request.
#[derive(Debug, Default)]
pub(crate) struct RequestMap<'t> {
    pub(crate) leaves: RequestLeaves<'t>,
    /// Their texts are leaves too, for when they are not remembered.
    pub(crate) signed: Vec<SignedText<'t>>,
    /// The property names that tools declare, sorted.
    pub(crate) declared: Vec<Cow<'t, str>>,
    /// The request asked for JSON output (R11).
    pub(crate) json_output: bool,
    /// What is read, and what is left (R8).
    pub(crate) coverage: Coverage,
    /// Replacements of texts that the provider does not get; these texts are not leaves.
    pub(crate) replaced: Vec<Edit>,
    /// How many results of calls were replaced because a rule asks.
    pub(crate) asked: u64,
}

/// A string of a reply that may hold tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplyLeaf<'t> {
    pub(crate) value: Value<'t>,
    pub(crate) form: Form,
}

/// The content of a reply, or of an event that is not a piece of a text.
#[derive(Debug, Default)]
pub(crate) struct ReplyMap<'t> {
    /// In document order.
    pub(crate) leaves: Vec<ReplyLeaf<'t>>,
    pub(crate) signed: Vec<SignedText<'t>>,
    /// Empty unless they were asked for.
    pub(crate) calls: CallMap<'t>,
}

/// The format of a request body: on generic paths, which some providers have for models of several
/// formats, a body that says so is a `messages_style` one.
pub(crate) fn of_body(schema: Schema, root: Value<'_>) -> Schema {
    if schema == Schema::Generic && root.member("anthropic_version").is_some() {
        Schema::MessagesStyle
    } else {
        schema
    }
}

/// Finds the strings of a request that may hold values.
pub(crate) fn request(schema: Schema, root: Value<'_>) -> RequestMap<'_> {
    let mut found = RequestSink::default();
    match table(schema, root) {
        Some(_) if !root.is_object() => any(&mut found, root, None, Subtree::Shapeless),
        Some(table) => {
            let parent = Parent::new(root);
            for (key, member) in root.members() {
                top_member(&mut found, table, &parent, key, member);
            }
        }
        None => {
            found.place = Place::Conversation;
            generic::request(&mut found, root);
        }
    }
    found.drop_declared_keys();
    RequestMap {
        json_output: asks_for_json(schema, root),
        leaves: found.leaves,
        signed: found.signed,
        declared: found.declared,
        coverage: found.coverage,
        ..RequestMap::default()
    }
}

/// The members of a request; none when its format is not known.
fn table(schema: Schema, root: Value<'_>) -> Option<&'static [Top]> {
    match schema {
        Schema::ChatStyle => Some(chat::REQUEST),
        Schema::MessagesStyle => Some(messages::REQUEST),
        Schema::Responses => Some(responses::REQUEST),
        // Vertex and Bedrock accept messages at other paths.
        Schema::Generic => {
            let is_messages = ["anthropic_version", "messages"]
                .iter()
                .all(|name| root.member(name).is_some());
            is_messages.then_some(messages::REQUEST)
        }
    }
}

/// Reads a member at the top of a body.
fn top_member<'t>(
    found: &mut RequestSink<'t>,
    table: &[Top],
    parent: &Parent<'t>,
    key: Value<'t>,
    member: Value<'t>,
) {
    let name = key.text();
    // Some servers don't mind the case of names.
    let known = table
        .iter()
        .find(|(known, ..)| known.eq_ignore_ascii_case(&name));
    if let Some((_, place, rule)) = known {
        found.place = *place;
        return walk(found, rule, member, None);
    }
    found.place = Place::Unknown;
    let settings = Settings::new(settings::REQUEST);
    member_of_settings(found, settings, parent, key, member);
}

/// Whether the model's text is to be JSON (R11).
fn asks_for_json(schema: Schema, root: Value<'_>) -> bool {
    let path: &[&[&str]] = match schema {
        Schema::ChatStyle => &[&["response_format", "type"]],
        Schema::MessagesStyle => &[
            &["output_config", "format", "type"],
            &["output_format", "type"],
        ],
        Schema::Responses => &[&["text", "format", "type"]],
        Schema::Generic => return generic::asks_for_json(root),
    };
    path.iter()
        .filter_map(|path| path.iter().try_fold(root, |value, name| value.member(name)))
        .any(|format| format.is_text("json_schema") || format.is_text("json_object"))
}

#[derive(Default)]
struct RequestSink<'t> {
    leaves: RequestLeaves<'t>,
    signed: Vec<SignedText<'t>>,
    declared: Vec<Cow<'t, str>>,
    place: Place,
    has_keys: bool,
    coverage: Coverage,
}

impl<'t> Sink<'t> for RequestSink<'t> {
    const READS_ALL: bool = false;

    fn leaf(&mut self, value: Value<'t>, name: Option<Value<'t>>, form: Form) {
        self.has_keys |= form == Form::Key;
        self.coverage.texts += u64::from(form != Form::Key);
        let form = match form {
            Form::Answer | Form::Prose | Form::Signed | Form::Input => Form::Text,
            form => form,
        };
        self.leaves.push(self.place, value, name, form);
    }

    fn left(&mut self, value: Value<'t>) {
        if value.is_string() && may_hold_values(&value.text()) {
            self.leaves.push(self.place, value, None, Form::Left);
        }
    }

    fn signed(&mut self, text: Value<'t>, signature: Value<'t>) {
        self.signed.push(SignedText { text, signature });
    }

    fn unread(&mut self, what: Unread) {
        self.coverage.leave(what);
    }

    fn declared(&mut self, name: Value<'t>) {
        self.declared.push(name.text());
    }
}

/// Whether a string that is left is more than an id, a word or a name of the format. A reply brings values into such strings,
/// and the next request sends them back.
fn may_hold_values(text: &str) -> bool {
    text.contains("://")
        || text.contains(|letter: char| matches!(letter, '@' | '%' | '.') || letter.is_whitespace())
}

impl RequestSink<'_> {
    /// A name that a tool's schema declares is nobody's data, and the tool needs it unchanged.
    fn drop_declared_keys(&mut self) {
        self.declared.sort_unstable();
        self.declared.dedup();
        if !self.has_keys {
            return;
        }
        self.leaves.drop_keys(&self.declared);
    }
}

/// Finds the strings of a reply that may hold tokens, whatever its shape.
pub(crate) fn reply(schema: Schema, root: Value<'_>) -> ReplyMap<'_> {
    let mut found = ReplyMap::default();
    walk(
        &mut found,
        &Rule::Object(reply_table(schema, root)),
        root,
        None,
    );
    found
}

/// A reply in another format than the route's is read in its own.
fn reply_table(schema: Schema, root: Value<'_>) -> &'static Object {
    let known = ["choices", "type", "object", "output", "content"];
    let [choices, kind, object, output, content] = root.members_named(known);
    let is = |value: Option<Value<'_>>, kind: &str| value.is_some_and(|value| value.is_text(kind));
    match schema {
        _ if choices.is_some() => &chat::REPLY,
        Schema::Generic if is(kind, "message") => &messages::REPLY,
        Schema::Generic if is(object, "response") => &responses::REPLY,
        Schema::Generic => &generic::REPLY,
        _ if output.is_some() => &responses::REPLY,
        _ if content.is_some() => &messages::REPLY,
        Schema::ChatStyle => &chat::REPLY,
        Schema::MessagesStyle => &messages::REPLY,
        Schema::Responses => &responses::REPLY,
    }
}

impl<'t> Sink<'t> for ReplyMap<'t> {
    const READS_ALL: bool = true;

    fn leaf(&mut self, value: Value<'t>, _name: Option<Value<'t>>, form: Form) {
        self.leaves.push(ReplyLeaf { value, form });
    }

    fn signed(&mut self, text: Value<'t>, signature: Value<'t>) {
        self.signed.push(SignedText { text, signature });
    }

    fn left(&mut self, _value: Value<'t>) {}

    fn unread(&mut self, _what: Unread) {}

    fn declared(&mut self, _name: Value<'t>) {}
}

#[cfg(test)]
mod tests;
