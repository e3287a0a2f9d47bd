use super::*;
use crate::json::Tape;

fn spoken(body: &str) -> String {
    let tape = Tape::scan(body, 64).unwrap();
    let speakers = Speakers::of(tape.root(body));
    let texts = tape
        .strings(body)
        .filter(|value| value.raw_content().len() == 2 && value.raw_content().starts_with('V'));
    let speaker_at = texts.map(|value| match speakers.of_text(value.start()) {
        Speaker::Unknown => "?".to_owned(),
        Speaker::System => "system".to_owned(),
        Speaker::User => "user".to_owned(),
        Speaker::Model => "model".to_owned(),
        Speaker::Tool(None) => "tool".to_owned(),
        Speaker::Tool(Some(tool)) => tool.shown(),
    });
    speaker_at.collect::<Vec<_>>().join(" ")
}

#[test]
fn every_member_that_identifies_a_speaker_is_read() {
    let others = ["type", "output", "result"];
    for name in [CALL_IDS, GIVEN, GIVEN_BUILT_IN, &others].concat() {
        assert!(TELLING.hold(name), "{name}");
    }
}

#[test]
fn result_types_need_one_word_of_each_list() {
    for gave in GAVE {
        for does in DOES {
            for name in [
                format!("{gave}{does}"),
                format!("x{does}_{gave}s").to_uppercase(),
            ] {
                assert!(names_result(&name), "{name}");
            }
            assert!(!names_result(gave) && !names_result(does));
        }
    }
    assert!(names_result("outputool") && !names_result("outputol"));
}

#[test]
fn a_result_belongs_to_the_tool_that_was_called() {
    for (body, expected) in [
        (
            r#"{"system": "V1", "metadata": {"user_id": "V2"}, "messages": [{"role": "user", "content": "V3"},
            {"role": "assistant", "content": [{"type": "text", "text": "V4"},
                {"type": "tool_use", "id": "a", "name": "read", "input": {"x": "V5"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "V6"}]},
                {"type": "tool_result", "tool_use_id": "b", "content": "V7"}, {"type": "text", "text": "V8"}]}]}"#,
            "system ? user model model read tool user",
        ),
        (
            r#"{"messages": [{"role": "developer", "content": "V1"},
            {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "read", "arguments": "V2"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "V3"}, {"role": "function", "name": "old", "content": "V4"},
            {"role": "critic", "content": "V5"}]}"#,
            "system model read old ?",
        ),
        (
            r#"{"instructions": "V1", "input": [{"role": "user", "content": [{"type": "input_text", "text": "V2"}]},
            {"type": "function_call", "call_id": "a", "name": "read", "arguments": "V3"},
            {"type": "function_call_output", "call_id": "a", "output": "V4"}, {"type": "mcp_call", "output": "V5"}]}"#,
            "system user model read ?",
        ),
        (r#"{"input": "V1"}"#, "user"),
        (r#"{"input": ["V1"], "prompt": "V2"}"#, "user user"),
        (
            r#"{"contents": [{"role": "user", "parts": [{"text": "V1"},
                {"functionResponse": {"name": "read", "response": {"a": "V2"}}}]}, {"role": "model", "parts": [{"text": "V3"}]}]}"#,
            "user read model",
        ),
        (
            r#"{"messages": [{"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "read"}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "V1"}]}}]}]}"#,
            "read",
        ),
        (
            r#"{"requests": [{"params": {"system": "V1", "messages": [{"role": "user", "content": "V2"}]}}]}"#,
            "system user",
        ),
        // The names of a tool in two parts.
        (
            r#"{"input": [{"type": "function_call", "call_id": "a", "namespace": "mcp__db__", "name": "read"},
            {"type": "function_call_output", "call_id": "a", "output": "V1"}]}"#,
            "mcp__db__read",
        ),
        (
            r#"{"messages": [{"role": "assistant", "content": [{"type": "mcp_tool_use", "id": "a", "server_name": "db", "name": "read"},
                {"type": "mcp_tool_result", "tool_use_id": "a", "content": "V1"}]}]}"#,
            "db__read",
        ),
    ] {
        assert_eq!(spoken(body), expected, "{body}");
    }
}

/// A name or role that may be read in two ways must not choose a laxer rule.
#[test]
fn ambiguous_names_and_roles_are_unknown() {
    for (body, expected) in [
        (
            r#"{"messages": [{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "read"}},
            {"id": "a", "function": {"name": "fetch"}}]}, {"role": "tool", "tool_call_id": "a", "content": "V1"}]}"#,
            "tool",
        ),
        (
            r#"{"messages": [{"role": "user", "role": "tool", "content": "V1"}]}"#,
            "?",
        ),
        (
            r#"{"messages": [{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "read", "name": "b"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "V1"},
            {"role": "tool", "tool_call_id": "a", "tool_call_id": "b", "content": "V2"}]}"#,
            "tool tool",
        ),
        // Arguments of a call are the model's words, and name no calls.
        (
            r#"{"messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "b", "name": "x", "input": {"id": "a", "name": "read"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "V1"}]}]}"#,
            "tool",
        ),
    ] {
        assert_eq!(spoken(body), expected, "{body}");
    }
}

fn origins(body: &str, is_generic: bool) -> String {
    let tape = Tape::scan(body, 64).unwrap();
    let authors = Speakers::of(tape.root(body));
    let mut speaker_at = Vec::new();
    for value in tape
        .strings(body)
        .filter(|value| value.raw_content().len() == 2 && value.raw_content().starts_with('V'))
    {
        speaker_at.push(authors.origin(value.start(), is_generic).as_str());
    }
    speaker_at.join(" ")
}

#[test]
fn message_role_and_part_type_identify_the_speaker() {
    for (body, expected) in [
        (
            r#"{"system": "V1", "tools": [{"description": "V2"}], "metadata": {"user_id": "V3"}, "messages": [
            {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "V4"}]},
                {"type": "text", "text": "V5"}, {"type": "search_result", "content": "V6"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "input": {"a": "V7"}}]}]}"#,
            "system system user tool user tool tool",
        ),
        (
            r#"{"messages": [{"role": "developer", "content": "V1"}, {"role": "user", "content": "V2"},
            {"role": "tool", "content": "V3"}, {"role": "critic", "content": "V4"}, {"content": "V5", "role": "user"}]}"#,
            "system user tool tool user",
        ),
        (
            r#"{"instructions": "V1", "input": [{"role": "user", "content": [{"type": "input_text", "text": "V2"}]},
            {"type": "function_call_output", "output": "V3"}, {"type": "mcp_call", "output": "V4"}, {"type": "input_text", "text": "V5"}]}"#,
            "system user tool tool user",
        ),
        (r#"{"input": "V1"}"#, "user"),
        (
            r#"{"systemInstruction": {"parts": [{"text": "V1"}]}, "contents": [{"parts": [{"text": "V2"}]},
            {"role": "user", "parts": [{"functionResponse": {"response": {"a": "V3"}}}]}, {"role": "model", "parts": [{"text": "V4"}]}]}"#,
            "system user tool tool",
        ),
        (
            r#"{"requests": [{"params": {"system": "V1", "messages": [{"role": "tool", "content": "V2"}]}}]}"#,
            "system tool",
        ),
        (r#"{"documents": ["V1"], "query": "V2"}"#, "tool user"),
    ] {
        assert_eq!(origins(body, false), expected, "{body}");
    }
}

/// What a tool gave counted as the user's words where no role says so, and `guard` let it out.
#[test]
fn text_within_a_result_belongs_to_the_tool() {
    for (body, expected) in [
        (
            r#"{"tool_outputs": [{"tool_call_id": "c", "output": "V1"}]}"#,
            "tool",
        ),
        (
            r#"{"input": [{"role": "user", "content": [{"type": "text", "text": "V1"}, {"type": "function_result", "result": "V2"}]}]}"#,
            "user tool",
        ),
        (
            r#"{"input": {"type": "function_result", "call_id": "c", "result": "V1"}}"#,
            "tool",
        ),
        (
            r#"{"input": {"messages": [{"type": "human", "content": "V1"}, {"type": "tool", "tool_call_id": "c", "content": "V2"},
            {"type": "system", "content": "V3"}, {"type": "ai", "content": "V4"}], "found": "V5"}}"#,
            "user tool system tool tool",
        ),
        (
            r#"{"messages": [{"content": "V1", "tool_call_id": "c"}, {"content": "V2"}]}"#,
            "tool user",
        ),
        (
            r#"{"messages": [{"role": "user", "content": [{"type": "tool-result", "result": "V1"}, {"type": "text", "text": "V2"}]},
            {"role": "user", "content": {"a": [{"tool_result": {"b": "V3"}}, "V4"]}}]}"#,
            "tool user tool user",
        ),
        (
            r#"{"inputText": "V1", "sessionState": {"returnControlInvocationResults": [{"functionResult": {"body": "V2"}}], "a": "V3"}}"#,
            "user tool tool",
        ),
        (r#"{"role": "user", "content": "V1"}"#, "user"),
        (
            r#"{"messages": [{"role": "user", "role": "tool", "content": "V1"}]}"#,
            "tool",
        ),
        (r#"{"metadata": {"a": "V1"}}"#, "tool"),
    ] {
        assert_eq!(origins(body, true), expected, "{body}");
        let spoken = spoken(body).replace('?', "tool").replace("model", "tool");
        assert_eq!(spoken, expected, "{body}");
    }
}
