//! The cost of one exchange in the engine. Run it with `just bench`; `docs/benchmarks.md` records
//! the results.

#![allow(
    clippy::expect_used,
    reason = "a benchmark stops where its input is missing"
)]

mod support;

use std::fmt::Write as _;
use std::sync::Arc;

use divan::{Bencher, counter::BytesCount};
use engine::detect::DetectorSettings;
use engine::{
    Detectors, Engine, EntityType, Mapping, NoMemory, Restoring, Schema, Sensitive, Session,
    Settings,
};

fn main() {
    divan::main();
}

/// A chat request of 2 KB with three values.
fn chat_request() -> Vec<u8> {
    let prose =
        "Please look at the report of last week and tell me what changed since then. ".repeat(22);
    let content = format!(
        "{prose}Write to mira.holt@northwind-labs.example.com, call +1 (415) 555-0132, \
         and use ghp_1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S for the upload."
    );
    format!(
        r#"{{"model":"gpt-6-astra","temperature":0.2,"stream":true,"messages":[{{"role":"system","content":"You are helpful."}},{{"role":"user","content":"{content}"}}]}}"#
    )
    .into_bytes()
}

/// The history of a coding agent, 400 KB: tool results of code, logs and lock files.
fn agent_history() -> Vec<u8> {
    let mut body = String::from(r#"{"model":"claude-fable-5-2","max_tokens":8192,"messages":["#);
    for (at, text) in support::agentic_texts().into_iter().enumerate() {
        let text = serde_json::Value::from(text);
        let _ = write!(
            body,
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_{at}","name":"Read","input":{{"path":"src/{at}.rs"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{at}","content":{text}}}]}},"#
        );
        if body.len() > 400_000 {
            break;
        }
    }
    body.pop();
    body.push_str("]}");
    body.into_bytes()
}

fn mask(bencher: Bencher<'_, '_>, schema: Schema, body: &[u8]) {
    let engine = Engine::new(Settings::default());
    bencher
        .counter(BytesCount::from(body.len()))
        .with_inputs(|| body.to_vec())
        .bench_values(|body| {
            let request = engine.request(schema, body).expect("a request");
            request
                .mask(&mut Session::new(), &NoMemory)
                .expect("masked")
        });
}

#[divan::bench]
fn mask_chat_request_of_2_kb(bencher: Bencher<'_, '_>) {
    mask(bencher, Schema::ChatStyle, &chat_request());
}

#[divan::bench]
fn mask_agent_history_of_400_kb(bencher: Bencher<'_, '_>) {
    mask(bencher, Schema::MessagesStyle, &agent_history());
}

/// A text of 200 KB, preceded by values each of which begins the next: at every position many may
/// match and none does.
#[divan::bench]
fn mask_values_that_begin_each_other(bencher: Bencher<'_, '_>) {
    let period = "-1111111";
    let whole = period.repeat(32);
    let inside_words = (6..whole.len()).filter(|end| end % period.len() > 1);
    let values = inside_words.map(|end| whole[..end].to_owned());
    mask_own_values(bencher, values, &period.repeat(25_000));
}

/// The same with values that have nothing in common with the text, nor the text with itself.
#[divan::bench]
fn mask_values_that_begin_nothing(bencher: Bencher<'_, '_>) {
    let values = (0..200).map(|n| format!("x{n}-y{n}"));
    let prose = "Please look at the report of last week and tell me what changed since. ";
    mask_own_values(bencher, values, &prose.repeat(200_000 / prose.len()));
}

/// Mappings of passwords as a vault holds them.
fn stored(count: u64) -> Vec<Arc<Mapping>> {
    let mappings = (1..=count).map(|n| {
        let value = format!("{:x}-Kx{n}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let value = Sensitive::new(value);
        Arc::new(Mapping::new(EntityType::SECRET, &n.to_string(), value))
    });
    mappings.collect()
}

fn loaded(stored: &[Arc<Mapping>]) -> Session {
    let mut session = Session::new();
    for mapping in stored {
        assert!(session.adopt(Arc::clone(mapping)), "a new mapping");
    }
    session
}

/// Masks a body with a loaded session of this many values.
fn mask_cold(bencher: Bencher<'_, '_>, schema: Schema, body: &[u8], values: u64) {
    let engine = Engine::new(Settings::default());
    let stored = stored(values);
    bencher.with_inputs(|| body.to_vec()).bench_values(|body| {
        let request = engine.request(schema, body).expect("a request");
        let mut session = loaded(&stored);
        let masked = request.mask(&mut session, &NoMemory).expect("masked");
        (masked, session)
    });
}

/// Masks a body with a copy of a session that masked `before` it.
fn mask_hot(bencher: Bencher<'_, '_>, schema: Schema, (before, body): (&[u8], &[u8]), values: u64) {
    let engine = Engine::new(Settings::default());
    let mut hot = loaded(&stored(values));
    let request = engine.request(schema, before.to_vec()).expect("a request");
    drop(request.mask(&mut hot, &NoMemory).expect("masked"));
    bencher
        .with_inputs(|| (body.to_vec(), hot.clone()))
        .bench_values(|(body, mut session)| {
            let request = engine.request(schema, body).expect("a request");
            let masked = request.mask(&mut session, &NoMemory).expect("masked");
            (masked, session)
        });
}

#[divan::bench]
fn session_of_100_000_cold_and_400_kb(bencher: Bencher<'_, '_>) {
    mask_cold(bencher, Schema::MessagesStyle, &agent_history(), 100_000);
}

#[divan::bench]
fn session_of_100_000_hot_and_400_kb(bencher: Bencher<'_, '_>) {
    let history = agent_history();
    let bodies = (&*history, &*history);
    mask_hot(bencher, Schema::MessagesStyle, bodies, 100_000);
}

#[divan::bench]
fn session_of_100_000_hot_and_400_kb_with_new_values(bencher: Bencher<'_, '_>) {
    let bodies = (&b"{}"[..], &*agent_history());
    mask_hot(bencher, Schema::MessagesStyle, bodies, 100_000);
}

#[divan::bench]
fn session_of_20_cold_and_2_kb(bencher: Bencher<'_, '_>) {
    mask_cold(bencher, Schema::ChatStyle, &chat_request(), 20);
}

#[divan::bench]
fn session_of_20_hot_and_2_kb(bencher: Bencher<'_, '_>) {
    let body = chat_request();
    mask_hot(bencher, Schema::ChatStyle, (&body, &body), 20);
}

fn mask_own_values(bencher: Bencher<'_, '_>, values: impl Iterator<Item = String>, text: &str) {
    let own = DetectorSettings {
        built_in: false,
        patterns: vec![(
            EntityType::parse("OWN").expect("a type"),
            r"value=(?P<value>\S+)".to_owned(),
        )],
        ..DetectorSettings::default()
    };
    let engine = Engine::new(Settings {
        detectors: Detectors::new(&own).expect("detectors"),
        ..Settings::default()
    });
    let mut body = String::new();
    for value in values {
        let _ = writeln!(body, "value={value}");
    }
    body.push_str(text);
    bencher
        .counter(BytesCount::from(body.len()))
        .bench(|| engine.mask_text(&body, &mut Session::new()));
}

/// For comparison: a library that parses the same body into a tree and writes it.
#[divan::bench]
fn serde_json_round_trip_of_400_kb(bencher: Bencher<'_, '_>) {
    let body = agent_history();
    bencher.counter(BytesCount::from(body.len())).bench(|| {
        let value: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
        serde_json::to_vec(&value).expect("JSON")
    });
}

fn restoring(schema: Schema) -> Restoring {
    let engine = Engine::new(Settings::default());
    let request = engine.request(schema, chat_request()).expect("a request");
    request
        .mask(&mut Session::new(), &NoMemory)
        .expect("masked")
        .restoring
}

fn restore(bencher: Bencher<'_, '_>, schema: Schema, event: &str) {
    let restoring = restoring(schema);
    let mut restorer = restoring.reply(Some("text/event-stream"));
    let mut out = Vec::with_capacity(4096);
    bencher.bench_local(|| {
        out.clear();
        restorer.push(event.as_bytes(), &mut out);
        out.len()
    });
}

#[divan::bench]
fn restore_chat_event_without_token(bencher: Bencher<'_, '_>) {
    restore(
        bencher,
        Schema::ChatStyle,
        "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1772323200,\"model\":\"gpt-6-astra\",\"service_tier\":\"default\",\"system_fingerprint\":\"fp_1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" reports\"},\"logprobs\":null,\"finish_reason\":null}],\"obfuscation\":\"aX3\"}\n\n",
    );
}

#[divan::bench]
fn restore_messages_event_without_token(bencher: Bencher<'_, '_>) {
    restore(
        bencher,
        Schema::MessagesStyle,
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" reports\\n\"}}\n\n",
    );
}

#[divan::bench]
fn restore_responses_event_without_token(bencher: Bencher<'_, '_>) {
    restore(
        bencher,
        Schema::Responses,
        "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":7,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\" reports\",\"logprobs\":[],\"obfuscation\":\"aX3\"}\n\n",
    );
}

#[divan::bench]
fn restore_chat_event_with_token(bencher: Bencher<'_, '_>) {
    restore(
        bencher,
        Schema::ChatStyle,
        "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1772323200,\"model\":\"gpt-6-astra\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"to <MASK_EMAIL_1> now\"},\"finish_reason\":null}]}\n\n",
    );
}
