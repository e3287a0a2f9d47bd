//! Every record in `rules/forms` against its own examples.

use crate::support::marked;

use marked::check;
use std::fs;

#[test]
fn every_form_finds_its_own_examples() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/forms");
    let mut texts = Vec::new();
    let paths = fs::read_dir(folder)
        .expect("the folder of forms")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "toml"));
    for path in paths {
        let file = fs::read_to_string(path).expect("a file of forms");
        let records: toml::Table = toml::from_str(&file).expect("records");
        for record in records.values().filter_map(toml::Value::as_array).flatten() {
            for kind in ["match", "no_match"] {
                let examples = record.get(kind).and_then(toml::Value::as_array);
                let examples = examples.expect("examples").iter();
                texts.extend(examples.map(|text| text.as_str().expect("a text").to_owned()));
            }
        }
    }
    check(&texts.iter().map(String::as_str).collect::<Vec<_>>());
}
