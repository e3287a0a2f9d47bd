//! A local model in the real binary, which `just ner` builds with the optional features.

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{Detecting, configuration, maskproxy};

/// The folder of the model.
fn model() -> String {
    std::env::var("NER_MODEL").expect("NER_MODEL names the model: run `just ner`")
}

/// The model beside the built-in detectors, which look for no names.
fn detectors(more: &Value) -> Value {
    let mut ner = json!({"type": "ner", "path": model(), "timeout": 100});
    let members = ner.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    json!([{"type": "regex", "names": "off"}, ner])
}

fn config(detectors: &Value) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config.yaml");
    std::fs::write(&path, configuration(detectors)).expect("written");
    let path = path.to_str().expect("UTF-8").to_owned();
    (folder, path)
}

#[tokio::test]
async fn findings_of_the_model_and_the_engine_are_masked_and_restored() {
    let setup = Detecting::start(&detectors(&json!({"entities": ["PERSON"]}))).await;
    let text = "hi, i am priya raghunathan from Springfield, mail me: priya@example.com";
    let reply = setup.say(text).await;
    assert_eq!(
        setup.seen(),
        "hi, i am <MASK_PERSON_1> from Springfield, mail me: <MASK_EMAIL_2>"
    );
    assert!(
        reply.text().contains("i am priya raghunathan from"),
        "{}",
        reply.text()
    );
    assert!(!setup.proxy.written().contains("raghunathan"));
}

/// What stands where two windows meet was cut in two, or was not seen at all.
#[tokio::test]
async fn names_are_found_anywhere_in_a_long_text() {
    let setup = Detecting::start(&detectors(&json!({"entities": ["PERSON"]}))).await;
    let names = [
        "Priya Raghunathan",
        "Grzegorz Brzęczyszczykiewicz",
        "Müller-Lüdenscheidt",
    ];
    let mut text = String::new();
    for number in 0..60 {
        let name = names[number % names.len()];
        text +=
            &format!("My name is {name} and I have a question about the invoice number {number}. ");
    }
    let reply = setup.say(&text).await;
    let forwarded = setup.seen();
    for part in [
        "Priya",
        "Raghunathan",
        "Grzegorz",
        "Brzęczyszczykiewicz",
        "Lüdenscheidt",
    ] {
        assert!(!forwarded.contains(part), "{part} in {forwarded}");
    }
    assert!(reply.text().contains(text.trim_end()), "{}", reply.text());
}

#[tokio::test]
async fn a_scan_that_takes_too_long_fails_the_request() {
    let setup = Detecting::start(&detectors(&json!({"timeout": 0.02}))).await;
    let reply = setup
        .say(&"My name is Priya Raghunathan. ".repeat(2000))
        .await;
    assert_eq!(reply.status, 503, "{}", reply.text());
    assert!(
        reply.text().contains("mask_scan_failed"),
        "{}",
        reply.text()
    );
    assert!(setup.mock.requests().is_empty());
}

#[tokio::test]
async fn detect_and_doctor_use_the_model() {
    let (_folder, path) = config(&detectors(&json!({})));
    let text = "dear john macallister, thank you";
    let (code, out, error) = maskproxy(&["detect", "-c", &path, text], "").await;
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(out.contains("PERSON  'john macallister'"), "{out}");
    let (_, out, _) = maskproxy(&["doctor", "-c", &path], "").await;
    assert!(out.contains("was run"), "{out}");
}

#[tokio::test]
async fn an_unusable_model_stops_the_start_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path();
    let path = json!({"path": home.to_str().expect("UTF-8")});
    let (_file, config) = config(&detectors(&path));
    let why = async || maskproxy(&["detect", "-c", &config, "x"], "").await.2;
    let error = why().await;
    assert!(error.contains("has no .onnx file"), "{error}");
    for name in ["one.onnx", "other.onnx"] {
        std::fs::write(home.join(name), "none").expect("written");
    }
    let error = why().await;
    assert!(error.contains("has several .onnx files"), "{error}");
    std::fs::write(home.join("model.onnx"), "none").expect("written");
    let error = why().await;
    assert!(error.contains("config.json can't be read"), "{error}");
    for name in ["config.json", "tokenizer.json"] {
        let from = std::path::Path::new(&model()).join(name);
        std::fs::copy(from, home.join(name)).expect("copied");
    }
    let error = why().await;
    assert!(error.contains("can't be loaded"), "{error}");
}
