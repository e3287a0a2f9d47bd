//! Who wrote each text of a request, and which tool returned it.
//!
//! Based on shape alone, like [`Authors`](super::Authors), but without guessing: if the shape is
//! ambiguous, the speaker is unknown.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::authors::{CONVERSATION, INSTRUCTIONS, LOOKED_UP, REQUESTS, is_looked_up, is_said};
use super::calls::space_of;
use crate::json::Value;
use crate::tool::Tool;

/// Those that hold what the user wrote, as one text.
const PROMPTS: &[&str] = &["prompt", "query"];

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
    /// Read only once a tool's result asks for its call.
    calls: OnceCell<Calls<'t>>,
}

/// The tools by the ids of their calls; none where two calls have one id.
#[derive(Debug, Default)]
struct Calls<'t>(BTreeMap<Cow<'t, str>, Option<Tool>>);

/// A part of a body.
enum Part<'t> {
    Said(Value<'t>, Speaker),
    Message(Value<'t>),
}

/// The parts of a body with texts, in order.
fn parts<'t>(root: Value<'t>, each: &mut impl FnMut(Part<'t>)) {
    for (key, member) in root.members() {
        let name = key.text();
        let name = &*name;
        if INSTRUCTIONS.contains(&name) {
            each(Part::Said(member, Speaker::System));
        } else if LOOKED_UP.contains(&name) {
            each(Part::Said(member, Speaker::Tool(None)));
        } else if PROMPTS.contains(&name) && member.is_string() {
            each(Part::Said(member, Speaker::User));
        } else if CONVERSATION.contains(&name) {
            each(Part::Message(member));
            let messages = member.elements();
            messages.for_each(|message| each(Part::Message(message)));
        } else if REQUESTS.contains(&name) {
            parts(member, each);
            member.elements().for_each(|request| parts(request, each));
        }
    }
}

impl<'t> Speakers<'t> {
    /// Of a request with this body.
    pub(crate) fn of(root: Value<'t>) -> Self {
        let mut speakers = Self {
            root,
            stretches: Vec::new(),
            calls: OnceCell::new(),
        };
        parts(root, &mut |part| match part {
            Part::Said(text, speaker) => speakers.add(text, speaker),
            Part::Message(message) => speakers.message(message),
        });
        speakers
    }

    /// Who wrote the text that begins here.
    pub(crate) fn of_text(&self, start: usize) -> &Speaker {
        let at = self.stretches.partition_point(|(_, end, _)| *end <= start);
        let stretch = self.stretches.get(at).filter(|(from, ..)| *from <= start);
        stretch.map_or(&Speaker::Unknown, |(.., speaker)| speaker)
    }

    fn message(&mut self, message: Value<'t>) {
        if message.is_string() {
            return self.add(message, Speaker::User);
        }
        if !message.is_object() {
            return;
        }
        let roles = message
            .members()
            .filter(|(key, _)| key.is_text("role"))
            .count();
        if roles > 1 {
            return;
        }
        let role = message
            .member("role")
            .map(|role| role.text().to_ascii_lowercase());
        match role.as_deref() {
            Some("system" | "developer") => self.add(message, Speaker::System),
            Some("user" | "human") => self.parts(message, &Speaker::User),
            Some("assistant" | "model" | "chatbot") => self.parts(message, &Speaker::Model),
            Some("tool" | "function") if has_parts(message) => {
                self.parts(message, &Speaker::Tool(self.tool(message)));
            }
            Some("tool" | "function") => self.add(message, Speaker::Tool(self.tool(message))),
            Some(_) => {}
            None => self.item(message),
        }
    }

    /// An item without a role.
    fn item(&mut self, item: Value<'t>) {
        let kind = sole(item, "type").map(Value::text).unwrap_or_default();
        if is_looked_up(item) {
            self.add(item, Speaker::Tool(self.tool(item)));
        } else if item.member("parts").is_some() || is_said(item) {
            self.parts(item, &Speaker::User);
        } else if (kind.ends_with("_call") || kind == "reasoning")
            && item.member("output").is_none()
        {
            self.add(item, Speaker::Model);
        }
    }

    /// The parts of a message: a tool's result is the tool's, and the rest is the speaker's.
    fn parts(&mut self, message: Value<'t>, speaker: &Speaker) {
        if !has_parts(message) {
            return self.add(message, speaker.clone());
        }
        for (_, member) in message.members() {
            if member.elements().next().is_none() {
                self.add(member, speaker.clone());
            }
            for part in member.elements() {
                if is_looked_up(part) {
                    self.add(part, Speaker::Tool(self.tool(part)));
                } else {
                    self.add(part, speaker.clone());
                }
            }
        }
    }

    /// The tool that gave a result.
    fn tool(&self, result: Value<'t>) -> Option<Tool> {
        let inner = ["functionResponse", "function_response", "toolResult"];
        let inner = inner.into_iter().find_map(|name| sole(result, name));
        let result = inner.unwrap_or(result);
        let ids = ["tool_use_id", "tool_call_id", "call_id", "toolUseId"];
        let ids: Vec<_> = ids
            .into_iter()
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

fn has_parts(message: Value<'_>) -> bool {
    ["content", "parts"].into_iter().any(|name| {
        message
            .member(name)
            .is_some_and(|parts| parts.elements().next().is_some())
    })
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
        let told = texts.map(|value| match speakers.of_text(value.start()) {
            Speaker::Unknown => "?".to_owned(),
            Speaker::System => "system".to_owned(),
            Speaker::User => "user".to_owned(),
            Speaker::Model => "model".to_owned(),
            Speaker::Tool(None) => "tool".to_owned(),
            Speaker::Tool(Some(tool)) => tool.shown(),
        });
        told.collect::<Vec<_>>().join(" ")
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
}
