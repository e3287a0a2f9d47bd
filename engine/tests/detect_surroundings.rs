//! Values in the surroundings that people and tools put around them.

use engine::Detectors;
use engine::detect::merge;

fn found(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    Detectors::built_in().detect(text, None, &mut found);
    let values = merge(found)
        .into_iter()
        .map(|detection| text[detection.start..detection.end].to_owned());
    values.collect()
}

#[test]
fn a_password_in_a_numbered_line_is_found() {
    for line in [
        "db_password: hunter2x",
        "password=hunter2x",
        "  smtp_password: hunter2x",
    ] {
        for number in [
            "",
            "     4\t",
            "     4→",
            "4: ",
            "    12 | ",
            "config/app.yaml:12:",
            "1234567→",
        ] {
            let text = format!("{number}{line}\n");
            assert_eq!(found(&text), ["hunter2x"], "{text:?}");
        }
    }
}

/// A search with one hit in a file has no other line that could confirm the prefix, and the number was let through.
#[test]
fn numbers_in_the_only_line_that_a_search_found_are_found() {
    for value in [
        "4111 1111 1111 1111",
        "4111111111111111",
        "378282246310005",
        "536-22-8145",
        "943 476 5919",
        "DE89370400440532013000",
        "84.17.55.201",
        "2a02:a31a:c03e:8100:5d3c:b5c1:1f9a:77d1",
    ] {
        for prefix in [
            "12:",
            "L12:",
            "data/cards.csv:12:",
            "./cards.csv:12:5:",
            "Found 1 match\n/home/ann/cards.csv:12:",
            "cards.csv\n12:",
            "a.csv:7:hello\nb/c.csv:12:",
        ] {
            let text = format!("{prefix}{value}\n");
            assert_eq!(found(&text), [value], "{text:?}");
        }
    }
    for value in ["4111111111111111", "4111 1111 1111 1111", "536-22-8145"] {
        let text = format!("cards.csv-11-{value}\ncards.csv:12:hello\n");
        assert_eq!(found(&text), [value], "{text:?}");
    }
    for text in [
        "chr1:41111111-11111111",
        "at 10:30:45 411 111",
        "ratio 1.5:4111111111111111",
        "2026-11-4111111111111111",
        "10.0.0-12-4111111111111111",
        "a:b:c:12:34:56:78",
    ] {
        assert!(found(text).is_empty(), "{text}: {:?}", found(text));
    }
}

/// It was taken for the user and the host of the URL.
#[test]
fn an_address_in_a_query_right_behind_the_host_or_as_the_user_is_found() {
    for start in [
        "https://www.example?to=",
        "see https://www.example:8080?a=1&to=",
        "https://u:x7Kq2-Lm9@www.example?to=",
        "mysql://www.example?",
    ] {
        let text = format!("{start}ann.lee@firma.example");
        let found = found(&text);
        assert!(
            found.contains(&"ann.lee@firma.example".to_owned()),
            "{text}: {found:?}"
        );
    }
    for (text, values) in [
        ("ftp://ann@firma.example/x", vec![]),
        (
            "smtp://ann@firma.example:x7Kq2-Lm9@mail.example",
            vec!["ann@firma.example", "x7Kq2-Lm9"],
        ),
        (
            "imap://ann@firma.example@mail.example/",
            vec!["ann@firma.example"],
        ),
        ("postgres://app:x7?Kq2-Lm9@db.example/x", vec!["x7?Kq2-Lm9"]),
        ("postgres://app:x7#Kq2-Lm9@db.example/x", vec!["x7#Kq2-Lm9"]),
    ] {
        assert_eq!(found(text), values, "{text}");
    }
}

/// Only after a letter or digit was it passed over.
#[test]
fn a_value_whose_every_character_has_a_variation_selector_is_found() {
    for value in ["ann.lee@firma.example", "4111 1111 1111 1111"] {
        for selector in ["\u{fe0e}", "\u{fe0f}", "\u{e0100}", "\u{e01ef}"] {
            let spelled: Vec<_> = value.split("").filter(|part| !part.is_empty()).collect();
            let spelled = spelled.join(selector);
            assert_eq!(found(&format!("to {spelled}.")), [spelled]);
        }
    }
}

#[test]
fn numbers_after_a_hash_sign_or_in_emphasis_are_found() {
    for (text, value) in [
        ("SSN #123-45-6789", "123-45-6789"),
        ("SSN#123-45-6789", "123-45-6789"),
        ("_123-45-6789_", "123-45-6789"),
        ("~~123-45-6789~~", "123-45-6789"),
        ("card #4111111111111111", "4111111111111111"),
        ("_4111 1111 1111 1111_", "4111 1111 1111 1111"),
        ("Card no. #4111-1111-1111-1111", "4111-1111-1111-1111"),
        ("ip _10.0.0.3_", "10.0.0.3"),
        ("phone #555-123-4567", "555-123-4567"),
        ("call _555-123-4567_ now", "555-123-4567"),
    ] {
        assert_eq!(found(text), [value], "{text}");
    }
    for text in [
        "see #1234567",
        "row_4111111111111111_x",
        "a_10.0.0.3",
        "__4111111111111111x",
    ] {
        assert!(found(text).is_empty(), "{text}: {:?}", found(text));
    }
}

#[test]
fn the_credential_in_an_authorization_token_header_is_found() {
    for (text, value) in [
        ("Authorization: Token abcdef123456", "abcdef123456"),
        (
            "authorization: token 9f8e7d6c5b4a\r\nhost: x",
            "9f8e7d6c5b4a",
        ),
        (
            "{\"Authorization\": \"ApiKey abcdef123456\"}",
            "abcdef123456",
        ),
    ] {
        assert_eq!(found(text), [value], "{text}");
    }
    for text in [
        "Authorization: Token <your token>",
        "the authorization token expires",
        "authorization token_type",
        "Authorization: Token placeholder",
    ] {
        assert!(found(text).is_empty(), "{text}: {:?}", found(text));
    }
}
