//! Gemini's replies: what was said, or the next step of an agent's model.

use serde_json::{Value, json};

use super::generic::pieces;
use super::record::Recorded;
use super::script::{Answer, Script, check_history};
use super::{Response, wire};

/// The reply to a request whose last text is `prompt`. Its path names the model.
pub(super) fn answer(request: &Recorded, path: &str, body: &Value, prompt: &str) -> Response {
    if let Err(reason) = check_history(body) {
        return Response::json(400, &wire::error(400, &reason));
    }
    let model = path.rsplit(['/', ':']).nth(1).unwrap_or_default();
    let answer = Script::named(model).of_agent(body);
    let answer = answer.unwrap_or_else(|| Answer {
        text: prompt.to_owned(),
        ..Answer::default()
    });
    if !path.ends_with(":streamGenerateContent") {
        return Response::json(
            200,
            &content(&parts(&answer, |text| vec![text.to_owned()]), true),
        );
    }
    let parts = parts(&answer, pieces);
    let last = parts.len().saturating_sub(1);
    let events = parts.into_iter().enumerate();
    let events = events.map(|(at, part)| content(&[part], at == last));
    if request.target.contains("alt=sse") {
        let events: Vec<_> = events
            .map(|event| format!("data: {event}\r\n\r\n"))
            .collect();
        return Response::events(&events);
    }
    Response::json(200, &events.collect())
}

fn parts(answer: &Answer, cut: impl Fn(&str) -> Vec<String>) -> Vec<Value> {
    let thinking = cut(answer.thinking.as_deref().unwrap_or_default());
    let thinking = thinking
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(|text| json!({"text": text, "thought": true}));
    let text = cut(&answer.text);
    let text = text.into_iter().map(|text| json!({"text": text}));
    let calls = answer.calls.iter().map(|call| {
        json!({"functionCall": {"name": call.name, "args": call.arguments},
            "thoughtSignature": call.id()})
    });
    thinking.chain(text).chain(calls).collect()
}

fn content(parts: &[Value], ends: bool) -> Value {
    let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
    if ends {
        candidate["finishReason"] = "STOP".into();
    }
    json!({"candidates": [candidate], "modelVersion": "m",
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}})
}
