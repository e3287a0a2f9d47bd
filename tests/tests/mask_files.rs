//! `maskproxy mask` and `maskproxy unmask`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tests::{Values, binary, maskproxy};

/// A directory and the path of the session file in it.
fn place() -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let session = directory.path().join("notes.session").display().to_string();
    (directory, session)
}

async fn mask(text: &str, session: &str) -> String {
    let (status, masked, errors) = maskproxy(&["mask", "--session", session], text).await;
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    masked
}

async fn unmask(text: &str, session: &str) -> String {
    let (status, text, errors) = maskproxy(&["unmask", "-s", session], text).await;
    assert_eq!(status, Some(0), "{errors}");
    text
}

/// Case 291.
#[tokio::test]
async fn masked_files_are_restored_from_their_session_file() {
    let (directory, session) = place();
    let values = Values::of(291);
    let file = directory.path().join("notes.md");
    let text = format!("# é\r\n{values}\ndata:\n  again: {}", values.email);
    fs::write(&file, &text).expect("a file");
    let path = file.to_str().expect("UTF-8");

    let (status, masked, errors) = maskproxy(&["mask", path, "-s", &session], "").await;
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert_eq!(values.found_in(&masked), [""; 0]);
    let mode = fs::metadata(&session)
        .expect("the session")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);

    assert_eq!(unmask(&masked, &session).await, text);
    let answer = "Sent to <MASK_EMAIL_1>, not to <MASK_EMAIL_99>.";
    let (_, printed, note) = maskproxy(&["unmask", "-s", &session], answer).await;
    assert_eq!(
        printed,
        format!("Sent to {}, not to <MASK_EMAIL_99>.", values.email)
    );
    assert!(note.contains("not restored: 1"), "{note}");
}

/// `unmask` opened the session file before `mask` had made it.
#[tokio::test]
async fn mask_can_be_piped_into_unmask() {
    let (_directory, session) = place();
    let pipe = "printf 'to alice@example.com' | \"$0\" mask -s \"$1\" | \"$0\" unmask -s \"$1\"";
    let mut shell = tokio::process::Command::new("sh");
    let shell = shell.args(["-c", pipe]).arg(binary()).arg(&session);
    let output = shell.output().await.expect("it runs");
    assert_eq!(output.stdout, b"to alice@example.com", "{output:?}");
}

/// If a second file started again, the first one's tokens would get other values.
#[tokio::test]
async fn masking_more_files_extends_the_session_file() {
    let (_directory, session) = place();
    assert_eq!(
        mask("to alice@example.com", &session).await,
        "to <MASK_EMAIL_1>"
    );
    assert_eq!(
        mask("to bob@example.com and alice@example.com", &session).await,
        "to <MASK_EMAIL_2> and <MASK_EMAIL_1>"
    );
    assert_eq!(
        unmask("<MASK_EMAIL_1>", &session).await,
        "alice@example.com"
    );
}

/// Two that wrote one session file would have given one token two values.
#[tokio::test]
async fn concurrent_runs_never_give_one_token_two_values() {
    let (_directory, session) = place();
    let text = |number: usize| format!("to user{number}@example.com");
    let masking = (0..8).map(|number| {
        let session = session.clone();
        tokio::spawn(async move { (number, mask(&text(number), &session).await) })
    });
    for masked in masking.collect::<Vec<_>>() {
        let (number, masked) = masked.await.expect("masked");
        assert_eq!(unmask(&masked, &session).await, text(number));
    }
}

#[tokio::test]
async fn json_stays_json() {
    let (_directory, session) = place();
    let text = r#"{"to": "alice@example.com", "pw": "password=hunter2-\"Kx9", "n": 1.10}"#;
    let masked = mask(text, &session).await;
    assert!(serde_json::from_str::<serde_json::Value>(&masked).is_ok());
    assert!(
        !masked.contains("hunter2") && !masked.contains("alice"),
        "{masked}"
    );
    assert_eq!(unmask(&masked, &session).await, text);
}

#[tokio::test]
async fn input_that_cannot_be_restored_is_refused() {
    let (directory, session) = place();
    let file = |name: &str, content: &[u8]| {
        let path = directory.path().join(name);
        fs::write(&path, content).expect("a file");
        path.display().to_string()
    };
    let damaged = file(
        "damaged",
        b"{\"maskproxy_session\":1,\"mappings\":[{\"type\":\"hunter2",
    );
    let latin = file("latin", b"gr\xfc\xdfe an alice@example.com");
    let redact = file("redact.yaml", b"operator: redact\n");
    for (arguments, code) in [
        (vec!["unmask", "-s", &session], 1),
        (vec!["mask", "-s", &damaged], 1),
        (vec!["unmask", "-s", &damaged], 1),
        (vec!["mask", &latin, "-s", &session], 1),
        (vec!["mask", "-c", &redact, "-s", &session], 1),
        (vec!["mask"], 2),
    ] {
        let (status, printed, errors) = maskproxy(&arguments, "to alice@example.com").await;
        assert_eq!(
            (status, printed.as_str()),
            (Some(code), ""),
            "{arguments:?}: {errors}"
        );
        assert!(
            !errors.contains("hunter2") && !errors.contains("alice"),
            "{errors}"
        );
    }
    assert!(!Path::new(&session).exists(), "nothing was masked");
}
