//! Every record in `rules/ids/numbers.toml` against its own examples.

#![allow(
    clippy::expect_used,
    reason = "a test stops where it finds something wrong"
)]

#[path = "support/unnamed.rs"]
mod unnamed;

use std::fs;
use unnamed::{detections, found};

#[test]
fn every_number_proves_itself_and_its_near_misses_do_not() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/ids/numbers.toml");
    let file = fs::read_to_string(file).expect("the file of numbers");
    let records: toml::Table = toml::from_str(&file).expect("records");
    let numbers = records.get("number").and_then(toml::Value::as_array);
    let mut wrong = Vec::new();
    for number in numbers.expect("numbers") {
        let text = |key| number.get(key).and_then(toml::Value::as_str).expect(key);
        let list = |key| {
            let list = number.get(key).and_then(toml::Value::as_array);
            let list = list.expect(key).iter();
            list.map(|text| text.as_str().expect("a text").to_owned())
        };
        for own in list("match") {
            for place in [own.clone(), format!("see {own}."), format!("x,{own},y")] {
                let found = found(&place);
                if !found.iter().any(|(_, value)| *value == own) {
                    wrong.push(format!(
                        "{}: {own} is not found in {place}: {found:?}",
                        text("id")
                    ));
                }
            }
            let entity = number
                .get("type")
                .and_then(toml::Value::as_str)
                .expect("a type");
            let types: Vec<_> = found(&own).into_iter().map(|(of, _)| of).collect();
            if types != [entity] {
                wrong.push(format!("{}: {own} is {types:?}", text("id")));
            }
        }
        for own in list("no_match") {
            let rules = rules(&own);
            if rules.contains(&text("id").to_owned()) {
                wrong.push(format!("{}: {own} is found", text("id")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn rules(text: &str) -> Vec<String> {
    let found = detections(text, None).into_iter();
    found.map(|found| found.rule.to_owned()).collect()
}
