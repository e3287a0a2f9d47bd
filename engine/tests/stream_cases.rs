//! Streams whose texts were once mixed up or delivered late: choices, blocks and items.

use crate::support;

use engine::Schema;
use serde_json::{Value, json};
use support::accumulate::accumulate;
use support::events::{choice, chunk, restored, stream};

fn restored_events(schema: Schema, events: &[Value]) -> Vec<Value> {
    let out = restored(schema, &stream(schema, events));
    let data = out.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).expect("JSON"))
        .collect()
}

fn finish(index: u32, reason: &str) -> Value {
    json!({"index": index, "delta": {}, "finish_reason": reason})
}

fn call(index: u32, id: Option<&str>, arguments: &str) -> Value {
    let mut call = json!({"index": index, "function": {"arguments": arguments}});
    if let Some(id) = id {
        call["id"] = id.into();
        call["type"] = "function".into();
        call["function"]["name"] = "f".into();
    }
    json!({"tool_calls": [call]})
}

fn chat(choices: &[Value]) -> Value {
    let events: Vec<_> = choices.iter().map(chunk).collect();
    accumulate(
        Schema::ChatStyle,
        restored(Schema::ChatStyle, &stream(Schema::ChatStyle, &events)).as_bytes(),
    )
}

#[test]
fn choices_that_are_interleaved_are_not_mixed() {
    let both = |one: &str, other: &str| {
        json!([
            choice(0, &json!({"content": one})),
            choice(1, &json!({"content": other}))
        ])
    };
    let got = chat(&[
        both("to <MASK_", "of <MASK_EM"),
        json!([choice(1, &json!({"content": "AIL_2> and"}))]),
        json!([choice(0, &json!({"content": "EMAIL_1>"}))]),
        json!([choice(
            1,
            &call(0, Some("b"), "{\"to\":\"<MASK_EMAIL_2>\"}")
        )]),
        json!([choice(0, &call(0, Some("a"), "{\"to\":\"<MASK_EMAIL"))]),
        json!([choice(0, &call(0, None, "_1>\"}"))]),
        json!([finish(0, "tool_calls"), finish(1, "tool_calls")]),
    ]);
    for (index, content, id, to) in [
        (0, "to alice@example.com", "a", "alice@example.com"),
        (1, "of bob@example.com and", "b", "bob@example.com"),
    ] {
        let choice = &got["choices"][index];
        assert_eq!(choice["message"]["content"], content);
        let call = &choice["message"]["tool_calls"][0];
        assert_eq!(call["id"], id);
        let arguments = call["function"]["arguments"].as_str().expect("text");
        assert_eq!(arguments, json!({"to": to}).to_string());
        assert_eq!(choice["finish_reason"], "tool_calls");
    }
}

#[test]
fn held_text_comes_before_the_call_that_follows_it() {
    let events = restored_events(
        Schema::ChatStyle,
        &[
            chunk(&json!([choice(0, &json!({"content": "see <MASK_EMA"}))])),
            chunk(&json!([choice(0, &{
                let mut delta = call(0, Some("a"), "{\"to\":\"<MASK_EMAIL_1>\"}");
                delta["content"] = "IL_1> and <MASK_".into();
                delta
            })])),
            chunk(&json!([finish(0, "tool_calls")])),
        ],
    );
    let mut text = String::new();
    for event in &events {
        let delta = &event["choices"][0]["delta"];
        text += delta["content"].as_str().unwrap_or_default();
        if delta["tool_calls"].is_array() {
            break;
        }
        assert_eq!(
            (&event["id"], &event["created"], &event["model"]),
            (&json!("c"), &json!(7), &json!("m"))
        );
    }
    assert_eq!(text, "see alice@example.com and <MASK_");
}

#[test]
fn truncated_and_empty_arguments_are_delivered() {
    let got = chat(&[
        json!([choice(0, &call(0, Some("a"), ""))]),
        json!([choice(
            0,
            &call(
                1,
                Some("b"),
                "{\"to\":\"<MASK_EMAIL_1>\",\"cut\":\"<MASK_EM"
            )
        )]),
        json!([finish(0, "length")]),
    ]);
    let calls = &got["choices"][0]["message"]["tool_calls"];
    assert_eq!(
        (&calls[0]["id"], &calls[0]["function"]["arguments"]),
        (&json!("a"), &json!(""))
    );
    assert_eq!(
        calls[1]["function"]["arguments"],
        "{\"to\":\"alice@example.com\",\"cut\":\"<MASK_EM"
    );
    assert_eq!(got["choices"][0]["finish_reason"], "length");
}

#[test]
fn done_and_stop_follow_all_held_text() {
    let chat = stream(
        Schema::ChatStyle,
        &[chunk(&json!([choice(
            0,
            &json!({"content": "end <MASK_EMA"})
        )]))],
    );
    let out = restored(Schema::ChatStyle, &(chat + "data: [DONE]\n\n"));
    assert!(
        out.contains("<MASK_EMA") && out.ends_with("data: [DONE]\n\n"),
        "{out}"
    );

    let out = restored(
        Schema::MessagesStyle,
        &stream(
            Schema::MessagesStyle,
            &[
                block_start(0, &json!({"type": "text", "text": ""})),
                block_delta(0, &json!({"type": "text_delta", "text": "end <MASK_EMA"})),
                json!({"type": "message_stop"}),
            ],
        ),
    );
    let (before, after) = out.split_once("event: message_stop").expect("the stop");
    assert!(
        before.contains("<MASK_EMA") && after.ends_with("{\"type\":\"message_stop\"}\n\n"),
        "{out}"
    );
    assert_eq!(after.matches("data:").count(), 1, "{out}");
}

/// Some servers say more after the end; it stays where it is.
#[test]
fn events_after_done_stay_after_it() {
    let chunk = json!({"id": "c", "choices": [], "note": "<MASK_EMAIL_1>"});
    let text = format!("data: [DONE]\n\ndata: {chunk}\n\n");
    let out = restored(Schema::ChatStyle, &text);
    assert_eq!(out, text.replace("<MASK_EMAIL_1>", "alice@example.com"));
}

#[test]
fn a_usage_chunk_passes_with_its_counts() {
    let usage = json!({"id": "c", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": [], "usage": {"total_tokens": 3}});
    let events = restored_events(
        Schema::ChatStyle,
        &[
            chunk(&json!([choice(0, &json!({"content": "to <MASK_"}))])),
            chunk(&json!([finish(0, "stop")])),
            usage.clone(),
        ],
    );
    assert_eq!(events.last(), Some(&usage));
    let texts: String = events
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert_eq!(texts, "to <MASK_");
}

fn block_start(index: u32, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn block_delta(index: u32, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn block_stop(index: u32) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn message(events: Vec<Value>) -> Value {
    let start = json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}});
    let all: Vec<_> = std::iter::once(start)
        .chain(events)
        .chain([json!({"type": "message_stop"})])
        .collect();
    let out = restored(Schema::MessagesStyle, &stream(Schema::MessagesStyle, &all));
    accumulate(Schema::MessagesStyle, out.as_bytes())
}

#[test]
fn blocks_that_are_interleaved_are_not_mixed() {
    let text = |index, text: &str| block_delta(index, &json!({"type": "text_delta", "text": text}));
    let input = |index, json: &str| {
        block_delta(
            index,
            &json!({"type": "input_json_delta", "partial_json": json}),
        )
    };
    let got = message(vec![
        block_start(0, &json!({"type": "text", "text": ""})),
        block_start(1, &json!({"type": "text", "text": ""})),
        text(0, "<MASK_EM"),
        text(1, "<MASK_EMAI"),
        text(0, "AIL_1>!"),
        text(1, "L_2>?"),
        block_stop(1),
        block_stop(0),
        block_start(
            2,
            &json!({"type": "tool_use", "id": "a", "name": "f", "input": {}}),
        ),
        block_start(
            3,
            &json!({"type": "tool_use", "id": "b", "name": "f", "input": {}}),
        ),
        input(2, "{\"to\":\"<MASK_"),
        input(3, "{\"to\":\"<MASK_EMAIL_"),
        input(2, "EMAIL_1>\"}"),
        input(3, "2>\"}"),
        block_stop(2),
        block_stop(3),
    ]);
    assert_eq!(got["content"][0]["text"], "alice@example.com!");
    assert_eq!(got["content"][1]["text"], "bob@example.com?");
    assert_eq!(
        got["content"][2]["input"],
        json!({"to": "alice@example.com"})
    );
    assert_eq!(got["content"][3]["input"], json!({"to": "bob@example.com"}));
}

#[test]
fn arguments_keep_numbers_escapes_and_spacing() {
    let written =
        r#"{ "n":1.50, "e": 1e3,"s" : "caf\u00e9 <MASK_SECRET_3>", "n":12345678901234567890123 }"#;
    let expected = written.replace("<MASK_SECRET_3>", r#"a\"b\\c\nd"#);
    let pieces = written.as_bytes().chunks(5).map(|piece| {
        let json = String::from_utf8(piece.to_vec()).expect("ASCII");
        block_delta(
            0,
            &json!({"type": "input_json_delta", "partial_json": json}),
        )
    });
    let tool = json!({"type": "tool_use", "id": "a", "name": "f", "input": {}});
    let events: Vec<_> = std::iter::once(block_start(0, &tool))
        .chain(pieces)
        .chain([block_stop(0)])
        .collect();
    let deltas: Vec<_> = restored_events(Schema::MessagesStyle, &events)
        .iter()
        .filter_map(|event| event["delta"]["partial_json"].as_str().map(str::to_owned))
        .filter(|piece| !piece.is_empty())
        .collect();
    assert_eq!(deltas, [expected], "in one piece");
}

#[test]
fn held_thinking_comes_before_its_signature() {
    let events = restored_events(
        Schema::MessagesStyle,
        &[
            block_start(
                0,
                &json!({"type": "thinking", "thinking": "", "signature": ""}),
            ),
            block_delta(
                0,
                &json!({"type": "thinking_delta", "thinking": "so <MASK_EM"}),
            ),
            block_delta(0, &json!({"type": "signature_delta", "signature": "s"})),
            block_stop(0),
        ],
    );
    let kinds: Vec<_> = events
        .iter()
        .filter_map(|event| event["delta"]["type"].as_str())
        .collect();
    assert_eq!(kinds.last(), Some(&"signature_delta"), "{events:?}");
    let thinking: String = events
        .iter()
        .filter_map(|event| event["delta"]["thinking"].as_str())
        .collect();
    assert_eq!(thinking, "so <MASK_EM");
}

#[test]
fn an_error_inside_a_stream_is_restored_after_held_text() {
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "about <MASK_EMAIL_1>"}});
    let events = restored_events(
        Schema::MessagesStyle,
        &[
            block_start(0, &json!({"type": "text", "text": ""})),
            block_delta(0, &json!({"type": "text_delta", "text": "to <MASK_"})),
            error,
        ],
    );
    let last = events.last().expect("the error");
    assert_eq!(last["error"]["message"], "about alice@example.com");
    let texts: String = events
        .iter()
        .filter_map(|event| event["delta"]["text"].as_str())
        .collect();
    assert_eq!(texts, "to <MASK_");
}

#[test]
fn a_stream_without_its_end_is_flushed_and_nothing_is_invented() {
    let events = [
        block_start(0, &json!({"type": "text", "text": ""})),
        block_delta(
            0,
            &json!({"type": "text_delta", "text": "to <MASK_EMAIL_1> or <MASK_"}),
        ),
    ];
    let out = restored(
        Schema::MessagesStyle,
        &stream(Schema::MessagesStyle, &events),
    );
    assert!(
        out.contains("alice@example.com or ") && out.contains("<MASK_"),
        "{out}"
    );
    assert!(!out.contains("_stop"), "{out}");
}

#[test]
fn pieces_of_shell_output_are_restored_and_precede_their_item() {
    let delta = |stdout: &str, number: u32| {
        json!({"type": "response.shell_call_output_content.delta", "output_index": 0, "item_id": "i",
            "command_index": 0, "sequence_number": number, "delta": {"stdout": stdout, "stderr": "<MASK_EMA"}})
    };
    let item = json!({"type": "shell_call_output", "output": [{"stdout": "<MASK_EMAIL_1>", "stderr": "<MASK_EMA<MASK_EMA"}]});
    let events = restored_events(
        Schema::Responses,
        &[
            delta("<MASK_EM", 1),
            delta("AIL_1>", 2),
            json!({"type": "response.output_item.done", "output_index": 0, "sequence_number": 3, "item": item}),
        ],
    );
    let of = |name: &str| -> String {
        events
            .iter()
            .filter_map(|event| event["delta"][name].as_str())
            .collect()
    };
    assert_eq!(of("stdout"), "alice@example.com");
    assert_eq!(of("stderr"), "<MASK_EMA<MASK_EMA");
    assert_eq!(
        events.last().expect("the item")["type"],
        "response.output_item.done"
    );
    assert_eq!(
        events.last().expect("the item")["item"]["output"][0]["stdout"],
        "alice@example.com"
    );
}

#[test]
fn an_item_done_event_follows_its_held_text() {
    let of = |kind: &str, number: u32, rest: &Value| {
        let mut event = json!({"type": format!("response.{kind}"), "item_id": "i", "output_index": 0, "content_index": 0, "sequence_number": number});
        for (name, value) in rest.as_object().expect("members") {
            event[name] = value.clone();
        }
        event
    };
    let part = json!({"type": "output_text", "text": "to <MASK_"});
    let events = restored_events(
        Schema::Responses,
        &[
            of("output_text.delta", 1, &json!({"delta": "to <MASK_"})),
            of(
                "output_item.done",
                2,
                &json!({"item": {"type": "message", "content": [part]}}),
            ),
            of("output_text.done", 3, &json!({"text": "to <MASK_"})),
        ],
    );
    let kinds: Vec<_> = events
        .iter()
        .map(|event| event["type"].as_str().expect("a type"))
        .collect();
    let item = kinds
        .iter()
        .position(|kind| kind.ends_with("item.done"))
        .expect("the item");
    let texts: String = events[..item]
        .iter()
        .filter_map(|event| event["delta"].as_str())
        .collect();
    assert_eq!(texts, "to <MASK_", "{kinds:?}");
    let numbers: Vec<_> = events
        .iter()
        .map(|event| event["sequence_number"].as_u64())
        .collect();
    assert!(numbers.is_sorted(), "{numbers:?}");
}

/// It once became U+FFFD: some clients check what they signed or cached.
#[test]
fn a_lone_surrogate_escape_in_a_call_stays_unchanged() {
    let arguments = |piece: &str| {
        format!(
            r#"data: {{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"f","arguments":"{piece}"}}}}]}}}}]}}"#
        ) + "\n\n"
    };
    let whole =
        r#"{\"to\":\"<MASK_EMAIL_1>\",\"half\":\"\ud83d\",\"whole\":\"\ud83d\ude00\u00e9\"}"#;
    for at in [0, 12, whole.len()] {
        let (front, back) = whole.split_at(at);
        let out = restored(Schema::ChatStyle, &(arguments(front) + &arguments(back)));
        let written = whole.replace("<MASK_EMAIL_1>", "alice@example.com");
        assert!(out.contains(&written), "{out}");
    }
}
