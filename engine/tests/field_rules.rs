//! Every record in `rules/fields` against its own examples.

use crate::support::unnamed;

use std::fs;
use unnamed::found;

#[test]
fn address_parts_are_found_by_field_names() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/fields/fields.toml");
    let file = fs::read_to_string(file).expect("the file of fields");
    let records: toml::Table = toml::from_str(&file).expect("records");
    let fields = records.get("field").and_then(toml::Value::as_array);
    let mut wrong = Vec::new();
    for field in fields.expect("fields") {
        let list = |key| {
            let list = field.get(key).and_then(toml::Value::as_array);
            list.expect(key).iter().filter_map(toml::Value::as_str)
        };
        for text in list("match").chain(list("no_match")) {
            let wanted: Vec<_> = text.split(['⟦', '⟧']).skip(1).step_by(2).collect();
            let plain = text.replace(['⟦', '⟧'], "");
            let found = found(&plain).into_iter();
            let addresses = found.filter(|(entity, _)| entity == "ADDRESS");
            let addresses: Vec<_> = addresses.map(|(_, value)| value).collect();
            if addresses != wanted {
                wrong.push(format!("{text:?}\n    {addresses:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
