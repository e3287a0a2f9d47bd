//! The provider's generic paths, each with the reply that its client library reads. All echo
//! the request; streams cut it into pieces of [`DELTA`] characters.

use serde_json::{Value, json};

use super::record::Recorded;
use super::script::text_of;
use super::{Content, Response, gemini};

/// How long a piece of a stream is.
const DELTA: usize = 7;

/// The reply to a request; `None` if its path is not one of these or its body is not a JSON object.
pub(super) fn answer(request: &Recorded) -> Option<Response> {
    let body = request.json();
    if !body.is_object() {
        return None;
    }
    let path = request.path().trim_end_matches('/').replace("%3A", ":");
    let prompt = prompt(&body);
    let ends = |ending: &str| path.ends_with(ending);
    let reply = match () {
        () if ends(":generateContent") || ends(":streamGenerateContent") => {
            return Some(gemini::answer(request, &path, &body, &prompt));
        }
        () if ends(":countTokens") => json!({"totalTokens": 3}),
        () if ends(":batchGenerateContent") => json!({"name": "batches/b-1"}),
        () if ends("/api/chat") => return Some(ollama(&body, &prompt, chat_piece)),
        () if ends("/api/generate") => return Some(ollama(&body, &prompt, generate_piece)),
        () if ends("/api/embed") => json!({"model": body["model"], "embeddings": [[0.5, 0.25]]}),
        () if ends("/embeddings") => json!({"object": "list", "model": body["model"],
            "data": [{"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}],
            "usage": {"prompt_tokens": 1, "total_tokens": 1}}),
        () if ends("/predictions") => json!({"id": "pred_1", "status": "starting"}),
        () if ends("/moderations") => json!({"id": "modr-1", "model": "m", "results": [
            {"flagged": false, "categories": {}, "category_scores": {}, "category_applied_input_types": {}}]}),
        () if ends("/images/generations") => json!({"created": 1, "data": [
            {"b64_json": "QUJD", "revised_prompt": prompt}]}),
        () if ends("/messages/batches") => message_batch(),
        () if ends("/batches") => json!({"id": "batch_1", "object": "batch", "created_at": 1,
            "endpoint": body["endpoint"], "input_file_id": body["input_file_id"], "status": "validating",
            "completion_window": "24h", "metadata": body["metadata"]}),
        () if ends("/conversations") => {
            json!({"id": "conv_1", "object": "conversation", "created_at": 1,
            "metadata": body["metadata"]})
        }
        () if ends("/items") => json!({"object": "list", "data": items(&body), "first_id": "msg_1",
            "last_id": "msg_1", "has_more": false}),
        () if ends("/completions") => {
            json!({"id": "cmpl-1", "object": "text_completion", "created": 1,
            "model": body["model"], "choices": [{"index": 0, "text": prompt, "finish_reason": "stop", "logprobs": null}]})
        }
        () if ends("/model/streams/invoke") => {
            let frame = Content::Whole(b"\0\0\0\x10frame".to_vec());
            return Some(Response::new(
                200,
                "application/vnd.amazon.eventstream",
                frame,
            ));
        }
        () if ends("/converse") => {
            json!({"output": {"message": {"role": "assistant", "content": [{"text": prompt}]}},
            "stopReason": "end_turn", "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}})
        }
        () => return None,
    };
    Some(Response::json(200, &reply))
}

/// The last text that a request says.
fn prompt(body: &Value) -> String {
    let names = ["contents", "messages", "input", "prompt", "items"];
    let lists = names.iter().map(|name| &body[name]);
    let mut last = lists.filter(|list| !list.is_null()).map(|list| {
        let last = list.as_array().and_then(|list| list.last());
        text(last.unwrap_or(list))
    });
    last.next_back().unwrap_or_default()
}

fn text(turn: &Value) -> String {
    match &turn["parts"] {
        Value::Null => text_of(turn),
        parts => text_of(parts),
    }
}

/// A text in the pieces of a stream.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<_> = text.chars().collect();
    let pieces = characters.chunks(DELTA);
    pieces.map(|piece| piece.iter().collect()).collect()
}

fn ollama(body: &Value, prompt: &str, piece: fn(&str) -> Value) -> Response {
    let object = |text: &str, done: bool| {
        let mut object = piece(text);
        object["model"] = body["model"].clone();
        object["created_at"] = "2026-11-22T12:00:00Z".into();
        object["done"] = done.into();
        if done {
            object["done_reason"] = "stop".into();
        }
        object
    };
    if body["stream"] == false {
        return Response::json(200, &object(prompt, true));
    }
    let prompt = pieces(prompt);
    let lines = prompt.iter().map(|text| object(text, false));
    let lines = lines.chain([object("", true)]);
    let lines = lines.map(|line| format!("{line}\n").into_bytes());
    Response::new(
        200,
        "application/x-ndjson",
        Content::Pieces(lines.collect()),
    )
}

fn chat_piece(text: &str) -> Value {
    json!({"message": {"role": "assistant", "content": text}})
}

fn generate_piece(text: &str) -> Value {
    json!({"response": text})
}

fn message_batch() -> Value {
    json!({"id": "msgbatch_1", "type": "message_batch", "processing_status": "in_progress",
        "created_at": "2026-11-22T12:00:00Z", "expires_at": "2026-11-23T12:00:00Z", "ended_at": null,
        "archived_at": null, "cancel_initiated_at": null, "results_url": null,
        "request_counts": {"processing": 1, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}})
}

fn items(body: &Value) -> Vec<Value> {
    let items = body["items"].as_array().cloned().unwrap_or_default();
    let items = items.into_iter().map(|mut item| {
        item["id"] = "msg_1".into();
        item["type"] = "message".into();
        item["status"] = "completed".into();
        item
    });
    items.collect()
}
