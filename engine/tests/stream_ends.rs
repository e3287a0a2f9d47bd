//! How the end of a text in a stream is known, and which texts an event leaves alone.

use crate::support;

use engine::Schema;
use serde_json::{Value, json};
use support::events::{data, stream_of_data};
use support::{restore, restoring};

/// The events of a stream, restored.
fn restored(schema: Schema, sent: &str) -> Vec<Value> {
    let tokens = json!({"<MASK_EMAIL_1>": "alice@example.com"});
    let restoring = restoring(schema, &tokens, "{}");
    let reply = restoring.reply(Some("text/event-stream"));
    let out = restore(reply, &[sent.as_bytes()]);
    data(&String::from_utf8(out).expect("UTF-8"))
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
fn a_text_is_complete_before_the_event_that_ends_it() {
    for end in ends() {
        for tail in ["M", "<", "&", "%", "\\"] {
            let events = [
                json!({"text": "it is "}),
                json!({"text": format!("5 {tail}")}),
                end.clone(),
            ];
            let events = restored(Schema::Generic, &stream_of_data(&events));
            let last = events.iter().position(|event| *event == end);
            let before = events[..last.expect("the end")].iter();
            let text: String = before.filter_map(|event| event["text"].as_str()).collect();
            assert_eq!(text, format!("it is 5 {tail}"), "{end}");
        }
    }
    let text = json!({"generated_text": "5 %", "token": {"text": " %"}});
    let events = restored(
        Schema::Generic,
        &stream_of_data(&[json!({"token": {"text": "5"}}), text.clone()]),
    );
    assert_eq!(events[1], text);
    let text = stream_of_data(&[json!({"text": "5 %"})]);
    let events = restored(
        Schema::Generic,
        &format!("{text}event: end\ndata: null\n\n"),
    );
    assert_eq!(events, [json!({"text": "5 %"}), Value::Null]);
}

/// A token stayed visible when something else ended between its halves.
#[test]
fn an_unrelated_end_event_does_not_break_a_token() {
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
        let events = restored(Schema::Generic, &stream_of_data(&events));
        let text: String = events
            .iter()
            .filter_map(|event| event["text"].as_str())
            .collect();
        assert_eq!(text, "to alice@example.com now", "{end}");
    }
}

/// Readers did not know what to do with the event made for a tail, because it lacked what others say.
#[test]
fn a_synthetic_tail_event_keeps_identifying_members() {
    for event in [
        json!({"jsonrpc": "2.0", "id": 1, "result": {"kind": "artifact-update", "text": "5 %"}}),
        json!({"op": "append", "mode": "text", "channel": "a", "text": "5 %"}),
        json!([{"type": "AIMessageChunk", "content": "5 %"}, {"langgraph_node": "n", "step": 1}]),
    ] {
        // The tail of a text in several pieces stays held over text of another kind.
        let begun = event.to_string().replace("5 %", "at ");
        let begun = serde_json::from_str(&begun).expect("JSON");
        let events = [begun, event.clone(), json!({"type": "chunk", "note": "x"})];
        let events = restored(Schema::Generic, &stream_of_data(&events));
        let made = events.last().expect("an event").to_string();
        let expected = event.to_string().replace("5 %", "%");
        assert_eq!(made, expected, "{events:?}");
    }
}

/// What a whole text ended with came again, in a copy of its event, behind the next one.
#[test]
fn complete_texts_stay_in_their_events() {
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
    for events in runs {
        let delivered = restored(Schema::Generic, &stream_of_data(&events));
        assert_eq!(delivered, events);
    }
}

/// Events that are all named `result` were taken for results of calls, and their tokens stayed visible.
#[test]
fn text_pieces_are_restored_under_any_event_name() {
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
        let events = restored(Schema::Generic, &sent.concat());
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
fn a_complete_text_after_partial_pieces_stays_whole() {
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
    let events = restored(Schema::Generic, &stream_of_data(&sent));
    let (pieces, whole) = events.split_at(events.len() - 3);
    let pieces = pieces
        .iter()
        .filter_map(|event| event.pointer("/content/parts/0/text")?.as_str());
    assert_eq!(pieces.collect::<String>(), "to alice@example.com, 5 %");
    let with_value = |event: &Value| {
        event
            .to_string()
            .replace("<MASK_EMAIL_1>", "alice@example.com")
    };
    for (event, sent) in whole.iter().zip(&sent[2..]) {
        assert_eq!(event.to_string(), with_value(sent));
    }
}

/// A run that finished ended the texts of others.
#[test]
fn a_finish_reason_ends_only_its_own_run() {
    let chunk = |run: &str, text: &str| json!([{"content": text, "id": run, "response_metadata": {}}, {"langgraph_node": run}]);
    let end = |run: &str| json!([{"content": "", "id": run, "response_metadata": {"finish_reason": "stop"}}, {"langgraph_node": run}]);
    let of_run = |run: &str, text: &str| json!({"event": "on_chat_model_stream", "run_id": run, "data": {"chunk": {"content": text}}});
    let end_of_run = |run: &str| json!({"event": "on_chat_model_stream", "run_id": run, "data": {"chunk": {"content": "", "response_metadata": {"finish_reason": "stop"}}}});
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
        let events = restored(Schema::Generic, &stream_of_data(&events));
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
fn the_end_of_a_text_precedes_a_tool_call() {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let call = json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}]});
    let events = [
        delta(json!({"content": "5 %"})),
        delta(call),
        delta(json!({"content": " more"})),
    ];
    let events = restored(Schema::ChatStyle, &stream_of_data(&events));
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

/// The same, where a call is whole in one event.
#[test]
fn the_end_of_a_gemini_text_precedes_a_tool_call() {
    let part = |part: Value| json!({"candidates": [{"index": 0, "content": {"parts": [part]}}]});
    let events = [
        part(json!({"text": "The disk"})),
        part(json!({"text": " is full to 95 %"})),
        part(json!({"functionCall": {"name": "f", "args": {"path": "/"}}})),
    ];
    let delivered = restored(Schema::Generic, &stream_of_data(&events));
    assert_eq!(delivered, events);
}
