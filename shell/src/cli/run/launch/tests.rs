use super::super::own::Pointer;
use super::*;

const HOP: Hop<'static> = Hop {
    url: "http://127.0.0.1:4000",
    host: "127.0.0.1",
    upstream: "http://gateway.example",
    paths: &[],
};

fn launch(name: &str, arguments: &[&str]) -> Launch {
    let tool = Tool::of_program(name.as_ref());
    let arguments = arguments.iter().map(OsString::from).collect();
    Launch::new(tool, &Own::default(), &[], arguments, HOP).unwrap()
}

fn arguments(name: &str, given: &[&str]) -> Vec<String> {
    let launch = launch(name, given);
    let text = |argument: &OsString| argument.to_str().unwrap().to_owned();
    launch.arguments.iter().map(text).collect()
}

fn variable(launch: &Launch, name: &str) -> Option<String> {
    let (_, value) = launch.environment.iter().find(|(known, _)| known == name)?;
    Some(value.to_str().unwrap().to_owned())
}

#[test]
fn each_base_url_has_the_path_that_its_tool_expects() {
    for (tool, name, url) in [
        ("claude", "ANTHROPIC_BASE_URL", "http://127.0.0.1:4000"),
        ("qwen", "OPENAI_BASE_URL", "http://127.0.0.1:4000/v1"),
        ("aider", "OPENAI_API_BASE", "http://127.0.0.1:4000/v1"),
        ("aider", "ANTHROPIC_API_BASE", "http://127.0.0.1:4000"),
        ("llm", "OPENAI_BASE_URL", "http://127.0.0.1:4000/v1"),
        (
            "/usr/bin/openai",
            "OPENAI_BASE_URL",
            "http://127.0.0.1:4000/v1",
        ),
    ] {
        assert_eq!(
            variable(&launch(tool, &[]), name).as_deref(),
            Some(url),
            "{tool}"
        );
    }
}

/// Case P4: a path in the provider's address was dropped.
#[test]
fn each_base_url_keeps_the_upstreams_path() {
    let base = |tool: &str, name: &str, upstream| {
        let hop = Hop { upstream, ..HOP };
        let tool = Tool::of_program(tool.as_ref());
        let launch = Launch::new(tool, &Own::default(), &[], Vec::new(), hop).unwrap();
        variable(&launch, name).unwrap()
    };
    // The proxy adds the upstream's path before them, and uses segments that both have once.
    for (tool, name, upstream, path) in [
        ("qwen", "OPENAI_BASE_URL", "http://h/openai/v1", ""),
        ("qwen", "OPENAI_BASE_URL", "http://h/openai", "/v1"),
        ("llm", "OPENAI_BASE_URL", "http://h/v1beta/openai", ""),
        ("claude", "ANTHROPIC_BASE_URL", "http://h/anthropic", ""),
        ("claude", "ANTHROPIC_BASE_URL", "http://h/anthropic/v1", ""),
    ] {
        let url = format!("{}{path}", HOP.url);
        assert_eq!(base(tool, name, upstream), url, "{tool} {upstream}");
    }
}

#[test]
fn a_base_url_from_tool_settings_keeps_its_exact_path() {
    let paths = [(Provider::OpenAi, "/api/paas/v4".to_owned())];
    let hop = Hop {
        paths: &paths,
        ..HOP
    };
    let own = Own {
        named: Some("zai".to_owned()),
        ..Own::default()
    };
    let tool = Tool::of_program("codex".as_ref());
    let launch = Launch::new(tool, &own, &[], Vec::new(), hop).unwrap();
    let expected = "model_providers.zai.base_url=\"http://127.0.0.1:4000/api/paas/v4\"";
    assert_eq!(launch.arguments[1], expected);
}

/// Its key would have gone to the wrong provider.
#[test]
fn a_custom_provider_is_not_redirected_to_another_upstream() {
    let hop = Hop {
        upstream: Provider::OpenAi.url(),
        ..HOP
    };
    let own = Own {
        named: Some("openrouter".to_owned()),
        ..Own::default()
    };
    assert!(!hop.points(&own));
    let tool = Tool::of_program("opencode".as_ref());
    let launch = Launch::new(tool, &own, &[], Vec::new(), hop).unwrap();
    let config = variable(&launch, "OPENCODE_CONFIG_CONTENT").unwrap();
    assert!(!config.contains("openrouter"), "{config}");
    assert_eq!(own.all_bypasses(false).len(), 1);
}

#[test]
fn aider_gets_options_that_override_its_env_files() {
    let given = ["--openai-api-base=http://elsewhere/v1", "--message", "hi"];
    let expected = "--openai-api-base=http://127.0.0.1:4000/v1";
    assert_eq!(arguments("aider", &given), [expected, "--message", "hi"]);
    let expected = ["--openai-api-base", "http://127.0.0.1:4000/v1", "hi"];
    assert_eq!(arguments("aider", &["hi"]), expected);
}

/// Case: the library that aider calls reads `OPENAI_BASE_URL` before `OPENAI_API_BASE`, and aider's `.env` outranks
/// the environment, so its requests went past the proxy.
#[test]
fn aider_gets_every_name_of_its_base_url_variable() {
    for name in ["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"] {
        assert!(variable(&launch("aider", &[]), name).is_some(), "{name}");
        let own = Own {
            set_by_files: vec![name],
            ..Own::default()
        };
        let tool = Tool::of_program("aider".as_ref());
        let launch = Launch::new(tool, &own, &[], Vec::new(), HOP).unwrap();
        let set = format!("{name}={}", variable(&launch, name).unwrap());
        let of_option = launch.arguments.iter().position(|one| one == "--set-env");
        assert_eq!(launch.arguments[of_option.unwrap() + 1], *set);
    }
}

/// The settings' `security.auth.baseUrl` outranks the variable of these logins.
#[test]
fn qwen_gets_an_option_where_its_settings_outrank_the_variable() {
    let own = Own {
        above: vec![Pointer {
            place: "a file".to_owned(),
            provider: Provider::Gemini,
            url: "http://elsewhere".to_owned(),
        }],
        chosen: Some(Provider::Gemini),
        has_login: true,
        ..Own::default()
    };
    let tool = Tool::of_program("qwen".as_ref());
    let launch = Launch::new(tool, &own, &[], Vec::new(), HOP).unwrap();
    assert_eq!(launch.arguments, ["--openai-base-url", HOP.url]);
}

#[test]
fn another_providers_endpoint_is_left_alone() {
    let tool = Tool::of_program("aider".as_ref());
    let hop = Hop {
        upstream: "https://api.openai.com",
        ..HOP
    };
    let launch = Launch::new(tool, &Own::default(), &[], Vec::new(), hop).unwrap();
    assert!(variable(&launch, "OPENAI_API_BASE").is_some());
    assert!(variable(&launch, "ANTHROPIC_API_BASE").is_none());
}

#[test]
fn variables_of_other_tools_are_set_by_name() {
    let names = ["LLM_URL".to_owned(), "MY_OPENAI_URL".into(), "X=/a".into()];
    let launch = Launch::new(None, &Own::default(), &names, Vec::new(), HOP).unwrap();
    let set = |name| variable(&launch, name).unwrap();
    assert_eq!(set("LLM_URL"), "http://127.0.0.1:4000");
    assert_eq!(set("MY_OPENAI_URL"), "http://127.0.0.1:4000/v1");
    assert_eq!(set("X"), "http://127.0.0.1:4000/a");
}

fn joined<'a>(parts: &[&[&'a str]]) -> Vec<&'a str> {
    parts.concat()
}

#[test]
fn codex_overrides_follow_all_options_and_precede_the_prompt() {
    let own: &[&str] = &[
        "-c",
        "openai_base_url=\"http://127.0.0.1:4000/v1\"",
        "-c",
        "features.enable_request_compression=false",
    ];
    let plain = ["exec", "hi"];
    assert_eq!(arguments("codex", &plain), joined(&[own, &plain]));
    for option in [
        &["-c", "openai_base_url=\"x\""][..],
        &["-cmodel=\"x\""],
        &["--config=model=\"x\""],
        &["--config", "model=\"x\""],
        // The value of an option is not an option.
        &["-c", "-c"],
    ] {
        let given = joined(&[&["exec"], option, &["hi"]]);
        let expected = joined(&[own, &["exec"], option, own, &["hi"]]);
        assert_eq!(arguments("codex", &given), expected);
    }
    // After `--` it belongs to the prompt.
    let prompt = ["exec", "--", "-c", "model=\"x\""];
    assert_eq!(arguments("codex", &prompt), joined(&[own, &prompt]));
}

#[test]
fn claude_gets_settings_that_outrank_its_files() {
    let own = r#"{"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:4000"}}"#;
    assert_eq!(
        arguments("claude", &["-p", "hi"]),
        ["--settings", own, "-p", "hi"]
    );
    let prompt = ["-p", "--", "--settings"];
    assert_eq!(arguments("claude", &prompt)[..2], ["--settings", own]);
}

#[test]
fn claude_keeps_the_settings_that_the_user_passes() {
    let inline = r#"{"env":{"A":"b","ANTHROPIC_BASE_URL":"http://elsewhere"},"x":1}"#;
    let merged = json!({"env": {"A": "b", "ANTHROPIC_BASE_URL": HOP.url}, "x": 1});
    for given in [
        vec!["--settings".to_owned(), inline.to_owned()],
        vec![format!("--settings={inline}")],
    ] {
        let given: Vec<_> = given.iter().map(String::as_str).collect();
        let passed = arguments("claude", &given).pop().unwrap();
        let json = passed.strip_prefix("--settings=").unwrap_or(&passed);
        assert_eq!(serde_json::from_str::<Value>(json).unwrap(), merged);
    }

    let mut file = NamedTempFile::new().unwrap();
    file.write_all(inline.as_bytes()).unwrap();
    let launch = launch("claude", &["--settings", file.path().to_str().unwrap()]);
    let passed = std::path::PathBuf::from(launch.arguments.last().unwrap());
    assert_ne!(passed, file.path());
    let text = fs::read_to_string(&passed).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), merged);
    drop(launch);
    assert!(!passed.exists(), "the merged settings were left behind");
}

#[test]
fn opencode_gets_every_provider_that_the_upstream_serves() {
    let launch = launch("opencode", &["run", "hi"]);
    let config = variable(&launch, "OPENCODE_CONFIG_CONTENT").unwrap();
    let config: Value = serde_json::from_str(&config).unwrap();
    for provider in ["anthropic", "openai"] {
        let base = &config["provider"][provider]["options"]["baseURL"];
        assert_eq!(base, "http://127.0.0.1:4000/v1");
    }
    assert_eq!(launch.arguments, ["run", "hi"]);
}

#[test]
fn qwen_uses_the_variable_unless_the_user_chooses_a_login() {
    assert_eq!(
        arguments("qwen", &["-p", "hi"]),
        ["--auth-type", "openai", "-p", "hi"]
    );
    let own = ["--auth-type=anthropic", "-p", "hi"];
    assert_eq!(arguments("qwen", &own), own);
}

#[test]
fn loopback_bypasses_other_proxies() {
    let mut launch = launch("claude", &[]);
    launch.environment.clear();
    launch.keep_other_proxies_out("127.0.0.1", |_| None);
    assert!(launch.environment.is_empty());
    launch.keep_other_proxies_out("127.0.0.1", |name| match name {
        "https_proxy" => Some("http://proxy:3128".into()),
        "NO_PROXY" => Some(".corp".into()),
        _ => None,
    });
    assert_eq!(variable(&launch, "NO_PROXY").unwrap(), ".corp,127.0.0.1");
    assert_eq!(variable(&launch, "no_proxy").unwrap(), "127.0.0.1");
}
