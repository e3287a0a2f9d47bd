//! Explains why a value was masked, by scanning again when the page asks.

use engine::Engine;
use serde_json::{Value as Json, json};

use crate::detector::explanation;

/// The rule that finds a value in a request's body, its score and its reasons. `None` if no rule
/// finds it there: another detector did, or the session knew it.
pub(super) fn why(engine: &Engine, body: &str, value: &str) -> Json {
    // A truncated body is no longer JSON, but ordinary text.
    let body = serde_json::from_str(body).unwrap_or_else(|_| Json::from(body));
    let mut texts = Vec::new();
    collect(&body, value, &mut texts);
    let found = texts
        .into_iter()
        .find_map(|text| of_text(engine, text, value));
    found.unwrap_or_else(|| json!({"rule": null}))
}

/// The texts of a body that contain a value.
fn collect<'b>(body: &'b Json, value: &str, texts: &mut Vec<&'b str>) {
    match body {
        Json::String(text) if text.contains(value) => texts.push(text),
        Json::Array(items) => items.iter().for_each(|item| collect(item, value, texts)),
        Json::Object(members) => members
            .values()
            .for_each(|item| collect(item, value, texts)),
        _ => {}
    }
}

fn of_text(engine: &Engine, text: &str, value: &str) -> Option<Json> {
    let detections = engine.detect(text);
    let is_it = |start: usize, end: usize| text.get(start..end) == Some(value);
    let detection = detections
        .iter()
        .find(|detection| is_it(detection.start, detection.end))?;
    let mut why = json!({"rule": detection.rule, "score": detection.score.as_percent()});
    let judged = engine.explain(text);
    let judged = judged
        .iter()
        .find(|judged| judged.is_secret() && is_it(judged.start, judged.end));
    if let Some(judged) = judged {
        why["why"] = explanation::as_json(judged);
    }
    Some(why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Settings;

    #[test]
    fn a_secret_is_explained_by_rule_and_reasons() {
        let engine = Engine::new(Settings::default());
        let body = r#"{"messages": [{"content": "the password=hunter2-Kx9Qz7 is new"}]}"#;
        let why = why(&engine, body, "hunter2-Kx9Qz7");
        assert!(why["rule"].is_string() && why["score"].is_u64(), "{why}");
        assert!(why["why"]["reasons"][0]["reason"].is_string(), "{why}");
        assert!(!why.to_string().contains("hunter2"), "{why}");
    }

    #[test]
    fn undetected_text_has_no_rule() {
        let engine = Engine::new(Settings::default());
        for body in [r#"{"content": "plain words"}"#, "{\"content\": \"pla", ""] {
            assert_eq!(why(&engine, body, "pla"), json!({"rule": null}), "{body}");
        }
    }
}
