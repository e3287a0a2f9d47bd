//! Simulation: random replies in every format, cut and interleaved at random, compared with the
//! reply restored whole.
//!
//! A failure prints its seed; `SEED=<n> cargo test -p maskproxy-engine --test engine simulation` replays
//! it.

use crate::support;

use engine::{Restoring, Schema};
use serde_json::{Map, Value, json};
use support::accumulate::accumulate;
use support::random::{Random, seeds};
use support::{restore, restoring};

const SEEDS: u64 = 3000;

fn tokens() -> Value {
    json!({
        "<MASK_EMAIL_1>": "alice@example.com",
        "<MASK_EMAIL_12>": "zoë@bücher.example",
        "<MASK_SECRET_2>": "pa\"ss\\wo\nrd\u{1}",
        "<MASK_LITERAL_3>": "<MASK_EMAIL_1> MASK_EMAIL_12",
        "<MASK_MY_OWN_TYPE_4>": "{\"a\": \"b\"}",
        "<MASK_PHONE_0A1B2C3D4E5F6071>": "+1 555 0100",
    })
}

/// The pieces of texts: tokens in every form, lookalikes, and ordinary text.
const FRAGMENTS: &[&str] = &[
    "<MASK_EMAIL_1>",
    "<MASK_EMAIL_12>",
    "<MASK_SECRET_2>",
    "<MASK_LITERAL_3>",
    "<MASK_MY_OWN_TYPE_4>",
    "<MASK_PHONE_0A1B2C3D4E5F6071>",
    "MASK_EMAIL_1",
    "MASK_EMAIL_12",
    "MASK_SECRET_2",
    "0A1B2C3D4E5F6071",
    "&lt;MASK_EMAIL_1&gt;",
    "\\u003cMASK_SECRET_2\\u003e",
    "<MASK_EMAIL_1&gt;",
    "<MASK_EMAIL_2>",
    "<MASK_EMAIL_",
    "<MASK_",
    "<",
    "M",
    "MA",
    "&l",
    "\\u00",
    "0A1B",
    "_",
    ">",
    "x",
    "é",
    "😀",
    " ",
    " ",
    "\n",
    "\"",
    "\\",
    "<b>",
    "MASKED",
    "mask_email_1",
    "the mail ",
    "[DONE]",
    "data: ",
    "\u{2028}",
    "<<",
    ">>",
    "<MASK_EMAIL_1",
    "1",
    "12",
];

fn text(random: &mut Random) -> String {
    (0..random.below(12))
        .map(|_| *random.pick(FRAGMENTS))
        .collect()
}

fn arguments(random: &mut Random) -> Value {
    let members = (0..random.below(4)).map(|at| {
        let value = match random.below(4) {
            0 => json!([text(random), 1.5, null]),
            1 => json!({"in": {"ner": text(random)}}),
            _ => json!(text(random)),
        };
        (format!("k{at}"), value)
    });
    Value::Object(members.collect::<Map<_, _>>())
}

/// Restores a text as a whole.
fn model(restoring: &Restoring, text: &str) -> String {
    // After a word and a space, so that it is treated as plain text.
    let out = restore(
        restoring.reply(Some("text/plain")),
        &[format!("x {text}").as_bytes()],
    );
    String::from_utf8(out).expect("UTF-8")[2..].to_owned()
}

/// Restores every string of the arguments of a call; a string that is JSON at its own level.
fn model_arguments(restoring: &Restoring, value: &Value) -> Value {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner) if !inner.is_string() && (inner.is_object() || inner.is_array()) => {
                panic!("fragments make no JSON, but {text:?} is")
            }
            // A string in JSON was not cut.
            _ => {
                let out = model(restoring, &format!("{text}\n"));
                out.strip_suffix('\n').unwrap_or_default().into()
            }
        },
        Value::Array(list) => list
            .iter()
            .map(|item| model_arguments(restoring, item))
            .collect(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (key.clone(), model_arguments(restoring, value)))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

/// Writes JSON as one of the ways servers do.
fn write(random: &mut Random, value: &Value) -> String {
    let plain = value.to_string();
    match random.below(3) {
        0 => plain.replace('<', "\\u003c").replace('>', "\\u003E"),
        1 => plain
            .chars()
            .map(|c| {
                if c.is_ascii() {
                    c.to_string()
                } else {
                    escaped(c)
                }
            })
            .collect(),
        _ => plain,
    }
}

fn escaped(c: char) -> String {
    c.encode_utf16(&mut [0; 2])
        .iter()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect()
}

/// An event stream, with noise between the events.
fn stream(random: &mut Random, events: &[(Option<&str>, Value)], done: bool) -> Vec<u8> {
    let end = *random.pick(&["\n", "\r\n", "\r"]);
    let mut out = String::new();
    for (name, event) in events {
        if random.one_in(8) {
            out += *random.pick(&[": ping", "", "event: ping\ndata: {\"type\": \"ping\"}\n"]);
            out += "\n";
        }
        if let Some(name) = name {
            out += &format!("event: {name}\n");
        }
        let data = write(random, event);
        out += &format!("data:{}{data}\n\n", if random.one_in(3) { "" } else { " " });
    }
    if done {
        out += "data: [DONE]\n\n";
    }
    // Only ends of lines: a text's own line ends are escaped.
    out.replace('\n', end).into_bytes()
}

/// Mixes several sequences of events, each in its own order.
fn interleave<T>(random: &mut Random, mut sequences: Vec<Vec<T>>) -> Vec<T> {
    for sequence in &mut sequences {
        sequence.reverse();
    }
    let mut out = Vec::new();
    while sequences.iter().any(|sequence| !sequence.is_empty()) {
        let at = random.below(sequences.len());
        out.extend(sequences[at].pop());
    }
    out
}

fn check(
    seed: u64,
    schema: Schema,
    random: &mut Random,
    restoring: &Restoring,
    stream: &[u8],
) -> Value {
    let chunks = random.chunks(stream, 60);
    let out = restore(restoring.reply(Some("text/event-stream")), &chunks);
    let whole = restore(restoring.reply(Some("text/event-stream")), &[stream]);
    support::assert_same(&whole, &out, || format!("seed {seed}"));
    accumulate(schema, &out)
}

#[test]
fn chat_streams_restore_like_a_batch() {
    let restoring = restoring(Schema::ChatStyle, &tokens(), "{}");
    for seed in seeds(SEEDS) {
        let random = &mut Random::new(seed);
        let count = random.below(3) + 1;
        let mut expected = Vec::new();
        let mut sequences = Vec::new();
        for index in 0..count {
            let (reasoning, content) = (text(random), text(random));
            let calls: Vec<_> = (0..random.below(3)).map(|_| arguments(random)).collect();
            sequences.push(chat_choice(random, index, &reasoning, &content, &calls));
            expected.push((
                model(&restoring, &reasoning),
                model(&restoring, &content),
                calls
                    .iter()
                    .map(|call| model_arguments(&restoring, call))
                    .collect::<Vec<_>>(),
            ));
        }
        let events: Vec<_> = interleave(random, sequences)
            .into_iter()
            .map(|e| (None, e))
            .collect();
        let done = random.one_in(2);
        let stream = stream(random, &events, done);
        let actual = check(seed, Schema::ChatStyle, random, &restoring, &stream);
        for (choice, (reasoning, content, calls)) in
            actual["choices"].as_array().unwrap().iter().zip(expected)
        {
            let message = &choice["message"];
            assert_eq!(
                message["reasoning"].as_str().unwrap_or(""),
                reasoning,
                "seed {seed}"
            );
            assert_eq!(
                message["content"].as_str().unwrap_or(""),
                content,
                "seed {seed}"
            );
            for (at, call) in calls.iter().enumerate() {
                let arguments = message["tool_calls"][at]["function"]["arguments"]
                    .as_str()
                    .unwrap();
                let arguments: Value = serde_json::from_str(arguments).expect("JSON");
                assert_eq!(arguments, *call, "seed {seed}");
            }
        }
    }
}

fn chat_choice(
    random: &mut Random,
    index: usize,
    reasoning: &str,
    content: &str,
    calls: &[Value],
) -> Vec<Value> {
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({"index": index, "delta": delta, "finish_reason": finish});
        json!({"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]})
    };
    let mut out = vec![chunk(
        json!({"role": "assistant", "content": ""}),
        Value::Null,
    )];
    let pieces = random.pieces(reasoning, 9);
    out.extend(
        pieces
            .iter()
            .map(|piece| chunk(json!({"reasoning": piece}), Value::Null)),
    );
    let pieces = random.pieces(content, 9);
    out.extend(
        pieces
            .iter()
            .map(|piece| chunk(json!({"content": piece}), Value::Null)),
    );
    for (at, call) in calls.iter().enumerate() {
        let function = json!({"name": "f", "arguments": ""});
        let head = json!({"index": at, "id": format!("call_{at}"), "type": "function", "function": function});
        out.push(chunk(json!({"tool_calls": [head]}), Value::Null));
        let written = write(random, call);
        for piece in random.pieces(&written, 15) {
            let piece = json!({"index": at, "function": {"arguments": piece}});
            out.push(chunk(json!({"tool_calls": [piece]}), Value::Null));
        }
    }
    out.push(chunk(json!({}), "stop".into()));
    out
}

#[test]
fn messages_streams_restore_like_a_batch() {
    let restoring = restoring(Schema::MessagesStyle, &tokens(), "{}");
    for seed in seeds(SEEDS) {
        let random = &mut Random::new(seed);
        let message = json!({"id": "m", "type": "message", "role": "assistant", "content": []});
        let mut events = vec![(
            Some("message_start"),
            json!({"type": "message_start", "message": message}),
        )];
        let mut expected = Vec::new();
        for index in 0..random.below(4) {
            let block = messages_block(random, index, &restoring, &mut events);
            expected.push(block);
        }
        events.push((
            Some("message_delta"),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        ));
        events.push((Some("message_stop"), json!({"type": "message_stop"})));
        let stream = stream(random, &events, false);
        let actual = check(seed, Schema::MessagesStyle, random, &restoring, &stream);
        assert_eq!(actual["content"], Value::Array(expected), "seed {seed}");
    }
}

fn messages_block(
    random: &mut Random,
    index: usize,
    restoring: &Restoring,
    events: &mut Vec<(Option<&'static str>, Value)>,
) -> Value {
    let (kind, start, field, pieces, end) = match random.below(3) {
        0 => {
            let text = text(random);
            let end = json!({"type": "text", "text": model(restoring, &text)});
            (
                "text_delta",
                json!({"type": "text", "text": ""}),
                "text",
                random.pieces(&text, 9),
                end,
            )
        }
        1 => {
            let text = text(random);
            let end = json!({"type": "thinking", "thinking": model(restoring, &text), "signature": "sig"});
            let start = json!({"type": "thinking", "thinking": "", "signature": ""});
            (
                "thinking_delta",
                start,
                "thinking",
                random.pieces(&text, 9),
                end,
            )
        }
        _ => {
            let call = arguments(random);
            let mut block = json!({"type": "tool_use", "id": "t", "name": "f", "input": {}});
            let start = block.clone();
            block["input"] = model_arguments(restoring, &call);
            let written = write(random, &call);
            (
                "input_json_delta",
                start,
                "partial_json",
                random.pieces(&written, 15),
                block,
            )
        }
    };
    events.push((
        Some("content_block_start"),
        json!({"type": "content_block_start", "index": index, "content_block": start}),
    ));
    let delta = |delta: Value| {
        let event = json!({"type": "content_block_delta", "index": index, "delta": delta});
        (Some("content_block_delta"), event)
    };
    events.extend(
        pieces
            .iter()
            .map(|piece| delta(json!({"type": kind, field: piece}))),
    );
    if kind == "thinking_delta" {
        events.push(delta(
            json!({"type": "signature_delta", "signature": "sig"}),
        ));
    }
    events.push((
        Some("content_block_stop"),
        json!({"type": "content_block_stop", "index": index}),
    ));
    end
}

#[test]
fn responses_streams_restore_like_a_batch() {
    let restoring = restoring(Schema::Responses, &tokens(), "{}");
    for seed in seeds(SEEDS) {
        let random = &mut Random::new(seed);
        let mut sequences = Vec::new();
        let mut items = Vec::new();
        let mut expected = Vec::new();
        for index in 0..=random.below(3) {
            let (events, item, restored) = responses_item(random, index, &restoring);
            sequences.push(events);
            items.push(item);
            expected.push(restored);
        }
        let response = |status: &str, output: &[Value]| json!({"id": "r", "object": "response", "status": status, "output": output});
        let mut events =
            vec![json!({"type": "response.created", "response": response("in_progress", &[])})];
        events.extend(interleave(random, sequences));
        events
            .push(json!({"type": "response.completed", "response": response("completed", &items)}));
        for (number, event) in events.iter_mut().enumerate() {
            event["sequence_number"] = number.into();
        }
        let named: Vec<_> = events
            .iter()
            .map(|e| (e["type"].as_str(), e.clone()))
            .collect();
        let stream = stream(random, &named, false);
        // Accumulating also asserts that deltas and what repeats them agree.
        let actual = check(seed, Schema::Responses, random, &restoring, &stream);
        assert_eq!(actual["output"], Value::Array(expected), "seed {seed}");
    }
}

fn responses_item(
    random: &mut Random,
    index: usize,
    restoring: &Restoring,
) -> (Vec<Value>, Value, Value) {
    if random.one_in(2) {
        let text = text(random);
        let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
        let item = |parts: Value| json!({"id": "i", "type": "message", "role": "assistant", "content": parts});
        let mut events = vec![
            json!({"type": "response.output_item.added", "output_index": index, "item": item(json!([]))}),
            json!({"type": "response.content_part.added", "item_id": "i", "output_index": index, "content_index": 0, "part": part("")}),
        ];
        events.extend(random.pieces(&text, 9).iter().map(|piece| json!({
            "type": "response.output_text.delta", "item_id": "i", "output_index": index, "content_index": 0, "delta": piece, "logprobs": [],
        })));
        events.push(json!({"type": "response.output_text.done", "item_id": "i", "output_index": index, "content_index": 0, "text": text}));
        events.push(json!({"type": "response.content_part.done", "item_id": "i", "output_index": index, "content_index": 0, "part": part(&text)}));
        let done = item(json!([part(&text)]));
        events.push(
            json!({"type": "response.output_item.done", "output_index": index, "item": done}),
        );
        let restored = item(json!([part(&model(restoring, &text))]));
        return (events, done, restored);
    }
    let call = arguments(random);
    let item = |arguments: &str| json!({"id": "i", "type": "function_call", "call_id": "c", "name": "f", "arguments": arguments});
    let arguments = call.to_string();
    let mut events = vec![
        json!({"type": "response.output_item.added", "output_index": index, "item": item("")}),
    ];
    events.extend(random.pieces(&arguments, 15).iter().map(|piece| json!({
        "type": "response.function_call_arguments.delta", "item_id": "i", "output_index": index, "delta": piece,
    })));
    events.push(json!({"type": "response.function_call_arguments.done", "item_id": "i", "output_index": index, "arguments": arguments}));
    events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item(&arguments)}));
    let restored = item(&model_arguments(restoring, &call).to_string());
    (events, item(&arguments), restored)
}
