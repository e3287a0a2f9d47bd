//! `maskproxy run` with tools that have their own settings.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use tests::{Mock, User};

fn message(text: &str) -> String {
    json!({"model": "echo", "max_tokens": 9, "messages": [{"role": "user", "content": text}]})
        .to_string()
}

#[tokio::test]
async fn the_provider_comes_from_the_tools_environment() {
    let mock = Mock::start().await;
    let user = User::new()
        .env("FAKE_TOOL_POST", "/v1/messages")
        .env("ANTHROPIC_BASE_URL", &mock.url());
    let ended = user.run(&["claude"], &message("hi")).await;
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    assert_eq!(mock.requests().len(), 1);
    assert_ne!(
        ended.seen()["environment"]["ANTHROPIC_BASE_URL"],
        mock.url()
    );

    // With its path, which was a reason to refuse the start.
    let user = User::new()
        .env("FAKE_TOOL_POST", "/anthropic/v1/messages")
        .env("ANTHROPIC_BASE_URL", &format!("{}/anthropic/", mock.url()));
    let ended = user.run(&["claude"], &message("hi")).await;
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    let seen = ended.seen()["environment"]["ANTHROPIC_BASE_URL"].clone();
    assert!(
        seen.as_str().is_some_and(|url| url.ends_with("/anthropic")),
        "{seen}"
    );
    assert_eq!(mock.last().path(), "/anthropic/v1/messages");
    assert!(
        ended.errors.contains("(from ANTHROPIC_BASE_URL)"),
        "{}",
        ended.errors
    );
}

/// aider reads a project's `.env` over its environment, so its requests went past the proxy without a word.
#[tokio::test]
async fn a_projects_settings_do_not_bypass_the_proxy() {
    let mock = Mock::start().await;
    let user = User::new().env("FAKE_TOOL_POST", "/v1/chat/completions");
    let file = user.path("project/.env");
    fs::write(file, format!("OPENAI_API_BASE={}/v1\n", mock.url())).expect("a file");
    let ended = user.run(&["aider"], &message("to alice@example.com")).await;
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    let arguments = ended.seen()["arguments"].clone();
    assert_eq!(arguments[0], "--openai-api-base");
    assert_ne!(arguments[1], format!("{}/v1", mock.url()));
    assert!(!mock.last().text().contains("alice"));
    assert!(
        ended.errors.contains("(from OPENAI_API_BASE in .env)"),
        "{}",
        ended.errors
    );
}

#[tokio::test]
async fn overriding_tool_settings_are_reported_before_the_start() {
    let user = User::new();
    let folder = user.path("project/.qwen");
    fs::create_dir(&folder).expect("a directory");
    let settings =
        r#"{"modelProviders": {"openai": [{"id": "x", "baseUrl": "http://10.1.2.3/v1"}]}}"#;
    fs::write(folder.join("settings.json"), settings).expect("a file");
    let ended = user.run(&["qwen", "-u", "http://127.0.0.1:9"], "").await;
    let named = "maskproxy: warning: modelProviders in .qwen/settings.json sends requests";
    assert!(ended.errors.contains(named), "{}", ended.errors);
    assert!(!ended.errors.contains("10.1.2.3"), "{}", ended.errors);
}

#[tokio::test]
async fn codex_with_a_custom_provider_uses_the_proxy() {
    let mock = Mock::start().await;
    let user = User::new().env("FAKE_TOOL_POST", "/v1/responses");
    let folder = user.path("home/.codex");
    fs::create_dir(&folder).expect("a directory");
    let config = format!(
        "model_provider = \"corp\"\n[model_providers.corp]\nbase_url = \"{}/v1\"\n",
        mock.url()
    );
    fs::write(folder.join("config.toml"), config).expect("a file");
    let body = json!({"model": "echo", "input": "to alice@example.com"}).to_string();
    let ended = user.run(&["codex", "--", "exec", "hi"], &body).await;
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    let seen = ended.seen()["arguments"][1].clone();
    assert!(
        seen.as_str()
            .is_some_and(|seen| seen.starts_with("model_providers.corp.base_url=\"http://127")),
        "{seen}"
    );
    assert!(!mock.last().text().contains("alice"));
}

#[tokio::test]
async fn cline_is_started_with_a_copy_of_its_providers() {
    let mock = Mock::start().await;
    let user = User::new();
    let folder = user.path("home/.cline/data/settings");
    fs::create_dir_all(&folder).expect("a directory");
    let settings = json!({"version": 1, "lastUsedProvider": "corp", "modes": {}, "providers": {
        "corp": {"settings": {"provider": "corp", "apiKey": "key-4Tb", "baseUrl": format!("{}/v1", mock.url())}}
    }});
    fs::write(folder.join("providers.json"), settings.to_string()).expect("a file");
    let script = "stat -c %a $CLINE_PROVIDER_SETTINGS_PATH; cat $CLINE_PROVIDER_SETTINGS_PATH";
    let cline = user.path("bin/cline");
    fs::remove_file(&cline).expect("a link");
    fs::write(&cline, format!("#!/bin/sh\n{script}\n")).expect("a script");
    fs::set_permissions(&cline, fs::Permissions::from_mode(0o755)).expect("a mode");
    let ended = user.run(&["cline"], "").await;
    let (mode, copy) = ended.printed.split_once('\n').expect("two lines");
    assert_eq!(mode, "600");
    let copy: Value = serde_json::from_str(copy).expect("JSON");
    let corp = &copy["providers"]["corp"]["settings"];
    assert_eq!(corp["apiKey"], "key-4Tb");
    let base = corp["baseUrl"].as_str().expect("a URL");
    assert!(
        base.ends_with("/v1") && !base.starts_with(&mock.url()),
        "{base}"
    );
    let kept = fs::read_to_string(folder.join("providers.json")).expect("a file");
    assert_eq!(kept, settings.to_string());
}

/// Case P4: a path behind the provider's address was dropped.
#[tokio::test]
async fn the_path_of_an_upstream_is_kept() {
    let mock = Mock::start().await;
    for (tool, posts, arrives) in [
        ("llm", "/chat/completions", "/openai/v1/chat/completions"),
        ("claude", "/v1/messages", "/openai/v1/messages"),
    ] {
        let user = User::new().env("FAKE_TOOL_POST", posts);
        let upstream = format!("{}/openai/v1", mock.url());
        let ended = user
            .run(&[tool, "-u", &upstream], &message("to alice@example.com"))
            .await;
        assert_eq!(ended.code, Some(0), "{}", ended.errors);
        assert_eq!(mock.last().path(), arrives, "{tool}");
        assert!(!mock.last().text().contains("alice"), "{tool}");
        assert!(
            ended.errors.ends_with("nothing left unmasked\n"),
            "{}",
            ended.errors
        );
    }
}

/// Each of the three interfaces of Gemini CLI, by the variable that it reads.
#[tokio::test]
async fn gemini_requests_are_masked() {
    let mock = Mock::start().await;
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "to alice@example.com"}]}]});
    for path in [
        "/v1beta/models/gemini-x:generateContent",
        "/v1beta1/projects/p/locations/l/publishers/google/models/gemini-x:streamGenerateContent",
        "/v1internal:streamGenerateContent",
    ] {
        let user = User::new().env("FAKE_TOOL_POST", path);
        let ended = user
            .run(&["gemini", "-u", &mock.url()], &body.to_string())
            .await;
        assert_eq!(mock.last().path(), path);
        assert!(!mock.last().text().contains("alice"), "{path}");
        assert!(
            ended.errors.ends_with("nothing left unmasked\n"),
            "{}",
            ended.errors
        );
    }
}
