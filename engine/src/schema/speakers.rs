//! Who wrote each text of a request, and which tool returned it.
//!
//! Based on shape alone, so that it works for every format: messages have a role, results of tools
//! a type or a name. If the shape is ambiguous, the speaker is unknown.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::calls::{GIVEN, GIVEN_BUILT_IN, space_of};
use crate::Origin;
use crate::json::Value;
use crate::tool::Tool;

/// Top-level members that the developer of the client writes.
const INSTRUCTIONS: &[&str] = &[
    "system",
    "instructions",
    "additional_instructions",
    "systemInstruction",
    "system_instruction",
    "tools",
    "functions",
    "toolConfig",
    "preamble",
];

/// Those that hold a conversation.
const CONVERSATION: &[&str] = &[
    "messages",
    "input",
    "contents",
    "items",
    "chat_history",
    "additional_messages",
    "instances",
];

/// Those that hold what the user wrote, as one text.
const PROMPTS: &[&str] = &["prompt", "query", "message", "text", "inputText", "inputs"];

/// Members with retrieved content.
const LOOKED_UP: &[&str] = &["documents", "data_sources"];

/// Members with one or more whole requests.
const REQUESTS: &[&str] = &["requests", "params", "body", "request", "thread"];

/// The words of a name for what a tool gave: one of each, such as `tool_outputs` or `functionResponse`.
const DOES: &[&str] = &[
    "tool",
    "function",
    "call",
    "search",
    "invocation",
    "execution",
];
const GAVE: &[&str] = &["result", "output", "response", "return"];

/// How a result names its call.
pub(super) const CALL_IDS: &[&str] = &[
    "tool_use_id",
    "tool_call_id",
    "call_id",
    "toolUseId",
    "toolCallId",
];

/// Who wrote a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// It is unknown.
    #[default]
    Unknown,
    System,
    User,
    /// The model, in an earlier turn.
    Model,
    /// This tool, or an unknown one.
    Tool(Option<Tool>),
}

/// Who wrote the texts of a body.
#[derive(Debug)]
pub(crate) struct Speakers<'t> {
    root: Value<'t>,
    /// Apart from each other, in the order of the body.
    stretches: Vec<(usize, usize, Speaker)>,
    /// Whether tools are told by their names.
    names_tools: bool,
    /// Read only once a tool's result asks for its call.
    calls: OnceCell<Calls<'t>>,
}

/// The tools by the ids of their calls; none where two calls have one id.
#[derive(Debug, Default)]
struct Calls<'t>(BTreeMap<Cow<'t, str>, Option<Tool>>);

/// A part of a body.
pub(super) enum Part<'t> {
    Attributed(Value<'t>, Speaker),
    Message(Value<'t>),
    /// What a tool gave.
    Result(Value<'t>),
    /// A member that no format has there.
    Other(Value<'t>),
}

/// The parts of a body with texts, in order.
pub(super) fn parts<'t>(root: Value<'t>, each: &mut impl FnMut(Part<'t>)) {
    if root.member("role").is_some() {
        return each(Part::Message(root));
    }
    for (key, member) in root.members() {
        let name = key.text();
        let name = &*name;
        if INSTRUCTIONS.contains(&name) {
            each(Part::Attributed(member, Speaker::System));
        } else if LOOKED_UP.contains(&name) || names_result(name) {
            each(Part::Result(member));
        } else if PROMPTS.contains(&name) && member.is_string() {
            each(Part::Attributed(member, Speaker::User));
        } else if CONVERSATION.contains(&name) {
            message(member, each);
            member.elements().for_each(|element| message(element, each));
        } else if REQUESTS.contains(&name) {
            parts(member, each);
            member.elements().for_each(|request| parts(request, each));
        } else {
            each(Part::Other(member));
        }
    }
}

/// A message of a conversation, or a body in its place, such as the state of a graph.
fn message<'t>(value: Value<'t>, each: &mut impl FnMut(Part<'t>)) {
    let is_body = value.is_object()
        && !["role", "type", "content", "parts", "text"]
            .iter()
            .any(|name| value.member(name).is_some())
        && !is_result(value);
    if is_body {
        parts(value, each);
    } else {
        each(Part::Message(value));
    }
}

/// Whether the name of a member or a type says that a tool gave it.
fn names_result(name: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| contains(name, word));
    has(GAVE) && has(DOES)
}

fn contains(name: &str, word: &str) -> bool {
    let mut places = name.as_bytes().windows(word.len());
    places.any(|place| place.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether an object is what a tool gave or a search found: its type says so, or it names a call and is none.
pub(super) fn is_result(object: Value<'_>) -> bool {
    let (mut names_call, mut is_call, mut gave) = (false, false, false);
    for (key, member) in object.members() {
        let name = key.text();
        let name = &*name;
        if name == "type" && member.is_string() && names_result(&member.text()) {
            return true;
        }
        names_call |= CALL_IDS.contains(&name);
        is_call |= GIVEN.contains(&name) || GIVEN_BUILT_IN.contains(&name);
        gave |= name == "output" || name == "result";
    }
    names_call && (gave || !is_call)
}

/// The outermost results of tools within a value, in order. What a call is given holds none.
fn results<'t>(value: Value<'t>, found: &mut Vec<Value<'t>>) {
    if is_result(value) {
        return found.push(value);
    }
    for (key, member) in value.members() {
        let name = key.text();
        if names_result(&name) {
            found.push(member);
        } else if !GIVEN.contains(&&*name) {
            results(member, found);
        }
    }
    value.elements().for_each(|element| results(element, found));
}

impl<'t> Speakers<'t> {
    /// Of a request with this body.
    pub(crate) fn of(root: Value<'t>) -> Self {
        Self::read(root, true)
    }

    /// The same, with no tool known by its name.
    pub(crate) fn without_tools(root: Value<'t>) -> Self {
        Self::read(root, false)
    }

    fn read(root: Value<'t>, names_tools: bool) -> Self {
        let mut speakers = Self {
            root,
            stretches: Vec::new(),
            names_tools,
            calls: OnceCell::new(),
        };
        parts(root, &mut |part| match part {
            Part::Attributed(text, speaker) => speakers.add(text, speaker),
            Part::Message(message) => speakers.message(message),
            Part::Result(result) => speakers.add_result(result),
            Part::Other(member) => speakers.results_in(member),
        });
        speakers
    }

    /// Who wrote the text that begins here.
    pub(crate) fn of_text(&self, start: usize) -> &Speaker {
        self.speaker_at(start).unwrap_or(&Speaker::Unknown)
    }

    /// Who brought the text that begins here. A member that no format has beside the conversation is the client's
    /// own, but not where the format itself is unknown.
    pub(crate) fn origin(&self, start: usize, is_generic: bool) -> Origin {
        match self.speaker_at(start) {
            Some(Speaker::User) => Origin::User,
            Some(Speaker::System) => Origin::System,
            Some(_) => Origin::Tool,
            None if is_generic => Origin::Tool,
            None => Origin::User,
        }
    }

    fn speaker_at(&self, start: usize) -> Option<&Speaker> {
        let at = self.stretches.partition_point(|(_, end, _)| *end <= start);
        let stretch = self.stretches.get(at).filter(|(from, ..)| *from <= start);
        stretch.map(|(.., speaker)| speaker)
    }

    fn message(&mut self, message: Value<'t>) {
        if message.is_string() {
            return self.add(message, Speaker::User);
        }
        if !message.is_object() {
            return;
        }
        let has = |name| message.member(name).is_some();
        let role = if has("role") { "role" } else { "type" };
        let role = sole(message, role).map(|role| role.text().to_ascii_lowercase());
        match role.as_deref() {
            Some("system" | "developer") => self.attribute(message, &Speaker::System),
            _ if is_result(message) => self.add_result(message),
            Some("user" | "human") => self.attribute(message, &Speaker::User),
            Some("assistant" | "model" | "chatbot" | "ai") => {
                self.attribute(message, &Speaker::Model);
            }
            Some("tool" | "function") => {
                let tool = self.tool(message);
                self.attribute(message, &Speaker::Tool(tool));
            }
            _ if has("role") => self.add(message, Speaker::Unknown),
            kind => self.item(message, kind),
        }
    }

    /// An item without a role.
    fn item(&mut self, item: Value<'t>, kind: Option<&str>) {
        let is_message = match kind {
            None => item.member("type").is_none(),
            Some(kind) => matches!(
                kind,
                "text" | "input_text" | "image_url" | "input_image" | "input_file" | "message"
            ),
        };
        let is_call = kind.is_some_and(|kind| kind.ends_with("_call") || kind == "reasoning");
        if is_message || item.member("parts").is_some() {
            self.attribute(item, &Speaker::User);
        } else if is_call && item.member("output").is_none() {
            self.add(item, Speaker::Model);
        } else {
            self.add(item, Speaker::Unknown);
        }
    }

    /// What a speaker said: a tool's result in it is the tool's.
    fn attribute(&mut self, value: Value<'t>, speaker: &Speaker) {
        let mut found = Vec::new();
        results(value, &mut found);
        let mut from = value.start();
        for result in found {
            self.stretches.push((from, result.start(), speaker.clone()));
            self.add_result(result);
            from = result.end();
        }
        self.stretches.push((from, value.end(), speaker.clone()));
    }

    fn results_in(&mut self, value: Value<'t>) {
        let mut found = Vec::new();
        results(value, &mut found);
        for result in found {
            self.add_result(result);
        }
    }

    fn add_result(&mut self, result: Value<'t>) {
        let tool = self.tool(result);
        self.add(result, Speaker::Tool(tool));
    }

    /// The tool that gave a result.
    fn tool(&self, result: Value<'t>) -> Option<Tool> {
        if !self.names_tools {
            return None;
        }
        let ids = CALL_IDS.iter();
        let ids: Vec<_> = ids
            .flat_map(|id| result.members().filter(move |(key, _)| key.is_text(id)))
            .collect();
        match ids.as_slice() {
            [(_, id)] => {
                let calls = self.calls.get_or_init(|| Calls::of(self.root));
                calls.0.get(&id.text())?.clone()
            }
            [] => named(result),
            _ => None,
        }
    }

    fn add(&mut self, value: Value<'t>, speaker: Speaker) {
        self.stretches.push((value.start(), value.end(), speaker));
    }
}

impl<'t> Calls<'t> {
    fn of(root: Value<'t>) -> Self {
        let mut calls = Self::default();
        parts(root, &mut |part| {
            if let Part::Message(message) = part {
                calls.message(message);
            }
        });
        calls
    }

    fn message(&mut self, message: Value<'t>) {
        self.call(message, "call_id");
        for name in ["tool_calls", "content", "parts"] {
            let parts = sole(message, name).into_iter().flat_map(Value::elements);
            for part in parts {
                self.call(part, "id");
                if let Some(call) = sole(part, "toolUse") {
                    self.call(call, "toolUseId");
                }
            }
        }
    }

    fn call(&mut self, call: Value<'t>, id: &str) {
        let below = ["function", "custom"]
            .into_iter()
            .find_map(|name| call.member(name));
        let named = named(below.unwrap_or(call));
        let id = sole(call, id).filter(|id| id.is_string());
        let (Some(id), Some(_)) = (id, &named) else {
            return;
        };
        let known = self.0.entry(id.text()).or_insert_with(|| named.clone());
        if *known != named {
            *known = None;
        }
    }
}

/// The tool that a call or a result names, unless in several ways.
fn named(object: Value<'_>) -> Option<Tool> {
    let name = sole(object, "name").filter(|name| name.is_string())?;
    Some(Tool::of(&space_of(object)?, &name.text()))
}

/// The member of this name, unless there are several.
pub(crate) fn sole<'t>(object: Value<'t>, name: &str) -> Option<Value<'t>> {
    let mut found = object.members().filter(|(key, _)| key.is_text(name));
    let (_, first) = found.next()?;
    found.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    fn spoken(body: &str) -> String {
        let tape = Tape::scan(body, 64).unwrap();
        let speakers = Speakers::of(tape.root(body));
        let texts = tape
            .strings(body)
            .filter(|value| value.raw_content().len() == 2 && value.raw_content().starts_with('V'));
        let speaker_at = texts.map(|value| match speakers.of_text(value.start()) {
            Speaker::Unknown => "?".to_owned(),
            Speaker::System => "system".to_owned(),
            Speaker::User => "user".to_owned(),
            Speaker::Model => "model".to_owned(),
            Speaker::Tool(None) => "tool".to_owned(),
            Speaker::Tool(Some(tool)) => tool.shown(),
        });
        speaker_at.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_tool_of_a_result_is_the_one_that_was_called() {
        for (body, expected) in [
            (
                r#"{"system": "V1", "metadata": {"user_id": "V2"}, "messages": [{"role": "user", "content": "V3"},
                {"role": "assistant", "content": [{"type": "text", "text": "V4"},
                    {"type": "tool_use", "id": "a", "name": "read", "input": {"x": "V5"}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "V6"}]},
                    {"type": "tool_result", "tool_use_id": "b", "content": "V7"}, {"type": "text", "text": "V8"}]}]}"#,
                "system ? user model model read tool user",
            ),
            (
                r#"{"messages": [{"role": "developer", "content": "V1"},
                {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "read", "arguments": "V2"}}]},
                {"role": "tool", "tool_call_id": "a", "content": "V3"}, {"role": "function", "name": "old", "content": "V4"},
                {"role": "critic", "content": "V5"}]}"#,
                "system model read old ?",
            ),
            (
                r#"{"instructions": "V1", "input": [{"role": "user", "content": [{"type": "input_text", "text": "V2"}]},
                {"type": "function_call", "call_id": "a", "name": "read", "arguments": "V3"},
                {"type": "function_call_output", "call_id": "a", "output": "V4"}, {"type": "mcp_call", "output": "V5"}]}"#,
                "system user model read ?",
            ),
            (r#"{"input": "V1"}"#, "user"),
            (r#"{"input": ["V1"], "prompt": "V2"}"#, "user user"),
            (
                r#"{"contents": [{"role": "user", "parts": [{"text": "V1"},
                    {"functionResponse": {"name": "read", "response": {"a": "V2"}}}]}, {"role": "model", "parts": [{"text": "V3"}]}]}"#,
                "user read model",
            ),
            (
                r#"{"messages": [{"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "read"}}]},
                {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "V1"}]}}]}]}"#,
                "read",
            ),
            (
                r#"{"requests": [{"params": {"system": "V1", "messages": [{"role": "user", "content": "V2"}]}}]}"#,
                "system user",
            ),
            // The names of a tool in two parts.
            (
                r#"{"input": [{"type": "function_call", "call_id": "a", "namespace": "mcp__db__", "name": "read"},
                {"type": "function_call_output", "call_id": "a", "output": "V1"}]}"#,
                "mcp__db__read",
            ),
            (
                r#"{"messages": [{"role": "assistant", "content": [{"type": "mcp_tool_use", "id": "a", "server_name": "db", "name": "read"},
                    {"type": "mcp_tool_result", "tool_use_id": "a", "content": "V1"}]}]}"#,
                "db__read",
            ),
        ] {
            assert_eq!(spoken(body), expected, "{body}");
        }
    }

    /// A name or role that may be read in two ways must not choose a laxer rule.
    #[test]
    fn what_is_said_twice_is_not_known() {
        for (body, expected) in [
            (
                r#"{"messages": [{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "read"}},
                {"id": "a", "function": {"name": "fetch"}}]}, {"role": "tool", "tool_call_id": "a", "content": "V1"}]}"#,
                "tool",
            ),
            (
                r#"{"messages": [{"role": "user", "role": "tool", "content": "V1"}]}"#,
                "?",
            ),
            (
                r#"{"messages": [{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "read", "name": "b"}}]},
                {"role": "tool", "tool_call_id": "a", "content": "V1"},
                {"role": "tool", "tool_call_id": "a", "tool_call_id": "b", "content": "V2"}]}"#,
                "tool tool",
            ),
            // Arguments of a call are the model's words, and name no calls.
            (
                r#"{"messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "b", "name": "x", "input": {"id": "a", "name": "read"}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "V1"}]}]}"#,
                "tool",
            ),
        ] {
            assert_eq!(spoken(body), expected, "{body}");
        }
    }

    fn origins(body: &str, is_generic: bool) -> String {
        let tape = Tape::scan(body, 64).unwrap();
        let authors = Speakers::without_tools(tape.root(body));
        let mut speaker_at = Vec::new();
        for value in tape
            .strings(body)
            .filter(|value| value.raw_content().len() == 2 && value.raw_content().starts_with('V'))
        {
            speaker_at.push(authors.origin(value.start(), is_generic).as_str());
        }
        speaker_at.join(" ")
    }

    #[test]
    fn the_role_of_a_message_and_the_type_of_a_part_tell_who_wrote_a_text() {
        for (body, expected) in [
            (
                r#"{"system": "V1", "tools": [{"description": "V2"}], "metadata": {"user_id": "V3"}, "messages": [
                {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "V4"}]},
                    {"type": "text", "text": "V5"}, {"type": "search_result", "content": "V6"}]},
                {"role": "assistant", "content": [{"type": "tool_use", "input": {"a": "V7"}}]}]}"#,
                "system system user tool user tool tool",
            ),
            (
                r#"{"messages": [{"role": "developer", "content": "V1"}, {"role": "user", "content": "V2"},
                {"role": "tool", "content": "V3"}, {"role": "critic", "content": "V4"}, {"content": "V5", "role": "user"}]}"#,
                "system user tool tool user",
            ),
            (
                r#"{"instructions": "V1", "input": [{"role": "user", "content": [{"type": "input_text", "text": "V2"}]},
                {"type": "function_call_output", "output": "V3"}, {"type": "mcp_call", "output": "V4"}, {"type": "input_text", "text": "V5"}]}"#,
                "system user tool tool user",
            ),
            (r#"{"input": "V1"}"#, "user"),
            (
                r#"{"systemInstruction": {"parts": [{"text": "V1"}]}, "contents": [{"parts": [{"text": "V2"}]},
                {"role": "user", "parts": [{"functionResponse": {"response": {"a": "V3"}}}]}, {"role": "model", "parts": [{"text": "V4"}]}]}"#,
                "system user tool tool",
            ),
            (
                r#"{"requests": [{"params": {"system": "V1", "messages": [{"role": "tool", "content": "V2"}]}}]}"#,
                "system tool",
            ),
            (r#"{"documents": ["V1"], "query": "V2"}"#, "tool user"),
        ] {
            assert_eq!(origins(body, false), expected, "{body}");
        }
    }

    /// What a tool gave counted as the user's words where no role says so, and `guard` let it out.
    #[test]
    fn what_names_a_result_above_a_text_makes_it_the_tools() {
        for (body, expected) in [
            (
                r#"{"tool_outputs": [{"tool_call_id": "c", "output": "V1"}]}"#,
                "tool",
            ),
            (
                r#"{"input": [{"role": "user", "content": [{"type": "text", "text": "V1"}, {"type": "function_result", "result": "V2"}]}]}"#,
                "user tool",
            ),
            (
                r#"{"input": {"type": "function_result", "call_id": "c", "result": "V1"}}"#,
                "tool",
            ),
            (
                r#"{"input": {"messages": [{"type": "human", "content": "V1"}, {"type": "tool", "tool_call_id": "c", "content": "V2"},
                {"type": "system", "content": "V3"}, {"type": "ai", "content": "V4"}], "found": "V5"}}"#,
                "user tool system tool tool",
            ),
            (
                r#"{"messages": [{"content": "V1", "tool_call_id": "c"}, {"content": "V2"}]}"#,
                "tool user",
            ),
            (
                r#"{"messages": [{"role": "user", "content": [{"type": "tool-result", "result": "V1"}, {"type": "text", "text": "V2"}]},
                {"role": "user", "content": {"a": [{"tool_result": {"b": "V3"}}, "V4"]}}]}"#,
                "tool user tool user",
            ),
            (
                r#"{"inputText": "V1", "sessionState": {"returnControlInvocationResults": [{"functionResult": {"body": "V2"}}], "a": "V3"}}"#,
                "user tool tool",
            ),
            (r#"{"role": "user", "content": "V1"}"#, "user"),
            (
                r#"{"messages": [{"role": "user", "role": "tool", "content": "V1"}]}"#,
                "tool",
            ),
            (r#"{"metadata": {"a": "V1"}}"#, "tool"),
        ] {
            assert_eq!(origins(body, true), expected, "{body}");
            let spoken = spoken(body).replace('?', "tool").replace("model", "tool");
            assert_eq!(spoken, expected, "{body}");
        }
    }
}
