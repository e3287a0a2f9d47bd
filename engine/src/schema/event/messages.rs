//! `messages_style` events.

use std::borrow::Cow;

use super::ChannelKind::{MessageInput, MessageText, MessageThinking};
use super::place::{Places, is_whole_event};
use super::{Channel, EventMap, Flow, Flush, is_set, number, says_something};
use crate::json::Value;
use crate::schema::rule::{
    Object,
    Rule::{Answer, Arguments, Object as Of, Opaque, Prose, Signed},
};
use crate::schema::{Form, messages};

static EVENT: Object = Object {
    members: &[
        ("message", Of(&messages::REPLY)),
        ("content_block", Of(&messages::BLOCK)),
        ("delta", Of(&DELTA)),
    ],
    ..Object::SETTINGS
};

static DELTA: Object = Object {
    members: &[
        ("text", Answer),
        ("thinking", Prose),
        ("partial_json", Arguments),
        ("signature", Opaque),
        ("citation", Of(&messages::CITATION)),
        // Of compaction: the whole text, which clients assign and don't append.
        ("content", Signed("signature")),
        ("encrypted_content", Opaque),
        ("stop_details", Of(&messages::STOP_DETAILS)),
    ],
    ..Object::SETTINGS
};

pub(super) fn read<'t>(name: Option<&str>, root: Value<'t>) -> EventMap<'t> {
    let mut map = EventMap::default();
    let index = number(root, "index").unwrap_or(0);
    match &*kind(name, root) {
        "message_start" | "message_stop" | "error" => map.flush_before.extend([Flush::All]),
        "content_block_start" => {
            map.flush_before.insert(Flush::Outer(index));
            if let Some(block) = root.member("content_block") {
                read_start(index, block, &mut map);
            }
        }
        "content_block_delta" => {
            if let Some(delta) = root.member("delta") {
                read_delta(index, delta, &mut map);
            }
        }
        "content_block_stop" => map.flush_before.extend([Flush::Outer(index)]),
        "message_delta" => {
            let delta = root.member("delta");
            if is_set(delta.and_then(|delta| delta.member("stop_reason"))) {
                map.flush_before.insert(Flush::All);
            }
        }
        _ => {}
    }
    let kind = kind(name, root);
    let places = streams(&kind, root).then(|| Places::of(root, &kind, index));
    map.read_rest(&Of(&EVENT), root, places.as_ref());
    map
}

/// Whether strings that are not known may be pieces of texts.
fn streams(kind: &str, root: Value<'_>) -> bool {
    const WHOLE: [&str; 3] = ["citations_delta", "compaction_delta", "signature_delta"];
    match kind {
        "message_delta" | "ping" => false,
        "content_block_delta" => {
            let of_delta = root.member("delta").and_then(|delta| delta.member("type"));
            !of_delta.is_some_and(|kind| WHOLE.contains(&&*kind.text()))
        }
        kind => !is_whole_event(kind),
    }
}

pub(super) fn kind<'t>(name: Option<&'t str>, root: Value<'t>) -> Cow<'t, str> {
    match root.member("type") {
        Some(kind) if kind.is_string() => kind.text(),
        _ => Cow::Borrowed(name.unwrap_or_default()),
    }
}

/// A block that begins with text begins its channel. One that is signed already is whole.
fn read_start<'t>(index: u32, block: Value<'t>, map: &mut EventMap<'t>) {
    let is = |kind: &str| {
        block
            .member("type")
            .is_some_and(|found| found.is_text(kind))
    };
    if is("text") {
        let channel = Channel::new(MessageText, index, 0);
        map.piece(channel, block.member("text"), Flow::HoldBack(Form::Answer));
    } else if is("thinking") && !block.member("signature").is_some_and(says_something) {
        let channel = Channel::new(MessageThinking, index, 0);
        map.piece(
            channel,
            block.member("thinking"),
            Flow::HoldBack(Form::Prose),
        );
    }
}

fn read_delta<'t>(index: u32, delta: Value<'t>, map: &mut EventMap<'t>) {
    let thinking = Channel::new(MessageThinking, index, 0);
    let kind = delta.member("type").map(Value::text).unwrap_or_default();
    match &*kind {
        "text_delta" => {
            let channel = Channel::new(MessageText, index, 0);
            map.piece(channel, delta.member("text"), Flow::HoldBack(Form::Answer));
        }
        "thinking_delta" => {
            map.piece(
                thinking,
                delta.member("thinking"),
                Flow::HoldBack(Form::Prose),
            );
        }
        "signature_delta" => {
            map.flush_before.insert(Flush::Channel(thinking));
            let signature = delta.member("signature");
            map.signature = signature.map(|signature| (thinking, signature));
        }
        "input_json_delta" => {
            let channel = Channel::new(MessageInput, index, 0);
            let flow = Flow::Collect(Form::Arguments);
            map.piece(channel, delta.member("partial_json"), flow);
            map.only_collected = !map.pieces.is_empty();
        }
        _ => {}
    }
}
