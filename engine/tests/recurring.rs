//! A value that was masked once is masked wherever it stands further on in the prompt.

#![allow(
    clippy::expect_used,
    reason = "a test stops where it finds something wrong"
)]

use engine::{Detectors, Engine, NoMemory, Operator, Schema, Session, Settings};
use serde_json::{Value, json};

const PASSWORD: &str = "Tr0ub0815dor-Kx9";

fn engine(operator: Operator) -> Engine {
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

/// What an agent sends once it has read a file and used a password from it.
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
fn a_password_from_a_file_is_masked_in_the_command_that_uses_it_and_in_its_output() {
    for operator in [Operator::Pseudonym { anchor: None }, Operator::Redact] {
        let engine = engine(operator);
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
fn a_longer_history_masks_what_came_before_as_it_did() {
    let engine = engine(Operator::Pseudonym { anchor: None });
    let alone = json!({"role": "user", "content": format!("what is {PASSWORD} for?")});
    let named =
        json!({"role": "user", "content": format!("password={PASSWORD}, and alone {PASSWORD}")});
    let short = masked(&engine, Schema::ChatStyle, &json!({"messages": [alone]}));
    let long = masked(
        &engine,
        Schema::ChatStyle,
        &json!({"messages": [alone, named, alone]}),
    );
    assert_eq!(short["messages"][0], long["messages"][0]);
    assert_eq!(
        long["messages"][1]["content"],
        "password=<MASK_SECRET_1>, and alone <MASK_SECRET_1>"
    );
    assert_eq!(
        long["messages"][2]["content"],
        "what is <MASK_SECRET_1> for?"
    );
}
