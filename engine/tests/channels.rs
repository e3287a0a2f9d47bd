//! Texts that stream where no table says so, and strings that only repeat.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test stops where it finds something wrong, and reads files and the environment"
)]

mod support;

use engine::Schema;
use serde_json::{Value, json};
use support::events::{choice, chunk, restored, stream, tokens};
use support::{restore, restoring};

const PIECES: [&str; 4] = ["to <MASK_EM", "AIL_1> and MASK", "_EMAIL_2", "."];
const WHOLE: &str = "to alice@example.com and bob@example.com.";

/// What a client puts together from the strings at a place of the events, in each chunking.
fn joined(schema: Schema, sent: &str, content_type: &str, pointer: &str) -> String {
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

fn restored_whole(schema: Schema, body: &Value, request: &str) -> Value {
    let begin = restoring(schema, &tokens(), request);
    let out = restore(
        begin.reply(Some("application/json")),
        &[body.to_string().as_bytes()],
    );
    serde_json::from_slice(&out).expect("JSON")
}

fn stream_of_data(events: &[Value]) -> String {
    let written = events.iter().map(|event| format!("data: {event}\n\n"));
    written.collect()
}

/// The data of each event that is an object.
fn data(stream: &str) -> Vec<Value> {
    let lines = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

fn chat(deltas: &[Value]) -> String {
    let choices = deltas.iter().map(|delta| chunk(&json!([choice(0, delta)])));
    stream(Schema::ChatStyle, &choices.collect::<Vec<_>>())
}

#[test]
fn a_reason_that_is_none_ends_no_text() {
    for reason in [json!(""), json!("null"), Value::Null, json!("running")] {
        let events = PIECES.map(|piece| {
            chunk(&json!([{"index": 0, "delta": {"content": piece}, "finish_reason": reason}]))
        });
        let sent = stream(Schema::ChatStyle, &events);
        let text = joined(
            Schema::ChatStyle,
            &sent,
            "text/event-stream",
            "/choices/0/delta/content",
        );
        assert_eq!(text, WHOLE, "{reason}");
    }
}

#[test]
fn text_in_any_member_of_a_delta_is_restored_along_its_place() {
    type Delta = fn(&str) -> Value;
    let deltas: [(Delta, &str); 7] = [
        (|piece| json!({"reasoning_text": piece}), "/reasoning_text"),
        (|piece| json!({"thinking": piece}), "/thinking"),
        (
            |piece| json!({"content": "same", "thinking": piece}),
            "/thinking",
        ),
        (
            |piece| json!({"reasoning": {"content": piece}}),
            "/reasoning/content",
        ),
        (
            |piece| json!({"provider_specific_fields": {"a": {"b": [piece]}}}),
            "/provider_specific_fields/a/b/0",
        ),
        (
            |piece| json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]}),
            "/content/0/thinking/0/text",
        ),
        (
            |piece| json!({"tool_calls": [{"index": 0, "mcp": {"note": piece}}]}),
            "/tool_calls/0/mcp/note",
        ),
    ];
    for (delta, place) in deltas {
        let sent = chat(&PIECES.map(delta));
        let pointer = format!("/choices/0/delta{place}");
        assert_eq!(
            joined(Schema::ChatStyle, &sent, "text/event-stream", &pointer),
            WHOLE,
            "{place}"
        );
    }
    let messages = PIECES.map(|piece| chunk(&json!([{"index": 0, "message": {"content": piece}}])));
    let sent = stream(Schema::ChatStyle, &messages);
    let text = joined(
        Schema::ChatStyle,
        &sent,
        "text/event-stream",
        "/choices/0/message/content",
    );
    assert_eq!(text, WHOLE);
}

#[test]
fn unknown_deltas_and_events_are_restored_along_their_places() {
    let delta = PIECES.map(|piece| {
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "brand_new_delta", "brand_new": piece}})
    });
    let sent = stream(Schema::MessagesStyle, &delta);
    let text = joined(
        Schema::MessagesStyle,
        &sent,
        "text/event-stream",
        "/delta/brand_new",
    );
    assert_eq!(text, WHOLE);
    for schema in [Schema::MessagesStyle, Schema::Responses, Schema::Generic] {
        let events =
            PIECES.map(|piece| json!({"type": "brand.new", "payload": [{"x": {"y": piece}}]}));
        let sent = stream(schema, &events);
        assert_eq!(
            joined(schema, &sent, "text/event-stream", "/payload/0/x/y"),
            WHOLE
        );
    }
}

#[test]
fn lines_and_lists_of_json_are_streams() {
    let ollama = PIECES.map(|piece| {
        json!({"model": "m", "message": {"role": "assistant", "content": piece}, "done": false})
            .to_string()
            + "\n"
    });
    let last = json!({"model": "m", "message": {"role": "assistant", "content": ""}, "done": true});
    let sent = ollama.concat() + &last.to_string() + "\n";
    for kind in ["application/x-ndjson", "application/json"] {
        assert_eq!(
            joined(Schema::Generic, &sent, kind, "/message/content"),
            WHOLE,
            "{kind}"
        );
    }
    let gemini = PIECES.map(|piece| {
        json!({"candidates": [{"content": {"parts": [{"text": piece}], "role": "model"}}], "modelVersion": "M"})
    });
    let sent = stream(Schema::ChatStyle, &gemini);
    let place = "/candidates/0/content/parts/0/text";
    assert_eq!(
        joined(Schema::Generic, &sent, "text/event-stream", place),
        WHOLE
    );
    let elements = gemini.map(|value| format!("{value:#}")).join("\n,\r\n");
    let sent = format!("[{elements}\n]\n");
    assert_eq!(
        joined(Schema::Generic, &sent, "application/json", place),
        WHOLE
    );
}

/// They were taken for plain text, so that values broke their JSON.
#[test]
fn sequences_of_json_texts_are_streams() {
    let pieces = PIECES.map(|piece| format!("\u{1e}{}\n", json!({"text": piece})));
    let begin = restoring(Schema::Generic, &tokens(), "{}");
    for (sent, whole) in [
        (pieces.concat(), WHOLE),
        (
            "\u{1e}{\"text\":\"<MASK_SECRET_3>\"}\n".to_owned(),
            "a\"b\\c\nd",
        ),
    ] {
        let out = restore(
            begin.reply(Some("application/json-seq")),
            &[sent.as_bytes()],
        );
        let out = String::from_utf8(out).expect("UTF-8");
        let texts = out.lines().map(|line| line.trim_start_matches('\u{1e}'));
        let texts: String = texts
            .map(|text| serde_json::from_str::<Value>(text).expect("JSON"))
            .map(|value| value["text"].as_str().expect("text").to_owned())
            .collect();
        assert_eq!(texts, whole);
    }
}

/// An error page keeps the content type of the stream that it stands for.
#[test]
fn a_text_that_is_called_a_stream_is_restored() {
    for sent in [
        "no such user: MASK_EMAIL_1",
        "<MASK_EMAIL_1>\n\n",
        ": to <MASK_EMAIL_1>\n",
    ] {
        let whole = sent.replace("<MASK_EMAIL_1>", "alice@example.com");
        let whole = whole.replace("MASK_EMAIL_1", "alice@example.com");
        assert_eq!(restored(Schema::ChatStyle, sent), whole);
    }
}

/// A list once waited for its end.
#[test]
fn lines_and_elements_go_out_as_they_arrive() {
    let begin = restoring(Schema::Generic, &tokens(), "{}");
    for (kind, chunk) in [
        ("application/json", "[{\"text\": \"<MASK_EMAIL_1>\"}"),
        ("application/x-ndjson", "{\"text\": \"<MASK_EMAIL_1>\"}\n"),
    ] {
        let mut out = Vec::new();
        begin.reply(Some(kind)).push(chunk.as_bytes(), &mut out);
        let out = String::from_utf8(out).expect("UTF-8");
        assert_eq!(out, chunk.replace("<MASK_EMAIL_1>", "alice@example.com"));
    }
}

#[test]
fn what_is_held_at_the_end_is_delivered_in_the_layout_of_the_reply() {
    let begin = restoring(Schema::Generic, &tokens(), "{}");
    let value = "{\"text\":\"a <MASK_\"}";
    for (kind, sent, expected) in [
        (
            "application/json",
            format!("[{value}]"),
            format!("[{value}]"),
        ),
        (
            "application/x-ndjson",
            format!("{value}\n"),
            format!("{value}\n"),
        ),
        (
            "application/json",
            format!("[{value}, {{}}\n]"),
            "[{\"text\":\"a \"}, {},{\"text\":\"<MASK_\"}\n]".to_owned(),
        ),
        (
            "application/x-ndjson",
            format!("{value}\n{{}}\n"),
            "{\"text\":\"a \"}\n{}\n{\"text\":\"<MASK_\"}\n".to_owned(),
        ),
        (
            "application/x-ndjson",
            format!("{value}\n{{}}"),
            "{\"text\":\"a \"}\n{}\n{\"text\":\"<MASK_\"}".to_owned(),
        ),
    ] {
        let out = restore(begin.reply(Some(kind)), &[sent.as_bytes()]);
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}

#[test]
fn a_document_that_ends_with_a_line_is_restored_as_a_whole() {
    let begin = restoring(Schema::ChatStyle, &tokens(), "{}");
    let sent = "{\n \"choices\": [{\"message\": {\"content\": \"<MASK_EMAIL_1> or <MASK_\"}}]\n}\n";
    let out = restore(begin.reply(Some("application/json")), &[sent.as_bytes()]);
    assert_eq!(
        String::from_utf8_lossy(&out),
        sent.replace("<MASK_EMAIL_1>", "alice@example.com")
    );
}

#[test]
fn interleaved_custom_calls_keep_their_own_texts() {
    let piece = |index: u32, id: Value, input: &str| json!({"tool_calls": [{"index": index, "id": id, "type": "custom", "custom": {"name": "f", "input": input}}]});
    let sent = chat(&[
        piece(0, json!("a"), "mail <MASK_EM"),
        piece(1, json!("b"), "mail <MASK_EMAI"),
        piece(0, Value::Null, "AIL_1>"),
        piece(1, Value::Null, "L_2>"),
    ]);
    let out = restored(Schema::ChatStyle, &sent);
    let mut inputs = [String::new(), String::new()];
    for data in out.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let event: Value = serde_json::from_str(data).expect("JSON");
        let call = &event["choices"][0]["delta"]["tool_calls"][0];
        let index = usize::try_from(call["index"].as_u64().expect("an index")).expect("small");
        inputs[index] += call["custom"]["input"].as_str().unwrap_or_default();
    }
    assert_eq!(inputs, ["mail alice@example.com", "mail bob@example.com"]);
}

/// JSON that streams at an unknown place is still JSON.
#[test]
fn values_are_escaped_in_json_at_an_unknown_place() {
    let pieces = ["{\"to\": \"<MASK_SEC", "RET_3>\"}"];
    let events = pieces.map(|piece| json!({"type": "call", "input": piece}));
    let sent = stream(Schema::Generic, &events);
    let text = joined(Schema::Generic, &sent, "text/event-stream", "/input");
    let input: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(input["to"], "a\"b\\c\nd");
}

/// A value was escaped once where JSON in a string of JSON needs it twice, so that the inner JSON broke.
#[test]
fn values_are_escaped_as_often_as_json_is_nested() {
    type Event = fn(&str) -> Value;
    let inner = json!({"to": "<MASK_SECRET_3>"}).to_string();
    let middle = json!({"call": inner, "list": ["<MASK_SECRET_3>", {"a": inner}]}).to_string();
    let outer = json!({"a": {"b": format!(" {middle}")}, "c": "see {<MASK_SECRET_3>"}).to_string();
    let events: [(Event, &str); 4] = [
        (
            |piece| json!({"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {"function": {"arguments": piece}}}}}),
            "/delta/message/tool_calls/function/arguments",
        ),
        (
            |piece| json!({"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": piece}}}}),
            "/contentBlockDelta/delta/toolUse/input",
        ),
        (
            |piece| json!({"candidates": [{"content": {"parts": [{"text": piece}]}}]}),
            "/candidates/0/content/parts/0/text",
        ),
        (
            |piece| json!({"model": "m", "message": {"content": piece}, "done": false}),
            "/message/content",
        ),
    ];
    for text in [&inner, &middle, &outer] {
        let batch = restored_whole(Schema::Generic, &json!({"arguments": text}), "{}");
        for (event, pointer) in events {
            for size in [1, 3, 7, 1000] {
                let pieces = text.as_bytes().chunks(size);
                let pieces = pieces.map(|piece| event(std::str::from_utf8(piece).expect("ASCII")));
                let sent = stream_of_data(&pieces.collect::<Vec<_>>());
                let got = joined(Schema::Generic, &sent, "text/event-stream", pointer);
                assert_eq!(got, batch["arguments"], "{pointer} by {size}");
            }
        }
    }
    let asked = r#"{"response_format": {"type": "json_object"}}"#;
    let begin = restoring(Schema::ChatStyle, &tokens(), asked);
    let answer = json!({"choices": [{"message": {"content": outer}}]});
    let batch = restored_whole(Schema::ChatStyle, &answer, asked);
    let pieces = outer.as_bytes().chunks(5);
    let pieces = pieces.map(|piece| json!({"content": std::str::from_utf8(piece).expect("ASCII")}));
    let sent = chat(&pieces.collect::<Vec<_>>());
    let out = restore(begin.reply(Some("text/event-stream")), &[sent.as_bytes()]);
    let chunks = data(&String::from_utf8(out).expect("UTF-8"));
    let contents = chunks
        .iter()
        .map(|chunk| &chunk["choices"][0]["delta"]["content"]);
    let content: String = contents
        .map(|content| content.as_str().expect("text"))
        .collect();
    assert_eq!(content, batch["choices"][0]["message"]["content"]);
}

/// Each event was taken for a text of its own, so that tokens were torn.
#[test]
fn numbers_and_ids_that_each_event_has_anew_name_no_text() {
    type Event = fn(usize, &str) -> Value;
    let events: [(Event, &str); 5] = [
        (
            |at, piece| json!({"index": at, "token": {"id": 7 * at, "text": piece, "special": false}, "generated_text": null}),
            "/token/text",
        ),
        (|at, piece| json!({"index": at, "text": piece}), "/text"),
        (
            |at, piece| json!({"id": format!("evt_{}", 7 * at), "text": piece}),
            "/text",
        ),
        (
            |at, piece| json!({"type": "token", "id": format!("evt_{}", 7 * at), "text": piece}),
            "/text",
        ),
        (
            |at, piece| json!({"type": "token", "part": {"index": at, "text": piece}}),
            "/part/text",
        ),
    ];
    for (event, pointer) in events {
        let text =
            "one two three four five six seven eight to <MASK_EMAIL_1>, <b> M <MASK_EMAIL_2>";
        for size in [1, 2, 3, 9] {
            let pieces = text.as_bytes().chunks(size).enumerate();
            let pieces =
                pieces.map(|(at, piece)| event(at + 1, std::str::from_utf8(piece).expect("ASCII")));
            let sent = stream_of_data(&pieces.collect::<Vec<_>>());
            let got = joined(Schema::Generic, &sent, "text/event-stream", pointer);
            let whole = text.replace("<MASK_EMAIL_1>", "alice@example.com");
            assert_eq!(
                got,
                whole.replace("<MASK_EMAIL_2>", "bob@example.com"),
                "{pointer} by {size}"
            );
        }
        let pieces = ["<MASK_", "EMAIL_1", ">"].into_iter().zip(1..);
        let sent = stream_of_data(
            &pieces
                .map(|(piece, at)| event(at, piece))
                .collect::<Vec<_>>(),
        );
        let got = joined(Schema::Generic, &sent, "text/event-stream", pointer);
        assert_eq!(got, "alice@example.com", "{pointer}");
    }
    // Keys that come again name texts.
    let pieces = [
        (0, "a <MASK_EM"),
        (1, "b <MASK_EMAI"),
        (0, "AIL_1>"),
        (1, "L_2>"),
    ];
    let sent = pieces.map(|(index, piece)| json!({"index": index, "text": piece}));
    let out = data(&restored(Schema::Generic, &stream_of_data(&sent)));
    for (index, whole) in [(0, "a alice@example.com"), (1, "b bob@example.com")] {
        let texts = out.iter().filter(|event| event["index"] == index);
        let text: String = texts
            .map(|event| event["text"].as_str().expect("text"))
            .collect();
        assert_eq!(text, whole);
    }
}

/// Its lines were taken for plain text, so that values broke their JSON and tokens were torn.
#[test]
fn lines_of_json_behind_a_code_are_streams() {
    let pieces = PIECES.map(|piece| format!("0:{}\ng:{}\n", json!(piece), json!(piece)));
    let mut sent = "f:{\"messageId\":\"msg-M\"}\n".to_owned() + &pieces.concat();
    sent += "c:{\"toolCallId\":\"a\",\"argsTextDelta\":\"{\\\"to\\\":\\\"<MASK_SEC\"}\n";
    sent += "c:{\"toolCallId\":\"a\",\"argsTextDelta\":\"RET_3>\\\"}\"}\n";
    sent += "3:\"no <MASK_SECRET_3> \"\n0:\"end <MA\"\nd:{\"finishReason\":\"stop\"}\n";
    for schema in [Schema::Generic, Schema::ChatStyle] {
        let begin = restoring(schema, &tokens(), "{}");
        for size in [1, 4, 10_000] {
            let chunks: Vec<_> = sent.as_bytes().chunks(size).collect();
            let out = restore(begin.reply(Some("text/plain; charset=utf-8")), &chunks);
            let out = String::from_utf8(out).expect("UTF-8");
            let of = |code: &str| {
                let lines = out.lines().filter_map(|line| line.strip_prefix(code));
                lines
                    .map(|line| serde_json::from_str(line).expect("JSON"))
                    .collect::<Vec<Value>>()
            };
            let text = |code: &str| {
                let pieces = of(code);
                pieces
                    .iter()
                    .map(|piece| piece.as_str().expect("text"))
                    .collect::<String>()
            };
            assert_eq!(text("0:"), format!("{WHOLE}end <MA"));
            assert_eq!(text("g:"), WHOLE);
            assert_eq!(text("3:"), "no a\"b\\c\nd ");
            let calls = of("c:");
            let arguments = calls
                .iter()
                .map(|call| call["argsTextDelta"].as_str().expect("text"));
            let arguments: Value =
                serde_json::from_str(&arguments.collect::<String>()).expect("JSON");
            assert_eq!(arguments["to"], "a\"b\\c\nd");
            assert!(
                out.starts_with("f:{") && out.ends_with("stop\"}\n"),
                "{out}"
            );
        }
    }
}

/// Each space once made all those before it be read again.
#[test]
fn white_space_behind_a_bracket_is_read_once() {
    let sent = format!("[{}{{\"text\":\"<MASK_EMAIL_1>\"}}]", " ".repeat(300_000));
    let begin = restoring(Schema::Generic, &tokens(), "{}");
    let bytes: Vec<_> = sent.as_bytes().chunks(1).collect();
    let out = restore(begin.reply(Some("application/json")), &bytes);
    let expected = sent.replace("<MASK_EMAIL_1>", "alice@example.com");
    assert!(out == expected.as_bytes());
}

/// Ids, names and words are whole in every event, whatever they end with.
#[test]
fn strings_that_repeat_are_not_garbled() {
    let event = |piece: &str| {
        json!({"type": "brand.new", "id": "<MASK_", "model": "GPT M", "request_id": "M", "progress": "42%", "name": "<",
            "text": piece})
    };
    let events: Vec<_> = PIECES.iter().map(|piece| event(piece)).collect();
    let sent = stream(Schema::Generic, &events);
    assert_eq!(
        joined(Schema::Generic, &sent, "text/event-stream", "/text"),
        WHOLE
    );
    for member in ["id", "model", "request_id", "progress", "name"] {
        let out = restored(Schema::Generic, &sent);
        let data = out.lines().filter_map(|line| line.strip_prefix("data: "));
        for data in data {
            let event: Value = serde_json::from_str(data).expect("JSON");
            assert_eq!(event[member], events[0][member], "{member}");
        }
    }
}

/// A text that every event has as far as it has come.
#[test]
fn a_text_that_begins_with_what_came_before_is_restored_in_each_event() {
    let texts = [
        "MASK_EMAIL_1 wrote x",
        "MASK_EMAIL_1 wrote x to <MASK_",
        "MASK_EMAIL_1 wrote x to <MASK_EMAIL_2> and <MA",
        "MASK_EMAIL_1 wrote x to <MASK_EMAIL_2> and <MASK_EMAIL_2>",
    ];
    let events = texts.map(|text| json!({"type": "snapshot", "whole": text}));
    let out = restored(Schema::Generic, &stream(Schema::Generic, &events));
    let wholes: Vec<String> = out
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| {
            serde_json::from_str::<Value>(data).expect("JSON")["whole"]
                .as_str()
                .expect("text")
                .to_owned()
        })
        .collect();
    assert_eq!(wholes.first().expect("one"), "alice@example.com wrote x");
    assert_eq!(
        wholes.last().expect("one"),
        "alice@example.com wrote x to bob@example.com and bob@example.com"
    );
}

/// The event that repeats a text comes after all of it, known or not.
#[test]
fn a_done_event_repeats_the_whole_of_an_unknown_text() {
    let mut events: Vec<_> = ["a <MASK_EM", "AIL_1> b <MA"]
        .iter()
        .map(|piece| json!({"type": "response.brand_new.delta", "output_index": 0, "delta": piece}))
        .collect();
    events.push(json!({"type": "response.brand_new.done", "output_index": 0, "text": "a <MASK_EMAIL_1> b <MA"}));
    let out = restored(Schema::Responses, &stream(Schema::Responses, &events));
    let data: Vec<Value> = out
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .collect();
    let deltas: String = data
        .iter()
        .filter_map(|event| event["delta"].as_str())
        .collect();
    let done = data.last().expect("the last");
    assert_eq!(done["text"], deltas);
    assert_eq!(deltas, "a alice@example.com b <MA");
}

/// A server that counts its texts as they grow, and one that repeats a whole answer beside its delta.
#[test]
fn a_short_text_that_grows_is_not_put_behind_its_own_end() {
    for texts in [
        ["Hi <", "Hi <MASK_EMAIL_1>", "Hi <MASK_EMAIL_1>!"],
        ["a M", "a MASK_EMAIL_1", "a MASK_EMAIL_1!"],
    ] {
        let events = texts.map(|text| json!({"output": {"text": text}, "request_id": "r"}));
        let out = restored(Schema::Generic, &stream_of_data(&events));
        let last = data(&out).pop().expect("one");
        let whole = texts[2].replace("<MASK_EMAIL_1>", "alice@example.com");
        let whole = whole.replace("MASK_EMAIL_1", "alice@example.com");
        assert_eq!(last["output"]["text"], whole);
    }
    // Pieces that begin alike are still pieces.
    let sent = chat(&["b <", "b <", "b <MASK_EM", "AIL_1>"].map(|text| json!({"note": text})));
    let place = "/choices/0/delta/note";
    let text = joined(Schema::ChatStyle, &sent, "text/event-stream", place);
    assert_eq!(text, "b <b <b alice@example.com");
}

/// Clients read `choices[0].delta` of every chunk.
#[test]
fn a_chunk_that_is_made_has_a_delta() {
    let events = ["a <MA", "a <MASK_EMAIL_1>"]
        .map(|text| json!([{"index": 0, "message": {"content": text}, "delta": {"content": "."}}]));
    let out = restored(
        Schema::ChatStyle,
        &stream(Schema::ChatStyle, &events.map(|choices| chunk(&choices))),
    );
    let chunks = data(&out);
    assert_eq!(chunks.len(), 3);
    for chunk in chunks {
        assert!(chunk["choices"][0]["delta"].is_object(), "{chunk}");
    }
}

/// Events that are a string, a list or no JSON at all.
#[test]
fn bare_texts_go_on_from_event_to_event() {
    let pieces = ["to <MASK_EM", "AIL_", "1", "> and MASK", "_EMAIL_2", "."];
    let written: [fn(&str) -> String; 3] = [
        |piece| piece.to_owned(),
        |piece| json!(piece).to_string(),
        |piece| json!([piece]).to_string(),
    ];
    for write in written {
        let events = pieces.map(|piece| format!("data: {}\n\n", write(piece)));
        let out = restored(Schema::Generic, &(events.concat() + "data: [DONE]\n\n"));
        let lines = out.lines().filter_map(|line| line.strip_prefix("data: "));
        let text: String = lines
            .filter(|line| *line != "[DONE]")
            .map(|line| line.trim_matches(['[', ']', '"']))
            .collect();
        assert_eq!(text, WHOLE, "{out}");
    }
    let lines = pieces.map(|piece| json!(piece).to_string() + "\n").concat();
    let begin = restoring(Schema::Generic, &tokens(), "{}");
    let out = restore(
        begin.reply(Some("application/x-ndjson")),
        &[lines.as_bytes()],
    );
    let out = String::from_utf8(out).expect("UTF-8");
    let text: String = out.lines().map(|line| line.trim_matches('"')).collect();
    assert_eq!(text, WHOLE);
}

/// Each of them once kept a copy of the whole event.
#[test]
fn many_texts_that_are_held_of_one_event_take_no_more_than_it() {
    let event = |piece: &str| {
        let texts = (0..20_000).map(|index| json!({"index": index, "text": piece}));
        json!({"type": "brand.new", "list": texts.collect::<Vec<_>>()})
    };
    let sent = stream(Schema::Generic, &[event("<MASK_EM"), event("AIL_1>")]);
    let out = restored(Schema::Generic, &sent);
    assert_eq!(out.matches("alice@example.com").count(), 20_000);
}

/// Twenty thousand open calls once took as many times the work.
#[test]
fn many_open_choices_and_calls_are_each_restored() {
    let calls = |piece: &str| {
        let calls =
            (0..3000).map(|index| json!({"index": index, "function": {"arguments": piece}}));
        json!({"tool_calls": calls.collect::<Vec<_>>()})
    };
    let mut sent = chat(&[calls("{\"to\":\"<MASK_EM"), calls("AIL_1>\"}")]);
    let choices = |piece: &str| {
        let choices = (1..3000).map(|index| choice(index, &json!({"content": piece})));
        chunk(&choices.collect())
    };
    sent += &stream(Schema::ChatStyle, &[choices("<MASK_EM"), choices("AIL_2>")]);
    let out = restored(Schema::ChatStyle, &sent);
    assert_eq!(out.matches("alice@example.com").count(), 3000);
    assert_eq!(out.matches("bob@example.com").count(), 2999);
}
