//! Assumes the path of a request by its body.

use serde_json::Value;

const CHAT: &str = "/v1/chat/completions";
const MESSAGES: &str = "/v1/messages";
const RESPONSES: &str = "/v1/responses";

/// Members that only one of the formats with `messages` has.
const OF_CHAT: [&str; 14] = [
    "frequency_penalty",
    "function_call",
    "functions",
    "logprobs",
    "max_completion_tokens",
    "n",
    "parallel_tool_calls",
    "presence_penalty",
    "reasoning_effort",
    "response_format",
    "seed",
    "stop",
    "stream_options",
    "top_logprobs",
];
const OF_MESSAGES: [&str; 7] = [
    "anthropic_version",
    "container",
    "context_management",
    "mcp_servers",
    "stop_sequences",
    "system",
    "thinking",
];

/// Members that bodies with `input` have where it is no text to embed or to judge.
const OF_RESPONSES: [&str; 9] = [
    "conversation",
    "include",
    "instructions",
    "max_output_tokens",
    "previous_response_id",
    "reasoning",
    "store",
    "text",
    "tools",
];

/// The path to which a body is sent.
///
/// # Errors
/// What to do when that is unclear.
pub(super) fn path(body: &[u8]) -> Result<&'static str, &'static str> {
    const UNCLEAR: &str = "the body does not show which path it is sent to: name it with --path";
    let body: Value = serde_json::from_slice(body).map_err(|_| UNCLEAR)?;
    if body["contents"].is_array() {
        return Err(
            "the path of a Gemini request names its model: give it with --path, such as \
             /v1beta/models/MODEL:generateContent",
        );
    }
    if let Some(messages) = body["messages"].as_array() {
        let of_chat = has_any(&body, &OF_CHAT) || is_chat(messages, &body);
        let of_messages = has_any(&body, &OF_MESSAGES) || is_messages(messages, &body);
        return match (of_chat, of_messages) {
            (true, false) => Ok(CHAT),
            (false, true) => Ok(MESSAGES),
            // Messages must have it.
            (false, false) if body.get("max_tokens").is_none() && are_plain(messages) => Ok(CHAT),
            _ => Err(UNCLEAR),
        };
    }
    if body.get("input").is_some() && (has_any(&body, &OF_RESPONSES) || has_items(&body["input"])) {
        return Ok(RESPONSES);
    }
    Err(UNCLEAR)
}

fn has_any(body: &Value, names: &[&str]) -> bool {
    names.iter().any(|name| body.get(name).is_some())
}

fn is_chat(messages: &[Value], body: &Value) -> bool {
    const ROLES: [&str; 4] = ["developer", "function", "system", "tool"];
    const PARTS: [&str; 3] = ["file", "image_url", "input_audio"];
    let has_role = |message: &Value| {
        message["role"]
            .as_str()
            .is_some_and(|it| ROLES.contains(&it))
    };
    let calls = |message: &Value| message.get("tool_calls").is_some();
    messages.iter().any(|it| has_role(it) || calls(it))
        || has_part(messages, &PARTS)
        || any(&body["tools"], |tool| tool.get("function").is_some())
}

fn is_messages(messages: &[Value], body: &Value) -> bool {
    const PARTS: [&str; 5] = ["document", "image", "thinking", "tool_result", "tool_use"];
    has_part(messages, &PARTS) || any(&body["tools"], |tool| tool.get("input_schema").is_some())
}

fn has_part(messages: &[Value], types: &[&str]) -> bool {
    let is_one = |part: &Value| part["type"].as_str().is_some_and(|it| types.contains(&it));
    messages
        .iter()
        .any(|message| any(&message["content"], is_one))
}

/// Whether each content is a text, or parts with a type.
fn are_plain(messages: &[Value]) -> bool {
    let is_untyped = |part: &Value| part.get("type").is_none();
    !messages
        .iter()
        .any(|message| any(&message["content"], is_untyped))
}

/// Whether the input is a list of messages and calls.
fn has_items(input: &Value) -> bool {
    any(input, |item| {
        item.get("role").is_some() || item.get("type").is_some()
    })
}

fn any(list: &Value, is_one: impl Fn(&Value) -> bool) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(is_one))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body of another format was tested as a chat completion, with other rules and roles.
    #[test]
    fn the_path_follows_the_body_format_or_is_required() {
        for (body, expected) in [
            (
                r#"{"messages": [{"role": "user", "content": "a"}]}"#,
                Some(CHAT),
            ),
            (
                r#"{"messages": [{"role": "system", "content": "a"}], "max_tokens": 9}"#,
                Some(CHAT),
            ),
            (
                r#"{"messages": [{"role": "user", "content": "a"}], "max_tokens": 9}"#,
                None,
            ),
            (
                r#"{"messages": [{"role": "user", "content": "a"}], "max_tokens": 9, "system": "b"}"#,
                Some(MESSAGES),
            ),
            (
                r#"{"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}"#,
                Some(MESSAGES),
            ),
            (
                r#"{"messages": [{"role": "tool", "content": [{"type": "tool_result"}]}]}"#,
                None,
            ),
            (
                r#"{"messages": [], "tools": [{"input_schema": {}}]}"#,
                Some(MESSAGES),
            ),
            (
                r#"{"messages": [], "tools": [{"function": {}}]}"#,
                Some(CHAT),
            ),
            // Bedrock's Converse.
            (
                r#"{"messages": [{"role": "user", "content": [{"text": "a"}]}]}"#,
                None,
            ),
            (r#"{"input": "a", "instructions": "b"}"#, Some(RESPONSES)),
            (
                r#"{"input": [{"role": "user", "content": "a"}]}"#,
                Some(RESPONSES),
            ),
            (r#"{"input": ["a", "b"]}"#, None),
            (r#"{"contents": [{"parts": [{"text": "a"}]}]}"#, None),
            (r#"{"prompt": "a"}"#, None),
            ("no", None),
        ] {
            assert_eq!(path(body.as_bytes()).ok(), expected, "{body}");
        }
        let gemini = path(br#"{"contents": []}"#).unwrap_err();
        assert!(gemini.contains("--path"), "{gemini}");
    }
}
