//! The configuration of the real binary: files, environment, flags, and the commands about it.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};
use tests::{Client, Mock, Proxy, ProxyOptions, binary, maskproxy, maskproxy_with};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

fn file(text: &str) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("maskproxy.yaml");
    std::fs::write(&path, text).expect("a file");
    let shown = path.display().to_string();
    (directory, shown)
}

fn vectors(folder: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("vectors/config")
        .join(folder);
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths
}

#[tokio::test]
async fn every_command_reports_each_error_of_a_bad_file() {
    for (index, path) in vectors("invalid").into_iter().enumerate() {
        let text = std::fs::read_to_string(&path).expect("a text");
        let shown = path.display().to_string();
        let first = text.lines().next().expect("a line");
        let message = first.trim_start_matches("# ").replace("{file}", &shown);
        let command = [&["proxy"][..], &["detect", "x"], &["config", "--show"]];
        // Each file with one of the commands, because starting the binary takes most of the time. Only the first
        // opens the vault.
        let is_of_vault = first.contains("vault.redis") || first.contains("vault redis");
        let index = if is_of_vault { 0 } else { index % 3 };
        let mut arguments = command[index].to_vec();
        arguments.extend(["-c", &shown]);
        let (status, stdout, stderr) = maskproxy(&arguments, "").await;
        assert_eq!((status, stdout.as_str()), (Some(1), ""), "{shown}");
        // The first line of the file has all in one line.
        let errors = stderr.replace("\n  ", "; ");
        let (_, errors) = errors.split_once(" errors:; ").unwrap_or(("", &errors));
        let errors = errors.trim_start_matches("Error: ");
        assert_eq!(errors, format!("{message}\n"), "{arguments:?}");
    }
}

/// The trail of the packaged service could not be read without the URL of its vault, which only root can read.
#[tokio::test]
async fn only_commands_that_open_the_vault_need_its_url() {
    let (directory, path) = file("vault: {type: redis}\naudit: {path: '{here}'}\n");
    let trail = directory.path().join("audit.log");
    let request = directory.path().join("request.json");
    std::fs::write(&trail, "").expect("a file");
    std::fs::write(&request, r#"{"messages":[]}"#).expect("a file");
    let text = std::fs::read_to_string(&path).expect("a file");
    let text = text.replace("{here}", &trail.display().to_string());
    std::fs::write(&path, text).expect("a file");
    let request = request.display().to_string();
    for arguments in [
        &["audit", "stats"][..],
        &["audit", "report"],
        &["audit", "tail", "--no-follow"],
        &["config"],
        &["detect", "x"],
        &["policy", "test", &request],
        &["mask", "--session", "x.session"],
    ] {
        let arguments = [arguments, &["-c", &path]].concat();
        let (status, _, errors) = maskproxy(&arguments, "").await;
        assert_eq!(status, Some(0), "{arguments:?}: {errors}");
    }
    let (_, shown, _) = maskproxy(&["config", "-c", &path], "").await;
    assert!(
        shown.contains("the proxy won't start: vault redis"),
        "{shown}"
    );
    let (_, _, errors) = maskproxy(&["top", "--once", "-c", &path], "").await;
    assert!(errors.contains("no service answers"), "{errors}");
    for arguments in [&["proxy"][..], &["session", "list"], &["doctor"]] {
        let arguments = [arguments, &["-c", &path]].concat();
        let (status, printed, errors) = maskproxy(&arguments, "").await;
        let said = printed + &errors;
        assert_eq!(status, Some(1), "{arguments:?}: {said}");
        assert!(said.contains(". /etc/maskproxy/environment"), "{said}");
    }
}

#[tokio::test]
async fn misspelled_settings_get_a_suggestion() {
    for (text, expected) in [
        (
            "session: conversations",
            ":1:1: setting 'session' must be a mapping of settings, such as {strategy: conversation}",
        ),
        (
            "policy: [{action: x}]",
            ":1:11: unknown setting 'policy.rules[0].action'; the settings here are name, route, model,",
        ),
        (
            "restore: [{zzz: x}]",
            ":1:12: unknown setting 'restore[0].zzz'; the settings here are tool, argument, origin, action",
        ),
        (
            "host: 127.0.0.1:8000",
            "setting 'host' must be an address without a port",
        ),
        (
            "host: '[::1]:8000'",
            "setting 'host' must be an address without a port",
        ),
    ] {
        let (_directory, path) = file(text);
        let (status, _, errors) = maskproxy(&["config", "-c", &path], "").await;
        assert_eq!(status, Some(1), "{text}");
        assert!(errors.contains(expected), "{errors}");
    }
    for host in ["::1", "[::1]", "fe80::1%eth0", "localhost"] {
        let (_directory, path) = file(&format!("host: '{host}'"));
        let (status, _, errors) = maskproxy(&["config", "-c", &path], "").await;
        assert_eq!(status, Some(0), "{host}: {errors}");
    }
}

/// In a long file, a setting of a common name is hard to find by its path alone.
#[tokio::test]
async fn an_error_shows_its_file_and_position() {
    for (text, (line, column)) in [
        ("proxy:\n  # long\n  timeuot: 3", (3, 3)),
        ("host: 127.0.0.1\n\nport: many", (3, 1)),
        (
            "policy:\n  - name: a\n    role: tool\n    mask: none\n  - nam: b",
            (5, 5),
        ),
        ("vault:\n  type: redis\n  redis_url: http://x", (3, 3)),
        (
            "detector:\n  - regex\n  - type: terms\n    term: {A: [b]}",
            (4, 5),
        ),
    ] {
        let (_directory, path) = file(text);
        let (status, _, errors) = maskproxy(&["proxy", "-c", &path], "").await;
        assert_eq!(status, Some(1), "{text}");
        let place = format!("Error: {path}:{line}:{column}: ");
        assert!(errors.starts_with(&place), "{text}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
    // Once only the first was named where one of them was inside a list.
    let (_directory, path) = file("port: many\npolicy: [{rol: tool}, {role: tols}]");
    let (_, _, errors) = maskproxy(&["proxy", "-c", &path], "").await;
    let expected = format!(
        "Error: the configuration has 3 errors:\n  \
         {path}:1:1: setting 'port' must be a whole number from 0 to 65535\n  \
         {path}:2:11: unknown setting 'policy.rules[0].rol', did you mean 'role'?\n  \
         {path}:2:24: setting 'policy.rules[1].role' must be user, system or tool, did you mean 'tool'?\n"
    );
    assert_eq!(errors, expected);
    // A flag's value is not in the file.
    let (_directory, path) = file("port: 8000\nhost: 127.0.0.1");
    let (_, _, errors) = maskproxy(&["proxy", "-c", &path, "--host", "a:b"], "").await;
    assert!(
        errors.starts_with("Error: setting 'host' (--host)"),
        "{errors}"
    );
}

/// A part of such a password was once taken for the port, and would have been shown.
#[tokio::test]
async fn an_unencoded_redis_password_is_reported_but_not_shown() {
    for password in ["12/hunter2", "12#hunter2", "12?hunter2"] {
        let url = format!("redis://user:{password}@redis.example:6379/0");
        let environment = [("MASK_VAULT", "redis"), ("MASK_REDIS_URL", &*url)];
        let (status, _, errors) = maskproxy_with(&["proxy"], &environment, "").await;
        assert_eq!(status, Some(1), "{errors}");
        assert!(
            errors.contains("in the password percent-encoded"),
            "{errors}"
        );
        assert!(
            !errors.contains("12") && !errors.contains("hunter2"),
            "{errors}"
        );
    }
}

#[tokio::test]
async fn a_guessable_anchor_secret_gets_a_warning() {
    for (secret, expected) in [
        ("x", Some("is short")),
        ("<the same on both>", Some("is a placeholder")),
        ("0123456789abcdef", None),
    ] {
        let environment = [("MASK_ANCHOR_SECRET", secret)];
        let printed = printed_at_start(&[], &environment).await;
        let (_, checked, _) = maskproxy_with(&["doctor"], &environment, "").await;
        for said in [printed, checked] {
            assert_eq!(
                said.contains("so tokens can be guessed"),
                expected.is_some(),
                "{said}"
            );
            assert!(said.contains(expected.unwrap_or_default()), "{said}");
        }
    }
}

#[tokio::test]
async fn valid_files_are_accepted() {
    for path in vectors("valid") {
        let shown = path.display().to_string();
        let (status, stdout, stderr) = maskproxy(&["config", "--show", "-c", &shown], "").await;
        assert_eq!((status, stderr.as_str()), (Some(0), ""), "{shown}");
        assert!(!stdout.contains("hunter2"), "{stdout}");
    }
}

#[tokio::test]
async fn a_missing_file_is_an_error_by_flag_or_environment() {
    let by_flag = maskproxy(&["config", "-c", "missing.yaml"], "").await;
    let by_env = maskproxy_with(&["config"], &[("MASK_CONFIG", "missing.yaml")], "").await;
    for (status, _, stderr) in [by_flag, by_env] {
        assert_eq!(status, Some(1));
        assert_eq!(
            stderr,
            "Error: can't read the configuration file missing.yaml: no such file\n"
        );
    }
}

#[tokio::test]
async fn the_environment_wins_over_the_file_and_a_flag_over_both() {
    let (_directory, path) = file("proxy: {upstream: 'http://file.example'}\nport: 81\n");
    let show = async |arguments: &[&str], environment: &[(&str, &str)]| {
        let (_, stdout, stderr) = maskproxy_with(arguments, environment, "").await;
        assert_eq!(stderr, "");
        serde_json::from_str::<Value>(&stdout).expect("JSON")
    };
    let shown = show(&["config", "--json", "-c", &path], &[]).await;
    assert_eq!(shown["settings"]["proxy.upstream"]["source"], "file");
    assert_eq!(shown["settings"]["port"]["value"], 81);
    assert_eq!(shown["file"], path.as_str());

    let environment = [
        ("MASK_CONFIG", path.as_str()),
        ("MASK_UPSTREAM_URL", "http://env.example"),
        ("MASK_API_KEY", ""),
    ];
    let shown = show(&["config", "--json"], &environment).await;
    let upstream = &shown["settings"]["proxy.upstream"];
    assert_eq!(upstream["value"], "http://env.example");
    assert_eq!(upstream["source"], "MASK_UPSTREAM_URL");
    assert_eq!(shown["settings"]["port"]["source"], "file");
    assert!(shown["settings"]["provider.api_key"]["value"].is_null());
}

#[tokio::test]
async fn a_flag_wins_over_the_file() {
    let provider = Mock::start().await;
    let (_directory, path) = file("proxy: {upstream: 'http://127.0.0.1:9'}\n");
    let options = ProxyOptions {
        flags: vec!["-c".to_owned(), path],
        ..ProxyOptions::default()
    };
    let proxy = Proxy::start_with(&provider.url(), &options).await;
    let reply = Client::get(&proxy.url(), "/v1/models").await;
    assert_ne!(reply.status, 502);
}

#[tokio::test]
async fn config_shows_names_and_never_secrets() {
    let (_directory, path) = file(
        "provider: {headers: {x-team: hunter2}, base_url: 'https://u:hunter2@a.example/v1'}\n\
         detector: {patterns: {TICKET: hunter2}, terms: {PROJECT: [hunter2]}, allow: [hunter2]}\n\
         vault: {dsn: ./sub/../sessions.db, redis_url: 'redis://:hunter2@b.example/0'}\n\
         operator: redact\n",
    );
    let environment = [
        ("MASK_CONFIG", path.as_str()),
        ("MASK_API_KEY", "hunter2"),
        ("MASK_ANCHOR_SECRET", "hunter2"),
        ("MASK_ENCRYPT_KEY", &"ab".repeat(32)),
    ];
    for flag in ["--show", "--json"] {
        let (status, stdout, stderr) = maskproxy_with(&["config", flag], &environment, "").await;
        assert_eq!((status, stderr.as_str()), (Some(0), ""));
        assert!(
            !stdout.contains("hunter2") && !stdout.contains("abab"),
            "{stdout}"
        );
        for shown in [
            "provider.headers.x-team",
            "https://u:****@a.example/v1",
            "detector.patterns.TICKET",
            "detector.terms.PROJECT",
            "./sub/../sessions.db",
            "redis://:****@b.example/0",
            "redact",
        ] {
            assert!(stdout.contains(shown), "{shown} in {stdout}");
        }
    }
    let (_, stdout, _) = maskproxy_with(&["config", "--show"], &environment, "").await;
    assert!(stdout.contains("\nprovider.generic_api_key:\n"), "{stdout}");
    let (_, stdout, _) = maskproxy_with(&["config"], &environment, "").await;
    assert!(stdout.starts_with(&format!("maskproxy {}\n", env!("CARGO_PKG_VERSION"))));
    assert!(!stdout.contains("hunter2"), "{stdout}");
    let (_, stdout, _) = maskproxy_with(&["config", "--path"], &environment, "").await;
    assert_eq!(stdout.trim(), path);
}

/// The default routes once followed the settings of `--show`, and filled the screen.
#[tokio::test]
async fn routes_are_listed_apart_from_settings() {
    let (_, settings, _) = maskproxy(&["config", "--show"], "").await;
    assert!(!settings.contains("/v1/messages"), "{settings}");
    let (_, routes, _) = maskproxy(&["config", "--routes"], "").await;
    assert!(routes.contains("\n  /v1/messages "), "{routes}");
}

/// It once said "with the client's key" for gateway mode too, which forwards none.
#[tokio::test]
async fn the_summary_names_whose_key_the_provider_gets() {
    let gateway = "proxy: {mode: gateway}\nprovider: {base_url: 'http://a.example/v1/x'";
    for (file, key, answer) in [
        ("", "", "with the client's key"),
        ("proxy: {forward_client_auth: false}", "", "without a key"),
        (&format!("{gateway}}}"), "", "without a key"),
        (
            &format!("{gateway}, headers: {{x-api-key: k}}}}"),
            "",
            "with the proxy's own key",
        ),
        ("", "hunter2", "with the proxy's own key"),
    ] {
        let (_directory, path) = self::file(file);
        let environment = [("MASK_API_KEY", key)];
        let (_, stdout, stderr) = maskproxy_with(&["config", "-c", &path], &environment, "").await;
        assert!(stdout.contains(answer), "{file}: {stdout} {stderr}");
    }
}

/// Replacing the default with a word list once turned off the detection of secrets silently.
#[tokio::test]
async fn user_detectors_without_built_ins_get_a_warning() {
    let (_directory, path) = file("detector: {type: terms, terms: {PROJECT: [bluebird]}}\n");
    let provider = Mock::start().await;
    let options = ProxyOptions {
        flags: vec!["-c".to_owned(), path.clone()],
        ..ProxyOptions::default()
    };
    let proxy = Proxy::start_with(&provider.url(), &options).await;
    let (_, config, _) = maskproxy(&["config", "-c", &path], "").await;
    for printed in [proxy.printed(), config] {
        assert!(
            printed.contains("the built-in detectors are off"),
            "{printed}"
        );
    }
}

#[tokio::test]
async fn a_strict_policy_names_the_types_it_lets_through() {
    let (_directory, path) = file("policy: {type: strict, allowed: [EMAIL, API_KEY]}\n");
    let provider = Mock::start().await;
    let options = ProxyOptions {
        flags: vec!["-c".to_owned(), path.clone()],
        ..ProxyOptions::default()
    };
    let proxy = Proxy::start_with(&provider.url(), &options).await;
    let (_, config, _) = maskproxy(&["config", "-c", &path], "").await;
    let (_, doctor, _) = maskproxy(&["doctor", "-c", &path], "").await;
    for printed in [proxy.printed(), config, doctor] {
        let line = printed
            .lines()
            .find(|line| line.contains("NOT masked"))
            .expect("the warning");
        assert!(line.contains("PHONE") && !line.contains("EMAIL"), "{line}");
    }
    let (_, detected, _) =
        maskproxy(&["detect", "-c", &path, "a@b.io +1 (555) 123-4567"], "").await;
    assert!(
        detected.contains("EMAIL") && !detected.contains("PHONE"),
        "{detected}"
    );
    let (_, detected, _) = maskproxy(
        &[
            "detect",
            "--no-policy",
            "-c",
            &path,
            "a@b.io +1 (555) 123-4567",
        ],
        "",
    )
    .await;
    assert!(detected.contains("PHONE"), "{detected}");
}

#[tokio::test]
async fn words_patterns_and_allowed_values_decide_what_is_masked() {
    let (_directory, path) = file(
        "detector:\n  patterns: {TICKET: 'TCK-\\d+', ACCOUNT: 'account (?P<value>\\d+)'}\n  \
         terms: {PROJECT: [Bluebird]}\n  allow: [help@example.org]\n",
    );
    let text = "BLUEBIRD TCK-12 account 77 help@example.org me@example.org";
    let (_, masked, _) = maskproxy(&["detect", "--transform", "-c", &path, text], "").await;
    assert_eq!(
        masked.lines().last(),
        Some(
            "<MASK_PROJECT_1> <MASK_TICKET_2> account <MASK_ACCOUNT_3> help@example.org <MASK_EMAIL_4>"
        )
    );
    let (_directory, path) = file("detector: {type: terms, terms: {PROJECT: [Bluebird]}}\n");
    let (_, masked, _) = maskproxy(&["detect", "--transform", "-c", &path, text], "").await;
    assert!(
        masked.ends_with("<MASK_PROJECT_1> TCK-12 account 77 help@example.org me@example.org\n"),
        "{masked}"
    );
}

#[tokio::test]
async fn routes_of_the_file_replace_the_default_ones() {
    let (_directory, path) =
        file("proxy: {routes: {/api/Talk: openai}, passthrough_unknown: false}\n");
    let provider = Mock::start().await;
    let options = ProxyOptions {
        flags: vec!["-c".to_owned(), path],
        ..ProxyOptions::default()
    };
    let proxy = Proxy::start_with(&provider.url(), &options).await;
    let body = json!({"messages": [{"role": "user", "content": "a@b.io"}]});
    let refused = Client::post(&proxy.url(), "/v1/chat/completions", &body).await;
    assert_eq!(refused.status, 403);
    Client::post(&proxy.url(), "/api/Talk", &body).await;
    let line = &proxy.audited("session.transform", 1).await[0];
    assert_eq!(line["entity_counts"], json!(["EMAIL:1"]), "{line}");
}

#[tokio::test]
async fn a_disabled_audit_trail_leaves_no_file() {
    let (_directory, path) = file("audit: {enabled: false}\n");
    let provider = Mock::start().await;
    let options = ProxyOptions {
        flags: vec!["-c".to_owned(), path],
        ..ProxyOptions::default()
    };
    let proxy = Proxy::start_with(&provider.url(), &options).await;
    let body = json!({"messages": [{"role": "user", "content": "a@b.io"}]});
    Client::post(&proxy.url(), "/v1/chat/completions", &body).await;
    assert_eq!(proxy.audit_text(), "");
    let metrics = proxy.metrics().await;
    assert!(metrics.contains("EMAIL"), "{metrics}");
}

#[tokio::test]
async fn a_missing_tls_file_setting_is_a_start_up_error() {
    for flag in ["--ssl-certfile", "--ssl-keyfile"] {
        let (status, stdout, stderr) = maskproxy(&["proxy", flag, "x.pem"], "").await;
        assert_eq!((status, stdout.as_str()), (Some(1), ""));
        assert!(stderr.starts_with("Error: HTTPS needs both"), "{stderr}");
    }
    let (status, ..) = maskproxy(&["proxy", "--no-such-flag"], "").await;
    assert_eq!(status, Some(2));
}

#[tokio::test]
async fn findings_of_a_list_of_detectors_are_pooled() {
    let (_directory, path) = file(
        "detector: [regex, {type: terms, terms: {PROJECT: [Bluebird]}}, {type: terms, terms: {PERSON: [Ada]}}]\n",
    );
    let arguments = [
        "detect",
        "--transform",
        "-c",
        &path,
        "Ada: Bluebird, a@b.io",
    ];
    let (_, masked, _) = maskproxy(&arguments, "").await;
    assert!(
        masked.ends_with("<MASK_PERSON_1>: <MASK_PROJECT_2>, <MASK_EMAIL_3>\n"),
        "{masked}"
    );
}

/// A newcomer's proxy forwarded to an address where nothing listens, which only the first request
/// revealed.
#[tokio::test]
async fn a_proxy_without_a_provider_asks_for_one() {
    let asked = printed_at_start(&[], &[]).await;
    let question = "set yours, such as --upstream https";
    assert!(asked.contains(question), "{asked}");
    let misspelled = [("MASK_UPSTREAM", "x")];
    let named = printed_at_start(&["-u", "https://api.anthropic.com"], &misspelled).await;
    assert!(!named.contains(question), "{named}");
    let meant = "MASK_UPSTREAM is not read, did you mean 'MASK_UPSTREAM_URL'?";
    assert!(named.contains(meant), "{named}");
}

#[tokio::test]
async fn an_invalid_port_is_a_usage_error() {
    for port in ["abc", "70000", "1.5"] {
        let (status, _, errors) = maskproxy(&["proxy", "--port", port], "").await;
        assert_eq!(status, Some(2), "{errors}");
        assert!(
            errors.contains("a whole number from 0 to 65535"),
            "{errors}"
        );
    }
}

#[tokio::test]
async fn open_listeners_get_warnings() {
    let (_directory, path) = file("host: 0.0.0.0\nsession: {strategy: client}\n");
    let key = [("MASK_API_KEY", "hunter2")];
    let (_, open, _) = maskproxy_with(&["config", "-c", &path], &key, "").await;
    assert!(open.contains("can use this proxy's provider key"), "{open}");
    assert!(open.contains("sessions are kept in memory"), "{open}");
    assert!(!open.contains("hunter2"), "{open}");
    let (_, own, _) = maskproxy_with(&["config"], &key, "").await;
    assert!(!own.contains("warning"), "{own}");
}

/// The output of a proxy on a free port before it serves.
async fn printed_at_start(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let mut proxy = Command::new(binary())
        .args(["proxy", "--port", "0"])
        .args(arguments)
        .env_clear()
        .envs(environment.iter().copied())
        .current_dir(directory.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(proxy.stderr.take().expect("a pipe")).lines();
    let mut answer = String::new();
    while let Some(line) = lines.next_line().await.expect("text") {
        answer.push_str(&line);
        answer.push('\n');
        if line.starts_with("audit trail") {
            return answer;
        }
    }
    panic!("it ended: {answer}")
}
