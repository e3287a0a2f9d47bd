//! The cache of detection results changes only the time that masking takes.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test stops where it finds something wrong, and reads the environment"
)]

mod support;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engine::detect::DetectorSettings;
use engine::{
    Detectors, Engine, EntityType, Findings, NoMemory, Schema, Session, Settings, TextFindings,
};
use serde_json::{Value, json};
use support::random::{Random, seeds};

/// By text and name.
type ByText = HashMap<(String, Option<String>), TextFindings>;

/// Remembers everything.
#[derive(Debug, Default)]
struct All {
    found: Mutex<ByText>,
    read: AtomicUsize,
}

impl Findings for All {
    fn of(
        &self,
        text: &str,
        name: Option<&str>,
        read: &mut dyn FnMut() -> TextFindings,
    ) -> TextFindings {
        let mut found = self.found.lock().expect("no panic");
        let found = found.entry((text.to_owned(), name.map(str::to_owned)));
        let found = found.or_insert_with(|| {
            self.read.fetch_add(1, Ordering::Relaxed);
            read()
        });
        found.clone()
    }
}

fn settings() -> Settings {
    let own = DetectorSettings {
        terms: vec![(
            EntityType::parse("PROJECT").expect("a type"),
            vec!["Bluebird".to_owned()],
        )],
        ..DetectorSettings::default()
    };
    Settings {
        detectors: Detectors::new(&own).expect("detectors"),
        ..Settings::default()
    }
}

/// A text of some lines, with values in some of them, spelled and encoded in several ways.
fn text(random: &mut Random) -> String {
    let lines = (0..random.below(12)).map(|_| match random.below(10) {
        0 => format!("ask u{}@example.com about it", random.below(20)),
        1 => format!("export DB_PASSWORD=x9-Kq{}vW", random.below(20)),
        2 => "the card is 4111 1111 1111 1111".to_owned(),
        3 => "see <MASK_EMAIL_1> in Bluebird".to_owned(),
        4 => json!({"password": "tr0ub4dor-7", "n": 3}).to_string(),
        5 => format!("?to=u{}%40example.com", random.below(20)),
        6 => format!("\u{1b}[1mu{}@example\u{1b}[0m.com", random.below(20)),
        7 => STANDARD.encode(format!(
            "ask u{}@example.com about this file",
            random.below(20)
        )),
        _ => "nothing to see in this line, and it is a long one".to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn turn(random: &mut Random) -> [Value; 2] {
    let input = json!({"path": "a.txt", "password": text(random), "note": text(random)});
    [
        json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "f", "input": input},
        ]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": text(random)},
            {"type": "text", "text": text(random)},
        ]}),
    ]
}

#[test]
fn a_history_is_masked_to_the_same_bytes_with_and_without_memory() {
    let anew = Engine::new(settings());
    let findings = Arc::new(All::default());
    let remembering = Engine::new(settings()).remembering(findings);
    for seed in seeds(200) {
        let random = &mut Random::new(seed);
        let mut messages = Vec::new();
        let sessions = &mut [Session::new(), Session::new()];
        for _ in 0..4 {
            messages.extend(turn(random));
            let body = json!({"model": "m", "messages": messages}).to_string();
            let [one, other] = [(&anew, 0), (&remembering, 1)].map(|(engine, session)| {
                let request = engine.request(Schema::MessagesStyle, body.clone().into_bytes());
                let masked = request
                    .expect("a request")
                    .mask(&mut sessions[session], &NoMemory)
                    .expect("masked");
                (masked.body.into_bytes(), masked.summary)
            });
            assert_eq!(one, other, "seed {seed}");
        }
    }
}

#[test]
fn readers_ahead_leave_less_to_read_and_change_nothing_else() {
    let anew = Engine::new(settings());
    for seed in seeds(8) {
        let random = &mut Random::new(seed);
        let turns: Vec<_> = (0..60).flat_map(|_| turn(random)).collect();
        let body = json!({"model": "m", "messages": turns}).to_string();
        let findings = Arc::new(All::default());
        let remembering = Engine::new(settings()).remembering(Arc::clone(&findings) as _);
        let request = |engine: &Engine| {
            let request = engine.request(Schema::MessagesStyle, body.clone().into_bytes());
            request.expect("a request")
        };
        let masked = |engine: &Engine| {
            let masked = request(engine).mask(&mut Session::new(), &NoMemory);
            let masked = masked.expect("masked");
            (masked.body.into_bytes(), masked.summary)
        };
        let expected = masked(&anew);
        let reads = || findings.read.load(Ordering::Relaxed);
        request(&remembering).read_ahead((1, 3), &NoMemory, &|| false);
        assert_eq!(reads(), 0, "stopped");
        request(&remembering).read_ahead((1, 3), &NoMemory, &|| true);
        request(&remembering).read_ahead((2, 3), &NoMemory, &|| true);
        let ahead = reads();
        assert_eq!(expected, masked(&remembering), "seed {seed}");
        let rest = reads() - ahead;
        assert!(ahead > rest && rest > 0, "seed {seed}: {ahead}, {rest}");
    }
}

#[test]
fn a_text_is_read_again_only_under_another_name() {
    let findings = Arc::new(All::default());
    let engine = Engine::new(settings()).remembering(Arc::clone(&findings) as _);
    let long = "h4X-9kQ2-mmPz ".repeat(30);
    let read_for = |body: Value| {
        let before = findings.read.load(Ordering::Relaxed);
        let request = engine.request(Schema::ChatStyle, body.to_string().into_bytes());
        let mut session = Session::new();
        let masked = request.expect("a request").mask(&mut session, &NoMemory);
        masked.expect("masked");
        findings.read.load(Ordering::Relaxed) - before
    };
    let answer = json!({"role": "user", "content": long});
    let shown = json!({"role": "tool", "content": json!({"password": long}).to_string()});
    assert_eq!(read_for(json!({"messages": [answer]})), 1);
    assert_eq!(read_for(json!({"messages": [answer, answer]})), 0);
    assert_eq!(read_for(json!({"messages": [answer, shown]})), 1);
    assert_eq!(read_for(json!({"messages": [answer, shown, answer]})), 0);
}
