//! Secrets in many syntaxes, each with lookalikes.

use crate::support::marked;

use marked::check;

/// Once thirty-two of them were found.
#[test]
fn every_value_in_a_long_list_is_found() {
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
fn token_standards_and_the_next_setting_are_left() {
    check(&[
        "token standard: ERC-20",
        "It uses the same key as ICA2, so nothing changes.",
        "db_password:\nretries=3\n",
        "db_password:\n⟦hunter2-Kx9⟧\n",
    ]);
}

#[test]
fn checksums_characters_options_and_types_are_left() {
    const SUM: &str = "b37cf88614980c38e43c4329cdf7162bae48cc8af1fafd54db2fe0d17e458e1d";
    check(&[
        &format!("{{\"files\":{{\"test/root-ca.key\":\"{SUM}\",\"test/a.rs\":\"{SUM}\"}}}}"),
        &format!("{{\"test/a.rs\": \"{SUM}\",\n  \"test/root-ca.key\": \"{SUM}\"}}"),
        &format!("{{\"a/b.rs\":\"{SUM}\",\"a/a.key\":\"{SUM}\",\"a/b.key\":\"{SUM}\"}}"),
        &format!("{{\"prod/tls.key\":\"⟦{SUM}⟧\"}}"),
        &format!("{{\n  \"prod/tls.key\": \"⟦{SUM}⟧\",\n  \"prod/jwt.secret\": \"⟦{SUM}⟧\"\n}}"),
        &format!("{{\"root-ca.key\":\"⟦{SUM}⟧\"}}"),
        r#""pin": "\f4ed","#,
        "call([\"auth\", \"--standalone\"])",
        "secret: \"⟦--Kx9/77zzQ⟧\"",
        "KeyTrust::NotPrivate => 0b0100_0000_0000_0000,",
        "    pub(crate) master_secret: Zeroizing<PayloadU8>,",
        "Password: ⟦Sommer⟧<BR>\n",
        "password = \"⟦--hunter⟧\"",
        r#"password: "⟦\u0041bcd77⟧""#,
        "/// Offered preshared keys (RFC8446)",
        "// First pass: determine the length of the longest name",
        "my pass: ⟦determine7⟧",
    ]);
}

/// A word in the Base64 was taken for the name of the next line.
/// The quote was read as a part of a value without quotes.
#[test]
fn a_string_argument_is_found_without_its_quotes() {
    const KEY: &str = "1bd749f4d75ff6a203558ab1e2c6dcb3f8e1096bbdc5a11d2f2cf5a0b66e99a1";
    check(&[
        &format!("key = bytes.fromhex(\"⟦{KEY}⟧\")\ncipher = AES.new(key)"),
        "password = b\"⟦Zx9kLpq3vW⟧\"",
        "password=u'⟦Zx9kLpq3vW⟧'",
    ]);
}

#[test]
fn certificate_lines_are_left() {
    let lines = "mfeSVPc0W+m/6imBEtRTkZaz\nKYPTOKEN\nszuSjXEOdMWLyEz59JuOuDxp7W87UC9Y7cSw0BwbagzivESq2M0UXZR4Yb8Obtoq";
    let block = |label| format!("-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n");
    check(&[
        &block("CERTIFICATE"),
        &block("RSA PUBLIC KEY"),
        &format!("{}password: ⟦Zx9kLpq3vW⟧\n", block("CERTIFICATE")),
        "-----BEGIN CERTIFICATE-----\npassword=⟦Zx9kLpq3vW⟧\n-----END CERTIFICATE-----\n",
    ]);
}

/// Sentences with commas were read as a table.
#[test]
fn a_sentence_with_commas_is_not_a_header() {
    check(&[
        "The values for INDIRECT (252), PRIVATE (253), and PRIVATEOID\n(254) relate to more. \n\nAs of this writing, \nthe algorithms are DSASHA1, DH, DSA-NSEC3-SHA1\n",
        "name, password\nanna, ⟦Zx9kLpq3vW⟧\n",
        "name, password,\nanna, ⟦Zx9kLpq3vW⟧,\n",
        "user, password, e mail\nanna, ⟦Zx9kLpq3vW⟧, no\n",
        "user, password, tel.\nanna, ⟦Zx9kLpq3vW⟧, none\n",
    ]);
}

#[test]
fn a_password_requested_in_chat_is_found_messages_later() {
    check(&[
        "Anna: what's the password for the router?\nBen: one sec\nBen: ⟦Tulip42grün⟧\n",
        "[10:02] Anna: can you send me the db password\n[10:02] Ben: sure\n[10:03] Ben: ⟦kettle-Orange-19⟧\n",
        "user: whats the wifi password\nadmin: ⟦Hund3kuchen!⟧\n",
        "Anna: I changed my password\nBen: when?\nAnna: 10:30AM\n",
        "Anna: I lost the password\nBen: TICKET-1234\n",
        "The password\nBen: Tulip42grün\n",
    ]);
}

#[test]
fn door_codes_and_numeric_wifi_keys_are_found() {
    check(&[
        "The code for the alarm is ⟦1974⟧.",
        "Der Code für die Haustür ist ⟦4711⟧.",
        "The code for the parser is 1200 lines.",
        "WLAN-Schlüssel: ⟦4839 2018 4756 1029 3847⟧",
        "Primary key: 1000 2000 3000 4000",
    ]);
}

/// They were missed, or what stands behind the quote went out.
#[test]
fn unquoted_values_may_contain_quotes() {
    check(&[
        "password=⟦Zx\"9\\kL-pq3vW⟧",
        "please use password=⟦Zx9kL\"pq3vW⟧ x",
        "export TOKEN=⟦ab'cdE9-k4Lm2⟧\n",
        "DB_PASSWORD=⟦Zx9k'Lpq3vW⟧\nNEXT=1\n",
        "password: ⟦Zx\"9kLpq3vW⟧\nuser: bob\n",
        "[db]\npassword = ⟦Zx9kL\"pq3 vW⟧\nhost = a\n",
        "mysql -u root -p⟦Zx9k\"Lpq3vW⟧ db",
        "deploy --password ⟦Zx9k\"Lpq3vW⟧ --x",
        "the password is ⟦Zx9k\"Lpq3vW7⟧ ok",
        "PASSWORD=⟦Zx9k\"Lp\"q3vW7⟧",
        "echo \"password=⟦Zx9kLpq3vW7⟧\"x",
        "curl -H 'password: ⟦Zx9kLpq3vW7⟧'u",
        "{\"cmd\": \"password=⟦Zx9kLpq3vW7⟧\",\"b\": 1}",
    ]);
}
