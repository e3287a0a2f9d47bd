//! Values that rules against false positives once let through.

#[path = "support/marked.rs"]
mod marked;

use engine::Detectors;
use marked::check;
use std::fmt::Write as _;

/// A limit once counted attempts, so that short names used up the attempts for a long value around
/// them.
#[test]
fn all_names_within_a_long_value_are_examined() {
    let passwords: Vec<_> = (1000..1100)
        .map(|number| format!("⟦Summer{number}x⟧"))
        .collect();
    let joined = |written: &dyn Fn(&str) -> String| {
        let parts: Vec<_> = passwords.iter().map(|password| written(password)).collect();
        parts.join(", ")
    };
    let said = joined(&|password| format!("\"bob set password: {password} ok\""));
    let ran = joined(&|password| format!("\"export DB_PASSWORD={password}; run\""));
    let escaped = joined(&|password| format!("{{\\\"password\\\": \\\"{password}\\\"}}"));
    for text in [
        format!("tokens: [\"a1\", {said}]"),
        format!("\"session\": [{ran}]"),
        format!("token: \"{}\"\n", said.replace('"', "")),
        format!("\"key\": \"{escaped}\"\n"),
    ] {
        check(&[&text]);
    }
}

/// Each once named the sixty-four below it, so that megabytes of them took seconds.
#[test]
fn codes_that_look_like_their_name_are_found_once() {
    let codes = (1000..3000).fold(String::new(), |codes, number| {
        codes + &format!("backupcode{number}\n")
    });
    let mut found = Vec::new();
    Detectors::built_in().detect(&codes, None, &mut found);
    assert_eq!(found.len(), 1999, "one for each below the first");
}

#[test]
fn every_manifest_is_examined() {
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
