//! Simulation: streams of generated shapes, framed in every way that readers accept, compared with
//! each text restored whole.
//!
//! A failure prints its seed; `SEED=<n> cargo test -p maskproxy-engine --test engine simulation_shapes`
//! replays it, and `SEEDS=<n>` sets the number of runs.

use crate::support;

use std::collections::VecDeque;

use engine::{Restoring, Schema};
use serde_json::{Value, json};
use support::random::{Random, seeds};
use support::{restore, restoring};

const FRAGMENTS: &[&str] = &[
    "<MASK_EMAIL_1>",
    "<MASK_EMAIL_12>",
    "<MASK_SECRET_2>",
    "MASK_EMAIL_1",
    "MASK_SECRET_2",
    "_MASK_EMAIL_1_",
    r"MASK\_EMAIL\_1",
    "%3CMASK_EMAIL_1%3E",
    "&lt;MASK_EMAIL_1&gt;",
    r"\u003cMASK_SECRET_2\u003e",
    r"\u00e9MASK_EMAIL_1",
    "0A1B2C3D4E5F6071",
    "宛先MASK_EMAIL_1です",
    "<MASK_EMAIL_2>",
    "<MASK_",
    "<",
    "M",
    "\\",
    "%",
    "&l",
    "_",
    ">",
    "é",
    "😀",
    " ",
    "\n",
    "1",
    "word ",
    "\"",
    "{\"",
    "\"}",
    "\": \"",
    "[",
    "]",
];

fn tokens() -> Value {
    json!({
        "<MASK_EMAIL_1>": "alice@example.com",
        "<MASK_EMAIL_12>": "zoë@bücher.example",
        "<MASK_SECRET_2>": "pa\"ss\\wo\nrd",
        "<MASK_PHONE_0A1B2C3D4E5F6071>": "+1 555 0100",
    })
}

/// A text; some begin like JSON.
fn text(random: &mut Random, is_prose: bool) -> String {
    let any = ["t ", "{\"a\": \"", "[\"", "{\"a\": \"{\\\"b\\\": \\\""];
    let beginnings = if is_prose { &any[..1] } else { &any };
    let beginning = *random.pick(beginnings);
    let fragments = (0..random.below(10)).map(|_| *random.pick(FRAGMENTS));
    std::iter::once(beginning).chain(fragments).collect()
}

/// How the texts of a group are placed in its events.
#[derive(Debug, Clone, Copy)]
enum Placing {
    /// One in each event, which names it.
    Named(&'static str),
    /// The same, by a string.
    NamedByString(&'static str),
    /// Several members of one object.
    Members,
    /// Elements of a list, which name them.
    Elements(&'static str),
    /// Elements of a list, by their position.
    Positions,
    /// Lists of strings.
    Lists,
    /// Elements of lists in elements of a list.
    Nested,
    /// One text, next to an index that is null.
    Null,
    /// One text.
    Alone,
}

const PLACINGS: &[Placing] = &[
    Placing::Named("index"),
    Placing::Named("output_index"),
    Placing::Named("contentBlockIndex"),
    Placing::NamedByString("item_id"),
    Placing::NamedByString("index"),
    Placing::NamedByString("toolUseId"),
    Placing::Members,
    Placing::Members,
    Placing::Elements("index"),
    Placing::Elements("id"),
    Placing::Positions,
    Placing::Lists,
    Placing::Nested,
    Placing::Null,
    Placing::Alone,
];

/// Texts that come in events of one type.
#[derive(Debug)]
struct Group {
    kind: String,
    placing: Placing,
    /// The members around the texts.
    around: Vec<&'static str>,
    /// The name of the event says its type, not its data.
    is_named: bool,
}

const AROUND: &[&str] = &[
    "a", "data", "delta", "message", "content", "payload", "choices",
];

impl Group {
    fn new(random: &mut Random, at: usize) -> Self {
        let around = (0..random.below(4)).map(|_| *random.pick(AROUND)).collect();
        Self {
            kind: format!("{}{at}", random.pick(&["brand.new", "text-part", "chunk"])),
            placing: *random.pick(PLACINGS),
            around,
            is_named: random.one_in(3),
        }
    }

    /// Whether its texts are known to be prose.
    fn is_prose(&self, schema: Schema) -> bool {
        let is_chat = match self.around.first() {
            Some(first) => *first == "choices",
            None => matches!(self.placing, Placing::Nested),
        };
        schema != Schema::Generic || self.is_named && is_chat
    }

    fn most_texts(&self) -> usize {
        match self.placing {
            Placing::Null | Placing::Alone => 1,
            _ => 4,
        }
    }

    /// Whether each event has all texts.
    fn has_all(&self) -> bool {
        matches!(self.placing, Placing::Positions | Placing::Lists)
    }

    /// An event with pieces of some texts.
    fn event(&self, pieces: &[(usize, String)]) -> Value {
        let (number, piece) = &pieces[0];
        let named = |name: &str, of: Value, piece: &str| json!({ name: of, "text": piece });
        let inner = match self.placing {
            Placing::Named(name) => json!({ name: number, "text": piece }),
            Placing::NamedByString(name) => json!({ name: format!("i{number}"), "text": piece }),
            Placing::Members => {
                let members = pieces
                    .iter()
                    .map(|(at, piece)| (format!("text{at}"), json!(piece)));
                Value::Object(members.collect())
            }
            Placing::Elements(name) => {
                let elements = pieces
                    .iter()
                    .map(|(at, piece)| named(name, json!(at), piece));
                json!({ "items": elements.collect::<Vec<_>>() })
            }
            Placing::Positions => {
                let elements = pieces.iter().map(|(_, piece)| json!({ "text": piece }));
                json!({ "items": elements.collect::<Vec<_>>() })
            }
            Placing::Lists => {
                let rows = pieces.iter().map(|(_, piece)| json!([[piece]]));
                json!({ "rows": rows.collect::<Vec<_>>() })
            }
            Placing::Nested => {
                let choices = pieces.iter().map(|(at, piece)| {
                    let part = json!({"index": at % 2, "text": piece});
                    json!({"index": at / 2, "parts": [part]})
                });
                json!({ "choices": choices.collect::<Vec<_>>() })
            }
            Placing::Null => json!({"index": null, "text": piece}),
            Placing::Alone => json!({ "text": piece }),
        };
        // What names the texts of events stands next to them, or at the top.
        let around = self.around.iter().rev();
        let mut event = around.fold(inner, |inner, name| json!({ *name: inner }));
        if !self.is_named {
            event["type"] = json!(self.kind);
        }
        event
    }

    /// What an event of the group says of a text.
    fn answer(&self, event: &Value, text: usize) -> String {
        let mut inner = event;
        for name in &self.around {
            inner = &inner[*name];
        }
        let is = |value: &Value, name: &str, key: Value| value[name] == key;
        let of_list = |list: &Value, of: &dyn Fn(&Value) -> bool| {
            let found = list
                .as_array()
                .into_iter()
                .flatten()
                .filter(|value| of(value));
            let texts = found.filter_map(|value| value["text"].as_str());
            texts.collect::<String>()
        };
        let only = |value: &Value, of: bool| {
            let answer = value.as_str().filter(|_| of).unwrap_or_default();
            answer.to_owned()
        };
        match self.placing {
            Placing::Named(name) => only(&inner["text"], is(inner, name, json!(text))),
            Placing::NamedByString(name) => {
                only(&inner["text"], is(inner, name, json!(format!("i{text}"))))
            }
            Placing::Members => only(&inner[format!("text{text}")], true),
            Placing::Elements(name) => {
                of_list(&inner["items"], &|value| is(value, name, json!(text)))
            }
            Placing::Positions => only(&inner["items"][text]["text"], true),
            Placing::Lists => only(&inner["rows"][text][0][0], true),
            Placing::Nested => {
                let choices = inner["choices"].as_array().into_iter().flatten();
                let choices = choices.filter(|choice| is(choice, "index", json!(text / 2)));
                let of_part = |value: &Value| is(value, "index", json!(text % 2));
                choices
                    .map(|choice| of_list(&choice["parts"], &of_part))
                    .collect()
            }
            Placing::Null | Placing::Alone => only(&inner["text"], true),
        }
    }
}

/// The events that bring texts in pieces.
fn events(random: &mut Random, group: &Group, texts: &[String]) -> VecDeque<Value> {
    let pieces = texts
        .iter()
        .map(|text| VecDeque::from(random.pieces(text, 7)));
    let mut pieces: Vec<_> = pieces.collect();
    let mut out = VecDeque::new();
    let is_single = matches!(group.placing, Placing::Named(_) | Placing::NamedByString(_));
    if is_single {
        // Until one comes again, keys may count events.
        let rest: String = pieces[0].drain(..).collect();
        let (one, two) = (rest[..1].to_owned(), rest[1..2].to_owned());
        out.extend([one, two].map(|piece| group.event(&[(0, piece)])));
        pieces[0].extend(random.pieces(&rest[2..], 7));
    }
    while pieces.iter().any(|pieces| !pieces.is_empty()) {
        let mut of_event = Vec::new();
        if group.has_all() {
            let next = pieces.iter_mut().map(VecDeque::pop_front);
            of_event.extend(next.map(Option::unwrap_or_default).enumerate());
        } else {
            let left: Vec<_> = (0..texts.len())
                .filter(|&at| !pieces[at].is_empty())
                .collect();
            let first = *random.pick(&left);
            for at in left {
                if at == first || !is_single && random.one_in(2) {
                    of_event.extend(pieces[at].pop_front().map(|piece| (at, piece)));
                }
            }
        }
        out.push_back(group.event(&of_event));
    }
    out
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Layout {
    Events,
    Lines,
    List,
}

fn written(random: &mut Random, event: &Value) -> String {
    let plain = event.to_string();
    match random.below(4) {
        0 => plain.replace('<', "\\u003c").replace('M', "\\u004d"),
        1 => plain
            .chars()
            .map(|c| {
                let mut units = [0; 2];
                let units = c.encode_utf16(&mut units).iter();
                let escaped = units.map(|unit| format!("\\u{unit:04x}")).collect();
                if c.is_ascii() { c.to_string() } else { escaped }
            })
            .collect(),
        _ => plain,
    }
}

/// A server-sent event, with everything that readers pass over.
fn framed(random: &mut Random, name: Option<&str>, event: &Value) -> String {
    let mut out = String::new();
    for line in [
        ": comment <MASK_",
        "id: 7",
        "retry: 10",
        "unknown: field",
        ":",
    ] {
        if random.one_in(8) {
            out += line;
            out += "\n";
        }
    }
    if random.one_in(10) {
        out += *random.pick(&["\n", "data\n\n", "data:\n\n", "event: empty\n\n"]);
    }
    let colon = *random.pick(&["data: ", "data: ", "data:"]);
    let data = if random.one_in(5) {
        format!("{event:#}")
    } else {
        written(random, event)
    };
    let before = random.one_in(2);
    let name = name
        .map(|name| format!("event: {name}\n"))
        .unwrap_or_default();
    if before {
        out += &name;
    }
    for line in data.lines() {
        out += &format!("{colon}{line}\n");
    }
    if !before {
        out += &name;
    }
    out + "\n"
}

fn write(random: &mut Random, layout: Layout, events: &[(Option<&str>, Value)]) -> String {
    match layout {
        Layout::Events => {
            let mut out = (*random.pick(&["", "", "\u{feff}"])).to_owned();
            for (name, event) in events {
                out += &framed(random, *name, event);
            }
            out += *random.pick(&[
                "",
                "",
                "data: [DONE]\n\n",
                "data: {\"type\": \"run.completed\"}\n\n",
            ]);
            let end = *random.pick(&["\n", "\n", "\r\n", "\r"]);
            out.replace('\n', end)
        }
        Layout::Lines => {
            let lines = events.iter().map(|(_, event)| written(random, event));
            lines
                .collect::<Vec<_>>()
                .join(*random.pick(&["\n", "\r\n"]))
                + *random.pick(&["", "\n"])
        }
        Layout::List => {
            let values = events.iter().map(|(_, event)| written(random, event));
            format!("[{}]", values.collect::<Vec<_>>().join(",\r\n"))
        }
    }
}

/// The events of a stream, each with its type.
fn read(layout: Layout, out: &str) -> Vec<(String, Value)> {
    let typed = |name: &str, data: &str| {
        let event: Value =
            serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}"));
        let kind = event["type"].as_str().unwrap_or(name);
        (kind.to_owned(), event)
    };
    match layout {
        Layout::List => {
            let events: Vec<Value> = serde_json::from_str(out).expect("a list");
            events
                .iter()
                .map(|event| typed("", &event.to_string()))
                .collect()
        }
        Layout::Lines => out.lines().map(|line| typed("", line)).collect(),
        Layout::Events => {
            let out = out.trim_start_matches('\u{feff}');
            let out = out.replace("\r\n", "\n").replace('\r', "\n");
            let frames = out.split("\n\n").filter_map(|frame| {
                let of = |name: &str| {
                    let name = format!("{name}:");
                    let lines = frame
                        .lines()
                        .filter_map(move |line| line.strip_prefix(&name).map(str::to_owned));
                    let lines =
                        lines.map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned());
                    lines.collect::<Vec<_>>().join("\n")
                };
                let data = of("data");
                let is_json = !data.is_empty() && data != "[DONE]";
                is_json.then(|| typed(&of("event"), &data))
            });
            frames.collect()
        }
    }
}

/// The lines that say something of a group.
fn short(stream: &str, group: &Group) -> String {
    let of_group = |line: &&str| line.contains(&group.kind) || line.contains("\"text");
    let lines = stream.split_inclusive(['\n', '\r']).filter(of_group);
    lines.collect()
}

fn model(restoring: &Restoring, is_prose: bool, text: &str) -> String {
    if is_prose {
        let out = restore(restoring.reply(Some("text/plain")), &[text.as_bytes()]);
        return String::from_utf8(out).expect("UTF-8");
    }
    let sent = json!({ "text": text }).to_string();
    let out = restore(
        restoring.reply(Some("application/json")),
        &[sent.as_bytes()],
    );
    let reply: Value = serde_json::from_slice(&out).expect("JSON");
    reply["text"].as_str().expect("a text").to_owned()
}

fn count(least: u64) -> u64 {
    let count = std::env::var("SEEDS").ok();
    count.and_then(|count| count.parse().ok()).unwrap_or(least)
}

#[test]
fn streams_of_generated_shapes_restore_like_a_batch() {
    for seed in seeds(count(800)) {
        let random = &mut Random::new(seed);
        let schema = *random.pick(&[
            Schema::Generic,
            Schema::Generic,
            Schema::ChatStyle,
            Schema::MessagesStyle,
            Schema::Responses,
        ]);
        let layout = *random.pick(&[Layout::Events, Layout::Events, Layout::Lines, Layout::List]);
        let restoring = restoring(schema, &tokens(), "{}");
        let groups: Vec<_> = (0..=random.below(3))
            .map(|at| {
                let mut group = Group::new(random, at);
                group.is_named &= layout == Layout::Events;
                group
            })
            .collect();
        let mut texts = Vec::new();
        let mut sequences = Vec::new();
        for group in &groups {
            let count = random.below(group.most_texts()) + 1;
            let of_group: Vec<_> = (0..count)
                .map(|_| text(random, group.is_prose(schema)))
                .collect();
            sequences.push(events(random, group, &of_group));
            texts.push(of_group);
        }
        let mut events = Vec::new();
        while sequences.iter().any(|sequence| !sequence.is_empty()) {
            let at = random.below(sequences.len());
            let name = Some(&*groups[at].kind).filter(|_| groups[at].is_named);
            events.extend(sequences[at].pop_front().map(|event| (name, event)));
        }
        let sent = write(random, layout, &events);
        let kind = match layout {
            Layout::Events => "text/event-stream",
            Layout::Lines => "application/x-ndjson",
            Layout::List => "application/json",
        };
        let out = restore(
            restoring.reply(Some(kind)),
            &random.chunks(sent.as_bytes(), 50),
        );
        let whole = restore(restoring.reply(Some(kind)), &[sent.as_bytes()]);
        support::assert_same(&whole, &out, || format!("seed {seed}"));
        let out = String::from_utf8(out).expect("UTF-8");
        let got = read(layout, &out);
        for (group, texts) in groups.iter().zip(&texts) {
            for (at, text) in texts.iter().enumerate() {
                let of_group = got.iter().filter(|(kind, _)| *kind == group.kind);
                let answer: String = of_group.map(|(_, event)| group.answer(event, at)).collect();
                assert_eq!(
                    answer,
                    model(&restoring, group.is_prose(schema), text),
                    "seed {seed} {schema:?} {layout:?} {group:?} text {at}: {text:?}\n{}\n{}",
                    short(&sent, group),
                    short(&out, group)
                );
            }
        }
    }
}

/// Keys may count events until one comes again. Meanwhile a token may stay visible or come late,
/// but no text gets a value of another.
#[test]
fn no_text_receives_a_value_from_another() {
    let ids = [1, 2, 3].map(|text| [text, 10 * text + 1, 10 * text + 2, 10 * text + 3]);
    let tokens = ids.as_flattened().iter();
    let tokens = tokens.map(|id| {
        (
            format!("<MASK_EMAIL_{id}>"),
            json!(format!("v{id}@a.example")),
        )
    });
    let tokens = Value::Object(tokens.collect());
    for seed in seeds(count(1500)) {
        let random = &mut Random::new(seed);
        let restoring = restoring(Schema::Generic, &tokens, "{}");
        let mut group = Group::new(random, 0);
        if group.is_named && random.one_in(2) {
            group.kind.clear();
        }
        let count = group.most_texts().min(ids.len());
        let mut sequences = Vec::new();
        for (at, ids) in ids.iter().take(count).enumerate() {
            let mut text = String::new();
            for _ in 0..=random.below(6) {
                let id = random.pick(ids);
                text += &match random.below(6) {
                    0 => format!("<MASK_EMAIL_{id}>"),
                    1 | 2 => format!("MASK_EMAIL_{id}"),
                    3 => format!("{}. ", random.below(4)),
                    _ => (*random.pick(&[" ", " ", "1", "2", "<", "M", "word", "\n"])).to_owned(),
                };
            }
            let pieces = random
                .pieces(&text, 24)
                .into_iter()
                .map(|piece| (at, piece));
            sequences.push(pieces.collect::<VecDeque<_>>());
        }
        let mut events = Vec::new();
        let in_turn = random.one_in(2);
        while let Some(first) = sequences.iter().position(|sequence| !sequence.is_empty()) {
            let at = if in_turn { first } else { random.below(count) };
            let Some((at, piece)) = sequences[at].pop_front() else {
                continue;
            };
            let of_event = if group.has_all() {
                let of = |text| {
                    if text == at {
                        piece.clone()
                    } else {
                        String::new()
                    }
                };
                (0..count).map(|text| (text, of(text))).collect()
            } else {
                vec![(at, piece)]
            };
            let name = Some(&*group.kind).filter(|_| group.is_named);
            events.push((name, group.event(&of_event)));
        }
        let sent = write(random, Layout::Events, &events);
        let out = restore(
            restoring.reply(Some("text/event-stream")),
            &random.chunks(sent.as_bytes(), 50),
        );
        let out = String::from_utf8(out).expect("UTF-8");
        let got = read(Layout::Events, &out);
        for at in 0..count {
            let of_group = got.iter().filter(|(kind, _)| *kind == group.kind);
            let answer: Vec<_> = of_group.map(|(_, event)| group.answer(event, at)).collect();
            for id in ids
                .iter()
                .enumerate()
                .filter(|(of, _)| *of != at)
                .flat_map(|(_, ids)| ids)
            {
                let value = format!("v{id}@");
                assert!(
                    !answer.concat().contains(&value),
                    "seed {seed}: {value} in text {at} {group:?}\n{sent}\n{out}"
                );
            }
        }
    }
}
