use super::*;
use crate::json::Tape;

/// The tool and the argument of each string that begins with a capital V.
fn called(body: &str) -> Vec<String> {
    let tape = Tape::scan(body, 64).unwrap();
    let calls = CallMap::of_event(tape.root(body), Some(Tool::named("begun")), Vec::new());
    let values = tape.strings(body);
    let values = values.filter(|value| value.raw_content().starts_with('V'));
    let found = values.map(|value| match calls.called(value, Form::Text) {
        None => "-".to_owned(),
        Some(Called { tool, argument, .. }) => {
            let tool = tool.as_ref().map(Tool::shown).unwrap_or_default();
            format!("{tool}:{}", argument.unwrap_or_else(|| "?".to_owned()))
        }
    });
    found.collect()
}

#[test]
fn tool_and_argument_are_found_in_every_format() {
    for (body, expected) in [
        (
            r#"{"content": [{"type": "text", "text": "V1"}, {"type": "tool_use", "name": "fetch", "input": {"url": "V2", "headers": [{"a": "V3"}]}}]}"#,
            &["-", "fetch:url", "fetch:headers.a"][..],
        ),
        (
            r#"{"choices": [{"message": {"content": "V1", "tool_calls": [{"function": {"name": "fetch", "arguments": "V2"}}, {"custom": {"name": "sh", "input": "V3"}}]}}]}"#,
            &["-", "fetch:?", "sh:?"],
        ),
        (
            r#"{"output": [{"type": "local_shell_call", "action": {"command": ["V1"]}}, {"type": "code_interpreter_call", "code": "V2"},
            {"type": "mcp_call", "name": "m", "arguments": "V3", "output": "V4"}, {"type": "shell_call", "action": {"commands": ["V5"]}}]}"#,
            &[
                "local_shell:command",
                "code_interpreter:code",
                "m:?",
                "-",
                "shell:commands",
            ],
        ),
        (
            r#"{"candidates": [{"content": {"parts": [{"functionCall": {"args": {"url": "V1"}, "name": "f"}}, {"text": "V2"}]}}]}"#,
            &["f:url", "-"],
        ),
        (
            r#"{"output": {"message": {"content": [{"toolUse": {"name": "f", "input": {"a": {"b": "V1"}}}}]}}}"#,
            &["f:a.b"],
        ),
        (
            r#"{"message": {"tool_calls": [{"name": "f", "parameters": {"a": "V1"}}]}, "tools": [{"name": "g", "parameters": {"a": "V2"}}]}"#,
            &["f:a", "-"],
        ),
        (
            r#"{"type": "response.function_call_arguments.done", "arguments": "V1"}"#,
            &["begun:?"],
        ),
        (
            r#"{"type": "response.custom_tool_call_input.done", "input": "V1"}"#,
            &["begun:?"],
        ),
        // The name of a tool in two parts.
        (
            r#"{"output": [{"type": "function_call", "namespace": "mcp__web__", "name": "get", "arguments": "V1"},
            {"type": "mcp_call", "server_label": "web", "name": "get", "arguments": "V2"}]}"#,
            &["mcp__web__get:?", "web__get:?"],
        ),
        // Arguments in pieces (Vertex), the tool named before.
        (
            r#"{"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "willContinue": true}},
            {"functionCall": {"partialArgs": [{"jsonPath": "$.to[0]['a b']", "stringValue": "V1"}]}}]}}]}"#,
            &["f:to.a b"],
        ),
        (
            r#"{"candidates": [{"content": {"parts": [{"functionCall": {"partialArgs": [{"jsonPath": "$.url", "stringValue": "V1"}]}}]}}]}"#,
            &["begun:url"],
        ),
        (
            r#"{"returnControl": {"invocationInputs": [{"functionInvocationInput": {"actionGroup": "web", "function": "get",
            "parameters": [{"name": "url", "value": "V1"}]}}]}}"#,
            &["web__get:value"],
        ),
        (
            r#"{"type": "shell_call_output", "output": [{"stdout": "V1"}]}"#,
            &["-"],
        ),
        // Frameworks' own calls. They were none.
        (
            r#"{"tool": "http_request", "args": {"url": "V1"}, "log": "V2"}"#,
            &["http_request:url", "-"],
        ),
        (
            r#"{"type": "AgentAction", "tool": "fetch", "tool_input": "V1"}"#,
            &["fetch:?"],
        ),
        (
            r#"{"action": "fetch", "action_input": {"url": "V1"}}"#,
            &["begun:url"],
        ),
        // No calls.
        (r#"{"tool": "V1", "output": "V2"}"#, &["-", "-"]),
    ] {
        assert_eq!(called(body), expected, "{body}");
    }
}

/// They were no calls.
#[test]
fn partial_and_unusual_tool_calls_are_found() {
    for (body, expected) in [
        (r#"{"function": {"name": "f"}, "args": "V1"}"#, &["f:?"][..]),
        (
            r#"{"function_name": "f", "function_args": {"url": "V1"}}"#,
            &["f:url"],
        ),
        // Pieces beside the id of their call: Cohere, AI SDK, AG-UI.
        (
            r#"{"event_type": "tool-calls-chunk", "tool_call_delta": {"index": 0, "parameters": "V1"}}"#,
            &["begun:?"],
        ),
        (
            r#"{"toolCallId": "1", "argsTextDelta": "V1"}"#,
            &["begun:?"],
        ),
        (
            r#"{"type": "TOOL_CALL_ARGS", "toolCallId": "1", "delta": "V1"}"#,
            &["begun:?"],
        ),
        (
            r#"{"index": 0, "delta": {"parameters": "V1"}}"#,
            &["begun:?"],
        ),
        (r#"{"index": 0, "args": "V1"}"#, &["begun:?"]),
        // A result.
        (
            r#"{"type": "TOOL_CALL_RESULT", "toolCallId": "1", "content": "V1"}"#,
            &["-"],
        ),
    ] {
        assert_eq!(called(body), expected, "{body}");
    }
}
