//! Bodies that deviate from the formats, and the names of values.

use super::{Form, Place, leaves, masked, restored};
use crate::Schema::{ChatStyle, Generic, MessagesStyle, Responses};

#[test]
fn content_of_any_shape_is_read() {
    for (content, texts) in [
        (r#""a""#, &["a"] as &[_]),
        (r#"["a","b"]"#, &["a", "b"]),
        (r#"[["a"],[{"type":"text","text":"b"}]]"#, &["a", "b"]),
        (r#"{"type":"text","text":"a"}"#, &["a"]),
        (r#"{"text":{"deep":["a"]}}"#, &["text", "deep", "a"]),
        (
            r#"{"id":"a","status":{"role":"b"}}"#,
            &["id", "a", "status", "role", "b"],
        ),
        (
            r#"{"inline_data":{"mime_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"}}"#,
            &["inline_data", "mime_type", "image/png"],
        ),
        (
            r#"{"type":"text","text":["a",{"x":"b"}]}"#,
            &["a", "x", "b"],
        ),
        ("17", &[]),
        ("null", &[]),
    ] {
        let messages = format!(r#"{{"messages":[{{"role":"user","content":{content}}}]}}"#);
        assert_eq!(masked(ChatStyle, &messages), texts, "{messages}");
        assert_eq!(masked(MessagesStyle, &messages), texts, "{messages}");
    }
    assert_eq!(masked(ChatStyle, r#"{"messages":"a"}"#), ["a"]);
    assert_eq!(masked(ChatStyle, r#"{"prompt":["a",["b"]]}"#), ["a", "b"]);
    assert_eq!(
        masked(Responses, r#"{"input":["a",{"content":"b"}]}"#),
        ["a", "b"]
    );
    assert_eq!(masked(MessagesStyle, r#"[{"x":"a"}]"#), ["x", "a"]);
}

#[test]
fn member_names_match_in_any_case() {
    assert_eq!(
        masked(ChatStyle, r#"{"Messages":[{"Content":"a"}]}"#),
        ["Content", "a"]
    );
    assert_eq!(
        masked(ChatStyle, r#"{"m\u0065ssages":[{"content":"a"}]}"#),
        ["a"]
    );
    assert_eq!(masked(ChatStyle, r#"{"Model":"a","STOP":["b"]}"#), [""; 0]);
}

#[test]
fn a_duplicate_member_hides_nothing() {
    let body = r#"{"messages":[{"content":"a"}],"messages":[{"content":"b","content":"c"}]}"#;
    assert_eq!(masked(ChatStyle, body), ["a", "b", "c"]);
    // Whichever of the two types the provider uses, the text is masked.
    let block = r#"{"type":"image","type":"text","text":"a","source":{"type":"base64","type":"text","data":"b"}}"#;
    let body = format!(r#"{{"messages":[{{"content":[{block}]}}]}}"#);
    assert_eq!(
        masked(MessagesStyle, &body),
        [
            "text", "a", "source", "type", "base64", "type", "text", "data", "b"
        ]
    );
}

#[test]
fn media_is_recognized_by_its_type() {
    let body = r#"{"messages":[{"content":[
        {"type":"document","source":{"type":"text","media_type":"application/pdf","data":"a"}},
        {"type":"document","source":{"type":"base64","media_type":"text/plain","data":"b"}},
        {"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"b@b.example"}},
        {"type":"new_kind","mimeType":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ","note":"f"},
        {"type":"new_kind","url":"data:image/png;base64,iVBORw0KGgo="}
    ]}]}"#;
    assert_eq!(
        masked(MessagesStyle, body),
        [
            "a",
            "b",
            "b@b.example",
            "mimeType",
            "image/png",
            "note",
            "f",
            "url"
        ]
    );
}

#[test]
fn sealed_content_is_left_in_parts_but_masked_in_data() {
    let seal = "EqQBCgIYAhIkYThlNmQ5ZTgtN2YEqQBCgIYAhIkYThlNmQ5";
    let members = format!(
        r#""encrypted_state":"{seal}","signature":"hunter2-Kx9","encrypted_key":"ghp_{seal}{seal}","id":"d""#
    );
    let read = |type_of: &str| {
        let body = format!(r#"{{"messages":[{{"content":[{{{type_of}{members}}}]}}]}}"#);
        let mut texts = masked(MessagesStyle, &body);
        texts.retain(|text| !text.contains('_') || text.starts_with("ghp"));
        texts
    };
    let key = format!("ghp_{seal}{seal}");
    assert_eq!(
        read(r#""type":"new","#),
        ["signature", "hunter2-Kx9", &key, "id", "d"]
    );
    assert_eq!(
        read(""),
        [seal, "signature", "hunter2-Kx9", &key, "id", "d"]
    );
}

#[test]
fn unknown_members_among_settings_are_masked() {
    for (body, texts) in [
        (
            r#"{"stream_options":{"include_usage":true,"note":"a"}}"#,
            &["a"] as &[_],
        ),
        (
            r#"{"web_search_options":{"user_location":{"type":"b","approximate":{"city":"c","note":["a"]}}}}"#,
            &["a"],
        ),
        (
            r#"{"reasoning":{"effort":"low","deep":{"id":"a"}}}"#,
            &["a"],
        ),
        (
            r#"{"moderation":{"model":"m","policy":{"input":{"mode":"n"}}},"anything_else":"a"}"#,
            &["a"],
        ),
        (
            r#"{"tools":[{"type":"web_search","filters":{"key":"k","value":"v"},"user_location":{"city":"c"},"owner":"a"}]}"#,
            &["a"],
        ),
        (
            r#"{"tools":[{"type":"brand_new","parameters":{"type":"object","properties":{"p":{"enum":["e"],"description":"a"}}}}]}"#,
            &["a"],
        ),
    ] {
        for schema in [ChatStyle, MessagesStyle, Responses] {
            let found: Vec<_> = leaves(schema, body)
                .into_iter()
                .filter(|(.., form, _)| *form != Form::Key)
                .map(|(text, ..)| text)
                .collect();
            assert_eq!(found, texts, "{body}");
        }
    }
}

#[test]
fn only_base64_passes_as_base64() {
    let part = |url: &str| {
        let part = format!(r#"{{"type":"new_kind","url":"{url}"}}"#);
        masked(
            MessagesStyle,
            &format!(r#"{{"messages":[{{"content":[{part}]}}]}}"#),
        )
        .len()
    };
    assert_eq!(part("data:image/png;base64,iVBORw0K\\/Go="), 1);
    assert_eq!(part("data:text/plain;base64,bob\\u0040b\\u002eexample"), 2);
    assert_eq!(part("data:bob@b.example;base64,AAAA"), 2);
    assert_eq!(part("data:text/plain,bob@b.example"), 2);
}

#[test]
fn format_keywords_inside_tool_input_are_data() {
    let body = r#"{"messages":[{"content":[{"type":"tool_use","id":"i","name":"n",
        "input":{"type":"a","name":"b","id":"c","signature":"d","data":"e"}}]}]}"#;
    let texts: Vec<_> = leaves(MessagesStyle, body)
        .into_iter()
        .filter(|(.., form, _)| *form == Form::Text)
        .map(|(text, ..)| text)
        .collect();
    assert_eq!(texts, ["a", "b", "c", "d", "e"]);
}

#[test]
fn member_names_declared_by_a_tool_are_not_masked() {
    let body = r#"{
        "messages":[{"content":[{"type":"tool_use","input":{"to":"a","bob@b.example":{"t\u006f":"c"}}}]}],
        "tools":[{"name":"mail","input_schema":{"properties":{"to":{"type":"string"}}}}]
    }"#;
    assert_eq!(masked(MessagesStyle, body), ["a", "bob@b.example", "c"]);
}

#[test]
fn a_value_takes_the_name_it_is_assigned_to() {
    let input = r#"{
        "password":"a", "list":["b"],
        "env":[{"name":"DB_PASSWORD","value":"c"},{"Value":"d","Key":"TOKEN"},{"value":"e"}],
        "argv":["psql","--password","f","-x","--flag","g"]
    }"#;
    let body = format!(r#"{{"input":[{{"type":"tool_search_call","arguments":{input}}}]}}"#);
    let named: Vec<_> = leaves(Responses, &body)
        .into_iter()
        .filter(|(.., form, _)| *form == Form::Text)
        .map(|(text, name, ..)| (text, name.unwrap()))
        .collect();
    let name_of = |text: &str| {
        let (_, name) = named.iter().find(|(named, _)| named == text).unwrap();
        name.as_str()
    };
    for (text, name) in [
        ("a", "password"),
        ("b", "list"),
        ("c", "DB_PASSWORD"),
        ("d", "TOKEN"),
        ("e", "value"),
        ("psql", "argv"),
        ("f", "--password"),
        ("-x", "argv"),
        ("--flag", "argv"),
        ("g", "--flag"),
    ] {
        assert_eq!(name_of(text), name, "{text}");
    }
    let body = r#"{"input":[{"type":"local_shell_call","action":{"env":{"PGPASSWORD":"a"}}}]}"#;
    assert!(leaves(Responses, body).contains(&(
        "a".to_owned(),
        Some("PGPASSWORD".to_owned()),
        Form::Text,
        Place::Conversation
    )));
    let body = r#"{"messages":[{"content":"a"}],"system":[{"type":"text","text":"b"}]}"#;
    assert!(
        leaves(MessagesStyle, body)
            .iter()
            .all(|(_, name, ..)| name.is_none())
    );
}

#[test]
fn a_schema_default_stays_one_of_the_allowed_values() {
    let schema = r#"{"properties":{
        "token":{"default":"a","examples":["b"],"description":"c"},
        "level":{"enum":["low","high"],"default":"low"},
        "enum":{"enum":["d"],"x-note":"e"}}}"#;
    let body =
        format!(r#"{{"tools":[{{"type":"function","function":{{"parameters":{schema}}}}}]}}"#);
    let found: Vec<_> = leaves(ChatStyle, &body)
        .into_iter()
        .map(|(text, name, ..)| (text, name.unwrap_or_default()))
        .collect();
    let expected = [("a", "token"), ("b", "token"), ("c", ""), ("e", "x-note")];
    assert_eq!(
        found,
        expected.map(|(text, name)| (text.to_owned(), name.to_owned()))
    );
}

#[test]
fn tools_and_instructions_come_before_growing_messages() {
    let body = r#"{"metadata":{"user_id":"d"},"messages":[{"content":"c"}],"system":"b",
        "tools":[{"name":"t","description":"a"}]}"#;
    let mut found = leaves(MessagesStyle, body);
    found.retain(|(.., form, _)| *form != Form::Key);
    found.sort_by_key(|(.., place)| *place);
    let texts: Vec<_> = found.iter().map(|(text, ..)| text.as_str()).collect();
    assert_eq!(texts, ["a", "b", "c", "d"]);
}

#[test]
fn credentials_that_the_provider_uses_are_left() {
    let body = r#"{"tools":[
        {"type":"mcp","authorization":"x","headers":{"Authorization":"x"},"server_description":"a"},
        {"type":"brand_new","authorization":"x","deep":{"description":"b","headers":{"a":"c"}}},
        {"type":"shell","environment":{"network_policy":{"domain_secrets":[{"value":"x"}]}}}]}"#;
    assert_eq!(
        masked(Responses, body),
        ["a", "deep", "description", "b", "headers", "a", "c"]
    );
    let body = r#"{"mcp_servers":[{"authorization_token":"x","url":"x","note":"a"}]}"#;
    assert_eq!(masked(MessagesStyle, body), ["note", "a"]);
    let body = r#"{"data_sources":[{"type":"x","parameters":{"endpoint":"x","authentication":{"key":"x"},"filter":"a"}}]}"#;
    assert_eq!(masked(ChatStyle, body), ["filter", "a"]);
    // LiteLLM's proxy reads it; below the top it is anyone's.
    let body = r#"{"api_key":"x","input":[{"note":{"api_key":"a"}}]}"#;
    for schema in [ChatStyle, MessagesStyle, Responses, Generic] {
        let found = masked(schema, body);
        assert!(found.contains(&"a".to_owned()), "{found:?}");
        assert!(!found.contains(&"x".to_owned()), "{found:?}");
    }
}

/// An address as the type of a tool's result was sent.
#[test]
fn the_type_of_an_unknown_object_is_masked() {
    let body = r#"{"input":[{"type":"function_call_output","output":{"type":"a@example.com","x":"b"}},
        {"type":"brand_new"}]}"#;
    assert_eq!(masked(Responses, body), ["type", "a@example.com", "x", "b"]);
    let body = r#"{"messages":[{"role":"user","content":[{"type":"4539 1488 0343 6467"}]}]}"#;
    for schema in [ChatStyle, MessagesStyle] {
        assert_eq!(masked(schema, body), ["type", "4539 1488 0343 6467"]);
    }
}

#[test]
fn a_reply_is_restored_by_its_actual_format() {
    let body = r#"{"choices":[{"message":{"content":"a","tool_calls":[{"function":{"arguments":"b"}}]}}]}"#;
    let expected = [
        ("a".to_owned(), Form::Answer),
        ("b".to_owned(), Form::Arguments),
    ];
    for schema in [ChatStyle, MessagesStyle, Responses] {
        assert_eq!(restored(schema, body), expected);
    }
    let body = r#"[{"error":{"message":"a","list":["b"]}},"c"]"#;
    for schema in [ChatStyle, MessagesStyle, Responses] {
        let texts: Vec<_> = restored(schema, body)
            .into_iter()
            .map(|(text, _)| text)
            .collect();
        assert_eq!(texts, ["a", "b", "c"]);
    }
}

#[test]
fn a_tool_argument_named_signature_is_restored() {
    let body = r#"{"content":[
        {"type":"tool_use","input":{"signature":"a"}},
        {"type":"thinking","thinking":"b","signature":"EqQBCgIYAhIkYThlNmQ5ZTgtN2YEqQBCgIYAhIkYThl"}]}"#;
    let texts: Vec<_> = restored(MessagesStyle, body)
        .into_iter()
        .filter(|(_, form)| *form != Form::Key)
        .map(|(text, _)| text)
        .collect();
    assert_eq!(texts, ["tool_use", "a", "thinking", "b"]);
}
