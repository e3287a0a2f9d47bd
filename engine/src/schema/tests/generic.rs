//! JSON of no known format.

use super::{masked, request, restored};
use crate::Schema;
use crate::json::Tape;

#[test]
fn every_string_but_those_under_structural_keys_is_masked() {
    let body = r#"{"model":"m","contents":[{"role":"user","parts":[{"text":"a"},
        {"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"}}]}],"input":["b","c"],"note":{"deep":["d"]}}"#;
    let texts = masked(Schema::Generic, body);
    assert!(
        ["a", "b", "c", "d"]
            .iter()
            .all(|text| texts.contains(&(*text).to_owned()))
    );
    assert!(
        ["m", "user", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"]
            .iter()
            .all(|text| !texts.contains(&(*text).to_owned()))
    );
}

#[test]
fn every_string_of_a_reply_is_restored() {
    let body = r#"{"id":"i","candidates":[{"content":{"role":"model","parts":[{"text":"a"}]}}]}"#;
    let texts: Vec<_> = restored(Schema::Generic, body)
        .into_iter()
        .map(|(text, _)| text)
        .collect();
    assert_eq!(texts, ["i", "model", "a"]);
}

/// Requests of a messages batch stand below members that are not known.
#[test]
fn signed_thinking_is_signed_at_any_depth() {
    let body = r#"{"requests":[{"params":{"messages":[{"content":[
        {"type":"thinking","thinking":"t","signature":"s"}]}]}}]}"#;
    let tape = Tape::scan(body, 16).unwrap();
    let found = request(Schema::Generic, tape.root(body));
    assert_eq!(found.signed.len(), 1);
}
