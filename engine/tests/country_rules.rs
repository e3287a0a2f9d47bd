//! Every record in `rules/countries` against its own examples.

use crate::support::unnamed;

use std::fs;
use unnamed::found;

#[test]
fn phone_numbers_are_found_given_their_country() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/rules/countries/countries.toml"
    );
    let file = fs::read_to_string(file).expect("the file of countries");
    let records: toml::Table = toml::from_str(&file).expect("records");
    let countries = records.get("country").and_then(toml::Value::as_array);
    let mut wrong = Vec::new();
    for country in countries.expect("countries") {
        let list = |key| {
            let list = country.get(key).and_then(toml::Value::as_array);
            list.expect(key).iter().filter_map(toml::Value::as_str)
        };
        let phones = |text| {
            let found = found(text).into_iter();
            let phones = found.filter(|(entity, _)| entity == "PHONE");
            phones.map(|(_, value)| value.to_owned()).collect()
        };
        for (key, count) in [("match", 1), ("no_match", 0)] {
            for text in list(key) {
                let phones: Vec<String> = phones(text);
                if phones.len() != count {
                    wrong.push(format!("{key}: {phones:?} in {text:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
