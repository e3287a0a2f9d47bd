//! Texts with marked values: `tests/corpus/marked`, which the judge is trained on, and `tests/corpus/pasted`, which it is not.

use crate::support::marked;

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
struct Group {
    texts: Vec<String>,
}

#[test]
fn exactly_the_marked_values_are_found() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let files = ["marked", "pasted"]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(corpus.join(folder)).expect("the marked texts"));
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("its text");
        let groups: BTreeMap<String, Group> = toml::from_str(&text).expect("marked texts");
        for (name, group) in groups {
            let texts = group.texts.iter().map(String::as_str);
            wrong.extend(
                texts
                    .filter_map(marked::wrong)
                    .map(|wrong| format!("{name}: {wrong}")),
            );
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
