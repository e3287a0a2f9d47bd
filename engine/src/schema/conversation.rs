//! Identifies the conversation of a request by its body.

use std::borrow::Cow;

use crate::json::{Tape, Value};
use crate::{Schema, Sensitive};

/// What a request says about its conversation.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// The client's own id: the `session_id` of the user's metadata, or `conversation`.
    pub id: Option<Sensitive<String>>,
    /// `prompt_cache_key`, which many clients keep for a conversation, and some for all of theirs.
    pub cache_key: Option<Sensitive<String>>,
    /// The system prompt or instructions and the first user text, as the input of a keyed hash;
    /// `None` where no user says anything.
    pub opening: Option<Sensitive<Vec<u8>>>,
}

/// Reads what a request says about its conversation.
pub(crate) fn conversation(schema: Schema, root: Value<'_>) -> Conversation {
    Conversation {
        id: own_id(root).map(Sensitive::new),
        cache_key: stated(root.member("prompt_cache_key")).map(Sensitive::new),
        opening: opening(schema, root).map(Sensitive::new),
    }
}

fn own_id(root: Value<'_>) -> Option<String> {
    let user = root
        .member("metadata")
        .and_then(|data| data.member("user_id"));
    let of_user = user.and_then(|user| session_of_user(&user.text()));
    of_user.or_else(|| stored_conversation(root))
}

/// The session in Claude Code's `user_id`: JSON in a string, in older versions
/// `user_…_session_<id>`.
fn session_of_user(user: &str) -> Option<String> {
    if let Ok(tape) = Tape::scan(user, 4) {
        return stated(tape.root(user).member("session_id"));
    }
    let (_, id) = user.rsplit_once("_session_")?;
    (!id.is_empty()).then(|| id.to_owned())
}

/// The conversation that the provider holds, by its id alone or in an object.
fn stored_conversation(root: Value<'_>) -> Option<String> {
    let conversation = root.member("conversation")?;
    stated(Some(conversation)).or_else(|| stated(conversation.member("id")))
}

fn stated(value: Option<Value<'_>>) -> Option<String> {
    let text = value?.text();
    (!text.is_empty()).then(|| text.into_owned())
}

/// The texts before the first user's, and that one, each with its length before it.
fn opening(schema: Schema, root: Value<'_>) -> Option<Vec<u8>> {
    let (instructions, list) = match schema {
        Schema::ChatStyle | Schema::Generic => (None, "messages"),
        Schema::MessagesStyle => (root.member("system"), "messages"),
        Schema::Responses => (root.member("instructions"), "input"),
    };
    let mut before = instructions.map(text_of).unwrap_or_default();
    let first = match root.member(list) {
        Some(input) if input.is_string() => input.text(),
        _ => first_user_text(elements(root, list), &mut before)?,
    };
    if first.is_empty() {
        return None;
    }
    let length = u64::try_from(before.len()).unwrap_or(u64::MAX);
    Some([&length.to_be_bytes(), before.as_bytes(), first.as_bytes()].concat())
}

/// The first text of a user; adds the system's own texts before it to `before`.
fn first_user_text<'t>(
    messages: impl Iterator<Item = Value<'t>>,
    before: &mut Cow<'t, str>,
) -> Option<Cow<'t, str>> {
    for message in messages {
        let role = message.member("role").map(Value::text).unwrap_or_default();
        let content = message.member("content");
        match role.as_ref() {
            "user" => {
                let text = content.map(text_of).unwrap_or_default();
                if !text.is_empty() {
                    return Some(text);
                }
            }
            "system" | "developer" => {
                before
                    .to_mut()
                    .push_str(&content.map(text_of).unwrap_or_default());
            }
            _ => {}
        }
    }
    None
}

/// A text, or the texts of a list of parts, concatenated.
fn text_of(content: Value<'_>) -> Cow<'_, str> {
    if content.is_string() {
        return content.text();
    }
    let mut parts = content.elements().filter_map(|part| {
        let text = part.member("text").map_or_else(|| part.text(), Value::text);
        (!text.is_empty()).then_some(text)
    });
    let mut text = parts.next().unwrap_or_default();
    for part in parts {
        text.to_mut().push_str(&part);
    }
    text
}

fn elements<'t>(root: Value<'t>, name: &str) -> impl Iterator<Item = Value<'t>> {
    root.member(name).into_iter().flat_map(Value::elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(schema: Schema, body: &str) -> Conversation {
        let tape = Tape::scan(body, 16).unwrap();
        conversation(schema, tape.root(body))
    }

    fn opening(schema: Schema, body: &str) -> Option<Vec<u8>> {
        of(schema, body)
            .opening
            .map(|opening| opening.expose().clone())
    }

    #[test]
    fn the_opening_ignores_later_history_and_formatting() {
        let chat = |messages: &str| {
            opening(
                Schema::ChatStyle,
                &format!("{{\"messages\": [{messages}]}}"),
            )
        };
        let system = r#"{"role": "system", "content": "be brief"}"#;
        let hello = r#"{"role": "user", "content": "hello"}"#;
        let first = chat(&format!("{system}, {hello}")).unwrap();
        for same in [
            format!(
                "{system}, {hello}, {{\"role\": \"assistant\", \"content\": \"hi\"}}, {{\"role\": \"user\", \"content\": \"more\"}}"
            ),
            format!(
                r#"{system}, {{"content": [{{"type": "text", "text": "hel"}}, {{"type": "text", "text": "lo"}}], "role": "user"}}"#
            ),
            format!(
                r#"{{"role": "developer", "content": [{{"type": "text", "text": "be brief"}}]}}, {hello}"#
            ),
        ] {
            assert_eq!(chat(&same).unwrap(), first, "{same}");
        }
        for other in [
            hello.to_owned(),
            format!("{hello}, {system}"),
            format!(r#"{system}, {{"role": "user", "content": "hell"}}"#),
        ] {
            assert_ne!(chat(&other).unwrap(), first, "{other}");
        }
    }

    #[test]
    fn every_format_gives_the_same_opening() {
        let messages = r#"{"system": [{"type": "text", "text": "be brief"}],
            "messages": [{"role": "user", "content": "hello"}]}"#;
        let items = r#"{"instructions": "be brief",
            "input": [{"role": "user", "content": [{"type": "input_text", "text": "hello"}]}]}"#;
        let string = r#"{"input": "hello", "instructions": "be brief"}"#;
        let first = opening(Schema::MessagesStyle, messages);
        assert!(first.is_some());
        assert_eq!(opening(Schema::Responses, items), first);
        assert_eq!(opening(Schema::Responses, string), first);
    }

    #[test]
    fn there_is_no_opening_without_a_user_message() {
        for body in [
            "{}",
            r#"{"messages": []}"#,
            r#"{"messages": [{"role": "system", "content": "x"}]}"#,
            r#"{"messages": [{"role": "user", "content": [{"type": "image"}]}]}"#,
            r#"{"messages": "", "input": ""}"#,
        ] {
            assert!(of(Schema::ChatStyle, body).opening.is_none(), "{body}");
        }
    }

    #[test]
    fn client_conversation_ids_are_found() {
        let id = |body: &str| of(Schema::Responses, body).id.map(|id| id.expose().clone());
        let agent =
            r#"{"metadata": {"user_id": "{\"device_id\": \"d\", \"session_id\": \"s1\"}"}}"#;
        assert_eq!(id(agent).as_deref(), Some("s1"));
        let older = r#"{"metadata": {"user_id": "user_ab_account__session_12-34"}}"#;
        assert_eq!(id(older).as_deref(), Some("12-34"));
        assert_eq!(id(r#"{"conversation": "c1"}"#).as_deref(), Some("c1"));
        assert_eq!(
            id(r#"{"conversation": {"id": "c2"}}"#).as_deref(),
            Some("c2")
        );
        assert_eq!(
            id(r#"{"metadata": {"user_id": "someone"}, "conversation": null}"#),
            None
        );
        let key = of(Schema::ChatStyle, r#"{"prompt_cache_key": "k"}"#).cache_key;
        assert_eq!(key.unwrap().expose(), "k");
    }
}
