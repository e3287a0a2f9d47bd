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

/// The words after the first went to the provider.
#[test]
fn a_password_of_several_words_is_one_value() {
    check(&[
        "passphrase: ⟦correct horse battery staple⟧",
        "password: ⟦purple monkey dishwasher⟧\nuser: bob\n",
        "Her passphrase = ⟦purple monkey dishwasher⟧",
        "password: ⟦dragonfly⟧ for the new host",
        "password: ⟦dragonfly⟧ please change it",
        "password: ⟦dragonfly⟧, user bob",
    ]);
}

#[test]
fn standards_and_the_next_setting_stay() {
    check(&[
        "token standard: ERC-20",
        "It uses the same key as ICA2, so nothing changes.",
        "db_password:\nretries=3\n",
        "db_password:\n⟦hunter2-Kx9⟧\n",
    ]);
}
