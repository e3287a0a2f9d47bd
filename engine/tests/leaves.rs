//! The interface for the host's detectors: the texts that they get, and how their findings are
//! used.

use crate::support;

use engine::detect::{Allowed, AllowedValues, DetectorSettings};
use engine::{
    Detection, Detectors, Engine, EntityType, Error, InvalidSpan, Leaves, Memory, NoMemory, Policy,
    Recall, Request, Schema, Score, Session, Settings, SignedBlock,
};
use serde_json::json;
use std::sync::Arc;
use support::{SCHEMAS, assert_same, names, read};

fn engine_that_finds(settings: &DetectorSettings) -> Engine {
    Engine::new(Settings {
        detectors: Detectors::new(settings).expect("detectors"),
        ..Settings::default()
    })
}

fn engine_that_finds_nothing() -> Engine {
    engine_that_finds(&DetectorSettings {
        built_in: false,
        ..DetectorSettings::default()
    })
}

fn request(engine: &Engine, body: &serde_json::Value) -> Request {
    let body = body.to_string().into_bytes();
    engine
        .request(Schema::MessagesStyle, body)
        .expect("a request")
}

fn answer(text: &str) -> serde_json::Value {
    json!({"messages": [{"role": "user", "content": text}]})
}

/// Adds a detection of every occurrence of a value.
fn find(leaves: &mut Leaves, value: &str, entity: &str, score: u8) {
    let texts: Vec<String> = leaves.iter().map(|leaf| leaf.text.to_owned()).collect();
    for (leaf, text) in texts.iter().enumerate() {
        for (start, _) in text.match_indices(value) {
            let detection = Detection {
                start,
                end: start + value.len(),
                entity: EntityType::parse(entity).expect("a type"),
                score: Score::percent(score),
                rule: "host",
            };
            leaves.add(leaf, detection).expect("a part of the text");
        }
    }
}

fn masked_with(request: &Request, leaves: &Leaves) -> String {
    let masked = request
        .mask_with(&mut Session::new(), &NoMemory, leaves)
        .expect("masked");
    String::from_utf8(masked.body.into_bytes()).expect("UTF-8")
}

/// Findings of the host and of the engine are masked alike, in every place of every format.
#[test]
fn host_findings_are_masked_like_the_engines_own() {
    let knowing = Engine::new(Settings::default());
    let blind = engine_that_finds_nothing();
    for (schema, format) in SCHEMAS {
        let bodies = names(format, "req.", ".json");
        let sinks = names(format, "sink.request", ".json");
        for name in bodies.iter().chain(&sinks) {
            let body = read(&format!("{format}/{name}.json"));
            let header = r#"{"turn": "alice@example.com", "n": 1}"#;
            let own = knowing.request(schema, body.clone()).expect("a request");
            let mut own = own.with_metadata_header(header);
            own.know_history(true);
            let host = blind.request(schema, body).expect("a request");
            let mut host = host.with_metadata_header(header);
            host.know_history(true);

            let mut leaves = host.leaves(&NoMemory);
            let untouched = host
                .mask_with(&mut Session::new(), &NoMemory, &leaves)
                .expect("masked");
            let alone = host.mask(&mut Session::new(), &NoMemory).expect("masked");
            assert_same(
                &alone.body.into_bytes(),
                &untouched.body.into_bytes(),
                || format!("{format}/{name} without findings"),
            );

            let mut found = Vec::new();
            for (index, leaf) in leaves.iter().enumerate() {
                let mut detections = Vec::new();
                let detectors = &knowing.settings().detectors;
                detectors.detect(leaf.text, leaf.name, &mut detections);
                found.extend(detections.into_iter().map(|detection| (index, detection)));
            }
            for (leaf, detection) in found {
                leaves.add(leaf, detection).expect("a part of the text");
            }
            let expected = own.mask(&mut Session::new(), &NoMemory).expect("masked");
            let expected_body = expected.body.into_bytes();
            for _ in 0..2 {
                let pooled = host
                    .mask_with(&mut Session::new(), &NoMemory, &leaves)
                    .expect("masked, and again");
                assert_eq!(pooled.summary, expected.summary, "{format}/{name}");
                assert_eq!(pooled.metadata_header, expected.metadata_header);
                assert_same(&expected_body, &pooled.body.into_bytes(), || {
                    format!("{format}/{name}")
                });
            }
        }
    }
}

#[test]
fn texts_are_offered_once_in_prompt_order_with_names() {
    let body = json!({
        "messages": [
            {"role": "user", "content": "the same"},
            {"role": "user", "content": "the same"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f",
                "input": {"owner": "Ada\nLovelace", "note": "{\"city\": \"Turin\", \"n\": 7}"}}]},
        ],
        "system": "You help.",
        "tools": [{"name": "f", "description": "Finds.", "input_schema": {"properties": {"owner": {}, "note": {}}}}],
    });
    let request = request(&Engine::new(Settings::default()), &body).with_metadata_header("header");
    let leaves = request.leaves(&NoMemory);
    let offered: Vec<_> = leaves.iter().map(|leaf| (leaf.text, leaf.name)).collect();
    assert_eq!(
        offered,
        [
            ("Finds.", None),
            ("You help.", None),
            ("the same", None),
            ("city", None),
            ("Turin", Some("city")),
            ("n", None),
            ("7", Some("n")),
            ("Ada\nLovelace", Some("owner")),
            ("header", None),
        ]
    );
}

#[test]
fn overlapping_host_and_engine_findings_merge() {
    let engine = Engine::new(Settings::default());
    let request = request(&engine, &answer("the blue ada@example.com"));
    let mut leaves = request.leaves(&NoMemory);
    find(&mut leaves, "blue ada", "PERSON", 80);
    assert!(masked_with(&request, &leaves).contains("\"the <MASK_EMAIL_1>\""));
}

/// A longer span of a type that the policy lets through does not swallow a masked one.
#[test]
fn the_policy_comes_before_merging() {
    let engine = Engine::new(Settings {
        policy: Policy::strict(vec![EntityType::EMAIL]),
        ..Settings::default()
    });
    let request = request(&engine, &answer("Ada Lovelace ada@example.com"));
    let mut leaves = request.leaves(&NoMemory);
    find(&mut leaves, "Ada Lovelace ada@example.com", "PERSON", 80);
    assert!(masked_with(&request, &leaves).contains("\"Ada Lovelace <MASK_EMAIL_1>\""));
}

#[test]
fn allowed_or_low_score_host_findings_are_dropped() {
    let engine = engine_that_finds(&DetectorSettings {
        min_score: Score::percent(50),
        allow: vec![Allowed {
            entity: None,
            values: AllowedValues::Exact("red".to_owned()),
        }],
        ..DetectorSettings::default()
    });
    let request = request(&engine, &answer("red, blue and green"));
    let mut leaves = request.leaves(&NoMemory);
    find(&mut leaves, "red", "PERSON", 90);
    find(&mut leaves, "blue", "PERSON", 49);
    find(&mut leaves, "green", "PERSON", 50);
    assert!(masked_with(&request, &leaves).contains("\"red, blue and <MASK_PERSON_1>\""));
}

#[test]
fn a_span_outside_its_text_is_refused() {
    let engine = Engine::new(Settings::default());
    let mut leaves = request(&engine, &answer("né")).leaves(&NoMemory);
    for (leaf, start, end) in [(0, 0, 0), (0, 2, 3), (0, 0, 4), (0, 2, 1), (1, 0, 1)] {
        let detection = Detection {
            start,
            end,
            entity: EntityType::EMAIL,
            score: Score::MAX,
            rule: "host",
        };
        assert_eq!(
            leaves.add(leaf, detection),
            Err(InvalidSpan),
            "{start}..{end}"
        );
    }
}

/// A text that the host never saw is not sent with half a scan.
#[test]
fn leaves_from_another_request_fail_the_scan() {
    let engine = Engine::new(Settings::default());
    let other = request(&engine, &answer("other")).leaves(&NoMemory);
    let request = request(&engine, &answer("this"));
    let refused = request.mask_with(&mut Session::new(), &NoMemory, &other);
    assert_eq!(refused.err(), Some(Error::ScanFailed));
}

struct Remembered(Memory);

impl Recall for Remembered {
    fn recall(&self, signature: &str) -> Option<Arc<SignedBlock>> {
        self.0.recall("owner", signature)
    }
}

#[test]
fn an_unchanged_signed_text_is_not_offered() {
    const SIGNATURE: &str = "EqQBCgIYAhIkYThlNmQ5ZTgtN2YEqQBCgIYAhIkYThl";
    let engine = Engine::new(Settings::default());
    let first = request(&engine, &answer("I am ada@example.com"))
        .mask(&mut Session::new(), &NoMemory)
        .expect("masked");
    let reply = json!({"type": "message", "role": "assistant", "content": [
        {"type": "thinking", "thinking": "They are <MASK_EMAIL_1>", "signature": SIGNATURE}]});
    let mut restorer = first.restoring.reply(Some("application/json"));
    let mut delivered = Vec::new();
    restorer.push(reply.to_string().as_bytes(), &mut delivered);
    restorer.finish(&mut delivered);
    let mut memory = Remembered(Memory::new(10, 10_000));
    for block in restorer.take_signed_blocks() {
        memory.0.remember("owner", block);
    }
    let delivered: serde_json::Value = serde_json::from_slice(&delivered).expect("JSON");

    let mut next = answer("I am ada@example.com");
    let turns = next["messages"].as_array_mut().expect("turns");
    turns.push(json!({"role": "assistant", "content": delivered["content"]}));
    let mut next = request(&engine, &next);
    next.know_history(true);
    let texts = |leaves: &Leaves| -> Vec<String> {
        leaves.iter().map(|leaf| leaf.text.to_owned()).collect()
    };
    let known = next.leaves(&memory);
    assert_eq!(texts(&known), ["I am ada@example.com"]);
    let unknown = next.leaves(&NoMemory);
    assert_eq!(
        texts(&unknown),
        ["I am ada@example.com", "They are ada@example.com"]
    );
    assert!(next.mask_with(&mut Session::new(), &memory, &known).is_ok());
    let forgotten = next.mask_with(&mut Session::new(), &NoMemory, &known);
    assert_eq!(forgotten.err(), Some(Error::ScanFailed));
}

#[test]
fn a_single_text_accepts_findings_too() {
    let engine = Engine::new(Settings::default());
    let text = r#"{"who": "Ada", "mail": "ada@example.com"}"#;
    let mut leaves = engine.leaves(text);
    find(&mut leaves, "Ada", "PERSON", 80);
    let found = engine.detect_with(text, &leaves).expect("its leaves");
    let types: Vec<_> = found.iter().map(|found| found.entity.as_str()).collect();
    assert_eq!(types, ["PERSON", "EMAIL"]);
    let masked = engine.mask_text_with(text, &mut Session::new(), &leaves);
    assert_eq!(
        masked.as_deref(),
        Ok(r#"{"who": "<MASK_PERSON_1>", "mail": "<MASK_EMAIL_2>"}"#)
    );
    assert_eq!(
        engine.detect_with("another", &leaves),
        Err(Error::ScanFailed)
    );
}

#[test]
fn debug_shows_no_text() {
    let engine = Engine::new(Settings::default());
    let leaves = engine.leaves("hunter2");
    let shown = format!("{leaves:?} {:?}", leaves.iter().collect::<Vec<_>>());
    assert_eq!(shown, "Leaves(1 texts, 0 found) [Leaf(7 bytes)]");
}
