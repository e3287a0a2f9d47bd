//! Simulation: streams of invented shapes in every layout, compared with the stream restored whole.
//!
//! A failure prints its seed; `SEED=<n> cargo test -p maskproxy-engine --test engine simulation_places`
//! replays it, and `SEEDS=<n>` sets the number of runs.

use crate::support;

use engine::{Restoring, Schema};
use serde_json::{Value, json};
use support::random::{Random, seeds};
use support::{restore, restoring};

const FRAGMENTS: &[&str] = &[
    "<MASK_EMAIL_1>",
    "<MASK_EMAIL_12>",
    "<MASK_SECRET_2>",
    "MASK_EMAIL_1",
    "MASK_EMAIL_12",
    "_MASK_EMAIL_1_",
    "**MASK_EMAIL_12**",
    r"MASK\_EMAIL\_1",
    r"\<MASK\_SECRET\_2\>",
    r"C:\<MASK_EMAIL_1>\x",
    "%3CMASK_EMAIL_1%3E",
    "&lt;MASK_EMAIL_1&gt;",
    r"\u003cMASK_SECRET_2\u003e",
    r"\u004dASK_EMAIL_1",
    "0A1B2C3D4E5F6071",
    "_0A1B2C3D4E5F6071_",
    "宛先MASK_EMAIL_1です",
    "<MASK_PHONE_0A1B2C3D4E5F6071>",
    "<MASK_EMAIL_2>",
    "<MASK_",
    "<",
    "M",
    "\\",
    "%",
    "%3",
    "&l",
    "_",
    ">",
    "x",
    "é",
    "😀",
    " ",
    " ",
    "\n",
    "1",
    "２",
    "word ",
    "0A1B",
];

fn tokens() -> Value {
    json!({
        "<MASK_EMAIL_1>": "alice@example.com",
        "<MASK_EMAIL_12>": "zoë@bücher.example",
        "<MASK_SECRET_2>": "pa\"ss\\wo\nrd",
        "<MASK_PHONE_0A1B2C3D4E5F6071>": "+1 555 0100",
    })
}

fn text(random: &mut Random) -> String {
    // A letter first, so that nothing is mistaken for JSON.
    let fragments = (0..random.below(10)).map(|_| *random.pick(FRAGMENTS));
    std::iter::once("t ").chain(fragments).collect()
}

/// Makes an event that has a piece at its place, and the pointer to that.
type Shape = (fn(usize, &str) -> Value, &'static str);

const SHAPES: &[Shape] = &[
    (
        |at, piece| json!({"type": "brand.new", "index": at, "text": piece}),
        "/text",
    ),
    (
        |at, piece| json!({"type": "nested", "item_id": at.to_string(), "a": {"b": [{"c": piece}]}, "id": "M"}),
        "/a/b/0/c",
    ),
    (
        |at, piece| json!({"list": [{"index": at, "note": piece, "role": "<"}]}),
        "/list/0/note",
    ),
    (
        |at, piece| json!({"type": format!("kind{at}"), "delta": {"type": "x", "message": {"content": {"text": piece}}}}),
        "/delta/message/content/text",
    ),
    (
        |at, piece| json!({"choices": [{"index": at, "delta": {"extra": {"thought": piece}}, "finish_reason": ""}]}),
        "/choices/0/delta/extra/thought",
    ),
    (
        |at, piece| json!({"choices": [{"index": at, "delta": {"content": piece}, "finish_reason": null}]}),
        "/choices/0/delta/content",
    ),
    (
        |at, piece| json!({"candidates": [{"index": at, "content": {"parts": [{"text": piece}], "role": "model"}}]}),
        "/candidates/0/content/parts/0/text",
    ),
    (
        |at, piece| json!({"type": "response.output_text.delta", "output_index": at, "content_index": 0, "delta": piece}),
        "/delta",
    ),
    (
        |at, piece| json!({"type": "response.novel.delta", "output_index": at, "delta": {"deep": piece}}),
        "/delta/deep",
    ),
    (
        |at, piece| json!({"type": "content_block_delta", "index": at, "delta": {"type": "text_delta", "text": piece}}),
        "/delta/text",
    ),
    (
        |at, piece| json!({"type": "content_block_delta", "index": at, "delta": {"type": "novel_delta", "novel": piece}}),
        "/delta/novel",
    ),
];

/// The same for events that are counted: the number is another in each event, and names no text.
const COUNTED: &[Shape] = &[
    (|at, piece| json!({"index": at, "text": piece}), "/text"),
    (
        |at, piece| json!({"id": format!("evt_{}", 7 * at), "text": piece}),
        "/text",
    ),
    (
        |at, piece| json!({"type": "token", "part": {"index": at, "text": piece}}),
        "/part/text",
    ),
    (
        |at, piece| json!({"index": at, "token": {"id": 7 * at, "text": piece, "special": false}}),
        "/token/text",
    ),
];

/// What distinguishes the texts of a shape, in an event.
fn key(event: &Value) -> String {
    let of = |pointer: &str| {
        event
            .pointer(pointer)
            .map(Value::to_string)
            .unwrap_or_default()
    };
    [
        "/type",
        "/index",
        "/item_id",
        "/output_index",
        "/list/0/index",
        "/choices/0/index",
        "/candidates/0/index",
    ]
    .map(of)
    .concat()
}

fn model(restoring: &Restoring, text: &str) -> String {
    let out = restore(restoring.reply(Some("text/plain")), &[text.as_bytes()]);
    String::from_utf8(out).expect("UTF-8")
}

#[derive(Clone, Copy)]
enum Layout {
    Events,
    Lines,
    List,
}

fn write(random: &mut Random, layout: Layout, events: &[Value]) -> (String, &'static str) {
    let values = events.iter().map(|event| {
        let plain = event.to_string();
        if random.one_in(3) {
            plain.replace('<', "\\u003c").replace('M', "\\u004d")
        } else {
            plain
        }
    });
    let values: Vec<_> = values.collect();
    match layout {
        Layout::Events => {
            let end = *random.pick(&["\n", "\r\n", "\r"]);
            let events = values
                .iter()
                .map(|value| format!("data: {value}{end}{end}"));
            (events.collect(), "text/event-stream")
        }
        Layout::Lines => (
            values.join("\n") + *random.pick(&["", "\n"]),
            "application/x-ndjson",
        ),
        Layout::List => (format!("[{}]", values.join(",\r\n")), "application/json"),
    }
}

fn read(layout: Layout, out: &str) -> Vec<Value> {
    match layout {
        Layout::List => serde_json::from_str(out).expect("a list"),
        Layout::Lines => out
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect(),
        Layout::Events => out
            .split(['\n', '\r'])
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|data| serde_json::from_str(data).expect("JSON"))
            .collect(),
    }
}

#[test]
fn streams_of_any_shape_restore_like_a_batch() {
    let count = std::env::var("SEEDS")
        .ok()
        .and_then(|count| count.parse().ok());
    for seed in seeds(count.unwrap_or(1500)) {
        let random = &mut Random::new(seed);
        let schema = *random.pick(&[
            Schema::ChatStyle,
            Schema::MessagesStyle,
            Schema::Responses,
            Schema::Generic,
        ]);
        let restoring = restoring(schema, &tokens(), "{}");
        let mut sequences = Vec::new();
        let mut expected = Vec::new();
        for at in 0..=random.below(4) {
            let (shape, pointer) = *random.pick(SHAPES);
            let text = text(random);
            let mut events: Vec<_> = random
                .pieces(&text, 7)
                .iter()
                .map(|piece| shape(at, piece))
                .collect();
            expected.push((key(&events[0]), pointer, model(&restoring, &text)));
            events.reverse();
            sequences.push(events);
        }
        let mut events = Vec::new();
        while sequences.iter().any(|sequence| !sequence.is_empty()) {
            let at = random.below(sequences.len());
            events.extend(sequences[at].pop());
        }
        let layout = *random.pick(&[Layout::Events, Layout::Lines, Layout::List]);
        let (sent, content_type) = write(random, layout, &events);
        let chunks = random.chunks(sent.as_bytes(), 50);
        let out = restore(restoring.reply(Some(content_type)), &chunks);
        let out = String::from_utf8(out).expect("UTF-8");
        let got = read(layout, &out);
        for (place, pointer, whole) in expected {
            let of_place = got.iter().filter(|event| key(event) == place);
            let text: String = of_place
                .filter_map(|event| event.pointer(pointer)?.as_str())
                .collect();
            assert_eq!(
                text, whole,
                "seed {seed} {schema:?} {place} {pointer}\n{sent}\n{out}"
            );
        }
    }
}

/// One text in events that count themselves, in every layout.
#[test]
fn streams_with_event_counters_restore_like_a_batch() {
    for seed in seeds(600) {
        let random = &mut Random::new(seed);
        let restoring = restoring(Schema::Generic, &tokens(), "{}");
        let (shape, pointer) = *random.pick(COUNTED);
        // Until several came, a number may name a text.
        let begins = "one two three four five six seven eight nine ten eleven twelve";
        let text = format!("{begins} {}", text(random));
        let pieces = random.pieces(&text, 7);
        let events = pieces.iter().enumerate();
        let events: Vec<_> = events.map(|(at, piece)| shape(at + 1, piece)).collect();
        let layout = *random.pick(&[Layout::Events, Layout::Lines, Layout::List]);
        let (sent, content_type) = write(random, layout, &events);
        let chunks = random.chunks(sent.as_bytes(), 50);
        let out = restore(restoring.reply(Some(content_type)), &chunks);
        let out = String::from_utf8(out).expect("UTF-8");
        let got = read(layout, &out);
        let got: String = got
            .iter()
            .filter_map(|event| event.pointer(pointer)?.as_str())
            .collect();
        assert_eq!(got, model(&restoring, &text), "seed {seed}\n{sent}\n{out}");
    }
}

/// A text that no other event continues is complete in its event, whatever streams next to it.
#[test]
fn complete_texts_stay_in_their_events() {
    for seed in seeds(600) {
        let random = &mut Random::new(seed);
        let restoring = restoring(Schema::Generic, &tokens(), "{}");
        let fragments = (0..=random.below(3)).map(|_| *random.pick(FRAGMENTS));
        let label: String = std::iter::once("t ").chain(fragments).collect();
        let whole = json!({"type": "result", "items": [{"label": label}]});
        let (shape, _) = *random.pick(SHAPES);
        let mut events: Vec<_> = (0..random.below(3)).map(|_| shape(0, "so ")).collect();
        events.push(whole);
        if random.one_in(2) {
            events.push(json!({"type": "run.completed"}));
        }
        let layout = *random.pick(&[Layout::Events, Layout::Lines, Layout::List]);
        let (sent, content_type) = write(random, layout, &events);
        let chunks = random.chunks(sent.as_bytes(), 50);
        let out = restore(restoring.reply(Some(content_type)), &chunks);
        let got = read(layout, &String::from_utf8(out).expect("UTF-8"));
        let labels: Vec<_> = got
            .iter()
            .filter_map(|event| event.pointer("/items/0/label")?.as_str())
            .collect();
        assert_eq!(labels, [model(&restoring, &label)], "seed {seed}\n{sent}");
    }
}
