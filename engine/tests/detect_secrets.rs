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

#[test]
fn sums_characters_options_and_types_stay() {
    const SUM: &str = "b37cf88614980c38e43c4329cdf7162bae48cc8af1fafd54db2fe0d17e458e1d";
    check(&[
        &format!("{{\"files\":{{\"test/root-ca.key\":\"{SUM}\"}}}}"),
        &format!("{{\"root-ca.key\":\"⟦{SUM}⟧\"}}"),
        r#""pin": "\f4ed","#,
        "call([\"auth\", \"--standalone\"])",
        "secret: \"⟦--Kx9/77zzQ⟧\"",
        "KeyTrust::NotPrivate => 0b0100_0000_0000_0000,",
        "    pub(crate) master_secret: Zeroizing<PayloadU8>,",
        "/// Offered preshared keys (RFC8446)",
        "// First pass: determine the length of the longest name",
        "my pass: ⟦determine7⟧",
    ]);
}

/// A word in the Base64 was taken for the name of the next line.
#[test]
fn the_lines_of_a_certificate_stay() {
    let lines = "mfeSVPc0W+m/6imBEtRTkZaz\nKYPTOKEN\nszuSjXEOdMWLyEz59JuOuDxp7W87UC9Y7cSw0BwbagzivESq2M0UXZR4Yb8Obtoq";
    let block = |label| format!("-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n");
    check(&[
        &block("CERTIFICATE"),
        &block("RSA PUBLIC KEY"),
        &format!("{}password: ⟦Zx9kLpq3vW⟧\n", block("CERTIFICATE")),
    ]);
}

/// Sentences with commas were read as a table.
#[test]
fn a_sentence_heads_no_table() {
    check(&[
        "The values for INDIRECT (252), PRIVATE (253), and PRIVATEOID\n(254) relate to more. \n\nAs of this writing, \nthe algorithms are DSASHA1, DH, DSA-NSEC3-SHA1\n",
        "name, password\nanna, ⟦Zx9kLpq3vW⟧\n",
    ]);
}
