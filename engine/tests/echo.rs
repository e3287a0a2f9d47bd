//! If a provider echoes a request, the client gets back what it wrote.

use engine::{Detectors, Engine, NoMemory, Schema, Session, Settings};
use serde_json::{Value, json};

/// Masks a chat with this one message, as written in JSON, and lets the provider echo the message
/// of the masked request.
fn echoed(message: &str) -> (String, String) {
    let engine = Engine::new(Settings {
        detectors: Detectors::built_in(),
        ..Settings::default()
    });
    let body = format!(r#"{{"messages":[{message}]}}"#);
    let request = engine.request(Schema::ChatStyle, body.into_bytes());
    let masked = request
        .expect("a request")
        .mask(&mut Session::new(), &NoMemory)
        .expect("masked");
    let sent = String::from_utf8(masked.body.into_bytes()).expect("UTF-8");
    let message = sent
        .strip_prefix(r#"{"messages":["#)
        .and_then(|rest| rest.strip_suffix("]}"))
        .expect("the frame stays")
        .to_owned();
    let mut reply_body = masked.restoring.reply(Some("application/json"));
    let mut out = Vec::new();
    let reply = format!(r#"{{"choices":[{{"message":{message}}}]}}"#);
    reply_body.push(reply.as_bytes(), &mut out);
    reply_body.finish(&mut out);
    let restored = String::from_utf8(out).expect("UTF-8");
    let restored = restored
        .strip_prefix(r#"{"choices":[{"message":"#)
        .and_then(|rest| rest.strip_suffix("}]}"))
        .expect("the frame stays");
    (message, restored.to_owned())
}

fn calling(arguments: &str) -> String {
    let function = json!({"name": "f", "arguments": arguments});
    json!({"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function}]})
        .to_string()
}

#[test]
fn a_lone_surrogate_in_a_value_does_not_come_back_as_another_character() {
    for (content, sent) in [
        (r#""DB_PASSWORD=Tr0ub\ud83d-Kx9""#, r"\ud83d"),
        (r#""DB_PASSWORD=Tr0ub\udc00\ud83d-Kx9""#, r"\udc00\ud83d"),
        (r#""{\"password\": \"Tr0ub\\ud83d-Kx9\"}""#, r"\\ud83d"),
    ] {
        let message = format!(r#"{{"role":"user","content":{content}}}"#);
        let (masked, restored) = echoed(&message);
        assert!(masked.contains(sent), "{masked}");
        assert!(
            !masked.contains("Tr0ub") && !masked.contains("Kx9"),
            "{masked}"
        );
        assert_eq!(restored, message);
    }
}

#[test]
fn truncated_arguments_echo_without_doubled_escapes() {
    for arguments in [
        r#"{"command": "mysql", "env": {"DB_PASSWORD": "Tr0ub\"dor\\Kx9"}, "cut"#,
        r#"{"key": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n", "cut"#,
        "{\"password\": \"Tr0ub4dor-Kx9\", \"tab\tbetween\": 1",
    ] {
        let message = calling(arguments);
        let (masked, restored) = echoed(&message);
        assert!(masked.contains("<MASK_"), "{masked}");
        assert!(
            !masked.contains("Tr0ub") && !masked.contains("MIIE"),
            "{masked}"
        );
        let answer = |message: &str| -> Value { serde_json::from_str(message).expect("JSON") };
        assert_eq!(answer(&restored), answer(&message));
    }
}

#[test]
fn a_value_in_truncated_arguments_shares_its_token() {
    let (masked, _) = echoed(&format!(
        r#"{{"role":"user","content":"DB_PASSWORD='Tr0ub\"dor-Kx9'"}},{}"#,
        calling(r#"{"DB_PASSWORD": "Tr0ub\"dor-Kx9", "cut"#)
    ));
    assert_eq!(masked.matches("<MASK_SECRET_1>").count(), 2, "{masked}");
    assert!(!masked.contains("_2>"), "{masked}");
}
