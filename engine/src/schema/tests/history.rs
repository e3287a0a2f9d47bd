//! References to history that the provider holds.

use super::super::{history, names_of_reply};
use crate::json::Tape;
use crate::{HistoryKind, HistoryName, Schema};

const ALL: [Schema; 4] = [
    Schema::ChatStyle,
    Schema::MessagesStyle,
    Schema::Responses,
    Schema::Generic,
];

fn of_request(body: &str) -> Vec<HistoryName> {
    let tape = Tape::scan(body, 64).unwrap();
    let names = ALL.map(|schema| history(schema, tape.root(body)).names().to_vec());
    assert!(names.iter().all(|other| *other == names[0]), "{body}");
    names[0].clone()
}

fn of_reply(body: &str, kept: bool) -> Vec<HistoryName> {
    let tape = Tape::scan(body, 64).unwrap();
    let mut names = Vec::new();
    names_of_reply(tape.root(body), kept, &mut names);
    names
}

fn is_kept(schema: Schema, body: &str) -> bool {
    let tape = Tape::scan(body, 64).unwrap();
    history(schema, tape.root(body)).is_kept()
}

fn may_hide(body: &str) -> bool {
    let tape = Tape::scan(body, 64).unwrap();
    let may_hide = ALL.map(|schema| history(schema, tape.root(body)).may_hide());
    assert!(may_hide.iter().all(|other| *other == may_hide[0]), "{body}");
    may_hide[0]
}

#[test]
fn every_known_history_reference_in_requests_is_read() {
    let (turn, place, sealed) = (
        HistoryName::turn("x"),
        HistoryName::place("x"),
        HistoryName::sealed("x"),
    );
    for (body, name) in [
        (r#"{"previous_response_id": "x"}"#, turn),
        (r#"{"previous_interaction_id": "x"}"#, turn),
        (r#"{"cachedContent": "x"}"#, turn),
        (r#"{"cached_content": "x"}"#, turn),
        (
            r#"{"thread": {"type": "continue", "previous_message_id": "x"}}"#,
            turn,
        ),
        (
            r#"{"input": [{"type": "item_reference", "id": "x"}]}"#,
            turn,
        ),
        (r#"{"input": [{"id": "x"}]}"#, turn),
        (
            r#"{"input": [{"type": "reasoning", "id": "x", "summary": [], "encrypted_content": null}]}"#,
            turn,
        ),
        (r#"{"conversation": "x"}"#, place),
        (r#"{"conversation": {"id": "x"}}"#, place),
        (r#"{"thread": "x"}"#, place),
        (r#"{"conversation_id": "x"}"#, place),
        (r#"{"conversation_id": 17}"#, HistoryName::place("17")),
        (r#"{"thread_id": "x"}"#, place),
        (r#"{"container": "x"}"#, place),
        (r#"{"container": {"id": "x", "skills": []}}"#, place),
        (
            r#"{"tools": [{"type": "code_interpreter", "container": "x"}]}"#,
            place,
        ),
        (
            r#"{"tools": [{"type": "shell", "environment": {"type": "container_reference", "container_id": "x"}}]}"#,
            place,
        ),
        (
            r#"{"input": [{"type": "code_interpreter_call", "id": "ci", "container_id": "x"}]}"#,
            place,
        ),
        (
            r#"{"input": [{"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "x"}]}"#,
            sealed,
        ),
        (
            r#"{"input": [{"type": "compaction", "encrypted_content": "x"}]}"#,
            sealed,
        ),
        (
            r#"{"messages": [{"role": "assistant", "content": [{"type": "redacted_thinking", "data": "x"}]}]}"#,
            sealed,
        ),
        (
            r#"{"messages": [{"role": "assistant", "content": [{"type": "thinking", "thinking": "", "signature": "x"}]}]}"#,
            sealed,
        ),
        (
            r#"{"messages": [{"role": "assistant", "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]}]}"#,
            sealed,
        ),
        (
            r#"{"contents": [{"parts": [{"thoughtSignature": "x", "text": "t"}]}]}"#,
            sealed,
        ),
        (
            r#"{"messages": [{"role": "user", "content": [{"type": "code_execution_tool_result", "content": {"type": "encrypted_code_execution_result", "encrypted_stdout": "x"}}]}]}"#,
            sealed,
        ),
        (
            r#"{"messages": [{"role": "assistant", "content": [{"reasoningContent": {"redactedContent": "x"}}]}]}"#,
            sealed,
        ),
        (
            r#"{"messages": [{"role": "assistant", "content": "t", "reasoning_opaque": "x"}]}"#,
            sealed,
        ),
        (
            r#"{"messages": [{"role": "assistant", "provider_specific_fields": {"thought_signatures": ["x"]}}]}"#,
            sealed,
        ),
        (
            r#"{"messages": [{"role": "assistant", "tool_calls": [{"id": "call_1__thought__x"}]}]}"#,
            sealed,
        ),
    ] {
        assert_eq!(of_request(body), [name], "{body}");
    }
    assert_eq!(
        of_request(r#"{"context": [1, 2,3]}"#),
        of_request(r#"{"context":[1,2,3]}"#)
    );
    assert_eq!(
        of_request(r#"{"context": [1, 2]}"#)[0].kind(),
        HistoryKind::Sealed
    );
}

#[test]
fn content_in_the_request_itself_is_not_history() {
    for body in [
        "{}",
        r#"{"previous_response_id": null, "conversation": "", "context": [], "thread_id": null}"#,
        r#"{"container": {"skills": []}, "tools": [{"type": "code_interpreter", "container": {"type": "auto"}}]}"#,
        r#"{"input": [{"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "t"}]}]}"#,
        r#"{"input": [{"type": "function_call", "id": "f", "call_id": "c", "name": "now", "arguments": ""}, {"type": "function_call_output", "call_id": "c", "output": "t"}]}"#,
        r#"{"input": [{"type": "function_call_output", "call_id": "c", "output": "t"}]}"#,
        r#"{"messages": [{"role": "tool", "tool_call_id": "c", "content": "t"}]}"#,
        r#"{"input": [{"type": "mcp_approval_request", "id": "a", "name": "n"}, {"type": "mcp_approval_response", "approval_request_id": "a", "approve": true}]}"#,
        r#"{"messages": [{"role": "assistant", "content": null, "tool_calls": [{"id": "c"}]}, {"role": "tool", "tool_call_id": "c", "content": "t"}]}"#,
        r#"{"messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "n", "input": {}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}]}]}"#,
        r#"{"user": "{\"session_id\": \"x\"}", "metadata": {"user_id": "{\"session_id\": \"x\"}"}}"#,
        r#"{"input": "{\"session_id\": \"x\"}", "metadata": {"note": "{\"session_note\": \"x\"}"}}"#,
        r#"{"input": [{"type": "reasoning", "id": "r", "content": [{"type": "reasoning_text", "text": "t"}]}]}"#,
        r#"{"messages": [{"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "docker", "input": {"container_id": "c", "thread_id": "d"}},
            {"type": "web_search_tool_result", "content": [{"type": "web_search_result", "encrypted_content": "p"}]}]}]}"#,
        r#"{"tools": [{"type": "function", "parameters": {"properties": {"container": {"type": "string"}}}}]}"#,
    ] {
        assert_eq!(of_request(body), [], "{body}");
    }
}

#[test]
fn shared_resources_used_by_a_request_are_found() {
    let of = |body: &str| {
        let tape = Tape::scan(body, 64).unwrap();
        let histories = ALL.map(|schema| history(schema, tape.root(body)));
        assert!(
            histories
                .iter()
                .all(|other| other.references() == histories[0].references())
        );
        histories[0].references().to_vec()
    };
    let place = HistoryName::place;
    for (body, expected) in [
        (
            r#"{"agent_id": "a", "messages": []}"#,
            vec![place("agents")],
        ),
        (
            r#"{"assistant_id": "a", "thread": {"messages": []}}"#,
            vec![place("assistants")],
        ),
        (
            r#"{"prompt": {"id": "p", "variables": {"a": "x"}}}"#,
            vec![place("prompts")],
        ),
        (
            r#"{"cachedContent": "cachedContents/c"}"#,
            vec![place("cachedContents")],
        ),
        (
            r#"{"tools": [{"type": "file_search", "vector_store_ids": ["v"]}]}"#,
            vec![place("vector_stores")],
        ),
        (
            r#"{"tool_resources": {"file_search": {"vector_store_ids": ["v"]}}}"#,
            vec![place("vector_stores")],
        ),
        (
            r#"{"prompt": "p", "agent_id": null, "vector_store_ids": []}"#,
            vec![],
        ),
        (r#"{"input": [{"content": [{"agent_id": "a"}]}]}"#, vec![]),
    ] {
        assert_eq!(of(body), expected, "{body}");
    }
}

/// Each was treated as a request that contains all its history, and an old token came back as a
/// newer value.
#[test]
fn placeholder_items_refer_to_history() {
    let turn = HistoryName::turn("x");
    for body in [
        r#"{"input": [{"type": "web_search_call", "id": "x", "status": "completed"}]}"#,
        r#"{"input": [{"type": "computer_call", "id": "x", "call_id": "c", "action": null}]}"#,
        r#"{"input": [{"type": "message", "id": "x", "role": "assistant", "content": []}]}"#,
        r#"{"input": [{"role": "assistant", "id": "x", "content": [{"type": "output_text", "text": "", "annotations": []}]}]}"#,
        r#"{"messages": [{"role": "assistant", "id": "x", "content": ""}]}"#,
    ] {
        assert_eq!(of_request(body), [turn], "{body}");
    }
}

/// Neither was it read here.
#[test]
fn json_in_a_string_can_identify_a_conversation() {
    let place = HistoryName::place("x");
    for body in [
        r#"{"metadata": "{\"session_id\": \"x\"}"}"#,
        r#"{"metadata": "[{\"thread\": {\"id\": \"x\"}}]"}"#,
        r#"{"metadata": {"context": "{\"a\": {\"b\": {\"conversationId\": \"x\"}}}"}}"#,
        r#"{"metadata": "{\"a\": \"{\\\"sid\\\": \\\"x\\\"}\"}"}"#,
        r#"{"options": "{\"session_id\": \"x\"}"}"#,
    ] {
        assert_eq!(of_request(body), [place], "{body}");
    }
}

#[test]
fn unknown_ids_are_only_assumed_to_be_history() {
    let is_assumed = |body: &str| {
        let tape = Tape::scan(body, 64).unwrap();
        history(Schema::Generic, tape.root(body)).is_assumed()
    };
    assert!(is_assumed(r#"{"order_id": "x"}"#));
    for body in [
        r#"{"order_id": "x", "session_id": "y"}"#,
        r#"{"order_id": "x", "previous_response_id": "y"}"#,
    ] {
        assert!(!is_assumed(body), "{body}");
    }
}

/// It was treated as a request that contains all its history, on usual paths too.
#[test]
fn an_unknown_id_counts_as_history() {
    let of = |schema, body: &str| {
        let tape = Tape::scan(body, 64).unwrap();
        history(schema, tape.root(body)).names().to_vec()
    };
    let (turn, place) = (HistoryName::turn("x"), HistoryName::place("x"));
    for (body, expected) in [
        (r#"{"memory_id": "x"}"#, vec![place]),
        (r#"{"runId": "x"}"#, vec![turn]),
        (r#"{"parentMessageId": "x"}"#, vec![turn]),
        (r#"{"session": "x"}"#, vec![place]),
        (r#"{"bot": {"id": "x"}}"#, vec![place]),
        (r#"{"metadata": {"session_id": "x"}}"#, vec![place]),
        (
            r#"{"extra": {"a": {"b": {"c": {"session_id": "x"}}}}}"#,
            vec![place],
        ),
        (r#"{"session_id": "x"}"#, vec![place]),
        (r#"{"sessionId": "x"}"#, vec![place]),
        (r#"{"thread_id": "x"}"#, vec![place]),
        (
            r#"{"user_id": "x", "modelId": "x", "input_file_id": "x", "agent_id": "x"}"#,
            vec![],
        ),
        (
            r#"{"input": {"order_id": "x"}, "valid": "x", "memory_id": null, "session": true}"#,
            vec![],
        ),
        // Codex, for statistics.
        (r#"{"client_metadata": {"session_id": "x"}}"#, vec![]),
    ] {
        for schema in [Schema::Generic, Schema::ChatStyle, Schema::MessagesStyle] {
            assert_eq!(of(schema, body), expected, "{body}");
        }
    }
}

/// Their ids led nowhere, and a token in a file that the model had written came back as a newer value.
#[test]
fn file_ids_are_read_from_requests_and_replies() {
    for body in [
        r#"{"messages": [{"role": "user", "content": [{"type": "container_upload", "file_id": "x"}]}]}"#,
        r#"{"messages": [{"role": "user", "content": [{"type": "document", "source": {"type": "file", "file_id": "x"}}]}]}"#,
        r#"{"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "x"}}]}]}"#,
        r#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "t"}], "attachments": [{"file_id": "x"}]}]}"#,
        r#"{"input": [{"role": "user", "content": [{"type": "input_file", "file_id": "x"}]}]}"#,
        r#"{"input": [{"type": "function_call_output", "call_id": "c", "output": [{"type": "input_image", "file_id": "x"}]}]}"#,
        r#"{"tools": [{"type": "code_interpreter", "container": {"type": "auto", "file_ids": ["x"]}}]}"#,
        r#"{"tool_resources": {"code_interpreter": {"file_ids": ["x"]}}}"#,
        r#"{"contents": [{"parts": [{"fileData": {"mimeType": "text/plain", "fileUri": "x"}}]}]}"#,
        r#"{"contents": [{"parts": [{"file_data": {"file_uri": "x"}}]}]}"#,
    ] {
        assert_eq!(of_request(body), [HistoryName::file("x")], "{body}");
    }
    for body in [
        r#"{"content": [{"type": "bash_code_execution_tool_result", "content": {"content": [{"type": "bash_code_execution_output", "file_id": "x"}]}}]}"#,
        r#"{"type": "content_block_start", "content_block": {"content": {"content": [{"type": "code_execution_output", "file_id": "x"}]}}}"#,
        r#"{"type": "response.output_text.annotation.added", "annotation": {"type": "container_file_citation", "file_id": "x"}}"#,
        r#"{"content": [{"type": "image_file", "image_file": {"file_id": "x"}}]}"#,
        r#"{"candidates": [{"content": {"parts": [{"fileData": {"fileUri": "x"}}]}}]}"#,
    ] {
        assert_eq!(of_reply(body, false), [HistoryName::file("x")], "{body}");
    }
}

#[test]
fn file_ids_in_data_and_search_results_are_ignored() {
    for body in [
        r#"{"messages": [{"role": "assistant", "content": [{"type": "tool_use", "name": "n", "input": {"file_id": "x", "a": [{"file_id": "y"}]}}]}]}"#,
        r#"{"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "n", "arguments": {"file_id": "x"}}}]}]}"#,
        r#"{"contents": [{"parts": [{"functionCall": {"name": "n", "args": {"file_id": "x"}}}]}, {"parts": [{"functionResponse": {"name": "n", "response": {"file_id": "x"}}}]}]}"#,
        r#"{"input": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "t", "annotations": [{"type": "file_citation", "file_id": "x"}]}]}]}"#,
        r#"{"messages": [{"role": "assistant", "content": [{"annotations": [{"type": "file_citation", "file_citation": {"file_id": "x"}}]}]}]}"#,
        r#"{"input": [{"type": "file_search_call", "queries": [], "results": [{"file_id": "x", "text": "t"}]}]}"#,
        r#"{"tools": [{"name": "n", "input_schema": {"properties": {"file_id": {"type": "string"}}}}]}"#,
        r#"{"file_id": null, "file_ids": []}"#,
    ] {
        assert_eq!(of_request(body), [], "{body}");
        assert_eq!(of_reply(body, false), [], "{body}");
    }
}

/// A gateway once refused requests with ids that only might be history.
#[test]
fn a_file_reference_is_only_assumed_to_be_history() {
    let body = r#"{"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "x"}}]}]}"#;
    let tape = Tape::scan(body, 64).unwrap();
    let histories = history(Schema::ChatStyle, tape.root(body));
    assert!(histories.is_assumed() && !histories.is_kept() && !histories.is_empty());
}

/// None of them was read, and an old token came back as a newer value.
#[test]
fn history_is_found_within_lists_objects_and_pairs() {
    let (turn, place) = (HistoryName::turn("x"), HistoryName::place("x"));
    for (body, name) in [
        (r#"{"session_params": {"id": "x", "rid": null}}"#, place),
        (
            r#"{"instances": [{"prompt": "p", "session_id": "x"}]}"#,
            place,
        ),
        (
            r#"{"extra": [[{"a": [{"b": {"session_id": "x"}}]}]]}"#,
            place,
        ),
        (
            r#"{"messages": [{"role": "user", "content": "t", "thread_id": "x"}]}"#,
            place,
        ),
        (
            r#"{"messages": [{"role": "user", "content": "t", "session": {"id": "x"}}]}"#,
            place,
        ),
        (
            r#"{"input": [{"role": "user", "content": "t", "metadata": {"threadId": "x", "run_id": "y"}}]}"#,
            place,
        ),
        (
            r#"{"inputs": [{"name": "prompt", "data": ["t"]}, {"name": "session_id", "data": ["x"]}]}"#,
            place,
        ),
        (
            r#"{"metadata": [{"key": "sessionId", "value": "x"}]}"#,
            place,
        ),
        (
            r#"{"attributes": [{"key": "session.id", "value": {"stringValue": "x"}}]}"#,
            place,
        ),
        (r#"{"conversation_state": "x"}"#, place),
        (r#"{"parameters": {"sequence_id": "x"}}"#, turn),
        (
            r#"{"parameters": {"sequence_id": {"string_param": "x"}}}"#,
            turn,
        ),
        (
            r#"{"inputs": [{"name": "t", "parameters": {}}], "parameters": {"sequence_id": "x"}}"#,
            turn,
        ),
        (r#"{"extra_body": {"previous_response_id": "x"}}"#, turn),
        (r#"{"context": {"id": "x"}}"#, turn),
        (r#"{"previous_response": {"id": "x"}}"#, turn),
        (r#"{"previous_request_ids": ["x"]}"#, turn),
        (r#"{"continuation": "x"}"#, turn),
        (r#"{"continuation_token": "x"}"#, turn),
        (r#"{"resume_token": "x"}"#, turn),
        (r#"{"previous_response": "x"}"#, turn),
        (r#"{"reply_to": "x"}"#, turn),
        (r#"{"fork_from": "x"}"#, turn),
        (r#"{"cursor": "x"}"#, turn),
        (r#"{"state": "x"}"#, turn),
        (r#"{"uuid": "x"}"#, turn),
        (r#"{"id": "x"}"#, turn),
        (r#"{"_id": "x"}"#, turn),
        (r#"{"document_ids": ["x"]}"#, turn),
    ] {
        assert_eq!(of_request(body), [name], "{body}");
    }
    let long = "x".repeat(600);
    let body = format!(r#"{{"continuation_token": "{long}"}}"#);
    assert_eq!(of_request(&body), [HistoryName::turn(&long)]);
}

#[test]
fn data_labels_and_request_ids_are_not_history() {
    for body in [
        r#"{"messages": [{"role": "assistant", "content": [{"type": "tool_use", "name": "n", "input": {"session_id": "x", "a": [{"thread_id": "x"}]}}]}]}"#,
        r#"{"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "n", "arguments": {"session_id": "x"}}}]}]}"#,
        r#"{"chat_history": [{"role": "user", "tool_results": [{"outputs": [{"session_id": "x"}]}]}], "documents": [{"session_id": "x"}]}"#,
        r#"{"history": [{"role": "user", "content": [{"session_id": "x"}]}, {"parts": [{"session_id": "x"}]}]}"#,
        r#"{"tools": [{"type": "function", "function": {"name": "session_id", "parameters": {"properties": {"session": {"id": "x"}}}}}]}"#,
        r#"{"functions": [{"name": "n", "parameters": {"session_id": "x"}}], "call": {"name": "n", "parameters": {"session_id": "x"}}}"#,
        r#"{"metadata": {"run_id": "x", "task_id": "x", "request_id": "x"}, "labels": {"team": "x"}}"#,
        r#"{"request_id": "x", "user_id": "x", "idempotency_key": "x", "trace_id": "x", "project_id": "x"}"#,
        r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#,
        r#"{"stop_token_ids": [1], "eos_token_id": 2, "input_ids": [3], "state": "of the art", "resume": "my life so far"}"#,
        r#"{"chat_template_kwargs": {"enable_thinking": true}, "session_params": {"timeout": 3}, "extra": [1, "session_id", null]}"#,
    ] {
        assert_eq!(of_request(body), [], "{body}");
    }
}

/// Their tokens keep small numbers.
#[test]
fn full_history_clients_refer_to_no_stored_history() {
    for body in [
        // The SDK of OpenAI, with everything that identifies a user or a request.
        r#"{"model": "m", "user": "u", "safety_identifier": "s", "prompt_cache_key": "k", "prompt_cache_retention": "24h", "store": false,
            "metadata": {"run_id": "r", "task_id": "t", "user_id": "u"}, "service_tier": "auto", "stream_options": {"include_usage": true},
            "response_format": {"type": "json_schema", "json_schema": {"name": "session", "schema": {"properties": {"session": {"id": "x"}}}}},
            "messages": [{"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "n", "arguments": "{\"session_id\": \"x\"}"}}]},
                {"role": "tool", "tool_call_id": "c", "content": "{\"thread_id\": \"x\"}"}, {"id": "m", "role": "user", "content": "t"}]}"#,
        // Claude Code, and what a server of its kind needs.
        r#"{"model": "m", "metadata": {"user_id": "{\"device_id\": \"d\", \"account_uuid\": \"a\", \"session_id\": \"s\"}"},
            "thinking": {"type": "adaptive"}, "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
            "mcp_servers": [], "output_config": {"effort": "high"},
            "tools": [{"name": "TaskOutput", "input_schema": {"type": "object", "properties": {"task_id": {"type": "string"}}}}, {"type": "memory_20250818", "name": "memory"}],
            "messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "n", "input": {"task_id": "t", "run_id": "r"}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "t"}]}]}"#,
        // Codex.
        r#"{"model": "m", "store": false, "prompt_cache_key": "k", "client_metadata": {"x-codex-installation-id": "i", "session_id": "s"},
            "include": ["reasoning.encrypted_content"], "reasoning": {"effort": "high", "context": null}, "text": {"verbosity": "low"},
            "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "t"}]},
                {"type": "function_call", "id": "f", "call_id": "c", "name": "n", "arguments": "{\"session_id\": 1}"}, {"type": "function_call_output", "call_id": "c", "output": "t"}]}"#,
        // Gateways and servers of models.
        r#"{"trace": {"trace_id": "t", "parent_span_id": "p", "generation_name": "g"}, "provider": {"order": ["a"]}, "plugins": [{"id": "web"}]}"#,
        r#"{"request_id": "r", "cache_salt": "c", "kv_transfer_params": {"remote_engine_id": "e", "remote_request_id": "r", "remote_block_ids": [1]}, "vllm_xargs": {"a": 1}}"#,
        r#"{"requestMetadata": {"user": "u"}, "labels": {"team": "t"}, "options": {"num_ctx": 8}, "keep_alive": "5m", "guardrailConfig": {"guardrailIdentifier": "g"}}"#,
        r#"{"data_sources": [{"type": "azure_search", "parameters": {"endpoint": "e", "index_name": "i", "authentication": {"type": "api_key", "key": "k"}}}]}"#,
    ] {
        assert_eq!(of_request(body), [], "{body}");
        assert!(!may_hide(body), "{body}");
    }
}

/// What the provider sealed in these places could bring a token back that a new value had got. The text next to it may be
/// a summary of what it sealed.
#[test]
fn a_signature_is_sealed_content() {
    let seal = "QUJD".repeat(12);
    let named = [HistoryName::sealed(&seal)];
    for part in [
        r#"{"type": "reasoning.text", "text": "", "signature": "S"}"#,
        r#"{"type": "reasoning.text", "text": "t", "signature": "S"}"#,
        r#"{"type": "thinking", "thinking": "t", "signature": "S"}"#,
        r#"{"type": "reasoning.summary", "summary": "x", "signature": "S"}"#,
        r#"{"reasoningContent": {"reasoningText": {"text": "", "signature": "S"}}}"#,
        r#"{"type": "connector_text", "connector_text": "", "signature": "S"}"#,
        r#"{"encrypted_reasoning": "S"}"#,
        r#"{"reasoning_signature": "S"}"#,
    ] {
        let body = format!(r#"{{"messages": [{{"role": "assistant", "content": [{part}]}}]}}"#);
        let body = body.replace("\"S\"", &format!("\"{seal}\""));
        assert_eq!(of_request(&body), named, "{body}");
    }
    for part in [
        r#"{"name": "f", "signature": "def f(x)"}"#,
        r#"{"type": "function_call", "name": "f", "arguments": {"signature": "S"}}"#,
    ] {
        let body = format!(r#"{{"messages": [{{"role": "assistant", "content": [{part}]}}]}}"#);
        let body = body.replace("\"S\"", &format!("\"{seal}\""));
        assert_eq!(of_request(&body), [], "{body}");
    }
}

/// What one block hides is hidden, even if another shows a text under the same signature.
#[test]
fn a_signature_is_visible_only_if_every_block_shows_text() {
    let shown = r#"{"type": "thinking", "thinking": "t", "signature": "s"}"#;
    let hidden = r#"{"type": "thinking", "thinking": "", "signature": "s"}"#;
    for (blocks, count) in [
        (format!("[{shown}]"), 1),
        (format!("[{shown}, {hidden}]"), 0),
    ] {
        let body = format!(r#"{{"messages": [{{"role": "assistant", "content": {blocks}}}]}}"#);
        let tape = Tape::scan(&body, 64).unwrap();
        let mut history = history(Schema::MessagesStyle, tape.root(&body));
        assert_eq!(history.shown().len(), count);
        history.keep_known(|_| false);
        assert_eq!(history.names().len(), 1 - count);
    }
}

/// Tokens that one conversation wrote to them came back in another as its values.
#[test]
fn tools_that_keep_their_input_may_hide_history() {
    for body in [
        r#"{"mcp_servers": [{"type": "url", "name": "memory", "url": "u", "authorization_token": "t"}]}"#,
        r#"{"tools": [{"type": "mcp_toolset", "mcp_server_name": "memory"}]}"#,
        r#"{"tools": [{"name": "n", "input_schema": {}}, {"type": "mcp", "server_label": "notes", "connector_id": "c"}]}"#,
        r#"{"tools": [{"mcpServers": [{"name": "n", "streamableHttpTransport": {"url": "u"}}]}]}"#,
        r#"{"requests": [{"custom_id": "a", "params": {"mcp_servers": [{"type": "url"}]}}]}"#,
        r#"{"message": "t", "connectors": [{"id": "c"}]}"#,
    ] {
        assert!(may_hide(body), "{body}");
    }
    for body in [
        r#"{"connectors": [], "tools": [{"type": "function", "function": {"name": "mcp__db__read"}}]}"#,
        r#"{"input": [{"type": "mcp_list_tools", "server_label": "l", "tools": [{"name": "mcp"}]}]}"#,
        r#"{"messages": [{"role": "user", "content": [{"type": "mcp_tool_result", "tool_use_id": "a"}]}]}"#,
    ] {
        assert!(!may_hide(body), "{body}");
    }
}

#[test]
fn history_ids_come_before_sealed_content_without_duplicates() {
    let body = r#"{"input": [{"type": "reasoning", "encrypted_content": "s"},
        {"type": "reasoning", "encrypted_content": "s"}],
        "previous_response_id": "r", "conversation": "c"}"#;
    let expected = [
        HistoryName::place("c"),
        HistoryName::turn("r"),
        HistoryName::sealed("s"),
    ];
    assert_eq!(of_request(body), expected);
}

#[test]
fn replies_get_names_that_later_requests_can_use() {
    let (turn, place, sealed) = (HistoryName::turn, HistoryName::place, HistoryName::sealed);
    let response = r#"{"id": "r", "object": "response", "conversation": {"id": "c"}, "output": [
        {"type": "reasoning", "id": "i", "encrypted_content": "s"},
        {"type": "code_interpreter_call", "id": "j", "container_id": "k"},
        {"type": "function_call", "id": "f"}]}"#;
    let event = format!(r#"{{"type": "response.completed", "response": {response}}}"#);
    for body in [response, &event] {
        let mut names = of_reply(body, true);
        names.sort();
        let mut expected = [
            turn("r"),
            turn("i"),
            turn("j"),
            turn("f"),
            place("c"),
            place("k"),
            sealed("s"),
        ];
        expected.sort();
        assert_eq!(names, expected, "{body}");
        let mut unstored = of_reply(body, false);
        unstored.sort();
        let mut expected = [place("c"), place("k"), sealed("s")];
        expected.sort();
        assert_eq!(unstored, expected, "{body}");
    }
    for (body, name) in [
        (
            r#"{"type": "response.output_item.done", "item": {"type": "reasoning", "encrypted_content": "s"}}"#,
            sealed("s"),
        ),
        (
            r#"{"type": "message_delta", "delta": {"container": {"id": "c"}}}"#,
            place("c"),
        ),
        (
            r#"{"type": "message_start", "message": {"id": "m", "container": {"id": "c"}}}"#,
            place("c"),
        ),
        (
            r#"{"type": "content_block_delta", "delta": {"type": "signature_delta", "signature": "s"}}"#,
            sealed("s"),
        ),
        (
            r#"{"type": "content_block_start", "content_block": {"type": "redacted_thinking", "data": "s"}}"#,
            sealed("s"),
        ),
        (r#"{"id": "c", "object": "conversation"}"#, place("c")),
        (r#"{"id": "t", "object": "thread"}"#, place("t")),
        (
            r#"{"id": "run", "object": "thread.run", "thread_id": "t"}"#,
            place("t"),
        ),
        (r#"{"id": "i", "object": "interaction"}"#, turn("i")),
        // The tokens of such conversations stayed in later replies.
        (r#"{"response_id": "r", "output": []}"#, turn("r")),
        (
            r#"{"jsonrpc": "2.0", "result": {"contextId": "c"}}"#,
            turn("c"),
        ),
        (r#"{"response": "t", "context": [1, 2]}"#, sealed("[1,2]")),
        (
            r#"{"id": "chatcmpl", "choices": [{"delta": {"reasoning_details": [{"type": "reasoning.encrypted", "data": "s"}]}}]}"#,
            sealed("s"),
        ),
    ] {
        assert_eq!(of_reply(body, false), [name], "{body}");
    }
    for unnamed in [
        r#"{"id": "chatcmpl", "object": "chat.completion"}"#,
        r#"{"previous_response_id": "p", "trace_run_id": "t", "task_id": null}"#,
    ] {
        assert_eq!(of_reply(unnamed, false), [], "{unnamed}");
    }
    let task = r#"{"result": {"id": "t"}, "outputs": [{"id": "o"}]}"#;
    assert_eq!(of_reply(task, true), [turn("o"), turn("t")]);
}

#[test]
fn only_stored_replies_can_be_referenced_later() {
    assert!(is_kept(Schema::Responses, "{}"));
    assert!(!is_kept(Schema::Responses, r#"{"store": false}"#));
    assert!(is_kept(
        Schema::Responses,
        r#"{"store": false, "conversation": "c"}"#
    ));
    assert!(!is_kept(Schema::ChatStyle, "{}"));
    assert!(!is_kept(
        Schema::MessagesStyle,
        r#"{"messages": [{"type": "redacted_thinking", "data": "s"}]}"#
    ));
    assert!(is_kept(
        Schema::MessagesStyle,
        r#"{"thread": {"type": "new"}}"#
    ));
}
