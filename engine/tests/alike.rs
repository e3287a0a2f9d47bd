//! Events of the same shape, which are restored without parsing, must give the same result as
//! parsed events.

use crate::support;

use engine::Schema;
use support::events::{EVENTS, tokens};
use support::random::{Random, seeds};
use support::{assert_same, restore, restoring};

const SEEDS: u64 = 3000;

/// As written between quotes: tokens, parts of tokens, escapes, and invalid JSON.
const PIECES: &[&str] = &[
    "word ",
    "word ",
    "<MASK_EMAIL_1> ",
    " <MASK_SECRET_3>.",
    "MASK_EMAIL_2",
    "\\u003cMASK_EMAIL_1\\u003e",
    "\\n<MASK_EMAIL_1>\\n\\\"MASK_SECRET_3\\\"",
    "%3CMASK_EMAIL_2%3E ",
    "&lt;MASK_EMAIL_1&gt;",
    "**MASK_EMAIL_1** ",
    "<MASK_EMAIL_9>",
    "<MASK_",
    "EMAIL_1> ",
    "M",
    "<",
    "\\\\",
    "\\u00e9",
    "\\x <MASK_EMAIL_1> ",
    "\\u00 <MASK_EMAIL_1> ",
    "{\\\"a\\\": \\\"<MASK_SECRET_3>\\\"}",
    "\\ud83d\\ude00 <MASK_EMAIL_2> ",
    "",
];

/// The parts of the event before and after the piece.
const SHAPES: [(Schema, [&str; 2]); 4] = [
    (
        Schema::ChatStyle,
        [
            "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"",
            "\"}}]}\n\n",
        ],
    ),
    (
        Schema::MessagesStyle,
        [
            "data: {\"type\": \"content_block_delta\", \"index\": 0, \"delta\": {\"type\": \"text_delta\", \"text\": \"",
            "\"}}\n\n",
        ],
    ),
    (
        Schema::MessagesStyle,
        [
            "data: {\"type\": \"content_block_delta\", \"index\": 0, \"delta\": {\"type\": \"thinking_delta\", \"thinking\": \"",
            "\"}}\n\n",
        ],
    ),
    (
        Schema::Responses,
        [
            "data: {\"type\": \"response.output_text.delta\", \"item_id\": \"m\", \"output_index\": 0, \"content_index\": 0, \"delta\": \"",
            "\"}\n\n",
        ],
    ),
];

#[test]
fn repeated_event_shapes_restore_like_parsed_events() {
    for (schema, [before, behind]) in SHAPES {
        let restoring = restoring(schema, &tokens(), "{}");
        let restored = |stream: String| {
            let out = restore(restoring.reply(Some(EVENTS)), &[stream.as_bytes()]);
            String::from_utf8(out).expect("UTF-8")
        };
        for seed in seeds(SEEDS) {
            let random = &mut Random::new(seed);
            let pieces = (0..random.below(16)).map(|_| *random.pick(PIECES));
            let events: Vec<_> = pieces
                .map(|piece| format!("{before}{piece}{behind}"))
                .collect();
            // A different field makes each a different shape.
            let unlike = events.iter().enumerate();
            let unlike = unlike.map(|(number, event)| format!("id: {number}\n{event}"));
            let read = restored(unlike.collect());
            let lines = read.split_inclusive('\n');
            let read: String = lines.filter(|line| !line.starts_with("id: ")).collect();
            let alike = restored(events.concat());
            assert_same(read.as_bytes(), alike.as_bytes(), || {
                format!("seed {seed}, {events:?}")
            });
        }
    }
}
