//! Minimal requests and replies of the schemas.

use engine::Schema;
use serde_json::{Value, json};

/// A request with one text.
pub(super) fn ask(schema: Schema, text: &str, stream: bool) -> String {
    let message = json!({"role": "user", "content": text});
    let body = match schema {
        Schema::Responses => json!({"model": "doctor", "input": [message], "stream": stream}),
        _ => json!({"model": "doctor", "max_tokens": 99, "messages": [message], "stream": stream}),
    };
    body.to_string()
}

/// The text of such a request.
pub(super) fn text_of(request: &str) -> String {
    let body: Value = serde_json::from_str(request).unwrap_or_default();
    let text = [
        &body["messages"][0]["content"],
        &body["input"][0]["content"],
    ]
    .into_iter()
    .find_map(Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// Whether such a request asks for a stream.
pub(super) fn asks_for_stream(request: &str) -> bool {
    let body: Value = serde_json::from_str(request).unwrap_or_default();
    body["stream"] == true
}

/// A reply with one text.
pub(super) fn reply(schema: Schema, text: &str) -> String {
    let body = match schema {
        Schema::ChatStyle | Schema::Generic => {
            json!({"id": "x", "object": "chat.completion", "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]})
        }
        Schema::MessagesStyle => json!({"id": "x", "type": "message", "role": "assistant",
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}),
        Schema::Responses => json!({"id": "x", "object": "response", "output": [
            {"type": "message", "id": "y", "role": "assistant", "content": [
                {"type": "output_text", "text": text, "annotations": []}]}]}),
    };
    body.to_string()
}

/// The same as a stream that cuts the text into single characters.
pub(super) fn stream(schema: Schema, text: &str) -> String {
    let mut events = String::new();
    let mut add = |name: &str, data: &Value| {
        if !matches!(schema, Schema::ChatStyle | Schema::Generic) {
            events.extend(["event: ", name, "\n"]);
        }
        events.extend(["data: ", &data.to_string(), "\n\n"]);
    };
    for piece in text.chars().map(String::from) {
        match schema {
            Schema::ChatStyle | Schema::Generic => add(
                "",
                &json!({"id": "x", "object": "chat.completion.chunk", "choices": [
                    {"index": 0, "delta": {"content": piece}}]}),
            ),
            Schema::MessagesStyle => add(
                "content_block_delta",
                &json!({"type": "content_block_delta", "index": 0,
                    "delta": {"type": "text_delta", "text": piece}}),
            ),
            Schema::Responses => add(
                "response.output_text.delta",
                &json!({"type": "response.output_text.delta", "item_id": "y",
                    "output_index": 0, "content_index": 0, "delta": piece}),
            ),
        }
    }
    match schema {
        Schema::ChatStyle | Schema::Generic => events += "data: [DONE]\n\n",
        Schema::MessagesStyle => add("message_stop", &json!({"type": "message_stop"})),
        Schema::Responses => add("response.completed", &json!({"type": "response.completed"})),
    }
    events
}

/// The text that the events of a stream contain together.
pub(super) fn text_of_stream(events: &str) -> String {
    let mut text = String::new();
    for data in events.lines().filter_map(|line| line.strip_prefix("data:")) {
        let data: Value = serde_json::from_str(data.trim()).unwrap_or_default();
        let pieces = [
            &data["choices"][0]["delta"]["content"],
            &data["delta"]["text"],
            &data["delta"],
        ];
        text.extend(pieces.into_iter().find_map(Value::as_str));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip_in_every_schema() {
        for schema in [Schema::ChatStyle, Schema::MessagesStyle, Schema::Responses] {
            assert_eq!(text_of(&ask(schema, "é <b>", true)), "é <b>");
            assert!(asks_for_stream(&ask(schema, "", true)));
            assert_eq!(text_of_stream(&stream(schema, "é <b>")), "é <b>");
            assert!(reply(schema, "é <b>").contains("é <b>"));
        }
    }
}
