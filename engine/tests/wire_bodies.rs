//! Whole requests and replies of the three wire formats.

use crate::support;

use engine::{Engine, NoMemory, Schema, Session, Settings};
use serde_json::{Map, Value};
use support::{SCHEMAS, assert_agrees, examples, names, read, read_json, restore, restoring};

const JSON: &str = "application/json";

fn mask(schema: Schema, body: &[u8]) -> (String, Session) {
    let mut session = Session::new();
    let mut request = Engine::new(Settings::default())
        .request(schema, body.to_vec())
        .expect("a request");
    request.know_history(true);
    let masked = request.mask(&mut session, &NoMemory).expect("masked");
    (
        String::from_utf8(masked.body.into_bytes()).expect("UTF-8"),
        session,
    )
}

fn index(format: &str, part: &str) -> Vec<Value> {
    let lines = read(&format!("{format}/sink.{part}.index.jsonl"));
    let lines = String::from_utf8(lines).expect("UTF-8");
    lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn text<'v>(row: &'v Value, name: &str) -> &'v str {
    row[name].as_str().expect("text")
}

#[test]
fn every_string_of_a_request_is_masked_or_left_as_listed() {
    let mut wrong = Vec::new();
    for (schema, format) in SCHEMAS {
        let rows = index(format, "request");
        for name in names(format, "sink.request.", ".json") {
            let body = read(&format!("{format}/{name}.json"));
            let (masked, _) = mask(schema, &body);
            let body = String::from_utf8(body).expect("UTF-8");
            for row in &rows {
                let (before, after) = (
                    body.matches(text(row, "canary")).count(),
                    masked.matches(text(row, "canary")).count(),
                );
                let right = match text(row, "expect") {
                    "unchanged" => after == before,
                    _ => after == 0,
                };
                if before > 0 && !right {
                    wrong.push(format!("{name} {row}"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_string_of_a_reply_is_restored_or_left_as_listed() {
    let mut wrong = Vec::new();
    for (schema, format) in SCHEMAS {
        let rows = index(format, "reply");
        let value =
            |token: &str| format!("value-of-{}", token.trim_matches(['<', '>']).to_lowercase());
        let tokens: Map<String, Value> = rows
            .iter()
            .map(|row| {
                (
                    text(row, "canary").to_owned(),
                    value(text(row, "canary")).into(),
                )
            })
            .collect();
        let restoring = restoring(schema, &Value::Object(tokens), "{}");
        for name in names(format, "sink.reply.", ".json") {
            let body = read(&format!("{format}/{name}.json"));
            let out = restore(restoring.reply(Some(JSON)), &[&body]);
            let (body, out) = (
                String::from_utf8_lossy(&body),
                String::from_utf8_lossy(&out),
            );
            for row in rows.iter().filter(|row| body.contains(text(row, "canary"))) {
                let kept = out.contains(text(row, "canary"));
                let right = match text(row, "expect") {
                    "restored" => !kept,
                    "unchanged" => kept,
                    _ => true,
                };
                if !right {
                    wrong.push(format!("{name} {row}"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn replies_restore_as_expected_however_chunked() {
    let tokens = read_json("tokens.json");
    for (schema, format) in SCHEMAS {
        for name in names(format, "reply.", ".json") {
            let odd = format!(
                "{format}/{}.expect.json",
                name.replacen("reply.", "reply.expect.", 1)
            );
            let usual = format!("{format}/{name}.expect.json");
            let expected = if examples().join(&usual).exists() {
                read_json(&usual)
            } else {
                read_json(&odd)
            };
            let body = read(&format!("{format}/{name}.json"));
            let restoring = restoring(schema, &tokens, "{}");
            let whole = restore(restoring.reply(Some(JSON)), &[&body]);
            let actual: Value = serde_json::from_slice(&whole).expect("JSON");
            assert_agrees(&expected, &actual, &name);
            for at in 0..body.len() {
                let (left, right) = body.split_at(at);
                assert_eq!(
                    restore(restoring.reply(Some(JSON)), &[left, right]),
                    whole,
                    "cut at {at}"
                );
            }
        }
    }
}

/// Whatever comes back to a client from its own masked request is what it sent, and the next turn
/// of the session sends the same tokens.
#[test]
fn masked_requests_restore_to_the_original() {
    for (schema, format) in SCHEMAS {
        let sinks = names(format, "sink.request.", ".json");
        for name in names(format, "req.", ".json").into_iter().chain(sinks) {
            let body = read(&format!("{format}/{name}.json"));
            let (sent, mut session) = mask(schema, &body);
            let mut request = Engine::new(Settings::default())
                .request(schema, body.clone())
                .expect("a request");
            request.know_history(true);
            let masked = request.mask(&mut session, &NoMemory).expect("masked");
            let back = restore(masked.restoring.reply(Some(JSON)), &[sent.as_bytes()]);
            let parse = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("JSON");
            assert_eq!(parse(&back), parse(&body), "{name}");
            assert_eq!(
                masked.body.into_bytes(),
                sent.into_bytes(),
                "{name}: the next turn"
            );
        }
    }
}

/// Found by fuzzing: with one byte at a time, events were mistaken for text.
#[test]
fn chunking_does_not_change_how_a_reply_is_read() {
    let tokens = read_json("tokens.json");
    let restoring = restoring(Schema::ChatStyle, &tokens, "{}");
    for kind in ["application/json", "text/plain", "text/event-stream", ""] {
        for body in [
            "event:MASK_EMAIL_1 ",
            "data: MASK_EMAIL_1 ",
            " \n: MASK_EMAIL_1 \n\ndata: <MASK_EMAIL_1>\n\n",
            "even <MASK_EMAIL_1>",
            "d",
            "\u{feff}{\"a\": \"<MASK_SECRET_1>\"}",
            "\u{feff}data: \"<MASK_SECRET_1>\"\n\n",
            "\u{ff01} <MASK_SECRET_1>",
            "\n",
        ] {
            let whole = restore(restoring.reply(Some(kind)), &[body.as_bytes()]);
            for at in 0..body.len() {
                let (left, right) = body.as_bytes().split_at(at);
                let cut = restore(restoring.reply(Some(kind)), &[left, right]);
                support::assert_same(&whole, &cut, || format!("{kind} {body:?} at {at}"));
            }
            let bytes: Vec<_> = body.as_bytes().chunks(1).collect();
            let cut = restore(restoring.reply(Some(kind)), &bytes);
            support::assert_same(&whole, &cut, || format!("{kind} {body:?} by bytes"));
        }
    }
}
