//! One answer in each of the three wire formats, in one piece or as events.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::script::{Answer, Call, signature_of};

const CREATED: u64 = 1_772_323_200;

/// One of the three wire formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// Chat completions.
    ChatStyle,
    /// Messages.
    MessagesStyle,
    /// Responses.
    Responses,
}

impl Schema {
    /// All three.
    pub const ALL: [Self; 3] = [Self::ChatStyle, Self::MessagesStyle, Self::Responses];

    /// The path that clients call.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::ChatStyle => "/v1/chat/completions",
            Self::MessagesStyle => "/v1/messages",
            Self::Responses => "/v1/responses",
        }
    }

    /// A request with one user text that is answered as `model` says.
    #[must_use]
    pub fn request(self, model: &str, text: &str, stream: bool) -> Value {
        let mut body = match self {
            Self::ChatStyle => json!({"messages": [{"role": "user", "content": text}]}),
            Self::MessagesStyle => {
                json!({"max_tokens": 100, "messages": [{"role": "user", "content": text}]})
            }
            Self::Responses => json!({"input": text}),
        };
        body["model"] = model.into();
        body["stream"] = stream.into();
        body
    }

    /// The text of a whole reply: of a batch, or all text deltas of a stream.
    #[must_use]
    pub fn reply_text(self, body: &str) -> String {
        let text = |value: &Value| match self {
            Self::ChatStyle => string_at(
                value,
                &["/choices/0/message/content", "/choices/0/delta/content"],
            ),
            Self::MessagesStyle => string_at(value, &["/content/0/text", "/delta/text"]),
            Self::Responses if value["type"] == "response.output_text.delta" => {
                string_at(value, &["/delta"])
            }
            Self::Responses => string_at(value, &["/output/0/content/0/text"]),
        };
        if let Ok(batch) = serde_json::from_str(body) {
            return text(&batch);
        }
        let data = body.lines().filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|data| serde_json::from_str(data).ok())
            .map(|event| text(&event))
            .collect()
    }

    pub(super) fn of_path(path: &str) -> Option<Self> {
        let path = path.trim_end_matches('/');
        let ends = |tails: &[&str]| tails.iter().any(|tail| path.ends_with(tail));
        if ends(&["/chat/completions"]) {
            Some(Self::ChatStyle)
        } else if ends(&["/v1/messages", "/v1/messages/count_tokens", "awPredict"])
            || path == "/messages"
        {
            Some(Self::MessagesStyle)
        } else if ends(&[
            "/responses",
            "/responses/input_tokens",
            "/responses/compact",
        ]) {
            Some(Self::Responses)
        } else {
            None
        }
    }
}

fn string_at(value: &Value, pointers: &[&str]) -> String {
    let found = pointers
        .iter()
        .find_map(|pointer| value.pointer(pointer)?.as_str());
    found.unwrap_or_default().to_owned()
}

/// An error body that every client library reads.
pub(super) fn error(status: u16, message: &str) -> Value {
    let kind = if status == 401 {
        "authentication_error"
    } else {
        "invalid_request_error"
    };
    json!({"type": "error", "error": {"type": kind, "message": message, "code": null, "param": null}})
}

/// The replies of the paths that answer no turn.
pub(super) fn counted(path: &str, prompt: &str) -> Option<Value> {
    let path = path.trim_end_matches('/');
    let words = prompt.split_whitespace().count();
    if path.ends_with("/count_tokens") {
        return Some(json!({"input_tokens": words}));
    }
    if path.ends_with("/input_tokens") {
        return Some(json!({"object": "response.input_tokens", "input_tokens": words}));
    }
    path.ends_with("/compact").then(|| {
        json!({
            "id": id("resp"), "object": "response.compaction", "created_at": CREATED,
            "output": [message_item("completed", prompt), {"id": id("cmp"), "type": "compaction", "encrypted_content": id("gAAAAB")}],
            "usage": responses_usage(),
        })
    })
}

/// The metadata of a reply.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head<'a> {
    pub(super) schema: Schema,
    pub(super) model: &'a str,
    /// Of a response.
    pub(super) id: &'a str,
}

/// The reply in one piece.
pub(super) fn batch(head: Head<'_>, answer: &Answer) -> Value {
    let Head { schema, model, id } = head;
    match schema {
        Schema::ChatStyle => {
            let mut message = json!({"role": "assistant", "content": answer.text, "refusal": null});
            if let Some(thinking) = &answer.thinking {
                message["reasoning_content"] = thinking.as_str().into();
            }
            if !answer.calls.is_empty() {
                message["tool_calls"] = answer.calls.iter().map(chat_call).collect();
            }
            json!({
                "id": "chatcmpl-mock", "object": "chat.completion", "created": CREATED, "model": model,
                "choices": [{"index": 0, "message": message, "finish_reason": finish(answer), "logprobs": null}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            })
        }
        Schema::MessagesStyle => message(model, answer, &blocks(answer), Some(stop_reason(answer))),
        Schema::Responses => response(id, model, "completed", &items(answer)),
    }
}

/// The reply as events, texts cut into deltas of `delta` characters.
pub(super) fn events(head: Head<'_>, answer: &Answer, delta: usize) -> Vec<String> {
    let Head { schema, model, id } = head;
    match schema {
        Schema::ChatStyle => chat_events(model, answer, delta),
        Schema::MessagesStyle => messages_events(model, answer, delta),
        Schema::Responses => responses_events(id, model, answer, delta),
    }
}

fn chat_events(model: &str, answer: &Answer, delta: usize) -> Vec<String> {
    let chunk = |change: Value, finish: Value| {
        let chunk = json!({
            "id": "chatcmpl-mock", "object": "chat.completion.chunk", "created": CREATED, "model": model,
            "choices": [{"index": 0, "delta": change, "finish_reason": finish, "logprobs": null}],
        });
        format!("data: {chunk}\n\n")
    };
    let mut events = vec![chunk(
        json!({"role": "assistant", "content": ""}),
        Value::Null,
    )];
    for piece in pieces(answer.thinking.as_deref().unwrap_or_default(), delta) {
        events.push(chunk(json!({"reasoning_content": piece}), Value::Null));
    }
    for piece in pieces(&answer.text, delta) {
        events.push(chunk(json!({"content": piece}), Value::Null));
    }
    for (index, made) in answer.calls.iter().enumerate() {
        let mut call = chat_call(made);
        call["index"] = index.into();
        call["function"]["arguments"] = "".into();
        events.push(chunk(json!({"tool_calls": [call]}), Value::Null));
        for piece in pieces(&made.arguments.to_string(), delta) {
            let call = json!({"index": index, "function": {"arguments": piece}});
            events.push(chunk(json!({"tool_calls": [call]}), Value::Null));
        }
    }
    events.push(chunk(json!({}), finish(answer).into()));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn chat_call(call: &Call) -> Value {
    json!({
        "id": call.id(), "type": "function",
        "function": {"name": call.name, "arguments": call.arguments.to_string()},
    })
}

fn finish(answer: &Answer) -> &'static str {
    if answer.calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    }
}

fn messages_events(model: &str, answer: &Answer, delta: usize) -> Vec<String> {
    let mut events = vec![named(
        &json!({"type": "message_start", "message": message(model, answer, &[], None)}),
    )];
    for (index, block) in blocks(answer).into_iter().enumerate() {
        let mut shell = block.clone();
        let mut deltas = Vec::new();
        match block["type"].as_str() {
            Some("thinking") => {
                for piece in pieces(string(&block["thinking"]), delta) {
                    deltas.push(json!({"type": "thinking_delta", "thinking": piece}));
                }
                deltas.push(json!({"type": "signature_delta", "signature": block["signature"]}));
                shell["thinking"] = "".into();
                shell["signature"] = "".into();
            }
            Some("tool_use") => {
                for piece in pieces(&block["input"].to_string(), delta) {
                    deltas.push(json!({"type": "input_json_delta", "partial_json": piece}));
                }
                shell["input"] = json!({});
            }
            _ => {
                for piece in pieces(string(&block["text"]), delta) {
                    deltas.push(json!({"type": "text_delta", "text": piece}));
                }
                shell["text"] = "".into();
            }
        }
        events.push(named(
            &json!({"type": "content_block_start", "index": index, "content_block": shell}),
        ));
        for delta in deltas {
            events.push(named(
                &json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ));
        }
        events.push(named(
            &json!({"type": "content_block_stop", "index": index}),
        ));
    }
    let change = json!({"stop_reason": stop_reason(answer), "stop_sequence": null});
    events.push(named(
        &json!({"type": "message_delta", "delta": change, "usage": {"output_tokens": 1}}),
    ));
    events.push(named(&json!({"type": "message_stop"})));
    events
}

fn message(model: &str, answer: &Answer, blocks: &[Value], stop_reason: Option<&str>) -> Value {
    // Agents take two messages with one id for one.
    let id = answer.calls.first().map(Call::id);
    json!({
        "id": format!("msg_{}", id.as_deref().unwrap_or("mock")), "type": "message", "role": "assistant", "model": model, "content": blocks,
        "stop_reason": stop_reason, "stop_sequence": null,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}

fn blocks(answer: &Answer) -> Vec<Value> {
    let thinking = answer.thinking.as_ref().map(|thinking| {
        json!({"type": "thinking", "thinking": thinking, "signature": signature_of(thinking)})
    });
    let text = (!answer.text.is_empty()).then(|| json!({"type": "text", "text": answer.text}));
    let calls = answer.calls.iter().map(|call| {
        json!({
            "type": "tool_use", "id": call.id(), "name": call.name, "input": call.arguments,
        })
    });
    thinking.into_iter().chain(text).chain(calls).collect()
}

fn stop_reason(answer: &Answer) -> &'static str {
    if answer.calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    }
}

/// A new id: providers never give one twice.
pub(super) fn id(prefix: &str) -> String {
    static LAST: AtomicU64 = AtomicU64::new(0);
    format!("{prefix}_{}", LAST.fetch_add(1, Ordering::Relaxed))
}

fn responses_events(id: &str, model: &str, answer: &Answer, delta: usize) -> Vec<String> {
    let response = |status: &str, items: &[Value]| response(id, model, status, items);
    let mut events = vec![
        json!({"type": "response.created", "response": response("in_progress", &[])}),
        json!({"type": "response.in_progress", "response": response("in_progress", &[])}),
    ];
    let items = items(answer);
    for (index, item) in items.iter().enumerate() {
        events.extend(item_events(index, item, delta));
    }
    events.push(json!({"type": "response.completed", "response": response("completed", &items)}));
    let numbered = events.into_iter().enumerate().map(|(number, mut event)| {
        event["sequence_number"] = number.into();
        named(&event)
    });
    numbered.collect()
}

fn item_events(index: usize, item: &Value, delta: usize) -> Vec<Value> {
    let mut shell = item.clone();
    shell["status"] = "in_progress".into();
    let event = |kind: &str, members: Value| {
        let mut event = members;
        event["type"] = format!("response.{kind}").into();
        event["item_id"] = item["id"].clone();
        event["output_index"] = index.into();
        event
    };
    let mut middle = Vec::new();
    match item["type"].as_str() {
        Some("function_call") => {
            shell["arguments"] = "".into();
            let arguments = string(&item["arguments"]);
            for piece in pieces(arguments, delta) {
                middle.push(event(
                    "function_call_arguments.delta",
                    json!({"delta": piece}),
                ));
            }
            middle.push(event(
                "function_call_arguments.done",
                json!({"arguments": arguments, "name": item["name"]}),
            ));
        }
        Some("reasoning") => {
            shell["summary"] = json!([]);
            let part = &item["summary"][0];
            let empty = json!({"type": "summary_text", "text": ""});
            middle.push(event(
                "reasoning_summary_part.added",
                json!({"summary_index": 0, "part": empty}),
            ));
            for piece in pieces(string(&part["text"]), delta) {
                middle.push(event(
                    "reasoning_summary_text.delta",
                    json!({"summary_index": 0, "delta": piece}),
                ));
            }
            middle.push(event(
                "reasoning_summary_text.done",
                json!({"summary_index": 0, "text": part["text"]}),
            ));
            middle.push(event(
                "reasoning_summary_part.done",
                json!({"summary_index": 0, "part": part}),
            ));
        }
        _ => {
            shell["content"] = json!([]);
            let part = &item["content"][0];
            let empty =
                json!({"type": "output_text", "text": "", "annotations": [], "logprobs": []});
            middle.push(event(
                "content_part.added",
                json!({"content_index": 0, "part": empty}),
            ));
            for piece in pieces(string(&part["text"]), delta) {
                middle.push(event(
                    "output_text.delta",
                    json!({"content_index": 0, "delta": piece, "logprobs": []}),
                ));
            }
            middle.push(event(
                "output_text.done",
                json!({"content_index": 0, "text": part["text"], "logprobs": []}),
            ));
            middle.push(event(
                "content_part.done",
                json!({"content_index": 0, "part": part}),
            ));
        }
    }
    let added = json!({"type": "response.output_item.added", "output_index": index, "item": shell});
    let done = json!({"type": "response.output_item.done", "output_index": index, "item": item});
    [vec![added], middle, vec![done]].concat()
}

fn items(answer: &Answer) -> Vec<Value> {
    let reasoning = answer.thinking.as_ref().map(|thinking| {
        json!({
            "id": id("rs"), "type": "reasoning", "status": "completed", "encrypted_content": id("gAAAAB"),
            "summary": [{"type": "summary_text", "text": thinking}],
        })
    });
    let text = (!answer.text.is_empty()).then(|| message_item("completed", &answer.text));
    let calls = answer.calls.iter().map(|call| {
        json!({
            "id": id("fc"), "type": "function_call", "status": "completed",
            "call_id": call.id(), "name": call.name, "arguments": call.arguments.to_string(),
        })
    });
    reasoning.into_iter().chain(text).chain(calls).collect()
}

fn message_item(status: &str, text: &str) -> Value {
    json!({
        "id": id("msg"), "type": "message", "role": "assistant", "status": status,
        "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}],
    })
}

fn response(id: &str, model: &str, status: &str, items: &[Value]) -> Value {
    let usage = if status == "completed" {
        responses_usage()
    } else {
        Value::Null
    };
    json!({
        "id": id, "object": "response", "created_at": CREATED, "status": status, "model": model,
        "output": items, "error": null, "incomplete_details": null, "instructions": null, "metadata": {},
        "parallel_tool_calls": true, "temperature": 1.0, "top_p": 1.0, "tool_choice": "auto", "tools": [],
        "usage": usage,
    })
}

fn responses_usage() -> Value {
    json!({
        "input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    })
}

fn named(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", string(&event["type"]))
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Splits a text into pieces of this many characters.
fn pieces(text: &str, size: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters
        .chunks(size)
        .map(|piece| piece.iter().collect())
        .collect()
}
