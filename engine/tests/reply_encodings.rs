//! Replies in other encodings, and with bytes of none.

use engine::{Engine, NoMemory, Restoring, Schema, Session, Settings};

const VALUE: &str = "jürgen@example.com";
const TOKEN: &str = "<MASK_EMAIL_1>";

fn restoring(schema: Schema) -> Restoring {
    let body = format!(r#"{{"messages": [{{"role": "user", "content": "{VALUE}"}}]}}"#);
    let request = Engine::new(Settings::default()).request(schema, body.into_bytes());
    let masked = request
        .expect("a request")
        .mask(&mut Session::new(), &NoMemory);
    masked.expect("masked").restoring
}

fn restored(schema: Schema, content_type: &str, reply: &[u8], size: usize) -> Vec<u8> {
    let mut restorer = restoring(schema).reply(Some(content_type));
    let mut out = Vec::new();
    for piece in reply.chunks(size) {
        restorer.push(piece, &mut out);
    }
    restorer.finish(&mut out);
    out
}

const BODIES: [(&str, &str); 4] = [
    (
        "application/json",
        r#"{"choices": [{"message": {"content": "aXü <MASK_EMAIL_1> 😀 X"}}]}"#,
    ),
    (
        "text/event-stream",
        "data: {\"choices\": [{\"delta\": {\"content\": \"aXü <MASK_EMAIL_1> X\"}}]}\n\ndata: {\"X\": \"<MASK_EMAIL_1>\"}\n\n",
    ),
    (
        "application/x-ndjson",
        "{\"response\": \"aX <MASK_EMAIL_1>\"}\n{\"done\": true, \"X\": 1}\n",
    ),
    ("text/plain", "X <MASK_EMAIL_1> X"),
];

/// In an event with a token they became U+FFFD.
#[test]
fn invalid_utf8_bytes_stay_unchanged() {
    for (content_type, body) in BODIES {
        for stray in [&b"\xff"[..], b"\xe9", b"\xf0\x9f", "\u{10ffe9}".as_bytes()] {
            let with = |text: &str| {
                let parts: Vec<_> = text.split('X').map(str::as_bytes).collect();
                parts.join(stray)
            };
            let expected = with(&body.replace(TOKEN, VALUE));
            for schema in [Schema::ChatStyle, Schema::Generic] {
                for size in [1, 3, 1000] {
                    let out = restored(schema, content_type, &with(body), size);
                    let (out, expected) = (out.escape_ascii(), expected.escape_ascii());
                    assert_eq!(out.to_string(), expected.to_string(), "{schema:?} {size}");
                }
            }
        }
    }
}

/// Their tokens stayed.
#[test]
fn replies_in_utf_16_are_restored() {
    for (content_type, body) in BODIES {
        for (charset, mark) in [("", "\u{feff}"), ("; charset=utf-16le", "")] {
            let wide = |text: &str| -> Vec<u8> {
                let units = mark.encode_utf16().chain(text.encode_utf16());
                units.flat_map(u16::to_le_bytes).collect()
            };
            let content_type = format!("{content_type}{charset}");
            for size in [1, 5, 1000] {
                let out = restored(Schema::ChatStyle, &content_type, &wide(body), size);
                let expected = wide(&body.replace(TOKEN, VALUE));
                let text = String::from_utf8_lossy(&out).into_owned();
                assert_eq!(out, expected, "{content_type} {size}: {text}");
            }
        }
    }
}
