//! `locate` returns what masking replaces, with its place in the body.

use crate::support;

use engine::{Detection, Engine, Memory, NoMemory, Schema, Session, Settings};
use support::{SCHEMAS, examples, names, read};

const ADDRESS: &str = "alice@example.com";

fn engine() -> Engine {
    Engine::new(Settings::default())
}

/// Asserts that the masked text is the text with tokens at the places of the findings, each for the
/// value there, and nowhere else.
fn assert_placed(text: &str, found: &[Detection], masked: &str, session: &Session, place: &str) {
    let (mut at, mut rest) = (0, masked);
    for Detection { start, end, .. } in found {
        rest = rest
            .strip_prefix(&text[at..*start])
            .unwrap_or_else(|| panic!("{place}: other text before {start}"));
        let mapping = session.mappings().find_map(|mapping| {
            let token = format!("<MASK_{}_{}>", mapping.entity(), mapping.id());
            Some((mapping, rest.strip_prefix(&token)?))
        });
        let (mapping, behind) = mapping.unwrap_or_else(|| panic!("{place}: no token at {start}"));
        let raw = &text[*start..*end];
        assert!(
            raw.contains('\\') || raw == mapping.value().expose(),
            "{place}: another value at {start}"
        );
        (at, rest) = (*end, behind);
    }
    assert_eq!(rest, &text[at..], "{place}: other text at the end");
}

fn assert_located(schema: Schema, body: &[u8], place: &str) -> usize {
    let mut request = engine().request(schema, body.to_vec()).expect("a request");
    request.know_history(true);
    let found = request.locate(&NoMemory);
    let mut session = Session::new();
    let masked = request.mask(&mut session, &NoMemory).expect("masked");
    let text = |body: &[u8]| String::from_utf8(body.to_vec()).expect("UTF-8");
    let masked = text(&masked.body.into_bytes());
    assert_placed(&text(body), &found, &masked, &session, place);
    found.len()
}

#[test]
fn locate_matches_masking_in_the_example_requests() {
    for (schema, folder) in SCHEMAS {
        let mut found = 0;
        for name in names(folder, "req.", ".json") {
            let path = format!("{folder}/{name}.json");
            found += assert_located(schema, &read(&path), &path);
        }
        assert!(
            found > 0,
            "nothing in {}",
            examples().join(folder).display()
        );
    }
}

#[test]
fn values_are_located_however_they_are_written() {
    let email =
        |raw: &str| format!(r#"{{"messages":[{{"role":"user","content":"é 😀 {raw} {raw}"}}]}}"#);
    for raw in [
        ADDRESS,
        r"\u0061lice@example.com",
        r"alice\u0040example.com",
    ] {
        let body = email(raw);
        let request = engine()
            .request(Schema::ChatStyle, body.clone().into_bytes())
            .expect("a request");
        let found = request.locate(&NoMemory);
        let places = found.iter().map(|found| &body[found.start..found.end]);
        assert_eq!(places.collect::<Vec<_>>(), [raw, raw]);
        assert_located(Schema::ChatStyle, body.as_bytes(), raw);
    }
    let nested = r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"to\":[\"a\\u0062@example.com\",\"alice@example.com\"]}"}}]}]}"#;
    assert_eq!(
        assert_located(Schema::ChatStyle, nested.as_bytes(), "nested"),
        2
    );
}

#[test]
fn locate_matches_masking_in_a_text() {
    for text in [
        "",
        "nothing",
        "é <MASK_EMAIL_1> alice@example.com, bob@example.com, alice@example.com",
        r#"{"password": "hunter2-Hunter2", "to": "alice\u0040example.com"}"#,
        // What masking learns only when it replaces the first: `ann@firma.de kTx-99` is one value.
        r#"["mail ann@firma.de kTx-99 ok, kTx-99", {"db_password": "firma.de kTx-99"}]"#,
    ] {
        let found = engine().locate_in_text(text);
        let mut session = Session::new();
        let masked = engine().mask_text(text, &mut session);
        assert_placed(text, &found, &masked, &session, text);
    }
}

/// A remembered signed block returns as the provider wrote it: nothing in it is masked again.
#[test]
fn nothing_is_located_in_a_remembered_signed_block() {
    let mut history = serde_json::json!({"messages": [{"role": "user", "content": ADDRESS}]});
    let body = history.to_string().into_bytes();
    let request = engine().request(Schema::MessagesStyle, body);
    let masked = request.and_then(|request| request.mask(&mut Session::new(), &NoMemory));
    let mut reply = masked.expect("masked").restoring.reply(None);
    let block = r#"{"type":"thinking","thinking":"To <MASK_EMAIL_1>?","signature":"sig"}"#;
    let reply_body = format!(r#"{{"type":"message","role":"assistant","content":[{block}]}}"#);
    let mut out = Vec::new();
    reply.push(reply_body.as_bytes(), &mut out);
    reply.finish(&mut out);
    let mut memory = Memory::new(10, 10_000);
    for block in reply.take_signed_blocks() {
        memory.remember("owner", block);
    }

    let answer: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
    let turns = history["messages"].as_array_mut().expect("messages");
    turns.push(serde_json::json!({"role": "assistant", "content": answer["content"]}));
    let body = history.to_string();
    assert_eq!(body.matches(ADDRESS).count(), 2);
    let request = engine()
        .request(Schema::MessagesStyle, body.clone().into_bytes())
        .expect("a request");
    let located =
        |found: Vec<Detection>| -> Vec<usize> { found.iter().map(|found| found.start).collect() };
    let places: Vec<_> = body.match_indices(ADDRESS).map(|(at, _)| at).collect();
    assert_eq!(located(request.locate(&NoMemory)), places);
    let known = Owned(&memory);
    assert_eq!(located(request.locate(&known)).len(), 1);
}

struct Owned<'a>(&'a Memory);

impl engine::Recall for Owned<'_> {
    fn recall(&self, signature: &str) -> Option<std::sync::Arc<engine::SignedBlock>> {
        self.0.recall("owner", signature)
    }
}
