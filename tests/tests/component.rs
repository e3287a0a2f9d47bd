//! The engine as a component: it imports nothing, equals the native engine, and works in other
//! hosts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use engine::detect::{Allowed, AllowedValues, DetectorSettings, Names};
use engine::{
    Coverage, Detection, Detectors, Engine, EntityType, Mapping, MaskSummary, NoMemory, Operator,
    Policy, RestoreSummary, Schema, Score, Sensitive, Session, Settings, Surrogates,
};
use serde_json::Value;
use tests::component::{Host, Instance, detection, wit};
use tests::vectors::{self, CHUNKS};
use wasmtime::component::ResourceAny;

static HOST: LazyLock<Host> = LazyLock::new(|| Host::load(&component(), false));

fn component() -> PathBuf {
    let path = std::env::var_os("COMPONENT");
    path.expect("COMPONENT names the component: just component")
        .into()
}

#[test]
fn the_component_imports_nothing() {
    assert_eq!(HOST.imports(), [""; 0]);
}

#[test]
fn the_component_masks_requests_like_the_native_engine() {
    let requests = vectors::requests();
    assert!(requests.len() > 25, "{} requests", requests.len());
    for settings in [usual(), own(), plausible()] {
        let (mut instance, ported) = ported(&settings);
        let native = natively(settings);
        let mut changed = 0;
        for vector in &requests {
            let exchange = Exchange {
                schema: vector.schema,
                request: &vector.text,
                kind: "application/json",
                reply: "{}",
                chunk: 7,
            };
            let expected = exchange.natively(&native, Session::new());
            changed += usize::from(expected.masked != vector.text.as_bytes());
            let outcome = exchange.within(&mut instance, ported, &Session::new());
            assert!(outcome == expected, "{} is masked otherwise", vector.name);
            let found = instance.detect(ported, &vector.text);
            let expected: Vec<_> = native.detect(&vector.text).iter().map(finding).collect();
            assert_eq!(shown(&found), shown(&expected), "{}", vector.name);
        }
        assert!(changed > requests.len() / 2, "{changed} hold a value");
    }
}

#[test]
fn the_component_restores_replies_like_the_native_engine() {
    let replies = vectors::replies();
    assert!(replies.len() > 50, "{} replies", replies.len());
    let (mut instance, ported) = ported(&usual());
    let native = natively(usual());
    for vector in &replies {
        for chunk in CHUNKS {
            let exchange = Exchange {
                schema: vector.schema,
                request: "{}",
                kind: vector.content_type(),
                reply: &vector.text,
                chunk,
            };
            let expected = exchange.natively(&native, vectors::session());
            let outcome = exchange.within(&mut instance, ported, &vectors::session());
            let same = outcome == expected;
            assert!(same, "{} by {chunk} is restored otherwise", vector.name);
        }
    }
}

#[test]
fn a_request_that_cannot_be_masked_is_refused_with_the_proxys_code() {
    let (mut instance, engine) = ported(&usual());
    let refused = |instance: &mut Instance, body: &[u8]| {
        let failure = instance.exchange(engine, &request(Schema::ChatStyle, body));
        failure.expect_err("no request").code
    };
    for body in [&b"{"[..], b"[]", b"\xff"] {
        assert_eq!(refused(&mut instance, body), "mask_invalid_request");
    }
}

#[test]
fn host_findings_are_masked_and_invalid_ones_refused() {
    let (mut instance, engine) = ported(&usual());
    let session = instance.session();
    let body = br#"{"messages": [{"role": "user", "content": "ask Bluebird"}]}"#;
    let exchange = instance.exchange(engine, &request(Schema::ChatStyle, body));
    let exchange = exchange.expect("a request");
    let texts = instance.texts(exchange, session);
    let text = texts.iter().position(|text| text.content == "ask Bluebird");
    let found = |start, end, score| wit::HostFinding {
        text: u32::try_from(text.expect("the text")).expect("few texts"),
        detection: detection::Detection {
            start,
            end,
            entity: "PROJECT".to_owned(),
            score,
        },
    };
    let masked = instance.mask_with(exchange, session, &[found(4, 12, 90)]);
    let masked = String::from_utf8(masked.expect("masked").body).expect("UTF-8");
    assert!(masked.contains("ask <MASK_PROJECT_1>"), "{masked}");
    for nonsense in [found(4, 13, 90), found(5, 4, 90), found(4, 12, 101)] {
        let refused = instance.mask_with(exchange, session, &[nonsense]);
        assert_eq!(refused.expect_err("nonsense").code, "mask_scan_failed");
    }
}

#[test]
fn signed_thinking_returns_to_the_provider_unchanged() {
    let (mut instance, engine) = ported(&usual());
    let session = instance.session();
    let mut turn = |body: &str| {
        let request = request(Schema::MessagesStyle, body.as_bytes());
        let exchange = instance.exchange(engine, &request).expect("a request");
        let masked = instance.mask(exchange, session).expect("masked");
        let sent = String::from_utf8(masked.body).expect("UTF-8");
        let thought = r#"{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"It is <MASK_EMAIL_1>.","signature":"c2ln"}]}"#;
        let (reply, _) = instance.restore(masked.reply, "application/json", thought.as_bytes(), 7);
        (sent, String::from_utf8(reply).expect("UTF-8"))
    };
    let (_, reply) = turn(r#"{"messages":[{"role":"user","content":"alice@example.com"}]}"#);
    assert!(reply.contains("It is alice@example.com."), "{reply}");
    let (sent, _) = turn(
        r#"{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"It is alice@example.com.","signature":"c2ln"}]},{"role":"user","content":"go on"}]}"#,
    );
    assert!(
        sent.contains(r#""thinking":"It is <MASK_EMAIL_1>.""#),
        "{sent}"
    );
}

#[test]
fn node_masks_and_restores_with_the_component() {
    assert_example(Command::new(program("NODE")).arg(example("example.mjs")));
}

#[test]
fn python_masks_and_restores_with_the_component() {
    let example = example("example.py");
    assert_example(Command::new(program("PYTHON")).arg("-B").arg(example));
}

/// An example, where the packed packages are installed.
fn example(name: &str) -> PathBuf {
    Path::new(&program("EXAMPLES")).join(name)
}

fn program(variable: &str) -> std::ffi::OsString {
    let path = std::env::var_os(variable);
    path.unwrap_or_else(|| panic!("{variable} is not set: just component"))
}

/// The mapping is kept with its origin, as a host keeps it between two turns.
#[test]
fn tool_values_stay_withheld_from_the_network_in_later_turns() {
    let mut instance = HOST.instance();
    let settings = wit::Settings {
        restore: vec![wit::RestoreEntry::Guard],
        ..instance.default_settings()
    };
    let engine = instance.engine(&settings).expect("an engine");
    let first = instance.session();
    let body = br#"{"messages": [{"role": "user", "content": "read bob@corp.io"},
        {"role": "tool", "tool_call_id": "c", "content": "PASSWORD=kV7#mQ2xLp9w"}]}"#;
    let seen = |instance: &mut Instance, session, body: &[u8]| {
        let exchange = instance.exchange(engine, &request(Schema::ChatStyle, body));
        let masked = instance.mask(exchange.expect("a request"), session);
        masked.expect("masked").reply
    };
    seen(&mut instance, first, body);
    let later = instance.session();
    for mapping in instance.mappings(first) {
        assert!(instance.adopt(later, &mapping));
    }
    let reply = seen(&mut instance, later, br#"{"messages": []}"#);
    let call = |tool: &str| {
        let arguments = r#"{\"x\": \"<MASK_SECRET_2> <MASK_EMAIL_1>\"}"#;
        format!(
            r#"{{"choices": [{{"index": 0, "message": {{"tool_calls": [{{"id": "c", "type": "function", "function": {{"name": "{tool}", "arguments": "{arguments}"}}}}]}}}}]}}"#
        )
    };
    for (tool, secret, kept) in [
        ("web_fetch", "<MASK_SECRET_2>", 1),
        ("write", "kV7#mQ2xLp9w", 0),
    ] {
        let json = "application/json";
        let (restored, summary) = instance.restore(reply, json, call(tool).as_bytes(), 7);
        let restored = String::from_utf8(restored).expect("UTF-8");
        assert!(
            restored.contains(&format!("{secret} bob@corp.io")),
            "{restored}"
        );
        assert_eq!(summary.kept, kept);
    }
}

/// The rules that every host runs.
#[test]
fn rules_decide_as_in_the_test_vectors() {
    let cases = vectors::rules();
    assert!(cases.len() >= 10);
    for case in cases {
        let mut instance = HOST.instance();
        let rules = case["policy"].as_array().expect("rules").iter();
        let restore = case["restore"].as_array().expect("rules").iter();
        let settings = wit::Settings {
            rules: rules.map(policy_rule).collect(),
            restore: restore.map(restore_entry).collect(),
            ..instance.default_settings()
        };
        let engine = instance.engine(&settings).expect("an engine");
        let path = case["path"].as_str().expect("a path");
        let schema = match path {
            "/v1/messages" => Schema::MessagesStyle,
            "/v1/responses" => Schema::Responses,
            _ => Schema::ChatStyle,
        };
        let request = wit::Request {
            route: path.to_owned(),
            ..request(schema, case["request"].to_string().as_bytes())
        };
        let exchange = instance.exchange(engine, &request).expect("a request");
        let shadow = instance.shadow(exchange).expect("a summary");
        let session = instance.session();
        let masked = instance.mask(exchange, session).expect("masked");
        assert_eq!(shadow.transformations, masked.summary.transformations);
        let seen = String::from_utf8(masked.body).expect("UTF-8");
        let (reply, kind) = vectors::reply_of(&case);
        let (given, _) = instance.restore(masked.reply, kind, reply.as_bytes(), 7);
        let given = String::from_utf8(given).expect("UTF-8");
        for (texts, within, stands) in [
            ("told", &seen, true),
            ("untold", &seen, false),
            ("given", &given, true),
            ("kept", &given, false),
        ] {
            for text in case[texts].as_array().expect("texts") {
                let text = text.as_str().expect("a text");
                assert_eq!(
                    within.contains(text),
                    stands,
                    "{}: {text} in {within}",
                    case["name"]
                );
            }
        }
    }
}

fn policy_rule(rule: &Value) -> wit::PolicyRule {
    let schema = |name: &String| match name.as_str() {
        "chat_style" => wit::Schema::ChatStyle,
        _ => wit::Schema::MessagesStyle,
    };
    wit::PolicyRule {
        name: rule.to_string(),
        routes: names(&rule["route"]),
        models: names(&rule["model"]),
        headers: Vec::new(),
        keys: Vec::new(),
        schemas: names(&rule["schema"]).iter().map(schema).collect(),
        roles: names(&rule["role"])
            .iter()
            .map(|name| origin(name))
            .collect(),
        tools: names(&rule["tool"]),
        mask: match &rule["mask"] {
            Value::Null => wit::Masks::Inherited,
            Value::String(all) if all == "all" => wit::Masks::All,
            Value::String(_) => wit::Masks::Only(Vec::new()),
            types => wit::Masks::Only(names(types)),
        },
        redact: rule["operator"] == "redact",
    }
}

fn restore_entry(entry: &Value) -> wit::RestoreEntry {
    if entry == "guard" {
        return wit::RestoreEntry::Guard;
    }
    wit::RestoreEntry::Rule(wit::RestoreRule {
        tools: names(&entry["tool"]),
        argument: entry["argument"].as_str().map(str::to_owned),
        origins: names(&entry["origin"])
            .iter()
            .map(|name| origin(name))
            .collect(),
        action: match entry["action"].as_str() {
            Some("allow") => wit::RestoreAction::Allow,
            Some("ask") => wit::RestoreAction::Ask,
            _ => wit::RestoreAction::Keep,
        },
    })
}

fn origin(name: &str) -> wit::Origin {
    match name {
        "tool" => wit::Origin::Tool,
        "system" => wit::Origin::System,
        _ => wit::Origin::User,
    }
}

/// One name, or a list of some.
fn names(value: &Value) -> Vec<String> {
    match value {
        Value::String(name) => vec![name.clone()],
        value => value
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(names)
            .collect(),
    }
}

/// The provider sees no value, the client no token.
fn assert_example(command: &mut Command) {
    let output = command.output().expect("it starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}{complaint}");
    let lines = |start: &str| {
        let lines = printed.lines().filter(|line| line.starts_with(start));
        lines.collect::<String>()
    };
    let sent = lines("to the provider:");
    assert!(
        sent.contains("Write to <MASK_EMAIL_20426E65B30FD8BB> about <MASK_PROJECT_"),
        "{sent}"
    );
    let delivered = lines("to the client:");
    assert!(delivered.contains("alice@example.com"), "{delivered}");
    assert!(!delivered.contains("MASK"), "{delivered}");
    let found = lines("found:");
    assert!(
        found.contains("EMAIL") && found.contains('2') && found.contains("19"),
        "{found}"
    );
    assert!(
        lines("refused:").contains("mask_invalid_request"),
        "{printed}"
    );
}

/// A request and its reply.
struct Exchange<'v> {
    schema: Schema,
    request: &'v str,
    kind: &'v str,
    reply: &'v str,
    chunk: usize,
}

/// What became of it.
#[derive(PartialEq)]
struct Outcome {
    masked: Vec<u8>,
    restored: Vec<u8>,
    mappings: Vec<(String, String, String)>,
    masking: MaskSummary,
    restoring: RestoreSummary,
}

impl Exchange<'_> {
    fn natively(&self, engine: &Engine, mut session: Session) -> Outcome {
        let request = engine.request(self.schema, self.request.into());
        let mut request = request.expect("a request");
        request.keep_known(|_| false);
        let is_unseen = !request.history().is_empty() && engine.settings().operator.counts();
        let mut beside = is_unseen.then(|| {
            let key = Sensitive::new(HISTORY_KEY);
            request.history().session(&key, "")
        });
        if session.is_empty() {
            session = beside.take().unwrap_or(session);
        }
        let used = beside.as_mut().unwrap_or(&mut session);
        let masked = request.mask(used, &NoMemory).expect("masked");
        let mut restorer = masked.restoring.reply(Some(self.kind));
        let mut delivered = Vec::new();
        for piece in self.reply.as_bytes().chunks(self.chunk) {
            restorer.push(piece, &mut delivered);
        }
        restorer.finish(&mut delivered);
        Outcome {
            masked: masked.body.into_bytes(),
            restored: delivered,
            mappings: session.mappings().map(|mapping| fields(mapping)).collect(),
            // The component reports neither places of values nor what was left.
            masking: MaskSummary {
                sightings: Vec::new(),
                coverage: Coverage::default(),
                ..masked.summary
            },
            restoring: restorer.summary().clone(),
        }
    }

    fn within(&self, instance: &mut Instance, engine: ResourceAny, before: &Session) -> Outcome {
        let session = instance.session();
        for (entity, id, value) in before.mappings().map(|mapping| fields(mapping)) {
            let mapping = wit::Mapping {
                entity,
                id,
                value,
                origin: wit::Origin::User,
            };
            assert!(instance.adopt(session, &mapping));
        }
        let request = request(self.schema, self.request.as_bytes());
        let exchange = instance.exchange(engine, &request).expect("a request");
        let masked = instance.mask(exchange, session).expect("masked");
        let (restored, restoring) =
            instance.restore(masked.reply, self.kind, self.reply.as_bytes(), self.chunk);
        let mappings = instance.mappings(session);
        for resource in [masked.reply, exchange, session] {
            instance.drop(resource);
        }
        Outcome {
            masked: masked.body,
            restored,
            mappings: mappings
                .into_iter()
                .map(|mapping| (mapping.entity, mapping.id, mapping.value))
                .collect(),
            masking: summary(&masked.summary),
            restoring: RestoreSummary {
                restored: restoring.restored,
                frames: restoring.frames,
                unknown_tokens: restoring.unknown_tokens,
                kept: restoring.kept,
            },
        }
    }
}

fn fields(mapping: &Mapping) -> (String, String, String) {
    let value = mapping.value().expose().clone();
    (mapping.entity().to_string(), mapping.id().to_owned(), value)
}

fn request(schema: Schema, body: &[u8]) -> wit::Request {
    wit::Request {
        schema: match schema {
            Schema::ChatStyle => wit::Schema::ChatStyle,
            Schema::MessagesStyle => wit::Schema::MessagesStyle,
            Schema::Responses => wit::Schema::Responses,
            Schema::Generic => wit::Schema::Generic,
        },
        path: String::new(),
        route: String::new(),
        keys: Some(Vec::new()),
        headers: Vec::new(),
        body: body.to_vec(),
        metadata_header: None,
        scope: wit::Scope::Session,
    }
}

fn summary(summary: &wit::MaskSummary) -> MaskSummary {
    let counts = summary.entity_counts.iter();
    let counts = counts.map(|count| {
        let entity = EntityType::parse(&count.entity);
        (entity.expect("a type"), count.count)
    });
    MaskSummary {
        entity_counts: counts.collect::<BTreeMap<_, _>>(),
        transformations: summary.transformations,
        mapping_count: summary.mapping_count,
        unread: summary.unread,
        asked: summary.asked,
        ..MaskSummary::default()
    }
}

fn finding(found: &Detection) -> wit::Finding {
    let offset = |at| u32::try_from(at).expect("a short text");
    wit::Finding {
        detection: detection::Detection {
            start: offset(found.start),
            end: offset(found.end),
            entity: found.entity.to_string(),
            score: found.score.as_percent(),
        },
        rule: found.rule.to_owned(),
    }
}

fn shown(found: &[wit::Finding]) -> String {
    format!("{found:?}")
}

const HISTORY_KEY: [u8; 32] = [7; 32];

/// A configuration, for both.
struct Configuration {
    detectors: DetectorSettings,
    policy: Policy,
    secret: &'static str,
    surrogates: bool,
}

fn usual() -> Configuration {
    Configuration {
        detectors: DetectorSettings::default(),
        policy: Policy::Default,
        secret: "",
        surrogates: false,
    }
}

fn plausible() -> Configuration {
    Configuration {
        secret: "parity",
        surrogates: true,
        ..usual()
    }
}

fn own() -> Configuration {
    let entity = |name| EntityType::parse(name).expect("a type");
    Configuration {
        detectors: DetectorSettings {
            patterns: vec![(entity("OWN"), r"\b[a-z]+(?<value>s)\b".to_owned())],
            terms: vec![(entity("WORD"), vec!["the".to_owned(), "role".to_owned()])],
            types: vec![(EntityType::PHONE, false)],
            names: Names::Off,
            min_score: Score::percent(60),
            allow: vec![
                Allowed {
                    entity: None,
                    values: AllowedValues::Exact("The".to_owned()),
                },
                Allowed {
                    entity: Some(EntityType::EMAIL),
                    values: AllowedValues::Pattern(".*@example.com".to_owned()),
                },
            ],
            ..DetectorSettings::default()
        },
        policy: Policy::strict(vec![entity("OWN"), entity("WORD"), EntityType::EMAIL]),
        secret: "parity",
        surrogates: false,
    }
}

fn natively(configuration: Configuration) -> Engine {
    let secret = Sensitive::new(configuration.secret.as_bytes().to_vec());
    let anchor = (!configuration.secret.is_empty()).then(|| secret.clone());
    Engine::new(Settings {
        detectors: Detectors::new(&configuration.detectors).expect("detectors"),
        policy: configuration.policy,
        operator: if configuration.surrogates {
            Operator::Surrogate(Surrogates::new(secret))
        } else {
            Operator::Pseudonym { anchor }
        },
        ..Settings::default()
    })
}

/// An instance and an engine in it.
fn ported(configuration: &Configuration) -> (Instance, ResourceAny) {
    let mut instance = HOST.instance();
    let detectors = &configuration.detectors;
    let patterns = detectors.patterns.iter();
    let terms = detectors.terms.iter();
    let allow = detectors.allow.iter();
    let settings = wit::Settings {
        patterns: patterns
            .map(|(entity, regex)| wit::Pattern {
                entity: entity.to_string(),
                regex: regex.clone(),
            })
            .collect(),
        terms: terms
            .map(|(entity, words)| wit::WordList {
                entity: entity.to_string(),
                words: words.clone(),
            })
            .collect(),
        allow: allow
            .map(|allowed| wit::Allowed {
                entity: allowed.entity.as_ref().map(ToString::to_string),
                values: match &allowed.values {
                    AllowedValues::Exact(value) => wit::AllowedValues::Exact(value.clone()),
                    AllowedValues::Pattern(pattern) => wit::AllowedValues::Pattern(pattern.clone()),
                },
            })
            .collect(),
        types: detectors
            .types
            .iter()
            .map(|(entity, on)| wit::TypeSwitch {
                entity: entity.to_string(),
                on: *on,
            })
            .collect(),
        names: match detectors.names {
            Names::Off => wit::Names::Off,
            Names::Careful => wit::Names::Careful,
            Names::Eager => wit::Names::Eager,
        },
        min_score: detectors.min_score.as_percent(),
        policy: match &configuration.policy {
            Policy::Default => wit::Policy::All,
            Policy::Strict(types) => {
                wit::Policy::Strict(types.iter().map(ToString::to_string).collect())
            }
        },
        operator: match configuration.secret {
            "" => wit::Operator::Counted,
            key if configuration.surrogates => wit::Operator::Surrogate(wit::Surrogates {
                key: key.into(),
                types: Vec::new(),
            }),
            secret => wit::Operator::Anchored(secret.into()),
        },
        history_key: Some(HISTORY_KEY.to_vec()),
        ..instance.default_settings()
    };
    let engine = instance.engine(&settings).expect("a configuration");
    (instance, engine)
}
