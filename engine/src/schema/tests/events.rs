//! What single events say, and events that are made.

use crate::Schema::{self, ChatStyle, MessagesStyle, Responses};
use crate::json::Tape;
use crate::schema::{Channel, EventState, Flush, Last, Made, event, synthesize};

/// What the events of a stream say, one line an event.
///
/// `+` begins a piece that is held back or collected, `|` what goes out before the event, `!` what
/// ends with it, `×` an event that may be dropped; other strings stand as they are.
fn told(schema: Schema, stream: &[&str]) -> Vec<String> {
    let mut state = EventState::default();
    let mut open: Vec<Channel> = Vec::new();
    let mut lines = Vec::new();
    for data in stream {
        let tape = Tape::scan(data, 256).unwrap();
        let map = event(schema, None, tape.root(data), &mut state);
        let mut line = Vec::new();
        open.retain(|&channel| {
            let has_piece = map.pieces.iter().any(|piece| piece.channel == channel);
            let goes = Flush::any_covers(&map.flush_before, channel)
                || (!has_piece && Flush::any_covers(&map.ends, channel));
            if goes {
                line.push(format!("|{}", name(channel)));
            }
            !goes
        });
        for piece in &map.pieces {
            let ends = Flush::any_covers(&map.ends, piece.channel);
            let mark = if ends { "!" } else { "" };
            line.push(format!("+{}{mark}", name(piece.channel)));
            open.retain(|&channel| channel != piece.channel);
            if !ends {
                open.push(piece.channel);
            }
        }
        if map.only_collected {
            line.push("×".to_owned());
        }
        if let Some((channel, _)) = map.signature {
            line.push(format!("signs {}", name(channel)));
        }
        line.extend(
            map.reply
                .leaves
                .iter()
                .map(|leaf| leaf.value.text().into_owned()),
        );
        lines.push(line.join(" "));
    }
    lines
}

fn name(channel: Channel) -> String {
    if channel.is_place() {
        return "Place".to_owned();
    }
    format!("{:?}{}.{}", channel.kind, channel.outer, channel.inner)
}

fn delta(delta: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#)
}

#[track_caller]
fn check(schema: Schema, events: &[(String, &str)]) {
    let stream: Vec<_> = events.iter().map(|(data, _)| data.as_str()).collect();
    let expected: Vec<_> = events.iter().map(|(_, line)| *line).collect();
    assert_eq!(told(schema, &stream), expected);
}

#[test]
fn a_text_ends_where_another_begins_in_its_choice() {
    check(
        ChatStyle,
        &[
            (delta(r#"{"role":"assistant","content":""}"#), "assistant "),
            (delta(r#"{"reasoning":"a","content":""}"#), "+ChatReasoning0.0 "),
            (delta(r#"{"reasoning_content":"a"}"#), "+ChatReasoningContent0.0"),
            (
                delta(r#"{"content":"a","reasoning_content":"b"}"#),
                "|ChatReasoning0.0 +ChatContent0.0 +ChatReasoningContent0.0!",
            ),
            (
                r#"{"choices":[{"index":1,"delta":{"content":"a"}},{"index":0,"delta":{"refusal":"b"}}]}"#
                    .to_owned(),
                "+ChatContent1.0 +ChatRefusal0.0",
            ),
            (
                delta(r#"{"content":"a","tool_calls":[{"index":0,"id":"i","function":{"name":"n","arguments":""}}]}"#),
                "|ChatRefusal0.0 +ChatContent0.0! i n ",
            ),
            (
                r#"{"choices":[],"usage":{"total_tokens":1}}"#.to_owned(),
                "",
            ),
            (
                r#"{"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}"#.to_owned(),
                "|ChatContent1.0 stop",
            ),
        ],
    );
}

#[test]
fn the_last_content_takes_what_is_held_with_it() {
    check(
        ChatStyle,
        &[
            (delta(r#"{"content":"a"}"#), "+ChatContent0.0"),
            (
                r#"{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}]}"#
                    .to_owned(),
                "+ChatContent0.0! stop",
            ),
        ],
    );
}

fn call(index: u32, arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).unwrap();
    delta(&format!(
        r#"{{"tool_calls":[{{"index":{index},"function":{{"arguments":{arguments}}}}}]}}"#
    ))
}

fn head(index: &str, id: &str, arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).unwrap();
    let call =
        format!(r#"{{{index}"id":"{id}","function":{{"name":"n","arguments":{arguments}}}}}"#);
    delta(&format!(r#"{{"tool_calls":[{call}]}}"#))
}

#[test]
fn arguments_are_delivered_where_they_are_complete() {
    check(
        ChatStyle,
        &[
            (head(r#""index":0,"#, "i", ""), "i n "),
            (call(0, "{\"a\":"), "+ChatArguments0.0 ×"),
            (call(0, "\"}\""), "+ChatArguments0.0 ×"),
            (call(0, "}"), "+ChatArguments0.0! ×"),
            (call(0, "\n"), "+Place"),
            (head(r#""index":1,"#, "j", "{}"), "+ChatArguments0.1! j n"),
        ],
    );
}

#[test]
fn interleaved_arguments_are_not_torn() {
    check(
        ChatStyle,
        &[
            (head(r#""index":0,"#, "i", "{"), "+ChatArguments0.0 i n"),
            (head(r#""index":1,"#, "j", "{"), "+ChatArguments0.1 j n"),
            (call(0, "\"a\":1"), "+ChatArguments0.0 ×"),
            (call(1, "\"b\":1"), "+ChatArguments0.1 ×"),
            (call(0, "}"), "+ChatArguments0.0! ×"),
            (
                r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#.to_owned(),
                "|ChatArguments0.1 length",
            ),
        ],
    );
}

#[test]
fn a_new_id_begins_a_call_also_without_an_index_or_with_the_same() {
    let tail = delta(r#"{"tool_calls":[{"function":{"arguments":"}"}}]}"#);
    check(
        ChatStyle,
        &[
            (head("", "i", "{"), "+ChatArguments0.0 i n"),
            (tail.clone(), "+ChatArguments0.0! ×"),
            (head("", "j", "{"), "+ChatArguments0.1 j n"),
            (tail, "+ChatArguments0.1! ×"),
        ],
    );
    check(
        ChatStyle,
        &[
            (
                head(r#""index":0,"#, "i", "{\"torn"),
                "+ChatArguments0.0 i n",
            ),
            (
                head(r#""index":0,"#, "j", "{"),
                "|ChatArguments0.0 +ChatArguments0.0 j n",
            ),
        ],
    );
    let two = r#"{"tool_calls":[{"id":"i","function":{"arguments":"{}"}},{"id":"j","function":{"arguments":"[]"}}]}"#;
    check(
        ChatStyle,
        &[(delta(two), "+ChatArguments0.0! +ChatArguments0.1! i j")],
    );
}

#[test]
fn an_event_with_news_is_not_dropped() {
    let finished = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]},"finish_reason":"length"}]}"#;
    let counted = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}}],"usage":{"total_tokens":1}}"#;
    let signed = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"extra_content":{"x":"y"},"function":{"arguments":"{"}}]}}]}"#;
    for data in [finished, counted, signed] {
        assert!(!told(ChatStyle, &[data])[0].contains('×'), "{data}");
    }
}

#[test]
fn a_block_ends_at_its_stop_and_thinking_before_its_signature() {
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
                "+MessageThinking0.0 content_block_delta thinking_delta",
            ),
            (
                block(
                    0,
                    "delta",
                    r#","delta":{"type":"signature_delta","signature":"s"}"#,
                ),
                "|MessageThinking0.0 signs MessageThinking0.0 content_block_delta signature_delta",
            ),
            (
                block(1, "start", r#","content_block":{"type":"text","text":"a"}"#),
                "+MessageText1.0 content_block_start text",
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
                "+MessageInput2.0 × content_block_delta input_json_delta",
            ),
            (block(1, "stop", ""), "|MessageText1.0 content_block_stop"),
            (
                r#"{"type":"error","error":{"message":"c"}}"#.to_owned(),
                "|MessageInput2.0 error c",
            ),
        ],
    );
}

#[test]
fn an_items_texts_end_before_their_repetition() {
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
                "+OutputText1.2 response.content_part.added output_text",
            ),
            (
                of("output_text.delta", r#","delta":"b""#),
                "+OutputText1.2 response.output_text.delta",
            ),
            (
                of(
                    "shell_call_output_content.delta",
                    r#","command_index":3,"delta":{"stdout":"c","stderr":"d"}"#,
                ),
                "+ShellStdout1.3 +ShellStderr1.3 response.shell_call_output_content.delta",
            ),
            (
                of(
                    "output_item.done",
                    r#","item":{"type":"message","content":"f"}"#,
                ),
                "|OutputText1.2 |ShellStdout1.3 |ShellStderr1.3 response.output_item.done message f",
            ),
        ],
    );
}

/// The event that delivers more of the first piece of an event.
fn made(schema: Schema, name: Option<&str>, data: &str, written: &str) -> Made {
    let tape = Tape::scan(data, 256).unwrap();
    let root = tape.root(data);
    let mut state = EventState::default();
    let map = event(schema, name, root, &mut state);
    let piece = map.pieces[0];
    let last = Last {
        name,
        root,
        piece: piece.value.start(),
    };
    synthesize(schema, piece.channel, last, &state, written)
}

#[test]
fn what_is_not_known_is_a_channel_at_its_place_and_made_after_its_last_event() {
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
        r#"{"id":"c","choices":[{"index":1,"delta":{"extra":{"note":"b"}}}]}"#
    );
}

#[test]
fn a_made_event_has_what_clients_need_and_no_padding() {
    let made = |schema, name, data: &str| {
        let Made { name, data } = made(schema, name, data, r#"\"\n"#);
        (name.unwrap_or_default(), data)
    };
    let chunk = "{\"id\":\"c\",\n \"object\":\"o\",\"created\":1.0,\"model\":\"m\",\"obfuscation\":\"x\",\"usage\":null,\
        \"choices\":[{\"index\":3,\"delta\":{\"content\":\"a\"}}]}";
    assert_eq!(
        made(ChatStyle, None, chunk).1,
        "{\"id\":\"c\",\"object\":\"o\",\"created\":1.0,\"model\":\"m\",\"choices\":[{\"index\":3,\
         \"delta\":{\"content\":\"\\\"\\n\"},\"logprobs\":null,\"finish_reason\":null}]}"
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
