//! Single events, and synthesized ones.

use crate::Schema::{self, ChatStyle, MessagesStyle, Responses};
use crate::json::Tape;
use crate::schema::{Channel, EventState, Except, Last, Span, SyntheticEvent, event, synthesize};

/// Describes the events of a stream, one line per event.
///
/// Channels have letters in order of appearance. `+` begins a piece that is held back or collected,
/// `|` what is delivered before the event, `!` what ends with it, `×` an event that may be dropped;
/// other strings are shown as they are.
fn shown(schema: Schema, stream: &[&str]) -> Vec<String> {
    let mut state = EventState::default();
    let mut names: Vec<Channel> = Vec::new();
    let mut open: Vec<Channel> = Vec::new();
    let mut lines = Vec::new();
    for data in stream {
        let tape = Tape::scan(data, 256).unwrap();
        let map = event(schema, None, tape.root(data), &mut state);
        let mut line = Vec::new();
        open.retain(|&channel| {
            let has_piece = map.pieces.iter().any(|piece| piece.channel == channel);
            let goes = covers(&map.due, channel) || (!has_piece && covers(&map.ends, channel));
            if goes {
                line.push(format!("|{}", name(&mut names, channel)));
            }
            !goes
        });
        for piece in &map.pieces {
            let mark = if piece.ends { "!" } else { "" };
            line.push(format!("+{}{mark}", name(&mut names, piece.channel)));
            open.retain(|&channel| channel != piece.channel);
            if !piece.ends {
                open.push(piece.channel);
            }
        }
        if map.only_collected {
            line.push("×".to_owned());
        }
        let signs = map.signatures.iter().map(|(channel, _)| *channel);
        let signs = signs
            .filter(|channel| names.contains(channel))
            .collect::<Vec<_>>();
        line.extend(
            signs
                .iter()
                .map(|&channel| format!("signs {}", name(&mut names, channel))),
        );
        let leaves = map.reply.leaves.iter();
        line.extend(leaves.map(|leaf| leaf.value.text().into_owned()));
        lines.push(line.join(" "));
    }
    lines
}

fn covers(spans: &[Span], channel: Channel) -> bool {
    let covers = |span: &&Span| span.first <= channel && channel <= span.last;
    spans
        .iter()
        .any(|span| span.except != Except::Unfinished && covers(&span))
}

fn name(names: &mut Vec<Channel>, channel: Channel) -> char {
    let at = names.iter().position(|name| *name == channel);
    let at = at.unwrap_or_else(|| {
        names.push(channel);
        names.len() - 1
    });
    ('A'..='Z').nth(at).unwrap()
}

fn delta(delta: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#)
}

#[track_caller]
fn check(schema: Schema, events: &[(String, &str)]) {
    let stream: Vec<_> = events.iter().map(|(data, _)| data.as_str()).collect();
    let expected: Vec<_> = events.iter().map(|(_, line)| *line).collect();
    assert_eq!(shown(schema, &stream), expected);
}

#[test]
fn a_text_ends_when_its_choice_starts_another() {
    check(
        ChatStyle,
        &[
            (delta(r#"{"role":"assistant","content":""}"#), "assistant "),
            (delta(r#"{"reasoning":"a","content":""}"#), "+A "),
            (delta(r#"{"reasoning_content":"a"}"#), "+B"),
            (
                delta(r#"{"content":"a","reasoning_content":"b"}"#),
                "|A +C +B!",
            ),
            (
                r#"{"choices":[{"index":1,"delta":{"content":"a"}},{"index":0,"delta":{"refusal":"b"}}]}"#
                    .to_owned(),
                "+D +E",
            ),
            (
                delta(r#"{"content":"a","tool_calls":[{"index":0,"id":"i","function":{"name":"n","arguments":""}}]}"#),
                "|E +C! i n ",
            ),
            (
                r#"{"choices":[],"usage":{"total_tokens":1}}"#.to_owned(),
                "",
            ),
            (
                r#"{"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}"#.to_owned(),
                "|D stop",
            ),
        ],
    );
}

#[test]
fn the_last_content_event_carries_the_held_text() {
    check(
        ChatStyle,
        &[
            (delta(r#"{"content":"a"}"#), "+A"),
            (
                r#"{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}]}"#
                    .to_owned(),
                "+A! stop",
            ),
        ],
    );
}

fn head(index: &str, id: &str, arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).unwrap();
    let call =
        format!(r#"{{{index}"id":"{id}","function":{{"name":"n","arguments":{arguments}}}}}"#);
    delta(&format!(r#"{{"tool_calls":[{call}]}}"#))
}

#[test]
fn a_new_id_starts_a_call_regardless_of_index() {
    let tail = delta(r#"{"tool_calls":[{"function":{"arguments":"}"}}]}"#);
    check(
        ChatStyle,
        &[
            (head("", "i", "{"), "+A i n"),
            (tail.clone(), "+A ×"),
            (head("", "j", "{"), "+B j n"),
            (tail, "+B ×"),
        ],
    );
    check(
        ChatStyle,
        &[
            (head(r#""index":0,"#, "i", "{\"torn"), "+A i n"),
            (head(r#""index":0,"#, "j", "{"), "|A +A j n"),
        ],
    );
    let two = r#"{"tool_calls":[{"id":"i","function":{"arguments":"{}"}},{"id":"j","function":{"arguments":"[]"}}]}"#;
    check(ChatStyle, &[(delta(two), "+A +B i j")]);
}

#[test]
fn an_event_with_other_content_is_not_dropped() {
    let finished = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]},"finish_reason":"length"}]}"#;
    let counted = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}}],"usage":{"total_tokens":1}}"#;
    let signed = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"extra_content":{"x":"y"},"function":{"arguments":"{"}}]}}]}"#;
    for data in [finished, counted, signed] {
        assert!(!shown(ChatStyle, &[data])[0].contains('×'), "{data}");
    }
}

#[test]
fn blocks_end_at_stop_and_thinking_before_its_signature() {
    let block = |index: u32, kind: &str, rest: &str| {
        format!(r#"{{"type":"content_block_{kind}","index":{index}{rest}}}"#)
    };
    check(
        MessagesStyle,
        &[
            (
                block(
                    0,
                    "start",
                    r#","content_block":{"type":"thinking","thinking":"","signature":""}"#,
                ),
                "content_block_start thinking ",
            ),
            (
                block(
                    0,
                    "delta",
                    r#","delta":{"type":"thinking_delta","thinking":"a"}"#,
                ),
                "+A content_block_delta thinking_delta",
            ),
            (
                block(
                    0,
                    "delta",
                    r#","delta":{"type":"signature_delta","signature":"s"}"#,
                ),
                "|A signs A content_block_delta signature_delta",
            ),
            (
                block(1, "start", r#","content_block":{"type":"text","text":"a"}"#),
                "+B content_block_start text",
            ),
            (r#"{"type":"ping"}"#.to_owned(), "ping"),
            (
                block(
                    1,
                    "delta",
                    r#","delta":{"type":"citations_delta","citation":{"cited_text":"b"}}"#,
                ),
                "content_block_delta citations_delta b",
            ),
            (
                block(
                    2,
                    "delta",
                    r#","delta":{"type":"input_json_delta","partial_json":"{"}"#,
                ),
                "+C × content_block_delta input_json_delta",
            ),
            (block(1, "stop", ""), "|B content_block_stop"),
            (
                r#"{"type":"error","error":{"message":"c"}}"#.to_owned(),
                "|C error c",
            ),
        ],
    );
}

#[test]
fn an_items_texts_end_before_the_event_repeating_them() {
    let of = |kind: &str, rest: &str| {
        format!(r#"{{"type":"response.{kind}","output_index":1,"content_index":2{rest}}}"#)
    };
    check(
        Responses,
        &[
            (
                of(
                    "content_part.added",
                    r#","part":{"type":"output_text","text":"a"}"#,
                ),
                "+A response.content_part.added output_text",
            ),
            (
                of("output_text.delta", r#","delta":"b""#),
                "+A response.output_text.delta",
            ),
            (
                of(
                    "shell_call_output_content.delta",
                    r#","command_index":3,"delta":{"stdout":"c","stderr":"d"}"#,
                ),
                "+B +C response.shell_call_output_content.delta",
            ),
            (
                of(
                    "output_item.done",
                    r#","item":{"type":"message","content":"f"}"#,
                ),
                "|A |B |C response.output_item.done message f",
            ),
        ],
    );
}

/// The event that delivers more of the first piece of an event.
fn made(schema: Schema, name: Option<&str>, data: &str, written: &str) -> SyntheticEvent {
    let tape = Tape::scan(data, 256).unwrap();
    let root = tape.root(data);
    let mut state = EventState::default();
    let map = event(schema, name, root, &mut state);
    let piece = &map.pieces[0];
    let last = Last {
        name,
        root,
        piece: piece.value.start(),
    };
    let Some(next) = &piece.next else {
        return synthesize(schema, last, &state, written);
    };
    let tape = Tape::scan(&next.data, 256).unwrap();
    let last = Last {
        name: Some(&next.name),
        root: tape.root(&next.data),
        piece: next.piece,
    };
    synthesize(schema, last, &state, written)
}

#[test]
fn an_unknown_channel_reuses_its_last_event() {
    let delta =
        r#"{"type":"response.brand_new.delta","output_index":1,"delta":"a","sequence_number":7}"#;
    assert_eq!(
        made(Responses, Some("response.brand_new.delta"), delta, "b").data,
        delta.replace("\"a\"", "\"b\"")
    );
    let line = r#"{"model":"m","message":{"role":"assistant","content":"a"},"note":"n","done":false,"usage":{"n":1}}"#;
    assert_eq!(
        made(Schema::Generic, None, line, "b").data,
        r#"{"model":"m","message":{"role":"assistant","content":"b"},"done":false}"#
    );
    let chunk = r#"{"id":"c","choices":[{"index":1,"delta":{"role":"assistant","extra":{"note":"a"},"content":""}}],"usage":null}"#;
    assert_eq!(
        made(ChatStyle, None, chunk, "b").data,
        r#"{"id":"c","choices":[{"index":1,"delta":{"extra":{"note":"b"}}}],"usage":null}"#
    );
}

#[test]
fn a_synthetic_event_has_required_members_and_no_padding() {
    let made = |schema, name, data: &str| {
        let SyntheticEvent { name, data, .. } = made(schema, name, data, r#"\"\n"#);
        (name.unwrap_or_default(), data)
    };
    let chunk = "{\"id\":\"c\",\n \"object\":\"o\",\"created\":1.0,\"model\":\"m\",\"obfuscation\":\"x\",\"usage\":null,\
        \"choices\":[{\"index\":3,\"delta\":{\"content\":\"a\"},\"finish_reason\":null}]}";
    assert_eq!(
        made(ChatStyle, None, chunk).1,
        "{\"id\":\"c\",\"object\":\"o\",\"created\":1.0,\"model\":\"m\",\"usage\":null,\"choices\":[{\"index\":3,\
         \"delta\":{\"content\":\"\\\"\\n\"},\"finish_reason\":null}]}"
    );
    let block =
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"a"}}"#;
    let (name, data) = made(MessagesStyle, Some("content_block_delta"), block);
    assert_eq!(name, "content_block_delta");
    assert_eq!(data, block.replace("\"a\"", r#""\"\n""#));
    let part = r#"{"type":"response.content_part.added","item_id":"i","output_index":1,"content_index":2,
        "sequence_number":9,"part":{"type":"output_text","text":"a"}}"#;
    let (name, data) = made(Responses, Some("response.content_part.added"), part);
    assert_eq!(name, "response.output_text.delta");
    assert_eq!(
        data,
        "{\"type\":\"response.output_text.delta\",\"item_id\":\"i\",\
         \"output_index\":1,\"content_index\":2,\"sequence_number\":9,\"delta\":\"\\\"\\n\",\"logprobs\":[]}"
    );
}
