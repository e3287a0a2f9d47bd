//! Tokens in other spellings: Markdown, JSON, URLs, emphasis, scripts without spaces.

use crate::support;

use engine::{Engine, EntityType, NoMemory, Schema, Session, Settings};
use serde_json::{Value, json};
use support::accumulate::accumulate;
use support::events::{EVENTS, choice, chunk, stream, tokens};
use support::{restore, restoring};

/// What a model or a server between writes, and what a client reads.
const SPELLINGS: &[(&str, &str)] = &[
    (r"to MASK\_EMAIL\_1.", "to alice@example.com."),
    (r"to \<MASK\_EMAIL\_1\>.", "to alice@example.com."),
    (
        r"in C:\Users\<MASK_EMAIL_1>\x",
        r"in C:\Users\alice@example.com\x",
    ),
    ("mailto:%3CMASK_EMAIL_1%3E", "mailto:alice%40example.com"),
    (
        r#"{"a": "\u004dASK_EMAIL_1""#,
        r#"{"a": "alice@example.com""#,
    ),
    (
        r#"{"a": "\\u003cMASK_EMAIL_1\\u003e""#,
        r#"{"a": "alice@example.com""#,
    ),
    ("宛先 MASK_EMAIL_1です", "宛先 alice@example.comです"),
    ("メールMASK_EMAIL_1です", "メールalice@example.comです"),
    (
        "**MASK_EMAIL_1** `MASK_EMAIL_1`",
        "**alice@example.com** `alice@example.com`",
    ),
    (
        "_MASK_EMAIL_1_ __MASK_EMAIL_1__",
        "_alice@example.com_ __alice@example.com__",
    ),
    (
        "mask_email_1 MASK EMAIL 1 MASK_EMAIL_1x",
        "mask_email_1 MASK EMAIL 1 MASK_EMAIL_1x",
    ),
    (
        "my_MASK_EMAIL_1 _MASK_EMAIL_1 xMASK_EMAIL_1",
        "my_MASK_EMAIL_1 _MASK_EMAIL_1 xMASK_EMAIL_1",
    ),
];

#[test]
fn encodings_of_a_token_are_restored_in_a_document() {
    for (written, read) in SPELLINGS {
        let message = json!({"role": "assistant", "content": written});
        let body = json!({"choices": [{"index": 0, "message": message}]}).to_string();
        let restorer = restoring(Schema::ChatStyle, &tokens(), "{}").reply(None);
        let out: Value =
            serde_json::from_slice(&restore(restorer, &[body.as_bytes()])).expect("JSON");
        assert_eq!(out["choices"][0]["message"]["content"], *read, "{written}");
    }
}

#[test]
fn encodings_of_a_token_are_restored_in_a_stream_of_single_characters() {
    for (written, read) in SPELLINGS {
        let pieces = written
            .chars()
            .map(|piece| chunk(&json!([choice(0, &json!({"content": piece.to_string()}))])));
        let events: Vec<_> = pieces.collect();
        let out = support::events::restored(Schema::ChatStyle, &stream(Schema::ChatStyle, &events));
        let out = accumulate(Schema::ChatStyle, out.as_bytes());
        assert_eq!(out["choices"][0]["message"]["content"], *read, "{written}");
    }
}

/// What would be restored must be masked, or one user's text becomes another's value.
#[test]
fn token_lookalikes_are_masked_in_every_restorable_spelling() {
    let engine = Engine::new(Settings::default());
    for (written, read) in SPELLINGS {
        let body = json!({"messages": [{"role": "user", "content": written}]}).to_string();
        let request = engine
            .request(Schema::ChatStyle, body.clone().into_bytes())
            .expect("a request");
        let masked = request
            .mask(&mut Session::new(), &NoMemory)
            .expect("masked");
        let restored = masked.restoring.reply(None);
        let sent = masked.body.into_bytes();
        let is_restored = written != read;
        assert_eq!(sent != body.as_bytes(), is_restored, "{written}");
        let out = restore(restored, &[&sent]);
        assert_eq!(String::from_utf8_lossy(&out), body, "{written}");
    }
}

/// In a stream the whole input is JSON in a string, and its names were always read so.
#[test]
fn json_member_names_restore_alike_in_document_and_stream() {
    let name = r#"{"to": "<MASK_SECRET_3>"}"#;
    let block = json!({"type": "tool_use", "id": "t", "name": "f", "input": {name: 1}});
    let body = json!({"type": "message", "content": [block]}).to_string();
    let restorer = restoring(Schema::MessagesStyle, &tokens(), "{}").reply(None);
    let out: Value = serde_json::from_slice(&restore(restorer, &[body.as_bytes()])).expect("JSON");
    let input = out["content"][0]["input"].as_object().expect("members");
    let name: Value = serde_json::from_str(input.keys().next().expect("one")).expect("JSON");
    assert_eq!(name, json!({"to": "a\"b\\c\nd"}));
}

/// The longest labels have several underscores, and streams hold back what may become one.
#[test]
fn tokens_of_every_built_in_type_restore_however_chunked() {
    for entity in EntityType::BUILT_IN {
        let token = format!("<MASK_{entity}_12>");
        let tokens = json!({ token.as_str(): "Ada Lovelace" });
        let delta =
            json!({ "content": format!("to {token} and {}", token.trim_matches(['<', '>'])) });
        let events = [chunk(&json!([choice(0, &delta)]))];
        let events = stream(Schema::ChatStyle, &events);
        for step in [1, 5, events.len()] {
            let chunks: Vec<_> = events.as_bytes().chunks(step).collect();
            let restorer = restoring(Schema::ChatStyle, &tokens, "{}").reply(Some(EVENTS));
            let out = accumulate(Schema::ChatStyle, &restore(restorer, &chunks));
            let content = &out["choices"][0]["message"]["content"];
            assert_eq!(*content, "to Ada Lovelace and Ada Lovelace", "{entity}");
        }
    }
}
