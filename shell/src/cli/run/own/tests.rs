use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use super::*;

/// A project in a home, with files in both.
struct Machine {
    directory: TempDir,
    variables: BTreeMap<&'static str, String>,
}

impl Machine {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(directory.path().join("project/.git")).unwrap();
        Self {
            directory,
            variables: BTreeMap::new(),
        }
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.insert(name, value.to_owned());
        self
    }

    fn own(&self, tool: &str, options: &[&str]) -> Own {
        let options: Vec<_> = options.iter().map(OsString::from).collect();
        let around = Surroundings {
            directory: self.path("project"),
            home: self.path(""),
            variable: &|name| self.variables.get(name).cloned(),
            options: &options,
        };
        Own::of(Tool::of_program(tool.as_ref()).unwrap(), &around)
    }

    fn path(&self, name: &str) -> PathBuf {
        let root: &Path = self.directory.path();
        if name.is_empty() {
            return root.to_owned();
        }
        root.join(name)
    }
}

/// Every pointer, as `place: url`.
fn pointers(own: &Own) -> Vec<String> {
    let all = own.above.iter().chain(&own.below);
    all.map(|pointer| format!("{}: {}", pointer.place, pointer.url))
        .collect()
}

/// The first line said that aider was masked, and Gemini got the prompts.
#[test]
fn a_model_of_another_provider_is_reported_before_the_tool_starts() {
    let machine = Machine::new(&[
        ("project/.aider.conf.yml", "model: gemini/gemini-2.5-pro\n"),
        (
            ".config/io.datasette.llm/default_model.txt",
            "gemini-2.0-flash\n",
        ),
    ]);
    for (tool, options, told, chosen) in [
        (
            "aider",
            &[][..],
            "gemini/gemini-2.5-pro (model in .aider.conf.yml) sends requests to gemini,",
            None,
        ),
        (
            "aider",
            &["--model", "openrouter/x/y"],
            "openrouter/x/y (--model) sends requests to openrouter,",
            None,
        ),
        ("aider", &["--model=sonnet"], "", Some(Provider::Anthropic)),
        ("aider", &["--model=openai/o3"], "", Some(Provider::OpenAi)),
        ("aider", &["--model=mine"], "", None),
        (
            "llm",
            &[],
            "gemini-2.0-flash (default_model.txt) sends requests to gemini,",
            None,
        ),
        (
            "llm",
            &["-m", "claude-opus-4.5"],
            "",
            Some(Provider::Anthropic),
        ),
    ] {
        let own = machine.own(tool, options);
        assert_eq!(own.chosen, chosen, "{tool} {options:?}");
        let bypasses = own.all_bypasses(true).concat();
        assert!(bypasses.starts_with(told), "{bypasses}");
        assert_eq!(bypasses.is_empty(), told.is_empty(), "{bypasses}");
    }
}

/// A project's `.env` outranks the environment that aider is started with, so its requests went past the proxy.
#[test]
fn aider_upstream_is_read_from_its_files_and_options() {
    let machine = Machine::new(&[
        (
            "project/.env",
            "OPENAI_API_BASE=http://a/v1\nOPENAI_BASE_URL=http://f/v1\nANTHROPIC_API_BASE=http://b\n",
        ),
        (
            ".aider.conf.yml",
            "model: x\nopenai-api-base: http://c/v1 # mine\n",
        ),
        (
            "project/.aider.model.settings.yml",
            "- name: x\n  extra_params:\n    api_base: http://d\n",
        ),
    ]);
    let own = machine.own("aider", &["--openai-api-base=http://e/v1"]);
    assert_eq!(
        pointers(&own),
        [
            "--openai-api-base: http://e/v1",
            "openai-api-base in ~/.aider.conf.yml: http://c/v1",
            "OPENAI_BASE_URL in .env: http://f/v1",
            "OPENAI_API_BASE in .env: http://a/v1",
            "ANTHROPIC_API_BASE in .env: http://b",
        ]
    );
    let bypasses = own.all_bypasses(true);
    assert_eq!(bypasses.len(), 1);
    assert!(bypasses[0].starts_with("api_base in .aider.model.settings.yml "));
    assert!(!bypasses[0].contains("http://d"), "{bypasses:?}");
}

#[test]
fn claude_settings_and_cloud_bypasses_are_detected() {
    let machine = Machine::new(&[
        ("project/.claude/settings.json", r#"{"env": {"ANTHROPIC_BASE_URL": "http://a"}}"#),
        (
            ".claude/settings.json",
            r#"{"env": {"ANTHROPIC_BASE_URL": "http://b", "CLAUDE_CODE_USE_VERTEX": 1, "CLAUDE_CODE_USE_FOUNDRY": "0"}}"#,
        ),
    ])
    .with("CLAUDE_CODE_USE_BEDROCK", "1");
    let own = machine.own("claude", &[]);
    assert_eq!(
        pointers(&own),
        [
            "ANTHROPIC_BASE_URL in .claude/settings.json: http://a",
            "ANTHROPIC_BASE_URL in ~/.claude/settings.json: http://b",
        ]
    );
    let bypasses = own.all_bypasses(true).join("\n");
    assert!(
        bypasses.contains("CLAUDE_CODE_USE_VERTEX in ~/.claude/settings.json"),
        "{bypasses}"
    );
    assert!(
        bypasses.contains("CLAUDE_CODE_USE_BEDROCK sends requests to Amazon Bedrock"),
        "{bypasses}"
    );
    assert!(!bypasses.contains("FOUNDRY"), "{bypasses}");
}

#[test]
fn codex_uses_the_provider_that_its_file_or_an_option_names() {
    let config = "model_provider = 'corp'\nprofile = 'none'\n\
                  [model_providers.corp]\nbase_url = 'https://corp.example/openai/v1'\n\
                  [model_providers.other]\nbase_url = 'https://other.example/v1'\n\
                  [profiles.away]\nmodel_provider = 'other'\n";
    let machine = Machine::new(&[(".codex/config.toml", config)]);
    for (options, named, pointer) in [
        (
            &["exec"][..],
            Some("corp"),
            Some("https://corp.example/openai/v1"),
        ),
        (
            &["-p", "away"],
            Some("other"),
            Some("https://other.example/v1"),
        ),
        (
            &["-c", "model_provider=other"],
            Some("other"),
            Some("https://other.example/v1"),
        ),
        (&["-c", "model_provider=\"openai\""], None, None),
        (&["-cmodel_provider=ollama"], Some("ollama"), None),
        (
            &["-c", "model_providers.corp.base_url='http://x/v1'"],
            Some("corp"),
            Some("http://x/v1"),
        ),
    ] {
        let own = machine.own("codex", options);
        assert_eq!(own.named.as_deref(), named, "{options:?}");
        let url = own.above.first().map(|pointer| pointer.url.as_str());
        assert_eq!(url, pointer, "{options:?}");
    }
    let login = Machine::new(&[(
        ".codex/auth.json",
        r#"{"OPENAI_API_KEY": null, "tokens": {}}"#,
    )]);
    assert!(
        login.own("codex", &[]).all_bypasses(true)[0]
            .contains("ChatGPT login in ~/.codex/auth.json")
    );
}

#[test]
fn opencode_uses_the_provider_of_its_model() {
    let config = r#"{ // mine
        "model": "corp/big",
        "provider": {
            "corp": {"options": {"baseURL": "https://corp.example/v1"}},
            "anthropic": {"options": {"baseURL": "http://b/v1"}},
            "third": {"options": {"baseURL": "https://third.example/v1"}},
        },
    }"#;
    let machine = Machine::new(&[("project/opencode.jsonc", config)]);
    let own = machine.own("opencode", &[]);
    assert_eq!(own.named.as_deref(), Some("corp"));
    assert_eq!(own.above[0].url, "https://corp.example/v1");
    let bypasses = own.all_bypasses(true);
    assert_eq!(bypasses.len(), 1, "{bypasses:?}");
    assert!(bypasses[0].contains("provider.third.options.baseURL in opencode.jsonc"));

    let own = machine.own("opencode", &["run", "-m", "anthropic/x"]);
    assert_eq!((own.chosen, own.named), (Some(Provider::Anthropic), None));
}

/// With its login for Anthropic or Google its requests went past the proxy without a word.
#[test]
fn qwen_uses_the_provider_of_its_login() {
    let selected = |login: &str| {
        let auth = json!({"selectedType": login, "baseUrl": "http://b/v1"});
        json!({"security": {"auth": auth}}).to_string()
    };
    for (login, provider) in [
        ("openai", Provider::OpenAi),
        ("openai-responses", Provider::OpenAi),
        ("anthropic", Provider::Anthropic),
        ("gemini", Provider::Gemini),
        ("vertex-ai", Provider::Vertex),
    ] {
        let own = Machine::new(&[]).own("qwen", &["--auth-type", login]);
        assert_eq!(own.chosen, Some(provider), "{login}");
        let settings = selected(login);
        let machine = Machine::new(&[(".qwen/settings.json", &settings)]);
        let own = machine.own("qwen", &[]);
        assert_eq!((own.chosen, own.has_login), (Some(provider), true));
        let pointer = own.above.iter().chain(&own.below).next();
        assert_eq!(pointer.map(|pointer| pointer.provider), Some(provider));
    }
    let own = Machine::new(&[]).own("qwen", &["--auth-type", "qwen-oauth"]);
    assert_eq!(own.all_bypasses(false).len(), 1);
    let settings = selected("qwen-oauth");
    let machine = Machine::new(&[(".qwen/settings.json", &settings)]);
    let own = machine.own("qwen", &[]);
    assert_eq!((own.chosen, own.has_login), (Some(Provider::OpenAi), false));
}

#[test]
fn qwen_addresses_that_override_variables_are_detected() {
    let settings = r#"{"modelProviders": {"openai": [{"id": "x", "baseUrl": "http://a/v1"}]},
                       "security": {"auth": {"baseUrl": "http://b/v1"}}}"#;
    let machine = Machine::new(&[
        ("project/.qwen/settings.json", settings),
        ("project/.env", "OPENAI_BASE_URL=http://c/v1"),
    ]);
    let own = machine.own("qwen", &[]);
    assert_eq!(
        pointers(&own),
        [
            "OPENAI_BASE_URL in .env: http://c/v1",
            "security.auth.baseUrl in .qwen/settings.json: http://b/v1",
        ]
    );
    assert!(own.all_bypasses(true)[0].starts_with("modelProviders in .qwen/settings.json "));
}

#[test]
fn gemini_uses_the_interface_that_its_login_is_for() {
    for (files, variable, chosen) in [
        (&[][..], None, None),
        (
            &[],
            Some("GOOGLE_GENAI_USE_VERTEXAI"),
            Some(Provider::Vertex),
        ),
        (
            &[(
                ".gemini/settings.json",
                r#"{"security": {"auth": {"selectedType": "oauth-personal"}}}"#,
            )],
            None,
            Some(Provider::CodeAssist),
        ),
        (
            &[("project/.gemini/.env", "GOOGLE_GENAI_USE_GCA=true")],
            None,
            Some(Provider::CodeAssist),
        ),
    ] {
        let mut machine = Machine::new(files);
        if let Some(name) = variable {
            machine = machine.with(name, "true");
        }
        assert_eq!(machine.own("gemini", &[]).chosen, chosen, "{files:?}");
    }
    // It reads a base URL as a gateway's, and refuses such a login without a terminal.
    let plain = Machine::new(&[]);
    assert_eq!(plain.own("gemini", &[]).obstacles.len(), 0);
    assert_eq!(plain.own("gemini", &["-p", "hello"]).obstacles.len(), 1);
    // It was said to send its requests there, and it doesn't read it.
    let other = Machine::new(&[]).with("OPENAI_BASE_URL", "http://x/v1");
    assert!(other.own("gemini", &[]).all_bypasses(true).is_empty());
    let machine = Machine::new(&[]).with("GOOGLE_CLOUD_LOCATION", "europe-west4");
    assert_eq!(
        machine.own("gemini", &[]).below[0].url,
        "https://europe-west4-aiplatform.googleapis.com"
    );
}

#[test]
fn cline_uses_the_provider_that_it_used_last() {
    let entry = |url: &str| {
        format!(
            r#"{{"settings": {{"provider": "x", "apiKey": "k"{url}}}, "tokenSource": "manual"}}"#
        )
    };
    let providers = format!(
        r#"{{"version": 1, "lastUsedProvider": "anthropic",
            "providers": {{"anthropic": {}, "openai-compatible": {}, "corp": {}, "cline": {}}}}}"#,
        entry(""),
        entry(r#", "baseUrl": "https://other.example/v1""#),
        entry(r#", "baseUrl": "https://corp.example/v1""#),
        entry("")
    );
    let machine = Machine::new(&[(".cline/data/settings/providers.json", &providers)]);
    let own = machine.own("cline", &[]);
    assert_eq!(own.named.as_deref(), Some("anthropic"));
    assert_eq!(own.above[0].url, "https://api.anthropic.com/v1");
    assert_eq!(
        machine.own("cline", &["-P", "corp"]).above[0].url,
        "https://corp.example/v1"
    );

    // `-P openai` was searched for under that name, and `--data-dir` was ignored.
    let own = machine.own("cline", &["-P", "openai"]);
    assert_eq!(own.named.as_deref(), Some("openai-compatible"));
    assert_eq!(own.above[0].url, "https://other.example/v1");
    let own = machine.own("cline", &["--data-dir", "elsewhere"]);
    assert!(own.all_bypasses(false)[0].starts_with("--data-dir sends requests"));
    assert_eq!(own.named, None);

    let own = machine.own("cline", &["--provider", "cline"]);
    assert!(own.all_bypasses(false)[0].contains("the provider cline in ~/.cline"));
    let nothing = Machine::new(&[]);
    assert_eq!(nothing.own("cline", &[]).all_bypasses(false).len(), 1);
}

#[test]
fn llm_models_with_their_own_addresses_are_detected() {
    let file = ".config/io.datasette.llm/extra-openai-models.yaml";
    let machine = Machine::new(&[(file, "- model_id: x\n  api_base: http://a/v1\n")]);
    let bypasses = machine.own("llm", &[]).all_bypasses(true);
    assert!(
        bypasses[0].contains("api_base in ~/.config/io.datasette.llm/extra-openai-models.yaml")
    );
    let plain = Machine::new(&[(file, "- model_id: x\n")]);
    assert_eq!(plain.own("llm", &[]).all_bypasses(true), [""; 0]);
}
