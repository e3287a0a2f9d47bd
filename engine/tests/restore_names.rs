//! The `restore` rules where the name of a tool arrives in pieces, or after the arguments.

use engine::{
    ArgumentTexts, Engine, Glob, NoMemory, Origins, RestoreAction, RestoreRule, RestoreRules,
    Restoring, Schema, Session, Settings,
};
use serde_json::{Value, json};

const TOKENS: &str = "<MASK_EMAIL_1> <MASK_EMAIL_2>";
const OF_TOOL: &str = "carol@example.com";

fn rule(tool: &str, argument: &str, action: RestoreAction) -> RestoreRule {
    RestoreRule {
        tool: Glob::new(tool),
        argument: Glob::new(argument),
        origins: Origins::ALL,
        action,
        texts: ArgumentTexts::All,
    }
}

/// Rules under which the beginning of a name may decide otherwise than the name.
fn rules() -> [Vec<RestoreRule>; 4] {
    let (keep, allow) = (RestoreAction::Keep, RestoreAction::Allow);
    [
        RestoreRules::guard(),
        vec![rule("exec", "*", keep)],
        vec![rule("write_file", "*", allow), rule("*", "*", keep)],
        vec![
            rule("write*", "text", RestoreAction::Ask),
            rule("execute", "*", keep),
        ],
    ]
}

fn restoring(rules: Vec<RestoreRule>, schema: Schema) -> Restoring {
    let body = json!({"messages": [
        {"role": "user", "content": "alice@example.com"},
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

/// A call, and its pieces in the order in which they arrive.
#[derive(Debug, Clone)]
struct Call {
    name: &'static str,
    given: String,
    /// What each event brings of its name and of its arguments.
    pieces: Vec<(String, String)>,
}

/// Random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    /// A text in up to four pieces.
    fn pieces(&mut self, text: &str) -> Vec<String> {
        let mut cuts: Vec<_> = (0..self.below(4))
            .map(|_| self.below(text.len() + 1))
            .collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|cut| text[cut[0]..cut[1]].to_owned());
        pieces.filter(|piece| !piece.is_empty()).collect()
    }

    fn call(&mut self) -> Call {
        const NAMES: [&str; 7] = [
            "exec",
            "execute",
            "write_file",
            "write",
            "web_fetch",
            "read",
            "exex",
        ];
        let name = NAMES[self.below(NAMES.len())];
        let given = match self.below(3) {
            0 => json!({"text": TOKENS}),
            1 => json!({"url": {"to": [TOKENS]}, "text": "x"}),
            _ => json!({"text": "none"}),
        };
        let given = given.to_string();
        let name_pieces = self.pieces(name).into_iter();
        let mut names = name_pieces.map(|piece| (piece, String::new())).peekable();
        let given_pieces = self.pieces(&given).into_iter();
        let mut arguments = given_pieces.map(|piece| (String::new(), piece)).peekable();
        let mut pieces = Vec::new();
        // Usually the name comes first.
        let is_usual = self.below(3) == 0;
        while names.peek().is_some() || arguments.peek().is_some() {
            let of_name = names.peek().is_some()
                && (is_usual || arguments.peek().is_none() || self.below(2) == 0);
            let mut piece = if of_name {
                &mut names as &mut dyn Iterator<Item = _>
            } else {
                &mut arguments
            };
            let (name, mut given): (String, String) = Iterator::next(&mut piece).expect("a piece");
            if of_name && self.below(2) == 0 {
                given.extend(arguments.next().map(|(_, given)| given));
            }
            pieces.push((name, given));
        }
        Call {
            name,
            given,
            pieces,
        }
    }
}

/// How a server writes the calls of a stream.
#[derive(Debug, Clone, Copy)]
enum Style {
    /// An index in every piece, an id in the first.
    First,
    /// An index and an id in every piece.
    Always,
    /// An index only.
    NoIds,
    /// An id only.
    NoIndexes,
}

/// A stream in which the calls come one after the other, or interleaved.
fn stream(calls: &[Call], style: Style, is_interleaved: bool, random: &mut Random) -> String {
    let mut at = vec![0; calls.len()];
    let mut events = vec![json!({"role": "assistant", "content": null})];
    let mut last = None;
    loop {
        let mut open = (0..calls.len()).filter(|&call| at[call] < calls[call].pieces.len());
        let open: Vec<_> = if is_interleaved {
            open.collect()
        } else {
            open.next().into_iter().collect()
        };
        if open.is_empty() {
            break;
        }
        let call = open[random.below(open.len())];
        let (name, given) = &calls[call].pieces[at[call]];
        let mut function = json!({});
        if !name.is_empty() {
            function["name"] = name.as_str().into();
        }
        if !given.is_empty() {
            function["arguments"] = given.as_str().into();
        }
        let mut element = json!({"function": function});
        if !matches!(style, Style::NoIndexes) {
            element["index"] = call.into();
        }
        let has_id = match style {
            Style::First => at[call] == 0,
            Style::Always | Style::NoIndexes => true,
            Style::NoIds => false,
        };
        if has_id {
            element["id"] = format!("c{call}").into();
        }
        at[call] += 1;
        match events
            .last_mut()
            .map(|event: &mut Value| &mut event["tool_calls"])
        {
            // Several calls in one event.
            Some(Value::Array(elements)) if Some(call) != last && random.below(3) == 0 => {
                elements.push(element);
            }
            _ => events.push(json!({"tool_calls": [element]})),
        }
        last = Some(call);
    }
    let mut out = Vec::new();
    for delta in events {
        let chunk =
            json!({"id": "r", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
        out.push(format!("data: {chunk}\n\n"));
    }
    let end =
        json!({"id": "r", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    out.push(format!("data: {end}\n\ndata: [DONE]\n\n"));
    out.concat()
}

/// The calls as a client collects them: name and arguments.
fn collected(stream: &str) -> Vec<(String, String)> {
    let mut calls: Vec<(Value, String, String)> = Vec::new();
    let lines = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    for event in lines.filter_map(|data| serde_json::from_str::<Value>(data).ok()) {
        let elements = event["choices"][0]["delta"]["tool_calls"].as_array();
        for element in elements.into_iter().flatten() {
            let key = match &element["index"] {
                Value::Null => &element["id"],
                index => index,
            };
            if !calls.iter().any(|(known, ..)| known == key) {
                calls.push((key.clone(), String::new(), String::new()));
            }
            let call = calls.iter_mut().find(|(known, ..)| known == key);
            let (_, name, given) = call.expect("the call");
            *name += element["function"]["name"].as_str().unwrap_or_default();
            *given += element["function"]["arguments"]
                .as_str()
                .unwrap_or_default();
        }
    }
    calls.sort_by_key(|(key, ..)| key.to_string());
    calls
        .into_iter()
        .map(|(_, name, given)| (name, given))
        .collect()
}

/// The same calls in a reply that is not a stream.
fn whole(restoring: &Restoring, calls: &[Call]) -> (Vec<(String, String)>, u64, u64) {
    let calls: Vec<_> = calls
        .iter()
        .map(|call| json!({"id": "c", "type": "function", "function": {"name": call.name, "arguments": call.given}}))
        .collect();
    let reply =
        json!({"choices": [{"index": 0, "message": {"role": "assistant", "tool_calls": calls}}]});
    let (text, restored, kept) = restored(restoring, &reply.to_string(), 4096);
    let reply: Value = serde_json::from_str(&text).expect("JSON");
    let calls = reply["choices"][0]["message"]["tool_calls"].as_array();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let calls = calls.expect("calls").iter();
    let calls = calls.map(|call| {
        (
            text(&call["function"]["name"]),
            text(&call["function"]["arguments"]),
        )
    });
    (calls.collect(), restored, kept)
}

/// A value was restored for `ex` before the name became `exec`.
#[test]
fn complete_arguments_wait_for_the_tool_name() {
    let mut random = Random(20);
    for rules in rules() {
        let restoring = restoring(rules.clone(), Schema::ChatStyle);
        for turn in 0..600 {
            let calls: Vec<_> = (0..=random.below(3)).map(|_| random.call()).collect();
            for style in [Style::First, Style::Always, Style::NoIds, Style::NoIndexes] {
                // Some formats have nothing that names the call of a piece.
                let stream = stream(&calls, style, turn % 2 == 0, &mut random);
                let (text, restored, kept) = restored(&restoring, &stream, 1 + random.below(90));
                let (expected, of_whole, kept_of_whole) = whole(&restoring, &calls);
                assert_eq!(
                    collected(&text),
                    expected,
                    "{style:?} {rules:?}\n{stream}\n{text}"
                );
                assert_eq!((restored, kept), (of_whole, kept_of_whole), "{stream}");
                assert!(
                    text.ends_with("data: [DONE]\n\n")
                        && text.contains("\"finish_reason\":\"tool_calls\"")
                );
            }
        }
    }
}

fn chunk(choice: usize, delta: &Value, reason: Option<&str>) -> String {
    let chunk =
        json!({"id": "r", "choices": [{"index": choice, "delta": delta, "finish_reason": reason}]});
    format!("data: {chunk}\n\n")
}

fn call(index: usize, name: &str, given: &str) -> Value {
    json!({"tool_calls": [{"index": index, "function": {"name": name, "arguments": given}}]})
}

/// What arrives with each event.
fn arrivals(restoring: &Restoring, events: &[String]) -> Vec<String> {
    let mut restorer = restoring.reply(None);
    let mut arrivals: Vec<_> = events
        .iter()
        .map(|event| {
            let mut out = Vec::new();
            restorer.push(event.as_bytes(), &mut out);
            String::from_utf8(out).expect("UTF-8")
        })
        .collect();
    let mut rest = Vec::new();
    restorer.finish(&mut rest);
    arrivals.push(String::from_utf8(rest).expect("UTF-8"));
    arrivals
}

/// Only what a name can decide about waits, and everything else of the stream keeps its order.
#[test]
fn arguments_wait_only_when_the_name_decides() {
    let restoring = restoring(RestoreRules::guard(), Schema::ChatStyle);
    let plain = json!({"text": "<MASK_EMAIL_1>"}).to_string();
    let late = json!({"text": TOKENS}).to_string();
    let events = [
        chunk(0, &call(0, "write", &plain), None),
        chunk(0, &call(1, "write", &late), None),
        chunk(1, &json!({"content": "other"}), None),
        chunk(0, &call(2, "read", "{}"), None),
        chunk(1, &json!({}), Some("stop")),
        chunk(0, &json!({}), Some("tool_calls")),
        "data: [DONE]\n\n".to_owned(),
    ];
    let arrived = arrivals(&restoring, &events);
    assert!(arrived[0].contains("alice@example.com"), "{arrived:?}");
    assert!(arrived[1..5].iter().all(String::is_empty), "{arrived:?}");
    let expected = events[1..6]
        .concat()
        .replace(TOKENS, "alice@example.com carol@example.com");
    assert_eq!(arrived[5], expected);
    assert_eq!(arrived[6..], ["data: [DONE]\n\n".to_owned(), String::new()]);
}

/// The calls of a message, of a `function_call`, and with arguments that are no text.
#[test]
fn every_shape_of_a_call_waits_for_its_name() {
    let restoring = restoring(
        vec![rule("exec", "*", RestoreAction::Keep)],
        Schema::ChatStyle,
    );
    let given = json!({"a": OF_TOOL})
        .to_string()
        .replace(OF_TOOL, "<MASK_EMAIL_2>");
    let object = json!({"a": ["<MASK_EMAIL_2>"], "b": {"<MASK_EMAIL_2>": 1}});
    let shapes = |name: &str, with: bool| {
        let arguments = if with { json!(given) } else { Value::Null };
        let object = if with { object.clone() } else { Value::Null };
        let input = if with {
            json!("<MASK_EMAIL_2>")
        } else {
            Value::Null
        };
        [
            json!({"function_call": {"name": name, "arguments": arguments}}),
            json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": name, "arguments": object}}]}),
            json!({"tool_calls": [{"index": 0, "id": "c", "custom": {"name": name, "input": input}}]}),
            json!({"tool_calls": [{"index": 0, "name": name, "arguments": arguments}]}),
            json!({"tool_calls": [{"index": 0, "function": {"name": name, "arguments": arguments, "namespace": "a"}}]}),
        ]
    };
    let end = chunk(0, &json!({}), Some("tool_calls"));
    for (first, second) in [
        ("ex", "ec"),
        ("", "exec"),
        ("exec", ""),
        ("re", "ad"),
        ("exec", "exec"),
    ] {
        for (begun, named) in shapes(first, true).iter().zip(shapes(second, false)) {
            for is_between in [false, true] {
                let between = if is_between {
                    call(1, "read", "{}")
                } else {
                    json!({})
                };
                let stream = chunk(0, begun, None)
                    + &chunk(0, &between, None)
                    + &chunk(0, &named, None)
                    + &end;
                let (text, _, kept) = restored(&restoring, &stream, 4096);
                let is_kept = first != "re";
                assert_eq!(text.contains(OF_TOOL), !is_kept, "{stream}\n{text}");
                assert!(kept > 0 || !is_kept, "{text}");
            }
        }
    }
}

/// Nobody knows what the rest of the name would have been.
#[test]
fn a_stream_broken_within_a_name_keeps_the_token() {
    let restoring = restoring(
        vec![rule("exec", "*", RestoreAction::Keep)],
        Schema::ChatStyle,
    );
    let stream = chunk(
        0,
        &call(0, "ex", &json!({"text": TOKENS}).to_string()),
        None,
    );
    let (mut restorer, mut out) = (restoring.reply(None), Vec::new());
    restorer.push(stream.as_bytes(), &mut out);
    assert!(out.is_empty() && restorer.holds_back());
    restorer.break_off(&mut out);
    assert_eq!(String::from_utf8(out).expect("UTF-8"), stream);
}

/// A new call under the same index had the name of the last one in the event.
#[test]
fn calls_of_one_event_keep_their_own_names() {
    let restoring = restoring(
        vec![rule("exec", "*", RestoreAction::Keep)],
        Schema::ChatStyle,
    );
    let given = json!({"text": TOKENS}).to_string();
    for (names, [first, second]) in [
        (["exec", "read"], [true, false]),
        (["read", "exec"], [false, true]),
    ] {
        let element = |id: &str, name: &str| json!({"index": 0, "id": id, "function": {"name": name, "arguments": given}});
        let both = json!({"tool_calls": [element("c1", names[0]), element("c2", names[1])]});
        let stream = chunk(0, &both, None) + &chunk(0, &json!({}), Some("tool_calls"));
        let (text, ..) = restored(&restoring, &stream, 4096);
        let event: Value = serde_json::from_str(
            text.lines()
                .next()
                .expect("a line")
                .trim_start_matches("data: "),
        )
        .expect("JSON");
        let calls = &event["choices"][0]["delta"]["tool_calls"];
        for (call, is_kept) in [first, second].into_iter().enumerate() {
            let given = calls[call]["function"]["arguments"]
                .as_str()
                .expect("a text");
            assert_eq!(given.contains("<MASK_EMAIL_2>"), is_kept, "{text}");
        }
    }
}

/// Formats that name a tool as a whole: where they don't, the call may be of any tool.
#[test]
fn an_incomplete_tool_name_restores_nothing() {
    let given = json!({"text": "<MASK_EMAIL_2>"});
    let text = given.to_string();
    for (schema, events) in [
        (
            Schema::MessagesStyle,
            vec![
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "a", "name": "read", "input": {}}}),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "b", "name": "", "input": {}}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}}),
                json!({"type": "content_block_stop", "index": 0}),
            ],
        ),
        (
            Schema::Responses,
            vec![
                json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "name": "", "arguments": ""}}),
                json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": text}),
                json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": text}),
                json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "function_call", "name": "exec", "arguments": text}}),
            ],
        ),
        (
            Schema::Generic,
            vec![
                json!({"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": {"id": "a", "function": {"name": "ex", "arguments": text}}}}}),
                json!({"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {"function": {"name": "ec"}}}}}),
            ],
        ),
        (
            Schema::Generic,
            vec![
                json!({"index": 0, "delta": {"toolUse": {"name": "ex", "input": given}}}),
                json!({"index": 0, "delta": {"toolUse": {"name": "ec"}}}),
            ],
        ),
    ] {
        let restoring = restoring(vec![rule("exec", "*", RestoreAction::Keep)], schema);
        let events = events.iter().map(|event| format!("data: {event}\n\n"));
        let stream = events.collect::<Vec<_>>().concat();
        let (text, _, kept) = restored(&restoring, &stream, 4096);
        assert!(!text.contains(OF_TOOL), "{text}");
        assert!(kept > 0, "{text}");
    }
}
