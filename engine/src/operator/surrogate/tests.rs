//! Surrogates of every type have the right shape and belong to nobody.

use super::*;

fn surrogates() -> Surrogates {
    Surrogates::new(Sensitive::new(b"a key".to_vec()))
}

fn all(entity: &EntityType, value: &str) -> Vec<String> {
    let mut draw = surrogates().draw(entity, value);
    (0..ATTEMPTS)
        .filter_map(|attempt| drawn(&mut draw, entity, value, attempt))
        .collect()
}

/// A value with letters as `a` and digits as `9`.
fn shape(value: &str) -> String {
    let sign = |c: char| match c {
        'a'..='z' | 'A'..='Z' => 'a',
        '0'..='9' => '9',
        c => c,
    };
    value.chars().map(sign).collect()
}

#[test]
fn a_surrogate_has_the_shape_of_its_value() {
    for (entity, value) in [
        (EntityType::IBAN, "DE89 3704 0044 0532 0130 00"),
        (EntityType::IBAN, "GB82WEST12345698765432"),
        (EntityType::IBAN, "NL91ABNA0417164300"),
        (EntityType::CREDIT_CARD, "4111 1111 1111 1111"),
        (EntityType::CREDIT_CARD, "3714-496353-98431"),
        (EntityType::SSN, "123-45-6789"),
        (EntityType::DATE_OF_BIRTH, "1980-03-12"),
        (EntityType::DATE_OF_BIRTH, "24.12.1975"),
        (EntityType::DATE_OF_BIRTH, "3/7/1999"),
        (EntityType::DATE_OF_BIRTH, "12 March 1980"),
        (EntityType::PHONE, "+1 (212) 736-5000"),
        (EntityType::PHONE, "212-736-5000"),
        (EntityType::PHONE, "+44 20 7946 1234"),
        (EntityType::PHONE, "+48 601 234 567"),
        (EntityType::PHONE, "01 42 68 53 00"),
    ] {
        let all = all(&entity, value);
        assert_eq!(all.len(), ATTEMPTS as usize, "{value}");
        for drawn in all {
            assert_eq!(shape(&drawn), shape(value), "{drawn}");
            assert_ne!(drawn, value);
        }
    }
}

#[test]
fn surrogates_use_only_reserved_ranges() {
    let has = |entity: EntityType, value: &str, is: fn(&str) -> bool| {
        for drawn in all(&entity, value) {
            assert!(is(&drawn), "{value}: {drawn}");
        }
    };
    has(EntityType::EMAIL, "anna@firma.de", |drawn| {
        let domain = drawn.rsplit_once('@').unwrap().1;
        ["example.com", "example.org", "example.net"].contains(&domain)
    });
    has(EntityType::IP_ADDRESS, "10.1.2.3", |drawn| {
        let networks = [
            "192.0.2.",
            "198.51.100.",
            "203.0.113.",
            "198.18.",
            "198.19.",
        ];
        networks.iter().any(|network| drawn.starts_with(network))
    });
    has(EntityType::IP_ADDRESS, "fe80::1", |drawn| {
        drawn.starts_with("2001:db8:")
    });
    has(EntityType::PHONE, "+1 (212) 736-5000", |drawn| {
        drawn.contains(") 555-01") || drawn.starts_with("+1 (000)")
    });
    has(EntityType::PHONE, "+49 171 1234567", |drawn| {
        drawn.starts_with("+49 171 39200") || drawn.starts_with("+49 000")
    });
    has(EntityType::PHONE, "0171 1234567", |drawn| {
        drawn.starts_with("0171 39200") || drawn.starts_with("0000 ")
    });
    has(EntityType::PHONE, "07911 123456", |drawn| {
        drawn.starts_with("07700 900") || drawn.starts_with("0000")
    });
    has(EntityType::SSN, "123-45-6789", |drawn| {
        drawn.starts_with("666-")
    });
    has(EntityType::CREDIT_CARD, "5500 0000 0000 0004", |drawn| {
        drawn.starts_with("5555 55")
    });
    has(EntityType::IBAN, "DE89370400440532013000", |drawn| {
        drawn.get(4..12) == Some("00000000")
    });
}

#[test]
fn surrogate_accounts_and_cards_have_valid_check_digits() {
    let detectors = crate::Detectors::built_in();
    for (entity, text) in [
        (EntityType::IBAN, "DE89 3704 0044 0532 0130 00"),
        (EntityType::IBAN, "FR1420041010050500013M02606"),
        (EntityType::CREDIT_CARD, "4111 1111 1111 1111"),
    ] {
        for drawn in all(&entity, text) {
            let mut found = Vec::new();
            detectors.detect(&format!("pay to {drawn} now"), None, &mut found);
            assert!(found.iter().any(|found| found.entity == entity), "{drawn}");
        }
    }
}

#[test]
fn values_of_unknown_shape_get_no_surrogate() {
    for (entity, value) in [
        (EntityType::PHONE, "ext. 4711"),
        (EntityType::PHONE, "110"),
        (EntityType::DATE_OF_BIRTH, "12.3.80"),
        (EntityType::DATE_OF_BIRTH, "1980"),
        (EntityType::DATE_OF_BIRTH, "1980-2024-12"),
        (EntityType::DATE_OF_BIRTH, "٣/١٢/١٩٨٠"),
        (EntityType::IP_ADDRESS, "10.0.0.0/8"),
        (EntityType::IBAN, "BE68 5390 0754 7034"),
        (EntityType::CREDIT_CARD, "4"),
        (EntityType::EMAIL, "@"),
        (EntityType::SECRET, "hunter2"),
    ] {
        let any = all(&entity, value);
        assert!(any.is_empty() || value == "@", "{value}: {any:?}");
    }
}

#[test]
fn secret_types_get_no_surrogates() {
    let only = |types| surrogates().only(types).map(|_| ());
    assert_eq!(only(vec![EntityType::PERSON]), Ok(()));
    assert_eq!(
        only(vec![EntityType::PERSON, EntityType::API_KEY]),
        Err(NoSurrogate(EntityType::API_KEY))
    );
}

#[test]
fn different_keys_draw_different_surrogates() {
    let draw = |key: &[u8]| {
        let surrogates = Surrogates::new(Sensitive::new(key.to_vec()));
        let mut draw = surrogates.draw(&EntityType::EMAIL, "a@b.de");
        drawn(&mut draw, &EntityType::EMAIL, "a@b.de", 0)
    };
    assert_eq!(draw(b"one"), draw(b"one"));
    assert_ne!(draw(b"one"), draw(b"two"));
}
