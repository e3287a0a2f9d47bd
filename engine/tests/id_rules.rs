//! Every record in `rules/ids/numbers.toml` against its own examples.

use crate::support::unnamed;

use engine::detect::{DetectorSettings, Names, merge};
use engine::{Detectors, EntityType};
use std::fs;
use unnamed::{detections, found};

#[test]
fn valid_numbers_pass_their_checks_and_near_misses_fail() {
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
        let id = text("id").to_owned();
        let shown = number.get("shown").and_then(toml::Value::as_str);
        for own in list("match") {
            let is_plain = own.bytes().all(|byte| byte.is_ascii_digit());
            if let Some(shown) = shown.filter(|_| is_plain) {
                let text = shown.replace("{}", &own);
                let values: Vec<_> = found(&text).into_iter().map(|(_, value)| value).collect();
                let alone = rules(&format!("see {own}."));
                if values != [own.as_str()] || alone.contains(&id) {
                    wrong.push(format!("{own} is not found by its language: {values:?}"));
                }
                continue;
            }
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

/// One in 67 numbers of eleven digits was once a personal number.
#[test]
fn random_numbers_are_rarely_national_ids() {
    const DRAWN: usize = 20_000;
    let mut state = 7_u64;
    for length in 8..=14 {
        let mut wrong = 0;
        for _ in 0..DRAWN {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let number = format!("{:018}", state >> 5);
            let text = format!("see record {} in the table", &number[18 - length..]);
            wrong += found(&text)
                .iter()
                .filter(|(entity, _)| entity == "NATIONAL_ID")
                .count();
        }
        assert!(
            wrong * 250 <= DRAWN,
            "{wrong} of {DRAWN} with {length} digits"
        );
    }
}

fn rules(text: &str) -> Vec<String> {
    let found = detections(text, None).into_iter();
    found.map(|found| found.rule.to_owned()).collect()
}

#[test]
fn abbreviations_label_only_their_countrys_numbers() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/ids/abbreviations.toml");
    let file = fs::read_to_string(file).expect("the file of abbreviations");
    let records: toml::Table = toml::from_str(&file).expect("records");
    let records = records.get("abbreviation").and_then(toml::Value::as_array);
    let off = [EntityType::LICENSE_PLATE, EntityType::VIN];
    let detectors = Detectors::new(&DetectorSettings {
        names: Names::Off,
        types: off.map(|entity| (entity, true)).to_vec(),
        ..DetectorSettings::default()
    });
    let detectors = detectors.expect("detectors");
    let mut wrong = Vec::new();
    for record in records.expect("abbreviations") {
        let entity = record.get("type").and_then(toml::Value::as_str);
        let list = |key| {
            let list = record.get(key).and_then(toml::Value::as_array);
            list.expect(key).iter().filter_map(toml::Value::as_str)
        };
        for text in list("match").chain(list("no_match")) {
            let wanted: Vec<_> = text.split(['⟦', '⟧']).skip(1).step_by(2).collect();
            let plain = text.replace(['⟦', '⟧'], "");
            let mut found = Vec::new();
            detectors.detect(&plain, None, &mut found);
            let found = merge(found).into_iter();
            let found = found.filter(|found| Some(found.entity.as_str()) == entity);
            let values: Vec<_> = found.map(|found| &plain[found.start..found.end]).collect();
            if values != wanted {
                wrong.push(format!("{text:?}\n    {values:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn dated_order_numbers_are_not_national_ids() {
    for text in [
        "invoice 20240318-0041",
        "Rechnung 20240318-0041 ist offen",
        "Chargen 240318-0041, 240318-0058, 240318-0066",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
    for text in ["811218-9876", "Anna, 811218-9876, 670919-9530"] {
        assert!(!found(text).is_empty(), "{text}");
    }
}
