//! A value from a text that is JSON comes back as it is spelled there, where the model writes a string of JSON with it.

use crate::support;

use engine::{Engine, NoMemory, RestoreRules, Restoring, Schema, Session, Settings};
use serde_json::{Value, json};
use support::accumulate::accumulate;
use support::events::{EVENTS, choice, chunk, stream};
use support::random::{Random, seeds};
use support::{SCHEMAS, restore};

/// The content of a file, and the members whose values are masked.
const FILES: &[(&str, &[&str])] = &[
    (
        r#"{"db_password": "hun\\ter2-Kx9", "x": 1}"#,
        &[r#""db_password": "hun\\ter2-Kx9""#],
    ),
    (
        "{\n  \"db_password\": \"hun\\\"ter2-Kx9\",\n  \"x\": 1\n}\n",
        &[r#""db_password": "hun\"ter2-Kx9""#],
    ),
    (
        r#"{"private_key":"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7\n-----END PRIVATE KEY-----\n","x":1}"#,
        &[
            r#""private_key":"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7\n-----END PRIVATE KEY-----\n""#,
        ],
    ),
    (
        r#"{"customer_name": "Jos\u00e9 Garc\u00eda", "password" : "x\u0026yTr0ub4dor-K", "db_password": "hun\/ter2-Kx9"}"#,
        &[
            r#""customer_name": "Jos\u00e9 Garc\u00eda""#,
            r#""password" : "x\u0026yTr0ub4dor-K""#,
            r#""db_password": "hun\/ter2-Kx9""#,
        ],
    ),
    (
        "{\"customer_name\": \"Jos\\u00e9 Garc\\u00eda\"}\n{\"db_password\": \"hun\\\\ter2-Kx9\"}\n",
        &[
            r#""customer_name": "Jos\u00e9 Garc\u00eda""#,
            r#""db_password": "hun\\ter2-Kx9""#,
        ],
    ),
    (
        r#"{"db_password": ["hun\\ter2-Kx9", "x"]}"#,
        &[r#""db_password": ["hun\\ter2-Kx9", "x"]"#],
    ),
    // It is cut off, or followed by something else.
    (
        r#"{"db_password": "hun\\ter2-Kx9", "customer_name": "Jos\u00e9 Garc\u00eda", "cut"#,
        &[
            r#""db_password": "hun\\ter2-Kx9""#,
            r#""customer_name": "Jos\u00e9 Garc\u00eda""#,
        ],
    ),
    (
        "{\"db_password\": \"hun\\\\ter2-Kx9\"}\nexit code 0",
        &[r#""db_password": "hun\\ter2-Kx9""#],
    ),
    // It has no JSON as a whole, and values are seen as they are spelled.
    (
        "1\t{\n2\t  \"db_password\": \"hun\\\\ter2-Kx9\"\n3\t}",
        &[r#""db_password": "hun\\ter2-Kx9""#],
    ),
];

/// A request with the result of a tool.
fn request(schema: Schema, result: &str) -> Value {
    let ask = json!({"role": "user", "content": "read it"});
    match schema {
        Schema::ChatStyle => json!({"messages": [ask,
            {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": result}]}),
        Schema::MessagesStyle => json!({"messages": [ask,
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "read", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": result}]}]}),
        _ => json!({"store": false, "input": [ask,
            {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": result}]}),
    }
}

/// What is sent of the tool's result, and what restores the reply.
fn masked(schema: Schema, result: &str) -> (String, Restoring) {
    masked_under(RestoreRules::default(), schema, result)
}

fn masked_under(restore: RestoreRules, schema: Schema, result: &str) -> (String, Restoring) {
    let body = request(schema, result).to_string();
    let engine = Engine::new(Settings {
        restore,
        ..Settings::default()
    });
    let request = engine.request(schema, body.into_bytes());
    let masked = request
        .expect("a request")
        .mask(&mut Session::new(), &NoMemory)
        .expect("masked");
    let sent: Value = serde_json::from_slice(&masked.body.into_bytes()).expect("JSON");
    let place = match schema {
        Schema::ChatStyle => "/messages/2/content",
        Schema::MessagesStyle => "/messages/2/content/0/content",
        _ => "/input/2/output",
    };
    let sent = sent.pointer(place).and_then(Value::as_str);
    (sent.expect("a text").to_owned(), masked.restoring)
}

/// Where a reply has a text: in its answer, or in a call's argument.
#[derive(Clone, Copy, Debug)]
enum Place {
    Answer,
    Argument,
}

const PLACES: [Place; 2] = [Place::Answer, Place::Argument];

fn arguments(text: &str) -> String {
    json!({"old_string": text, "more": 1}).to_string()
}

fn of_arguments(arguments: &str) -> String {
    let arguments: Value = serde_json::from_str(arguments).expect("JSON");
    arguments["old_string"].as_str().expect("a text").to_owned()
}

/// What a client reads of a reply that has this text.
fn whole(schema: Schema, restoring: &Restoring, place: Place, text: &str) -> String {
    let args = arguments(text);
    let input: Value = serde_json::from_str(&args).expect("JSON");
    let call =
        json!({"id": "d", "type": "function", "function": {"name": "edit", "arguments": args}});
    let reply = match schema {
        Schema::ChatStyle => json!({"choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": text, "tool_calls": [call]}}]}),
        Schema::MessagesStyle => json!({"type": "message", "role": "assistant", "content": [
            {"type": "text", "text": text}, {"type": "tool_use", "id": "d", "name": "edit", "input": input}]}),
        _ => json!({"object": "response", "output": [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]},
            {"type": "function_call", "call_id": "d", "name": "edit", "arguments": args}]}),
    };
    let out = restore(restoring.reply(None), &[reply.to_string().as_bytes()]);
    read(schema, &serde_json::from_slice(&out).expect("JSON"), place)
}

fn read(schema: Schema, reply: &Value, place: Place) -> String {
    let pointer = match (schema, place) {
        (Schema::ChatStyle, Place::Answer) => "/choices/0/message/content",
        (Schema::ChatStyle, Place::Argument) => {
            "/choices/0/message/tool_calls/0/function/arguments"
        }
        (Schema::MessagesStyle, Place::Answer) => "/content/0/text",
        (Schema::MessagesStyle, Place::Argument) => "/content/1/input",
        (_, Place::Answer) => "/output/0/content/0/text",
        (_, Place::Argument) => "/output/1/arguments",
    };
    match (reply.pointer(pointer), place) {
        (Some(Value::String(text)), Place::Answer) => text.clone(),
        (Some(Value::String(arguments)), Place::Argument) => of_arguments(arguments),
        (Some(arguments), Place::Argument) => of_arguments(&arguments.to_string()),
        (read, _) => panic!("{read:?}"),
    }
}

fn pieces(text: &str, length: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let pieces = characters.chunks(length);
    pieces.map(|piece| piece.iter().collect()).collect()
}

/// The same of a stream that brings the text in pieces of so many characters.
fn streamed(
    schema: Schema,
    restoring: &Restoring,
    place: Place,
    text: &str,
    length: usize,
) -> String {
    let (args, answer) = (pieces(&arguments(text), length), pieces(text, length));
    let mut events = Vec::new();
    match schema {
        Schema::ChatStyle => {
            let piece = |delta: Value| chunk(&json!([choice(0, &delta)]));
            events.extend(answer.iter().map(|text| piece(json!({"content": text}))));
            let begun = json!({"index": 0, "id": "d", "type": "function", "function": {"name": "edit", "arguments": ""}});
            events.push(piece(json!({"tool_calls": [begun]})));
            events.extend(args.iter().map(|args| {
                piece(json!({"tool_calls": [{"index": 0, "function": {"arguments": args}}]}))
            }));
        }
        Schema::MessagesStyle => {
            let block = |index: u32, block: &Value| json!({"type": "content_block_start", "index": index, "content_block": block});
            let delta = |index: u32, delta: &Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
            let stop = |index: u32| json!({"type": "content_block_stop", "index": index});
            events.push(json!({"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}}));
            events.push(block(0, &json!({"type": "text", "text": ""})));
            events.extend(
                answer
                    .iter()
                    .map(|text| delta(0, &json!({"type": "text_delta", "text": text}))),
            );
            events.push(stop(0));
            events.push(block(
                1,
                &json!({"type": "tool_use", "id": "d", "name": "edit", "input": {}}),
            ));
            events.extend(args.iter().map(|args| {
                delta(
                    1,
                    &json!({"type": "input_json_delta", "partial_json": args}),
                )
            }));
            events.extend([stop(1), json!({"type": "message_stop"})]);
        }
        _ => return streamed_responses(restoring, place, &answer, &args),
    }
    let events = stream(schema, &events);
    let out = restore(restoring.reply(Some(EVENTS)), &[events.as_bytes()]);
    read(schema, &accumulate(schema, &out), place)
}

fn streamed_responses(
    restoring: &Restoring,
    place: Place,
    answer: &[String],
    args: &[String],
) -> String {
    let (kind, pieces) = match place {
        Place::Answer => ("response.output_text.delta", answer),
        Place::Argument => ("response.function_call_arguments.delta", args),
    };
    let events = pieces.iter().map(|piece| {
        json!({"type": kind, "item_id": "i", "output_index": 0, "content_index": 0, "delta": piece})
    });
    let done = kind.replace("delta", "done");
    let member = if matches!(place, Place::Answer) {
        "text"
    } else {
        "arguments"
    };
    let item = json!({"type": "function_call", "id": "i", "call_id": "d", "name": "edit", "arguments": ""});
    let added = json!({"type": "response.output_item.added", "output_index": 0, "item": item});
    let begun = matches!(place, Place::Argument).then_some(added);
    let mut events: Vec<_> = begun.into_iter().chain(events).collect();
    events.push(json!({"type": done, "item_id": "i", "output_index": 0, "content_index": 0, member: pieces.concat()}));
    let events = stream(Schema::Responses, &events);
    let out = restore(restoring.reply(Some(EVENTS)), &[events.as_bytes()]);
    let out = support::accumulate::events(&out);
    let events = out
        .iter()
        .map(|(_, data)| serde_json::from_str::<Value>(data).expect("JSON"));
    let events: Vec<_> = events.collect();
    let deltas = events.iter().filter_map(|event| event["delta"].as_str());
    let deltas: String = deltas.collect();
    let last = events.last().and_then(|event| event[member].as_str());
    assert_eq!(Some(&*deltas), last);
    match place {
        Place::Answer => deltas,
        Place::Argument => of_arguments(&deltas),
    }
}

/// What a client reads of a text in each place of a reply, whole and in pieces.
fn each_read(schema: Schema, restoring: &Restoring, text: &str, check: impl Fn(&str, &str)) {
    for place in PLACES {
        let read = whole(schema, restoring, place, text);
        check(&read, &format!("{schema:?} {place:?} {text}"));
        for length in [1, 5, text.len()] {
            let read = streamed(schema, restoring, place, text, length);
            check(&read, &format!("{schema:?} {place:?} by {length}: {text}"));
        }
    }
}

/// The stretch of a masked file that a member became.
fn masked_members<'s>(sent: &'s str, members: &[&str]) -> Vec<&'s str> {
    let members = members.iter().map(|member| {
        let name = member.split(':').next().expect("a name");
        let (_, rest) = sent.split_once(name).expect("the name");
        let start = sent.len() - rest.len() - name.len();
        let tail = member.rsplit('>').next().expect("an end");
        let tail = tail.get(tail.len() - 1..).expect("a quote");
        let end = rest.find('>').expect("a token");
        let end = end + rest[end..].find(tail).expect("the end") + 1;
        &sent[start..start + name.len() + end]
    });
    members.collect()
}

#[test]
fn a_quoted_json_member_keeps_its_original_spelling() {
    for (schema, _) in SCHEMAS {
        for (file, members) in FILES {
            let (sent, restoring) = masked(schema, file);
            for (quoted, member) in masked_members(&sent, members).into_iter().zip(*members) {
                assert!(quoted.contains("<MASK_"), "{sent}");
                for (before, after) in [("", ""), ("It has ", "."), ("```json\n  ", ",\n```")] {
                    let text = format!("{before}{quoted}{after}");
                    let expected = format!("{before}{member}{after}");
                    each_read(schema, &restoring, &text, |read, place| {
                        assert_eq!(read, expected, "{place}");
                    });
                }
            }
        }
    }
}

#[test]
fn a_json_file_round_trips_unchanged() {
    for (schema, _) in SCHEMAS {
        for (file, _) in FILES {
            let (sent, restoring) = masked(schema, file);
            assert!(sent.contains("<MASK_"), "{sent}");
            each_read(schema, &restoring, &sent, |read, place| {
                assert_eq!(read, *file, "{place}");
            });
        }
    }
}

/// Under rules the way to an argument is followed within JSON.
#[test]
fn restore_rules_do_not_change_spelling() {
    for (schema, _) in SCHEMAS {
        let files = FILES.iter().map(|(file, _)| file).chain(HELD);
        for file in files {
            let (sent, restoring) = masked_under(RestoreRules::guard().into(), schema, file);
            let read = whole(schema, &restoring, Place::Argument, &sent);
            assert_eq!(read, *file, "{schema:?}");
            for length in [1, 5, sent.len()] {
                let read = streamed(schema, &restoring, Place::Argument, &sent, length);
                assert_eq!(read, *file, "{schema:?} by {length}");
            }
        }
    }
}

#[test]
fn a_quoted_value_that_fills_an_argument_is_json_text() {
    let (file, text) = (
        r#"{"db_password": "hun\\ter2-Kx9"}"#,
        r#""<MASK_SECRET_1>""#,
    );
    for (schema, _) in SCHEMAS {
        for rules in [Vec::new(), RestoreRules::guard()] {
            let (_, restoring) = masked_under(rules.into(), schema, file);
            each_read(schema, &restoring, text, |read, place| {
                let expected = if place.contains("Argument") {
                    r#""hun\\ter2-Kx9""#
                } else {
                    r#""hun\ter2-Kx9""#
                };
                assert_eq!(read, expected, "{place}");
            });
        }
    }
}

/// Values within strings, and in JSON in JSON.
const HELD: &[&str] = &[
    r#"{"conn": "Server=db\\sql;User Id=sa;Password=hunter2\\Kx9q;", "x": 1}"#,
    r#"{"name": "\ud83d\ude00 Jos\u00e9 Garc\u00eda", "mail": "to alice@example.com\u00e9"}"#,
    r#"{"text": ["{\"customer_name\": \"Jos\\u00e9 Garc\\u00eda\"}"], "x": "hun"}"#,
    r#"{"text": "{\"db_password\": \"hun\\/ter2-Kx9\", \"x\": \"{\\\"db_password\\\": \\\"hun\\\\/ter3-Kx9\\\"}\"}"}"#,
    r#"{"Jos\u00e9 Garc\u00eda": 1, "db_password": "x\u0026yTr0ub4dor-K"}"#,
];

#[test]
fn values_inside_json_strings_keep_their_spelling() {
    for (schema, _) in SCHEMAS {
        for file in HELD {
            let (sent, restoring) = masked(schema, file);
            assert!(sent.contains("<MASK_"), "{sent}");
            for length in [1, 5, sent.len()] {
                let read = streamed(schema, &restoring, Place::Argument, &sent, length);
                assert_eq!(read, *file, "{schema:?} by {length}");
            }
            let read = whole(schema, &restoring, Place::Argument, &sent);
            assert_eq!(read, *file, "{schema:?}");
        }
    }
}

/// The file, what the model writes, and what a client reads.
#[rustfmt::skip]
const ELSEWHERE: &[(&str, &str, &str)] = &[
    // Text has no escapes.
    (r#"{"customer_name": "Jos\u00e9 Garc\u00eda"}"#, "Dear <MASK_PERSON_1>, \"<MASK_PERSON_1>\"", "Dear José García, \"José García\""),
    (r#"{"db_password": "hun\\ter2-Kx9"}"#, "PW='<MASK_SECRET_1>' \"a\",\"<MASK_SECRET_1>\"", r#"PW='hun\ter2-Kx9' "a","hun\ter2-Kx9""#),
    (r#"{"db_password": "hun\\ter2-Kx9"}"#, r#"password = "<MASK_SECRET_1>""#, r#"password = "hun\ter2-Kx9""#),
    // A result that wraps a text of several values or lines.
    (r#"{"output": "a: 1\n\"db_password\": \"hun\\\\ter2-Kx9\"\n"}"#, r#""db_password": "<MASK_SECRET_1>""#, r#""db_password": "hun\\ter2-Kx9""#),
    (r#"{"output": "DB_PASSWORD='hun\\\\ter2-Kx9'\n"}"#, r#""x": "<MASK_SECRET_1>""#, r#""x": "hun\\ter2-Kx9""#),
    // Of two spellings neither is the one.
    (r#"{"customer_name": "Jos\u00e9 Garc\u00eda", "owner": "José García"}"#, r#""owner": "<MASK_PERSON_1>""#, r#""owner": "José García""#),
    (r#"{"db_password": "hun\\ter2\/Kx9", "b": "hun\u005cter2/Kx9"}"#, r#""b": "<MASK_SECRET_1>""#, r#""b": "hun\\ter2/Kx9""#),
    // Text that holds JSON.
    (r#"{"db_password": "hun\"ter2-Kx9"}"#, "cat <<E\n{\"pw\": \"<MASK_SECRET_1>\"}\nE", "cat <<E\n{\"pw\": \"hun\\\"ter2-Kx9\"}\nE"),
    // A model's own text is no JSON, whatever the file.
    ("DB_PASSWORD='hun\"ter2-Kx9'", r#""db_password": "<MASK_SECRET_1>""#, r#""db_password": "hun"ter2-Kx9""#),
];

#[test]
fn values_restore_unescaped_outside_json_strings() {
    for (schema, _) in SCHEMAS {
        for (file, text, expected) in ELSEWHERE {
            let (_, restoring) = masked(schema, file);
            each_read(schema, &restoring, text, |read, place| {
                assert_eq!(read, *expected, "{place}");
            });
        }
    }
}

/// The strings of a call's arguments are texts, and how a client writes them says nothing about a file.
#[test]
fn call_arguments_do_not_determine_spelling() {
    let arguments = r#"{"customer_name": "Jos\u00e9 Garc\u00eda"}"#;
    let call =
        json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}});
    let body = json!({"messages": [{"role": "assistant", "tool_calls": [call]}]}).to_string();
    let engine = Engine::new(Settings::default());
    let request = engine.request(Schema::ChatStyle, body.into_bytes());
    let masked = request
        .expect("a request")
        .mask(&mut Session::new(), &NoMemory);
    let restoring = masked.expect("masked").restoring;
    let text = r#""owner": "<MASK_PERSON_1>""#;
    each_read(Schema::ChatStyle, &restoring, text, |read, place| {
        assert_eq!(read, r#""owner": "José García""#, "{place}");
    });
}

/// The text of a reply in an unknown format, in these pieces.
fn text_in_pieces(restoring: &Restoring, pieces: &[String]) -> String {
    let events = pieces
        .iter()
        .map(|piece| format!("data: {}\n\n", json!({"text": piece})));
    let events: String = events.collect();
    let out = restore(restoring.reply(Some(EVENTS)), &[events.as_bytes()]);
    let events = support::accumulate::events(&out).into_iter();
    let texts = events.map(|(_, data)| serde_json::from_str::<Value>(&data).expect("JSON"));
    texts
        .map(|event| event["text"].as_str().expect("a text").to_owned())
        .collect()
}

fn text_as_a_whole(restoring: &Restoring, text: &str) -> String {
    let reply = json!({"text": text}).to_string();
    let out = restore(
        restoring.reply(Some("application/json")),
        &[reply.as_bytes()],
    );
    let reply: Value = serde_json::from_slice(&out).expect("JSON");
    reply["text"].as_str().expect("a text").to_owned()
}

#[test]
fn json_strings_in_text_restore_alike_however_chunked() {
    const PARTS: &[&str] = &[
        "\"",
        "\"",
        "\": \"",
        "\":",
        "[\"",
        "[",
        "]",
        "{\"a\": \"",
        "{",
        "}",
        ",",
        ":",
        " ",
        "\n",
        "\\\"",
        "\\\\",
        "a",
        "é",
        "<MASK_SECRET_1>",
        "<MASK_SECRET_1>",
        "MASK_PERSON_2",
        "%3CMASK_PERSON_2%3E",
        r"\u003cMASK_SECRET_1\u003e",
        "\\u0022",
    ];
    let file = r#"{"db_password": "hun\\ter2\/Kx9", "customer_name": "Jos\u00e9 Garc\u00eda"}"#;
    let (_, restoring) = masked(Schema::ChatStyle, file);
    let generic = {
        let engine = Engine::new(Settings::default());
        let body = json!({"prompt": file}).to_string();
        let request = engine.request(Schema::Generic, body.into_bytes());
        let masked = request
            .expect("a request")
            .mask(&mut Session::new(), &NoMemory);
        masked.expect("masked").restoring
    };
    for seed in seeds(1500) {
        let random = &mut Random::new(seed);
        let parts = (0..=random.below(12)).map(|_| *random.pick(PARTS));
        let mut text: String = parts.collect();
        if random.one_in(3) {
            text = format!("{{\"a\": {}", json!(text));
        }
        text += " end";
        let expected = text_as_a_whole(&generic, &text);
        let pieces = random.pieces(&text, 4);
        assert_eq!(
            text_in_pieces(&generic, &pieces),
            expected,
            "seed {seed}: {pieces:?}"
        );
        let schema = Schema::ChatStyle;
        for place in PLACES {
            let expected = whole(schema, &restoring, place, &text);
            let length = random.below(6) + 1;
            let read = streamed(schema, &restoring, place, &text, length);
            assert_eq!(read, expected, "seed {seed} by {length}: {text}");
        }
    }
}

/// In a text that holds JSON among other things, the value was taken as it is spelled, and the call got it with its escapes.
#[test]
fn json_values_in_prose_reach_calls_unescaped() {
    let records = [
        (
            r#"{"email": "j\u00fcrgen.m\u00fcller@firma.de"}"#,
            "jürgen.müller@firma.de",
        ),
        (r#"{"password": "ab\\cd\"9Kx!z"}"#, "ab\\cd\"9Kx!z"),
        (r#"{"full_name": "Jos\u00e9 M\u00fcller"}"#, "José Müller"),
    ];
    for (record, value) in records {
        for text in [
            format!("Use this record:\n{record}"),
            format!("```json\n{record}\n```\n"),
            format!("     1\t{record}"),
            format!("curl -d '{record}' https://h.example"),
        ] {
            for (schema, _) in SCHEMAS {
                let (sent, restoring) = masked(schema, &text);
                let token =
                    &sent[sent.find('<').expect("a token")..=sent.find('>').expect("its end")];
                assert_eq!(
                    whole(schema, &restoring, Place::Argument, token),
                    value,
                    "{text}"
                );
                assert_eq!(whole(schema, &restoring, Place::Answer, &sent), text);
                assert_eq!(whole(schema, &restoring, Place::Argument, &sent), text);
            }
        }
    }
}

/// The model writes JSON of its own into its answer: such a value came there without its escapes.
#[test]
fn json_values_in_prose_are_escaped_in_generated_json() {
    const WRITES: [fn(&str) -> Value; 4] = [
        |value| json!(["a", value]),
        |value| json!({"a": ["x", value]}),
        |value| json!({"a": format!("pre {value}")}),
        |value| json!({"cmd": format!("login -p {value}"), "pw": value}),
    ];
    let (value, text) = ("q9Kx\\nw\"t7Zu", r#"log {"password":"q9Kx\\nw\"t7Zu"} end"#);
    for (schema, _) in SCHEMAS {
        let (sent, restoring) = masked(schema, text);
        let token = &sent[sent.find('<').expect("a token")..=sent.find('>').expect("its end")];
        for write in WRITES {
            let answer = format!("Here: {}", write(token));
            let restored = whole(schema, &restoring, Place::Answer, &answer);
            assert_eq!(restored, format!("Here: {}", write(value)));
        }
    }
}
