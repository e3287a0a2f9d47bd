//! The wire vectors that every host runs: `vectors/wire/exchanges.txt` lists them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{EntityType, Mapping, Schema, Sensitive, Session};
use serde_json::Value;

/// Sizes of the chunks in which replies arrive, in bytes.
pub const CHUNKS: [usize; 3] = [1, 7, 65536];

/// A request or a reply.
pub struct Vector {
    /// Its path among the examples.
    pub name: String,
    /// The wire format.
    pub schema: Schema,
    /// What is sent.
    pub text: String,
}

impl Vector {
    /// The content type of a reply.
    #[must_use]
    pub fn content_type(&self) -> &'static str {
        if self.has_extension("sse") {
            "text/event-stream"
        } else {
            "application/json"
        }
    }

    fn is_request(&self) -> bool {
        self.name.contains("/req.") || self.name.contains("/sink.request.")
    }

    fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.name).extension() == Some(extension.as_ref())
    }
}

/// The folder of the vectors.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/wire/examples")
}

/// The names of all vectors, in order.
#[must_use]
pub fn names() -> Vec<String> {
    let list = fs::read_to_string(folder().with_file_name("exchanges.txt")).expect("the list");
    list.lines().map(str::to_owned).collect()
}

/// Every request.
#[must_use]
pub fn requests() -> Vec<Vector> {
    all().filter(Vector::is_request).collect()
}

/// Every reply.
#[must_use]
pub fn replies() -> Vec<Vector> {
    all().filter(|vector| !vector.is_request()).collect()
}

/// Rules, each with a request and a reply, and what must and must not be in what they become.
#[must_use]
pub fn rules() -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/rules.json");
    let text = fs::read_to_string(file).expect("the vectors");
    serde_json::from_str(&text).expect("JSON")
}

/// The reply of rules, as the provider writes it, and its media type.
#[must_use]
pub fn reply_of(rules: &Value) -> (String, &'static str) {
    let Some(events) = rules["events"].as_array() else {
        return (rules["reply"].to_string(), "application/json");
    };
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    (events.collect::<Vec<_>>().concat(), "text/event-stream")
}

/// A session that issued the tokens of the replies.
#[must_use]
pub fn session() -> Session {
    let tokens = fs::read_to_string(folder().join("tokens.json")).expect("the token map");
    let tokens: Value = serde_json::from_str(&tokens).expect("JSON");
    let mut session = Session::new();
    for (token, value) in tokens.as_object().expect("a map") {
        let inner = token.trim_matches(['<', '>']).trim_start_matches("MASK_");
        let (entity, id) = inner.rsplit_once('_').expect("a token");
        let entity = EntityType::parse(entity).expect("a type");
        let value = Sensitive::new(value.as_str().expect("a string").to_owned());
        session.adopt(Arc::new(Mapping::new(entity, id, value)));
    }
    session
}

fn all() -> impl Iterator<Item = Vector> {
    names().into_iter().map(|name| {
        let schema = match name.split_once('/').expect("a folder").0 {
            "chat" => Schema::ChatStyle,
            "messages" => Schema::MessagesStyle,
            _ => Schema::Responses,
        };
        let text = fs::read_to_string(folder().join(&name)).expect("a vector");
        Vector { name, schema, text }
    })
}
