//! Values that rules against false positives once let through.

use crate::support::found;
use crate::support::marked;

use engine::Detectors;
use found::found;
use marked::check;
use std::fmt::Write as _;

/// A limit once counted attempts, so that short names used up the attempts for a long value around
/// them.
#[test]
fn every_password_inside_a_long_value_is_found() {
    let passwords: Vec<_> = (1000..1100)
        .map(|number| format!("⟦Summer{number}x⟧"))
        .collect();
    let joined = |written: &dyn Fn(&str) -> String| {
        let parts: Vec<_> = passwords.iter().map(|password| written(password)).collect();
        parts.join(", ")
    };
    let answer = joined(&|password| format!("\"bob set password: {password} ok\""));
    let ran = joined(&|password| format!("\"export DB_PASSWORD={password}; run\""));
    let escaped = joined(&|password| format!("{{\\\"password\\\": \\\"{password}\\\"}}"));
    for text in [
        format!("tokens: [\"a1\", {answer}]"),
        format!("\"session\": [{ran}]"),
        format!("token: \"{}\"\n", answer.replace('"', "")),
        format!("\"key\": \"{escaped}\"\n"),
    ] {
        check(&[&text]);
    }
}

/// Each once named the sixty-four below it, so that megabytes of them took seconds.
#[test]
fn values_that_look_like_names_are_found_once() {
    let codes = (1000..3000).fold(String::new(), |codes, number| {
        codes + &format!("backupcode{number}\n")
    });
    let mut found = Vec::new();
    Detectors::built_in().detect(&codes, None, &mut found);
    assert_eq!(found.len(), 1999, "one for each below the first");
}

#[test]
fn secrets_in_every_manifest_are_found() {
    let (mut lines, mut objects) = (String::new(), Vec::new());
    for number in 10..70 {
        let _ = write!(
            lines,
            "kind: Secret\nmetadata:\n  name: app-{number}\nstringData:\n  field: ⟦copper{number}⟧\n---\n"
        );
        objects.push(format!(
            "{{\"data\":{{\"field\":\"⟦copper{number}⟧\"}},\"kind\":\"Secret\",\"metadata\":{{\"name\":\"app\"}}}}"
        ));
    }
    check(&[&lines, &format!("{{\"items\":[{}]}}", objects.join(","))]);
}

#[track_caller]
fn finds(text: &str, wanted: &str) {
    let found = found(text);
    let has = found.iter().any(|(_, value)| value.contains(wanted));
    assert!(has, "{text}: {found:?}");
}

/// From 256 bytes on, what stands before an address once hid it.
#[test]
fn an_address_at_the_end_of_a_long_run_is_found() {
    for run in [
        "\u{e01}".repeat(119),
        "\u{672c}".repeat(88),
        "\u{44f}".repeat(130),
        "Hello+I+would+like+to+know+".repeat(12),
        "a_b-c.".repeat(60),
        "0".repeat(300),
    ] {
        let address = "alice.smith@example.com";
        finds(&format!("E-mail {run}{address} now"), address);
    }
}

/// A path and joined words of 128 bytes were once taken for Base64.
#[test]
fn a_key_at_the_end_of_a_long_path_is_found() {
    for key in [
        "ghp_1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S",
        "AKIAQYLPMN5HHHFPZQX2",
    ] {
        for run in ["services/", "word+", "home/user/Projects/App2/"] {
            finds(
                &format!("see https://hooks.example/{}{key}", run.repeat(40)),
                key,
            );
        }
    }
}

/// Signs before the first digit once made a number something else.
#[test]
fn numbers_after_punctuation_are_found() {
    for (before, value) in [
        ("Card #", "5555 5555 5555 4444"),
        ("card $", "5555 5555 5555 4444"),
        ("my card is...", "5555555555554444"),
        ("..", "5555 5555 5555 4444"),
        ("Card number ..........", "5555 5555 5555 4444"),
        ("card--", "5555 5555 5555 4444"),
        ("SSN: ..", "536-22-1234"),
        ("SSN --", "536-22-1234"),
    ] {
        finds(&format!("{before}{value}"), value);
    }
}

/// Words of labels and letters of other scripts once outweighed the numbers and signs beside them.
#[test]
fn passwords_with_words_or_non_latin_letters_are_found() {
    check(&[
        "DB_PASSWORD=⟦password2024X!⟧",
        "{\"password\": \"⟦password2024X!⟧\"}",
        "DB_PASSWORD=⟦secret2024X!⟧",
        "DB_PASSWORD=⟦contraseña99x⟧",
        "DB_PASSWORD='⟦Kx9-日本語-7731⟧'",
        "DB_PASSWORD='⟦密码abc123⟧'",
        "DB_PASSWORD='⟦пароль-Kx9-7731⟧'",
        "{\"password\": \"⟦кT9-пароль-77⟧\"}",
        "DB_PASSWORD='⟦tröt+9=Kx/ü⟧'",
        "DB_PASSWORD='⟦(Kx9/77&zz-Q)⟧'",
        // Labels, names and references.
        "{\"password\": \"パスワードは12文字以上で入力してください\"}",
        "{\"password\": \"密码长度必须为8-16位\"}",
        "{\"password\": \"Пароль-от-12-символов\"}",
        "{\"password\": \"Пароль(12+)\"}",
        "{\"password\": \"password-field-12\"}",
        "{\"password\": \"(user.name)\"}",
        "{\"password\": \"[DB_PASSWORD_2]\"}",
        "secret = \"secret-key-2048\"",
    ]);
}
