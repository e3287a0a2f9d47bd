//! Text that begins like JSON: masking, whole replies and streams agree on where JSON ends.

use crate::support;

use engine::{Engine, NoMemory, Restoring, Schema, Session, Settings};
use serde_json::{Value, json};
use support::random::{Random, seeds};
use support::{restore, restoring};

/// The text at a place of a reply that brings it whole.
fn whole(restoring: &Restoring, text: &str) -> String {
    let reply = json!({ "text": text }).to_string();
    let out = restore(
        restoring.reply(Some("application/json")),
        &[reply.as_bytes()],
    );
    let reply: Value = serde_json::from_slice(&out).expect("JSON");
    reply["text"].as_str().expect("a text").to_owned()
}

/// The same of a stream that brings it in pieces.
fn streamed(restoring: &Restoring, pieces: &[&str]) -> String {
    let events = pieces
        .iter()
        .map(|piece| format!("data: {}\n\n", json!({ "text": piece })));
    let sent: String = events.collect();
    let out = restore(
        restoring.reply(Some("text/event-stream")),
        &[sent.as_bytes()],
    );
    let out = String::from_utf8(out).expect("UTF-8");
    let events = out.lines().filter_map(|line| line.strip_prefix("data: "));
    events
        .map(|data| serde_json::from_str::<Value>(data).expect("JSON"))
        .map(|event| event["text"].as_str().expect("a text").to_owned())
        .collect()
}

fn tokens() -> Value {
    json!({
        "<MASK_EMAIL_1>": "alice@example.com",
        "<MASK_EMAIL_12>": "zoë@bücher.example",
        "<MASK_SECRET_2>": "pa\"ss\\wo\nrd",
        "<MASK_PHONE_0A1B2C3D4E5F6071>": "+1 555 0100",
    })
}

/// Prefixes are checked against whole texts at every place.
const TEXTS: &[&str] = &[
    r#"{"a": "<MASK_SECRET_2>", "b": ["<MASK_EMAIL_1>", 1]}"#,
    "{\"a\": \"<MASK_SECRET_2>\"}\n{\"b\": \"<MASK_SECRET_2>\"}\n",
    r#"{"a": "<MASK_SECRET_2>", "b": "cut <MASK_SECRET_2>"#,
    r#"{"a": "<MASK_SECRET_2>"} it says "<MASK_SECRET_2>" and MASK_SECRET_2"#,
    r#"["<MASK_SECRET_2>", 1] {"a": <MASK_EMAIL_1>, "b": "<MASK_SECRET_2>"}"#,
    r#"[1, null, "<MASK_SECRET_2>"]"#,
    r#"[1] as "<MASK_SECRET_2>" says"#,
    r#"[MASK_SECRET_2](mailto:<MASK_SECRET_2>) "MASK_SECRET_2""#,
    "\u{feff}{\"a\": \"<MASK_SECRET_2>\"}",
    r#"{"a": "{\"b\": \"<MASK_SECRET_2>\"}", "c": "{\"d\": \"<MASK_SECRET_2>\"} or <MASK_SECRET_2>"}"#,
    r#"{"a": "[\"<MASK_SECRET_2>\", \"cut <MASK_SECRET_2>"}"#,
    r#"{"a": "\u007b\u0022b\u0022: \"<MASK_SECRET_2>"}"#,
    r#"{"a": "\u00e9MASK_EMAIL_1 \ud83d\ude00MASK_EMAIL_1 \u5b9b\u5148MASK_EMAIL_12\u3067\u3059"}"#,
    r#"{"a": "\uff12MASK_EMAIL_1 MASK_EMAIL_1\uff12 MASK_EMAIL_1\ud835\udfcf \ud835\udfcfMASK_EMAIL_1 \ud83dMASK_EMAIL_1"}"#,
    r#"{"a": "\u003cMASK_SECRET_2\u003e \\u003cMASK_SECRET_2\\u003e \u00e9<MASK_EMAIL_1>\u00e9"}"#,
    r#"{"a": "C:\\<MASK_EMAIL_1>\\x MASK\\_EMAIL\\_12 \\u00e9MASK_EMAIL_1 \"MASK_EMAIL_1\" \/MASK_EMAIL_1\/"}"#,
    r#"{"a": "id 0A1B2C3D4E5F6071\u00e9 \u00e90A1B2C3D4E5F6071 \u00300A1B2C3D4E5F6071"}"#,
    r#"{"MASK_EMAIL_1": "\t_MASK_EMAIL_1_\n__MASK_EMAIL_12__ %3CMASK_SECRET_2%3E &lt;MASK_SECRET_2&gt;"}"#,
];

#[test]
fn json_like_texts_restore_alike_however_chunked() {
    let restoring = restoring(Schema::Generic, &tokens(), "{}");
    for text in TEXTS {
        let expected = whole(&restoring, text);
        let cuts: Vec<_> = (0..=text.len())
            .filter(|&at| text.is_char_boundary(at))
            .collect();
        for (place, &first) in cuts.iter().enumerate() {
            for &second in &cuts[place..] {
                let pieces = [&text[..first], &text[first..second], &text[second..]];
                let pieces: Vec<_> = pieces
                    .into_iter()
                    .filter(|piece| !piece.is_empty())
                    .collect();
                assert_eq!(streamed(&restoring, &pieces), expected, "{pieces:?}");
            }
        }
        let single: Vec<_> = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect();
        assert_eq!(streamed(&restoring, &single), expected, "{single:?}");
    }
}

/// Values in lines of JSON, and in JSON that was cut, were escaped twice in streams.
#[test]
fn values_are_escaped_only_inside_json_strings() {
    let restoring = restoring(Schema::Generic, &tokens(), "{}");
    let (plain, once) = ("pa\"ss\\wo\nrd", r#"pa\"ss\\wo\nrd"#);
    let twice = r#"pa\\\"ss\\\\wo\\nrd"#;
    for (text, value) in [
        ("{\"a\": 1}\n{\"b\": \"<MASK_SECRET_2>\"}", once),
        ("{\"b\": \"cut <MASK_SECRET_2>", once),
        ("{\"a\": <MASK_EMAIL_1>, \"b\": \"<MASK_SECRET_2>\"}", once),
        ("{\"a\": 1} is \"<MASK_SECRET_2>\"", plain),
        ("{\"a\": \"cut\nor \"<MASK_SECRET_2>", plain),
        ("[1] says \"<MASK_SECRET_2>\"", plain),
        (r#"{"a": "{\"b\": \"cut <MASK_SECRET_2>"#, twice),
        (r#"{"a": "{\"b\": 1} is <MASK_SECRET_2>"#, once),
    ] {
        let expected = text.replace("<MASK_EMAIL_1>", "alice@example.com");
        let expected = expected.replace("<MASK_SECRET_2>", value);
        assert_eq!(whole(&restoring, text), expected);
        assert_eq!(streamed(&restoring, &[text]), expected);
    }
}

/// How the strings of a text are written.
fn escaped(text: &str, levels: usize) -> String {
    (0..levels).fold(text.to_owned(), |text, _| {
        let quoted = json!(text).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    })
}

const VALUES: &[&str] = &[
    "hunter2-Kx9qZ\"7Lm",
    "C:\\keys\\tR7-qZ9",
    "alice@example.com",
    "tR7\nqZ9-pLw-44x",
    "pässwörd-Kx9-日本",
    "7Kx9\\\"qZ-pLm2\\n",
    "4539 1488 0343 6467",
];

/// A text whose JSON ends, is cut, or is followed by another text.
fn text(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(3) {
        let value = *random.pick(VALUES);
        text += &match random.below(4) {
            0 => format!("{{\"password\": \"{}\", \"n\": 1}}", escaped(value, 1)),
            1 => format!("[\"DB_PASSWORD={}\", null]", escaped(value, 1)),
            2 => format!(
                "{{\"log\": \"{{\\\"password\\\": \\\"{}\\\"}}\"}}",
                escaped(value, 2)
            ),
            _ => format!("{{\"mail\": \"{}\"}}", escaped(value, 1)),
        };
        text += *random.pick(&["\n", "\n", " ", ""]);
    }
    match random.below(4) {
        0 => {
            let cut = random.below(text.len());
            let cut = (cut..=text.len()).find(|&at| text.is_char_boundary(at));
            text.truncate(cut.expect("a boundary"));
        }
        1 => text += &format!("and the password is {} now", random.pick(VALUES)),
        _ => {}
    }
    text
}

/// The strings of a text that may not be JSON, without needless escapes.
fn normal(text: &str) -> String {
    text.replace("\\/", "/")
}

#[test]
fn masked_json_lines_and_fragments_round_trip() {
    let engine = Engine::new(Settings::default());
    let mut masked_any = 0;
    for seed in seeds(400) {
        let random = &mut Random::new(seed);
        let text = text(random);
        let request = json!({ "prompt": text }).to_string();
        let mut session = Session::new();
        let request = engine.request(Schema::Generic, request.into_bytes());
        let masked = request
            .expect("a request")
            .mask(&mut session, &NoMemory)
            .expect("masked");
        let body: Value = serde_json::from_slice(masked.body.as_bytes()).expect("JSON");
        let sent = body["prompt"].as_str().expect("a text");
        masked_any += usize::from(sent != text);
        let restoring = &masked.restoring;
        assert_eq!(
            normal(&whole(restoring, sent)),
            normal(&text),
            "seed {seed}\n{sent}"
        );
        let pieces = random.pieces(sent, 9);
        let pieces: Vec<_> = pieces.iter().map(String::as_str).collect();
        assert_eq!(
            normal(&streamed(restoring, &pieces)),
            normal(&text),
            "seed {seed}\n{sent}"
        );
    }
    assert!(masked_any > 300, "{masked_any}");
}

/// On paths of the generic schema a whole answer was text of unknown kind, and a streamed one prose.
#[test]
fn known_format_answers_are_prose_on_generic_paths() {
    let restoring = restoring(Schema::Generic, &tokens(), "{}");
    let text = r#"{"a": "<MASK_SECRET_2>"}"#;
    let expected = text.replace("<MASK_SECRET_2>", "pa\"ss\\wo\nrd");
    let restored = |kind: &str, sent: String| {
        let out = restore(restoring.reply(Some(kind)), &[sent.as_bytes()]);
        let out = String::from_utf8(out).expect("UTF-8");
        serde_json::from_str::<Value>(out.trim_start_matches("data: ").trim()).expect("JSON")
    };
    let whole = json!({"choices": [{"index": 0, "message": {"content": text}}]});
    let whole = restored("application/json", whole.to_string());
    assert_eq!(whole["choices"][0]["message"]["content"], expected);
    let chunk = json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    let chunk = restored("text/event-stream", format!("data: {chunk}\n\n"));
    assert_eq!(chunk["choices"][0]["delta"]["content"], expected);
    let content = json!([{"type": "output_text", "text": text}]);
    let output = json!([{"type": "message", "role": "assistant", "content": content}]);
    let whole = json!({"object": "response", "output": output});
    let whole = restored("application/json", whole.to_string());
    assert_eq!(whole["output"][0]["content"][0]["text"], expected);
}
