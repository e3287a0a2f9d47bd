//! Events of a stream that bring several parts of a text at once.

use crate::support;

use engine::Schema;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
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
            // What is held begins no token. It was lost.
            (
                json!([part("if a "), part("So M")]),
                "r X <",
                "if a So Mr X <",
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

/// The arguments of a call in pieces went on with one another, and their ends came behind the call.
#[test]
fn partial_arguments_at_different_paths_stay_separate() {
    let tokens =
        json!({"<MASK_EMAIL_1>": "alice@example.com", "<MASK_EMAIL_12>": "carol@example.com"});
    let event = |call: Value| json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"functionCall": call}]}}]});
    let piece = |path: &str, text: &str, goes_on: bool| {
        event(
            json!({"willContinue": true, "partialArgs": [{"jsonPath": path, "stringValue": text, "willContinue": goes_on}]}),
        )
    };
    let events = [
        event(json!({"name": "f", "willContinue": true})),
        piece("$.to", "MASK_EMAIL_1", false),
        piece("$.count", "2 pieces of <MASK_", true),
        piece("$.count", "EMAIL_12>, if a <", false),
        event(json!({})),
    ];
    let restoring = restoring(Schema::Generic, &tokens, "{}");
    let sent = stream_of_data(&events);
    let out = restore(
        restoring.reply(Some("text/event-stream")),
        &[sent.as_bytes()],
    );
    let events = data(&String::from_utf8(out).expect("UTF-8"));
    let pieces = events.iter().filter_map(|event| {
        let piece = event.pointer("/candidates/0/content/parts/0/functionCall/partialArgs/0")?;
        Some(format!(
            "{}={}",
            piece["jsonPath"].as_str()?,
            piece["stringValue"].as_str()?
        ))
    });
    let pieces: Vec<_> = pieces.collect();
    assert_eq!(pieces[0], "$.to=MASK_EMAIL_1");
    let count: String = pieces[1..]
        .iter()
        .map(|it| it.replace("$.count=", ""))
        .collect();
    assert_eq!(count, "2 pieces of carol@example.com, if a <");
    assert_eq!(events.len(), 5, "{events:?}");
}

/// What one agent's text ended with came at the beginning of another one's.
#[test]
fn concurrent_agents_texts_stay_separate() {
    type Event = fn(&str, &str) -> Value;
    let ways: [(Event, &str, &str); 5] = [
        (
            |who, text| json!({"author": who, "content": {"parts": [{"text": text}]}, "partial": true}),
            "/author",
            "/content/parts/0/text",
        ),
        (
            |who, text| json!({"type": "chunk", "source": who, "content": text}),
            "/source",
            "/content",
        ),
        (
            |who, text| json!({"agent_id": who, "id": text.len(), "chunk": text}),
            "/agent_id",
            "/chunk",
        ),
        (
            |who, text| json!({"event": "text_chunk", "data": {"text": text, "from_variable_selector": [who, "text"]}}),
            "/data/from_variable_selector/0",
            "/data/text",
        ),
        (
            |who, text| json!({"ops": [{"op": "add", "path": who, "value": text}]}),
            "/ops/0/path",
            "/ops/0/value",
        ),
    ];
    let tokens =
        json!({"<MASK_EMAIL_1>": "alice@example.com", "<MASK_EMAIL_2>": "bob@example.com"});
    let restoring = restoring(Schema::Generic, &tokens, "{}");
    for (event, who, text) in ways {
        let pieces = [
            ("one", "hello there"),
            ("two", "well, "),
            ("one", ", ask <MASK_"),
            ("two", "it is <MASK_EMAIL_"),
            ("one", "EMAIL_1> to"),
            ("two", "2> and <"),
            ("one", "morrow"),
            ("two", " 3"),
        ];
        let events: Vec<_> = pieces.iter().map(|(who, text)| event(who, text)).collect();
        let sent = stream_of_data(&events);
        let out = restore(
            restoring.reply(Some("text/event-stream")),
            &[sent.as_bytes()],
        );
        let events = data(&String::from_utf8(out).expect("UTF-8"));
        let said = |by: &str| -> String {
            let events = events
                .iter()
                .filter(|event| event.pointer(who) == Some(&json!(by)));
            events
                .filter_map(|event| event.pointer(text)?.as_str())
                .collect()
        };
        assert_eq!(
            said("one"),
            "hello there, ask alice@example.com tomorrow",
            "{who}"
        );
        assert_eq!(said("two"), "well, it is bob@example.com and < 3", "{who}");
    }
}

/// The texts of a stream under each value of `key`, and whether each is whole where its end is told.
fn told(events: &[Value], key: &str) -> BTreeMap<String, String> {
    let tokens =
        json!({"<MASK_EMAIL_1>": "alice@example.com", "<MASK_EMAIL_2>": "bob@example.com"});
    let restoring = restoring(Schema::Generic, &tokens, "{}");
    let sent = stream_of_data(events);
    let out = restore(
        restoring.reply(Some("text/event-stream")),
        &[sent.as_bytes()],
    );
    let mut texts = BTreeMap::new();
    let mut ended = BTreeSet::new();
    for event in data(&String::from_utf8(out).expect("UTF-8")) {
        let Some(id) = event[key].as_str().map(str::to_owned) else {
            continue;
        };
        let kind = event["type"].as_str().or_else(|| event["event"].as_str());
        let kind = kind.unwrap_or_default().to_lowercase();
        if kind.ends_with("end") {
            ended.insert(id);
        } else if let Some(delta) = event["delta"].as_str() {
            assert!(!ended.contains(&id), "{event} comes after the end of {id}");
            texts.entry(id).or_insert_with(String::new).push_str(delta);
        }
    }
    texts
}

/// `%` came after the event that ended its message, which clients of AG-UI refuse: `TEXT_MESSAGE_END` was no end.
#[test]
fn a_text_is_complete_before_its_end_event() {
    for (begin, piece, end, key) in [
        (
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "messageId",
        ),
        (
            "TOOL_CALL_START",
            "TOOL_CALL_ARGS",
            "TOOL_CALL_END",
            "toolCallId",
        ),
        ("text-start", "text-delta", "text-end", "id"),
        ("textStart", "textDelta", "textEnd", "id"),
    ] {
        for name in ["type", "event"] {
            let event = |kind: &str, id: &str| json!({name: kind, key: id});
            let text = |id: &str, text: &str| json!({name: piece, key: id, "delta": text});
            let events = [
                event(begin, "one"),
                text("one", "It is "),
                text("one", "100%"),
                event(end, "one"),
                json!({name: "RUN_FINISHED"}),
            ];
            assert_eq!(told(&events, key)["one"], "It is 100%", "{name}: {piece}");
        }
    }
}

/// The beginning or end of one message ended another one's token, and what one ended with came at the beginning of the other.
#[test]
fn starting_or_ending_a_message_leaves_others_intact() {
    for (begin, piece, end, key) in [
        (
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "messageId",
        ),
        ("text-start", "text-delta", "text-end", "id"),
        (
            "tool-input-start",
            "tool-input-delta",
            "tool-input-end",
            "toolCallId",
        ),
    ] {
        let event = |kind: &str, id: &str| json!({"type": kind, key: id});
        let text = |id: &str, text: &str| json!({"type": piece, key: id, "delta": text});
        let events = [
            event(begin, "one"),
            text("one", "to <MASK_E"),
            event(begin, "two"),
            text("two", "MAY"),
            text("two", " be <MASK_EMAIL_"),
            text("one", "MAIL_1> or"),
            text("one", " <MASK_"),
            text("two", "2> &"),
            event(end, "two"),
            text("one", "EMAIL_2>"),
            event(end, "one"),
        ];
        let texts = told(&events, key);
        assert_eq!(
            texts["one"], "to alice@example.com or bob@example.com",
            "{piece}"
        );
        assert_eq!(texts["two"], "MAY be bob@example.com &", "{piece}");
    }
}

/// A token stayed where a call came between its halves.
#[test]
fn a_call_does_not_break_a_split_token() {
    let delta =
        |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    for name in ["content", "reasoning_content"] {
        let call = json!({"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]});
        let events = [
            delta(json!({name: "a <MASK_EM"})),
            delta(call),
            delta(json!({name: "AIL_1> z"})),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
        ];
        let tokens = json!({"<MASK_EMAIL_1>": "alice@example.com"});
        let restoring = restoring(Schema::ChatStyle, &tokens, "{}");
        let sent = stream_of_data(&events);
        let out = restore(
            restoring.reply(Some("text/event-stream")),
            &[sent.as_bytes()],
        );
        let pointer = format!("/choices/0/delta/{name}");
        let events = data(&String::from_utf8(out).expect("UTF-8"));
        let texts = events
            .iter()
            .filter_map(|event| event.pointer(&pointer)?.as_str());
        assert_eq!(texts.collect::<String>(), "a alice@example.com z", "{name}");
    }
}

/// A token stayed where a tool was started between its halves, by an event that names nothing.
#[test]
fn an_anonymous_tool_start_does_not_break_a_split_token() {
    let text = |text: &str| json!({"type": "token", "content": text});
    let events = [
        text("a <MASK_E"),
        json!({"type": "tool_start", "name": "search"}),
        text("MAIL_1> z"),
        json!({"type": "done"}),
    ];
    let tokens = json!({"<MASK_EMAIL_1>": "alice@example.com"});
    let restoring = restoring(Schema::Generic, &tokens, "{}");
    let sent = stream_of_data(&events);
    let out = restore(
        restoring.reply(Some("text/event-stream")),
        &[sent.as_bytes()],
    );
    let events = data(&String::from_utf8(out).expect("UTF-8"));
    let texts = events.iter().filter_map(|event| event["content"].as_str());
    assert_eq!(texts.collect::<String>(), "a alice@example.com z");
}
