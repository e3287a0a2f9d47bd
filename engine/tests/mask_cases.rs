//! Requests that were once masked wrongly, or that can be read in two ways.

use crate::support;

use engine::detect::DetectorSettings;
use engine::{
    Detectors, Engine, EntityType, NoMemory, Operator, Policy, Schema, Session, Settings,
};
use serde_json::{Value, json};
use support::restore;

const EMAIL: &str = "alice@example.com";

fn masked_by(engine: &Engine, schema: Schema, body: &str) -> String {
    let request = engine
        .request(schema, body.as_bytes().to_vec())
        .expect("a request");
    let masked = request
        .mask(&mut Session::new(), &NoMemory)
        .expect("masked");
    String::from_utf8(masked.body.into_bytes()).expect("UTF-8")
}

fn masked(schema: Schema, body: &str) -> String {
    masked_by(&Engine::new(Settings::default()), schema, body)
}

fn masked_json(schema: Schema, body: &Value) -> Value {
    serde_json::from_str(&masked(schema, &body.to_string())).expect("JSON")
}

#[test]
fn arguments_stay_json_and_truncated_ones_are_text() {
    for (arguments, expected) in [
        (
            r#"{"to": "alice@example.com", "n": 1.50, "note": "a\"b\u00e9"}"#,
            r#"{"to": "<MASK_EMAIL_1>", "n": 1.50, "note": "a\"b\u00e9"}"#,
        ),
        (
            r#"{"to": "alice@example.com", "cut"#,
            r#"{"to": "<MASK_EMAIL_1>", "cut"#,
        ),
        ("alice@example.com", "<MASK_EMAIL_1>"),
        ("", ""),
    ] {
        let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}});
        let body = json!({"messages": [{"role": "assistant", "tool_calls": [call]}]});
        let sent = masked_json(Schema::ChatStyle, &body);
        let function = &sent["messages"][0]["tool_calls"][0]["function"];
        assert_eq!(function["arguments"], expected);
        let item = json!({"type": "function_call", "name": "f", "arguments": arguments});
        let sent = masked_json(Schema::Responses, &json!({"input": [item]}));
        assert_eq!(sent["input"][0]["arguments"], expected);
    }
}

#[test]
fn an_escaped_newline_before_a_value_is_not_masked() {
    let held = json!({"log": format!("x\n{EMAIL}")}).to_string();
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": held});
    let body = json!({"messages": [{"role": "user", "content": [
        {"type": "text", "text": format!("x\n{EMAIL}")}, result]}]});
    let sent = masked_json(Schema::MessagesStyle, &body);
    let content = &sent["messages"][0]["content"];
    assert_eq!(content[0]["text"], "x\n<MASK_EMAIL_1>");
    let held: Value =
        serde_json::from_str(content[1]["content"].as_str().expect("text")).expect("JSON");
    assert_eq!(held["log"], "x\n<MASK_EMAIL_1>");
}

/// Coding agents send it with the first request only, or with some.
#[test]
fn machine_metadata_does_not_renumber_other_tokens() {
    let plain =
        json!({"system": "Ask 10.20.30.40", "messages": [{"role": "user", "content": EMAIL}]});
    let mut first = json!({
        "safeguards": {"cwd": "/home/me", "git": {"name": "bob@corp.example", "status": "eve@corp.example", "url": "https://x:Zx81-q!w2@git.example.com"}},
        "metadata": {"user_id": "zoe@corp.example"},
    });
    for (name, value) in plain.as_object().expect("members") {
        first[name] = value.clone();
    }
    let with = masked_json(Schema::MessagesStyle, &first);
    let without = masked_json(Schema::MessagesStyle, &plain);
    assert_eq!(with["messages"], without["messages"]);
    assert_eq!(with["system"], without["system"]);
    assert_eq!(with["safeguards"]["cwd"], "/home/me");
    for value in [
        "bob@corp.example",
        "eve@corp.example",
        "Zx81-q!w2",
        "zoe@corp.example",
    ] {
        assert!(!with.to_string().contains(value), "{with}");
    }
}

#[test]
fn the_metadata_header_is_ascii_with_the_bodys_tokens() {
    let engine = Engine::new(Settings::default());
    let email = "rené@example.com";
    let metadata = r#"{"owner": "ren\u00e9@example.com", "dir": "caf\u00e9"}"#;
    let body = json!({"input": format!("ask {email}"), "client_metadata": {"turn": metadata}});
    let request = engine
        .request(Schema::Responses, body.to_string().into_bytes())
        .expect("a request")
        .with_metadata_header(metadata);
    let masked = request
        .mask(&mut Session::new(), &NoMemory)
        .expect("masked");
    let header = masked.metadata_header.expect("a header");
    assert!(header.chars().all(|c| (' '..='~').contains(&c)), "{header}");
    let seen: Value = serde_json::from_str(&header).expect("JSON");
    assert_eq!(seen, json!({"owner": "<MASK_EMAIL_1>", "dir": "café"}));
    let sent: Value = serde_json::from_slice(&masked.body.into_bytes()).expect("JSON");
    assert_eq!(sent["input"], "ask <MASK_EMAIL_1>");
    let held = sent["client_metadata"]["turn"].as_str().expect("text");
    assert_eq!(serde_json::from_str::<Value>(held).expect("JSON"), seen);
}

#[test]
fn legacy_prompt_fields_are_masked() {
    let functions = json!([{"name": "f", "description": EMAIL, "parameters": {"type": "object"}}]);
    let body = json!({"messages": [], "prompt": EMAIL, "suffix": EMAIL, "functions": functions});
    let sent = masked_json(Schema::ChatStyle, &body);
    assert_eq!(sent["suffix"], "<MASK_EMAIL_1>");
    assert_eq!(sent["prompt"], "<MASK_EMAIL_1>");
    assert_eq!(sent["functions"][0]["description"], "<MASK_EMAIL_1>");
    assert_eq!(sent["functions"][0]["name"], "f");
}

/// Documented limits: values split over two strings, and JSON numbers, are not text.
#[test]
fn split_values_and_json_numbers_are_left() {
    let parts =
        json!([{"type": "text", "text": "alice@exam"}, {"type": "text", "text": "ple.com"}]);
    let body = json!({"messages": [{"role": "user", "content": parts}]});
    assert_eq!(masked_json(Schema::ChatStyle, &body), body);
    let block = json!({"type": "tool_use", "id": "t", "name": "f", "input": {"card": 4_111_111_111_111_111_u64}});
    let body = json!({"messages": [{"role": "assistant", "content": [block]}]});
    assert_eq!(masked_json(Schema::MessagesStyle, &body), body);
}

#[test]
fn a_value_found_as_two_types_has_one_token() {
    let key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let text = format!("password={EMAIL} then {EMAIL}, token {key}, password={key}");
    let body = json!({"messages": [{"role": "user", "content": text}]});
    let sent = masked_json(Schema::ChatStyle, &body);
    let sent = sent["messages"][0]["content"].as_str().expect("text");
    assert!(!sent.contains(EMAIL) && !sent.contains(key), "{sent}");
    let ids: std::collections::BTreeSet<_> = sent
        .match_indices("<MASK_")
        .map(|(at, _)| sent[at..].split_once('>').expect("a token").0)
        .collect();
    assert_eq!(ids.len(), 2, "{sent}");
}

#[test]
fn overlapping_detections_count_once() {
    let settings = DetectorSettings {
        patterns: vec![(
            EntityType::parse("PERSON").expect("a type"),
            r"Alice \S+".to_owned(),
        )],
        ..DetectorSettings::default()
    };
    let engine = Engine::new(Settings {
        detectors: Detectors::new(&settings).expect("detectors"),
        ..Settings::default()
    });
    let body =
        json!({"messages": [{"role": "user", "content": format!("Alice {EMAIL} and {EMAIL}")}]});
    let request = engine
        .request(Schema::ChatStyle, body.to_string().into_bytes())
        .expect("a request");
    let masked = request
        .mask(&mut Session::new(), &NoMemory)
        .expect("masked");
    let counts: Vec<_> = masked
        .summary
        .entity_counts
        .iter()
        .map(|(entity, count)| (entity.as_str().to_owned(), *count))
        .collect();
    assert_eq!(counts, [("EMAIL".to_owned(), 1), ("PERSON".to_owned(), 1)]);
    assert_eq!(masked.summary.transformations, 2);
}

#[test]
fn redacted_values_leave_nothing_to_restore() {
    let engine = Engine::new(Settings {
        operator: Operator::Redact,
        ..Settings::default()
    });
    let body =
        json!({"messages": [{"role": "user", "content": format!("to {EMAIL}")}]}).to_string();
    let mut session = Session::new();
    let request = engine
        .request(Schema::ChatStyle, body.into_bytes())
        .expect("a request");
    let masked = request.mask(&mut session, &NoMemory).expect("masked");
    assert!(session.is_empty());
    let reply =
        r#"{"choices":[{"message":{"content":"[REDACTED_EMAIL] <MASK_EMAIL_1> MASK_EMAIL_1"}}]}"#;
    let mut restorer = masked.restoring.reply(Some("application/json"));
    let mut out = Vec::new();
    restorer.push(reply.as_bytes(), &mut out);
    restorer.finish(&mut out);
    assert_eq!(String::from_utf8_lossy(&out), reply);
    let sent = String::from_utf8(masked.body.into_bytes()).expect("UTF-8");
    assert!(sent.contains("to [REDACTED_EMAIL]"), "{sent}");
}

#[test]
fn a_strict_policy_masks_listed_types_or_all_built_ins() {
    let own = DetectorSettings {
        patterns: vec![(
            EntityType::parse("BADGE").expect("a type"),
            r"B-\d+".to_owned(),
        )],
        ..DetectorSettings::default()
    };
    let text = format!("{EMAIL} at 10.20.30.40 has B-77");
    for (allowed, expected) in [
        (
            vec![EntityType::EMAIL],
            "<MASK_EMAIL_1> at 10.20.30.40 has B-77",
        ),
        (vec![], "<MASK_EMAIL_1> at <MASK_IP_ADDRESS_2> has B-77"),
    ] {
        let engine = Engine::new(Settings {
            detectors: Detectors::new(&own).expect("detectors"),
            policy: Policy::strict(allowed),
            ..Settings::default()
        });
        assert_eq!(engine.mask_text(&text, &mut Session::new()), expected);
    }
}

/// Numbers and spelling next to a masked value stay.
#[test]
fn numbers_and_escapes_beside_a_value_stay_as_written() {
    let body = |value: &str| {
        format!(
            r#"{{ "n":1e400, "x" : 1.10, "y": NaN,"big":123456789012345678901234567,"messages":[{{"content":"caf\u00e9 {value} \/","role":"user"}}],"n":-0 }}"#
        )
    };
    assert_eq!(
        masked(Schema::ChatStyle, &body(EMAIL)),
        body("<MASK_EMAIL_1>")
    );
}

#[test]
fn a_lone_surrogate_next_to_a_value_is_harmless() {
    let body = r#"{"messages":[{"role":"user","content":"\ud800 alice@example.com \udc00"}]}"#;
    assert_eq!(
        masked(Schema::ChatStyle, body),
        body.replace(EMAIL, "<MASK_EMAIL_1>")
    );
}

#[test]
fn unknown_members_are_masked_anywhere() {
    let fields = [
        json!({"session_note": "call alice@example.com back"}),
        json!({"documents": [{"id": "alice@example.com", "text": "d"}]}),
        json!({"data_sources": [{"type": "x", "parameters": {"role_information": "I am alice@example.com"}}]}),
        json!({"response_format": {"type": "json_schema", "json_schema": {"description": "as alice@example.com does"}}}),
        json!({"text": {"format": {"type": "json_schema", "schema": {"properties": {"a": {"description": "as alice@example.com"}}}}}}),
        json!({"output_config": {"format": {"schema": {"title": "alice@example.com"}}}}),
        json!({"output_format": {"schema": {"title": "alice@example.com"}}}),
        json!({"prompt": "I am alice@example.com"}),
        json!({"stream_options": {"include_usage": true, "owner": "alice@example.com"}}),
        json!({"extra_body": {"user_id": "alice@example.com"}}),
        json!({"tools": [{"type": "brand_new", "owner": {"id": "alice@example.com"}}]}),
    ];
    for schema in [Schema::ChatStyle, Schema::MessagesStyle, Schema::Responses] {
        for body in &fields {
            let sent = masked_json(schema, body).to_string();
            let expected = body.to_string().replace(EMAIL, "<MASK_EMAIL_1>");
            assert_eq!(sent, expected);
        }
    }
}

#[test]
fn json_in_place_of_a_text_has_no_structural_keys() {
    let customer = json!({"type": "customer", "user_id": EMAIL, "id": "4539148803436467", "status": {"role": EMAIL}});
    // Members are in alphabetical order.
    let expected = json!({"type": "customer", "user_id": "<MASK_EMAIL_2>", "id": "<MASK_CREDIT_CARD_1>",
        "status": {"role": "<MASK_EMAIL_2>"}});
    let in_text = |value: &Value| Value::String(value.to_string());
    for wrap in [
        |value: Value| value,
        |value: Value| json!([value]),
        |value: Value| json!({"rows": [value]}),
    ] {
        for (given, expected) in [
            (wrap(customer.clone()), wrap(expected.clone())),
            (
                in_text(&wrap(customer.clone())),
                in_text(&wrap(expected.clone())),
            ),
        ] {
            let sent = masked_json(
                Schema::ChatStyle,
                &json!({"messages": [{"role": "tool", "tool_call_id": "c", "content": given}]}),
            );
            assert_eq!(sent["messages"][0]["content"], expected);
            let result = json!({"type": "tool_result", "tool_use_id": "t", "content": given});
            let sent = masked_json(
                Schema::MessagesStyle,
                &json!({"messages": [{"role": "user", "content": [result]}]}),
            );
            assert_eq!(sent["messages"][0]["content"][0]["content"], expected);
            let output = json!({"type": "function_call_output", "call_id": "c", "output": given});
            let sent = masked_json(Schema::Responses, &json!({"input": [output]}));
            assert_eq!(sent["input"][0]["output"], expected);
        }
    }
}

#[test]
fn ids_are_masked_only_when_they_prove_sensitive() {
    for (id, expected) in [
        ("hunter2-Kx9", "hunter2-Kx9"),
        (
            "3f9c2b7d8e1a4f60b5c3d2e1f0a9b8c7",
            "3f9c2b7d8e1a4f60b5c3d2e1f0a9b8c7",
        ),
        (
            "4f6e2a10-93bd-4c7e-8a51-0d2f6b9c1e77",
            "4f6e2a10-93bd-4c7e-8a51-0d2f6b9c1e77",
        ),
        (
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "<MASK_API_KEY_1>",
        ),
    ] {
        for name in ["session_id", "user_id", "id", "type", "sessionId"] {
            let call = |value: &str| json!({"type": "tool_use", "id": "t", "name": "n", "input": {name: value}});
            // At the top these name history, and its tokens have other numbers.
            let top = if name == "id" || name.starts_with("session") {
                "user_id"
            } else {
                name
            };
            let body = |value: &str| json!({"messages": [{"role": "assistant", "content": [call(value)]}], top: value});
            assert_eq!(
                masked_json(Schema::MessagesStyle, &body(id)),
                body(expected)
            );
        }
    }
}

#[test]
fn response_schema_names_and_allowed_values_are_left() {
    let schema = json!({"type": "object", "required": ["alice@example.com"], "properties": {
        "alice@example.com": {"type": "string", "enum": ["bob@example.com"], "const": "bob@example.com"}}});
    let body = json!({"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}},
        "text": {"format": {"type": "json_schema", "name": "n", "schema": schema}},
        "output_config": {"format": {"type": "json_schema", "schema": schema}}});
    for (known, format) in [
        (Schema::ChatStyle, "response_format"),
        (Schema::Responses, "text"),
        (Schema::MessagesStyle, "output_config"),
    ] {
        assert_eq!(masked_json(known, &body)[format], body[format]);
    }
}

/// `Write to alice@example.com\n` as base64.
const LETTER: &str = "V3JpdGUgdG8gYWxpY2VAZXhhbXBsZS5jb20K";
/// `Write to <MASK_EMAIL_1>\n` as base64.
const MASKED_LETTER: &str = "V3JpdGUgdG8gPE1BU0tfRU1BSUxfMT4K";
/// The beginning of an image.
const IMAGE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";

/// Bodies with a file in each place that the formats have for one.
fn bodies_with(file: &str) -> Vec<(Schema, Value)> {
    let url = format!("data:text/plain;base64,{file}");
    let chat = |part: Value| {
        let message = json!({"role": "user", "content": [part]});
        (Schema::ChatStyle, json!({"messages": [message]}))
    };
    let messages = |block: Value| {
        let message = json!({"role": "user", "content": [block]});
        (Schema::MessagesStyle, json!({"messages": [message]}))
    };
    let responses = |part: Value| {
        let message = json!({"role": "user", "content": [part]});
        (Schema::Responses, json!({"input": [message]}))
    };
    vec![
        chat(json!({"type": "file", "file": {"filename": "f.txt", "file_data": file}})),
        chat(json!({"type": "file", "file": {"filename": "f.txt", "file_data": url}})),
        chat(json!({"type": "image_url", "image_url": {"url": url}})),
        chat(json!({"type": "new", "url": url})),
        messages(
            json!({"type": "document", "source": {"type": "base64", "media_type": "text/plain", "data": file}}),
        ),
        messages(json!({"type": "new", "mimeType": "text/plain", "data": file})),
        responses(json!({"type": "input_file", "filename": "f.txt", "file_data": url})),
        responses(json!({"type": "input_file", "file_url": url})),
    ]
}

#[test]
fn a_text_file_is_masked_inside_and_restored() {
    for (schema, body) in bodies_with(LETTER) {
        let engine = Engine::new(Settings::default());
        let request = engine
            .request(schema, body.to_string().into_bytes())
            .expect("a request");
        let masked = request
            .mask(&mut Session::new(), &NoMemory)
            .expect("masked");
        let sent = String::from_utf8(masked.body.into_bytes()).expect("UTF-8");
        assert_eq!(sent, body.to_string().replace(LETTER, MASKED_LETTER));
        assert_eq!(masked.summary.unread, 0);
        // An echo of the request, in whatever format.
        let mut reply = masked.restoring.reply(Some("application/json"));
        let mut out = Vec::new();
        reply.push(sent.as_bytes(), &mut out);
        reply.finish(&mut out);
        assert_eq!(String::from_utf8(out).expect("UTF-8"), body.to_string());
        let found = request.locate(&NoMemory);
        assert_eq!(found.len(), 1);
        let place = &body.to_string()[found[0].start..found[0].end];
        assert_eq!(place, &LETTER[12..36]);
    }
}

/// What an interface of a repository told of a file went to the provider in base64.
#[test]
fn base64_from_a_tool_is_masked_and_restored_in_calls() {
    let seen = |file: &str| json!({"name": "letter.txt", "encoding": "base64", "content": file});
    let [letter, masked_letter] = [LETTER, MASKED_LETTER].map(|file| file.repeat(2));
    let body = |file: &str| {
        let text = format!("it is {file}, says the tool");
        json!({"messages": [
            {"role": "tool", "tool_call_id": "a", "content": seen(file).to_string()},
            {"role": "user", "content": text},
            {"role": "user", "content": file},
        ]})
    };
    let engine = Engine::new(Settings::default());
    let request = engine
        .request(Schema::ChatStyle, body(&letter).to_string().into_bytes())
        .expect("a request");
    let masked = request
        .mask(&mut Session::new(), &NoMemory)
        .expect("masked");
    let sent = String::from_utf8(masked.body.into_bytes()).expect("UTF-8");
    assert_eq!(sent, body(&masked_letter).to_string());
    let reply = |file: &str| {
        let arguments =
            json!({"command": format!("echo {file} | base64 -d > letter.txt")}).to_string();
        let call = json!({"index": 0, "id": "b", "type": "function", "function": {"name": "shell", "arguments": arguments}});
        json!({"choices": [{"index": 0, "message": {"role": "assistant", "tool_calls": [call]}}]})
    };
    let out = restore(
        masked.restoring.reply(Some("application/json")),
        &[reply(&masked_letter).to_string().as_bytes()],
    );
    let out: Value = serde_json::from_slice(&out).expect("JSON");
    assert_eq!(out, reply(&letter));
    let chunk = |delta: Value| {
        format!(
            "data: {}\n\n",
            json!({"choices": [{"index": 0, "delta": delta}]})
        )
    };
    let call = &reply(&masked_letter)["choices"][0]["message"]["tool_calls"][0];
    let stream = chunk(json!({"role": "assistant", "tool_calls": [call]})) + "data: [DONE]\n\n";
    let out = restore(
        masked.restoring.reply(Some("text/event-stream")),
        &[stream.as_bytes()],
    );
    let out = String::from_utf8(out).expect("UTF-8");
    assert!(out.contains(&letter), "{out}");
}

#[test]
fn an_unreadable_file_is_left_and_counted() {
    let sealed = [
        (
            Schema::Responses,
            json!({"input": [{"type": "reasoning", "summary": [], "encrypted_content": IMAGE}]}),
        ),
        (
            Schema::MessagesStyle,
            json!({"messages": [{"role": "assistant", "content": [{"type": "redacted_thinking", "data": IMAGE}]}]}),
        ),
    ];
    for (schema, body) in bodies_with(IMAGE).into_iter().chain(sealed) {
        let mut request = Engine::new(Settings::default())
            .request(schema, body.to_string().into_bytes())
            .expect("a request");
        request.know_history(true);
        let masked = request
            .mask(&mut Session::new(), &NoMemory)
            .expect("masked");
        assert_eq!(masked.summary.unread, 1, "{body}");
        assert_eq!(masked.body.into_bytes(), body.to_string().into_bytes());
    }
}

#[test]
fn a_file_that_is_sent_as_plain_text_is_masked() {
    for file in [EMAIL, "data:text/plain,Write to alice@example.com"] {
        for body in [
            json!({"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_data": file}}]}]}),
            json!({"input": [{"role": "user", "content": [{"type": "input_file", "file_data": file}]}]}),
        ] {
            let schema = if body.get("input").is_some() {
                Schema::Responses
            } else {
                Schema::ChatStyle
            };
            let expected = body.to_string().replace(EMAIL, "<MASK_EMAIL_1>");
            assert_eq!(masked(schema, &body.to_string()), expected);
        }
    }
}

#[test]
fn a_generic_body_keeps_what_the_provider_needs() {
    let body = json!({
        "contents": [{"role": "user", "parts": [
            {"text": "I am alice@example.com"},
            {"functionCall": {"name": "mail", "args": {"type": "person", "user_id": EMAIL}}},
            {"fileData": {"mimeType": "image/png", "fileUri": "https://files.example/f?token=hunter2-Kx9&sig=9f8e7d6c5b4a"}},
        ]}],
        "tools": [{"functionDeclarations": [{"name": "mail", "parameters":
            {"type": "OBJECT", "properties": {"to": {"type": "STRING", "enum": ["bob@example.com"]}}}}]}],
    });
    let body = body.to_string();
    let engine = Engine::new(Settings::default());
    let request = engine.request(Schema::Generic, body.clone().into_bytes());
    let mut request = request.expect("a request");
    // The file may be one that the model wrote.
    request.know_history(true);
    let sent = request
        .mask(&mut Session::new(), &NoMemory)
        .expect("masked");
    let sent = String::from_utf8(sent.body.into_bytes()).expect("UTF-8");
    assert_eq!(sent, body.replace(EMAIL, "<MASK_EMAIL_1>"));
}

/// A `data:` URL that is the whole of a text went to the provider in the clear.
#[test]
fn a_data_url_in_place_of_text_is_masked_inside() {
    let encoded = "d3JpdGUgdG8gYWxpY2VAZXhhbXBsZS5jb20=";
    let url = format!("data:text/plain;base64,{encoded}");
    let engine = Engine::new(Settings::default());
    for schema in [Schema::ChatStyle, Schema::MessagesStyle] {
        for content in [json!(url), json!([{"type": "text", "text": url}])] {
            let body = json!({"messages": [{"role": "user", "content": content}]}).to_string();
            let sent = masked_by(&engine, schema, &body);
            assert!(!sent.contains(encoded), "{sent}");
        }
    }
}
