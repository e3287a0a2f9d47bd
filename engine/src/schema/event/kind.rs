//! What tells the kind of an event.

use std::borrow::Cow;

use super::words;
use crate::Schema;
use crate::json::Value;

/// The format of an event: an event in another format than the route's is read in its own.
pub(super) fn format(schema: Schema, root: Value<'_>) -> Schema {
    let kind = root.member("type").map(Value::text).unwrap_or_default();
    if kind.starts_with("response.") {
        Schema::Responses
    } else if kind.starts_with("content_block_") || kind.starts_with("message_") {
        Schema::MessagesStyle
    } else if kind.is_empty() && root.member("choices").is_some() {
        Schema::ChatStyle
    } else {
        schema
    }
}

/// What kind of event it is: by its type, or else by its name.
pub(super) fn kind<'t>(format: Schema, name: Option<&'t str>, root: Value<'t>) -> Cow<'t, str> {
    let named = kind_of_name(name);
    let of = |member| root.member(member).filter(|kind| kind.is_string());
    if let Some(kind) = of("type") {
        return kind.text();
    }
    // Some servers name all their events the same, and say in the event or in its result what it is.
    let says_nothing = matches!(named, "" | "data");
    if format == Schema::Generic && says_nothing {
        let of_result = || {
            root.member("result")?
                .member("kind")
                .filter(|kind| kind.is_string())
        };
        let kind = of("event").or_else(|| of("kind")).or_else(of_result);
        let kind = kind.map(Value::text).or_else(|| kind_by_member(root));
        return kind.unwrap_or(Cow::Borrowed(named));
    }
    Cow::Borrowed(named)
}

/// The name of the only member, if that says what the event is: `{"contentBlockStop": {…}}`.
fn kind_by_member(root: Value<'_>) -> Option<Cow<'_, str>> {
    let mut members = root.members();
    let (name, member) = members.next()?;
    let is_kind = member.is_object() && members.next().is_none();
    Some(name.text()).filter(|name| is_kind && words::is_whole_event(name))
}

/// What the name of an event says about its kind. An event without a name is a `message`.
pub(super) fn kind_of_name(name: Option<&str>) -> &str {
    name.filter(|name| *name != "message").unwrap_or_default()
}
