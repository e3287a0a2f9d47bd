//! Fields that once passed unread, because their name or place suggested that they hold no text.

use super::{Form, leaves};
use crate::Schema::{self, ChatStyle, MessagesStyle, Responses};

/// The texts that are masked, except for member names.
fn texts(schema: Schema, body: &str) -> Vec<String> {
    let leaves = leaves(schema, body).into_iter();
    let texts = leaves.filter(|(.., form, _)| *form != Form::Key);
    texts.map(|(text, ..)| text).collect()
}

/// Members of settings were recognized by name at every depth.
#[test]
fn a_setting_in_another_place_is_text() {
    for (body, expected) in [
        (r#"{"audio":{"voice":"v","context":"a"}}"#, &["a"] as &[_]),
        (r#"{"audio":"a"}"#, &["a"]),
        (
            r#"{"reasoning":{"effort":"low","output":"a","policy":{"mode":"b"}}}"#,
            &["a", "b"],
        ),
        (
            r#"{"tools":[{"type":"brand_new","definition":"a","context":"b","input":{"text":"c"},"path":"d"}]}"#,
            &["a", "b", "c", "d"],
        ),
        (
            r#"{"tools":[{"type":"brand_new","parameters":{"const":"a"}}]}"#,
            &["a"],
        ),
        (
            r#"{"conversation":{"id":"i","name":"a"},"thinking":{"type":"t","summary":"b"}}"#,
            &["a", "b"],
        ),
    ] {
        for schema in [ChatStyle, MessagesStyle, Responses] {
            assert_eq!(texts(schema, body), expected, "{body}");
        }
    }
}

#[test]
fn strings_outside_of_choices_and_markers_are_text() {
    for (schema, body) in [
        (
            ChatStyle,
            r#"{"tool_choice":{"type":"function","function":{"name":"f","why":"a"}}}"#,
        ),
        (
            ChatStyle,
            r#"{"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"f"},"note":"a"}]}}}"#,
        ),
        (
            ChatStyle,
            r#"{"function_call":{"name":"f","reason":["a"]}}"#,
        ),
        (
            ChatStyle,
            r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"i","type":"function","extra_content":{"vendor":{"note":"a"}}}]}]}"#,
        ),
        (
            MessagesStyle,
            r#"{"messages":[{"role":"assistant","content":[{"type":"fallback","from":{"model":"m"},"trigger":{"type":"refusal","note":"a"}}]}]}"#,
        ),
        (
            Responses,
            r#"{"tool_choice":{"type":"mcp","server_label":"l","query":"a"}}"#,
        ),
    ] {
        let found = texts(schema, body);
        assert_eq!(found.last().map(String::as_str), Some("a"), "{body}");
        assert_eq!(
            found.iter().filter(|text| *text != "assistant").count(),
            1,
            "{body}"
        );
    }
    let body = r#"{"logit_bias":{"bob@b.example":-100}}"#;
    let keys: Vec<_> = leaves(ChatStyle, body)
        .into_iter()
        .map(|(text, ..)| text)
        .collect();
    assert!(keys.contains(&"bob@b.example".to_owned()));
}

#[test]
fn an_object_under_a_schema_keyword_is_data() {
    let schema = r#"{"type":"object","const":{"a":"1"},"enum":["left",{"b":"2"}],"pattern":{"c":"3"},
        "required":["left"],"format":["left",{"d":"4"}],"$ref":{"e":"5"},
        "discriminator":{"propertyName":"left","mapping":{"x":"left"},"note":{"f":"6"}},
        "dependentRequired":{"x":["left"]},"properties":{"p":{"const":{"g":"7"}}}}"#;
    let expected = ["1", "2", "3", "4", "5", "6", "7"];
    for (format, body) in [
        (
            ChatStyle,
            r#"{"tools":[{"type":"function","function":{"name":"f","parameters":SCHEMA}}]}"#,
        ),
        (
            MessagesStyle,
            r#"{"tools":[{"name":"f","input_schema":SCHEMA}]}"#,
        ),
        (
            Responses,
            r#"{"tools":[{"type":"function","name":"f","parameters":SCHEMA}]}"#,
        ),
    ] {
        assert_eq!(
            texts(format, &body.replace("SCHEMA", schema)),
            expected,
            "{body}"
        );
    }
}

/// In place of a file or a seal, only what can't be text is left.
#[test]
fn plain_text_in_place_of_opaque_data_is_masked() {
    const SEAL: &str = "EqQBCgIYAhIkYThlNmQ5ZTgtN2YzMi00YjU2LWE1YjctMTIzNDU2Nzg5YWJj";
    const IMAGE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";
    for (schema, body, opaque) in [
        (
            ChatStyle,
            r#"{"messages":[{"content":[{"type":"input_audio","input_audio":{"data":"X","format":"wav"}}]}]}"#,
            IMAGE,
        ),
        (
            ChatStyle,
            r#"{"messages":[{"content":"","reasoning_details":[{"type":"reasoning.encrypted","data":"X","signature":"X"}]}]}"#,
            SEAL,
        ),
        (
            MessagesStyle,
            r#"{"messages":[{"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"X"}}]}]}"#,
            IMAGE,
        ),
        (
            MessagesStyle,
            r#"{"messages":[{"content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"X"}}]}]}"#,
            IMAGE,
        ),
        (
            MessagesStyle,
            r#"{"messages":[{"content":[{"type":"redacted_thinking","data":"X"}]}]}"#,
            SEAL,
        ),
        (
            MessagesStyle,
            r#"{"messages":[{"content":[{"type":"thinking","thinking":"","signature":"X"}]}]}"#,
            SEAL,
        ),
        (
            MessagesStyle,
            r#"{"messages":[{"content":[{"type":"compaction","encrypted_content":"X"}]}]}"#,
            SEAL,
        ),
        (
            Responses,
            r#"{"input":[{"type":"reasoning","encrypted_content":"X"}]}"#,
            SEAL,
        ),
        (
            Responses,
            r#"{"input":[{"type":"image_generation_call","result":"X"}]}"#,
            IMAGE,
        ),
        (
            Responses,
            r#"{"input":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"X"}}]}]}"#,
            IMAGE,
        ),
    ] {
        let holding = |value: &str| {
            let found = texts(schema, &body.replace('X', value));
            found.into_iter().filter(|text| text == value).count()
        };
        let places = body.matches('X').count();
        assert_eq!(holding(opaque), 0, "{body}");
        for text in [
            "bob@b.example",
            "please call Bob Beispiel who lives in Neustadt",
            "AKIAIOSFODNN7EXAMPLE",
            "ghp_0123456789abcdefghijABCDEFGHIJ012345",
        ] {
            assert_eq!(holding(text), places, "{body} {text}");
        }
        let names = "AliceBeispiel\\nBobBeispiel1\\nCarolBeispielAndMore";
        assert!(
            texts(schema, &body.replace('X', names))
                .iter()
                .any(|text| text.contains('\n')),
            "{body}"
        );
    }
}
