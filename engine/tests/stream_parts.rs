//! Events of a stream that bring several parts of a text at once.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test stops where it finds something wrong, and reads files and the environment"
)]

mod support;

use engine::Schema;
use serde_json::{Value, json};
use support::events::{data, stream_of_data};
use support::{restore, restoring};

fn texts(schema: Schema, pointer: &str, events: &[Value]) -> String {
    let tokens = json!({"<MASK_EMAIL_1>": "alice@example.com", "<MASK_EMAIL_2>": "bob@example.com",
        "<MASK_EMAIL_12>": "carol@example.com"});
    let sent = stream_of_data(events);
    let restoring = restoring(schema, &tokens, "{}");
    let out = restore(
        restoring.reply(Some("text/event-stream")),
        &[sent.as_bytes()],
    );
    let events = data(&String::from_utf8(out).expect("UTF-8"));
    let parts = events
        .iter()
        .filter_map(|event| event.pointer(pointer)?.as_array());
    let texts = parts.flatten().filter_map(|part| part["text"].as_str());
    texts.collect()
}

/// What was held of a part was delivered behind the parts that followed it.
#[test]
fn parts_in_one_event_keep_their_order() {
    let gemini = |parts: Value, reason: Value| json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": reason}]});
    let mistral = |parts: Value, reason: Value| json!({"choices": [{"index": 0, "delta": {"content": parts}, "finish_reason": reason}]});
    for (schema, event, pointer, end) in [
        (
            Schema::Generic,
            &gemini as &dyn Fn(Value, Value) -> Value,
            "/candidates/0/content/parts",
            "STOP",
        ),
        (
            Schema::ChatStyle,
            &mistral,
            "/choices/0/delta/content",
            "stop",
        ),
    ] {
        let part = |text: &str| json!({"type": "text", "text": text});
        let call = json!({"functionCall": {"name": "f", "args": {}}});
        for (parts, next, expected) in [
            (
                json!([
                    part("from MASK_EMAIL_12"),
                    part(" to <MASK_EMAIL_2>"),
                    part(" paid")
                ]),
                " z",
                "from carol@example.com to bob@example.com paid z",
            ),
            // It may have been cut, so it is not the shorter token.
            (
                json!([part("see MASK_EMAIL_1"), part("2 ok")]),
                " z",
                "see MASK_EMAIL_12 ok z",
            ),
            (
                json!([part("a "), part("see <MASK_EMAIL_1")]),
                "2> z",
                "a see carol@example.com z",
            ),
            (
                json!([part("to <MASK_EMAIL_2>"), call, part(" and <MASK_")]),
                "EMAIL_1>",
                "to bob@example.com and alice@example.com",
            ),
        ] {
            let events = [
                event(parts, Value::Null),
                event(json!([part(next)]), Value::Null),
                event(json!([part("")]), json!(end)),
            ];
            assert_eq!(texts(schema, pointer, &events), expected);
        }
    }
}
