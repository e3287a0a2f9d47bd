//! `maskproxy detect`.

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
async fn detect_says_so_when_nothing_is_sensitive() {
    let (status, stdout, _) = maskproxy(&["detect", "plain text"], "").await;
    assert_eq!(
        (status, stdout.trim()),
        (Some(0), "No sensitive entities detected.")
    );
}

#[tokio::test]
async fn detect_transform_masks_what_comes_by_standard_input() {
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

#[tokio::test]
async fn detect_without_text_fails() {
    let (status, _, stderr) = maskproxy(&["detect"], "").await;
    assert_eq!(status, Some(1), "{stderr}");
}

/// Standard input was passed over without a word, as if nothing were in it.
#[tokio::test]
async fn detect_takes_a_text_or_standard_input_and_not_both() {
    let (status, stdout, stderr) =
        maskproxy(&["detect", "--stdin", "plain text"], "to alice@example.com").await;
    assert_eq!((status, stdout.as_str()), (Some(2), ""), "{stderr}");
    assert!(stderr.contains("--stdin"), "{stderr}");
}

#[tokio::test]
async fn help_lists_the_commands_and_version_the_version() {
    let (status, help, _) = maskproxy(&["--help"], "").await;
    assert_eq!(status, Some(0));
    assert!(help.contains("proxy") && help.contains("detect"), "{help}");
    let (_, version, _) = maskproxy(&["--version"], "").await;
    assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
}
