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
fn arguments_at_places_of_their_own_are_apart() {
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
fn agents_that_write_at_the_same_time_are_apart() {
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
fn a_text_is_whole_before_its_end_is_told() {
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
fn a_message_that_begins_or_ends_leaves_others_alone() {
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
fn a_call_between_the_halves_of_a_token_leaves_it_whole() {
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
fn a_start_between_the_halves_of_a_token_leaves_it_whole() {
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

/// How an event says that a text, or all of a reply, is over.
fn ends() -> Vec<Value> {
    let mut ends = Vec::new();
    for flag in [
        "done",
        "stop",
        "is_end",
        "isFinal",
        "is_finished",
        "finished",
        "final",
        "last",
        "is_last",
        "end",
        "complete",
        "finish",
        "eos",
        "turnComplete",
    ] {
        ends.push(json!({ flag: true }));
        ends.push(json!({"data": { flag: true }}));
    }
    for kind in [
        "abort",
        "finish-step",
        "tripwire",
        "RunCancelled",
        "RunPaused",
        "expired",
        "thread.run.requires_action",
        "workflow_paused",
        "answer.replace",
        "response.cancelled",
        "aborted",
        "interrupted",
        "timeout",
        "close",
        "eos",
        "workflow_finished",
        "node_finished",
    ] {
        ends.push(json!({ "type": kind }));
        ends.push(json!({ "event": kind }));
    }
    ends.extend([
        json!({"contentBlockStop": {"contentBlockIndex": 0}}),
        json!({"status": "completed"}),
        json!({"state": "done"}),
        json!({"result": {"kind": "status-update", "final": true, "status": {"state": "input-required"}}}),
        json!({"finish_reason": "sensitive"}),
        json!({"finish_reason": "network_error"}),
        json!({"finishReason": "MODEL_ARMOR"}),
    ]);
    ends
}

/// The last character of a text came behind the event with which readers stop.
#[test]
fn a_text_is_whole_before_the_event_that_says_so() {
    let restoring = restoring(
        Schema::Generic,
        &json!({"<MASK_EMAIL_1>": "alice@example.com"}),
        "{}",
    );
    let events_of = |sent: &str| {
        let out = restore(
            restoring.reply(Some("text/event-stream")),
            &[sent.as_bytes()],
        );
        data(&String::from_utf8(out).expect("UTF-8"))
    };
    for end in ends() {
        for tail in ["M", "<", "&", "%", "\\"] {
            let events = [
                json!({"text": "it is "}),
                json!({"text": format!("5 {tail}")}),
                end.clone(),
            ];
            let events = events_of(&stream_of_data(&events));
            let last = events.iter().position(|event| *event == end);
            let before = events[..last.expect("the end")].iter();
            let text: String = before.filter_map(|event| event["text"].as_str()).collect();
            assert_eq!(text, format!("it is 5 {tail}"), "{end}");
        }
    }
    let text = json!({"generated_text": "5 %", "token": {"text": " %"}});
    let events = events_of(&stream_of_data(&[
        json!({"token": {"text": "5"}}),
        text.clone(),
    ]));
    assert_eq!(events[1], text);
    let text = stream_of_data(&[json!({"text": "5 %"})]);
    let events = events_of(&format!("{text}event: end\ndata: null\n\n"));
    assert_eq!(events, [json!({"text": "5 %"}), Value::Null]);
}

/// A token stayed visible when something else ended between its halves.
#[test]
fn the_end_of_something_else_leaves_a_token_whole() {
    let restoring = restoring(
        Schema::Generic,
        &json!({"<MASK_EMAIL_1>": "alice@example.com"}),
        "{}",
    );
    for end in [
        json!({"type": "tool_end"}),
        json!({"event": "ToolCallCompleted", "tool": {"id": "t"}}),
        json!({"event": "message_file", "id": "f"}),
        json!({"event": "tts_message_end", "audio": ""}),
        json!({"event": "node_finished", "data": {"node_id": "n"}}),
        json!({"type": "STEP_FINISHED"}),
        json!({"type": "THINKING_END"}),
        json!({"type": "reasoning-end", "id": "r"}),
        json!({"type": "tool-output-error", "toolCallId": "t"}),
        json!({"type": "data-done"}),
        json!({"custom": {"done": true}}),
        json!({"tool": "search", "status": "completed"}),
    ] {
        let events = [
            json!({"event": "text_chunk", "text": "to <MASK_"}),
            end.clone(),
            json!({"event": "text_chunk", "text": "EMAIL_1> now"}),
        ];
        let out = restore(
            restoring.reply(Some("text/event-stream")),
            &[stream_of_data(&events).as_bytes()],
        );
        let events = data(&String::from_utf8(out).expect("UTF-8"));
        let text: String = events
            .iter()
            .filter_map(|event| event["text"].as_str())
            .collect();
        assert_eq!(text, "to alice@example.com now", "{end}");
    }
}

/// Readers did not know what to do with the event made for a tail, because it lacked what others say.
#[test]
fn an_event_made_for_a_tail_says_what_it_is() {
    let restoring = restoring(
        Schema::Generic,
        &json!({"<MASK_EMAIL_1>": "alice@example.com"}),
        "{}",
    );
    for event in [
        json!({"jsonrpc": "2.0", "id": 1, "result": {"kind": "artifact-update", "text": "5 %"}}),
        json!({"op": "append", "mode": "text", "channel": "a", "text": "5 %"}),
        json!([{"type": "AIMessageChunk", "content": "5 %"}, {"langgraph_node": "n", "step": 1}]),
    ] {
        // The tail of a text in several pieces stays held over text of another kind.
        let begun = event.to_string().replace("5 %", "at ");
        let begun = serde_json::from_str(&begun).expect("JSON");
        let events = [begun, event.clone(), json!({"type": "chunk", "note": "x"})];
        let out = restore(
            restoring.reply(Some("text/event-stream")),
            &[stream_of_data(&events).as_bytes()],
        );
        let events = data(&String::from_utf8(out).expect("UTF-8"));
        let made = events.last().expect("an event").to_string();
        let expected = event.to_string().replace("5 %", "%");
        assert_eq!(made, expected, "{events:?}");
    }
}

/// What a whole text ended with came again, in a copy of its event, behind the next one.
#[test]
fn texts_that_are_whole_stay_in_their_events() {
    let tool = |id: &str, output: Value| json!({"type": "tool-output-available", "toolCallId": id, "output": output});
    let message = |id: &str, text: &str| json!({"messages": [{"content": text, "id": id}]});
    let status = |id: &str, text: &str| json!({"result": {"kind": "status-update", "status": {"message": {"messageId": id, "text": text}}}});
    let step =
        |kind: &str, id: &str, text: &str| json!({"message_type": kind, "id": id, "content": text});
    let runs = [
        vec![
            tool("c1", json!("50 %")),
            tool("c2", json!("ok")),
            json!({"type": "finish-step"}),
        ],
        vec![
            tool("c1", json!({"humidity": "50 %"})),
            tool("c2", json!({"humidity": "PM"})),
        ],
        vec![
            json!({"event": "updates", "agent": message("r1", "I look, 50 %")}),
            json!({"event": "updates", "tools": message("t1", "7 &")}),
            json!({"event": "updates", "agent": message("r2", "Done")}),
        ],
        vec![
            json!({"progress": "50 %"}),
            json!({"agent": message("r1", "x")}),
            json!({"progress": "60 %"}),
        ],
        vec![
            status("m1", "50 %"),
            status("m2", "75 %"),
            status("m3", "done"),
        ],
        vec![
            step("reasoning_message", "m1", "so M"),
            step("tool_call_message", "m2", "f"),
            step("tool_return_message", "m3", "1"),
        ],
        vec![
            json!({"event": "on_chat_model_stream", "run_id": "r1", "data": {"chunk": {"content": "50 %"}}}),
            json!({"event": "on_chat_model_end", "run_id": "r1", "data": {"output": {"content": "50 %"}}}),
            json!({"event": "on_chain_stream", "run_id": "r0", "data": {"chunk": "50 %"}}),
            json!({"event": "on_chain_end", "run_id": "r0", "data": {"output": "50 %"}}),
        ],
    ];
    let restoring = restoring(
        Schema::Generic,
        &json!({"<MASK_EMAIL_1>": "alice@example.com"}),
        "{}",
    );
    for events in runs {
        let out = restore(
            restoring.reply(Some("text/event-stream")),
            &[stream_of_data(&events).as_bytes()],
        );
        assert_eq!(data(&String::from_utf8(out).expect("UTF-8")), events);
    }
}

/// Events that are all named `result` were taken for results of calls, and their tokens stayed visible.
#[test]
fn pieces_may_come_in_events_of_any_name() {
    let restoring = restoring(
        Schema::Generic,
        &json!({"<MASK_EMAIL_1>": "alice@example.com"}),
        "{}",
    );
    for name in [
        "result",
        "output",
        "updates",
        "values",
        "text_output",
        "status",
    ] {
        let sent = ["Mail ", "<MASK_EM", "AIL_1>", " ok"].map(|text| {
            format!("event:{name}\ndata: {{\"output\":{{\"text\":\"{text}\",\"finish_reason\":\"null\"}}}}\n\n")
        });
        let out = restore(
            restoring.reply(Some("text/event-stream")),
            &[sent.concat().as_bytes()],
        );
        let events = data(&String::from_utf8(out).expect("UTF-8"));
        let texts = events
            .iter()
            .filter_map(|event| event.pointer("/output/text")?.as_str());
        assert_eq!(
            texts.collect::<String>(),
            "Mail alice@example.com ok",
            "{name}"
        );
    }
}

/// What the whole text behind its pieces ended with came behind a call.
#[test]
fn what_follows_marked_pieces_is_whole() {
    let part = |part: Value, partial: Option<bool>| {
        let mut event = json!({"content": {"parts": [part]}, "author": "a"});
        if let Some(partial) = partial {
            event["partial"] = json!(partial);
        }
        event
    };
    let text = |text: &str, partial| part(json!({ "text": text }), partial);
    let call = json!({"functionCall": {"name": "f", "args": {"to": "<MASK_EMAIL_1>"}}});
    let sent = [
        text("to <MASK_", Some(true)),
        text("EMAIL_1>, 5 %", Some(true)),
        text("to <MASK_EMAIL_1>, 5 %", Some(false)),
        part(call, None),
        text("7 %", None),
    ];
    let restoring = restoring(
        Schema::Generic,
        &json!({"<MASK_EMAIL_1>": "alice@example.com"}),
        "{}",
    );
    let out = restore(
        restoring.reply(Some("text/event-stream")),
        &[stream_of_data(&sent).as_bytes()],
    );
    let events = data(&String::from_utf8(out).expect("UTF-8"));
    let (pieces, whole) = events.split_at(events.len() - 3);
    let pieces = pieces
        .iter()
        .filter_map(|event| event.pointer("/content/parts/0/text")?.as_str());
    assert_eq!(pieces.collect::<String>(), "to alice@example.com, 5 %");
    let restored = |event: &Value| {
        event
            .to_string()
            .replace("<MASK_EMAIL_1>", "alice@example.com")
    };
    for (event, sent) in whole.iter().zip(&sent[2..]) {
        assert_eq!(event.to_string(), restored(sent));
    }
}

/// A run that finished ended the texts of others.
#[test]
fn a_reason_ends_the_texts_of_its_own_run() {
    let chunk = |run: &str, text: &str| json!([{"content": text, "id": run, "response_metadata": {}}, {"langgraph_node": run}]);
    let end = |run: &str| json!([{"content": "", "id": run, "response_metadata": {"finish_reason": "stop"}}, {"langgraph_node": run}]);
    let of_run = |run: &str, text: &str| json!({"event": "on_chat_model_stream", "run_id": run, "data": {"chunk": {"content": text}}});
    let end_of_run = |run: &str| json!({"event": "on_chat_model_stream", "run_id": run, "data": {"chunk": {"content": "", "response_metadata": {"finish_reason": "stop"}}}});
    let restoring = restoring(
        Schema::Generic,
        &json!({"<MASK_EMAIL_1>": "alice@example.com"}),
        "{}",
    );
    for (events, text) in [
        (
            [
                chunk("r0", "a"),
                chunk("r1", "to <"),
                end("r0"),
                chunk("r1", "MASK_EMAIL_"),
                end("r2"),
                chunk("r1", "1>"),
            ],
            "/0/content",
        ),
        (
            [
                of_run("r0", "a"),
                of_run("r1", "to <"),
                end_of_run("r0"),
                of_run("r1", "MASK_EMAIL_"),
                end_of_run("r2"),
                of_run("r1", "1>"),
            ],
            "/data/chunk/content",
        ),
    ] {
        let out = restore(
            restoring.reply(Some("text/event-stream")),
            &[stream_of_data(&events).as_bytes()],
        );
        let events = data(&String::from_utf8(out).expect("UTF-8"));
        let texts = events
            .iter()
            .filter_map(|event| event.pointer(text)?.as_str());
        assert_eq!(
            texts.collect::<String>(),
            "ato alice@example.com",
            "{events:?}"
        );
    }
}

/// The last character before a call came behind the call.
#[test]
fn what_a_text_ends_with_comes_before_a_call() {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let restoring = restoring(
        Schema::ChatStyle,
        &json!({"<MASK_EMAIL_1>": "alice@example.com"}),
        "{}",
    );
    let call = json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}]});
    let events = [
        delta(json!({"content": "5 %"})),
        delta(call),
        delta(json!({"content": " more"})),
    ];
    let out = restore(
        restoring.reply(Some("text/event-stream")),
        &[stream_of_data(&events).as_bytes()],
    );
    let events = data(&String::from_utf8(out).expect("UTF-8"));
    let at = |pointer: &str| {
        events
            .iter()
            .rposition(|event| event.pointer(pointer).is_some())
    };
    let call = at("/choices/0/delta/tool_calls").expect("a call");
    let texts = events[..call]
        .iter()
        .filter_map(|event| event.pointer("/choices/0/delta/content")?.as_str());
    assert_eq!(texts.collect::<String>(), "5 %");
}
