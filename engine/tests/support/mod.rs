//! Shared by the wire format tests: the example files, and what a client makes of a stream.

pub(crate) mod accumulate;
pub(crate) mod events;
pub(crate) mod found;
pub(crate) mod marked;
pub(crate) mod random;
pub(crate) mod strong;
pub(crate) mod unnamed;
pub(crate) mod work;

use std::path::PathBuf;

use engine::{
    Engine, EntityType, Mapping, NoMemory, Restorer, Restoring, Schema, Sensitive, Session,
    Settings,
};
use serde_json::Value;

pub(crate) const SCHEMAS: [(Schema, &str); 3] = [
    (Schema::ChatStyle, "chat"),
    (Schema::MessagesStyle, "messages"),
    (Schema::Responses, "responses"),
];

pub(crate) fn examples() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/vectors/wire/examples"
    ))
}

pub(crate) fn read(path: &str) -> Vec<u8> {
    let path = examples().join(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn read_json(path: &str) -> Value {
    serde_json::from_slice(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The example files of a format whose names begin and end like this, without their endings,
/// sorted.
pub(crate) fn names(format: &str, start: &str, end: &str) -> Vec<String> {
    let files = std::fs::read_dir(examples().join(format)).expect("the format has examples");
    let names = files.map(|file| {
        file.expect("a file")
            .file_name()
            .into_string()
            .expect("UTF-8")
    });
    let mut names: Vec<_> = names
        .filter(|name| name.starts_with(start) && name.ends_with(end) && !name.contains("expect"))
        .map(|name| name.strip_suffix(end).expect("checked").to_owned())
        .collect();
    names.sort();
    assert!(!names.is_empty(), "no {start}*{end} of {format}");
    names
}

/// A session that issued these tokens.
pub(crate) fn session(tokens: &Value) -> Session {
    let mut session = Session::new();
    for (token, value) in tokens.as_object().expect("an object of tokens") {
        let core = token.trim_matches(['<', '>']);
        let (entity, id) = core["MASK_".len()..].rsplit_once('_').expect("type and id");
        let entity = EntityType::parse(entity).expect("a type");
        let value = Sensitive::new(value.as_str().expect("a value").to_owned());
        assert!(session.adopt(Mapping::new(entity, id, value).into()));
    }
    session
}

/// Restores the replies to a request that issued these tokens.
pub(crate) fn restoring(schema: Schema, tokens: &Value, request: &str) -> Restoring {
    let engine = Engine::new(Settings::default());
    let request = engine
        .request(schema, request.as_bytes().to_vec())
        .expect("a request");
    request
        .mask(&mut session(tokens), &NoMemory)
        .expect("masked")
        .restoring
}

/// Restores a reply that arrives in these chunks.
pub(crate) fn restore(mut restorer: Restorer, chunks: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in chunks {
        restorer.push(chunk, &mut out);
    }
    restorer.finish(&mut out);
    out
}

/// Asserts that everything expected is there. Null and empty equal missing, as for an SDK's types.
pub(crate) fn assert_agrees(expected: &Value, actual: &Value, place: &str) {
    let is_nothing = |value: &Value| {
        value.is_null() || value == &Value::Array(vec![]) || value.as_str() == Some("")
    };
    match (expected, actual) {
        (expected, actual) if is_nothing(expected) && is_nothing(actual) => {}
        (Value::Object(expected), Value::Object(actual)) => {
            for (name, value) in expected {
                if name == "expires_at" || name == "usage" {
                    continue;
                }
                let actual = actual.get(name).unwrap_or(&Value::Null);
                assert_agrees(value, actual, &format!("{place}.{name}"));
            }
        }
        (Value::Array(expected), Value::Array(actual)) => {
            assert_eq!(expected.len(), actual.len(), "{place}: length");
            for (at, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                assert_agrees(expected, actual, &format!("{place}[{at}]"));
            }
        }
        (Value::Number(expected), Value::Number(actual)) => {
            assert_eq!(expected.as_f64(), actual.as_f64(), "{place}");
        }
        _ => assert_eq!(expected, actual, "{place}"),
    }
}

/// Asserts that two outputs are the same bytes, and shows where they part.
pub(crate) fn assert_same(expected: &[u8], actual: &[u8], place: impl FnOnce() -> String) {
    if expected == actual {
        return;
    }
    let at = expected
        .iter()
        .zip(actual)
        .take_while(|(a, b)| a == b)
        .count();
    let around = |bytes: &[u8]| {
        let end = bytes.len().min(at + 120);
        String::from_utf8_lossy(&bytes[at.saturating_sub(120).min(end)..end]).into_owned()
    };
    panic!(
        "{}: at byte {at}\nexpected {:?}\n  actual {:?}",
        place(),
        around(expected),
        around(actual)
    );
}
