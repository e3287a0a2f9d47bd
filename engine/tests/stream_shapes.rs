//! Events that look like earlier ones are restored without being read: as if they were.

use crate::support;

use engine::Schema;
use serde_json::{Value, json};
use support::events::{EVENTS, data, tokens};
use support::random::{Random, seeds};
use support::{restore, restoring};

const TEXT: &str = "The order,\nof \"<MASK_EMAIL_1>\" and MASK_EMAIL_2, was 50% of Mia's < 7 & MASK_EMAIL_9 \\u00e9 é \
                    <MASK_SECRET_3> <MASK_EMAIL_1><MASK_EMAIL_2> 0A1B2C3D4E5F6071 MAS";

/// Streams of all kinds, and the same whose events have another number of spaces each, so that none looks like another.
#[test]
fn repeated_event_shapes_restore_like_varied_ones() {
    for seed in seeds(3_000) {
        let random = &mut Random::new(seed);
        let (schema, events) = events(random);
        let alike: String = events.iter().map(|event| written(event, "")).collect();
        let spaces = |at| " ".repeat(at);
        let unlike = events.iter().enumerate();
        let unlike: String = unlike
            .map(|(at, event)| written(event, &spaces(at)))
            .collect();
        let mut values = tokens();
        if random.one_in(3) {
            values["<MASK_PHONE_0A1B2C3D4E5F6071>"] = json!("+1 555");
        }
        let begin = restoring(schema, &values, "{}");
        let chunks = random.chunks(alike.as_bytes(), 400);
        let got = restore(begin.reply(Some(EVENTS)), &chunks);
        let expected = restore(begin.reply(Some(EVENTS)), &[unlike.as_bytes()]);
        let (got, expected) = (
            String::from_utf8_lossy(&got),
            String::from_utf8_lossy(&expected),
        );
        assert_eq!(data(&got), data(&expected), "SEED={seed} of {alike}");
    }
}

/// A string that came again in each event was restored only in the first.
#[test]
fn a_token_repeated_in_each_event_is_always_restored() {
    let event = |piece| json!({"note": "see <MASK_EMAIL_1>.", "choices": [{"index": 0, "delta": {"content": piece}}]});
    let sent: String = ["a", " b", " c"]
        .map(|piece| written(&event(piece), ""))
        .concat();
    let begin = restoring(Schema::ChatStyle, &tokens(), "{}");
    let got = restore(begin.reply(Some(EVENTS)), &[sent.as_bytes()]);
    for event in data(&String::from_utf8_lossy(&got)) {
        assert_eq!(event["note"], "see alice@example.com.");
    }
}

/// The places of a line with broken UTF-8 were taken from its mended text, where a build with checks of overflow panicked.
#[test]
fn lines_with_broken_utf8_are_restored() {
    let line = |piece: &[u8]| [b"{\"note\":\"n\",\"text\":\"", piece, b"\"}\n"].concat();
    let sent = [
        &b"one"[..],
        b"two \xff\xfe",
        b" <MASK_EMAIL_1> \xff",
        b"four",
        b" <MASK_EMAIL_1>",
    ];
    let sent = sent.map(line).concat();
    for kind in ["application/x-ndjson", "application/json"] {
        let begin = restoring(Schema::Generic, &tokens(), "{}");
        let got = restore(begin.reply(Some(kind)), &[&sent]);
        let got = String::from_utf8_lossy(&got);
        let count = |text| got.matches(text).count();
        assert_eq!(
            (count("alice@example.com"), count("MASK_")),
            (2, 0),
            "{got}"
        );
    }
}

fn written(event: &Value, spaces: &str) -> String {
    let event = event.to_string().replacen('{', &format!("{{{spaces}"), 1);
    format!("data: {event}\n\n")
}

/// The events of a stream that brings a text in pieces, and others with it.
fn events(random: &mut Random) -> (Schema, Vec<Value>) {
    let schema = *random.pick(&[
        Schema::ChatStyle,
        Schema::MessagesStyle,
        Schema::Responses,
        Schema::Generic,
    ]);
    let longest = *random.pick(&[3, 9, 20]);
    let pieces = random.pieces(TEXT, longest);
    let others = random.pieces(TEXT, longest);
    let (note, by_turns) = (random.below(7), random.below(3));
    let mut so_far = String::new();
    let events = pieces.iter().enumerate().map(|(at, piece)| {
        let other = others.get(at).map_or("", String::as_str);
        so_far += piece;
        let mut event = event(schema, piece, other, at, random.below(by_turns + 1));
        match note {
            0 => event["note"] = json!("always the same"),
            1 => event["note"] = json!("always <MASK_EMAIL_1> and"),
            2 => event["note"] = json!(other),
            3 => event["note"] = json!(so_far),
            4 => event["note"] = json!(format!("{:019}", at * 7919)),
            5 => event["created_at"] = json!(format!("2026-11-26T10:00:{at:02}Z")),
            _ => event["usage"] = json!({"completion_tokens": at, "of": ["text", null]}),
        }
        event
    });
    (schema, events.collect())
}

fn event(schema: Schema, piece: &str, other: &str, at: usize, turn: usize) -> Value {
    match schema {
        Schema::ChatStyle if turn == 2 => {
            json!({"id": "c", "created": at, "choices": [{"index": 0, "delta": {"reasoning_content": piece}}]})
        }
        Schema::ChatStyle => {
            json!({"id": "c", "created": at, "choices": [{"index": turn, "delta": {"content": piece}, "finish_reason": null}]})
        }
        Schema::MessagesStyle => {
            let (kind, name) = [
                ("text_delta", "text"),
                ("thinking_delta", "thinking"),
                ("text_delta", "text"),
            ][turn];
            json!({"type": "content_block_delta", "index": turn, "delta": {"type": kind, name: piece}})
        }
        Schema::Responses => {
            json!({"type": "response.output_text.delta", "sequence_number": at, "item_id": format!("i{turn}"),
                "output_index": turn, "content_index": 0, "delta": piece, "obfuscation": "x".repeat(at % 9)})
        }
        Schema::Generic => match turn {
            0 => json!({"text": piece, "seconds": at}),
            1 if at.is_multiple_of(3) => {
                json!({"part": {"index": format!("i{}", at % 2), "text": piece}})
            }
            1 => json!({"id": "e", "part": {"text": piece}, "more": other}),
            _ => json!({"message": {"content": piece}, "more": {"of": other, "done": false}}),
        },
    }
}
