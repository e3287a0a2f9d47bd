//! Where the strings of an event stand, so that a text is known by its place alone.
//!
//! A place is the path of member names to a string, with the members that count (`index`, `item_id`, …)
//! in place of positions in lists, and the types on the way. What stands at one place of an event
//! continues what the last event had there (decisions, 7.6).

use std::hash::{DefaultHasher, Hash, Hasher};

use super::number;
use crate::json::{Kind, Value};

/// Members that tell one text from another. `id` does where none of the others is there.
const KEYS: [&str; 6] = [
    "index",
    "output_index",
    "content_index",
    "summary_index",
    "command_index",
    "item_id",
];

/// Lists of answers to one request: each ends for itself.
const ANSWERS: [&str; 2] = ["choices", "candidates"];

/// Members that say why an answer ended.
const REASON: [&str; 5] = [
    "finish_reason",
    "finishReason",
    "stop_reason",
    "stopReason",
    "done_reason",
];

/// What is a reason, in lower case. Some servers have `""` or `"null"` in every chunk.
#[rustfmt::skip]
const REASONS: [&str; 42] = [
    "stop", "length", "tool_calls", "tool_call", "function_call", "content_filter", "end_turn", "max_tokens",
    "stop_sequence", "tool_use", "pause_turn", "refusal", "eos", "eos_token", "complete", "error", "abort",
    "cancelled", "safety", "recitation", "model_length", "insufficient_system_resource", "guardrail_intervened",
    "model_context_window_exceeded", "content_filtered", "timeout", "time_limit", "repetition", "malformed_function_call",
    "unexpected_tool_call", "too_many_tool_calls", "malformed_response", "missing_thought_signature", "language",
    "other", "blocklist", "prohibited_content", "spii", "image_safety", "image_prohibited_content", "image_other",
    "no_image",
];

/// Names of members whose strings are whole: words and names of a format, not text.
#[rustfmt::skip]
const WHOLE: [&str; 18] = [
    "type", "role", "status", "id", "object", "event", "name", "code", "provider", "service_tier", "timestamp",
    "created", "format", "language", "url", "uri", "level", "fingerprint",
];

/// Members that report on an answer: nothing below them is text.
const REPORTS: [&str; 4] = ["moderation", "usage", "usageMetadata", "timings"];

/// What ends the type of an event whose strings are whole: it begins, ends or repeats texts.
#[rustfmt::skip]
const WHOLE_EVENTS: [&str; 20] = [
    "done", "complete", "completed", "created", "queued", "progress", "start", "started", "stop", "stopped",
    "end", "ended", "finish", "finished", "added", "failed", "incomplete", "error", "usage", "image",
];

/// A string at its place.
pub(super) struct Placed<'t> {
    pub(super) value: Value<'t>,
    /// The answer that it belongs to.
    pub(super) outer: u32,
    pub(super) place: u64,
}

/// The strings of an event that may be pieces of texts, and the answers that end with it.
#[derive(Default)]
pub(super) struct Places<'t> {
    /// In document order.
    pub(super) strings: Vec<Placed<'t>>,
    pub(super) ended: Vec<u32>,
}

impl<'t> Places<'t> {
    /// Reads an event. `outer` is the answer to which a text belongs that no list of answers holds.
    pub(super) fn of(root: Value<'t>, kind: &str, outer: u32) -> Self {
        let mut places = Self::default();
        let origin = origin(root, kind);
        if root.is_object() {
            places.object(root, &origin, outer);
        } else {
            places.value(root, "", origin, outer);
        }
        places
    }

    /// The string that begins here, if it may be a piece.
    pub(super) fn at(&self, start: usize) -> Option<&Placed<'t>> {
        let strings = &self.strings;
        let found = strings.binary_search_by_key(&start, |placed| placed.value.start());
        strings.get(found.ok()?)
    }

    fn value(&mut self, value: Value<'t>, name: &str, place: DefaultHasher, outer: u32) {
        match value.kind() {
            Kind::Object if REPORTS.contains(&name) => {}
            Kind::Object => self.object(value, &with_type(value, place), outer),
            Kind::Array => self.list(value, name, &place, outer),
            Kind::String if REASON.contains(&name) && is_reason(value) => self.ended.push(outer),
            Kind::String if !is_whole(name) => self.strings.push(Placed {
                value,
                outer,
                place: place.finish(),
            }),
            _ => {}
        }
    }

    fn object(&mut self, object: Value<'t>, place: &DefaultHasher, outer: u32) {
        for (key, member) in object.members() {
            let name = key.text();
            let mut place = place.clone();
            name.hash(&mut place);
            self.value(member, &name, place, outer);
        }
    }

    fn list(&mut self, list: Value<'t>, name: &str, place: &DefaultHasher, outer: u32) {
        let are_answers = ANSWERS.contains(&name);
        for (position, element) in (0_u32..).zip(list.elements()) {
            let outer = if are_answers {
                number(element, "index").unwrap_or(position)
            } else {
                outer
            };
            let mut place = place.clone();
            if add_keys(element, &mut place) {
                self.object(element, &place, outer);
            } else {
                position.hash(&mut place);
                self.value(element, name, place, outer);
            }
        }
    }
}

/// The place of a member of an event.
pub(super) fn of_member(root: Value<'_>, kind: &str, name: &str) -> u64 {
    let mut place = origin(root, kind);
    name.hash(&mut place);
    place.finish()
}

/// The place of the data of an event that is no JSON.
pub(super) fn of_text(name: &str) -> u64 {
    let mut place = DefaultHasher::new();
    name.hash(&mut place);
    place.finish()
}

fn origin(root: Value<'_>, kind: &str) -> DefaultHasher {
    let mut place = DefaultHasher::new();
    kind.hash(&mut place);
    // The id of a chunk is that of its reply, and some servers give each chunk its own.
    if !ANSWERS.iter().any(|name| root.member(name).is_some()) {
        add_keys(root, &mut place);
    }
    place
}

fn with_type(object: Value<'_>, mut place: DefaultHasher) -> DefaultHasher {
    if let Some(kind) = object.member("type") {
        kind.raw().hash(&mut place);
    }
    place
}

/// Adds the members that count, and says whether there are any.
fn add_keys(object: Value<'_>, place: &mut DefaultHasher) -> bool {
    let mut add = |name: &str| {
        let key = object.member(name);
        let key = key.filter(|key| matches!(key.kind(), Kind::String | Kind::Scalar));
        key.inspect(|key| (name, key.raw()).hash(place)).is_some()
    };
    let counted = KEYS.iter().filter(|name| add(name)).count();
    counted > 0 || add("id")
}

/// Whether a value is a reason for which an answer ended.
pub(super) fn is_reason(value: Value<'_>) -> bool {
    let reason = value.text().to_ascii_lowercase();
    REASONS.contains(&reason.as_str())
}

/// Whether the strings of a member are whole by its name.
pub(super) fn is_whole(name: &str) -> bool {
    let endings = [
        "_id",
        "-id",
        "Id",
        "ID",
        "_at",
        "At",
        "_reason",
        "Reason",
        "_type",
        "Type",
        "_url",
        "_name",
        "model",
        "Model",
        "ersion",
        "_fingerprint",
    ];
    WHOLE.contains(&name) || endings.iter().any(|ending| name.ends_with(ending))
}

/// Whether the strings of an event are whole by its type.
pub(super) fn is_whole_event(kind: &str) -> bool {
    let last = kind.rsplit(['.', '_', '-', ':']).next().unwrap_or(kind);
    WHOLE_EVENTS.contains(&last)
}
