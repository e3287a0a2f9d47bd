//! Events that deliver what was held, made after the last event of the channel.

use super::ChannelKind::{
    ChatArguments, ChatContent, ChatFunctionCall, ChatInput, ChatReasoning, ChatReasoningContent,
    ChatReasoningDetail, ChatReasoningSummary, ChatRefusal, ChatText, ChatThinking, ChatTranscript,
    MessageInput, MessageText, MessageThinking, ShellStderr, ShellStdout,
};
use super::skeleton::Skeleton;
use super::{Channel, ChannelKind, EventState, format, number, responses};
use crate::Schema;
use crate::json::Value;

/// What a synthesized event has of the event that it follows.
#[derive(Debug, Default)]
struct Envelope {
    /// The value of the `event` field.
    name: Option<String>,
    /// The members that are copied, as they are written.
    members: String,
}

/// What goes into every chunk of a reply.
const CHUNK: &[&str] = &[
    "id",
    "object",
    "created",
    "model",
    "service_tier",
    "system_fingerprint",
];

/// What belongs to the one event: its type, which is written anew, its text, and padding.
const OF_THE_EVENT: &[&str] = &[
    "type",
    "delta",
    "obfuscation",
    "logprobs",
    "part",
    "command",
    "item",
    "response",
];

const SEQUENCE_NUMBER: &str = "sequence_number";

/// An event that was made.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Made {
    /// The value of its `event` field.
    pub(crate) name: Option<String>,
    /// Its data, on one line.
    pub(crate) data: String,
}

/// The last event of a channel, which the next one is made after.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Last<'t> {
    pub(crate) name: Option<&'t str>,
    pub(crate) root: Value<'t>,
    /// Where the channel's string begins in it.
    pub(crate) piece: usize,
}

/// An event that delivers a text on a channel. The text is as it is written between quotes.
pub(crate) fn synthesize(
    schema: Schema,
    channel: Channel,
    last: Last<'_>,
    state: &EventState,
    written: &str,
) -> Made {
    let format = format(schema, last.root);
    let ChannelKind::Place(_) = channel.kind else {
        let envelope = envelope(format, last.name, last.root, state);
        return of_kind(channel, &envelope, written);
    };
    let skeleton = Skeleton {
        piece: last.piece,
        written,
        least_number: state.least_number(),
        is_chunk: format == Schema::ChatStyle,
    };
    let mut data = String::new();
    skeleton.write(last.root, true, &mut data);
    Made {
        name: last.name.map(str::to_owned),
        data: one_line(&data),
    }
}

/// A line break can only be white space here, and would end the line of the event.
fn one_line(data: &str) -> String {
    data.replace(['\n', '\r'], " ")
}

/// Keeps what an event is copied from that follows this one, now that others may have come between.
///
/// The numbers of a stream must not fall, so it has at least that of the last one delivered.
fn envelope(format: Schema, name: Option<&str>, root: Value<'_>, state: &EventState) -> Envelope {
    let is_copied: fn(&str) -> bool = match format {
        Schema::ChatStyle => |name| CHUNK.contains(&name),
        Schema::MessagesStyle | Schema::Generic => |_| false,
        Schema::Responses => |name| !OF_THE_EVENT.contains(&name),
    };
    let least = state.least_number();
    let mut members = String::new();
    for (key, value) in root.members().filter(|(key, _)| is_copied(&key.text())) {
        members.push_str(key.raw());
        members.push(':');
        if key.is_text(SEQUENCE_NUMBER) && number(root, SEQUENCE_NUMBER) < Some(least) {
            members.push_str(&least.to_string());
        } else {
            members.push_str(value.raw());
        }
        members.push(',');
    }
    Envelope {
        name: name.map(str::to_owned),
        members: one_line(&members),
    }
}

fn of_kind(channel: Channel, envelope: &Envelope, written: &str) -> Made {
    let quoted = format!("\"{written}\"");
    if let Some(text) = chat_text(channel, &quoted) {
        return chunk(channel, envelope, &text);
    }
    match messages_delta(channel.kind, &quoted) {
        Some(delta) => block_delta(channel, &delta),
        None => response_delta(channel.kind, envelope, &quoted),
    }
}

/// The member of a choice that delivers a text.
fn chat_text(channel: Channel, text: &str) -> Option<String> {
    let index = channel.inner;
    let delta = match channel.kind {
        ChatText => return Some(format!(r#""text":{text}"#)),
        ChatReasoning => format!(r#""reasoning":{text}"#),
        ChatReasoningContent => format!(r#""reasoning_content":{text}"#),
        ChatReasoningDetail => format!(
            r#""reasoning_details":[{{"type":"reasoning.text","index":{index},"text":{text}}}]"#
        ),
        ChatReasoningSummary => format!(
            r#""reasoning_details":[{{"type":"reasoning.summary","index":{index},"summary":{text}}}]"#
        ),
        ChatThinking => format!(r#""thinking_blocks":[{{"type":"thinking","thinking":{text}}}]"#),
        ChatContent => format!(r#""content":{text}"#),
        ChatRefusal => format!(r#""refusal":{text}"#),
        ChatTranscript => format!(r#""audio":{{"transcript":{text}}}"#),
        ChatArguments => {
            format!(r#""tool_calls":[{{"index":{index},"function":{{"arguments":{text}}}}}]"#)
        }
        ChatInput => format!(r#""tool_calls":[{{"index":{index},"custom":{{"input":{text}}}}}]"#),
        ChatFunctionCall => format!(r#""function_call":{{"arguments":{text}}}"#),
        _ => return None,
    };
    Some(format!(r#""delta":{{{delta}}}"#))
}

fn chunk(channel: Channel, envelope: &Envelope, text: &str) -> Made {
    let (index, members) = (channel.outer, &envelope.members);
    Made {
        name: envelope.name.clone(),
        data: format!(
            "{{{members}\"choices\":[{{\"index\":{index},{text},\
             \"logprobs\":null,\"finish_reason\":null}}]}}"
        ),
    }
}

fn messages_delta(kind: ChannelKind, text: &str) -> Option<String> {
    Some(match kind {
        MessageText => format!(r#"{{"type":"text_delta","text":{text}}}"#),
        MessageThinking => format!(r#"{{"type":"thinking_delta","thinking":{text}}}"#),
        MessageInput => format!(r#"{{"type":"input_json_delta","partial_json":{text}}}"#),
        _ => return None,
    })
}

fn block_delta(channel: Channel, delta: &str) -> Made {
    let index = channel.outer;
    Made {
        name: Some("content_block_delta".to_owned()),
        data: format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#),
    }
}

fn response_delta(kind: ChannelKind, envelope: &Envelope, text: &str) -> Made {
    let members = &envelope.members;
    let name = responses::delta_type(kind).unwrap_or_default();
    let delta = match kind {
        ShellStdout => format!(r#"{{"stdout":{text}}}"#),
        ShellStderr => format!(r#"{{"stderr":{text}}}"#),
        _ => text.to_owned(),
    };
    // The official libraries take no text delta without it.
    let logprobs = if kind == ChannelKind::OutputText {
        ",\"logprobs\":[]"
    } else {
        ""
    };
    Made {
        data: format!("{{\"type\":\"{name}\",{members}\"delta\":{delta}{logprobs}}}"),
        name: Some(name),
    }
}
