//! Which history a request leans on, and what a reply can be named by later.
//!
//! One place for all formats: the names say by themselves what they are, and a gateway may serve any
//! of them under any route.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::HashSet;

use crate::Schema;
use crate::history::{
    History, HistoryName, is_of_place, is_of_turn, may_be_id, says_which, shared,
};
use crate::json::{Kind, Value, held_json};

/// Reads which history that the provider holds a request leans on.
pub(crate) fn history(schema: Schema, root: Value<'_>) -> History {
    let mut names = Vec::new();
    ids_of_request(root, &mut names);
    sealed(root, Sealing::Request, &mut names);
    names.extend(holders(root).flat_map(places));
    for holder in objects_of(root) {
        places_in_texts(holder, TEXTS_IN_TEXTS, &mut names);
    }
    let is_assumed = names.is_empty();
    names.extend(root.members().filter_map(|(key, id)| unknown_id(key, id)));
    let store = root.member("store").map(Value::raw);
    let can_be_named = match schema {
        Schema::Responses => true,
        Schema::ChatStyle => store == Some("true"),
        _ => false,
    };
    let can_be_named = can_be_named || root.member("thread").is_some();
    let mut history = History::new(names, can_be_named && store != Some("false"));
    history.is_assumed = is_assumed;
    history.refer(holders(root).flat_map(references));
    history
}

/// The request, and the objects in which formats name what they use: settings, and tools.
fn holders(root: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let tools = root.member("tools").into_iter().flat_map(Value::elements);
    let tools = tools.filter(|tool| tool.is_object());
    objects_of(root).chain(tools.flat_map(and_members))
}

/// The request and its settings.
fn objects_of(root: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let below = root
        .members()
        .filter(|(key, _)| !key.is_text(STATISTICS))
        .map(|(_, member)| member)
        .filter(|value| value.is_object());
    std::iter::once(root).chain(below.flat_map(and_members))
}

fn and_members(object: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    std::iter::once(object).chain(object.members().map(|(_, member)| member))
}

/// How deep JSON in strings is read.
const TEXTS_IN_TEXTS: usize = 4;

/// The conversations that are named in JSON which stands in a string: `"metadata": "{\"session_id\": \"S\"}"`.
fn places_in_texts(object: Value<'_>, levels: usize, names: &mut Vec<HistoryName>) {
    let strings = object.members().filter(|(key, value)| {
        value.is_string() && value.raw_content().contains('{') && !PROMPTS.contains(&&*key.text())
    });
    for (_, string) in strings {
        let text = string.text();
        let Some(tape) = held_json(&text) else {
            continue;
        };
        for held in tape.root(&text).objects() {
            names.extend(places(held));
            if levels > 1 {
                places_in_texts(held, levels - 1, names);
            }
        }
    }
}

/// Members whose text is for the model, and those in which agents name their session, of which they show all.
const PROMPTS: [&str; 13] = [
    "content",
    "input",
    "instructions",
    "message",
    "prompt",
    "query",
    "question",
    "suffix",
    "system",
    "text",
    "tool_choice",
    "user",
    "user_id",
];

/// Where Codex names its session, of which it shows all.
const STATISTICS: &str = "client_metadata";

/// The conversations that an object names.
fn places(object: Value<'_>) -> impl Iterator<Item = HistoryName> {
    let named = object.members().filter(|(key, _)| is_of_place(&key.text()));
    let ids = named.flat_map(|(_, value)| std::iter::once(value).chain(value.elements()));
    let ids = ids.flat_map(|value| std::iter::once(value).chain(own_ids(value)));
    let ids = ids.filter_map(given).filter(|id| may_be_id(id));
    ids.map(|id| HistoryName::place(&id))
}

/// What an object says it is.
fn own_ids(object: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let own = object.members().filter(|(key, _)| says_which(&key.text()));
    own.map(|(_, id)| id)
}

/// What an object names that many requests share.
fn references(object: Value<'_>) -> impl Iterator<Item = HistoryName> {
    object.members().filter_map(|(key, value)| {
        let key = key.text();
        let name = shared::named_by(&key)?;
        let says_which = match value.kind() {
            Kind::Object => value.member("id").and_then(given).is_some(),
            Kind::Array => value.elements().next().is_some(),
            _ => key != shared::PROMPT && given(value).is_some(),
        };
        says_which.then_some(name)
    })
}

/// What a member that no format knows names by its id: nobody knows what else the provider keeps.
fn unknown_id(key: Value<'_>, id: Value<'_>) -> Option<HistoryName> {
    let key = key.text();
    if KNOWN_IDS.contains(&&*key) || !is_of_turn(&key) {
        return None;
    }
    given(id).map(|id| HistoryName::turn(&id))
}

/// Ids that are read in every format.
const KNOWN_IDS: [&str; 2] = ["previous_response_id", "previous_interaction_id"];

fn ids_of_request(root: Value<'_>, names: &mut Vec<HistoryName>) {
    for (key, value) in root.members() {
        match &*key.text() {
            "previous_response_id"
            | "previous_interaction_id"
            | "cachedContent"
            | "cached_content" => names.extend(given(value).map(|id| HistoryName::turn(&id))),
            "conversation" | "container" => names.extend(place(value)),
            "thread" => {
                names.extend(place(value));
                names.extend(named(value.member("previous_message_id")));
            }
            "input" => {
                names.extend(value.elements().filter_map(referred_item));
                names.extend(answered_elsewhere(value));
            }
            "messages" => {
                names.extend(value.elements().filter_map(said_aloud));
                names.extend(value.elements().filter_map(bare));
                names.extend(answered_elsewhere(value));
            }
            _ => {}
        }
    }
    names.extend(root.objects().filter_map(container));
}

/// An item that the provider looks up by its id: a reference, or reasoning that it kept to itself.
fn referred_item(item: Value<'_>) -> Option<HistoryName> {
    let kind = kind_of(item);
    let has_text = |name| {
        item.member(name)
            .is_some_and(|value| value.raw() != "null" && value.raw() != "[]")
    };
    let is_referred = match &*kind {
        "item_reference" => true,
        "reasoning" => !has_text("encrypted_content") && !has_text("content"),
        "image_generation_call" => !has_text("result"),
        "" => item.member("role").is_none(),
        _ => false,
    };
    if !is_referred {
        return bare(item);
    }
    named(item.member("id"))
}

/// An item or message that says nothing but which one it is: whoever answers it looks it up.
fn bare(item: Value<'_>) -> Option<HistoryName> {
    let id = named(item.member("id"))?;
    is_bare(item).then_some(id)
}

fn is_bare(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Object => value
            .members()
            .all(|(key, value)| STRUCTURE.contains(&&*key.text()) || is_bare(value)),
        Kind::Array => value.elements().all(is_bare),
        _ => matches!(value.raw(), "null" | "\"\""),
    }
}

/// What tells the kind and the place of an item, and nothing of its content.
const STRUCTURE: [&str; 9] = [
    "call_id",
    "created_at",
    "id",
    "index",
    "object",
    "phase",
    "role",
    "status",
    "type",
];

/// The calls and questions that a list's items answer and that stand in none of them.
fn answered_elsewhere(list: Value<'_>) -> Vec<HistoryName> {
    let answers: Vec<_> = list.elements().flat_map(answered).collect();
    if answers.is_empty() {
        return Vec::new();
    }
    let asked: HashSet<_> = list.elements().flat_map(asked).map(Value::text).collect();
    let elsewhere = answers.into_iter().map(Value::text);
    let elsewhere = elsewhere.filter(|id| !id.is_empty() && !asked.contains(id));
    elsewhere.map(|id| HistoryName::turn(&id)).collect()
}

/// The ids of the calls and questions that an item answers.
fn answered(item: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let of_item = match &*kind_of(item) {
        "mcp_approval_response" => item.member("approval_request_id"),
        kind if is_output(kind) => item.member("call_id"),
        _ => item.member("tool_call_id"),
    };
    let of_parts = parts(item).filter_map(|part| part.member("tool_use_id"));
    of_item.into_iter().chain(of_parts)
}

/// The ids of an item, and of the calls in it.
fn asked(item: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let call = item
        .member("call_id")
        .filter(|_| !is_output(&kind_of(item)));
    let calls = item.member("tool_calls").into_iter();
    let calls = calls.flat_map(Value::elements).chain(parts(item));
    let ids = std::iter::once(item).chain(calls);
    ids.filter_map(|object| object.member("id")).chain(call)
}

fn parts(item: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let content = item.member("content").into_iter();
    content.flat_map(Value::elements)
}

fn is_output(kind: &str) -> bool {
    kind.ends_with("_output")
}

fn kind_of(item: Value<'_>) -> Cow<'_, str> {
    item.member("type").map(Value::text).unwrap_or_default()
}

fn named(id: Option<Value<'_>>) -> Option<HistoryName> {
    id.and_then(given).map(|id| HistoryName::turn(&id))
}

/// The audio of a message, which the provider keeps with its words.
fn said_aloud(message: Value<'_>) -> Option<HistoryName> {
    named(message.member("audio")?.member("id"))
}

/// The container of a tool, or of a call of it.
fn container(object: Value<'_>) -> Option<HistoryName> {
    let kind = object.member("type")?;
    let is = |name| kind.is_text(name);
    let named = if is("code_interpreter") {
        object.member("container")
    } else if is("code_interpreter_call") || is("container_reference") {
        object.member("container_id")
    } else {
        None
    };
    named.and_then(place)
}

/// A place by its id, alone or in an object.
fn place(value: Value<'_>) -> Option<HistoryName> {
    let id = given(value).or_else(|| value.member("id").and_then(given))?;
    Some(HistoryName::place(&id))
}

/// An id or sealed content, where there is one: some providers count their conversations.
fn given(value: Value<'_>) -> Option<Cow<'_, str>> {
    let raw = value.raw();
    let is_number = raw.starts_with(|c: char| c.is_ascii_digit());
    let text = if is_number {
        Cow::Borrowed(raw)
    } else {
        value.text()
    };
    (!text.is_empty()).then_some(text)
}

/// Adds what a reply, or an event of one, can be named by in a later request. `kept` says whether
/// the provider keeps it.
pub(crate) fn names_of_reply(root: Value<'_>, kept: bool, names: &mut Vec<HistoryName>) {
    let parts = ["response", "message", "interaction", "delta"];
    let parts = parts.iter().filter_map(|name| root.member(name));
    for part in std::iter::once(root).chain(parts) {
        ids_of_reply(part, kept, names);
    }
    names.extend(root.objects().filter_map(container));
    names.extend(root.objects().filter_map(said_aloud));
    sealed(root, Sealing::Reply, names);
}

fn ids_of_reply(part: Value<'_>, kept: bool, names: &mut Vec<HistoryName>) {
    let kind = part.member("object").map(Value::text).unwrap_or_default();
    for (key, value) in part.members() {
        match &*key.text() {
            "id" if matches!(&*kind, "conversation" | "thread") => names.extend(place(value)),
            "id" if kept || kind == "interaction" => {
                names.extend(given(value).map(|id| HistoryName::turn(&id)));
            }
            "conversation" | "container" => names.extend(place(value)),
            key if is_of_place(key) => names.extend(place(value)),
            "output" if kept => names.extend(value.elements().flat_map(names_of_item)),
            "item" if kept => names.extend(names_of_item(value)),
            _ => {}
        }
    }
}

/// An item by its id, and by that under which its call is answered.
fn names_of_item(item: Value<'_>) -> impl Iterator<Item = HistoryName> {
    let ids = ["id", "call_id"].into_iter();
    ids.filter_map(move |id| named(item.member(id)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sealing {
    Request,
    Reply,
}

/// Adds the content that only the provider can read, wherever it stands.
fn sealed(root: Value<'_>, of: Sealing, names: &mut Vec<HistoryName>) {
    for object in root.objects() {
        // Looked up once an object, however many members ask.
        let kind = LazyCell::new(|| object.member("type").map(Value::text).unwrap_or_default());
        let is_omitted = LazyCell::new(|| *kind == "thinking" && shows_no_thinking(object));
        let content = object
            .members()
            .filter_map(|(key, value)| match &*key.text() {
                // A page of others, which holds no token.
                "encrypted_content" => (*kind != "web_search_result").then_some(value),
                "thoughtSignature" | "thought_signature" | "encrypted_stdout"
                | "redactedContent" | "reasoning_opaque" => Some(value),
                "data" => is_sealed_reasoning(&kind).then_some(value),
                // Beside a text it signs the text, which the request shows.
                "signature" if of == Sealing::Reply => Some(value),
                "signature" => is_omitted.then_some(value),
                _ => None,
            });
        names.extend(
            content
                .filter_map(given)
                .map(|text| HistoryName::sealed(&text)),
        );
    }
    // Ollama's: the tokens of the conversation, which clients write with spaces or without.
    let context = root.member("context").filter(|context| context.is_array());
    let context = context.map(|context| context.raw().split_ascii_whitespace().collect::<String>());
    let context = context.filter(|numbers| numbers != "[]");
    names.extend(context.map(|numbers| HistoryName::sealed(&numbers)));
}

fn is_sealed_reasoning(kind: &str) -> bool {
    kind == "redacted_thinking" || kind.starts_with("reasoning.")
}

fn shows_no_thinking(object: Value<'_>) -> bool {
    let text = object.member("thinking");
    text.is_none_or(|text| text.kind() != Kind::String || text.raw() == "\"\"")
}
