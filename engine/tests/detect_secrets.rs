//! Secrets in many syntaxes, each with lookalikes.

use crate::support::marked;

use marked::check;

/// Once thirty-two of them were found.
#[test]
fn every_value_of_a_long_list() {
    let values: Vec<_> = (0..200)
        .map(|index| format!("\"⟦Sunset{index}!x⟧\""))
        .collect();
    check(&[&format!("\"passwords\": [{}]", values.join(", "))]);
}
