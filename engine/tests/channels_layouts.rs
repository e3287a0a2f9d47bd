//! Texts that stream as lines, lists and bare texts.

use crate::support;

use engine::Schema;
use serde_json::{Value, json};
use support::events::{PIECES, WHOLE, joined, restored, stream, tokens};
use support::{restore, restoring};

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

/// They were treated as plain text, so values broke their JSON.
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

/// An error page keeps the content type of the stream that it replaces.
#[test]
fn plain_text_labelled_as_a_stream_is_restored() {
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
fn held_text_at_the_end_is_delivered_in_the_layout_of_the_reply() {
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
fn a_document_ending_in_a_newline_is_restored_whole() {
    let begin = restoring(Schema::ChatStyle, &tokens(), "{}");
    let sent = "{\n \"choices\": [{\"message\": {\"content\": \"<MASK_EMAIL_1> or <MASK_\"}}]\n}\n";
    let out = restore(begin.reply(Some("application/json")), &[sent.as_bytes()]);
    assert_eq!(
        String::from_utf8_lossy(&out),
        sent.replace("<MASK_EMAIL_1>", "alice@example.com")
    );
}

/// Its lines were treated as plain text, so values broke their JSON and tokens were split.
#[test]
fn json_lines_with_a_type_prefix_are_streams() {
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
fn white_space_after_a_bracket_is_read_once() {
    let sent = format!("[{}{{\"text\":\"<MASK_EMAIL_1>\"}}]", " ".repeat(300_000));
    let begin = restoring(Schema::Generic, &tokens(), "{}");
    let bytes: Vec<_> = sent.as_bytes().chunks(1).collect();
    let out = restore(begin.reply(Some("application/json")), &bytes);
    let expected = sent.replace("<MASK_EMAIL_1>", "alice@example.com");
    assert!(out == expected.as_bytes());
}

/// Events that are a string, a list or no JSON at all.
#[test]
fn bare_texts_continue_across_events() {
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

/// The parts of an answer in a stream of Gemini: of each kind the texts together, and what calls are given.
fn parts(sent: &[Value]) -> (String, String, Vec<Value>) {
    let (mut thoughts, mut answer, mut given) = (String::new(), String::new(), Vec::new());
    let out = restored(Schema::Generic, &stream(Schema::ChatStyle, sent));
    let events = out.lines().filter_map(|line| line.strip_prefix("data: "));
    for event in events {
        let event: Value = serde_json::from_str(event).expect("JSON");
        let parts = event["candidates"][0]["content"]["parts"].as_array();
        for part in parts.expect("parts") {
            let text = part["text"].as_str().unwrap_or_default();
            match part.get("functionCall") {
                Some(call) => given.push(call["args"].clone()),
                None if part["thought"] == true => thoughts.push_str(text),
                None => answer.push_str(text),
            }
        }
    }
    (thoughts, answer, given)
}

/// The end of a thought came with the answer, and a call whose text ended like a token was made twice.
#[test]
fn thoughts_answers_and_calls_at_one_place_stay_separate() {
    let event = |index: u32, part: Value| json!({"candidates": [{"index": index, "content": {"role": "model", "parts": [part]}}]});
    for tail in ["100%", "a \\", "<MASK_EM", "MASK", "<MASK_EMAIL_1"] {
        let given = json!({"like": tail, "in": [{"x": "<MASK_EMAIL_1>"}]});
        let others = event(1, json!({"text": "meanwhile"}));
        let (thoughts, answer, calls) = parts(&[
            event(0, json!({"text": "so ", "thought": true})),
            event(0, json!({"text": tail, "thought": true})),
            event(0, json!({"text": "It is <MASK_"})),
            event(0, json!({"text": "EMAIL_1>"})),
            event(0, json!({"functionCall": {"name": "f", "args": given}})),
            json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP"}]}),
        ]);
        assert_eq!(thoughts, format!("so {tail}"));
        assert_eq!(answer, "It is alice@example.com");
        let expected = json!({"like": tail, "in": [{"x": "alice@example.com"}]});
        assert_eq!(calls, [expected]);
        let call = event(0, json!({"functionCall": {"name": "f", "args": given}}));
        let sent = stream(Schema::ChatStyle, &[call, others]);
        let out = restored(Schema::Generic, &sent);
        assert_eq!(out.matches("functionCall").count(), 1, "{out}");
    }
}

/// It came behind the answer, in a message without `content`, which clients of Ollama print as `undefined`.
#[test]
fn a_thought_ends_before_its_messages_answer() {
    let message = |thought: &str, text: &str| {
        let message = json!({"role": "assistant", "content": text, "thinking": thought});
        json!({"message": message, "done": false}).to_string() + "\n"
    };
    let sent = message("see <MASK_", "") + &message("", "It") + &message("", " is");
    let begin = restoring(Schema::Generic, &tokens(), "{}");
    let out = restore(
        begin.reply(Some("application/x-ndjson")),
        &[sent.as_bytes()],
    );
    assert_eq!(String::from_utf8(out).expect("UTF-8"), sent);
}
