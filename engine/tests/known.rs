//! A value that is found once, in a request or its session, is masked everywhere.

use std::sync::Arc;

use engine::detect::{Allowed, AllowedValues, DetectorSettings};
use engine::{
    Detectors, Engine, EntityType, Mapping, NoMemory, Operator, Policy, Schema, Sensitive, Session,
    Settings,
};
use serde_json::{Value, json};

const PASSWORD: &str = "Tr0ub0815dor-Kx9";

fn engine_with(operator: Operator) -> Engine {
    Engine::new(Settings {
        detectors: Detectors::built_in(),
        operator,
        ..Settings::default()
    })
}

fn masked(engine: &Engine, schema: Schema, body: &Value) -> Value {
    let request = engine
        .request(schema, body.to_string().into_bytes())
        .expect("a request");
    let masked = request
        .mask(&mut Session::new(), &NoMemory)
        .expect("masked");
    serde_json::from_slice(&masked.body.into_bytes()).expect("JSON")
}

/// What an agent sends after it has read a file and used a password from it.
fn agent_turns() -> [(Schema, Value, [&'static str; 3]); 3] {
    let file = format!("DB_PASSWORD={PASSWORD}\n");
    let command = json!({"command": format!("mysql -p'{PASSWORD}'")});
    let output = format!("{PASSWORD}\n");
    [
        (
            Schema::MessagesStyle,
            json!({"messages": [
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": file}]},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "b", "name": "run", "input": command}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": output}]},
            ]}),
            [
                "/messages/0/content/0/content",
                "/messages/1/content/0/input/command",
                "/messages/2/content/0/content",
            ],
        ),
        (
            Schema::ChatStyle,
            json!({"messages": [
                {"role": "tool", "tool_call_id": "a", "content": file},
                {"role": "assistant", "tool_calls": [
                    {"id": "b", "type": "function", "function": {"name": "run", "arguments": command.to_string()}},
                ]},
                {"role": "tool", "tool_call_id": "b", "content": output},
            ]}),
            [
                "/messages/0/content",
                "/messages/1/tool_calls/0/function/arguments",
                "/messages/2/content",
            ],
        ),
        (
            Schema::Responses,
            json!({"input": [
                {"type": "function_call_output", "call_id": "a", "output": file},
                {"type": "function_call", "call_id": "b", "name": "run", "arguments": command.to_string()},
                {"type": "function_call_output", "call_id": "b", "output": output},
            ]}),
            ["/input/0/output", "/input/1/arguments", "/input/2/output"],
        ),
    ]
}

#[test]
fn a_password_from_a_file_is_masked_where_used() {
    for operator in [Operator::Pseudonym { anchor: None }, Operator::Redact] {
        let engine = engine_with(operator);
        for (schema, body, places) in agent_turns() {
            let masked = masked(&engine, schema, &body);
            assert!(!masked.to_string().contains(PASSWORD), "{masked}");
            let texts = places.map(|place| {
                masked
                    .pointer(place)
                    .and_then(Value::as_str)
                    .expect("a text")
            });
            let token = texts[0].trim().trim_start_matches("DB_PASSWORD=");
            assert!(texts[1].contains(&format!("mysql -p'{token}'")), "{masked}");
            assert_eq!(texts[2], format!("{token}\n"));
        }
    }
}

#[test]
fn a_password_revealed_later_is_masked_in_earlier_messages() {
    for operator in [Operator::Pseudonym { anchor: None }, Operator::Redact] {
        let engine = engine_with(operator);
        let first = json!({"role": "user", "content": format!("log in with {PASSWORD}")});
        let file = json!({"role": "tool", "tool_call_id": "a", "content": format!("DB_PASSWORD={PASSWORD}")});
        let body = json!({"messages": [first, file]});
        let masked = masked(&engine, Schema::ChatStyle, &body);
        let text = |at: &str| masked.pointer(at).and_then(Value::as_str).expect("a text");
        let token = text("/messages/1/content").trim_start_matches("DB_PASSWORD=");
        assert_ne!(token, PASSWORD);
        assert_eq!(text("/messages/0/content"), format!("log in with {token}"));
    }
}

/// Member names, JSON held in strings, arguments whole and cut off, and the metadata header.
#[test]
fn a_known_value_is_masked_in_every_text_and_spelling() {
    let engine = engine_with(Operator::Pseudonym { anchor: None });
    let value = r#"Tr0ub\0815"dor-Kx9"#;
    let escaped = json!(value).to_string();
    let escaped = escaped.trim_matches('"');
    let cut_off = format!(r#"{{"command": "mysql -p{escaped} -h"#);
    let body = json!({"messages": [
        {"role": "user", "content": format!("as is: {value}")},
        {"role": "assistant", "tool_calls": [
            {"id": "b", "type": "function", "function": {"name": "run", "arguments": cut_off}},
            {"id": "c", "type": "function", "function": {"name": "run", "arguments": json!({"command": value, value: 1}).to_string()}},
        ]},
        {"role": "tool", "tool_call_id": "c", "content": json!({"lines": [json!({"said": value}).to_string()]}).to_string()},
        {"role": "user", "content": format!("DB_PASSWORD='{value}'")},
    ]});
    let request = engine
        .request(Schema::ChatStyle, body.to_string().into_bytes())
        .expect("a request")
        .with_metadata_header(&json!({"branch": value}).to_string());
    let mut session = Session::new();
    let masked = request.mask(&mut session, &NoMemory).expect("masked");
    let token = session.mappings().find(|m| m.value().expose() == value);
    let token = token.expect("detected");
    let token = format!("<MASK_{}_{}>", token.entity(), token.id());
    let sent = String::from_utf8(masked.body.into_bytes()).expect("UTF-8");
    assert!(!sent.contains("dor-Kx9"), "{sent}");
    assert_eq!(sent.matches(&token).count(), 6, "{sent}");
    assert_eq!(
        masked.metadata_header.expect("a header"),
        json!({ "branch": token }).to_string()
    );
    let located = request.locate(&NoMemory);
    assert_eq!(located.len(), 6, "{located:?}");
}

fn ask(engine: &Engine, session: &mut Session, text: &str) -> String {
    let body = json!({"messages": [{"role": "user", "content": text}]});
    let request = engine
        .request(Schema::ChatStyle, body.to_string().into_bytes())
        .expect("a request");
    let masked = request.mask(session, &NoMemory).expect("masked");
    let sent: Value = serde_json::from_slice(&masked.body.into_bytes()).expect("JSON");
    sent["messages"][0]["content"]
        .as_str()
        .expect("a text")
        .to_owned()
}

#[test]
fn session_values_are_masked_in_later_requests() {
    let mut session = Session::new();
    let engine = engine_with(Operator::Pseudonym { anchor: None });
    ask(&engine, &mut session, &format!("DB_PASSWORD={PASSWORD}"));
    assert_eq!(
        ask(
            &engine,
            &mut session,
            &format!("./connect.sh app {PASSWORD} db1")
        ),
        "./connect.sh app <MASK_SECRET_1> db1"
    );
    let redacting = engine_with(Operator::Redact);
    assert_eq!(
        ask(
            &redacting,
            &mut session,
            &format!("./connect.sh app {PASSWORD} db1")
        ),
        "./connect.sh app [REDACTED_SECRET] db1"
    );
    assert_eq!(session.len(), 1);
}

/// Types that mostly identify themselves were not searched for, although words decide for some of
/// them and host detectors find others.
#[test]
fn session_values_of_every_type_except_literal_are_masked() {
    let mut session = Session::new();
    let mut adopt = |entity: EntityType, id: &str, value: &str| {
        let value = Sensitive::new(value.to_owned());
        assert!(session.adopt(Arc::new(Mapping::new(entity, id, value))));
    };
    adopt(EntityType::EMAIL, "1", "alice at example dot com");
    adopt(EntityType::CREDIT_CARD, "2", "4539 1488 0343");
    adopt(EntityType::IP_ADDRESS, "3", "10.0.3.17:x");
    adopt(EntityType::LITERAL, "4", "MASK_EMAIL_7");
    session.reserve(&EntityType::EMAIL, "5");
    let engine = engine_with(Operator::Pseudonym { anchor: None });
    assert_eq!(
        ask(
            &engine,
            &mut session,
            "alice at example dot com, 4539 1488 0343 10.0.3.17:x"
        ),
        "<MASK_EMAIL_1>, <MASK_CREDIT_CARD_2> <MASK_IP_ADDRESS_3>"
    );
}

#[test]
fn allowed_values_are_left_even_if_the_session_knows_them() {
    let mut session = Session::new();
    let before = engine_with(Operator::Pseudonym { anchor: None });
    let text = format!("password={PASSWORD} and alice@example.com");
    ask(&before, &mut session, &text);
    let allowing = DetectorSettings {
        allow: vec![Allowed {
            entity: None,
            values: AllowedValues::Exact(PASSWORD.to_owned()),
        }],
        ..DetectorSettings::default()
    };
    let allowing = Engine::new(Settings {
        detectors: Detectors::new(&allowing).expect("detectors"),
        ..Settings::default()
    });
    assert_eq!(
        ask(&allowing, &mut session, &text),
        format!("password={PASSWORD} and <MASK_EMAIL_2>")
    );
    let strict = Engine::new(Settings {
        policy: Policy::strict(vec![EntityType::EMAIL]),
        ..Settings::default()
    });
    assert_eq!(
        ask(&strict, &mut session, &text),
        format!("password={PASSWORD} and <MASK_EMAIL_2>")
    );
}

/// Histories of prose, files that reveal values, and lines with the bare values.
fn history(seed: u32) -> Vec<Value> {
    let mut state = seed;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % below
    };
    let messages = (0..12).map(|_| {
        let n = next(5);
        let value = format!("Tr0ub{n}815dor-Kx{n}");
        let content = match next(6) {
            0 => format!("DB_PASSWORD={value}\n"),
            1 => format!("./connect.sh app {value} db1, {value}\n"),
            2 => format!("mail user{n}@example.com about {value}"),
            3 => json!({"password": value, "note": value}).to_string(),
            4 => format!("{{\"cut\": \"off \\\"{value}"),
            _ => "nothing of note".to_owned(),
        };
        json!({"role": "user", "content": content})
    });
    messages.collect()
}

fn mask_history(engine: &Engine, messages: &[Value]) -> (Vec<Value>, Vec<(String, String)>) {
    let body = json!({ "messages": messages }).to_string().into_bytes();
    let request = engine.request(Schema::ChatStyle, body).expect("a request");
    let mut session = Session::new();
    let masked = request.mask(&mut session, &NoMemory).expect("masked");
    let sent = masked.body.into_bytes();
    let mut reply = masked.restoring.reply(Some("text/plain"));
    let mut back = Vec::new();
    reply.push(&sent, &mut back);
    reply.finish(&mut back);
    let back: Value = serde_json::from_slice(&back).expect("JSON");
    assert_eq!(back["messages"], json!(messages));
    let sent: Value = serde_json::from_slice(&sent).expect("JSON");
    let sent = sent["messages"].as_array().expect("messages").clone();
    let mappings = session.mappings().map(|mapping| {
        let token = format!("<MASK_{}_{}>", mapping.entity(), mapping.id());
        (token, mapping.value().expose().clone())
    });
    (sent, mappings.collect())
}

/// Decisions 2.3: what a later turn reveals is masked in an earlier one, without renumbering.
#[test]
fn a_longer_history_never_renumbers_what_came_before() {
    let engine = engine_with(Operator::Pseudonym { anchor: None });
    for seed in 0..200 {
        let messages = history(seed);
        let (mut sent, mut tokens) = mask_history(&engine, &[]);
        for length in 1..=messages.len() {
            let (longer, more) = mask_history(&engine, &messages[..length]);
            assert_eq!(tokens, more[..tokens.len()], "{seed}: {messages:?}");
            for (before, after) in sent.iter().zip(&longer) {
                let mut expected = before["content"].as_str().expect("a text").to_owned();
                for (token, value) in &more[tokens.len()..] {
                    expected = expected.replace(value, token);
                }
                assert_eq!(after["content"], expected, "{seed}: {messages:?}");
            }
            (sent, tokens) = (longer, more);
        }
    }
}

#[test]
fn text_order_does_not_change_what_is_masked() {
    let engine = engine_with(Operator::Pseudonym { anchor: None });
    for seed in 0..200 {
        let messages = history(seed);
        let seen = |messages: &[Value]| {
            let (sent, tokens) = mask_history(&engine, messages);
            let mut values: Vec<_> = tokens.into_iter().map(|(_, value)| value).collect();
            values.sort();
            let sent = json!(sent).to_string();
            assert!(values.iter().all(|value| !sent.contains(value)), "{sent}");
            (values, sent.matches("<MASK_").count())
        };
        let reversed: Vec<_> = messages.iter().rev().cloned().collect();
        assert_eq!(seen(&messages), seen(&reversed), "{seed}");
    }
}

/// The end of the second was sent: the search went on behind the first.
#[test]
fn known_values_that_overlap_are_masked_as_one() {
    let engine = engine_with(Operator::default());
    for (first, second, both) in [
        ("kk-zz99", "99-hunter2-Kx9", "kk-zz99-hunter2-Kx9"),
        ("99-hunter2-Kx9", "kk-zz99", "kk-zz99-hunter2-Kx9"),
    ] {
        let mut session = Session::new();
        let _ = engine.mask_text(&format!("DB_PASSWORD='{first}'"), &mut session);
        let _ = engine.mask_text(&format!("API_PASSWORD='{second}'"), &mut session);
        let sent = engine.mask_text(&format!("deploy {both} now"), &mut session);
        assert_eq!(sent, "deploy <MASK_SECRET_3> now");
    }
}

/// A value that the last pass learnt was numbered after everything else, and so anew with each message.
#[test]
fn a_longer_history_does_not_renumber_joined_values() {
    let engine = engine_with(Operator::default());
    let sent = |texts: &[&str]| {
        let messages = texts
            .iter()
            .map(|text| json!({"role": "user", "content": text}));
        let body = json!({"messages": messages.collect::<Vec<_>>()});
        masked(&engine, Schema::ChatStyle, &body)["messages"].clone()
    };
    for (texts, from) in [
        (
            [
                r#"{"db_password":"firma.de kTx-99"}"#,
                "mail ann@firma.de kTx-99 ok",
                "API_PASSWORD='other-99-zzQ'",
                "and DB2_PASSWORD='third-88-zzQ'",
            ],
            1,
        ),
        (
            [
                r#"{"db_password":"kT9'x&0815"}"#,
                "password='abkT9'x&0815 there",
                "API_PASSWORD='other-99-zzQ'",
                "and DB2_PASSWORD='third-88-zzQ'",
            ],
            1,
        ),
        (
            [
                "mail ann@firma.de kTx-99 ok",
                r#"{"db_password":"firma.de kTx-99"}"#,
                "API_PASSWORD='other-99-zzQ'",
                "and DB2_PASSWORD='third-88-zzQ'",
            ],
            2,
        ),
    ] {
        let whole = sent(&texts);
        for length in from..texts.len() {
            let shorter = sent(&texts[..length]);
            let begun: Vec<_> = whole
                .as_array()
                .into_iter()
                .flatten()
                .take(length)
                .collect();
            let shorter: Vec<_> = shorter.as_array().into_iter().flatten().collect();
            assert_eq!(shorter, begun, "{length} of {texts:?}");
        }
    }
}

/// A reply brings a value into a URL or a file's name that is left, and the client sends it back. It went out unmasked.
#[test]
fn values_that_replies_put_into_urls_are_masked_later() {
    let engine = engine_with(Operator::default());
    let ask = "find alice.w@example.com in https://crm.example";
    let url = |value: &str| format!("https://crm.example/u?e={value}");
    for (schema, body) in [
        (
            Schema::Responses,
            json!({"input": [{"role": "user", "content": ask}, {"type": "web_search_call", "id": "ws_1", "status": "completed",
                "action": {"type": "open_page", "url": url("alice.w@example.com")}}]}),
        ),
        (
            Schema::ChatStyle,
            json!({"messages": [{"role": "user", "content": ask}, {"role": "assistant", "content": "see", "annotations": [
                {"type": "url_citation", "url_citation": {"url": url("alice.w%40example.com"), "title": "t"}}]}]}),
        ),
        (
            Schema::MessagesStyle,
            json!({"messages": [{"role": "user", "content": ask}, {"role": "user", "content": [
                {"type": "document", "source": {"type": "url", "url": url("alice.w@example.com")}}]}]}),
        ),
        (
            Schema::Generic,
            json!({"messages": [{"role": "user", "content": ask}], "callback_url": url("alice.w@example.com")}),
        ),
        (
            Schema::ChatStyle,
            json!({"messages": [{"role": "user", "content": [{"type": "text", "text": format!("card 4111111111111111 {}", url("x"))},
                {"type": "file", "file": {"filename": "4111111111111111.pdf", "file_data": "data:x;base64,AAAA"}}]}]}),
        ),
    ] {
        let sent = masked(&engine, schema, &body).to_string();
        assert!(!sent.contains("alice") && !sent.contains("4111"), "{sent}");
        assert!(sent.contains("https://crm.example/u?e="), "{sent}");
    }
    // Nothing else in such a place is masked: the provider fetches it.
    let image = json!({"messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": url("bob@example.com")}}]}]});
    assert_eq!(masked(&engine, Schema::ChatStyle, &image), image);
}

/// The name that a text has stood unmasked in the stop sequences, and the model's text, which has its token, never matched.
#[test]
fn known_values_are_masked_in_stop_sequences_and_choices() {
    let engine = engine_with(Operator::default());
    let ask = json!({"role": "user", "content": "I am Alice Schmidt, write to me"});
    for (schema, body) in [
        (
            Schema::ChatStyle,
            json!({"messages": [ask], "stop": "\nAlice Schmidt:", "guided_choice": ["Alice Schmidt", "Bob Miller"]}),
        ),
        (
            Schema::MessagesStyle,
            json!({"messages": [ask], "stop_sequences": ["\nAlice Schmidt:", "\nBob Miller:"]}),
        ),
        (
            Schema::Generic,
            json!({"contents": [{"role": "user", "parts": [{"text": ask["content"]}]}],
                "generationConfig": {"stopSequences": ["\nAlice Schmidt:"]}}),
        ),
        (
            Schema::Generic,
            json!({"prompt": ask["content"], "stop": "Alice Schmidt:"}),
        ),
    ] {
        let sent = masked(&engine, schema, &body).to_string();
        let expected = body.to_string().replace("Alice Schmidt", "<MASK_PERSON_1>");
        assert_eq!(sent, expected, "{schema:?}");
    }
}

/// The proxy restores tokens beside letters, so that the client sends such texts back.
#[test]
fn numbers_and_unspaced_names_are_masked_next_to_letters() {
    let engine = engine_with(Operator::default());
    for (first, next) in [
        ("card 4111111111111111", "cards/cc_4111111111111111.json"),
        ("SSN 943-43-3537", "ssn_943-43-3537_report.pdf"),
        ("SSN 943-43-3537", "SSN943-43-3537"),
        ("server 203.12.45.77", "ip_203.12.45.77_access.log"),
        ("date of birth: 1981-03-12", "dob_1981-03-12_v2"),
        ("姓名：王小明", "您好，王小明您的订单已发货"),
        ("氏名：山田太郎", "担当は山田太郎です"),
    ] {
        let mut session = Session::new();
        ask(&engine, &mut session, first);
        let sent = ask(&engine, &mut session, next);
        assert!(sent.contains("MASK_"), "{next}: {sent}");
        let sent = ask(
            &engine,
            &mut session,
            "order 41111111111111115 of 94343353712",
        );
        assert!(!sent.contains("MASK_"), "{sent}");
    }
}

/// What is sent as it is may look like a token. A model that repeated it from there got a value in its place.
#[test]
fn tokens_in_unmasked_fields_are_never_issued() {
    let engine = engine_with(Operator::default());
    let body = json!({"messages": [{"role": "user", "content": "mail alice.w@example.com"}], "stop": ["<MASK_EMAIL_1>"],
        "tools": [{"type": "function", "function": {"name": "f", "parameters":
            {"type": "object", "properties": {"slot": {"type": "string", "enum": ["<MASK_EMAIL_2>", "x"]}}}}}]});
    let sent = masked(&engine, Schema::ChatStyle, &body);
    assert_eq!(sent["messages"][0]["content"], "mail <MASK_EMAIL_3>");
    assert_eq!(sent["stop"], body["stop"]);
    assert_eq!(sent["tools"], body["tools"]);
}
