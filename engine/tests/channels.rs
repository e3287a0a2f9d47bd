//! Texts that stream in places that no table describes.

use crate::support;

use engine::Schema;
use serde_json::{Value, json};
use support::events::{
    PIECES, WHOLE, chat, chunk, data, joined, restored, restored_whole, stream, stream_of_data,
    tokens,
};
use support::random::{Random, seeds};
use support::{restore, restoring};

#[test]
fn an_empty_finish_reason_does_not_end_a_text() {
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

/// The name of an event was a part of the place of its texts, so what was held came late, behind other text.
#[test]
fn a_varying_event_name_does_not_split_a_text() {
    let generic = |piece: &str| json!({"text": piece});
    let chat = |piece: &str| chunk(&json!([{"index": 0, "delta": {"content": piece}}]));
    for (schema, event, pointer, names) in [
        (
            Schema::ChatStyle,
            chat as fn(&str) -> Value,
            "/choices/0/delta/content",
            ["", "message"],
        ),
        (
            Schema::ChatStyle,
            chat,
            "/choices/0/delta/content",
            ["a", "b"],
        ),
        (
            Schema::ChatStyle,
            chat,
            "/choices/0/delta/content",
            ["", "chunk"],
        ),
        (Schema::Generic, generic, "/text", ["", "message"]),
    ] {
        let named = (0..)
            .zip(PIECES)
            .map(|(at, piece): (usize, _)| match names[at % 2] {
                "" => format!("data: {}\n\n", event(piece)),
                name => format!("event: {name}\ndata: {}\n\n", event(piece)),
            });
        let sent: String = named.collect();
        let text = joined(schema, &sent, "text/event-stream", pointer);
        assert_eq!(text, WHOLE, "{names:?}");
    }
}

#[test]
fn text_in_any_delta_member_is_its_own_channel() {
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
fn text_in_unknown_events_is_restored_across_them() {
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

/// A later call ended the text of an earlier one, unless that was JSON.
#[test]
fn non_json_arguments_stay_separate_in_interleaved_calls() {
    let tokens = json!({"<MASK_SECRET_1>": "a\"b", "<MASK_EMAIL_2>": "bob@example.com"});
    let whole = |given: &str| {
        let call =
            json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": given}});
        let reply = json!({"choices": [{"index": 0, "message": {"tool_calls": [call]}}]});
        let restorer = restoring(Schema::ChatStyle, &tokens, "{}").reply(Some("application/json"));
        let out = restore(restorer, &[reply.to_string().as_bytes()]);
        let reply: Value = serde_json::from_slice(&out).expect("JSON");
        let given = &reply["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"];
        given.as_str().expect("a text").to_owned()
    };
    for (given, others) in [
        (["to <MASK_SEC", "RET_1> x"], ["to <MASK", "_EMAIL_2> x"]),
        (["say \"", "<MASK_SECRET_1>\""], ["<MASK_EMAIL_", "2>"]),
        (["<MASK_SECRET_1", ">"], ["{\"a\":\"<MASK", "_EMAIL_2>\"}"]),
    ] {
        let piece = |index: u32, given: &str| json!({"tool_calls": [{"index": index, "function": {"arguments": given}}]});
        let begin = |index: u32| json!({"tool_calls": [{"index": index, "id": format!("c{index}"), "type": "function", "function": {"name": "f", "arguments": ""}}]});
        let sent = chat(&[
            begin(0),
            piece(0, given[0]),
            begin(1),
            piece(1, others[0]),
            piece(0, given[1]),
            piece(1, others[1]),
        ]);
        let restorer = restoring(Schema::ChatStyle, &tokens, "{}").reply(Some("text/event-stream"));
        let out = String::from_utf8(restore(restorer, &[sent.as_bytes()])).expect("UTF-8");
        let mut arguments = [String::new(), String::new()];
        for data in out.lines().filter_map(|line| line.strip_prefix("data: ")) {
            let event: Value = serde_json::from_str(data).unwrap_or_default();
            let call = &event["choices"][0]["delta"]["tool_calls"][0];
            let index = usize::try_from(call["index"].as_u64().unwrap_or(0)).expect("small");
            arguments[index] += call["function"]["arguments"].as_str().unwrap_or_default();
        }
        assert_eq!(
            arguments,
            [given, others].map(|given| whole(&given.concat())),
            "{out}"
        );
    }
}

/// `1%` at the start of a text once counted as progress, and the following token was not restored.
#[test]
fn a_percentage_may_begin_a_percent_encoded_token() {
    for number in ["1%", "100%", "-1 %", "1.5%"] {
        let events = [number, "3CMASK_EMAIL_1%3E ok"]
            .map(|piece| json!({"type": "text", "choices": [{"index": 0, "text": piece}]}));
        let sent = stream(Schema::Generic, &events);
        let text = joined(
            Schema::Generic,
            &sent,
            "text/event-stream",
            "/choices/0/text",
        );
        let number = number.trim_end_matches('%');
        assert_eq!(text, format!("{number}alice%40example.com ok"));
    }
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

/// A value in JSON inside a JSON string must be escaped twice. It was escaped once, and the inner
/// JSON broke.
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

/// A file in an event of unknown format kept its tokens, which a batch reply restores.
#[test]
fn complete_base64_in_an_event_restores_like_a_batch() {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    let plain = "to <MASK_EMAIL_1>, and <MASK_EMAIL_2> as well, regards";
    let file = STANDARD.encode(plain);
    let padded = STANDARD.encode(format!("{plain}."));
    assert!(padded.ends_with('=') && !file.ends_with('='));
    let lines = file.as_bytes().chunks(40).map(String::from_utf8_lossy);
    let lines: Vec<_> = lines.collect();
    let lines = lines.join("\n");
    for text in [
        padded.clone(),
        format!("see {file} there"),
        format!("see {padded}\n"),
        format!("see\n{lines}\n."),
        format!("{padded} {file}. M"),
        format!("data:text/plain;base64,{padded}"),
        "data:text/plain;base64,PE1BU0tfRU1BSUxfMT4= there".to_owned(),
    ] {
        let events = [
            json!({"note": {"said": "a."}}),
            json!({"note": {"said": text}}),
            json!({"note": {"said": text}}),
        ];
        let out = data(&restored(Schema::Generic, &stream_of_data(&events)));
        let whole = restored_whole(Schema::Generic, &events[1], "{}");
        assert!(!whole.to_string().contains("PE1BU0tfRU1BSUxfMT4"), "{text}");
        assert_eq!(out[1], whole, "{text}");
        assert_eq!(out[2], whole, "{text}");
    }
    // One that goes on in the next event is left as it is.
    let (first, second) = file.split_at(60);
    let events = [json!({"said": first}), json!({"said": second})];
    let out = data(&restored(Schema::Generic, &stream_of_data(&events)));
    assert_eq!(out, events);
}

#[test]
fn embedded_files_in_complete_texts_restore_like_a_batch() {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    const FRAGMENTS: [&str; 8] = [
        "<MASK_EMAIL_1>",
        "MASK_EMAIL_2",
        "<MASK_SECRET_3>",
        "word ",
        "é",
        "<",
        "\n",
        " and more?>?of it ",
    ];
    for seed in seeds(1000) {
        let mut random = Random::new(seed);
        let mut text = String::new();
        for _ in 0..=random.below(4) {
            if random.one_in(2) {
                let count = random.below(12);
                let plain = (0..count).map(|_| *random.pick(&FRAGMENTS));
                let file = STANDARD.encode(plain.collect::<String>());
                let width = 4 * (3 + random.below(30));
                let lines = file.as_bytes().chunks(width).map(String::from_utf8_lossy);
                let lines: Vec<_> = lines.collect();
                text += *random.pick(&["", "data:text/plain;base64,"]);
                text += lines.join("\n").trim_end_matches(*random.pick(&['=', '.']));
            } else {
                text += *random.pick(&FRAGMENTS);
            }
            text += *random.pick(&["", " ", ".", "\n", ", "]);
        }
        let events = [json!({"a": {"x": text + " ."}}), json!({"b": "end."})];
        let out = data(&restored(Schema::Generic, &stream_of_data(&events)));
        let whole = restored_whole(Schema::Generic, &events[0], "{}");
        assert_eq!(out[0], whole, "seed {seed}: {}", events[0]);
    }
}
