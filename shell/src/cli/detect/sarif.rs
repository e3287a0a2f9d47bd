//! Prints findings as SARIF 2.1.0 for code hosts and editors, without values.

use std::io::{self, Write};
use std::path::{Path, absolute};

use engine::{Detection, EntityType};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};

use super::files::{Files, Outcome};
use super::position::Position;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The characters that are escaped in a URI's path (RFC 3986, section 3.3).
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Scans the files and prints one log with one run.
pub(super) fn print(files: &Files<'_>, mut out: impl Write) -> io::Result<Outcome> {
    let mut rules = Vec::new();
    let mut results = Vec::new();
    let outcome = files.each(|path, text, scanned| {
        let mut position = Position::new(text);
        for detection in &scanned.detections {
            let rule = rule_of(&detection.entity, &mut rules);
            results.push(result(path, detection, rule, &mut position));
        }
        Ok(())
    })?;
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "maskproxy",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            }},
            "invocations": [{"executionSuccessful": !outcome.failed}],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    writeln!(out, "{log}")?;
    out.flush()?;
    Ok(outcome)
}

/// The place of a type among the rules, added where it is new.
fn rule_of(entity: &EntityType, rules: &mut Vec<EntityType>) -> usize {
    rules
        .iter()
        .position(|known| known == entity)
        .unwrap_or_else(|| {
            rules.push(entity.clone());
            rules.len() - 1
        })
}

fn rule(entity: &EntityType) -> Value {
    json!({
        "id": entity.as_str(),
        "shortDescription": {"text": format!("A value of type {entity}")},
        "fullDescription": {"text": format!(
            "maskproxy masks values of type {entity} before a request reaches a model provider."
        )},
        "defaultConfiguration": {"level": "error"},
    })
}

fn result(path: &Path, detection: &Detection, rule: usize, position: &mut Position<'_>) -> Value {
    let (start_line, start_column) = position.line_and_column(detection.start);
    let (end_line, end_column) = position.line_and_column(detection.end);
    let (entity, score) = (&detection.entity, detection.score.as_percent());
    json!({
        "ruleId": entity.as_str(),
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": format!("{entity}, found by {} with a score of {score} %", detection.rule)},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(path)},
            "region": {
                "startLine": start_line,
                "startColumn": start_column,
                "endLine": end_line,
                "endColumn": end_column,
            },
        }}],
    })
}

/// A relative path stays relative, because code hosts look it up in the repository.
fn uri(path: &Path) -> String {
    let encoded = |path: &Path| {
        let path = path.to_string_lossy();
        utf8_percent_encode(path.trim_start_matches("./"), ENCODED).to_string()
    };
    if path.is_absolute() {
        return format!("file://{}", encoded(path));
    }
    // A first segment with a colon would be read as a scheme.
    if path.to_string_lossy().contains(':') {
        let whole = absolute(path).unwrap_or_else(|_| path.to_owned());
        return format!("file://{}", encoded(&whole));
    }
    encoded(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uris_that_stay_relative() {
        assert_eq!(uri(Path::new("./a b/ü#1.env")), "a%20b/%C3%BC%231.env");
        assert_eq!(uri(Path::new("/tmp/x")), "file:///tmp/x");
        assert!(uri(Path::new("a:b")).starts_with("file:///"));
    }
}
