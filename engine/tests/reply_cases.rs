//! Event syntax, and replies that are not JSON or events: text that was once lost, held back or not
//! restored.

use crate::support;

use std::time::Duration;

use engine::{Cipher, Engine, NoMemory, Operator, Schema, Sensitive, Session, Settings};
use serde_json::{Value, json};
use support::accumulate::accumulate;
use support::events::{EVENTS, choice, chunk, restored, restorer, stream, tokens};
use support::work::timed;
use support::{restore, restoring};

#[test]
fn comments_and_untouched_events_pass_immediately_unchanged() {
    let mut restorer = restorer(Schema::ChatStyle);
    let held = stream(
        Schema::ChatStyle,
        &[chunk(&json!([choice(0, &json!({"content": "to <MASK_"}))]))],
    );
    restorer.push(held.as_bytes(), &mut Vec::new());
    for untouched in [
        ": keep-alive\n\n",
        ":\n\n",
        "id: 7\nretry: 1000\nevent: odd\ndata:  two  \ndata\ndata:spaces\n\n",
        "event: ping\ndata: {\"type\": \"ping\", \"n\": 1.10, \"n\": 1e400, \"big\": 123456789012345678901234567}\n\n",
        "data: [1, \"x\"]\n\n",
    ] {
        let mut out = Vec::new();
        restorer.push(untouched.as_bytes(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), untouched);
    }
}

/// Only the tail that may become an issued token is held back, so these were delivered in pieces and never seen.
#[test]
fn split_unknown_tokens_are_counted_once() {
    let text = "<MASK_SSN_8>, MASK_EMAIL_77 and xMASK_PHONE_9";
    for size in 1..text.len() {
        let pieces = text.as_bytes().chunks(size);
        let deltas = pieces.map(|piece| json!({"content": String::from_utf8_lossy(piece)}));
        let events: Vec<_> = deltas
            .map(|delta| chunk(&json!([choice(0, &delta)])))
            .collect();
        let mut restorer = restorer(Schema::ChatStyle);
        let mut out = Vec::new();
        restorer.push(stream(Schema::ChatStyle, &events).as_bytes(), &mut out);
        restorer.finish(&mut out);
        assert_eq!(restorer.summary().unknown_tokens, 3, "{size}");
    }
}

#[test]
fn unknown_tokens_are_counted_in_replies_to_requests_without_values() {
    let token = json!({"content": "see <MASK_EMAIL_7>"});
    let event = stream(Schema::ChatStyle, &[chunk(&json!([choice(0, &token)]))]);
    for reply in [
        event,
        json!({"choices": [{"message": token}]}).to_string(),
        token.to_string().replace('<', "\\u003c"),
        "see MASK_EMAIL_7".to_owned(),
    ] {
        let engine = Engine::new(Settings::default());
        let request = engine.request(Schema::ChatStyle, Vec::new());
        let masked = request
            .expect("a request")
            .mask(&mut Session::new(), &NoMemory);
        let mut restorer = masked.expect("masked").restoring.reply(None);
        let mut out = Vec::new();
        restorer.push(reply.as_bytes(), &mut out);
        restorer.finish(&mut out);
        assert_eq!(String::from_utf8(out).expect("UTF-8"), reply);
        assert_eq!(restorer.summary().unknown_tokens, 1, "{reply}");
    }
}

#[test]
fn json_after_a_byte_order_mark_is_always_restored() {
    let reply = r#"{"choices":[{"message":{"content":"<MASK_EMAIL_1>"}}]}"#;
    for start in ["\u{feff}", "\u{feff}\n ", " \u{feff}"] {
        let text = format!("{start}{reply}");
        for kind in ["text/event-stream", "application/json", "text/plain"] {
            for size in [1, 2, 1000] {
                let chunks: Vec<_> = text.as_bytes().chunks(size).collect();
                let restorer = restoring(Schema::ChatStyle, &tokens(), "").reply(Some(kind));
                let out = String::from_utf8(restore(restorer, &chunks)).expect("UTF-8");
                assert_eq!(
                    out,
                    text.replace("<MASK_EMAIL_1>", "alice@example.com"),
                    "{kind}"
                );
            }
        }
    }
}

#[test]
fn line_endings_and_byte_order_marks_lose_no_event() {
    let event = chunk(&json!([choice(0, &json!({"content": "<MASK_EMAIL_1>"}))])).to_string();
    let (front, back) = event.split_once(",\"").expect("members");
    for text in [
        format!("\u{feff}data: {event}\n\n"),
        format!("data: {event}\r\n\r\n"),
        format!("data: {event}\r\r"),
        format!("data: {event}\r\n\n"),
        format!("data: {event}"),
        format!("data: {event}\n"),
        format!("data:{event}\n\n"),
        format!("data: {front}\ndata: ,\"{back}\n\n"),
    ] {
        for size in [1, 2, 1000] {
            let chunks: Vec<_> = text.as_bytes().chunks(size).collect();
            let out = restore(restorer(Schema::ChatStyle), &chunks);
            let out = String::from_utf8(out).expect("UTF-8");
            assert!(
                out.contains("alice@example.com") && !out.contains("MASK_"),
                "{text:?} {out:?}"
            );
            let events = out.replace("\r\n", "\n").replace('\r', "\n");
            let events = events
                .split("\n\n")
                .filter(|event| !event.trim().is_empty());
            assert_eq!(events.count(), 1, "{text:?} {out:?}");
        }
    }
}

#[test]
fn broken_json_and_binary_replies_are_restored_as_far_as_possible() {
    for (text, expected) in [
        (
            "data: say <MASK_EMAIL_1>\n\n",
            "data: say alice@example.com\n\n",
        ),
        (
            "data: [\"<MASK_EMAIL_1>\", 2]\n\n",
            "data: [\"alice@example.com\", 2]\n\n",
        ),
        (
            "data: {\"cut\": \"<MASK_EMAIL_1>\n\n",
            "data: {\"cut\": \"alice@example.com\n\n",
        ),
        (
            "data: {\"n\": NaN, \"x\": \"<MASK_EMAIL_1>\"}\n\n",
            "data: {\"n\": NaN, \"x\": \"alice@example.com\"}\n\n",
        ),
        (
            "data: {\"a\": 0.1000000000000000055, \"a\": 1e3, \"t\": \"<MASK_EMAIL_1> \\ud800\"}\n\n",
            "data: {\"a\": 0.1000000000000000055, \"a\": 1e3, \"t\": \"alice@example.com \\ud800\"}\n\n",
        ),
    ] {
        assert_eq!(restored(Schema::ChatStyle, text), expected);
    }
    let broken = [
        b"data: {\"t\": \"\xff\xfe ".as_slice(),
        b"<MASK_EMAIL_1>\"}\n\ndata: {\"t\": \"<MASK_EMAIL_2>\"}\n\n",
    ]
    .concat();
    let out = restore(restorer(Schema::ChatStyle), &[&broken]);
    let out = String::from_utf8_lossy(&out);
    assert!(
        out.contains("alice@example.com") && out.contains("bob@example.com"),
        "{out}"
    );
}

/// Lists, errors, lines and plain text: no token reaches a client while its value is known.
#[test]
fn replies_of_every_kind_are_restored() {
    let line = |value: &str| format!("{{\"a\": \"{value}\", \"n\": 1.10}}\n");
    for (kind, text) in [
        ("text/plain", "see <MASK_EMAIL_1>, MASK_EMAIL_1".to_owned()),
        ("application/problem+json", line("<MASK_EMAIL_1>")),
        (
            "application/json",
            "[\"<MASK_EMAIL_1>\", {\"b\": [\"MASK_EMAIL_1\"]}, NaN]".to_owned(),
        ),
        (
            "application/json",
            "{\"n\": NaN, \"t\": \"\\udfff <MASK_EMAIL_1>\"}".to_owned(),
        ),
        (
            "application/x-ndjson",
            line("<MASK_EMAIL_1>") + &line("MASK_EMAIL_1"),
        ),
        ("", "<html>&lt;MASK_EMAIL_1&gt;</html>".to_owned()),
        (
            "application/json",
            "{\"id\": \"x\", \"link\": \"https://h.example/?m=<MASK_EMAIL_1>\"}".to_owned(),
        ),
    ] {
        for schema in [Schema::ChatStyle, Schema::MessagesStyle, Schema::Responses] {
            let restoring = restoring(schema, &tokens(), "{}");
            for size in [3, 10_000] {
                let chunks: Vec<_> = text.as_bytes().chunks(size).collect();
                let out = restore(restoring.reply(Some(kind)), &chunks);
                let expected = ["<MASK_EMAIL_1>", "&lt;MASK_EMAIL_1&gt;", "MASK_EMAIL_1"]
                    .iter()
                    .fold(text.clone(), |text, token| {
                        text.replace(token, "alice@example.com")
                    });
                assert_eq!(String::from_utf8_lossy(&out), expected, "{kind}");
            }
        }
    }
}

#[test]
fn a_token_repeated_by_events_counts_once() {
    let text = "<MASK_EMAIL_1> <MASK_EMAIL_2>";
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    let item = json!({"id": "i", "type": "message", "role": "assistant", "content": [part]});
    let place = |kind: &str, rest: Value| {
        let mut event = json!({"type": format!("response.{kind}"), "item_id": "i", "output_index": 0, "content_index": 0});
        for (name, value) in rest.as_object().expect("members") {
            event[name] = value.clone();
        }
        event
    };
    let events = [
        place(
            "output_text.delta",
            json!({"delta": "<MASK_EMAIL_1> <MASK"}),
        ),
        place("output_text.delta", json!({"delta": "_EMAIL_2>"})),
        place("output_text.done", json!({"text": text})),
        place("content_part.done", json!({"part": part})),
        place("output_item.done", json!({"item": item})),
        json!({"type": "response.completed", "response": {"status": "completed", "output": [item]}}),
    ];
    let mut restorer = restorer(Schema::Responses);
    let mut out = Vec::new();
    restorer.push(stream(Schema::Responses, &events).as_bytes(), &mut out);
    restorer.finish(&mut out);
    assert!(!String::from_utf8_lossy(&out).contains("MASK_"));
    assert_eq!(restorer.summary().restored, 2);
}

#[test]
fn a_session_without_tokens_leaves_replies_unchanged() {
    let begin = restoring(Schema::ChatStyle, &json!({}), "{}");
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"<MASK_EMAIL_1> MASK_EM\"}}]}\n\ndata: [DONE]\n\n";
    for size in [1, 1000] {
        let chunks: Vec<_> = text.as_bytes().chunks(size).collect();
        let out = restore(begin.reply(Some(EVENTS)), &chunks);
        assert_eq!(String::from_utf8_lossy(&out), text);
    }
}

#[test]
fn a_bare_id_shared_by_two_tokens_is_not_restored() {
    let tokens = json!({
        "<MASK_EMAIL_0A1B2C3D4E5F6071>": "alice@example.com",
        "<MASK_SECRET_0A1B2C3D4E5F6071>": "hunter2",
        "<MASK_EMAIL_1111222233334444>": "bob@example.com",
    });
    let text = "0A1B2C3D4E5F6071 <MASK_SECRET_0A1B2C3D4E5F6071> 1111222233334444";
    let out = restore(
        restoring(Schema::ChatStyle, &tokens, "{}").reply(Some("text/plain")),
        &[b"x ", text.as_bytes()],
    );
    assert_eq!(
        String::from_utf8_lossy(&out),
        "x 0A1B2C3D4E5F6071 hunter2 bob@example.com"
    );
}

/// A text longer than every issued token can't be a token, so nothing is held back.
#[test]
fn text_longer_than_any_token_is_not_held_back() {
    let mut restorer = restorer(Schema::ChatStyle);
    let mut out = Vec::new();
    let mut sent = 0;
    for piece in std::iter::once("<MASK_EMAIL_1").chain(std::iter::repeat_n("7", 65)) {
        let event = chunk(&json!([choice(0, &json!({"content": piece}))]));
        restorer.push(stream(Schema::ChatStyle, &[event]).as_bytes(), &mut out);
        sent += piece.len();
    }
    let seen = String::from_utf8_lossy(&out);
    let text: String = seen
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok())
        .filter_map(|event| {
            event["choices"][0]["delta"]["content"]
                .as_str()
                .map(str::to_owned)
        })
        .collect();
    assert_eq!(text.len(), sent, "{text}");
}

#[test]
fn derived_tokens_of_encrypted_values_restore_however_chunked() {
    let engine = Engine::new(Settings {
        operator: Operator::Encrypt(Cipher::new(&Sensitive::new([7; 32]))),
        ..Settings::default()
    });
    let body = json!({"messages": [{"role": "user", "content": "alice@example.com"}]});
    let request = engine
        .request(Schema::ChatStyle, body.to_string().into_bytes())
        .expect("a request");
    let masked = request
        .mask(&mut Session::new(), &NoMemory)
        .expect("masked");
    let sent: Value = serde_json::from_slice(&masked.body.into_bytes()).expect("JSON");
    let token = sent["messages"][0]["content"].as_str().expect("a token");
    let id = &token["<MASK_EMAIL_".len()..token.len() - 1];
    let answer = format!("{token} and {id}.");
    for at in 0..=answer.len() {
        let (front, back) = answer.split_at(at);
        let events =
            [front, back].map(|piece| chunk(&json!([choice(0, &json!({"content": piece}))])));
        let out = restore(
            masked.restoring.reply(Some(EVENTS)),
            &[stream(Schema::ChatStyle, &events).as_bytes()],
        );
        let got = accumulate(Schema::ChatStyle, &out);
        assert_eq!(
            got["choices"][0]["message"]["content"], "alice@example.com and alice@example.com.",
            "cut at {at}"
        );
    }
}

#[test]
fn many_small_pieces_and_one_huge_piece_take_linear_time() {
    let content = |text: &str| {
        stream(
            Schema::ChatStyle,
            &[chunk(&json!([choice(0, &json!({"content": text}))]))],
        )
    };
    let almost = format!("<MASK_EMAIL_{}", "9".repeat(428));
    for (name, text) in [
        ("tiny", content("a").repeat(20_000)),
        (
            "tiny pieces of openers",
            content("<MASK_EMAIL_").repeat(20_000),
        ),
        ("2 MB", content(&"<MASK_ a".repeat(250_000))),
        (
            "almost tokens",
            (0..300).map(|_| content(&almost)).collect(),
        ),
    ] {
        let (out, took) = timed(|| restore(restorer(Schema::ChatStyle), &[text.as_bytes()]));
        assert!(took < Duration::from_secs(5), "{name}: {took:?}");
        assert!(out.len() >= text.len() / 2, "{name}");
    }
}
