//! Replies that break off: the client gets everything that arrived, and no wrong value.

use crate::support;

use engine::Schema;
use serde_json::{Value, json};
use support::events::{data, stream_of_data};
use support::restoring;

/// What a client gets if this much of a reply arrives.
fn broken_off(schema: Schema, content_type: &str, arrived: &str) -> String {
    let mut restorer = restoring(schema, &tokens(), "{}").reply(Some(content_type));
    let mut out = Vec::new();
    restorer.push(arrived.as_bytes(), &mut out);
    restorer.break_off(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

/// What a client gets of a reply that ends.
fn whole(schema: Schema, content_type: &str, reply: &str) -> String {
    let mut restorer = restoring(schema, &tokens(), "{}").reply(Some(content_type));
    let mut out = Vec::new();
    restorer.push(reply.as_bytes(), &mut out);
    restorer.finish(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

fn tokens() -> Value {
    json!({"<MASK_EMAIL_1>": "alice@example.com", "<MASK_EMAIL_12>": "bob@example.com"})
}

type Event = fn(&str) -> Value;

const STREAMS: [(Schema, Event, &str); 4] = [
    (
        Schema::ChatStyle,
        |piece| json!({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": null}]}),
        "/choices/0/delta/content",
    ),
    (
        Schema::MessagesStyle,
        |piece| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}),
        "/delta/text",
    ),
    (
        Schema::Responses,
        |piece| json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": piece}),
        "/delta",
    ),
    (
        Schema::Generic,
        |piece| json!({"brand": "new", "list": [{"text": piece}]}),
        "/list/0/text",
    ),
];

/// What was held back when a stream broke off was lost.
#[test]
fn held_text_is_delivered_when_a_stream_breaks_off() {
    let cases: [(&[&str], &str); 5] = [
        (
            &["to <MASK_EM", "AIL_1> and <MASK_"],
            "to alice@example.com and <MASK_",
        ),
        (&["see <MASK_EMAIL_1"], "see <MASK_EMAIL_1"),
        (&["see <MASK_EMAIL_1", ">"], "see alice@example.com"),
        (&["a MASK_EMAIL_1", " b M"], "a alice@example.com b M"),
        // Another digit may have been on its way.
        (&["to MASK_", "EMAIL_1"], "to MASK_EMAIL_1"),
    ];
    for (schema, event, pointer) in STREAMS {
        for (pieces, expected) in cases {
            let events: Vec<_> = pieces.iter().map(|piece| event(piece)).collect();
            let sent = stream_of_data(&events);
            // With the beginning of the next event, cut anywhere, and without.
            let next = stream_of_data(&[event("next")]);
            for cut in 0..next.len() - 3 {
                let beginning = &next[..cut];
                let out = broken_off(schema, "text/event-stream", &(sent.clone() + beginning));
                let texts = data(&out);
                let texts = texts
                    .iter()
                    .filter_map(|event| event.pointer(pointer)?.as_str());
                assert_eq!(
                    texts.collect::<String>(),
                    expected,
                    "{schema:?} {beginning}"
                );
                assert!(out.trim_end().ends_with(beginning.trim_end()), "{out}");
            }
        }
    }
}

/// Such a token was restored although more of it may have been cut: by a limit on the answer's length, or where
/// another text began and this one went on behind it.
#[test]
fn a_final_token_that_may_begin_another_stays() {
    let answers: [(Schema, Event, &str); 6] = [
        (
            Schema::ChatStyle,
            |text| json!({"choices": [{"index": 0, "message": {"content": text}, "finish_reason": "length"}]}),
            "/choices/0/message/content",
        ),
        (
            Schema::ChatStyle,
            |text| json!({"choices": [{"index": 0, "message": {"tool_calls": [{"type": "function", "function": {"name": "f", "arguments": format!("{{\"a\":\"{text}")}}]}, "finish_reason": "length"}]}),
            "/choices/0/message/tool_calls/0/function/arguments",
        ),
        (
            Schema::MessagesStyle,
            |text| json!({"content": [{"type": "text", "text": text}], "stop_reason": "max_tokens"}),
            "/content/0/text",
        ),
        (
            Schema::MessagesStyle,
            |text| json!({"content": [{"type": "thinking", "thinking": text, "signature": "c2ln"}], "stop_reason": "max_tokens"}),
            "/content/0/thinking",
        ),
        (
            Schema::Responses,
            |text| json!({"status": "incomplete", "output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}]}),
            "/output/0/content/0/text",
        ),
        (
            Schema::Generic,
            |text| json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "MAX_TOKENS"}]}),
            "/candidates/0/content/parts/0/text",
        ),
    ];
    for (schema, answer, pointer) in answers {
        for (text, stays) in [
            ("see MASK_EMAIL_1", true),
            ("**MASK_EMAIL_1", true),
            ("see MASK_EMAIL_12", false),
            ("see MASK_EMAIL_1.", false),
            ("see <MASK_EMAIL_1>", false),
        ] {
            let out = whole(schema, "application/json", &answer(text).to_string());
            let out: Value = serde_json::from_str(&out).expect("JSON");
            let out = out
                .pointer(pointer)
                .and_then(Value::as_str)
                .expect("a text");
            assert_eq!(out.ends_with(text), stays, "{schema:?} {text} {out}");
        }
    }
}

/// The value of the shorter token was delivered, with the rest of the longer one behind it.
#[test]
fn an_interrupted_token_is_not_restored_as_a_shorter_one() {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    for other in [
        json!({"reasoning_content": "hm"}),
        json!({"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}),
    ] {
        let sent = stream_of_data(&[
            delta(json!({"content": "see MASK_EMAIL_1"})),
            delta(other),
            delta(json!({"content": "2 ok"})),
        ]);
        let events = data(&whole(Schema::ChatStyle, "text/event-stream", &sent));
        let content = events
            .iter()
            .filter_map(|event| event.pointer("/choices/0/delta/content")?.as_str());
        let content: String = content.collect();
        let texts = ["see MASK_EMAIL_12 ok", "see bob@example.com ok"];
        assert!(texts.contains(&&*content), "{content}");
    }
}

#[test]
fn an_incomplete_line_or_element_follows_held_text() {
    let event = |piece: &str| json!({"list": [{"text": piece}]}).to_string();
    let first = event("to <MASK_");
    for (content_type, sent, beginning) in [
        (
            "application/x-ndjson",
            format!("{first}\n"),
            "{\"list\":[{\"te",
        ),
        ("application/json", format!("[{first},"), "{\"list\":[{\"te"),
    ] {
        let out = broken_off(Schema::Generic, content_type, &(sent.clone() + beginning));
        assert_eq!(out, sent + beginning);
    }
}

#[test]
fn a_truncated_document_or_text_is_delivered() {
    for (content_type, arrived, expected) in [
        (
            "application/json",
            r#"{"a":"<MASK_EMAIL_1>","b":"MASK_EMAIL_1"#,
            r#"{"a":"alice@example.com","b":"MASK_EMAIL_1"#,
        ),
        (
            "text/plain",
            "to MASK_EMAIL_12, MASK_EMAIL_1",
            "to bob@example.com, MASK_EMAIL_1",
        ),
    ] {
        let out = broken_off(Schema::ChatStyle, content_type, arrived);
        assert_eq!(out, expected);
    }
}

/// Arguments of a call, which are collected.
#[test]
fn truncated_arguments_are_delivered() {
    let event = |piece: &str| {
        let call = json!({"index": 0, "function": {"arguments": piece}});
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]})
    };
    let pieces = ["{\"to\":\"<MASK_EM", "AIL_1>\",\"cc\":\"MASK_EMAIL_1"];
    let sent = stream_of_data(&pieces.map(event));
    let out = data(&broken_off(Schema::ChatStyle, "text/event-stream", &sent));
    let pointer = "/choices/0/delta/tool_calls/0/function/arguments";
    let arguments = out
        .iter()
        .filter_map(|event| event.pointer(pointer)?.as_str());
    assert_eq!(
        arguments.collect::<String>(),
        "{\"to\":\"alice@example.com\",\"cc\":\"MASK_EMAIL_1"
    );
}
