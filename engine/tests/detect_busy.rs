//! Busy text (names of secrets and beginnings of values) does not hide the values behind it.

use crate::support::random;
use crate::support::unnamed;

use random::Random;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// The pieces of busy text.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "login", "token", "secret", "key", "signature", "password", "auth", "session", "cookie", "access", "credential", "pwd", "private",
    "webhook", "licen", "backup code", "mysql", "curl", "--password", "--value", "eyJ", "bearer ", "Basic ", "Authorization: Token ",
    "sk-", "ghp_", "AKIA", "xoxb-", "datadog", "stripe", "twilio", "://", "https://a:", "-----BEGIN PRIVATE KEY", "\"kty\"", "kind: Secret",
    "log in as bob with", "creds: bob /", "it's", "your code is", "::", "fe80::", "a@", "@tcp(", ":5432:", "Cookie: a=", "LS0tLS1CRUdJTi", "1 ", "12.",
];
const SEPARATORS: &[&str] = &["_", " ", "-", ".", "/", "", ",", "; ", "  "];

#[derive(Deserialize)]
struct Group {
    texts: Vec<String>,
}

/// A line full of beginnings, up to a few kilobytes. It closes what it may have opened, and a line
/// without a name after it ends anything that a sentence or table may continue.
fn busy(random: &mut Random) -> String {
    let separator = random.pick(SEPARATORS);
    let count = *random.pick(&[4, 8, 40, 400]);
    let few: Vec<_> = (0..4).map(|_| *random.pick(PARTS)).collect();
    let mut text = String::new();
    for _ in 0..count {
        text.push_str(random.pick::<&str>(&few));
        text.push_str(separator);
    }
    text + *random.pick(&["\n", ".\n", "\n\n", "\n.\n"])
}

fn found(text: &str) -> Vec<Range<usize>> {
    let found = unnamed::detections(text, None).into_iter();
    found
        .map(|detection| detection.start..detection.end)
        .collect()
}

/// `login_token_secret_key_login_token_signature` on the line before once hid `password=hunter2-Kx9`.
#[test]
fn surrounding_text_does_not_hide_values() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/marked");
    let mut random = Random::new(16);
    let mut lost = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the marked texts")
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(file).expect("its text");
        let groups: BTreeMap<String, Group> = toml::from_str(&text).expect("marked texts");
        for marked in groups.into_values().flat_map(|group| group.texts) {
            let bare = marked.replace(['⟦', '⟧'], "");
            let alone = found(&bare);
            let lead = busy(&mut random);
            let both = found(&format!("{lead}{bare}"));
            let is_covered = |span: &Range<usize>| {
                let (start, end) = (lead.len() + span.start, lead.len() + span.end);
                both.iter()
                    .any(|other| other.start <= start && end <= other.end)
            };
            if !alone.iter().all(is_covered) {
                lost.push(format!("{lead:?} before {bare:?}"));
            }
        }
    }
    assert!(lost.is_empty(), "{} lost:\n{}", lost.len(), lost.join("\n"));
}

#[test]
fn a_line_of_names_does_not_hide_the_next_password() {
    let text = "login_token_secret_key_login_token_signature\npassword=hunter2-Kx9\n";
    let found = found(text);
    assert_eq!(
        found
            .iter()
            .map(|span| &text[span.clone()])
            .collect::<Vec<_>>(),
        ["hunter2-Kx9"]
    );
}
