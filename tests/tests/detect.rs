//! `maskproxy detect`.

use std::fs;

use serde_json::{Value, json};
use tests::{Values, maskproxy};

#[tokio::test]
async fn detect_prints_type_and_value_in_characters() {
    let (status, stdout, _) = maskproxy(&["detect", "é: alice@example.com"], "").await;
    assert_eq!(status, Some(0));
    assert_eq!(
        stdout
            .lines()
            .next()
            .map(|line| line.split_whitespace().collect::<Vec<_>>()),
        Some(vec!["3:20", "EMAIL", "'alice@example.com'"])
    );
}

#[tokio::test]
async fn detect_reports_that_nothing_was_found() {
    let (status, stdout, _) = maskproxy(&["detect", "plain text"], "").await;
    assert_eq!(
        (status, stdout.trim()),
        (Some(0), "No sensitive entities detected.")
    );
}

#[tokio::test]
async fn detect_transform_masks_standard_input() {
    let values = Values::of(61);
    let (status, stdout, _) =
        maskproxy(&["detect", "--transform", "--stdin"], &values.to_string()).await;
    assert_eq!(status, Some(0));
    let masked = stdout.lines().last().expect("a line");
    assert!(masked.contains("<MASK_EMAIL_1>"), "{stdout}");
    assert_eq!(values.found_in(masked), [""; 0]);
}

#[tokio::test]
async fn detect_json_lines_keep_their_ids() {
    let lines = "{\"id\": 7, \"text\": \"to a@b.io\"}\n{\"id\": \"x\", \"text\": \"\"}\n";
    let (status, stdout, stderr) = maskproxy(&["detect", "--jsonl"], lines).await;
    assert_eq!(status, Some(0), "{stderr}");
    let found: Vec<Value> = stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!((&found[0]["id"], &found[1]["id"]), (&json!(7), &json!("x")));
    let detection = &found[0]["detections"][0];
    assert_eq!(
        (&detection["start"], &detection["end"], &detection["type"]),
        (&json!(3), &json!(9), &json!("EMAIL"))
    );
    assert!(detection["score"].is_number());
    assert_eq!(found[1]["detections"], json!([]));
}

/// A check whose list of files is empty must not pass.
#[tokio::test]
async fn detect_without_text_fails() {
    let (status, _, stderr) = maskproxy(&["detect"], "").await;
    assert_eq!(status, Some(2), "{stderr}");
    assert!(stderr.contains("standard input is empty"), "{stderr}");
}

/// `mask` read a pipe without an argument, but `detect` needed `-`.
#[tokio::test]
async fn detect_reads_piped_input() {
    let (status, stdout, stderr) = maskproxy(&["detect"], "to alice@example.com").await;
    assert_eq!(status, Some(0), "{stderr}");
    assert!(stdout.starts_with("3:20  EMAIL"), "{stdout}");
    let (status, ..) = maskproxy(&["detect", "--stdin"], "").await;
    assert_eq!(status, Some(0), "an empty text that was asked for");
}

/// Standard input was silently ignored, as if it were empty.
#[tokio::test]
async fn detect_accepts_a_text_or_standard_input_not_both() {
    let (status, stdout, stderr) =
        maskproxy(&["detect", "--stdin", "plain text"], "to alice@example.com").await;
    assert_eq!((status, stdout.as_str()), (Some(2), ""), "{stderr}");
    assert!(stderr.contains("--stdin"), "{stderr}");
}

/// A file's name was treated as the text: "No sensitive entities detected".
#[tokio::test]
async fn detect_reads_a_named_file_and_reports_it() {
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("notes.txt");
    fs::write(&file, "dear é\n  to alice@example.com,\n").expect("a file");
    let path = file.to_str().expect("UTF-8");
    let (status, stdout, stderr) = maskproxy(&["detect", path], "").await;
    assert_eq!(
        stdout,
        format!("{path}:2:6  EMAIL  'alice@example.com'\n"),
        "{stderr}"
    );
    assert_eq!(status, Some(1));
    assert!(stderr.contains(path), "{stderr}");

    let (status, stdout, _) = maskproxy(&["detect", "--text", path], "").await;
    assert_eq!(status, Some(0));
    assert!(stdout.contains("No sensitive entities"), "{stdout}");
}

#[tokio::test]
async fn detect_files_has_lines_and_exit_codes_for_hooks() {
    let home = tempfile::tempdir().expect("a directory");
    let path = |name: &str| home.path().join(name).to_str().expect("UTF-8").to_owned();
    let (found, clean) = (path("found.env"), path("clean.md"));
    let (binary, missing) = (path("image.png"), path("missing"));
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n";
    fs::write(&found, format!("a@b.io\r\n{key}")).expect("a file");
    fs::write(&clean, "plain text\n").expect("a file");
    fs::write(&binary, b"\x89PNG\0\0alice@example.com").expect("a file");

    let (status, stdout, stderr) = maskproxy(&["detect", &clean, &found, &binary], "").await;
    assert_eq!(status, Some(1), "{stderr}");
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{stdout}");
    assert_eq!(lines[0], format!("{found}:1:1  EMAIL  'a@b.io'"));
    assert!(lines[1].starts_with(&format!("{found}:2:1  PRIVATE_KEY  '-----BEGIN")));
    assert!(
        stderr.contains("skipped") && stderr.contains("image.png"),
        "{stderr}"
    );

    let (status, stdout, _) = maskproxy(&["detect", &clean, &binary], "").await;
    assert_eq!(status, Some(0), "{stdout}");

    // An unreadable file is not "nothing found", and the other files are scanned anyway.
    let (status, stdout, stderr) = maskproxy(&["detect", &missing, &found], "").await;
    assert_eq!(status, Some(2), "{stderr}");
    assert!(
        stderr.contains(&missing) && stdout.contains("a@b.io"),
        "{stderr}{stdout}"
    );

    let (status, stdout, _) = maskproxy(&["detect", "--json", &found, &clean], "").await;
    assert_eq!(status, Some(1));
    let shown: Value = serde_json::from_str(&stdout).expect("JSON");
    let first = &shown["files"][0]["detections"][0];
    assert_eq!(
        (&first["line"], &first["column"], &first["value"]),
        (&json!(1), &json!(1), &json!("a@b.io"))
    );
    assert_eq!(shown["files"][1]["detections"], json!([]));
}

/// Reasons were given only for texts, not for files or for values inside framing, and vetoes were
/// never named.
#[tokio::test]
async fn detect_why_explains_files_frames_and_vetoes() {
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("app.env");
    let text = "DB_\x1b[1mPASSWORD\x1b[0m=Sunset22!a\nAPI_PASSWORD=${SECRET_9fK2}\n";
    fs::write(&file, text).expect("a file");
    let path = file.to_str().expect("UTF-8");

    let (_, stdout, stderr) = maskproxy(&["detect", "--why", path], "").await;
    let lines: Vec<_> = stdout.lines().collect();
    let [found, reasons, near @ ..] = &lines[..] else {
        panic!("{stdout}{stderr}");
    };
    assert!(found.contains(":1:") && reasons.contains('+'), "{stdout}");
    let near = near.join("\n");
    assert!(near.contains("never a secret: a reference"), "{stdout}");

    let (_, stdout, _) = maskproxy(&["detect", "--why", "--json", path], "").await;
    let shown: Value = serde_json::from_str(&stdout).expect("JSON");
    let file = &shown["files"][0];
    assert!(file["detections"][0]["why"]["sum"].is_i64(), "{stdout}");
    let near = file["not_masked"].as_array().expect("near misses");
    let never: Vec<_> = near.iter().map(|near| &near["why"]["never"]).collect();
    assert!(never.contains(&&json!("a reference")), "{stdout}");
}

/// A hook must not pass because a file is not UTF-8.
#[tokio::test]
async fn detect_reads_files_in_other_encodings_and_with_a_byte_order_mark() {
    let home = tempfile::tempdir().expect("a directory");
    for (name, content) in [
        ("latin", &b"gr\xfc\xdfe an alice@example.com"[..]),
        ("marked", b"\xef\xbb\xbfan alice@example.com"),
    ] {
        let file = home.path().join(name);
        fs::write(&file, content).expect("a file");
        let path = file.to_str().expect("UTF-8");
        let (status, stdout, _) = maskproxy(&["detect", path], "").await;
        assert_eq!(status, Some(1), "{name}");
        assert!(stdout.contains("'alice@example.com'"), "{stdout}");
    }
}

#[tokio::test]
async fn detect_exit_code_reflects_findings_when_requested() {
    let text = "to alice@example.com";
    for (arguments, input, expected) in [
        (&["detect", text][..], "", 0),
        (&["detect", "--exit-code", text], "", 1),
        (&["detect", "--exit-code", "plain text"], "", 0),
        (&["detect", "--exit-code"], text, 1),
        (&["detect", "--exit-code", "--stdin"], text, 1),
        (&["detect", "--exit-code", "-"], text, 1),
        (
            &["detect", "--exit-code", "-c", "/nowhere.yaml", text],
            "",
            2,
        ),
        (&["detect", "--exit-code"], "", 2),
    ] {
        let (status, _, stderr) = maskproxy(arguments, input).await;
        assert_eq!(status, Some(expected), "{arguments:?}: {stderr}");
    }
}

/// A misspelled name was treated as a text in which nothing was found, so that a check of a missing file passed.
#[tokio::test]
async fn detect_refuses_the_name_of_a_file_that_is_missing() {
    for arguments in [
        &["detect", "notes.txt"][..],
        &["detect", "--exit-code", ".env"],
        &["detect", "--exit-code", "config/.htpasswd"],
    ] {
        let name = arguments[arguments.len() - 1];
        let (status, stdout, stderr) = maskproxy(arguments, "").await;
        assert_eq!((status, &*stdout), (Some(2), ""), "{stderr}");
        assert!(
            stderr.contains(&format!("there is no file {name}")),
            "{stderr}"
        );
        assert!(stderr.contains(&format!("--text '{name}'")), "{stderr}");
        let (status, ..) = maskproxy(&["detect", "--text", name], "").await;
        assert_eq!(status, Some(0));
    }
    // `detect src` in a check of an empty checkout once passed without a word.
    let (status, _, stderr) = maskproxy(&["detect", "src"], "").await;
    assert_eq!(
        (status, stderr.as_str()),
        (Some(0), "there is no file src: it was read as a text\n")
    );
    let (status, _, stderr) = maskproxy(&["detect", ""], "").await;
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    let (status, stdout, _) = maskproxy(&["detect", "10.0.0.7"], "").await;
    assert_eq!(status, Some(0));
    assert!(stdout.contains("IP_ADDRESS"), "{stdout}");
}

/// It once exited with 1, which says that something was found.
#[tokio::test]
async fn detect_exits_with_2_for_an_invalid_body() {
    let (status, _, stderr) = maskproxy(&["detect", "--schema", "chat", "not json"], "").await;
    assert_eq!(status, Some(2), "{stderr}");
}

/// Logs that others read must not show what was found.
#[tokio::test]
async fn detect_hides_values_on_request() {
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("app.env");
    fs::write(&file, "DB_PASSWORD=hunter2-Kx9\n").expect("a file");
    let path = file.to_str().expect("UTF-8");
    for format in ["text", "json", "sarif"] {
        let arguments = ["detect", "--no-values", "--format", format, path];
        let (status, printed, errors) = maskproxy(&arguments, "").await;
        assert_eq!(status, Some(1), "{errors}");
        assert!(
            printed.contains("SECRET") && !printed.contains("hunter2"),
            "{printed}"
        );
    }
    let (_, printed, _) = maskproxy(&["detect", "--no-values", "to alice@example.com"], "").await;
    assert_eq!(printed, "3:20  EMAIL\n");
}

#[tokio::test]
async fn detect_writes_sarif_with_places_and_without_values() {
    let home = tempfile::tempdir().expect("a directory");
    let (clean, found) = (home.path().join("clean.md"), home.path().join("a b.env"));
    fs::write(&clean, "plain text\n").expect("a file");
    fs::write(&found, "é=1\nto alice@example.com\n").expect("a file");
    let paths = [&clean, &found].map(|path| path.to_str().expect("UTF-8"));
    let arguments = ["detect", "--format", "sarif", paths[0], paths[1]];
    let (status, printed, errors) = maskproxy(&arguments, "").await;
    assert_eq!((status, errors.as_str()), (Some(1), ""));
    let log: Value = serde_json::from_str(&printed).expect("JSON");
    let run = &log["runs"][0];
    assert_eq!(
        (&log["version"], &run["columnKind"]),
        (&json!("2.1.0"), &json!("unicodeCodePoints"))
    );
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "EMAIL");
    let result = &run["results"][0];
    assert_eq!(
        (&result["ruleId"], &result["ruleIndex"]),
        (&json!("EMAIL"), &json!(0))
    );
    let place = &result["locations"][0]["physicalLocation"];
    let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
    assert!(
        uri.starts_with("file:///") && uri.ends_with("/a%20b.env"),
        "{uri}"
    );
    let region = json!({"startLine": 2, "startColumn": 4, "endLine": 2, "endColumn": 21});
    assert_eq!(place["region"], region);
    assert!(!printed.contains("alice"), "{printed}");

    let (status, printed, _) = maskproxy(&["detect", "--format", "sarif", paths[0]], "").await;
    assert_eq!(status, Some(0));
    assert!(printed.contains(r#""results":[]"#), "{printed}");
    let (status, ..) = maskproxy(&["detect", "--format", "sarif", "a text"], "").await;
    assert_eq!(status, Some(2));
}

#[tokio::test]
async fn detect_shows_what_would_be_masked_in_a_body() {
    let body = r#"{"model":"alice@example.com","messages":[{"role":"user","content":"to bob@example.com"}]}"#;
    let arguments = [
        "detect",
        "--schema",
        "chat",
        "--transform",
        "--json",
        "--stdin",
    ];
    let (status, printed, errors) = maskproxy(&arguments, body).await;
    assert_eq!(status, Some(0), "{errors}");
    let shown: Value = serde_json::from_str(&printed).expect("JSON");
    let found = shown["detections"].as_array().expect("a list");
    let values: Vec<_> = found.iter().map(|found| &found["value"]).collect();
    assert_eq!(values, ["bob@example.com"], "the model's name is no text");
    let masked = body.replace("bob@example.com", "<MASK_EMAIL_1>");
    assert_eq!(shown["text"], masked);

    let home = tempfile::tempdir().expect("a directory");
    for (name, schema, text, code) in [
        ("chat.json", "chat", body, 1),
        ("messages.json", "messages", body, 1),
        (
            "responses.json",
            "responses",
            r#"{"input":"to bob@example.com"}"#,
            1,
        ),
        (
            "generic.json",
            "generic",
            r#"{"x":{"y":"to bob@example.com"}}"#,
            1,
        ),
        // The names of the configuration and of the guardrail.
        ("style.json", "chat_style", body, 1),
        ("anthropic.json", "anthropic", body, 1),
        ("clean.json", "chat", r#"{"messages":[]}"#, 0),
        ("none.json", "chat", "to bob@example.com", 2),
    ] {
        let file = home.path().join(name);
        fs::write(&file, text).expect("a file");
        let path = file.to_str().expect("UTF-8");
        let (status, printed, errors) = maskproxy(&["detect", "--schema", schema, path], "").await;
        assert_eq!(status, Some(code), "{name}: {printed}{errors}");
        assert_eq!(
            printed.contains("'bob@example.com'"),
            code == 1,
            "{name}: {printed}"
        );
    }
}

/// `--why` was refused with `--schema`, so nobody could ask why a value of a body is masked.
#[tokio::test]
async fn detect_why_explains_what_would_be_masked_in_a_body() {
    let body = r#"{"model":"password=Kx9","messages":[{"role":"user","content":"DB_PASSWORD=Sunset22!a API_PASSWORD=${SECRET_9fK2}"}]}"#;
    let arguments = ["detect", "--schema", "chat", "--why", "--json", "--stdin"];
    let (status, printed, errors) = maskproxy(&arguments, body).await;
    assert_eq!(status, Some(0), "{errors}");
    let shown: Value = serde_json::from_str(&printed).expect("JSON");
    let found = &shown["detections"][0];
    assert_eq!(found["value"], "Sunset22!a", "{printed}");
    assert!(
        found["rule"].is_string() && found["why"]["sum"].is_i64(),
        "{printed}"
    );
    let near = shown["not_masked"].as_array().expect("near misses");
    let values: Vec<_> = near.iter().map(|near| &near["value"]).collect();
    assert_eq!(values, ["${SECRET_9fK2}"], "the model's name is no text");
}

/// `detect .` asked for a list of files, which broke on names with spaces.
#[tokio::test]
async fn detect_reads_the_files_of_a_directory_that_git_would_list() {
    let home = tempfile::tempdir().expect("a directory");
    let write = |name: &str, content: &[u8]| {
        let path = home.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    };
    let secret = b"password=Purpl3garden";
    for name in [
        ".env",
        "a b.txt",
        "src/deep/c.txt",
        "target/built.txt",
        ".git/config",
    ] {
        write(name, secret);
    }
    write(".gitignore", b"target/\n");
    write(".ignore", b"*.txt\n");
    write("logo.png", b"\x89PNG\0password=Purpl3garden");
    let path = home.path().to_str().expect("UTF-8");
    let (status, printed, errors) = maskproxy(&["detect", "--no-values", path], "").await;
    assert_eq!(status, Some(1), "{errors}");
    let found: Vec<_> = printed.lines().collect();
    let expected = [".env", "a b.txt", "src/deep/c.txt"];
    let expected = expected.map(|name| format!("{path}/{name}:1:10  SECRET"));
    assert_eq!(found, expected);
    assert_eq!(errors, "skipped files that are not text: 1\n");
}

/// PowerShell writes UTF-16. Such a file was skipped as binary, and the check passed.
#[tokio::test]
async fn detect_reads_utf16_and_says_when_nothing_was_scanned() {
    let home = tempfile::tempdir().expect("a directory");
    let path = home.path().join("prod.env");
    let path = path.to_str().expect("UTF-8");
    let units = "\u{feff}password=Purpl3garden\r\n".encode_utf16();
    let encoded: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
    std::fs::write(path, encoded).expect("a file");
    let (status, printed, errors) = maskproxy(&["detect", path], "").await;
    assert_eq!(status, Some(1), "{errors}");
    assert_eq!(printed, format!("{path}:1:10  SECRET  'Purpl3garden'\n"));

    std::fs::write(path, b"\0\x01\x02").expect("a file");
    let (status, printed, errors) = maskproxy(&["detect", path], "").await;
    assert_eq!((status, printed.as_str()), (Some(0), ""), "{errors}");
    assert!(errors.ends_with("nothing was scanned\n"), "{errors}");
}
