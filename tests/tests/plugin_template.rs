//! The plug-ins of `docs/plugins.md`, one in each language, as `just plugins` builds them.

use serde_json::json;
use tempfile::TempDir;
use tests::{Client, Mock, Proxy, ProxyOptions, maskproxy};

/// The component in a language.
fn component(language: &str) -> String {
    let folder = std::env::var("PLUGINS");
    let folder = folder.expect("PLUGINS is the folder of the components: run `just plugins`");
    format!("{folder}/{language}.wasm")
}

fn yaml_of(language: &str) -> String {
    json!({"detector": ["regex", {"type": "wasm", "path": component(language)}]}).to_string()
}

fn yaml() -> String {
    yaml_of("rust")
}

async fn proxy(mock: &Mock) -> Proxy {
    Proxy::start_with(&mock.url(), &ProxyOptions::default().yaml(&yaml())).await
}

fn config() -> (TempDir, String) {
    config_of("rust")
}

fn config_of(language: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config.yaml");
    std::fs::write(&path, yaml_of(language)).expect("written");
    let path = path.to_str().expect("UTF-8").to_owned();
    (folder, path)
}

#[tokio::test]
async fn ids_are_masked_beside_built_in_types_and_restored_in_all_three_formats() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock).await;
    let answer = "EMP-123456 or émile@example.com, anne@example.com? Not EMP-12345.";
    let turns = json!([{"role": "user", "content": answer}]);
    for (path, turns_in) in [
        ("/v1/chat/completions", "messages"),
        ("/v1/messages", "messages"),
        ("/v1/responses", "input"),
    ] {
        for stream in [false, true] {
            let body =
                json!({"model": "echo/1", turns_in: turns, "max_tokens": 99, "stream": stream});
            let reply = Client::post(&proxy.url(), path, &body).await;
            assert_eq!(reply.status, 200, "{}", reply.text());
            let seen = mock.last().json()[turns_in][0]["content"].clone();
            let seen = seen.as_str().expect("text").to_owned();
            assert!(seen.starts_with("<MASK_EMPLOYEE_ID_1> or "), "{seen}");
            assert!(seen.contains("<MASK_EMAIL_"), "{seen}");
            assert!(seen.ends_with("Not EMP-12345."), "{seen}");
            assert!(!reply.text().contains("MASK_"), "{}", reply.text());
            if !stream {
                assert!(reply.text().contains("EMP-123456 or"), "{}", reply.text());
            }
        }
    }
    assert!(!proxy.written().contains("EMP-123456"));
}

#[tokio::test]
async fn plugins_receive_decoded_texts_with_their_names() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock).await;
    let record = r#"{"employee": "654321", "order": "654322", "note": "see\nEMP-123456"}"#;
    let body = json!({"model": "echo", "messages": [{"role": "user", "content": record}]});
    let reply = Client::post(&proxy.url(), "/v1/chat/completions", &body).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let seen = mock.last().json()["messages"][0]["content"].clone();
    assert_eq!(
        seen,
        r#"{"employee": "<MASK_EMPLOYEE_ID_1>", "order": "654322", "note": "see\n<MASK_EMPLOYEE_ID_2>"}"#
    );
    assert_eq!(reply.json()["choices"][0]["message"]["content"], record);
}

#[tokio::test]
async fn detect_and_doctor_run_the_plugin() {
    let (_folder, path) = config();
    let (code, out, error) = maskproxy(&["detect", "-c", &path, "id EMP-123456"], "").await;
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert_eq!(out, "3:13  EMPLOYEE_ID  'EMP-123456'\n");
    let (_, out, _) = maskproxy(&["doctor", "-c", &path], "").await;
    assert!(out.contains("✓ plug-in"), "{out}");
}

#[tokio::test]
async fn plugins_in_every_language_find_the_same() {
    let text = "\u{1d4b3}é EMP-123456, anne@example.com, EMP-654321";
    let mut of_rust = None;
    for language in ["rust", "javascript", "python"] {
        let (_folder, path) = config_of(language);
        let (code, out, error) = maskproxy(&["detect", "-c", &path, text], "").await;
        assert_eq!((code, error.as_str()), (Some(0), ""), "{language}");
        assert_eq!(out.matches("EMPLOYEE_ID").count(), 2, "{out}");
        assert_eq!(
            *of_rust.get_or_insert_with(|| out.clone()),
            out,
            "{language}"
        );
    }
}

#[test]
fn the_guide_contains_the_plugin_sources() {
    let guide = include_str!("../../docs/plugins.md");
    let rust = include_str!("../plugins/template/src/lib.rs").replace("../../../wit", "wit");
    let javascript = include_str!("../plugins/javascript/employee_ids.js");
    let python = include_str!("../plugins/python/app.py");
    for source in [&rust, javascript, python] {
        assert!(
            guide.contains(source),
            "docs/plugins.md shows another source"
        );
    }
}
