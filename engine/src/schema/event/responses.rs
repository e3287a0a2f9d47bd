//! `responses` events.

use super::words::is_whole_event;
use super::{Begun, Known, Span, Stage, is_filled, number};
use crate::json::Value;
use crate::schema::responses;
use crate::schema::rule::{
    Object,
    Rule::{Answer, Arguments, Input, Object as Of, Opaque, Prose},
    Type,
};

static EVENT: Object = Object {
    members: &[
        ("response", Of(&responses::REPLY)),
        ("item", Of(&responses::ITEM)),
        ("part", Of(&responses::PART)),
        ("annotation", Of(&responses::ANNOTATION)),
        ("output", Of(&responses::SHELL_OUTPUT)),
        ("arguments", Arguments),
        ("delta", Prose),
        ("text", Prose),
        ("refusal", Prose),
        ("logprobs", Opaque),
        ("obfuscation", Opaque),
        ("partial_image_b64", Opaque),
    ],
    types: &[
        Type(&["response.output_text.done"], &[("text", Answer)]),
        Type(&["response.output_text.delta"], &[("delta", Answer)]),
        Type(
            &[
                "response.function_call_arguments.delta",
                "response.mcp_call_arguments.delta",
            ],
            &[("delta", Arguments)],
        ),
        Type(
            &[
                "response.custom_tool_call_input.delta",
                "response.code_interpreter_call_code.delta",
                "response.shell_call_command.delta",
            ],
            &[("delta", Input)],
        ),
        Type(
            &["response.shell_call_command.added"],
            &[("command", Input)],
        ),
        Type(
            &["response.shell_call_output_content.delta"],
            &[("delta", Of(&responses::SHELL_OUTPUT))],
        ),
        Type(&["response.audio.delta"], &[("delta", Opaque)]),
    ],
    ..Object::SETTINGS
};

/// The members that count inside of an item.
const PARTS: [&str; 3] = ["content_index", "summary_index", "command_index"];

pub(super) fn read<'t>(kind: &str, root: Value<'t>) -> Known<'t> {
    let outer = number(root, "output_index").unwrap_or(0);
    let part = PARTS.iter().find_map(|name| number(root, name));
    let is_of_all = kind == "error"
        || is_whole_event(kind)
            && kind
                .strip_prefix("response.")
                .is_some_and(|word| !word.contains('.'));
    let due = match kind {
        _ if is_of_all => Some(Span::ALL),
        // The event that repeats a text comes after all of it.
        kind => kind.strip_suffix(".done").map(|_| match part {
            Some(part) => Span::inner(outer, Stage::Other, part),
            None => Span::outer(outer),
        }),
    };
    Known {
        table: &EVENT,
        outer,
        is_whole: is_whole_event(kind),
        due,
        begun: begun(kind, root),
    }
}

/// The text that a part begins with.
fn begun<'t>(kind: &str, root: Value<'t>) -> Option<Begun<'t>> {
    let (family, text) = match kind {
        "response.content_part.added" | "response.reasoning_summary_part.added" => {
            let part = root.member("part")?;
            let (family, name) = match &*part.member("type")?.text() {
                "output_text" => ("output_text", "text"),
                "reasoning_text" => ("reasoning_text", "text"),
                "summary_text" => ("reasoning_summary_text", "text"),
                "refusal" => ("refusal", "refusal"),
                _ => return None,
            };
            (family, part.member(name)?)
        }
        "response.shell_call_command.added" => ("shell_call_command", root.member("command")?),
        _ => return None,
    };
    let name = format!("response.{family}.delta");
    let copied = ["item_id", "output_index"].iter().chain(&PARTS);
    let copied = copied.chain(&["sequence_number"]);
    let copied =
        copied.filter_map(|name| Some(format!("\"{name}\":{},", root.member(name)?.raw())));
    let copied: String = copied.collect();
    // The official libraries take no text delta without it.
    let logprobs = if family == "output_text" {
        ",\"logprobs\":[]"
    } else {
        ""
    };
    let data = format!("{{\"type\":\"{name}\",{copied}\"delta\":\"\"{logprobs}}}");
    Some(Begun {
        text: Some(text).filter(|&text| is_filled(text))?,
        name,
        data,
    })
}
