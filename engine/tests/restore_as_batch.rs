//! What the `restore` rules keep of a stream is what they keep of the same reply in one piece.

use crate::support;

use std::time::Duration;

use engine::{
    ArgumentTexts, Engine, Glob, NoMemory, Origins, RestoreAction, RestoreRule, RestoreRules,
    Restoring, Schema, Session, Settings,
};
use serde_json::{Value, json};
use support::work::timed;

const OF_TOOL: &str = "carol@example.com";
const TOKEN: &str = "<MASK_EMAIL_1>";
/// A text with the token in base64.
const FILE: &str =
    "UGxlYXNlIHdyaXRlIHRvIDxNQVNLX0VNQUlMXzE+IHRvZGF5LCBhbmQgdGVsbCBub2JvZHkgZWxzZSBvZiBpdC4K";

fn restoring(rules: Vec<RestoreRule>, schema: Schema) -> Restoring {
    let body = json!({"messages": [
        {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": OF_TOOL},
    ]});
    let engine = Engine::new(Settings {
        restore: rules.into(),
        ..Settings::default()
    });
    let request = engine.request(schema, body.to_string().into_bytes());
    let masked = request.expect("a request");
    let masked = masked.mask(&mut Session::new(), &NoMemory);
    masked.expect("masked").restoring
}

fn keep(tool: &str, argument: &str) -> Vec<RestoreRule> {
    vec![RestoreRule {
        tool: Glob::new(tool),
        argument: Glob::new(argument),
        origins: Origins::ALL,
        action: RestoreAction::Keep,
        texts: ArgumentTexts::All,
    }]
}

/// What the client gets, and how many tokens were restored and kept.
fn restored(restoring: &Restoring, reply: &str, size: usize) -> (String, u64, u64) {
    let (mut restorer, mut out) = (restoring.reply(None), Vec::new());
    for piece in reply.as_bytes().chunks(size) {
        restorer.push(piece, &mut out);
    }
    restorer.finish(&mut out);
    let text = String::from_utf8(out).expect("UTF-8");
    let summary = restorer.summary();
    (text, summary.restored, summary.kept)
}

fn events(stream: &str) -> Vec<Value> {
    let data = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    data.filter_map(|data| serde_json::from_str(data).ok())
        .collect()
}

fn stream(events: &[Value]) -> String {
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    events.collect()
}

/// Tokens in names of members, and in files, were kept in streams whatever the tool.
#[test]
fn object_arguments_wait_for_the_complete_tool_name() {
    for (given, tokens) in [
        (json!({TOKEN: 1}), 1),
        (json!({"a": {TOKEN: [true]}, TOKEN: {TOKEN: TOKEN}}), 4),
        (
            json!({"source": {"type": "base64", "media_type": "text/plain", "data": FILE}}),
            1,
        ),
    ] {
        for (rules, is_kept) in [
            (keep("exec", "*"), true),
            (keep("execute", "*"), false),
            (keep("ex", "*"), false),
        ] {
            let restoring = restoring(rules, Schema::ChatStyle);
            let whole = json!({"choices": [{"index": 0, "message": {"tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "exec", "arguments": given}}]}}]});
            let (text, of_whole, kept_of_whole) = restored(&restoring, &whole.to_string(), 4096);
            let whole: Value = serde_json::from_str(&text).expect("JSON");
            let expected =
                &whole["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"];
            let counts = if is_kept { (0, tokens) } else { (tokens, 0) };
            assert_eq!((of_whole, kept_of_whole), counts, "{whole}");
            for names in [&["exec"][..], &["ex", "ec"], &["", "e", "xec"]] {
                let mut given = given.clone();
                let chunks = names.iter().map(|name| {
                    let call = json!({"index": 0, "id": "c", "function": {"name": name, "arguments": given.take()}});
                    json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
                });
                let mut chunks: Vec<_> = chunks.collect();
                chunks.push(
                    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
                );
                let (text, restored, kept) = restored(&restoring, &stream(&chunks), 9);
                let found = &events(&text)[0]["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"];
                assert_eq!(found, expected, "{names:?} {text}");
                assert_eq!((restored, kept), counts, "{names:?} {text}");
            }
        }
    }
}

/// Such an event was dropped, with the arguments that are no text.
#[test]
fn an_event_mixing_collected_and_object_arguments_is_delivered() {
    let restoring = restoring(RestoreRules::guard(), Schema::ChatStyle);
    let calls = json!([
        {"index": 0, "id": "c", "function": {"name": "read", "arguments": "{\"a\": \"<MASK"}},
        {"index": 1, "id": "d", "function": {"name": "read", "arguments": {"a": 1}}},
    ]);
    let rest = json!([{"index": 0, "function": {"arguments": "_EMAIL_1>\"}"}}]);
    let chunks = [calls, rest]
        .map(|calls| json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]}));
    let (text, ..) = restored(&restoring, &stream(&chunks), 4096);
    assert!(text.contains(r#""arguments":{"a":1}"#), "{text}");
    assert!(text.contains(OF_TOOL), "{text}");
}

/// The events of one call of a format that the engine does not know, with its name and its arguments in pieces.
fn call(index: u32, names: &[&str], given: &[&str]) -> Vec<Value> {
    let event = |kind: &str, function: Value| {
        let calls = json!({"id": format!("c{index}"), "type": "function", "function": function});
        json!({"type": kind, "index": index, "delta": {"message": {"tool_calls": calls}}})
    };
    let mut names = names.iter();
    let first = names.next().expect("a name");
    let mut events = vec![event(
        "tool-call-start",
        json!({"name": first, "arguments": ""}),
    )];
    let mut given = given.iter();
    for name in names {
        let given = given.next().copied().unwrap_or_default();
        events.push(event(
            "tool-call-delta",
            json!({"name": name, "arguments": given}),
        ));
    }
    events.extend(given.map(|given| event("tool-call-delta", json!({"arguments": given}))));
    events.push(json!({"type": "tool-call-end", "index": index}));
    events
}

/// The arguments of the calls that arrive.
fn arguments(events: &[Value]) -> Vec<String> {
    let mut arguments = vec![String::new(); 2];
    for event in events {
        let given = &event["delta"]["message"]["tool_calls"]["function"]["arguments"];
        if let (Some(index), Some(given)) = (event["index"].as_u64(), given.as_str()) {
            arguments[usize::try_from(index).expect("small")].push_str(given);
        }
    }
    arguments
}

/// A rule for any tool kept the token in every call of such a stream.
#[test]
fn unknown_format_calls_wait_for_their_complete_names() {
    let execs = [&["exec"][..], &["ex", "ec"], &["", "e", "xe", "c"]];
    let reads = [&["read_file"][..], &["re", "ad_", "file"]];
    are_as_in_a_batch(&["{\"a\": \"<MASK_", "EMAIL_1>\"", "}"], &execs, &reads);
}

/// The place in arguments that came in pieces was unknown: `url` of any tool got the value.
#[test]
fn argument_rules_apply_to_pieces_in_unknown_formats() {
    for given in [
        &["{\"url\": \"<MASK_", "EMAIL_1>\"", "}"][..],
        &[
            "{",
            "\"b\": {\"url\": \"<MASK_EMAIL_1>\", \"a\": \"<MASK",
            "_EMAIL_1>\"}}",
        ],
        // JSON in a string, and all of it in a string.
        &["{\"b\": \"{\\\"url\\\": \\\"<MASK_EMA", "IL_1>\\\"}\"}"],
        &[
            "\"{\\\"url\\\": \\\"<MASK_EMA",
            "IL_1>\\\", \\\"a\\\": \\\"<MASK_EMAIL_1>\\\"}\"",
        ],
        // Broken off, behind an end, and no JSON.
        &["{\"url\": \"<MASK_", "EMAIL_1>"],
        &["[\"<MASK_EMAIL_1>\"", "]", " "],
        &["write to <MASK_", "EMAIL_1>", " now"],
    ] {
        are_as_in_a_batch(given, &[&["ex", "ec"]], &[&["read_file"]]);
    }
}

fn are_as_in_a_batch(given: &[&str], execs: &[&[&str]], reads: &[&[&str]]) {
    let text = given.concat();
    for rules in [
        RestoreRules::guard(),
        keep("exec", "*"),
        keep("read_*", "*"),
        keep("ex", "*"),
        keep("ec", "*"),
        keep("read_*", "url"),
        keep("*", "b.url"),
    ] {
        let restoring = restoring(rules.clone(), Schema::Generic);
        let of_whole = |name: &str| {
            let call = json!({"type": "function", "function": {"name": name, "arguments": text}});
            let reply = json!({"message": {"tool_calls": [call]}}).to_string();
            let (text, ..) = restored(&restoring, &reply, 4096);
            let reply: Value = serde_json::from_str(&text).expect("JSON");
            let given = &reply["message"]["tool_calls"][0]["function"]["arguments"];
            given.as_str().expect("a text").to_owned()
        };
        let expected = [of_whole("exec"), of_whole("read_file")];
        for exec in execs {
            for read in reads {
                let (exec, read) = (call(0, exec, given), call(1, read, given));
                let (mut some, mut others) = (exec.iter(), read.iter());
                let mut mixed = Vec::new();
                while mixed.len() < exec.len() + read.len() {
                    mixed.extend(some.next().cloned());
                    mixed.extend(others.next().cloned());
                }
                for calls in [[exec.clone(), read.clone()].concat(), mixed] {
                    let end =
                        json!({"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}});
                    let sent = stream(&[calls, vec![end.clone()]].concat());
                    let lines = sent.replace("data: ", "").replace("\n\n", "\n");
                    for (sent, size) in [(&sent, 4096), (&sent, 7), (&lines, 30)] {
                        let (text, ..) = restored(&restoring, sent, size);
                        let text = text.replace("data: ", "");
                        let events: Vec<Value> = text
                            .lines()
                            .filter_map(|line| serde_json::from_str(line).ok())
                            .collect();
                        assert_eq!(arguments(&events), expected, "{rules:?} {sent}\n{text}");
                        assert_eq!(events.last(), Some(&end), "{text}");
                    }
                }
            }
        }
    }
}

#[test]
fn an_unknown_format_call_waits_until_its_end_only() {
    let restoring = restoring(RestoreRules::guard(), Schema::Generic);
    let mut events = vec![
        json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "so "}}}}),
    ];
    events.extend(call(0, &["read"], &["{\"a\": \"<MASK_EMAIL_1>\"}"]));
    let end = events.len() - 1;
    let (mut restorer, mut arrived) = (restoring.reply(None), Vec::new());
    for event in &events {
        let mut out = Vec::new();
        restorer.push(format!("data: {event}\n\n").as_bytes(), &mut out);
        arrived.push(String::from_utf8(out).expect("UTF-8"));
    }
    assert!(arrived[0].contains("so ") && !restorer.holds_back());
    assert!(arrived[1..end].iter().all(String::is_empty), "{arrived:?}");
    assert!(arrived[end].contains(OF_TOOL), "{arrived:?}");
}

/// Nobody knows what the rest of a name would have been, nor to which call an event without an index belongs.
#[test]
fn an_unknown_format_call_without_name_keeps_its_token() {
    let restoring = restoring(keep("exec", "*"), Schema::Generic);
    let events = call(0, &["read"], &["{\"a\": \"<MASK_EMAIL_1>\"}"]);
    let cut = stream(&events[..2]);
    let (mut restorer, mut out) = (restoring.reply(None), Vec::new());
    restorer.push(cut.as_bytes(), &mut out);
    assert!(out.is_empty() && restorer.holds_back());
    restorer.break_off(&mut out);
    assert_eq!(String::from_utf8(out).expect("UTF-8"), cut);

    let mut without_index = events.clone();
    for event in &mut without_index {
        event.as_object_mut().expect("an object").remove("index");
    }
    let two = json!([{"name": "read", "input": TOKEN}, {"name": "exec", "input": TOKEN}]);
    let two = vec![json!({"index": 0, "delta": {"toolUse": two}})];
    for events in [without_index, two] {
        let sent = stream(&events);
        assert_eq!(restored(&restoring, &sent, 4096).0, sent);
    }
}

/// A chunk of a chat stream with a piece of a call.
fn chat_chunk(call: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
}

/// A chunk of a chat stream with which its answer ends.
fn chat_end() -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
}

/// A token as a name stayed visible, except within another member.
#[test]
fn top_level_member_names_are_restored() {
    let restoring = restoring(Vec::new(), Schema::Generic);
    for (reply, wanted) in [
        (r#"{"<MASK_EMAIL_1>":1}"#, r#"{"carol@example.com":1}"#),
        (r#"[{"MASK_EMAIL_1":3}]"#, r#"[{"carol@example.com":3}]"#),
        (
            "data: {\"<MASK_EMAIL_1>\":\"a\"}\n\n",
            "data: {\"carol@example.com\":\"a\"}\n\n",
        ),
        (
            "{\"<MASK_EMAIL_1>\":1}\n{\"<MASK_EMAIL_1>\":2}\n",
            "{\"carol@example.com\":1}\n{\"carol@example.com\":2}\n",
        ),
    ] {
        for size in [5, 4096] {
            assert_eq!(restored(&restoring, reply, size).0, wanted);
        }
    }
}

/// Names, and arguments that are whole in each event, of many events.
fn many_calls(count: usize) -> Vec<(&'static str, Schema, Vec<Value>)> {
    let text = json!({"a": TOKEN}).to_string();
    let named = |name: &str, given: &Value| json!({"index": 0, "id": "c", "function": {"name": name, "arguments": given}});
    let chat = |call: &dyn Fn(usize) -> Value| {
        let chunks = (0..count).map(|at| chat_chunk(&call(at)));
        chunks.chain([chat_end()]).collect::<Vec<_>>()
    };
    let again = |given: Value| chat(&|_| named("read", &given));
    let long = "read".repeat(count);
    // To go over all calls takes long only where they are many.
    let more = 8 * count;
    let answers = |at: usize| {
        let call = named("read", &json!({"a": TOKEN}));
        json!({"choices": [{"index": at, "delta": {"tool_calls": [call]}}]})
    };
    let ends = |at: usize| json!({"choices": [{"index": at, "delta": {}, "finish_reason": "x"}]});
    let start = |at: usize| {
        let calls = json!({"id": "c", "function": {"name": "read", "arguments": text}});
        json!({"type": "tool-call-start", "index": at, "delta": {"message": {"tool_calls": calls}}})
    };
    let end = |at: usize| json!({"type": "tool-call-end", "index": at});
    vec![
        (
            "a name again, objects",
            Schema::ChatStyle,
            again(json!({"a": TOKEN})),
        ),
        ("a name again, texts", Schema::ChatStyle, again(json!(text))),
        (
            "a name in pieces",
            Schema::ChatStyle,
            chat(&|at| named(["re", "ad"][at % 2], &json!({"a": TOKEN}))),
        ),
        (
            "a long name",
            Schema::ChatStyle,
            chat(&|at| named(if at == 0 { &long } else { "" }, &json!({"a": TOKEN}))),
        ),
        (
            "answers that end backwards",
            Schema::ChatStyle,
            (0..more)
                .map(answers)
                .chain((0..more).rev().map(ends))
                .collect(),
        ),
        (
            "starts, then ends",
            Schema::Generic,
            (0..more).map(start).chain((0..more).map(end)).collect(),
        ),
        (
            "starts, then ends backwards",
            Schema::Generic,
            (0..more)
                .map(start)
                .chain((0..more).rev().map(end))
                .collect(),
        ),
    ]
}

/// Each event joined all pieces of its call's name, and each end went over all calls.
#[test]
fn many_waiting_calls_take_linear_time() {
    const COUNT: usize = 1000;
    /// Four times the events take four times as long, and in a quadratic pass sixteen times.
    const GROWTH: u32 = 8;
    /// What is quicker than this can't be compared.
    const AT_ONCE: Duration = Duration::from_millis(200);
    let took = |schema: Schema, events: &[Value]| {
        let (restoring, sent) = (restoring(RestoreRules::guard(), schema), stream(events));
        timed(|| restored(&restoring, &sent, 4096)).1
    };
    let shapes = many_calls(COUNT).into_iter().zip(many_calls(4 * COUNT));
    for ((name, schema, quarter), (.., whole)) in shapes {
        let times = || (took(schema, &quarter), took(schema, &whole));
        let is_slow = || {
            let (quarter, whole) = times();
            whole > quarter.max(AT_ONCE / GROWTH) * GROWTH
        };
        // Other work on the machine may slow down one measurement, but not each of them.
        assert!(!(0..3).all(|_| is_slow()), "{name}");
    }
}

#[test]
fn repeated_or_overlong_names_match_like_a_batch() {
    let given = json!({"a": TOKEN});
    let long = "exec".repeat(200);
    for (rules, name) in [
        (keep("exec", "*"), "exec"),
        (keep("execute", "*"), "exec"),
        (keep("exec", "*"), long.as_str()),
        (keep("read", "*"), &long),
        (RestoreRules::guard(), &long),
    ] {
        let restoring = restoring(rules.clone(), Schema::ChatStyle);
        let function = json!({"name": name, "arguments": given});
        let reply = json!({"choices": [{"index": 0, "message": {"tool_calls": [{"id": "c", "function": function}]}}]});
        let (of_whole, ..) = restored(&restoring, &reply.to_string(), 4096);
        let call = json!({"index": 0, "id": "c", "function": function});
        let mut chunks = vec![chat_chunk(&call); 300];
        chunks.push(chat_end());
        let (text, ..) = restored(&restoring, &stream(&chunks), 4096);
        let is_kept = of_whole.contains(TOKEN);
        assert_eq!(is_kept, text.contains(TOKEN), "{rules:?} {name}");
        assert_eq!(is_kept, !text.contains(OF_TOOL), "{rules:?} {name}");
        assert_eq!(
            is_kept,
            name != "exec" || rules == keep("exec", "*"),
            "{rules:?} {name}"
        );
    }
}
