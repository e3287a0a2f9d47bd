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
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/rules");
    std::fs::read_dir(folder)
        .expect("the folder of rules")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .flat_map(|path| {
            let text = std::fs::read_to_string(&path).expect("a rule file");
            let file = toml::from_str::<File>(&text);
            file.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
                .rule
        })
        .collect()
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
                wrong.push(format!(
                    "{}: finds nothing in the example {example}",
                    record.id
                ));
            }
        }
        for counter in &record.counter {
            if finds(&detectors, &record.id, counter) {
                wrong.push(format!(
                    "{}: finds a value in the counter-example {counter}",
                    record.id
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
