//! `messages_style` events.

use super::words::is_whole_event;
use super::{Begun, Known, Span, is_filled, is_set, number};
use crate::json::Value;
use crate::schema::messages;
use crate::schema::rule::{
    Object,
    Rule::{Answer, Arguments, Object as Of, Opaque, Signed},
};

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
        ("thinking", Signed("signature")),
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

pub(super) fn read<'t>(kind: &str, root: Value<'t>) -> Known<'t> {
    let outer = number(root, "index").unwrap_or(0);
    let of_delta = |name| root.member("delta").and_then(|delta| delta.member(name));
    let due = match kind {
        "message_start" | "message_stop" | "error" => Some(Span::ALL),
        "content_block_start" | "content_block_stop" => Some(Span::outer(outer)),
        "message_delta" if is_set(of_delta("stop_reason")) => Some(Span::ALL),
        _ => None,
    };
    let is_whole_delta =
        |kind: Value<'_>| ["citations_delta", "compaction_delta"].contains(&&*kind.text());
    Known {
        table: &EVENT,
        outer,
        is_whole: match kind {
            "message_delta" | "ping" => true,
            "content_block_delta" => of_delta("type").is_some_and(is_whole_delta),
            kind => is_whole_event(kind),
        },
        due,
        begun: root
            .member("content_block")
            .and_then(|block| begun(outer, block)),
    }
}

/// The text that a block begins with. One that is signed already is whole.
fn begun(index: u32, block: Value<'_>) -> Option<Begun<'_>> {
    let kind = block.member("type")?.text();
    let is_signed = || block.member("signature").is_some_and(is_filled);
    if kind != "text" && (kind != "thinking" || is_signed()) {
        return None;
    }
    Some(Begun {
        text: block.member(&kind).filter(|&text| is_filled(text))?,
        name: "content_block_delta".to_owned(),
        data: format!(
            r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"{kind}_delta","{kind}":""}}}}"#
        ),
    })
}
