//! Names and words of events that have the same meaning in every format.

use crate::json::Value;

/// Members that distinguish texts.
pub(super) const INDEXES: [&str; 6] = [
    OUTPUT_INDEX,
    "index",
    "content_index",
    "summary_index",
    "command_index",
    "contentBlockIndex",
];

/// If it is present, ids add nothing, and some servers change them.
pub(super) const OUTPUT_INDEX: &str = "output_index";

/// Members that do so, too. `id` does where none of the others is there.
#[rustfmt::skip]
pub(super) const IDS: [&str; 31] = [
    "agent", "agentId", "agentName", "agent_id", "agent_name", "artifactId", "artifact_id", "author", "from_variable_selector",
    "item_id", "jsonPath", "langgraph_node", "messageId", "message_id", "node", "nodeId", "node_id", "path", "runId",
    "run_id", "source", "speaker", "step_id", "stepId", "stepName", "step_name", "task_id", "taskId", "tool_call_id", "toolCallId", "toolUseId",
];

/// Lists of answers to one request: each ends for itself.
pub(super) const ANSWERS: [&str; 2] = ["choices", "candidates"];

/// Members that report on an answer: nothing below them is text.
#[rustfmt::skip]
pub(super) const REPORTS: [&str; 8] = [
    "moderation", "usage", "usageMetadata", "timings", "logprobs", "logprobsResult", "top_logprobs",
    "completion_probabilities",
];

/// Members that say why an answer ended.
#[rustfmt::skip]
const REASON: [&str; 5] = ["finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason"];

/// What is a reason, in lower case. Some servers have `""` or `"null"` in every chunk.
#[rustfmt::skip]
const REASONS: [&str; 69] = [
    "stop", "length", "tool_calls", "tool_call", "function_call", "content_filter", "end_turn", "max_tokens",
    "stop_sequence", "tool_use", "pause_turn", "refusal", "eos", "eos_token", "complete", "error", "abort",
    "cancelled", "safety", "recitation", "model_length", "insufficient_system_resource", "guardrail_intervened",
    "model_context_window_exceeded", "content_filtered", "timeout", "time_limit", "repetition", "malformed_function_call",
    "unexpected_tool_call", "too_many_tool_calls", "malformed_response", "missing_thought_signature", "language",
    "other", "blocklist", "prohibited_content", "spii", "image_safety", "image_prohibited_content", "image_other",
    "no_image", "aborted", "canceled", "completed", "done", "end", "end_of_text", "endoftext", "error_limit",
    "error_toxic", "failed", "finish", "finished", "image_recitation", "interrupted", "limit", "malformed_model_output",
    "malformed_tool_use", "max_output", "maximum_tokens", "model_armor", "network_error", "sensitive", "stopped",
    "token_limit", "user_cancel", "user_cancelled", "word",
];

/// Members that are `true` where something ends, in lower case, without `is` before them and signs between their words.
#[rustfmt::skip]
const FINAL_FLAGS: [&str; 15] = [
    "complete", "completed", "done", "end", "ended", "eos", "final", "finish", "finished", "generationcomplete",
    "last", "lastchunk", "stop", "stopped", "turncomplete",
];

/// Members that say how far something is.
const STATES: [&str; 4] = ["status", "state", "phase", "stage"];

/// What they say where it is over, in lower case.
#[rustfmt::skip]
const FINAL_STATES: [&str; 22] = [
    "aborted", "canceled", "cancelled", "closed", "complete", "completed", "done", "end", "ended", "error", "expired",
    "failed", "final", "finished", "incomplete", "input-required", "interrupted", "paused", "rejected", "stopped",
    "succeeded", "success",
];

/// Names of members whose strings are complete: words and names of a format, not text.
#[rustfmt::skip]
const WHOLE: [&str; 18] = [
    "type", "role", "status", "id", "object", "event", "name", "code", "provider", "service_tier", "timestamp",
    "created", "format", "language", "url", "uri", "level", "fingerprint",
];

/// Names of members that say what an event is or does. In some formats text streams in members of these names.
#[rustfmt::skip]
const LABELS: [&str; 13] = [
    "action", "channel", "jsonrpc", "kind", "method", "mode", "o", "op", "p", "phase", "stage", "state", "t",
];

/// What the names of such members end with.
#[rustfmt::skip]
const WHOLE_ENDINGS: [&str; 16] = [
    "_id", "-id", "Id", "ID", "_at", "At", "_reason", "Reason", "_type", "Type", "_url", "_name", "model", "Model",
    "ersion", "_fingerprint",
];

/// Endings of event types whose strings are complete: the event begins, ends or repeats texts.
#[rustfmt::skip]
const WHOLE_EVENTS: [&str; 36] = [
    "done", "complete", "completed", "created", "queued", "progress", "start", "started", "stop", "stopped",
    "end", "ended", "finish", "finished", "added", "failed", "incomplete", "error", "usage", "image",
    "abort", "aborted", "canceled", "cancelled", "close", "closed", "eos", "expired", "interrupted", "paused",
    "rejected", "replace", "succeeded", "terminated", "timeout", "tripwire",
];

/// The same where the event is about a call: it brings what that gave, and neither begins nor ends a text.
const RESULTS: [&str; 2] = ["available", "result"];

/// The same of their beginnings: `finish-step`.
const WHOLE_BEGINNINGS: [&str; 2] = ["finish", "start"];

/// Words of types for what an answer contains besides its text.
#[rustfmt::skip]
const PARTS: [&str; 13] = [
    "audio", "call", "data", "file", "image", "node", "reasoning", "search", "step", "task", "thinking", "tool",
    "tts",
];

/// Whether the index of an event counts tokens, as text-generation-inference does.
pub(super) fn counts_tokens(root: Value<'_>) -> bool {
    root.member("token").is_some()
}

/// Whether a member says for which reason an answer ended.
pub(super) fn is_reason(name: &str, value: Value<'_>) -> bool {
    REASON.contains(&name) && REASONS.contains(&value.text().to_ascii_lowercase().as_str())
}

/// Whether an event of no known type says that something is over: with a flag in it, or with the state of something.
pub(super) fn ends_something(event: Value<'_>) -> bool {
    has_final(event, 3, &|name, member| {
        is_final_flag(name, member)
            || STATES.contains(&name)
                && FINAL_STATES.contains(&member.text().to_ascii_lowercase().as_str())
    })
}

/// Whether an event says that its text is a piece. The event that repeats the whole text does not say so.
pub(super) fn is_piece(event: Value<'_>) -> bool {
    let partial = event.member("partial");
    partial.is_some_and(|partial| partial.raw() == "true")
}

/// Whether an event says with a flag that its text is over. text-generation-inference repeats all of it there.
pub(super) fn is_final(event: Value<'_>) -> bool {
    let has_all = || event.member("generated_text").is_some_and(Value::is_string);
    counts_tokens(event) && has_all() || has_final(event, 3, &is_final_flag)
}

fn has_final(object: Value<'_>, depth: usize, is_such: &impl Fn(&str, Value<'_>) -> bool) -> bool {
    depth > 0
        && object.members().any(|(key, member)| {
            is_such(&key.text(), member)
                || member.is_object() && has_final(member, depth - 1, is_such)
        })
}

fn is_final_flag(name: &str, member: Value<'_>) -> bool {
    member.raw() == "true" && {
        let name = name.to_ascii_lowercase().replace(['_', '-'], "");
        let name = name.strip_prefix("is").unwrap_or(&name);
        FINAL_FLAGS.contains(&name)
    }
}

/// Whether a member of this name distinguishes texts.
pub(super) fn distinguishes_texts(name: &str) -> bool {
    INDEXES.contains(&name) || IDS.contains(&name)
}

/// Whether a number of this name may do so.
pub(crate) fn names_text(name: &str) -> bool {
    distinguishes_texts(name) || name == "id"
}

/// Whether an object or a list of this name reports on an answer.
pub(crate) fn is_report(name: &str) -> bool {
    REPORTS.contains(&name)
}

/// Whether a string of this name says when an event was made, or by what.
pub(crate) fn is_stamp(name: &str) -> bool {
    const STAMPS: [&str; 3] = ["timestamp", "created", "fingerprint"];
    const ENDINGS: [&str; 3] = ["_at", "At", "_fingerprint"];
    STAMPS.contains(&name) || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether the strings of a member are whole by its name.
pub(super) fn is_whole(name: &str) -> bool {
    WHOLE.contains(&name) || WHOLE_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a member of this name says what an event is or does.
pub(super) fn is_label(name: &str) -> bool {
    LABELS.contains(&name)
}

/// Whether the strings of an event are whole by its type.
pub(super) fn is_whole_event(kind: &str) -> bool {
    let is_by_last = || WHOLE_EVENTS.contains(&last_word(kind).as_str());
    is_by_last()
        || is_result(kind)
        || has_whole_beginning(kind)
        || kind.ends_with("requires_action")
}

/// Whether an event brings by its type what a call gave: `tool-output-available`, `TOOL_CALL_RESULT`.
pub(super) fn is_result(kind: &str) -> bool {
    let is_of_call = || words(kind).any(|word| matches!(word.as_str(), "call" | "tool"));
    RESULTS.contains(&last_word(kind).as_str()) && is_of_call()
}

/// The words of a type, in lower case.
fn words(kind: &str) -> impl Iterator<Item = String> {
    let words = kind.split(|letter: char| !letter.is_ascii_alphabetic());
    words.map(str::to_ascii_lowercase)
}

fn has_whole_beginning(kind: &str) -> bool {
    let mut words = kind.split('-');
    words
        .next()
        .is_some_and(|first| WHOLE_BEGINNINGS.contains(&first))
        && words.next().is_some()
}

/// Whether an event is by its type about a part of an answer that may not be its text: `tool_end`, `message_file`.
pub(super) fn is_of_part(kind: &str) -> bool {
    words(kind).any(|word| PARTS.iter().any(|part| word.starts_with(part)))
}

/// Whether texts end before an event by its type.
pub(crate) fn ends_texts(kind: &str) -> bool {
    is_whole_event(kind) && !begins(kind) && !is_result(kind) && !is_of_part(kind)
}

/// Whether an event begins something by its type.
pub(super) fn begins(kind: &str) -> bool {
    const BEGINNINGS: [&str; 4] = ["start", "started", "added", "created"];
    BEGINNINGS.contains(&last_word(kind).as_str()) || kind.starts_with("start-")
}

/// The last word of a type, in lower case: `text-end`, `TEXT_MESSAGE_END`, `textEnd`.
fn last_word(kind: &str) -> String {
    let last = kind.rsplit(['.', '_', '-', ':']).next().unwrap_or(kind);
    let mut word = last;
    if last.contains(|letter: char| letter.is_ascii_lowercase())
        && let Some(capital) = last.rfind(|letter: char| letter.is_ascii_uppercase())
    {
        word = last.get(capital..).unwrap_or(last);
    }
    word.to_ascii_lowercase()
}
