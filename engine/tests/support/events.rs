//! Streams in the making: events, chunks and choices, restored under a few tokens.

use engine::{Restorer, Schema};
use serde_json::{Value, json};

use super::{restore, restoring};

pub(crate) const EVENTS: &str = "text/event-stream";

pub(crate) fn tokens() -> Value {
    json!({
        "<MASK_EMAIL_1>": "alice@example.com",
        "<MASK_EMAIL_2>": "bob@example.com",
        "<MASK_SECRET_3>": "a\"b\\c\nd",
    })
}

pub(crate) fn restorer(schema: Schema) -> Restorer {
    restoring(schema, &tokens(), "{}").reply(Some(EVENTS))
}

pub(crate) fn stream(schema: Schema, events: &[Value]) -> String {
    let written = events.iter().map(|event| {
        if schema == Schema::ChatStyle {
            return format!("data: {event}\n\n");
        }
        let name = event["type"].as_str().expect("a type");
        format!("event: {name}\ndata: {event}\n\n")
    });
    written.collect()
}

pub(crate) fn restored(schema: Schema, stream: &str) -> String {
    let out = restore(restorer(schema), &[stream.as_bytes()]);
    String::from_utf8(out).expect("UTF-8")
}

pub(crate) fn chunk(choices: &Value) -> Value {
    json!({"id": "c", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": choices})
}

pub(crate) fn choice(index: u32, delta: &Value) -> Value {
    json!({"index": index, "delta": delta, "finish_reason": null})
}
