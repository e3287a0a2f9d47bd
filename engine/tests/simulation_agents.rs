//! Simulation: runs of agents that write several texts at a time, with events that begin and end runs, steps, calls
//! and texts, compared with each text restored whole. A text must be whole where its end is told.
//!
//! A failure prints its seed; `SEED=<n> cargo test -p maskproxy-engine --test engine simulation_agents` replays it.

use std::collections::{BTreeMap, BTreeSet};

use engine::Schema;
use serde_json::{Value, json};

use crate::support::events::{data, stream_of_data};
use crate::support::random::{Random, seeds};
use crate::support::{restore, restoring};

const SEEDS: u64 = 3000;

/// What texts consist of. No token stands behind another one, and no text is like the one before.
const FRAGMENTS: &[&str] = &[
    "<MASK_EMAIL_1>",
    "<MASK_EMAIL_2>",
    "100% of ",
    "a < b and ",
    "word ",
    "M and ",
    "<b>bold</b> ",
];

/// How a protocol writes what happens.
#[derive(Debug, Clone, Copy)]
struct Protocol {
    text: [&'static str; 3],
    call: [&'static str; 3],
    step: [&'static str; 2],
    run: [&'static str; 2],
    text_key: &'static str,
    call_key: &'static str,
    /// Whether steps are named.
    step_key: Option<&'static str>,
    run_key: Option<&'static str>,
}

const PROTOCOLS: [Protocol; 3] = [
    Protocol {
        text: [
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
        ],
        call: ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"],
        step: ["STEP_STARTED", "STEP_FINISHED"],
        run: ["RUN_STARTED", "RUN_FINISHED"],
        text_key: "messageId",
        call_key: "toolCallId",
        step_key: Some("stepName"),
        run_key: Some("runId"),
    },
    Protocol {
        text: ["text-start", "text-delta", "text-end"],
        call: ["tool-input-start", "tool-input-delta", "tool-input-end"],
        step: ["start-step", "finish-step"],
        run: ["start", "finish"],
        text_key: "id",
        call_key: "toolCallId",
        step_key: None,
        run_key: None,
    },
    Protocol {
        text: ["item.added", "item.delta", "item.done"],
        call: ["call.started", "call.delta", "call.completed"],
        step: ["agent.step.started", "agent.step.completed"],
        run: ["run.created", "run.completed"],
        text_key: "item_id",
        call_key: "id",
        step_key: Some("step_id"),
        run_key: Some("run_id"),
    },
];

fn event(kind: &str, key: Option<&str>, id: &str) -> Value {
    let mut event = json!({ "type": kind });
    if let Some(key) = key {
        event[key] = json!(id);
    }
    event
}

/// A run in which texts and calls go on at the same time.
fn run(random: &mut Random, protocol: &Protocol, texts: &[String]) -> Vec<Value> {
    let mut out = vec![event(protocol.run[0], protocol.run_key, "run")];
    let in_step = protocol.step_key.is_some() && random.one_in(2);
    let mut lanes: Vec<Vec<Value>> = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let is_call = at % 3 == 2;
        let (kinds, key) = if is_call {
            (protocol.call, protocol.call_key)
        } else {
            (protocol.text, protocol.text_key)
        };
        let id = format!("m{at}");
        let mut lane = vec![event(kinds[0], Some(key), &id)];
        for piece in random.pieces(text, 9) {
            let mut next = event(kinds[1], Some(key), &id);
            next["delta"] = json!(piece);
            lane.push(next);
        }
        lane.push(event(kinds[2], Some(key), &id));
        if random.one_in(8) {
            // Some servers say it twice.
            lane.push(event(kinds[2], Some(key), &id));
        }
        lanes.push(lane);
    }
    if in_step {
        out.push(event(protocol.step[0], protocol.step_key, "outer"));
    }
    for lane in &mut lanes {
        lane.reverse();
    }
    while lanes.iter().any(|lane| !lane.is_empty()) {
        let at = random.below(lanes.len());
        out.extend(lanes[at].pop());
    }
    if protocol.step_key.is_some() {
        add_step(random, protocol, &mut out);
    }
    if in_step {
        out.push(event(protocol.step[1], protocol.step_key, "outer"));
    }
    out.push(event(protocol.run[1], protocol.run_key, "run"));
    out
}

/// Adds a step that begins within texts, and contains none.
fn add_step(random: &mut Random, protocol: &Protocol, out: &mut Vec<Value>) {
    let [begins, ends] = protocol.step;
    let start = 1 + random.below(out.len());
    let is_begin = |next: &Value| next["delta"].is_null();
    let rest = out[start..].iter().position(is_begin);
    let end = start + random.below(1 + rest.unwrap_or(out.len() - start));
    out.insert(end, event(ends, protocol.step_key, "inner"));
    out.insert(start, event(begins, protocol.step_key, "inner"));
}

/// The texts that a client reads, which takes nothing after an end.
fn read(protocol: &Protocol, out: &str) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let mut ended = BTreeSet::new();
    for event in data(out) {
        let id = event[protocol.text_key].as_str();
        let Some(id) = id.or_else(|| event[protocol.call_key].as_str()) else {
            continue;
        };
        let kind = event["type"].as_str().unwrap_or_default();
        if kind == protocol.text[2] || kind == protocol.call[2] {
            ended.insert(id.to_owned());
        } else if let Some(delta) = event["delta"].as_str() {
            assert!(!ended.contains(id), "{event} comes after the end of {id}");
            let text: &mut String = texts.entry(id.to_owned()).or_default();
            text.push_str(delta);
        }
    }
    texts
}

/// Ends and beginnings of other messages, calls and steps broke tokens, which no other text shows.
#[test]
fn concurrent_agent_events_do_not_break_a_text() {
    let tokens =
        json!({"<MASK_EMAIL_1>": "alice@example.com", "<MASK_EMAIL_2>": "bob@example.com"});
    for seed in seeds(SEEDS) {
        let random = &mut Random::new(seed);
        let protocol = random.pick(&PROTOCOLS);
        let texts = (0..=random.below(4)).map(|at| {
            let fragments = (0..random.below(6)).map(|_| *random.pick(FRAGMENTS));
            std::iter::once(format!("t{at} ").as_str())
                .chain(fragments)
                .collect()
        });
        let texts: Vec<String> = texts.collect();
        let sent = run(random, protocol, &texts);
        let stream = stream_of_data(&sent);
        let restoring = restoring(Schema::Generic, &tokens, "{}");
        let chunks = random.chunks(stream.as_bytes(), 40);
        let out = restore(restoring.reply(Some("text/event-stream")), &chunks);
        let read = read(protocol, &String::from_utf8(out).expect("UTF-8"));
        for (at, text) in texts.iter().enumerate() {
            let whole = text.replace("<MASK_EMAIL_1>", "alice@example.com");
            let whole = whole.replace("<MASK_EMAIL_2>", "bob@example.com");
            let shown = read.get(&format!("m{at}"));
            assert_eq!(shown, Some(&whole), "seed {seed}:\n{stream}");
        }
    }
}
