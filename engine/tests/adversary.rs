//! Hostile bodies and streams, which must not leak, differ between chunkings, or take too long.

use crate::support;

use std::sync::Arc;
use std::time::Duration;

use engine::detect::DetectorSettings;
use engine::{
    Detectors, Engine, EntityType, Memory, NoMemory, Operator, Recall, Schema, Sensitive, Session,
    Settings, SignedBlock,
};
use serde_json::{Value, json};
use support::work::timed;
use support::{restore, restoring};

const SCHEMAS: [Schema; 3] = [Schema::ChatStyle, Schema::MessagesStyle, Schema::Responses];

fn mask_with(engine: &Engine, schema: Schema, body: &str) -> (String, engine::Restoring) {
    let mut request = engine
        .request(schema, body.as_bytes().to_vec())
        .expect("a request");
    request.know_history(true);
    let masked = request
        .mask(&mut Session::new(), &NoMemory)
        .expect("masked");
    let sent = String::from_utf8(masked.body.into_bytes()).expect("UTF-8");
    (sent, masked.restoring)
}

fn mask(schema: Schema, body: &str) -> String {
    mask_with(&Engine::new(Settings::default()), schema, body).0
}

/// The body's prompt in each format: `content` is JSON.
fn prompt(schema: Schema, content: &str) -> String {
    match schema {
        Schema::Responses => format!(r#"{{"input":[{{"role":"user","content":{content}}}]}}"#),
        _ => format!(r#"{{"messages":[{{"role":"user","content":{content}}}]}}"#),
    }
}

const MEGABYTE: usize = 1 << 20;

/// In a linear pass, four times the text takes four times as long. In a quadratic one, sixteen
/// times.
const GROWTH: u32 = 8;

/// What is quicker than this can't be compared: a clock that ticks every four milliseconds, and memory outside the
/// caches, count for more than the shape. A quadratic pass over a megabyte takes longer.
const AT_ONCE: Duration = Duration::from_millis(200);

#[test]
fn hostile_bodies_are_masked_in_linear_time() {
    let anchored = Settings {
        operator: Operator::Pseudonym {
            anchor: Some(Sensitive::new(b"anchor".to_vec())),
        },
        ..Settings::default()
    };
    let mut slow = Vec::new();
    for engine in [Engine::new(Settings::default()), Engine::new(anchored)] {
        let contents = contents(MEGABYTE / 4).into_iter().zip(contents(MEGABYTE));
        for ((name, quarter), (_, whole)) in contents {
            let is_slow = || {
                let times = times(&engine, &quarter)
                    .into_iter()
                    .zip(times(&engine, &whole));
                times
                    .into_iter()
                    .any(|(quarter, whole)| whole > quarter.max(AT_ONCE / GROWTH) * GROWTH)
            };
            // Other work on the machine may slow down one measurement, but not each of them.
            if (0..3).all(|_| is_slow()) {
                slow.push(name);
            }
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

/// How long a prompt takes to mask, and its reply to restore in each form.
fn times(engine: &Engine, content: &str) -> [Duration; 4] {
    let schema = Schema::ChatStyle;
    let body = prompt(schema, content);
    let ((sent, restoring), masked) = timed(|| mask_with(engine, schema, &body));
    let took = |kind, chunks: &[&[u8]]| {
        let (_, took) = timed(|| restore(restoring.reply(Some(kind)), chunks));
        took
    };
    let event = format!("data: {sent}\n\n");
    [
        masked,
        took("application/json", &[sent.as_bytes()]),
        took("text/plain", &[b"x", sent.as_bytes()]),
        took("text/event-stream", &[event.as_bytes()]),
    ]
}

fn contents(size: usize) -> Vec<(&'static str, String)> {
    let many = |unit: &str| unit.repeat(size / unit.len());
    let numbered = |make: &dyn Fn(usize) -> String, of: usize| -> String {
        (0..size / of).map(make).collect()
    };
    let object = |member: &str| format!("{{{}\"x\":0}}", many(member));
    let text = |text: String| Value::String(text).to_string();
    vec![
        (
            "addresses",
            text(numbered(&|n| format!("u{n}@example.com "), 20)),
        ),
        ("one address", text(many("u@example.com "))),
        (
            "addresses and one escape",
            text(numbered(&|n| format!("u{n}@example.com "), 20) + "\n"),
        ),
        ("prefixes", text(many("MASK_"))),
        (
            "prefixes, then digits",
            text("MASK_A_".repeat(size / 14) + &many("1")[..size / 2]),
        ),
        (
            "look-alikes",
            text(numbered(&|n| format!("MASK_A_{n} "), 14)),
        ),
        ("openers", text(many("<MASK_EMAIL_1"))),
        ("ids", text(many("0A1B2C3D4E5F6071 "))),
        ("one long run", text(many("A"))),
        ("escapes", format!("\"{}\"", many("\\u0041"))),
        (
            "escaped addresses",
            format!("\"{}\"", many("\\u0041b@example.com ")),
        ),
        ("members called value", object("\"value\":\"a\",")),
        ("members called data", object("\"data\":\"a\",")),
        (
            "members called text",
            format!("[{}]", object("\"text\":\"a\",")),
        ),
        (
            "members called thinking",
            format!(
                "[{{\"type\":\"thinking\",{}\"signature\":\"x\"}}]",
                many("\"thinking\":\"a\",")
            ),
        ),
        ("members called type", object("\"type\":\"a\",")),
        (
            "nested arrays",
            text(format!("{}{}", "[".repeat(250), "]".repeat(250)).repeat(size / 500)),
        ),
        ("brackets", text(many("["))),
        (
            "held objects",
            format!("[{}\"\"]", many("\"{\\\"a\\\":1}\",")),
        ),
        (
            "parts",
            format!("[{}\"\"]", many("{\"type\":\"text\",\"text\":\"a\"},")),
        ),
        ("flags", format!("[{}\"\"]", many("\"--a\","))),
        ("strings in strings", {
            let mut inner = json!({"a": "u@example.com"}).to_string();
            while inner.len() < size / 2 {
                inner = json!({ "a": inner, "b": "u@example.com" }).to_string();
            }
            text(inner)
        }),
    ]
}

/// Restores a reply under tokens whose values break JSON when they are not escaped.
fn restored(schema: Schema, kind: &str, reply: &str) -> String {
    let tokens = json!({"<MASK_SECRET_1>": "a\"b", "<MASK_EMAIL_2>": "alice@example.com"});
    let out = restore(
        restoring(schema, &tokens, "{}").reply(Some(kind)),
        &[reply.as_bytes()],
    );
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn json_like_text_restores_alike_in_deltas_and_whole() {
    let whole = r#"{"k":"<MASK_SECRET_1>"}"#;
    let plain = r#"{"k":"a"b"}"#;
    for (family, member) in [
        ("refusal", "refusal"),
        ("reasoning_text", "text"),
        ("reasoning_summary_text", "text"),
        ("some_new_text", "text"),
    ] {
        let delta = json!({"type": format!("response.{family}.delta"), "delta": whole});
        let done = json!({"type": format!("response.{family}.done"), member: whole});
        let out = restored(
            Schema::Responses,
            "text/event-stream",
            &format!("data: {delta}\n\ndata: {done}\n\n"),
        );
        let texts: Vec<Value> = out
            .lines()
            .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
            .collect();
        assert_eq!(texts[0]["delta"], plain, "{family}");
        assert_eq!(texts[1][member], plain, "{family}");
    }
    for (schema, reply, pointer) in [
        (
            Schema::ChatStyle,
            json!({"choices": [{"message": {"reasoning": whole}}]}),
            "/choices/0/message/reasoning",
        ),
        (
            Schema::ChatStyle,
            json!({"choices": [{"message": {"refusal": whole}}]}),
            "/choices/0/message/refusal",
        ),
        (
            Schema::MessagesStyle,
            json!({"content": [{"type": "thinking", "thinking": whole, "signature": "s"}]}),
            "/content/0/thinking",
        ),
        (
            Schema::Responses,
            json!({"output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": whole}]}]}),
            "/output/0/summary/0/text",
        ),
        (
            Schema::Responses,
            json!({"output": [{"type": "shell_call_output", "output": [{"stdout": whole}]}]}),
            "/output/0/output/0/stdout",
        ),
    ] {
        let out: Value =
            serde_json::from_str(&restored(schema, "application/json", &reply.to_string()))
                .expect("JSON");
        assert_eq!(out.pointer(pointer).expect("there"), plain, "{pointer}");
    }
}

#[test]
fn tool_declared_names_stay_in_string_arguments() {
    let arguments =
        json!({"a@b.example": "c@d.example", "e@f.example": {"a@b.example": 1}}).to_string();
    let parameters = json!({"type": "object", "properties": {"a@b.example": {"type": "string"}}});
    let tool = json!({"name": "f", "parameters": parameters});
    for (schema, body) in [
        (
            Schema::ChatStyle,
            json!({
                "messages": [{"role": "assistant", "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": arguments}}]}],
                "tools": [{"type": "function", "function": tool}],
            }),
        ),
        (
            Schema::Responses,
            json!({
                "input": [{"type": "function_call", "name": "f", "arguments": arguments}],
                "tools": [{"type": "function", "name": "f", "parameters": parameters}],
            }),
        ),
    ] {
        let sent = mask(schema, &body.to_string());
        assert_eq!(sent.matches("a@b.example").count(), 3, "{sent}");
        assert!(
            !sent.contains("c@d.example") && !sent.contains("e@f.example"),
            "{sent}"
        );
    }
}

#[test]
fn unknown_parts_are_masked_unless_signed_or_encoded() {
    for member in [
        r#""email_signature":"Best, alice@example.com""#,
        r#""signature":"alice@example.com""#,
        r#""encrypted_note":"not: alice@example.com""#,
        r#""media_type":"application/json","data":"{\"mail\":\"alice@example.com\"}""#,
    ] {
        for schema in SCHEMAS {
            for content in [
                format!("[{{\"type\":\"new\",{member}}}]"),
                format!("{{{member}}}"),
            ] {
                let sent = mask(schema, &prompt(schema, &content));
                assert!(!sent.contains("alice@example.com"), "{schema:?}: {sent}");
            }
        }
    }
}

#[test]
fn json_after_a_byte_order_mark_is_still_json() {
    let text = Value::String("\u{feff}{\"mail\":\"\\u0061lice\\u0040example.com\"}".to_owned())
        .to_string();
    for schema in SCHEMAS {
        let sent = mask(schema, &prompt(schema, &text));
        assert!(sent.contains("<MASK_EMAIL_1>"), "{sent}");
    }
}

#[test]
fn an_array_in_place_of_a_schema_is_masked() {
    let schema = json!({"type": "object", "properties": {"to": ["alice@example.com"]}});
    let body =
        json!({"messages": [], "tools": [{"name": "f", "input_schema": schema}]}).to_string();
    let sent = mask(Schema::MessagesStyle, &body);
    assert!(!sent.contains("alice@example.com"), "{sent}");
}

#[test]
fn the_kind_of_a_reply_without_content_type_does_not_depend_on_the_chunking() {
    let tokens = json!({"<MASK_SECRET_1>": "a\"b"});
    let restoring = restoring(Schema::ChatStyle, &tokens, "{}");
    for reply in [
        "data: {\"choices\":[{\"delta\":{\"content\":\"<MASK_SECRET_1>\"}}]}\n\n",
        "event: x\ndata: {\"a\":\"<MASK_SECRET_1>\"}\n\n",
        "\n: x\n\ndata: {\"a\":\"<MASK_SECRET_1>\"}\n\n",
        "dat <MASK_SECRET_1>",
        "even",
    ] {
        let whole = restore(restoring.reply(None), &[reply.as_bytes()]);
        let bytes: Vec<_> = reply.as_bytes().chunks(1).collect();
        support::assert_same(&whole, &restore(restoring.reply(None), &bytes), || {
            reply.to_owned()
        });
    }
}

#[test]
fn text_adjacent_to_a_value_echoes_exactly() {
    let settings = DetectorSettings {
        patterns: vec![(
            EntityType::parse("CODE").expect("a type"),
            "#[a-z]+#?[0-9]*é?".to_owned(),
        )],
        ..DetectorSettings::default()
    };
    let engine = Engine::new(Settings {
        detectors: Detectors::new(&settings).expect("detectors"),
        ..Settings::default()
    });
    for text in [
        "<alice@example.com>",
        "<<alice@example.com>>",
        "MASK_EMAIL_ alice@example.com 1 MASK_EMAIL_1",
        "<MASK_EMAIL_1 alice@example.com <MASK_EMAIL_1",
        "MASK_EMAIL_1@example.com alice@example.com",
        "alice@example.com &lt;MASK_EMAIL_1&gt; \\u003cMASK_EMAIL_1\\u003e",
        "alice@example.com #aéMASK_EMAIL_1",
        "alice@example.com MASK_EMAIL_1#a",
        "alice@example.com x#abMASK_EMAIL_1#ab",
    ] {
        for schema in SCHEMAS {
            let body = prompt(schema, &Value::String(text.to_owned()).to_string());
            let (sent, restoring) = mask_with(&engine, schema, &body);
            let echo = restore(
                restoring.reply(Some("application/json")),
                &[sent.as_bytes()],
            );
            assert_eq!(String::from_utf8_lossy(&echo), body, "{sent}");
        }
    }
}

/// Signed blocks of one session owner.
struct Owner(Memory);

impl Recall for Owner {
    fn recall(&self, signature: &str) -> Option<Arc<SignedBlock>> {
        self.0.recall("owner", signature)
    }
}

#[test]
fn ephemeral_turns_keep_their_prefix_and_signed_text() {
    let engine = Engine::new(Settings::default());
    let mut memory = Owner(Memory::new(100, 1 << 20));
    let mut turns =
        vec![json!({"role": "user", "content": "I am zoe@example.com, ask 10.20.30.40"})];
    let mut before = String::new();
    for turn in 0..6 {
        let body =
            json!({"messages": turns, "metadata": {"user_id": "meta@example.com"}}).to_string();
        let mut request = engine
            .request(Schema::MessagesStyle, body.into_bytes())
            .expect("a request");
        let mut session = request.history().recalled(&memory).expect("known history");
        request.know_history(true);
        let masked = request.mask(&mut session, &memory).expect("masked");
        let sent = String::from_utf8(masked.body.into_bytes()).expect("UTF-8");
        let messages = sent
            .split("],\"metadata\"")
            .next()
            .expect("messages")
            .to_owned();
        assert!(
            messages.starts_with(&before),
            "turn {turn}\n{before}\n{messages}"
        );
        before = messages;

        let thinking =
            format!("see <MASK_IP_ADDRESS_2>, self{turn}@example.com and <MASK_EMAIL_1>");
        let reply = json!({"content": [
            {"type": "thinking", "thinking": thinking, "signature": format!("sig{turn}")},
            {"type": "text", "text": format!("Hello <MASK_EMAIL_1> of new{turn}@example.com")},
        ]});
        let mut restorer = masked.restoring.reply(Some("application/json"));
        let mut out = Vec::new();
        restorer.push(reply.to_string().as_bytes(), &mut out);
        restorer.finish(&mut out);
        for block in restorer.take_signed_blocks() {
            memory.0.remember("owner", block);
        }
        for name in restorer.take_history_names() {
            let block = SignedBlock::of_history(&name, masked.restoring.session(), None);
            memory.0.remember("owner", block);
        }
        let reply: Value = serde_json::from_slice(&out).expect("JSON");
        turns.push(json!({"role": "assistant", "content": reply["content"]}));
        turns.push(
            json!({"role": "user", "content": format!("more{turn}@example.com zoe@example.com")}),
        );
        if turn > 0 {
            let signed = format!("see <MASK_IP_ADDRESS_2>, self{}@example.com", turn - 1);
            assert!(before.contains(&signed), "turn {turn}: {before}");
        }
    }
}
