//! `responses` events.

use super::ChannelKind::{
    Code, CustomInput, FunctionArguments, McpArguments, OutputText, Place, ReasoningSummary,
    ReasoningText, Refusal, ShellCommand, ShellStderr, ShellStdout, Transcript,
};
use super::messages::kind;
use super::place::{self, Places, is_whole_event};
use super::{Channel, ChannelKind, EventMap, Flow, Flush, number};
use crate::json::Value;
use crate::schema::rule::{
    Object,
    Rule::{Answer, Arguments, Object as Of, Opaque, Prose},
    Type::Settings,
};
use crate::schema::{Form, responses};

static EVENT: Object = Object {
    members: &[
        ("response", Of(&responses::REPLY)),
        ("item", Of(&responses::ITEM)),
        ("part", Of(&responses::PART)),
        ("annotation", Of(&responses::ANNOTATION)),
        ("output", Of(&responses::SHELL_OUTPUT)),
        ("arguments", Arguments),
        ("text", Prose),
        ("refusal", Prose),
        ("logprobs", Opaque),
        ("obfuscation", Opaque),
        ("partial_image_b64", Opaque),
    ],
    types: &[
        Settings(&["response.output_text.done"], &[("text", Answer)]),
        Settings(&["response.audio.delta"], &[("delta", Opaque)]),
    ],
    ..Object::SETTINGS
};

/// How the deltas of a type are put together.
struct Delta {
    kind: ChannelKind,
    /// The type of event without its `.delta`.
    family: &'static str,
    /// The member that counts inside the output item.
    inner: &'static str,
    flow: Flow,
}

const fn delta(kind: ChannelKind, family: &'static str, inner: &'static str, flow: Flow) -> Delta {
    Delta {
        kind,
        family,
        inner,
        flow,
    }
}

const ANSWER: Flow = Flow::HoldBack(Form::Answer);
const TEXT: Flow = Flow::HoldBack(Form::Prose);
const WHOLE: Flow = Flow::Collect(Form::Text);
const CALL: Flow = Flow::Collect(Form::Arguments);

#[rustfmt::skip]
static DELTAS: &[Delta] = &[
    delta(OutputText, "response.output_text", "content_index", ANSWER),
    delta(FunctionArguments, "response.function_call_arguments", "", CALL),
    delta(ReasoningSummary, "response.reasoning_summary_text", "summary_index", TEXT),
    delta(ReasoningText, "response.reasoning_text", "content_index", TEXT),
    delta(CustomInput, "response.custom_tool_call_input", "", WHOLE),
    delta(McpArguments, "response.mcp_call_arguments", "", CALL),
    delta(Refusal, "response.refusal", "content_index", TEXT),
    delta(Code, "response.code_interpreter_call_code", "", WHOLE),
    delta(ShellCommand, "response.shell_call_command", "command_index", WHOLE),
    delta(Transcript, "response.audio.transcript", "", TEXT),
    delta(ShellStdout, SHELL_OUTPUT, "command_index", TEXT),
    delta(ShellStderr, SHELL_OUTPUT, "command_index", TEXT),
];

const SHELL_OUTPUT: &str = "response.shell_call_output_content";

/// The texts of a content part.
const PART: &[ChannelKind] = &[OutputText, Refusal, ReasoningText];

pub(super) fn read<'t>(name: Option<&str>, root: Value<'t>) -> EventMap<'t> {
    let mut map = EventMap::default();
    let kind = kind(name, root);
    if let Some(family) = kind.strip_suffix(".delta") {
        read_delta(family, root, &mut map);
    } else if let Some(family) = kind.strip_suffix(".done") {
        read_done(family, root, &mut map);
    } else {
        read_other(&kind, root, &mut map);
    }
    let streams = !is_whole_event(&kind);
    let places = streams.then(|| Places::of(root, &kind, outer(root)));
    map.read_rest(&Of(&EVENT), root, places.as_ref());
    map
}

fn read_delta<'t>(family: &str, root: Value<'t>, map: &mut EventMap<'t>) {
    let text = root.member("delta");
    match family {
        "response.audio" => {}
        SHELL_OUTPUT => {
            let part = |name| text.and_then(|delta| delta.member(name));
            map.piece(channel(root, ShellStdout), part("stdout"), TEXT);
            map.piece(channel(root, ShellStderr), part("stderr"), TEXT);
        }
        family => {
            let Some(Delta { kind, flow, .. }) = DELTAS.iter().find(|delta| delta.family == family)
            else {
                return map.piece(unknown(root, family), text, TEXT);
            };
            map.piece(channel(root, *kind), text, *flow);
            map.only_collected = matches!(flow, Flow::Collect(_)) && !map.pieces.is_empty();
        }
    }
}

/// The event that repeats a text comes after all of it.
fn read_done<'t>(family: &str, root: Value<'t>, map: &mut EventMap<'t>) {
    let due = |kind| Flush::Channel(channel(root, kind));
    match family {
        "response.content_part" => map.flush_before.extend(PART.iter().copied().map(due)),
        "response.reasoning_summary_part" => map.flush_before.extend([due(ReasoningSummary)]),
        "response.output_item" => map.flush_before.extend([Flush::Outer(outer(root))]),
        family => {
            let ended = DELTAS.iter().filter(|delta| delta.family == family);
            map.flush_before.extend(ended.map(|delta| due(delta.kind)));
            map.flush_before
                .insert(Flush::Channel(unknown(root, family)));
        }
    }
}

fn read_other<'t>(kind: &str, root: Value<'t>, map: &mut EventMap<'t>) {
    let part = |name| root.member("part").and_then(|part| part.member(name));
    match kind {
        "response.content_part.added" => {
            let is_reasoning = part("type").is_some_and(|kind| kind.is_text("reasoning_text"));
            let (text, flow) = if is_reasoning {
                (ReasoningText, TEXT)
            } else {
                (OutputText, ANSWER)
            };
            map.piece(channel(root, text), part("text"), flow);
            map.piece(channel(root, Refusal), part("refusal"), TEXT);
        }
        "response.reasoning_summary_part.added" => {
            map.piece(channel(root, ReasoningSummary), part("text"), TEXT);
        }
        "response.shell_call_command.added" => {
            map.piece(channel(root, ShellCommand), root.member("command"), WHOLE);
        }
        "error"
        | "response.created"
        | "response.completed"
        | "response.failed"
        | "response.incomplete" => map.flush_before.extend([Flush::All]),
        _ => {}
    }
}

fn channel(root: Value<'_>, kind: ChannelKind) -> Channel {
    let inner = match DELTAS.iter().find(|delta| delta.kind == kind) {
        Some(delta) => number(root, delta.inner),
        None => ["content_index", "summary_index", "command_index"]
            .iter()
            .find_map(|name| number(root, name)),
    };
    Channel::new(kind, outer(root), inner.unwrap_or(0))
}

/// The channel of the `delta` of a family that is not known.
fn unknown(root: Value<'_>, family: &str) -> Channel {
    let place = place::of_member(root, &format!("{family}.delta"), "delta");
    Channel::new(Place(place), outer(root), 0)
}

fn outer(root: Value<'_>) -> u32 {
    number(root, "output_index").unwrap_or(0)
}

/// The type of the event that brings a piece of a channel; none when only the event knows.
pub(super) fn delta_type(kind: ChannelKind) -> Option<String> {
    let delta = DELTAS.iter().find(|delta| delta.kind == kind)?;
    Some(format!("{}.delta", delta.family))
}
