//! `maskproxy doctor`, `completions` and `man`.

use serde_json::Value;
use tests::{Mock, Redis, maskproxy, maskproxy_with};

/// A directory with a configuration file, and its path.
fn file(text: &str) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("maskproxy.yaml");
    let text = text.replace("{here}", &directory.path().display().to_string());
    std::fs::write(&path, text).expect("a file");
    let shown = path.display().to_string();
    (directory, shown)
}

/// The result of doctor for each part.
async fn doctor(path: &str, environment: &[(&str, &str)]) -> (Option<i32>, Value) {
    let arguments = ["doctor", "--json", "-c", path];
    let (status, stdout, stderr) = maskproxy_with(&arguments, environment, "").await;
    assert_eq!(stderr, "");
    (status, serde_json::from_str(&stdout).expect("JSON"))
}

fn outcome<'a>(report: &'a Value, part: &str) -> &'a str {
    let checks = report["checks"].as_array().expect("checks");
    let check = checks.iter().find(|check| check["part"] == part);
    check.map_or("", |check| check["outcome"].as_str().expect("an outcome"))
}

#[tokio::test]
async fn the_default_configuration_passes_every_check() {
    let (status, stdout, stderr) = maskproxy(&["doctor"], "").await;
    assert_eq!((status, stderr.as_str()), (Some(0), ""), "{stdout}");
    for part in [
        "✓ configuration",
        "✓ detector",
        "✓ policy",
        "✓ operator",
        "✓ vault",
        "✓ audit",
        "✓ proxy, whole",
        "✓ proxy, streamed",
    ] {
        assert!(stdout.contains(part), "{part} in {stdout}");
    }
    assert!(!stdout.contains('\x1b'), "{stdout}");
    // None of the test values is printed.
    assert!(!stdout.contains("example.org"), "{stdout}");
}

#[tokio::test]
async fn an_encrypting_proxy_restores_streams_too() {
    let (_directory, path) = file("operator: encrypt\nvault: {type: sqlite, dsn: '{here}/s.db'}\n");
    let environment = [("MASK_ENCRYPT_KEY", &*"0f".repeat(32))];
    let (status, report) = doctor(&path, &environment).await;
    assert_eq!(status, Some(0), "{report}");
    assert_eq!(outcome(&report, "proxy, streamed"), "passed", "{report}");
    assert_eq!(outcome(&report, "vault"), "passed", "{report}");
    // The test session is gone again.
    let (_, listed, _) = maskproxy_with(
        &["session", "list", "--json", "-c", &path],
        &environment,
        "",
    )
    .await;
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed["sessions"], serde_json::json!([]), "{listed}");
}

#[tokio::test]
async fn redact_skips_the_stream_check() {
    let (_directory, path) = file("operator: redact\naudit: {enabled: false}\n");
    let (status, report) = doctor(&path, &[]).await;
    assert_eq!(status, Some(0), "{report}");
    assert_eq!(outcome(&report, "proxy, streamed"), "skipped");
    assert_eq!(outcome(&report, "proxy, whole"), "passed");
    assert_eq!(outcome(&report, "audit"), "skipped");
}

#[tokio::test]
async fn doctor_tries_the_configured_routes_modes_and_terms() {
    for schema in ["chat_style", "messages_style", "responses"] {
        for mode in ["transparent", "gateway"] {
            let (_directory, path) = file(&format!(
                "proxy: {{mode: {mode}, routes: {{/talk: {schema}}}}}\n\
                 provider: {{base_url: 'http://127.0.0.1:9/x'}}\n\
                 detector: {{type: terms, terms: {{PROJECT: [Bluebird]}}}}\n"
            ));
            let (status, report) = doctor(&path, &[]).await;
            assert_eq!(status, Some(0), "{report}");
            assert_eq!(outcome(&report, "proxy, streamed"), "passed", "{report}");
            assert_eq!(outcome(&report, "upstream"), "warning", "{report}");
        }
    }
}

#[tokio::test]
async fn a_provider_is_tried_through_the_outgoing_proxy() {
    let (_directory, path) = file("proxy: {upstream: 'https://provider.invalid'}\n");
    let through = [("HTTPS_PROXY", "http://user:hunter2@127.0.0.1:9")];
    let (status, report) = doctor(&path, &through).await;
    assert_eq!((status, outcome(&report, "upstream")), (Some(0), "warning"));
    let shown = report.to_string();
    assert!(
        shown.contains("the proxy on the way to https://provider.invalid"),
        "{shown}"
    );
    assert!(!shown.contains("hunter2"), "{shown}");
}

/// `doctor` said that the provider accepts connections, and every request failed.
#[tokio::test]
async fn an_untrusted_provider_certificate_fails() {
    let mock = Mock::start_tls().await;
    let (directory, path) = file(&format!("proxy: {{upstream: '{}'}}\n", mock.url()));
    let (status, report) = doctor(&path, &[]).await;
    assert_eq!((status, outcome(&report, "upstream")), (Some(1), "failed"));
    assert!(report.to_string().contains("SSL_CERT_FILE"), "{report}");

    let roots = directory.path().join("roots.pem");
    std::fs::write(&roots, mock.certificate()).expect("a file");
    let trusted = [("SSL_CERT_FILE", roots.to_str().expect("UTF-8"))];
    let (status, report) = doctor(&path, &trusted).await;
    assert_eq!((status, outcome(&report, "upstream")), (Some(0), "passed"));
}

/// `sudo maskproxy doctor` once made a database that the service could not open.
#[tokio::test]
async fn no_database_is_left_behind() {
    let (directory, path) = file("vault: {type: sqlite, dsn: '{here}/sub/s.db'}\n");
    let (status, report) = doctor(&path, &[]).await;
    assert_eq!(outcome(&report, "vault"), "passed", "{report}");
    assert_eq!(status, Some(0), "{report}");
    let left = std::fs::read_dir(directory.path()).expect("a directory");
    assert_eq!(left.count(), 1);
}

/// It once left a folder that the service could not write to.
#[tokio::test]
async fn no_folder_of_the_audit_trail_is_left_behind() {
    let (directory, path) = file("audit: {path: '{here}/new/deep/audit.log'}\n");
    let (status, report) = doctor(&path, &[]).await;
    assert_eq!((status, outcome(&report, "audit")), (Some(0), "warning"));
    let left = std::fs::read_dir(directory.path()).expect("a directory");
    assert_eq!(left.count(), 1);
}

#[tokio::test]
async fn a_missing_provider_setting_is_reported() {
    let (status, stdout, _) = maskproxy(&["doctor"], "").await;
    assert_eq!(status, Some(0));
    assert!(
        stdout.contains("! upstream         no provider is set"),
        "{stdout}"
    );
}

#[tokio::test]
async fn a_broken_part_is_named_and_fails() {
    let (directory, path) = file("vault: {type: sqlite, dsn: '{here}/notes.txt'}\n");
    std::fs::write(
        directory.path().join("notes.txt"),
        "no database ".repeat(100),
    )
    .expect("a file");
    let (status, stdout, _) = maskproxy(&["doctor", "-c", &path], "").await;
    assert_eq!(status, Some(1));
    assert!(stdout.contains("✗ vault"), "{stdout}");

    let (_directory, path) = file("audit: {path: /proc/no/audit.log}\n");
    let (status, report) = doctor(&path, &[]).await;
    assert_eq!((status, outcome(&report, "audit")), (Some(1), "failed"));
    assert_eq!(report["ok"], false);

    let (_directory, path) =
        file("tls: {certfile: '{here}/none.pem', keyfile: '{here}/none.pem'}\n");
    let (status, report) = doctor(&path, &[]).await;
    assert_eq!((status, outcome(&report, "tls")), (Some(1), "failed"));

    let (_directory, path) =
        file("detector: [regex, {type: presidio, url: 'http://127.0.0.1:9'}]\n");
    let (status, stdout, _) = maskproxy(&["doctor", "-c", &path], "").await;
    assert_eq!(status, Some(1));
    assert!(stdout.contains("503 mask_scan_failed"), "{stdout}");
    let unreachable =
        "✗ detector service the presidio detector failed: its service can't be reached";
    assert!(stdout.contains(unreachable), "{stdout}");

    let (_directory, path) = file("detector: {term: {A: [hunter2]}}\n");
    let (status, stdout, _) = maskproxy(&["doctor", "-c", &path], "").await;
    assert_eq!(status, Some(1));
    assert!(stdout.contains("✗ configuration"), "{stdout}");
    assert!(
        stdout.contains("'detector.term', did you mean 'terms'?"),
        "{stdout}"
    );
}

/// A user without the right for links of history passed, and requests that continue history failed.
#[tokio::test]
async fn missing_redis_permissions_are_reported() {
    let redis = Redis::start().await;
    let rights = "+@read +@write +@scripting +@transaction +@connection +role";
    for (keys, expected) in [("~mask:* ~{mask:*", "passed"), ("~mask:*", "failed")] {
        let user = format!("ACL SETUSER proxy reset on >p4ssword {keys} {rights}");
        assert_eq!(redis.ask(&user).await.as_deref(), Some("+OK\r\n"));
        let url = format!("redis://proxy:p4ssword@{}", redis.address());
        let (_directory, path) = file("vault: redis");
        let (_, report) = doctor(&path, &[("MASK_REDIS_URL", &url)]).await;
        assert_eq!(outcome(&report, "vault"), expected, "{report}");
        let says = report.to_string().contains("docs/sessions.md#redis");
        assert_eq!(says, expected == "failed", "{report}");
        let left = redis.ask("KEYS *mask:links:*").await;
        assert_eq!(left.as_deref(), Some("*0\r\n"), "{report}");
    }
}

#[tokio::test]
async fn completions_and_manual_pages_know_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (status, script, _) = maskproxy(&["completions", shell], "").await;
        assert_eq!(status, Some(0));
        assert!(
            script.contains("doctor") && script.contains("upstream"),
            "{shell}"
        );
    }
    for shell in ["bash", "zsh", "fish"] {
        let (_, script, _) = maskproxy(&["completions", shell], "").await;
        assert!(
            script.contains("opencode"),
            "{shell} offers no tools after run"
        );
    }
    let (status, page, _) = maskproxy(&["man"], "").await;
    assert_eq!(status, Some(0));
    assert!(
        page.contains(".TH maskproxy 1") && page.contains("doctor"),
        "{page}"
    );
    let directory = tempfile::tempdir().expect("a directory");
    let pages = directory.path().join("man1").display().to_string();
    let (status, ..) = maskproxy(&["man", &pages], "").await;
    assert_eq!(status, Some(0));
    for page in ["maskproxy.1", "maskproxy-proxy.1", "maskproxy-detect.1"] {
        assert!(directory.path().join("man1").join(page).is_file(), "{page}");
    }
    let page = directory.path().join("man5/maskproxy.yaml.5");
    let page = std::fs::read_to_string(page).expect("the page of the configuration file");
    assert!(
        page.contains(".TH maskproxy.yaml 5") && page.contains("vault.ttl"),
        "{page}"
    );
}

/// At 80 columns no line of help is broken by the terminal.
#[tokio::test]
async fn help_fits_a_terminal() {
    let commands = [
        "proxy",
        "run",
        "detect",
        "mask",
        "unmask",
        "audit",
        "session",
        "config",
        "doctor",
        "completions",
        "man",
    ];
    let (_, help, _) = maskproxy(&["--help"], "").await;
    for command in commands {
        assert!(
            help.contains(&format!("\n  {command} ")),
            "{command} in {help}"
        );
        let (status, help, _) =
            maskproxy_with(&[command, "--help"], &[("COLUMNS", "80")], "").await;
        assert_eq!(status, Some(0));
        let long = help.lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None, "{command}");
    }
}
