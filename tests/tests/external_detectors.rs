//! External detectors: a scripted language model and Presidio analyzer, over HTTP.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{Answer, Client, Detecting, Reserved, Service, configuration, maskproxy};

/// A configuration file with these detectors.
fn config(detector: &Value) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config.yaml");
    std::fs::write(&path, configuration(detector)).expect("written");
    let path = path.to_str().expect("UTF-8").to_owned();
    (folder, path)
}

fn llm(service: &Service, more: &Value) -> Value {
    let mut detector = json!({
        "type": "llm", "llm_base_url": service.url(), "llm_model": "small", "llm_api_key": "key-of-the-model",
    });
    let members = detector.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    json!([{"type": "regex", "names": "off"}, detector])
}

/// The texts that the model got.
fn shown(question: &Value) -> String {
    let messages = question["messages"].as_array().expect("messages");
    let last = messages.last().expect("one");
    last["content"].as_str().expect("text").to_owned()
}

/// A model that knows some names.
async fn model(names: &'static [(&'static str, &'static str)]) -> Service {
    Service::start(move |question| {
        let page = shown(question);
        let found = names.iter().filter(|(name, _)| page.contains(name));
        let found: Vec<Value> = found
            .map(|(name, entity)| json!({"text": name, "type": entity}))
            .collect();
        Answer::text(&json!(found).to_string())
    })
    .await
}

#[tokio::test]
async fn findings_of_a_local_model_and_the_engine_are_masked_and_restored() {
    let service = model(&[
        ("Ann", "person"),
        ("Acme", "ORGANIZATION"),
        ("Eve", "PERSON"),
    ])
    .await;
    let setup = Detecting::start(&llm(&service, &json!({}))).await;
    let text = "Ann <ann@example.com> of Acme. Ann! Annabel. ANN";
    let reply = setup.say(text).await;
    assert_eq!(
        setup.seen(),
        "<MASK_PERSON_1> <<MASK_EMAIL_2>> of <MASK_ORGANIZATION_3>. <MASK_PERSON_1>! Annabel. ANN"
    );
    let reply: Value = serde_json::from_str(&reply.text()).expect("JSON");
    assert_eq!(reply["choices"][0]["message"]["content"], text);

    let asked = service.asked();
    let [question] = asked.as_slice() else {
        panic!("{} questions", asked.len())
    };
    assert_eq!(question.path(), "/v1/chat/completions");
    assert_eq!(
        question.header("authorization"),
        Some("Bearer key-of-the-model")
    );
    assert_eq!(question.json()["model"], "small");
    assert_eq!(shown(&question.json()), text);
    let written = setup.proxy.written();
    assert!(
        !written.contains("Ann") && !written.contains("key-of-the-model"),
        "{written}"
    );
}

/// A session that already had other values for a signed text's tokens always got 503. The request continues the session
/// in which the text was signed.
#[tokio::test]
async fn a_signed_text_from_another_session_returns_unchanged() {
    let service = model(&[("Ann", "PERSON"), ("Bob", "PERSON")]).await;
    let setup = Detecting::start(&llm(&service, &json!({}))).await;
    let send = async |session: &str, messages: &Value| {
        let body = json!({"model": "thinking", "max_tokens": 9, "messages": messages}).to_string();
        let mut client = Client::connect(&setup.proxy.url()).await;
        let headers = [("x-mask-session", session)];
        client
            .request("POST", "/v1/messages", &headers, body.as_bytes())
            .await
    };
    let ann = json!({"role": "user", "content": "Ann is here"});
    let text = send("first", &json!([ann])).await.json()["content"].clone();
    assert!(text[0]["thinking"].to_string().contains("Ann"), "{text}");
    send("second", &json!([{"role": "user", "content": "Bob"}])).await;
    let turns =
        json!([ann, {"role": "assistant", "content": text}, {"role": "user", "content": "go on"}]);
    let reply = send("second", &turns).await;
    assert_ne!(reply.status, 503, "{}", reply.text());
    let forwarded = setup.mock.last().json().to_string();
    assert!(
        forwarded.contains("go on") && !forwarded.contains("Ann"),
        "{forwarded}"
    );
    assert!(
        forwarded.contains("They said: <MASK_PERSON_1>"),
        "{forwarded}"
    );
}

#[tokio::test]
async fn a_model_can_be_asked_in_the_messages_format() {
    let service = model(&[("Ann", "PERSON")]).await;
    let setup = Detecting::start(&llm(&service, &json!({"llm_provider": "messages_style"}))).await;
    setup.say("Ann").await;
    assert_eq!(setup.seen(), "<MASK_PERSON_1>");
    let question = service.asked().pop().expect("one");
    assert_eq!(question.path(), "/v1/messages");
    assert_eq!(question.header("x-api-key"), Some("key-of-the-model"));
    assert_eq!(question.header("anthropic-version"), Some("2023-06-01"));
}

/// All short texts of a request share a question, and none is asked about twice.
#[tokio::test]
async fn texts_are_sent_to_the_model_together_and_once() {
    let service = model(&[("Ann", "PERSON")]).await;
    let setup = Detecting::start(&llm(&service, &json!({}))).await;
    let first = json!([{"role": "system", "content": "You help Ann."}, {"role": "user", "content": "hello"}]);
    setup.send(&first).await;
    let mut second = first.clone();
    second
        .as_array_mut()
        .expect("turns")
        .push(json!({"role": "user", "content": "bye, Ann"}));
    setup.send(&second).await;
    assert_eq!(setup.seen(), "bye, <MASK_PERSON_1>");
    assert_eq!(
        setup.mock.last().json()["messages"][0]["content"],
        "You help <MASK_PERSON_1>."
    );
    let pages: Vec<_> = service
        .asked()
        .iter()
        .map(|asked| shown(&asked.json()))
        .collect();
    assert_eq!(pages, ["You help Ann.\n\nhello", "bye, Ann"]);
}

#[tokio::test]
async fn without_a_cache_every_text_is_sent_again() {
    let service = model(&[("Ann", "PERSON")]).await;
    let setup = Detecting::start(&llm(&service, &json!({"cache_size": 0}))).await;
    for _ in 0..2 {
        setup.say("Ann").await;
        assert_eq!(setup.seen(), "<MASK_PERSON_1>");
    }
    assert_eq!(service.asked().len(), 2);
}

#[tokio::test]
async fn a_long_text_is_sent_in_overlapping_parts() {
    let service = model(&[("Ann Lovelace", "PERSON")]).await;
    let setup = Detecting::start(&llm(&service, &json!({"llm_max_chars": 200}))).await;
    // Wherever the name is, one part contains the whole of it.
    for before in 170..200 {
        setup
            .say(&format!(
                "{}Ann Lovelace{}",
                "w ".repeat(before),
                " v".repeat(150)
            ))
            .await;
        assert!(setup.seen().contains("w <MASK_PERSON_1> v"), "{before}");
    }
    let longest = service
        .asked()
        .iter()
        .map(|asked| shown(&asked.json()).chars().count())
        .max();
    assert_eq!(longest, Some(200));
}

#[tokio::test]
async fn offsets_are_used_only_without_a_text() {
    let service = Service::start(|_| {
        Answer::text(
            r#"```json
            [{"start": 3, "end": 6, "type": "phone number"}, {"text": "Eve", "start": 0, "end": 2, "type": "PERSON"},
             {"start": 5, "end": 99, "type": "PERSON"}]
            ```"#,
        )
    })
    .await;
    let setup = Detecting::start(&llm(&service, &json!({}))).await;
    setup.say("né Ann").await;
    assert_eq!(setup.seen(), "né <MASK_PHONE_NUMBER_1>");
}

#[tokio::test]
async fn an_answer_without_an_array_fails_the_request() {
    let answers = [
        "I found nothing.",
        "",
        "{}",
        r#"[{"text": "Ann", "type": "PER"#,
    ];
    for answer in answers {
        let service = Service::start(move |_| Answer::text(answer)).await;
        let setup = Detecting::start(&llm(&service, &json!({}))).await;
        setup.fails_with("DetectorUnusable").await;
    }
}

#[tokio::test]
async fn a_model_that_refuses_or_is_gone_fails_the_request() {
    let service = Service::start(|_| Answer::json(&json!({"error": "Ann"})).status(401)).await;
    let setup = Detecting::start(&llm(&service, &json!({}))).await;
    setup.fails_with("DetectorRefused").await;

    let gone = Reserved::new();
    let detector = llm(&service, &json!({"llm_base_url": gone.url()}));
    let setup = Detecting::start(&detector).await;
    setup.fails_with("DetectorUnreachable").await;
}

/// Case 119.
#[tokio::test]
async fn an_unscannable_header_fails_a_bodyless_request() {
    let service = Service::start(|_| Answer::text("sorry")).await;
    let setup = Detecting::start(&llm(&service, &json!({}))).await;
    let headers = [("x-codex-turn-metadata", r#"{"owner": "Ann"}"#)];
    let mut client = Client::connect(&setup.proxy.url()).await;
    let reply = client.request("GET", "/v1/responses", &headers, b"").await;
    assert_eq!(reply.status, 503, "{}", reply.text());
    assert!(setup.mock.requests().is_empty());
}

/// The limit is for the whole scan, not for each question.
#[tokio::test]
async fn a_scan_timeout_fails_the_request() {
    let service = Service::start(|_| Answer::text("[]").after(Duration::from_millis(400))).await;
    let more = json!({"llm_timeout": 1, "llm_max_chars": 20});
    let setup = Detecting::start(&llm(&service, &more)).await;
    let began = Instant::now();
    let reply = setup.say(&"word ".repeat(200)).await;
    assert_eq!(reply.status, 503);
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    assert!(setup.mock.requests().is_empty());
}

#[tokio::test]
async fn a_fallback_scan_is_used_but_not_cached() {
    let calls = AtomicUsize::new(0);
    let service = Service::start(move |_| match calls.fetch_add(1, Ordering::Relaxed) {
        0 => Answer::text("sorry"),
        _ => Answer::text(r#"[{"text": "Ann", "type": "PERSON"}]"#),
    })
    .await;
    let setup = Detecting::start(&llm(&service, &json!({"llm_fallback_on_error": true}))).await;
    setup.say("Ann ann@example.com").await;
    assert_eq!(setup.seen(), "Ann <MASK_EMAIL_1>");
    assert!(
        setup
            .proxy
            .metrics()
            .await
            .contains("mask_llm_fallbacks_total 1\n")
    );
    setup.say("Ann ann@example.com").await;
    assert_eq!(setup.seen(), "<MASK_PERSON_1> <MASK_EMAIL_2>");
    assert!(
        setup
            .proxy
            .metrics()
            .await
            .contains("mask_llm_fallbacks_total 1\n")
    );
}

fn presidio(service: &Service, more: &Value) -> Value {
    let mut detector = json!({"type": "presidio", "url": service.url()});
    let members = detector.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    json!([{"type": "regex", "names": "off"}, detector])
}

#[tokio::test]
async fn presidio_findings_are_masked() {
    let service = Service::start(|question| {
        let text = question["text"].as_str().expect("a text");
        let found = text.find("Ann").map(|byte| {
            let start = text[..byte].chars().count();
            json!({"start": start, "end": start + 3, "entity_type": "PERSON", "score": 0.85})
        });
        let unsure = json!({"start": 0, "end": 1, "entity_type": "NRP", "score": 0.3});
        Answer::json(&json!([found.unwrap_or(unsure)]))
    })
    .await;
    let more = json!({"language": "fr", "min_score": 0.5, "entities": ["PERSON", "PHONE"]});
    let setup = Detecting::start(&presidio(&service, &more)).await;
    setup.say("né: Ann, ann@example.com").await;
    assert_eq!(setup.seen(), "né: <MASK_PERSON_1>, <MASK_EMAIL_2>");
    let question = service.asked().pop().expect("one");
    assert_eq!(question.path(), "/analyze");
    let question = question.json();
    assert_eq!(question["language"], "fr");
    assert_eq!(question["score_threshold"], 0.5);
    assert_eq!(question["entities"], json!(["PERSON", "PHONE_NUMBER"]));
    setup.say("nothing to see").await;
    assert_eq!(setup.seen(), "nothing to see");
}

#[tokio::test]
async fn an_invalid_presidio_answer_fails_the_request() {
    for answer in [
        json!([{"start": 2, "end": 400, "entity_type": "PERSON", "score": 0.85}]),
        json!([{"start": 3, "end": 3, "entity_type": "PERSON", "score": 0.85}]),
        json!({"error": "no such language"}),
    ] {
        let service = Service::start(move |_| Answer::json(&answer)).await;
        let setup = Detecting::start(&presidio(&service, &json!({}))).await;
        setup.fails_with("DetectorUnusable").await;
    }
}

/// One detector that fails fails the request, whatever the others say.
#[tokio::test]
async fn findings_of_all_detectors_are_pooled_and_one_failure_fails_all() {
    let model = model(&[("Ann", "PERSON")]).await;
    let analyzer = Service::start(|question| {
        let text = question["text"].as_str().expect("a text");
        let start = text.find("Acme").unwrap_or_default();
        let found = json!([{"start": start, "end": start + 4, "entity_type": "ORGANIZATION", "score": 0.9}]);
        Answer::json(&found).status(if text.contains("break") { 500 } else { 200 })
    })
    .await;
    let mut detectors = llm(&model, &json!({}));
    let list = detectors.as_array_mut().expect("a list");
    list.push(presidio(&analyzer, &json!({}))[1].clone());
    let setup = Detecting::start(&detectors).await;
    setup.say("Ann of Acme").await;
    assert_eq!(setup.seen(), "<MASK_PERSON_1> of <MASK_ORGANIZATION_2>");
    assert_eq!(setup.say("Acme, break").await.status, 503);
}

#[tokio::test]
async fn impossible_detector_settings_are_reported_at_start() {
    for (detector, text) in [
        (json!({"type": "llm", "llm_model": "m"}), "llm_api_key"),
        (
            json!({"type": "llm", "llm_model": "m", "llm_provider": "other"}),
            "llm_provider",
        ),
        (
            json!({"type": "llm", "llm_base_url": "http://127.0.0.1:1"}),
            "llm_model",
        ),
        (json!({"type": "presidio"}), "url"),
        (json!({"type": "ner", "path": "/nowhere"}), "--features ner"),
    ] {
        let (_file, path) = config(&detector);
        let arguments = ["proxy", "--port", "0", "-c", &path];
        let (code, _, error) = maskproxy(&arguments, "").await;
        assert_eq!(code, Some(1), "{error}");
        assert!(
            error.starts_with("Error: ") && error.lines().count() == 1,
            "{error}"
        );
        assert!(error.contains(text), "{error}");
    }
}

/// `config` and `doctor` once took a detector that the proxy refuses.
#[tokio::test]
async fn external_detectors_appear_in_config_and_doctor() {
    let (_file, path) = config(&json!({"type": "ner", "path": "model"}));
    let (code, out, _) = maskproxy(&["config", "-c", &path], "").await;
    assert_eq!(code, Some(0));
    assert!(
        out.contains("the proxy won't start") && out.contains("--features ner"),
        "{out}"
    );
    let (code, out, _) = maskproxy(&["doctor", "-c", &path], "").await;
    assert_eq!(code, Some(1));
    assert!(out.contains("build with the feature ner"), "{out}");
}

#[tokio::test]
async fn detect_asks_the_configured_detectors() {
    let service = model(&[("Ann", "PERSON")]).await;
    let (_file, path) = config(&llm(&service, &json!({})));
    let text = "Ann, ann@example.com";
    let (code, out, error) = maskproxy(&["detect", "--transform", "-c", &path, text], "").await;
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert_eq!(
        out,
        "0:3  PERSON  'Ann'\n5:20  EMAIL  'ann@example.com'\n\n<MASK_PERSON_1>, <MASK_EMAIL_2>\n"
    );
    drop(service);
    let (code, out, error) = maskproxy(&["detect", "-c", &path, text], "").await;
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(error.contains("llm detector"), "{error}");
}
