//! Who wrote each text of a request.
//!
//! Based on shape alone, so that it works for every format: messages have a role, results of tools
//! a type. Unknown text counts as the user's at the top of a body, and as nobody's inside a
//! conversation.

use crate::Origin;
use crate::json::Value;

/// Top-level members that the developer of the client writes.
pub(super) const INSTRUCTIONS: &[&str] = &[
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
pub(super) const CONVERSATION: &[&str] = &[
    "messages",
    "input",
    "contents",
    "items",
    "chat_history",
    "additional_messages",
];

/// Members with retrieved content.
pub(super) const LOOKED_UP: &[&str] = &[
    "documents",
    "tool_results",
    "search_results",
    "data_sources",
];

/// Members with one or more whole requests.
pub(super) const REQUESTS: &[&str] = &["requests", "params", "body", "request", "thread"];

/// A stretch of a body that is not the user's.
#[derive(Debug)]
struct Stretch {
    start: usize,
    end: usize,
    origin: Origin,
}

/// Who wrote the texts of a body.
#[derive(Debug, Default)]
pub(crate) struct Authors(Vec<Stretch>);

impl Authors {
    /// Of a request with this body.
    pub(crate) fn of(root: Value<'_>) -> Self {
        let mut authors = Self::default();
        authors.body(root);
        authors
    }

    /// Who wrote the text that begins here.
    pub(crate) fn origin(&self, start: usize) -> Origin {
        let at = self.0.partition_point(|stretch| stretch.end <= start);
        let stretch = self.0.get(at).filter(|stretch| stretch.start <= start);
        stretch.map_or(Origin::User, |stretch| stretch.origin)
    }

    fn body(&mut self, root: Value<'_>) {
        for (key, member) in root.members() {
            let name = key.text();
            if INSTRUCTIONS.contains(&&*name) {
                self.add(member, Origin::System);
            } else if LOOKED_UP.contains(&&*name) {
                self.add(member, Origin::Tool);
            } else if CONVERSATION.contains(&&*name) {
                self.message(member);
                member.elements().for_each(|message| self.message(message));
            } else if REQUESTS.contains(&&*name) {
                self.body(member);
                member.elements().for_each(|request| self.body(request));
            }
        }
    }

    fn message(&mut self, message: Value<'_>) {
        if !message.is_object() {
            return;
        }
        let role = message.member("role").map(Value::text);
        match role.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("system" | "developer") => self.add(message, Origin::System),
            Some("user" | "human") => {
                for name in ["content", "parts"] {
                    let parts = message.member(name).into_iter().flat_map(Value::elements);
                    let looked_up = parts.filter(|part| is_looked_up(*part));
                    looked_up.for_each(|part| self.add(part, Origin::Tool));
                }
            }
            None if is_said(message) => {}
            _ => self.add(message, Origin::Tool),
        }
    }

    fn add(&mut self, value: Value<'_>, origin: Origin) {
        self.0.push(Stretch {
            start: value.start(),
            end: value.end(),
            origin,
        });
    }
}

/// Whether an item without a role is a text of the user's: a part of a message, by its type.
pub(super) fn is_said(item: Value<'_>) -> bool {
    let Some(kind) = item.member("type") else {
        return !is_looked_up(item);
    };
    matches!(
        &*kind.text(),
        "text" | "input_text" | "image_url" | "input_image" | "input_file" | "message"
    )
}

/// Whether a part of a message holds what a tool gave or a search found.
pub(super) fn is_looked_up(part: Value<'_>) -> bool {
    let kind = part.member("type").map(Value::text).unwrap_or_default();
    let has = |name| part.member(name).is_some();
    kind.ends_with("tool_result")
        || kind.ends_with("_output")
        || kind == "search_result"
        || ["functionResponse", "function_response", "toolResult"]
            .into_iter()
            .any(has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    fn origins(body: &str) -> String {
        let tape = Tape::scan(body, 64).unwrap();
        let authors = Authors::of(tape.root(body));
        let mut told = Vec::new();
        for value in tape
            .strings(body)
            .filter(|value| value.raw_content().len() == 2 && value.raw_content().starts_with('V'))
        {
            told.push(authors.origin(value.start()).as_str());
        }
        told.join(" ")
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
            assert_eq!(origins(body), expected, "{body}");
        }
    }
}
