//! Finds the history that a request refers to, and the ids by which a later request can refer to a
//! reply.
//!
//! One place for all formats, because the names are unambiguous, and a gateway may serve any of
//! them on any route.

mod contents;
mod items;
mod remote;

use std::borrow::Cow;

use crate::Schema;
use crate::history::{
    History, HistoryKind, HistoryName, belongs_to_place, belongs_to_turn, identifies, is_id,
    is_of_later_turn, is_of_place, is_of_turn, is_single_word, may_be_id, may_be_of_turn, may_name,
    shared,
};
use crate::json::{Kind, Value, held_json};
use contents::{CONTENT_NAMES, Sealing, add_contents, files};

/// Finds the provider's history that a request refers to.
pub(crate) fn history(schema: Schema, root: Value<'_>) -> History {
    let (mut names, mut shown) = (Vec::new(), Vec::new());
    ids_of_request(root, &mut names);
    add_contents(root, Sealing::Request, &mut names, &mut shown);
    let settings = settings(root);
    let labels = root.member("metadata");
    let labels = labels.map_or(0..0, |labels| labels.start()..labels.end());
    let mut objects = Named::default();
    for object in &settings {
        objects.add(*object, !labels.contains(&object.start()));
        places_in_texts(*object, TEXTS_IN_TEXTS, &mut names);
    }
    let listed = listed(&settings);
    for object in &listed {
        objects.add(*object, !labels.contains(&object.start()));
    }
    for object in tools(root).chain(messages(root)) {
        objects.add(object, false);
    }
    names.append(&mut objects.places);
    let is_assumed = names.iter().all(|name| name.kind() == HistoryKind::File);
    names.append(&mut objects.turns);
    names.extend(called_for(root));
    names.extend(unknown_ids(root));
    let [store, thread, deferred] = root.members_named(["store", "thread", "deferred"]);
    let store = store.map(Value::raw);
    let can_be_named = match schema {
        Schema::Responses => true,
        Schema::ChatStyle => store == Some("true"),
        _ => false,
    };
    let is_deferred = || deferred.is_some_and(|value| value.raw() == "true");
    let can_be_named = can_be_named || thread.is_some() || is_deferred();
    let mut history = History::new(names, can_be_named && store != Some("false"));
    history.is_assumed = is_assumed;
    history.show(shown);
    // Nobody knows what the elements of a list mean.
    history.may_hide = !root.is_object()
        || references(root).any(shared::remembers)
        || settings
            .iter()
            .chain(&listed)
            .any(|object| remote::is_used_by(*object));
    history.refer(settings.into_iter().chain(tools(root)).flat_map(references));
    history
}

/// What a call of JSON-RPC asks for: the task of `{"method": "tasks/get", "params": {"id": "T"}}` (A2A).
fn called_for(root: Value<'_>) -> Option<HistoryName> {
    root.member("jsonrpc")?;
    let id = root.member("params")?.member("id").and_then(given)?;
    Some(HistoryName::turn(&id))
}

/// The request and its settings, however deep.
fn settings(root: Value<'_>) -> Vec<Value<'_>> {
    let mut objects = match root.kind() {
        Kind::Array => root.elements().filter(|value| value.is_object()).collect(),
        _ => vec![root],
    };
    add_settings(&mut objects);
    objects
}

/// Adds the objects within objects.
fn add_settings(objects: &mut Vec<Value<'_>>) {
    let mut read = 0;
    while let Some(object) = objects.get(read).copied() {
        let below = object.members().filter(|(key, value)| {
            value.is_object() && !is_one_of(*key, &NO_SETTINGS) && !is_of_tool(object, *key)
        });
        objects.extend(below.map(|(_, value)| value));
        read += 1;
    }
}

/// The objects in lists of settings.
fn listed<'t>(settings: &[Value<'t>]) -> Vec<Value<'t>> {
    let (mut objects, mut lists) = (Vec::new(), Vec::new());
    for object in settings {
        add_lists(*object, &mut lists);
    }
    let mut read = 0;
    while let Some(list) = lists.get(read).copied() {
        let mut below = Vec::new();
        for element in list.elements() {
            match element.kind() {
                Kind::Object => below.push(element),
                Kind::Array => lists.push(element),
                _ => {}
            }
        }
        add_settings(&mut below);
        for object in &below {
            add_lists(*object, &mut lists);
        }
        objects.append(&mut below);
        read += 1;
    }
    objects
}

fn add_lists<'t>(object: Value<'t>, lists: &mut Vec<Value<'t>>) {
    let members = object.members().filter(|(key, value)| {
        value.is_array()
            && ![&MESSAGES[..], &CONTENTS, &NO_SETTINGS]
                .iter()
                .any(|names| is_one_of(*key, names))
    });
    lists.extend(members.map(|(_, list)| list));
}

fn is_one_of(key: Value<'_>, names: &[&str]) -> bool {
    names.iter().any(|name| key.is_text(name))
}

/// Whether a member is the schema of a tool, or what a call of it is given.
fn is_of_tool(object: Value<'_>, key: Value<'_>) -> bool {
    key.is_text("parameters") && object.member("name").is_some()
}

/// Lists that grow with the history.
const MESSAGES: [&str; 3] = ["contents", "input", "messages"];

/// Other lists of messages, data and tools.
const CONTENTS: [&str; 9] = [
    "content",
    "documents",
    "examples",
    "functions",
    "outputs",
    "parts",
    "tool_calls",
    "tool_results",
    "tools",
];

/// The messages and their labels, without their contents.
fn messages(root: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let lists = root.members().filter(|(key, _)| is_one_of(*key, &MESSAGES));
    let messages = lists.flat_map(|(_, list)| list.elements());
    messages.flat_map(|message| std::iter::once(message).chain(message.member("metadata")))
}

/// Its tools and their parts.
fn tools(root: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let tools = root.member("tools").into_iter().flat_map(Value::elements);
    tools.flat_map(|tool| {
        let members = tool.members().map(|(_, member)| member);
        std::iter::once(tool).chain(members)
    })
}

/// Schemas, and the place where Codex names its session, whose history it sends in full.
const NO_SETTINGS: [&str; 7] = [
    "client_metadata",
    "format",
    "input_schema",
    "json_schema",
    "properties",
    "response_format",
    "schema",
];

/// How deep JSON in strings is read.
const TEXTS_IN_TEXTS: usize = 4;

/// Conversations named in JSON inside a string: `"metadata": "{\"session_id\": \"S\"}"`.
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
            let mut objects = Named::default();
            objects.add(held, false);
            names.append(&mut objects.places);
            if levels > 1 {
                places_in_texts(held, levels - 1, names);
            }
        }
    }
}

/// Members with text for the model, and those where agents name their session, whose history they
/// send in full.
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

/// What objects name.
#[derive(Default)]
struct Named {
    /// Conversations.
    places: Vec<HistoryName>,
    /// Anything else that the provider keeps and the request continues from.
    turns: Vec<HistoryName>,
}

impl Named {
    fn add(&mut self, object: Value<'_>, with_turns: bool) {
        let mut pair = None;
        for (key, value) in object.members() {
            let key = key.text();
            if may_name(&key) {
                self.add_under(&key, value, with_turns);
            }
            if value.is_object() {
                self.add_of_object(&key, value, with_turns);
            } else if pair.is_none() && matches!(&*key, "key" | "name") {
                pair = Some(value.text()).filter(|name| is_of_place(name) || is_of_turn(name));
            }
        }
        if let Some(name) = pair {
            let values = object.members().filter(|(key, _)| is_one_of(*key, &PAIRED));
            values.for_each(|(_, value)| self.add_under(&name, value, with_turns));
        }
    }

    /// Adds the ids under a name: alone, in lists, and in objects under names of their own.
    fn add_under(&mut self, name: &str, value: Value<'_>, with_turns: bool) {
        let ids = || std::iter::once(value).chain(value.elements());
        if is_of_place(name) {
            self.add_places(ids().flat_map(|value| own_ids(value, identifies)));
        } else if with_turns && is_of_turn(name) {
            self.add_turns(ids().flat_map(|value| own_ids(value, is_id)));
        }
    }

    /// Adds the ids of an object that belongs to what its name says.
    fn add_of_object(&mut self, name: &str, object: Value<'_>, with_turns: bool) {
        let mut ids = object.members().filter(|(key, _)| is_id(&key.text()));
        let Some(first) = ids.next() else {
            return;
        };
        let ids = std::iter::once(first).chain(ids).map(|(_, id)| id);
        if belongs_to_place(name) {
            self.add_places(ids);
        } else if with_turns && belongs_to_turn(name) {
            self.add_turns(ids);
        }
    }

    fn add_places<'t>(&mut self, ids: impl Iterator<Item = Value<'t>>) {
        let ids = ids.filter_map(given).filter(|id| may_be_id(id));
        self.places.extend(ids.map(|id| HistoryName::place(&id)));
    }

    fn add_turns<'t>(&mut self, ids: impl Iterator<Item = Value<'t>>) {
        let ids = ids.filter_map(given).filter(|id| is_single_word(id));
        self.turns.extend(ids.map(|id| HistoryName::turn(&id)));
    }
}

/// Names of the value in a pair: `{"name": "session_id", "data": ["S"]}`.
const PAIRED: [&str; 4] = ["contents", "data", "value", "values"];

/// A value, and what it gives as its id, or as a value of a type.
fn own_ids(value: Value<'_>, is_own: fn(&str) -> bool) -> impl Iterator<Item = Value<'_>> {
    let own = value
        .members()
        .filter(move |(key, _)| is_own(&key.text()) || is_one_of(*key, &TYPED));
    std::iter::once(value).chain(own.map(|(_, id)| id))
}

/// Names of values that tell their type.
const TYPED: [&str; 6] = [
    "int64_param",
    "intValue",
    "numberValue",
    "stringValue",
    "string_param",
    "string_value",
];

/// What an object names that many requests share.
fn references(object: Value<'_>) -> impl Iterator<Item = HistoryName> {
    object.members().filter_map(|(key, value)| {
        let key = key.text();
        let name = shared::named_by(&key)?;
        let identifies = match value.kind() {
            Kind::Object => value.member("id").and_then(given).is_some(),
            Kind::Array => value.elements().next().is_some(),
            _ => key != shared::PROMPT && given(value).is_some(),
        };
        identifies.then_some(name)
    })
}

/// The ids in unknown members of a body: nobody knows what else the provider keeps.
fn unknown_ids(root: Value<'_>) -> impl Iterator<Item = HistoryName> {
    let is_call = move || root.member("jsonrpc").is_some();
    let named = root.members().filter(move |(key, _)| {
        let key = key.text();
        may_be_of_turn(&key) || OF_A_BODY.contains(&&*key) && !is_call()
    });
    let ids = named.flat_map(|(_, value)| std::iter::once(value).chain(value.elements()));
    let ids = ids.filter_map(given).filter(|id| is_single_word(id));
    ids.map(|id| HistoryName::turn(&id))
}

/// What only a body means that way: in a query, one is a page of a list, and another is of a login.
const OF_A_BODY: [&str; 4] = ["_id", "cursor", "id", "state"];

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
            "input" => names.extend(value.elements().filter_map(items::referred)),
            "messages" => {
                names.extend(value.elements().filter_map(audio));
                names.extend(value.elements().filter_map(items::bare));
            }
            _ => {}
        }
    }
}

/// A turn by its id.
fn named(id: Option<Value<'_>>) -> Option<HistoryName> {
    id.and_then(given).map(|id| HistoryName::turn(&id))
}

/// The audio of a message, which the provider keeps with its words.
fn audio(message: Value<'_>) -> Option<HistoryName> {
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
    let parts = root.members_named([
        "response",
        "message",
        "interaction",
        "delta",
        "result",
        "data",
    ]);
    for part in std::iter::once(root).chain(parts.into_iter().flatten()) {
        ids_of_reply(part, kept, names);
    }
    add_contents(root, Sealing::Reply, names, &mut Vec::new());
}

/// Whether a member of a reply may name a history by its name, or hold content that only the provider reads.
pub(crate) fn names_history(name: &str) -> bool {
    const OBJECTS: [&str; 5] = ["args", "arguments", "input", "response", "results"];
    may_name(name)
        || name == "conversation"
        || CONTENT_NAMES.may_hold(name) && !OBJECTS.contains(&name)
}

fn ids_of_reply(part: Value<'_>, kept: bool, names: &mut Vec<HistoryName>) {
    let kind = part.member("object").map(Value::text).unwrap_or_default();
    for (key, value) in part.members() {
        match &*key.text() {
            "id" if matches!(&*kind, "conversation" | "thread") => names.extend(place(value)),
            "id" if kept || kind == "interaction" => {
                names.extend(given(value).map(|id| HistoryName::turn(&id)));
            }
            "id" => {}
            // What is fetched later: `{"name": "batches/B"}`, `{"request_id": "R"}`.
            "job_id" | "name" | "request_id" | "task_id" if kept => {
                let id = given(value);
                let id = id.as_deref().and_then(|id| id.rsplit('/').next());
                names.extend(id.map(HistoryName::turn));
            }
            "conversation" | "container" => names.extend(place(value)),
            "output" | "outputs" if kept => {
                names.extend(value.elements().filter_map(|item| named(item.member("id"))));
            }
            "item" if kept => names.extend(named(value.member("id"))),
            key if may_name(key) => {
                if is_of_place(key) {
                    names.extend(place(value));
                } else if is_of_later_turn(key) {
                    names.extend(given(value).map(|id| HistoryName::turn(&id)));
                }
            }
            _ => {}
        }
    }
}

/// The files that a provider's answer to an upload describes: `{"id": "file-F"}`, `{"file": {"name": "files/F", "uri":
/// "…"}}`. What a client uploads holds no tokens.
#[must_use]
pub fn uploaded_files(answer: &[u8]) -> Vec<HistoryName> {
    let answer = str::from_utf8(answer)
        .ok()
        .and_then(|text| Some((text, held_json(text)?)));
    let Some((text, tape)) = answer else {
        return Vec::new();
    };
    let root = tape.root(text);
    let described = [Some(root), root.member("file")].into_iter().flatten();
    let ids = described.flat_map(|file| file.members_named(["id", "name", "uri"]));
    ids.flatten().flat_map(files).collect()
}
