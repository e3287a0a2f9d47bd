//! Items and messages that stand for what is elsewhere.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{named, place};
use crate::history::HistoryName;
use crate::json::{Kind, Value};

/// An item that the provider looks up by its id: a reference, or reasoning that it kept to itself.
pub(super) fn referred(item: Value<'_>) -> Option<HistoryName> {
    let kind = kind_of(item);
    let has_text = |name| {
        item.member(name)
            .is_some_and(|value| value.raw() != "null" && value.raw() != "[]")
    };
    let is_referred = match &*kind {
        "item_reference" => true,
        "reasoning" => !has_text("encrypted_content") && !has_text("content"),
        "image_generation_call" => !has_text("result"),
        "" => item.member("role").is_none(),
        _ => false,
    };
    if !is_referred {
        return bare(item);
    }
    named(item.member("id"))
}

/// An item or message that says nothing but which one it is: whoever answers it looks it up.
pub(super) fn bare(item: Value<'_>) -> Option<HistoryName> {
    let id = named(item.member("id"))?;
    is_bare(item).then_some(id)
}

fn is_bare(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Object => value
            .members()
            .all(|(key, value)| STRUCTURE.contains(&&*key.text()) || is_bare(value)),
        Kind::Array => value.elements().all(is_bare),
        _ => matches!(value.raw(), "null" | "\"\""),
    }
}

/// What tells the kind and the place of an item, and nothing of its content.
const STRUCTURE: [&str; 9] = [
    "call_id",
    "created_at",
    "id",
    "index",
    "object",
    "phase",
    "role",
    "status",
    "type",
];

/// Members that say where the calls stand which a request answers: some models number those anew in each reply.
const GOING_ON: [&str; 4] = [
    "conversation",
    "previous_interaction_id",
    "previous_response_id",
    "thread",
];

/// The calls and questions that a list's items answer and that stand neither there nor in history that has a name.
pub(super) fn answered(root: Value<'_>, list: Value<'_>) -> Vec<HistoryName> {
    let mut going_on = GOING_ON.iter().filter_map(|name| root.member(name));
    if going_on.any(|value| place(value).is_some()) {
        return Vec::new();
    }
    let ids: Vec<_> = list.elements().flat_map(answers).collect();
    if ids.is_empty() {
        return Vec::new();
    }
    let asked: HashSet<_> = list.elements().flat_map(asked).map(Value::text).collect();
    let elsewhere = ids.into_iter().map(Value::text);
    let elsewhere = elsewhere.filter(|id| !id.is_empty() && !asked.contains(id));
    elsewhere.map(|id| HistoryName::turn(&id)).collect()
}

/// The ids of the calls and questions that an item answers.
fn answers(item: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let of_item = match &*kind_of(item) {
        "mcp_approval_response" => item.member("approval_request_id"),
        kind if is_output(kind) => item.member("call_id"),
        _ => item.member("tool_call_id"),
    };
    let of_parts = parts(item).filter_map(|part| part.member("tool_use_id"));
    of_item.into_iter().chain(of_parts)
}

/// The ids of an item, and of the calls in it.
fn asked(item: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let call = item
        .member("call_id")
        .filter(|_| !is_output(&kind_of(item)));
    let calls = item.member("tool_calls").into_iter();
    let calls = calls.flat_map(Value::elements).chain(parts(item));
    let ids = std::iter::once(item).chain(calls);
    ids.filter_map(|object| object.member("id")).chain(call)
}

fn parts(item: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let content = item.member("content").into_iter();
    content.flat_map(Value::elements)
}

fn is_output(kind: &str) -> bool {
    kind.ends_with("_output")
}

fn kind_of(item: Value<'_>) -> Cow<'_, str> {
    item.member("type").map(Value::text).unwrap_or_default()
}
