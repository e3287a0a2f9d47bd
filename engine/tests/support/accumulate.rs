//! Accumulates an event stream as the official SDKs do.

use std::collections::BTreeMap;

use engine::Schema;
use serde_json::{Value, json};

/// The data of each event, by the standard's rules.
pub(crate) fn events(stream: &[u8]) -> Vec<(Option<String>, String)> {
    let text = std::str::from_utf8(stream).expect("UTF-8");
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut out = Vec::new();
    for block in text.split("\n\n") {
        let (mut name, mut data) = (None, Vec::new());
        for line in block.lines() {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "event" => name = Some(value.to_owned()),
                "data" => data.push(value),
                _ => {}
            }
        }
        if !data.is_empty() {
            out.push((name, data.join("\n")));
        }
    }
    out
}

/// The final object that an SDK hands its user; null when the stream never begins one.
pub(crate) fn accumulate(schema: Schema, stream: &[u8]) -> Value {
    let events = events(stream)
        .into_iter()
        .filter(|(_, data)| data != "[DONE]");
    let events: Vec<Value> = events
        .map(|(name, data)| {
            let event: Value = serde_json::from_str(&data).expect("JSON data");
            if schema != Schema::ChatStyle {
                assert_eq!(
                    name.as_deref(),
                    event["type"].as_str(),
                    "event name and type agree"
                );
            }
            event
        })
        .collect();
    match schema {
        Schema::ChatStyle => chat(&events),
        Schema::MessagesStyle => messages(&events),
        Schema::Responses => responses(&events),
        Schema::Generic => unreachable!("no library puts the pieces of an unknown format together"),
    }
}

fn append(target: &mut Value, piece: &Value) {
    match (&mut *target, piece) {
        (_, Value::Null) => {}
        (Value::String(text), Value::String(piece)) => text.push_str(piece),
        _ => *target = piece.clone(),
    }
}

fn chat(events: &[Value]) -> Value {
    let mut choices: BTreeMap<u64, Value> = BTreeMap::new();
    for choice in events
        .iter()
        .filter_map(|event| event["choices"].as_array())
        .flatten()
    {
        let index = choice["index"].as_u64().expect("a choice has an index");
        let into = choices.entry(index).or_insert_with(
            || json!({"index": index, "finish_reason": null, "message": {"role": "assistant"}}),
        );
        assert!(
            into["finish_reason"].is_null() || choice["delta"] == json!({}),
            "text after finish"
        );
        append(&mut into["finish_reason"], &choice["finish_reason"]);
        for (name, piece) in choice["delta"].as_object().into_iter().flatten() {
            let message = &mut into["message"][name];
            match name.as_str() {
                "role" => *message = piece.clone(),
                "tool_calls" | "reasoning_details" => merge_list(message, piece),
                "function_call" | "audio" => merge_object(message, piece),
                _ => append(message, piece),
            }
        }
    }
    json!({"choices": choices.into_values().collect::<Vec<_>>()})
}

fn merge_list(into: &mut Value, pieces: &Value) {
    if !into.is_array() {
        *into = json!([]);
    }
    let list = into.as_array_mut().expect("made above");
    for piece in pieces.as_array().into_iter().flatten() {
        let known = list.iter().position(|item| item["index"] == piece["index"]);
        let at = known.unwrap_or_else(|| {
            list.push(json!({}));
            list.len() - 1
        });
        merge_object(&mut list[at], piece);
    }
}

fn merge_object(into: &mut Value, piece: &Value) {
    for (name, value) in piece.as_object().into_iter().flatten() {
        match name.as_str() {
            "index" | "id" | "type" | "name" => into[name] = value.clone(),
            _ if value.is_object() => merge_object(&mut into[name], value),
            _ => append(&mut into[name], value),
        }
    }
}

fn messages(events: &[Value]) -> Value {
    let mut message = Value::Null;
    let mut inputs: BTreeMap<u64, String> = BTreeMap::new();
    let mut stopped = Vec::new();
    for event in events {
        let index = event["index"].as_u64().unwrap_or_default();
        let at = usize::try_from(index).expect("small");
        match event["type"].as_str().expect("a type") {
            "message_start" => message = event["message"].clone(),
            "content_block_start" => {
                let blocks = message["content"].as_array_mut().expect("content");
                assert_eq!(blocks.len(), at, "blocks begin in order");
                blocks.push(event["content_block"].clone());
            }
            "content_block_delta" => {
                assert!(!stopped.contains(&index), "a delta after its block stopped");
                messages_delta(
                    &mut message["content"][at],
                    &event["delta"],
                    inputs.entry(index).or_default(),
                );
            }
            "content_block_stop" => {
                stopped.push(index);
                if let Some(input) = inputs.remove(&index).filter(|input| !input.is_empty()) {
                    message["content"][at]["input"] =
                        serde_json::from_str(&input).expect("JSON input");
                }
            }
            "message_delta" => {
                for (name, value) in event["delta"].as_object().expect("a delta") {
                    message[name] = value.clone();
                }
            }
            "error" => return Value::Null,
            _ => {}
        }
    }
    message
}

fn messages_delta(block: &mut Value, delta: &Value, input: &mut String) {
    match delta["type"].as_str().expect("a type") {
        "text_delta" => append(&mut block["text"], &delta["text"]),
        "thinking_delta" => append(&mut block["thinking"], &delta["thinking"]),
        "signature_delta" => block["signature"] = delta["signature"].clone(),
        "input_json_delta" => input.push_str(delta["partial_json"].as_str().expect("text")),
        "compaction_delta" => block["content"] = delta["content"].clone(),
        "citations_delta" => {
            if !block["citations"].is_array() {
                block["citations"] = json!([]);
            }
            block["citations"]
                .as_array_mut()
                .expect("made above")
                .push(delta["citation"].clone());
        }
        other => panic!("unknown delta {other}"),
    }
}

/// In addition to the final response, checks that deltas, `.done` events and items have the same
/// text.
fn responses(events: &[Value]) -> Value {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut sequence = None;
    let mut last = Value::Null;
    for event in events {
        let kind = event["type"].as_str().expect("a type");
        let number = event["sequence_number"].as_u64();
        assert!(
            number.is_none() || number >= sequence,
            "sequence numbers never fall"
        );
        sequence = number.or(sequence);
        if kind == "error" {
            return Value::Null;
        }
        if let Some(stem) = kind.strip_suffix(".delta") {
            if let Some(delta) = event["delta"].as_str() {
                texts
                    .entry(text_key(stem, event))
                    .or_default()
                    .push_str(delta);
            }
        } else if let Some(stem) = kind.strip_suffix(".done") {
            let whole = ["text", "refusal", "arguments", "input", "code", "command"];
            let whole = whole.iter().find_map(|name| event[name].as_str());
            if let (Some(whole), Some(sum)) = (whole, texts.get(&text_key(stem, event))) {
                assert_eq!(whole, sum, "{kind} repeats its deltas");
            }
        }
        if !event["response"].is_null() {
            last = event["response"].clone();
        }
    }
    let ended = last["status"] == "completed" || last["status"] == "incomplete";
    if ended { last } else { Value::Null }
}

fn text_key(stem: &str, event: &Value) -> String {
    let indices = [
        "output_index",
        "content_index",
        "summary_index",
        "command_index",
    ];
    format!("{stem} {:?}", indices.map(|name| event[name].as_u64()))
}
