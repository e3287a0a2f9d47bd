//! The list of vectors is complete.

use std::collections::BTreeSet;
use std::fs;

use tests::vectors;

#[test]
fn every_request_and_reply_is_listed() {
    let mut present = BTreeSet::new();
    for format in ["chat", "messages", "responses"] {
        let files = fs::read_dir(vectors::folder().join(format)).expect("a folder");
        for file in files {
            let name = file.expect("a file").file_name();
            let name = name.to_str().expect("UTF-8").to_owned();
            if !name.contains(".expect.") && !name.ends_with(".index.jsonl") {
                present.insert(format!("{format}/{name}"));
            }
        }
    }
    assert_eq!(
        vectors::names().into_iter().collect::<BTreeSet<_>>(),
        present
    );
}
