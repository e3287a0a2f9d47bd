//! `chat_style` chunks.

use super::words::{is_reason, is_whole_event};
use super::{Known, Span, is_set};
use crate::json::Value;
use crate::schema::chat;

pub(super) fn read<'t>(kind: &str, root: Value<'t>) -> Known<'t> {
    let is_error = is_set(root.member("error"));
    Known {
        table: &chat::REPLY,
        outer: u32::MAX,
        is_whole: is_error || is_whole_event(kind),
        due: is_error.then_some(Span::ALL),
        begun: None,
    }
}

/// Whether a client would miss only pieces of calls if the chunk were dropped.
pub(super) fn has_no_other_news(root: Value<'_>) -> bool {
    let mut choices = root.member("choices").into_iter().flat_map(Value::elements);
    !is_set(root.member("usage"))
        && choices.all(|choice| {
            let delta = choice.member("delta");
            let reason = choice.member("finish_reason");
            !reason.is_some_and(|reason| is_reason("finish_reason", reason))
                && !is_set(choice.member("logprobs"))
                && delta.is_some_and(|delta| delta.members().all(is_no_news))
        })
}

/// Whether a member of a delta contains nothing for a client, except arguments.
fn is_no_news((key, value): (Value<'_>, Value<'_>)) -> bool {
    match &*key.text() {
        "tool_calls" => value.elements().all(|call| call.members().all(is_no_news)),
        "function_call" | "function" | "custom" => value.members().all(is_no_news),
        "role" | "index" | "type" => true,
        "arguments" | "input" if value.is_string() => true,
        _ => !is_set(Some(value)) || matches!(value.raw(), "\"\"" | "[]" | "{}"),
    }
}
