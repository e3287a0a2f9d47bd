//! Values with a name next to them, such as JSON keys.

use engine::detect::merge;
use engine::{Detectors, EntityType};

fn found(name: &str, text: &str) -> Vec<(EntityType, String)> {
    let mut found = Vec::new();
    Detectors::built_in().detect(text, Some(name), &mut found);
    merge(found)
        .into_iter()
        .map(|detection| {
            let value = text[detection.start..detection.end].to_owned();
            (detection.entity, value)
        })
        .collect()
}

#[test]
fn numbers_explained_only_by_their_json_key_are_found() {
    for (name, text) in [
        ("ssn", "123456789"),
        ("ssn", "123 45 6789"),
        ("social_security_number", "123456789"),
        ("socialSecurityNumber", "123456789"),
    ] {
        assert_eq!(
            found(name, text),
            [(EntityType::SSN, text.to_owned())],
            "{name}: {text}"
        );
    }
    for (name, text) in [
        ("phone", "5550104477"),
        ("phoneNumber", "2025550143"),
        ("mobile", "555-0123"),
        ("tel", "0812 3456"),
        ("fax", "2025550143"),
    ] {
        assert_eq!(
            found(name, text),
            [(EntityType::PHONE, text.to_owned())],
            "{name}: {text}"
        );
    }
}

#[test]
fn numbers_under_unrelated_keys_are_left() {
    for (name, text) in [
        ("count", "123456789"),
        ("created_at", "1700000000"),
        ("size", "5550104477"),
        ("id", "2025550143"),
        ("ssn", "000000000"),
        ("phone", "none"),
        ("phone", ""),
    ] {
        assert_eq!(found(name, text), [], "{name}: {text}");
    }
}

/// A JSON key names its text, however many words the text has.
#[test]
fn multi_word_passwords_are_found_and_labels_left() {
    for text in [
        "Correct Horse 9!",
        "correct horse battery staple",
        "hunter two 22",
    ] {
        assert_eq!(
            found("db_password", text),
            [(EntityType::SECRET, text.to_owned())]
        );
    }
    for text in [
        "Enter your password",
        "At least 8 characters",
        "Mot de passe oublié",
    ] {
        assert_eq!(found("db_password", text), [], "{text}");
    }
}

/// A key that was read from a file was sent as it is.
#[test]
fn whitespace_around_a_value_does_not_hide_it() {
    let key = "a8f3k2j5h7d9s0a1q4w6";
    for (before, after) in [("", "\n"), ("", "\r\n"), ("\n", ""), (" ", " "), ("", "\t")] {
        for name in ["token", "api_key", "auth", "GITHUB_TOKEN", "password"] {
            let text = format!("{before}{key}{after}");
            let found = found(name, &text);
            assert_eq!(found.len(), 1, "{name}: {text:?}");
            assert!(found[0].1.contains(key), "{name}: {text:?}");
        }
    }
}

/// A value of several lines under a name was sent, or its first line was hidden alone.
#[test]
fn a_multi_line_secret_is_masked_completely() {
    for name in ["password", "api_key", "ssh_key", "token", "client_secret"] {
        for value in [
            "Kx9-77-zzQ\nzz88-Qpp-71",
            "Kx9-77-zzQ\r\nzz88-Qpp-71\r\nyy99-Pqq-17",
            "a8f3k2j5h7d9s0a1q4w6\nz8f3k2j5h7d9s0a1q4w6",
            "Kx9-77-zzQ\tzz88-Qpp-71",
        ] {
            let secret = |value: &str| [(EntityType::SECRET, value.to_owned())];
            assert_eq!(found(name, value), secret(value), "{name}");
            if value.contains(['\t', '\r']) {
                continue;
            }
            let block = value.replace('\n', "\n  ");
            let yaml = format!("{name}: |\n  {block}\nhost: example\n");
            assert_eq!(found("config", &yaml), secret(&block), "{yaml}");
        }
    }
    let prose = "A token is a part of a word.\nMost models count them.";
    assert_eq!(found("token", prose), []);
}
