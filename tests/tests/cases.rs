//! `tests/cases.md` is complete, and the tests that it names exist.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The numbered cases.
const NUMBERED: u32 = 330;

/// Those of values, paths and the process.
#[rustfmt::skip]
const LETTERED: [&str; 25] = [
    "R14", "R14b", "W1", "W2", "W3", "T1", "T2", "T3", "T4", "P1", "P2", "P3", "P4", "P5", "P6",
    "O1", "O2", "O3", "O4", "O5", "O6", "O7", "O8", "O9", "O10",
];

/// What a row without a test begins with.
const NO_TEST: &str = "No test: ";

/// Shortest reason for having no test, in characters.
const REASON: usize = 30;

struct Row {
    case: String,
    situation: String,
    outcome: String,
    tests: String,
}

fn rows() -> Vec<Row> {
    let table = fs::read_to_string(folder().join("cases.md")).expect("the table");
    let cells = |line: &str| -> Option<Row> {
        let mut cells = line.trim().trim_matches('|').split(" | ");
        let mut cell = || cells.next().unwrap_or_default().trim().to_owned();
        let case = cell();
        let is_case = case.contains(|c: char| c.is_ascii_digit());
        is_case.then(|| Row {
            case,
            situation: cell(),
            outcome: cell(),
            tests: cell(),
        })
    };
    let rows = table.lines().filter(|line| line.starts_with("| "));
    rows.filter_map(cells).collect()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_case_has_one_row() {
    let mut count = BTreeMap::new();
    for row in rows() {
        *count.entry(row.case).or_insert(0) += 1;
    }
    let numbered = (1..=NUMBERED).map(|case| case.to_string());
    let cases = numbered.chain(LETTERED.map(str::to_owned));
    let expected: BTreeMap<_, _> = cases.map(|case| (case, 1)).collect();
    assert_eq!(count, expected);
}

#[test]
fn every_row_has_an_outcome_and_names_existing_tests() {
    let mut wrong = Vec::new();
    for row in rows() {
        let case = &row.case;
        if row.situation.is_empty() || row.outcome.is_empty() {
            wrong.push(format!("{case}: no situation or outcome"));
        }
        let named: Vec<_> = row.tests.split('`').skip(1).step_by(2).collect();
        let reason = row.tests.strip_prefix(NO_TEST);
        if named.is_empty() && reason.is_none_or(|reason| reason.chars().count() < REASON) {
            wrong.push(format!("{case}: neither a test nor a reason"));
        }
        let missing = named.iter().filter(|test| !exists(test));
        wrong.extend(missing.map(|test| format!("{case}: no {test}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a test (`path::name`), or a file or folder of cases, is there.
fn exists(named: &str) -> bool {
    let root = folder().join("..");
    let Some((file, name)) = named.split_once("::") else {
        return root.join(named).exists();
    };
    let text = fs::read_to_string(root.join(file)).unwrap_or_default();
    match Path::new(file).extension().and_then(|kind| kind.to_str()) {
        Some("rs") => is_rust_test(&text, name),
        Some("py") => text.contains(&format!("\ndef {name}(")),
        Some("mjs") => ["\"", "`"]
            .iter()
            .any(|quote| text.contains(&format!("({quote}{name}"))),
        _ => false,
    }
}

fn is_rust_test(text: &str, name: &str) -> bool {
    let function = format!("fn {name}(");
    let Some((before, _)) = text.split_once(&function) else {
        return false;
    };
    let attributes = before.rsplit("\n\n").next().unwrap_or_default();
    attributes.contains("test]") || attributes.contains("test(")
}
