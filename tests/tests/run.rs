//! `maskproxy run`: a tool behind its own proxy.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::{Value, json};
use tests::signals::{self, Signal};
use tests::{Mock, User, Values};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(30);

fn message(text: &str) -> String {
    json!({"model": "echo", "max_tokens": 9, "messages": [{"role": "user", "content": text}]})
        .to_string()
}

#[tokio::test]
async fn tool_requests_are_masked_and_standard_output_stays_clean() {
    let mock = Mock::start().await;
    let user = User::new().env("FAKE_TOOL_POST", "/v1/messages");
    let values = Values::of(71);
    let ended = user
        .run(
            &["claude", "-u", &mock.url(), "--", "-p", "hi"],
            &message(&values.to_string()),
        )
        .await;
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    assert_eq!(ended.printed.lines().count(), 2, "{}", ended.printed);
    assert_eq!(values.found_in(&ended.printed), values.all());
    let closing = ended.errors.lines().last().unwrap_or_default();
    assert!(
        closing.starts_with("maskproxy: 1 request, ")
            && closing.ends_with(", nothing left unmasked"),
        "{}",
        ended.errors
    );
    assert_eq!(values.found_in(&ended.errors), [""; 0]);

    let request = mock.last();
    assert_eq!(values.found_in(&request.everything()), [""; 0]);
    assert_eq!(
        request.header("authorization"),
        Some("Bearer sk-of-the-tool")
    );
    let arguments = ended.seen()["arguments"].clone();
    assert_eq!(arguments[0], "--settings");
    assert_eq!(arguments.as_array().expect("a list")[2..], ["-p", "hi"]);

    // Nothing in the project; the trail and the log in their folders, readable only by their owner.
    assert_eq!(
        fs::read_dir(user.path("project"))
            .expect("a directory")
            .count(),
        0
    );
    let state = user.path("home/.local/state/maskproxy");
    let trail = fs::read_to_string(state.join("audit.log")).expect("a trail");
    assert!(
        trail.contains("session.transform") && trail.contains("\"source\":\"conversation\""),
        "{trail}"
    );
    for file in fs::read_dir(state).expect("a directory").flatten() {
        let mode = file.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", file.path().display());
    }
}

/// `run claude -p hi` was once a usage error: everything for the tool had to follow `--`.
#[tokio::test]
async fn the_tools_arguments_need_no_separator() {
    let mock = Mock::start().await;
    let user = User::new().env("FAKE_TOOL_POST", "/v1/messages");
    let url = mock.url();
    let given: [&[&str]; 4] = [
        &["-u", &url, "claude", "-p", "hi", "--ui", "x", "--", "-y"],
        &["claude", "-u", &url, "-p", "hi", "--ui", "x", "--", "-y"],
        &[
            "claude", "-u", &url, "--", "-p", "hi", "--ui", "x", "--", "-y",
        ],
        &[
            "-u", &url, "--", "claude", "-p", "hi", "--ui", "x", "--", "-y",
        ],
    ];
    for arguments in given {
        let ended = user.run(arguments, &message("hi")).await;
        assert_eq!(ended.code, Some(0), "{}", ended.errors);
        let seen = ended.seen()["arguments"].clone();
        let seen = &seen.as_array().expect("a list")[2..];
        assert_eq!(seen, ["-p", "hi", "--ui", "x", "--", "-y"], "{arguments:?}");
    }
}

/// `run claude -c` gave the parser's error, because `-c` names a file for `run`.
#[tokio::test]
async fn a_trailing_option_without_value_goes_to_the_tool() {
    let mock = Mock::start().await;
    let user = User::new().env("FAKE_TOOL_POST", "/v1/messages");
    let url = mock.url();
    for arguments in [["claude", "-u", &url, "-c"], ["-u", &url, "claude", "-c"]] {
        let ended = user.run(&arguments, &message("hi")).await;
        assert_eq!(ended.code, Some(0), "{}", ended.errors);
        let seen = ended.seen()["arguments"].clone();
        assert_eq!(
            seen.as_array().expect("a list")[2..],
            ["-c"],
            "{arguments:?}"
        );
    }
    for without_tool in [&["-c"][..], &["-u", &url, "-c"]] {
        let ended = user.run(without_tool, "").await;
        assert_eq!(ended.code, Some(2), "{}", ended.errors);
        assert!(ended.errors.contains("--config <FILE>"), "{}", ended.errors);
    }
}

#[tokio::test]
async fn an_option_of_both_tool_and_run_is_explained() {
    let user = User::new();
    let ended = user.run(&["codex", "-c", "model=x"], "").await;
    assert_eq!(ended.code, Some(1), "{}", ended.errors);
    let explained = "if -c is meant for 'codex', put `--` in front";
    assert!(ended.errors.contains(explained), "{}", ended.errors);
}

#[tokio::test]
async fn the_anchor_secret_keeps_tokens_equal_across_runs() {
    let mock = Mock::start().await;
    let user = User::new().env("FAKE_TOOL_POST", "/v1/messages");
    let url = mock.url();
    let arguments = ["claude", "-u", &url];
    let text = message("to alice@example.com");
    let (first, second) = tokio::join!(user.run(&arguments, &text), user.run(&arguments, &text));
    assert_eq!(
        (first.code, second.code),
        (Some(0), Some(0)),
        "{}{}",
        first.errors,
        second.errors
    );
    user.run(&arguments, &text).await;

    let bodies: Vec<_> = mock
        .requests()
        .iter()
        .map(|request| request.json()["messages"].clone())
        .collect();
    assert_eq!(bodies.len(), 3);
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    let path = user.path("home/.config/maskproxy/anchor-secret");
    let secret = fs::read_to_string(&path).expect("a secret");
    assert!(
        secret.trim().len() == 64 && secret.trim().bytes().all(|byte| byte.is_ascii_hexdigit())
    );
    assert_eq!(
        path.metadata().expect("a file").permissions().mode() & 0o777,
        0o600
    );
    for ended in [&first, &second] {
        let shown = format!("{}{}", ended.printed, ended.errors);
        assert!(
            !shown.contains(secret.trim()),
            "the secret was handed to the tool"
        );
    }
}

/// What is chosen on the live page applies to later runs, with or without the page.
#[tokio::test]
async fn the_users_lists_apply_to_every_run() {
    let mock = Mock::start().await;
    let user = User::new().env("FAKE_TOOL_POST", "/v1/messages");
    let url = mock.url();
    let text = message("alice@example.com of Bluebird");
    let with_page = ["claude", "-u", &url, "--ui", "0"];
    let ended = user.run(&with_page, &text).await;
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    let lists = user.path("home/.config/maskproxy/lists.yaml");
    let mode = lists.metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let listed = "allow: [alice@example.com]\nterms: {PROJECT: [Bluebird]}\n";
    fs::write(&lists, listed).expect("a writable file");
    user.run(&["claude", "-u", &url], &text).await;
    let seen = mock.last().text();
    let is_listed = seen.contains("alice@example.com") && !seen.contains("Bluebird");
    assert!(is_listed, "{seen}");
}

#[tokio::test]
async fn codex_gets_configuration_overrides() {
    let mock = Mock::start().await;
    let user = User::new().env("FAKE_TOOL_POST", "/v1/responses");
    let body = json!({"model": "echo", "input": "to alice@example.com"}).to_string();
    let ended = user
        .run(
            &[
                "codex",
                "-u",
                &mock.url(),
                "--",
                "exec",
                "-c",
                "model=\"x\"",
                "hi",
            ],
            &body,
        )
        .await;
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    let seen = ended.seen()["arguments"].clone();
    let arguments: Vec<_> = seen
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(arguments[4..7], ["exec", "-c", "model=\"x\""]);
    assert!(
        arguments[8].starts_with("openai_base_url=\"http://127.0.0.1:"),
        "{seen}"
    );
    assert_eq!(arguments.last(), Some(&"hi"));
    assert!(!mock.last().text().contains("alice"));
    assert!(ended.printed.contains("alice@example.com"));
}

#[tokio::test]
async fn an_unknown_tool_gets_the_variable_that_the_user_names() {
    let mock = Mock::start().await;
    let user = User::new().env("FAKE_TOOL_POST", "/v1/chat/completions");
    let arguments = [
        "my-tool",
        "-u",
        &mock.url(),
        "--env-var",
        "MY_URL",
        "--env-var",
        "AN_OPENAI_URL",
    ];
    let ended = user.run(&arguments, &message("to alice@example.com")).await;
    let environment = ended.seen()["environment"].clone();
    let url = environment["MY_URL"].as_str().expect("a variable");
    assert_eq!(environment["AN_OPENAI_URL"], format!("{url}/v1"));
    assert!(ended.printed.contains("alice@example.com") && !mock.last().text().contains("alice"));
}

#[tokio::test]
async fn an_ipv6_host_is_written_in_brackets() {
    let url = url_printed_with("host: '::1'\n").await;
    assert!(url.starts_with("http://[::1]:"), "{url}");
}

#[tokio::test]
async fn a_host_meaning_all_addresses_is_not_listened_on() {
    let url = url_printed_with("host: '0'\n").await;
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
}

/// The proxy's address as a tool gets it, after one of its requests.
async fn url_printed_with(config: &str) -> String {
    let mock = Mock::start().await;
    let user = User::new().env("FAKE_TOOL_POST", "/v1/messages");
    let file = user.path("config.yaml");
    fs::write(&file, config).expect("a file");
    let file = file.to_str().expect("UTF-8");
    let arguments = ["claude", "-u", &mock.url(), "-c", file];
    let ended = user.run(&arguments, &message("hi")).await;
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    assert_eq!(mock.requests().len(), 1);
    let environment = &ended.seen()["environment"];
    let url = environment["ANTHROPIC_BASE_URL"].as_str();
    url.expect("a variable").to_owned()
}

/// A refused request was counted as one that got through.
#[tokio::test]
async fn refused_requests_are_counted_as_failed() {
    let mock = Mock::start().await;
    let user = User::new().env("FAKE_TOOL_POST", "/v9/ask");
    let file = user.path("config.yaml");
    fs::write(&file, "proxy: {unrouted: refuse}\n").expect("a file");
    let file = file.to_str().expect("UTF-8");
    let arguments = ["claude", "-u", &mock.url(), "-c", file];
    let ended = user.run(&arguments, &message("hi")).await;
    let closing = ended.errors.lines().last().unwrap_or_default();
    assert_eq!(closing, "maskproxy: 1 request (failed), no values masked");
    assert_eq!(mock.requests().len(), 0);
}

#[tokio::test]
async fn the_users_configuration_applies() {
    let mock = Mock::start().await;
    let user = User::new().env("FAKE_TOOL_POST", "/v1/messages");
    let (config, audit) = (user.path("config.yaml"), user.path("own.log"));
    let text = format!(
        "proxy: {{upstream: '{}'}}\ndetector: {{terms: {{PROJECT: [Nightjar]}}}}\naudit: {{path: '{}'}}\n",
        mock.url(),
        audit.display()
    );
    fs::write(&config, text).expect("a file");
    let arguments = ["claude", "-c", config.to_str().expect("UTF-8")];
    let ended = user.run(&arguments, &message("the Nightjar plan")).await;
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    assert!(
        mock.last().text().contains("<MASK_PROJECT_"),
        "{}",
        mock.last().text()
    );
    assert!(
        fs::read_to_string(audit)
            .expect("a trail")
            .contains("PROJECT:1")
    );
}

#[tokio::test]
async fn only_a_tool_without_requests_gets_a_warning() {
    let user = User::new();
    let ended = user.run(&["claude", "-u", "http://127.0.0.1:9"], "").await;
    assert_eq!(ended.code, Some(0));
    assert_eq!(ended.errors.lines().count(), 2, "{}", ended.errors);
    assert!(
        ended
            .errors
            .contains("no request from 'claude' reached the proxy"),
        "{}",
        ended.errors
    );

    // One that reached the proxy, though not the provider.
    let user = User::new().env("FAKE_TOOL_POST", "/v1/models");
    let ended = user.run(&["claude", "-u", "http://127.0.0.1:9"], "").await;
    assert!(
        ended
            .errors
            .contains("can't connect to the provider at 127.0.0.1:9; check"),
        "{}",
        ended.errors
    );
    assert!(
        ended
            .errors
            .ends_with("1 request (failed), no values masked\n"),
        "{}",
        ended.errors
    );
}

/// A tool whose requests all went to an unmasked path ended without a warning.
#[tokio::test]
async fn an_unmasked_prompt_is_reported_at_once_and_at_the_end() {
    let mock = Mock::start().await;
    let user = User::new().env("FAKE_TOOL_POST", "/v9/unheard-of");
    let ended = user
        .run(
            &["claude", "-u", &mock.url()],
            &message("to alice@example.com"),
        )
        .await;
    let lines: Vec<_> = ended.errors.lines().collect();
    let named = "warning: a request to /v9/* went to";
    assert!(
        lines.iter().any(|line| line.contains(named)),
        "{}",
        ended.errors
    );
    assert_eq!(
        lines.last().copied(),
        Some("maskproxy: 1 request, no values masked, 1 request to /v9/* was NOT masked")
    );
}

/// A tool with its own retries made its user wait for the reason.
#[tokio::test]
async fn an_unreachable_provider_is_reported_while_the_tool_runs() {
    let user = User::new();
    let script = "curl -s -d '{}' \"$U/v1/messages\" >/dev/null; read -r line";
    let mut child = user
        .command(&[
            "sh",
            "-u",
            "http://127.0.0.1:9",
            "--env-var",
            "U",
            "--",
            "-c",
            script,
        ])
        .spawn()
        .expect("it starts");
    // The tool waits for its input to end, and that is held here.
    let stdin = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let seen = async {
        while let Some(line) = lines.next_line().await.expect("a line") {
            if line.contains("can't reach http://127.0.0.1:9") {
                return true;
            }
        }
        false
    };
    assert!(timeout(PATIENCE, seen).await.expect("in time"));
    drop(stdin);
    timeout(PATIENCE, child.wait())
        .await
        .expect("it ends")
        .expect("a status");
}

#[tokio::test]
async fn exit_codes_and_signals_come_from_the_tool() {
    let user = User::new();
    for (script, code) in [
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -KILL $$", 137),
        ("kill -SEGV $$", 139),
    ] {
        let ended = user
            .run(&["sh", "--env-var", "X", "--", "-c", script], "")
            .await;
        assert_eq!(ended.code, Some(code), "{script}: {}", ended.errors);
    }
    let waits = "trap 'echo caught; exit 5' TERM INT HUP; echo ready; while :; do sleep 0.05; done";
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut child = user
            .command(&["sh", "--env-var", "X", "--", "-c", waits])
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let ready = timeout(PATIENCE, lines.next_line()).await.expect("in time");
        assert_eq!(ready.expect("a line").as_deref(), Some("ready"));
        signals::send(signal, child.id().expect("it runs"));
        let line = timeout(PATIENCE, lines.next_line()).await.expect("in time");
        assert_eq!(
            line.expect("a line").as_deref(),
            Some("caught"),
            "{signal:?}"
        );
        let ended = timeout(PATIENCE, child.wait()).await.expect("it ends");
        assert_eq!(ended.expect("a status").code(), Some(5), "{signal:?}");
    }
}

/// The prompts of an unknown tool, and its key, once went to whoever listened at the default address, without a word.
#[tokio::test]
async fn an_unknown_tools_provider_follows_its_key() {
    let arguments = ["sh", "--env-var", "X", "--", "-c", "exit 0"];
    let ended = User::new().run(&arguments, "").await;
    assert!(
        ended.errors.contains("no provider is set"),
        "{}",
        ended.errors
    );
    let user = User::new().env("ANTHROPIC_API_KEY", "sk-of-the-tool");
    let ended = user.run(&arguments, "").await;
    let to = "https://api.anthropic.com (from ANTHROPIC_API_KEY)";
    assert!(ended.errors.contains(to), "{}", ended.errors);
}

#[tokio::test]
async fn the_tool_owns_the_standard_streams() {
    let user = User::new();
    let script = "cat; echo err >&2; exit 0";
    let ended = user
        .run(&["sh", "--env-var", "X", "--", "-c", script], "a\0b\n")
        .await;
    assert_eq!(ended.printed, "a\0b\n");
    assert!(ended.errors.contains("\nerr\n"), "{}", ended.errors);
}

#[tokio::test]
async fn an_unrunnable_tool_is_reported_in_one_line() {
    let user = User::new();
    fs::write(user.path("project/text"), "no program").expect("a file");
    fs::write(user.path("bad.yaml"), "detectr: {}\n").expect("a file");
    let bad = user.path("bad.yaml").display().to_string();
    for (arguments, code, says) in [
        (
            &["no-such-tool", "--env-var", "X"][..],
            127,
            "is not on PATH",
        ),
        (&["./no-file", "--env-var", "X"], 127, "does not exist"),
        (&["./text", "--env-var", "X"], 126, "is not executable"),
        (&["no-such-tool"], 2, "--env-var"),
        (&[], 2, "<TOOL>"),
        (&["claude", "--env-var", "A B"], 2, "letters, digits"),
        (&["claude", "-u", "nonsense"], 1, "proxy.upstream"),
        (&["claude", "-c", &bad], 1, "detectr"),
        (&["claude", "-c", "/nowhere.yaml"], 1, "/nowhere.yaml"),
    ] {
        let ended = user.run(arguments, "").await;
        assert_eq!(ended.code, Some(code), "{arguments:?}: {}", ended.errors);
        assert!(
            ended.errors.to_lowercase().starts_with("error: "),
            "{}",
            ended.errors
        );
        assert!(
            ended.errors.contains(says),
            "{arguments:?}: {}",
            ended.errors
        );
        assert_eq!(ended.printed, "");
    }
    let file = user.path("home/.config/maskproxy/anchor-secret");
    fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
    fs::write(&file, "not a secret").expect("a file");
    let ended = user.run(&["claude", "-u", "http://127.0.0.1:9"], "").await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.errors.contains("delete it"), "{}", ended.errors);
}

#[tokio::test]
async fn known_tools_are_listed() {
    let ended = User::new().run(&["--list"], "").await;
    assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""));
    for tool in [
        "claude", "codex", "opencode", "qwen", "aider", "llm", "openai", "gemini", "cline",
    ] {
        assert!(
            ended.printed.lines().any(|line| line.starts_with(tool)),
            "{tool}"
        );
    }
    assert!(
        ended.printed.lines().all(|line| line.chars().count() <= 80),
        "{}",
        ended.printed
    );
}

/// An agent that printed its environment once saw the proxy's own keys.
#[tokio::test]
async fn the_tool_does_not_get_the_proxys_secrets() {
    let user = User::new()
        .env("MASK_API_KEY", "held-key-5J2w")
        .env("MASK_ANCHOR_SECRET", "anchor-7Qm4")
        .env("MASK_UPSTREAM_URL", "http://127.0.0.1:9");
    let ended = user.run(&["claude"], "").await;
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    for secret in ["held-key-5J2w", "anchor-7Qm4"] {
        assert!(!ended.printed.contains(secret), "{secret}");
    }
}
