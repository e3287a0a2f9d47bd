//! Every record of the rule file against its own examples.

use crate::detect::Detectors;
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    rule: Vec<Record>,
}

#[derive(Deserialize)]
struct Record {
    id: String,
    vendor: String,
    reference: String,
    date: String,
    #[serde(default)]
    examples: Vec<String>,
    #[serde(default)]
    counter: Vec<String>,
}

fn records() -> Vec<Record> {
    let text = include_str!("../../../rules/vendor.toml");
    toml::from_str::<File>(text).expect("the rule file").rule
}

fn finds(detectors: &Detectors, id: &str, text: &str) -> bool {
    let mut found = Vec::new();
    detectors.detect(text, None, &mut found);
    found.iter().any(|detection| detection.rule == id)
}

#[test]
fn every_rule_names_its_source() {
    for record in records() {
        assert!(!record.vendor.is_empty(), "{}: no vendor", record.id);
        assert!(
            record.reference.starts_with("https://"),
            "{}: no reference",
            record.id
        );
        assert_eq!(record.date.len(), 7, "{}: date is not YYYY-MM", record.id);
    }
}

#[test]
fn every_rule_has_examples_that_match_and_that_do_not() {
    let detectors = Detectors::built_in();
    let mut wrong = Vec::new();
    for record in records() {
        if record.examples.is_empty() || record.counter.is_empty() {
            wrong.push(format!("{}: both kinds of example are needed", record.id));
        }
        for example in &record.examples {
            if !finds(&detectors, &record.id, example) {
                wrong.push(format!("{}: misses {example}", record.id));
            }
        }
        for counter in &record.counter {
            if finds(&detectors, &record.id, counter) {
                wrong.push(format!("{}: takes {counter}", record.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
