//! Items and messages that stand for content stored elsewhere.

use std::borrow::Cow;

use super::named;
use crate::history::HistoryName;
use crate::json::{Kind, Value};

/// An item that the provider looks up by its id: a reference, or reasoning that it did not return.
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

/// An item or message that only has an id: the provider looks it up.
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

/// The kind and place of an item, but not its content.
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

fn kind_of(item: Value<'_>) -> Cow<'_, str> {
    item.member("type").map(Value::text).unwrap_or_default()
}
