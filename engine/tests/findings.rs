//! The cache of detection results changes only the time that masking takes.

use crate::support;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engine::detect::DetectorSettings;
use engine::{
    Detectors, Engine, EntityType, Findings, NoMemory, Origin, Schema, Scope, Session, Settings,
    TextFindings, TextKind,
};
use serde_json::{Value, json};
use support::random::{Random, seeds};

type Sought = (String, Option<String>, TextKind);

/// Remembers everything.
#[derive(Debug, Default)]
struct All {
    /// The numbers of texts.
    digests: Mutex<HashMap<Sought, u128>>,
    found: Mutex<HashMap<u128, TextFindings>>,
    /// How many texts were read.
    read: AtomicUsize,
}

impl Findings for All {
    fn digest(&self, text: &str, name: Option<&str>, kind: TextKind) -> u128 {
        let mut digests = self.digests.lock().expect("no panic");
        // An even number for what is written.
        let next = 2 * digests.len() as u128 + u128::from(kind == TextKind::Plain);
        let sought = (text.to_owned(), name.map(str::to_owned), kind);
        *digests.entry(sought).or_insert(next)
    }

    fn get(&self, digest: u128) -> Option<TextFindings> {
        self.found.lock().expect("no panic").get(&digest).cloned()
    }

    fn keep(&self, digest: u128, found: TextFindings) {
        let before = self.found.lock().expect("no panic").insert(digest, found);
        if before.is_none() {
            self.read
                .fetch_add((digest % 2) as usize, Ordering::Relaxed);
        }
    }

    fn key(&self) -> u64 {
        0x5EED
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

/// A text that gives nothing away by itself, and says values that others do, in several ways.
fn quiet_text(random: &mut Random) -> String {
    let lines = (0..random.below(6)).map(|_| {
        let n = random.below(20);
        match random.below(24) {
            0 => format!("it was x9-Kq{n}vW, I think"),
            1 => format!("it was x9%2DKq{n}vW, I think"),
            2 => format!("it was x9&#45;Kq{n}vW, I think"),
            3 => format!("it was **x9-K**q{n}vW, I think"),
            4 => format!("it was x9\\-Kq{n}vW, I think"),
            5 => format!("it was x9-K\u{200b}q{n}vW, I think"),
            6 => format!("it was x9-\u{1b}[1mKq{n}vW, I think"),
            7 => format!("it was x9-Kq{n}\nvW, I think"),
            8 => format!("print(\"x9-Kq{n}\" + \"vW\")"),
            9 => format!("it was \\\"x9-Kq{n}vW\\\", I think"),
            10 => format!("it was x9\\u002dKq{n}vW, I think"),
            11 => json!({"n": [format!("x9-Kq{n}vW")], "é/": "K"}).to_string(),
            12 => json!({"n": json!({"n": format!("x9-Kq{n}vW\n")}).to_string()}).to_string(),
            13 => format!("{{\"cut\": \"x9\\/Kq\\u002f{n}v"),
            14 => format!("it was zoë-pässwort-{n}, I think"),
            15 => format!("it was zo&euml;-p&#xe4;sswort-{n}, I think"),
            16 => format!("> 12\t| it was x9/Kq/{n}v \\d+ a_b_c 100%"),
            17 => STANDARD.encode(format!("it was x9-Kq{n}vW, and more of it")),
            18 => format!("  7→it was x9-Kq{n}vW, I think\n  8→so"),
            19 => format!("<b>it</b> was \"x9-Kq{n}vW\""),
            20 => format!("it was x9\"Kq{n}vW, I think"),
            21 => format!("{{\"cut\": \"it was x9-\\u004bq{n}vW"),
            _ => "nothing to see in this line, and it is a long one".to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What gives a value of a [`quiet_text`] away.
fn revealing_text(random: &mut Random) -> String {
    let n = random.below(20);
    match random.below(4) {
        0 => format!("export DB_PASSWORD=zoë-pässwort-{n}"),
        1 => format!("export DB_PASSWORD=x9/Kq/{n}v"),
        2 => format!("export DB_PASSWORD='x9\"Kq{n}vW'"),
        _ => format!("export DB_PASSWORD=x9-Kq{n}vW"),
    }
}

/// A call and its result, mostly with nothing that gives itself away.
fn quiet_turn(random: &mut Random) -> Vec<Value> {
    let any_text = |random: &mut Random| match random.below(12) {
        0 => text(random),
        1 => revealing_text(random),
        _ => quiet_text(random),
    };
    let name = [
        "x9-Kq3vW and more",
        "u3@example.com is a name",
        "a name of many letters",
    ][random.below(3)];
    let arguments =
        json!({"path": any_text(random), name: any_text(random), "n": 4_111_111_111_111_111_u64});
    let arguments = arguments.to_string();
    let call = json!({"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments}});
    vec![
        json!({"role": "user", "content": any_text(random)}),
        json!({"role": "assistant", "content": any_text(random), "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": "call_1", "content": any_text(random)}),
    ]
}

/// A body as another writer of JSON spells it.
fn respelled(body: String, spelling: usize) -> String {
    match spelling {
        0 => body.replace('/', "\\/"),
        1 => body.replace("Kq", "\\u004bq"),
        2 => body.replace("-K", "\\u002dK").replace('ä', "\\u00e4"),
        3 => body.replace('ë', "\\u00EB").replace("\u{200b}", "\\u200b"),
        4 => body.replace("\\\"", "\\u0022"),
        5 => body.replace("\\\\", "\\u005c"),
        _ => body,
    }
}

/// Masks requests of one conversation with and without memory, which must agree.
fn assert_same(
    [anew, remembering]: [&Engine; 2],
    schema: Schema,
    body: &str,
    sessions: &mut [Session; 2],
    seed: u64,
) {
    let [anew_session, session] = sessions;
    let [one, other] = [(anew, anew_session), (remembering, session)].map(|(engine, session)| {
        let request = engine.request(schema, body.as_bytes().to_vec());
        let request = request.expect("a request");
        let request = request.with_scope(if seed.is_multiple_of(2) {
            Scope::Session
        } else {
            Scope::OwnTokens
        });
        let located = request.locate(&NoMemory);
        let masked = request.mask(session, &NoMemory).expect("masked");
        let restorable = mappings(masked.restoring.session());
        let known = (mappings(session), restorable);
        (masked.body.into_bytes(), masked.summary, located, known)
    });
    assert_eq!(one, other, "seed {seed}");
}

fn mappings(session: &Session) -> Vec<(String, String, Origin)> {
    let mappings = session.mappings().map(|mapping| {
        let (core, value) = (mapping.core().to_owned(), mapping.value().expose().clone());
        (core, value, mapping.origin())
    });
    mappings.collect()
}

#[test]
fn masked_bytes_are_the_same_with_and_without_cache() {
    let anew = Engine::new(settings());
    let remembering = Engine::new(settings()).remembering(Arc::new(All::default()));
    for seed in seeds(200) {
        let random = &mut Random::new(seed);
        let mut messages = Vec::new();
        let sessions = &mut [Session::new(), Session::new()];
        for _ in 0..4 {
            messages.extend(turn(random));
            let body = json!({"model": "m", "messages": messages}).to_string();
            let engines = [&anew, &remembering];
            assert_same(engines, Schema::MessagesStyle, &body, sessions, seed);
        }
    }
}

/// Old texts are looked at as they are written only. What later ones reveal may stand in them, however it is spelled.
#[test]
fn values_revealed_later_are_masked_in_cached_texts() {
    let anew = Engine::new(settings());
    for seed in seeds(150) {
        let random = &mut Random::new(seed);
        let remembering = Engine::new(settings()).remembering(Arc::new(All::default()));
        let mut messages = Vec::new();
        let sessions = &mut [Session::new(), Session::new()];
        let spelling = random.below(12);
        for _ in 0..6 {
            messages.extend(quiet_turn(random));
            let declared = json!({"path": {}, "u3@example.com is a name": {}});
            let declared = [declared, json!({"x9-Kq3vW and more": {}})];
            let parameters = json!({"type": "object", "properties": random.pick(&declared)});
            let tools =
                json!([{"type": "function", "function": {"name": "f", "parameters": parameters}}]);
            let body = json!({"model": "m", "tools": tools, "messages": messages}).to_string();
            let body = respelled(body, spelling);
            let engines = [&anew, &remembering];
            assert_same(engines, Schema::ChatStyle, &body, sessions, seed);
        }
    }
}

/// A text is searched again only for values that it was not searched for. The sessions are new, go on, go on from an
/// earlier turn, or are of somebody else with the same texts.
#[test]
fn cached_texts_are_searched_for_new_values() {
    let anew = Engine::new(settings());
    for seed in seeds(50) {
        let random = &mut Random::new(seed);
        let remembering = Engine::new(settings()).remembering(Arc::new(All::default()));
        let engines = [&anew, &remembering];
        let mut messages = Vec::new();
        let mut going_on = vec![[Session::new(), Session::new()]];
        for _ in 0..8 {
            messages.extend(quiet_turn(random));
            if random.below(3) == 0 {
                let all = (0..random.below(12)).map(|_| revealing_text(random));
                let all = all.collect::<Vec<_>>().join("\n");
                messages.push(json!({"role": "user", "content": all}));
            }
            let from = random.below(messages.len());
            let body = json!({"model": "m", "messages": messages}).to_string();
            let other = json!({"model": "m", "messages": messages.get(from..)}).to_string();
            let mut latest = going_on.last().expect("one").clone();
            let mut earlier = going_on[random.below(going_on.len())].clone();
            let new = &mut [Session::new(), Session::new()];
            assert_same(engines, Schema::ChatStyle, &body, &mut latest, seed);
            assert_same(engines, Schema::ChatStyle, &other, &mut earlier, seed);
            assert_same(engines, Schema::ChatStyle, &body, new, seed);
            going_on.push(latest);
        }
    }
}

/// What a text becomes is remembered. Who else wrote it still counts, and so do tools that declare other names, and values
/// that came later.
#[test]
fn cached_texts_are_masked_again_when_their_context_changes() {
    let anew = Engine::new(settings());
    let remembering = Engine::new(settings()).remembering(Arc::new(All::default()));
    let engines = [&anew, &remembering];
    let told = "ask u3@example.com about the build, and say that it was x9-Kq3vW again";
    let arguments = json!({"u5@example.com is a name": told, "note": "to u6@example.com"});
    let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments.to_string()}});
    let tool = json!({"role": "tool", "tool_call_id": "c", "content": told});
    let calls = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let tools = |names: Value| json!([{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": names}}}]);
    let user = |text: &str| json!({"role": "user", "content": text});
    let (declared, others) = (json!({"u5@example.com is a name": {}}), json!({"note": {}}));
    let history = vec![calls, tool];
    let with = |more: &[Value]| [history.as_slice(), more].concat();
    let quoted = format!("it is /u3@example.com.au/ or {told}");
    let sessions = &mut [Session::new(), Session::new()];
    for (names, messages) in [
        (&declared, with(&[])),
        (&declared, with(&[user("again")])),
        (&others, with(&[user("again")])),
        (&others, with(&[user("again"), user(told)])),
        (&declared, with(&[user("export DB_PASSWORD=x9-Kq3vW")])),
        (&declared, with(&[user("and again")])),
        (&declared, with(&[user(&quoted)])),
        (&declared, vec![user(told)]),
    ] {
        let body = json!({"model": "m", "tools": tools(names.clone()), "messages": messages});
        for seed in [0, 1] {
            let body = body.to_string();
            assert_same(engines, Schema::ChatStyle, &body, sessions, seed);
        }
    }
}

#[test]
fn reading_ahead_saves_work_without_changing_results() {
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
fn a_text_is_rescanned_only_under_another_name() {
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
    let with_its_name = read_for(json!({"messages": [answer, shown]}));
    assert_eq!(with_its_name, 2);
    assert_eq!(read_for(json!({"messages": [answer, shown, answer]})), 0);
}
