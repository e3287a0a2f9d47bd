//! Builds streams of events, chunks and choices.

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

pub(crate) const PIECES: [&str; 4] = ["to <MASK_EM", "AIL_1> and MASK", "_EMAIL_2", "."];
pub(crate) const WHOLE: &str = "to alice@example.com and bob@example.com.";

/// What a client puts together from the strings at a place of the events, in each chunking.
pub(crate) fn joined(schema: Schema, sent: &str, content_type: &str, pointer: &str) -> String {
    let begin = restoring(schema, &tokens(), "{}");
    let whole = restore(begin.reply(Some(content_type)), &[sent.as_bytes()]);
    let bytes: Vec<_> = sent.as_bytes().chunks(1).collect();
    let by_bytes = restore(begin.reply(Some(content_type)), &bytes);
    assert_eq!(
        String::from_utf8_lossy(&whole),
        String::from_utf8_lossy(&by_bytes)
    );
    let out = String::from_utf8(whole).expect("UTF-8");
    let values: Vec<Value> = if let Ok(Value::Array(list)) = serde_json::from_str(&out) {
        list
    } else {
        let lines = out
            .lines()
            .map(|line| line.strip_prefix("data: ").unwrap_or(line));
        lines
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    };
    values
        .iter()
        .filter_map(|value| value.pointer(pointer)?.as_str())
        .collect()
}

pub(crate) fn restored_whole(schema: Schema, body: &Value, request: &str) -> Value {
    let begin = restoring(schema, &tokens(), request);
    let out = restore(
        begin.reply(Some("application/json")),
        &[body.to_string().as_bytes()],
    );
    serde_json::from_slice(&out).expect("JSON")
}

pub(crate) fn stream_of_data(events: &[Value]) -> String {
    let written = events.iter().map(|event| format!("data: {event}\n\n"));
    written.collect()
}

/// The data of each event that is an object.
pub(crate) fn data(stream: &str) -> Vec<Value> {
    let lines = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

pub(crate) fn chat(deltas: &[Value]) -> String {
    let choices = deltas.iter().map(|delta| chunk(&json!([choice(0, delta)])));
    stream(Schema::ChatStyle, &choices.collect::<Vec<_>>())
}
