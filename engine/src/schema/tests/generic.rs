//! JSON of no known format.

use super::{leaves, restored};
use crate::Schema;
use crate::json::Tape;
use crate::schema::{Form, Place, reply, request};

const IMAGE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";

/// The texts of a request except for member names.
fn texts(body: &str) -> Vec<String> {
    let leaves = leaves(Schema::Generic, body).into_iter();
    leaves
        .filter(|(.., form, _)| *form != Form::Key)
        .map(|(text, ..)| text)
        .collect()
}

#[test]
fn every_string_but_those_under_structural_keys_is_masked() {
    for (body, expected) in [
        // Completions, embeddings, moderations, images, speech, videos.
        (
            r#"{"model":"m","prompt":["a",["b"]],"suffix":"c","stop":["x"],"user":"d"}"#,
            &["a", "b", "c", "d"] as &[_],
        ),
        (
            r#"{"model":"m","input":["a",[1,2]],"encoding_format":"float","input_type":"search_document"}"#,
            &["a"],
        ),
        (r#"{"input":"a","model":"m"}"#, &["a"]),
        (
            r#"{"input":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"https://x.example/y?t=1"}}]}"#,
            &["a"],
        ),
        (
            r#"{"prompt":"a","size":"1024x1024","response_format":"b64_json","image":"IMAGE"}"#,
            &["a", "1024x1024", "b64_json"],
        ),
        (
            r#"{"input":"a","instructions":"b","voice":"alloy","response_format":"mp3"}"#,
            &["a", "b", "mp3"],
        ),
        // Rerank and Cohere.
        (
            r#"{"query":"a","documents":["b",{"id":"c","text":"d","type":"e","model":"f"}],"top_n":3}"#,
            &["a", "b", "c", "d", "e", "f"],
        ),
        (
            r#"{"messages":[{"role":"user","content":"a"}],"documents":[{"data":{"title":"b"}}]}"#,
            &["a", "b"],
        ),
        // Requests that a gateway sends on, with their headers; elsewhere the same members are data.
        (
            r#"[{"provider":"a","endpoint":"b","headers":{"Authorization":"K"},"query":{"model":"m","input":"c"}}]"#,
            &["a", "b", "c"],
        ),
        (
            r#"{"input":{"provider":"a","endpoint":"b","headers":{"note":"c"},"query":{"of":"d"}}}"#,
            &["a", "b", "c", "d"],
        ),
        (
            r#"{"provider":"a","endpoint":"b","headers":{"note":"c"},"query":"d"}"#,
            &["a", "b", "c", "d"],
        ),
        // Conversations, threads, batches.
        (
            r#"{"items":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}],"metadata":{"type":"b"}}"#,
            &["a", "b"],
        ),
        (
            r#"{"assistant_id":"i","thread":{"messages":[{"role":"user","content":"a"}]},"additional_instructions":"b"}"#,
            &["i", "a", "b"],
        ),
        (
            r#"{"tool_outputs":[{"tool_call_id":"i","output":"a"}]}"#,
            &["i", "a"],
        ),
        (
            r#"{"requests":[{"custom_id":"i","params":{"model":"m","messages":[{"role":"user","content":"a"}]}}]}"#,
            &["i", "a"],
        ),
        // Gemini and Vertex.
        (
            r#"{"systemInstruction":{"parts":[{"text":"a"}]},"contents":[{"role":"user","parts":[{"text":"b"},
            {"inlineData":{"mimeType":"image/png","data":"IMAGE"}},{"fileData":{"mimeType":"x/y","fileUri":"gs://b/o"}},
            {"functionCall":{"name":"f","args":{"name":"c","type":"d"}},"thoughtSignature":"IMAGE"},
            {"functionResponse":{"name":"f","response":{"name":"e","model":"g"}}}]}],
            "generationConfig":{"stopSequences":["x"],"responseMimeType":"application/json"}}"#,
            &["a", "b", "c", "d", "f", "e", "g"],
        ),
        // Bedrock.
        (
            r#"{"system":[{"text":"a"}],"messages":[{"role":"user","content":[{"text":"b"},
            {"toolUse":{"toolUseId":"i","name":"f","input":{"id":"c"}}},
            {"toolResult":{"toolUseId":"i","status":"success","content":[{"json":{"status":"d"}},{"text":"e"}]}},
            {"image":{"format":"png","source":{"bytes":"IMAGE"}}}]}]}"#,
            &["a", "b", "i", "c", "i", "d", "e"],
        ),
        // Ollama.
        (
            r#"{"model":"m","messages":[{"role":"user","content":"a","images":["IMAGE"]},
            {"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{"to":"b"}}}]}],"options":{"stop":["x"]}}"#,
            &["a", "b"],
        ),
        (
            r#"{"prompt":"a","system":"b","images":["IMAGE"],"format":"json"}"#,
            &["a", "b"],
        ),
    ] {
        assert_eq!(texts(&body.replace("IMAGE", IMAGE)), expected, "{body}");
    }
}

/// Each of these was masked, and so led nowhere.
#[test]
fn provider_urls_and_snowflake_schemas_are_left() {
    let url = "https://x.example/a@example.com";
    for body in [
        format!(r#"{{"webhook":"{url}"}}"#),
        format!(r#"{{"callback_url":"{url}"}}"#),
        format!(r#"{{"files":[{{"url":"{url}"}}]}}"#),
        format!(r#"{{"requests":[{{"params":{{"mcp_servers":[{{"url":"{url}"}}]}}}}]}}"#),
        r#"{"tools":[{"tool_spec":{"input_schema":{"type":"object","properties":{"p":{"enum":["a"]}}}}}]}"#.to_owned(),
    ] {
        assert!(texts(&body).is_empty(), "{body}");
    }
    assert_eq!(texts(r#"{"webhook":"a"}"#), ["a"]);
    assert_eq!(
        texts(r#"{"input":{"webhook":"https://x.example"}}"#),
        ["https://x.example"]
    );
}

/// Bedrock checks that reasoning returns as it was.
#[test]
fn signed_reasoning_of_converse_is_remembered() {
    let body = r#"{"messages":[{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"a","signature":"IMAGE"}}},{"text":"b"}]}]}"#;
    let body = body.replace("IMAGE", IMAGE);
    let tape = Tape::scan(&body, 64).unwrap();
    let signed = request(Schema::Generic, tape.root(&body)).signed;
    let signed: Vec<_> = signed.iter().map(|signed| signed.text.text()).collect();
    assert_eq!(signed, ["a"]);
}

/// Translators take a list, and each was refused.
#[test]
fn json_other_than_objects_is_read() {
    assert_eq!(texts(r#"[{"Text":"a"},["b"],1]"#), ["a", "b"]);
    assert_eq!(texts(r#""a""#), ["a"]);
}

/// Batches, realtime sessions and agents could not reach their servers: a token stood in place of each credential.
#[test]
fn credentials_for_servers_are_left() {
    let tool = r#"{"type":"mcp","server_label":"a","server_url":"https://x.example/a@example.com","authorization":"hush","headers":{"x-key":"hush"}}"#;
    let server = r#"{"type":"url","name":"a","url":"https://x.example/a@example.com","authorization_token":"hush"}"#;
    for body in [
        format!(r#"{{"session":{{"tools":[{tool}]}}}}"#),
        format!(r#"{{"tools":[{tool}]}}"#),
        format!(r#"{{"requests":[{{"params":{{"mcp_servers":[{server}]}}}}]}}"#),
        format!(r#"{{"agent":{{"mcp_servers":[{server}]}}}}"#),
        format!(r#"{{"resources":[{server}]}}"#),
    ] {
        assert_eq!(texts(&body), ["a"], "{body}");
    }
    // What is no credential of a server is masked.
    for body in [
        r#"{"input":{"url":"https://x.example","authorization_token":"a"}}"#,
        r#"{"tools":[{"name":"f","headers":"a"}]}"#,
        r#"{"authorization_token":"a","server_url":"https://x.example"}"#,
        r#"{"messages":[{"authorization":"a","server_url":"https://x.example"}]}"#,
    ] {
        assert!(texts(body).contains(&"a".to_owned()), "{body}");
    }
}

#[test]
fn tool_and_answer_schemas_keep_names_and_enum_values() {
    let schema = r#"{"type":"OBJECT","properties":{"p":{"type":"string","enum":["x"],"description":"a"}},"required":["p"]}"#;
    for body in [
        r#"{"tools":[{"functionDeclarations":[{"name":"f","parameters":SCHEMA}]}]}"#,
        r#"{"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":SCHEMA}]}]}"#,
        r#"{"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":SCHEMA}}}]}}"#,
        r#"{"tools":[{"type":"function","function":{"name":"f","parameters":SCHEMA}}]}"#,
        r#"{"tools":[{"name":"f","input_schema":SCHEMA}]}"#,
        r#"{"generationConfig":{"responseSchema":SCHEMA}}"#,
        r#"{"response_format":{"type":"json_schema","json_schema":{"schema":SCHEMA}}}"#,
        r#"{"format":SCHEMA}"#,
    ] {
        assert_eq!(texts(&body.replace("SCHEMA", schema)), ["a"], "{body}");
    }
    // Data that is called as schemas are is data.
    let body =
        r#"{"input":{"parameters":{"type":"object","enum":["a"]}},"parameters":{"enum":["b"]}}"#;
    assert_eq!(texts(body), ["object", "a", "b"]);
}

#[test]
fn a_structural_key_protects_only_plausible_values() {
    for body in [
        r#"{"type":"hunter2-Kx9"}"#,
        r#"{"status":"bob@b.example"}"#,
        r#"{"role":"AKIAIOSFODNN7EXAMPLE"}"#,
        r#"{"format":"10.0.3.17"}"#,
        r#"{"url":"bob@b.example"}"#,
        r#"{"image":"a picture of bob@b.example"}"#,
        r#"{"model":{"note":"a"}}"#,
        r#"{"name":"Bob Beispiel"}"#,
        r#"{"user_id":"bob@b.example"}"#,
    ] {
        assert_eq!(texts(body).len(), 1, "{body}");
    }
}

#[test]
fn texts_keep_body_order_and_take_member_names() {
    let body =
        r#"{"metadata":{"password":"a"},"env":[{"name":"TOKEN","value":"b"}],"tools":[{"x":"c"}]}"#;
    let found: Vec<_> = leaves(Schema::Generic, body)
        .into_iter()
        .filter(|(.., form, _)| *form == Form::Text)
        .map(|(text, name, _, place)| (text, name.unwrap_or_default(), place))
        .collect();
    let expected = [
        ("a", "password"),
        ("TOKEN", "name"),
        ("b", "TOKEN"),
        ("c", "x"),
    ];
    assert_eq!(
        found,
        expected.map(|(text, name)| (text.to_owned(), name.to_owned(), Place::Conversation))
    );
}

#[test]
fn vertex_and_bedrock_messages_are_read_as_messages() {
    let body = r#"{"anthropic_version":"vertex-2023-10-16","messages":[{"role":"assistant","content":[
        {"type":"thinking","thinking":"a","signature":"s"},{"type":"tool_use","id":"i","name":"n","input":{"x":"b"}}]}]}"#;
    assert_eq!(texts(body), ["a", "s", "b"]);
    for body in [
        body,
        r#"{"requests":[{"params":{"messages":[{"thinking":"a","signature":"s"}]}}]}"#,
    ] {
        let tape = Tape::scan(body, 64).unwrap();
        assert_eq!(request(Schema::Generic, tape.root(body)).signed.len(), 1);
    }
}

#[test]
fn requests_for_json_output_are_recognized_in_generic_formats() {
    for (body, expected) in [
        (
            r#"{"generationConfig":{"responseMimeType":"application/json"}}"#,
            true,
        ),
        (r#"{"format":"json"}"#, true),
        (r#"{"format":{"type":"object"}}"#, true),
        (r#"{"response_format":{"type":"json_object"}}"#, true),
        (r#"{"format":"png","response_format":"b64_json"}"#, false),
        ("{}", false),
    ] {
        let tape = Tape::scan(body, 64).unwrap();
        let map = request(Schema::Generic, tape.root(body));
        assert_eq!(map.json_output, expected, "{body}");
    }
}

#[test]
fn every_string_of_a_reply_is_restored() {
    let body = r#"{"id":"i","candidates":[{"content":{"role":"model","parts":[{"text":"a"},
        {"functionCall":{"name":"f","args":{"b":"c"}},"thoughtSignature":"IMAGE"},{"inlineData":{"mimeType":"image/png","data":"IMAGE"}}]}}]}"#;
    let texts: Vec<_> = restored(Schema::Generic, &body.replace("IMAGE", IMAGE))
        .into_iter()
        .filter(|(_, form)| *form != Form::Key)
        .map(|(text, _)| text)
        .collect();
    assert_eq!(texts, ["i", "model", "a", "f", "c", "image/png"]);
}

#[test]
fn signed_thinking_is_found_at_any_depth() {
    let body = r#"{"result":{"response":{"message":{"content":[{"type":"thinking","thinking":"a","signature":"s"}]}}}}"#;
    let tape = Tape::scan(body, 64).unwrap();
    assert_eq!(reply(Schema::Generic, tape.root(body)).signed.len(), 1);
}

/// Each of these keys protected a value wherever it was.
#[test]
fn a_structural_key_protects_nothing_in_data() {
    let url = "https://bob:hunter2@x.example/y";
    for body in [
        r#"{"requestMetadata":{"model":"V"}}"#,
        r#"{"customer":{"stop":"V","engine":"V"}}"#,
        r#"{"messages":[{"role":"tool","content":{"model":"V","deployment":"V"}}]}"#,
        r#"{"messages":[{"role":"tool","content":[{"url":"V"}]}]}"#,
        r#"{"tool_outputs":[{"output":{"url":"V","stop":["V"]}}]}"#,
        r#"{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{"model":"V"}}}]}]}"#,
        r#"{"customer":{"name":"V","parameters":{}}}"#,
        r#"{"customer":{"name":"V","args":[1]}}"#,
        r#"{"parameters":{"type":"object","const":"V"}}"#,
        r#"{"customer":{"schema":{"type":"object","enum":["V"]}}}"#,
        r#"{"messages":[{"mimeType":"V"}]}"#,
    ] {
        for value in ["bob@b.example", url] {
            let body = body.replace('V', value);
            let found = texts(&body).into_iter();
            let count = found.filter(|text| text == value).count();
            assert_eq!(count, body.matches(value).count(), "{body}");
        }
    }
}
