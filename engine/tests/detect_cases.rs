//! Texts with all their detections, merged.

use engine::{Detectors, detect};

type Found = &'static [(&'static str, &'static str)];

fn found(text: &str, name: Option<&str>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    Detectors::built_in().detect(text, name, &mut found);
    detect::merge(found)
        .into_iter()
        .map(|detection| {
            let value = text[detection.start..detection.end].to_owned();
            (detection.entity.as_str().to_owned(), value)
        })
        .collect()
}

fn check(cases: &[(&str, Found)]) {
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let found = found(text, None);
        let same = found.len() == expected.len()
            && found
                .iter()
                .zip(*expected)
                .all(|(found, expected)| (found.0.as_str(), found.1.as_str()) == *expected);
        if !same {
            wrong.push(format!(
                "{text:?}\n  expected {expected:?}\n  found    {found:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn emails() {
    check(&[
        (
            "Email: alice@example.com",
            &[("EMAIL", "alice@example.com")],
        ),
        (
            "canary leaf0001@canary.example.com here",
            &[("EMAIL", "leaf0001@canary.example.com")],
        ),
        ("to a@b.io now", &[("EMAIL", "a@b.io")]),
        (
            "first.last+tag@mail.sub.example.co.uk.",
            &[("EMAIL", "first.last+tag@mail.sub.example.co.uk")],
        ),
        (r"x\nalice@example.com", &[("EMAIL", "alice@example.com")]),
        (
            "alice@example.comalice@example.com",
            &[("EMAIL", "alice@example.comalice@example.com")],
        ),
        (
            "наталья.иванов78@почта.рф",
            &[("EMAIL", "наталья.иванов78@почта.рф")],
        ),
        (
            "rosa.sánchez29@fastmail.com",
            &[("EMAIL", "rosa.sánchez29@fastmail.com")],
        ),
        (
            "bob\u{200b}by@exa\u{ad}mple.com",
            &[("EMAIL", "bob\u{200b}by@exa\u{ad}mple.com")],
        ),
        (
            "メールはａｌｉｃｅ＠ｅｘａｍｐｌｅ．ｃｏｍです",
            &[("EMAIL", "ａｌｉｃｅ＠ｅｘａｍｐｌｅ．ｃｏｍ")],
        ),
        (
            "'bob@example.com', \"eve@example.org\"",
            &[("EMAIL", "bob@example.com"), ("EMAIL", "eve@example.org")],
        ),
        (
            "To: \"x\" <o'neil@example.net>;",
            &[("EMAIL", "o'neil@example.net")],
        ),
        ("git@github.com:org/repo.git", &[]),
        ("npm i left-pad@1.2.3 @types/node@20", &[]),
        ("path: \"wasi-cli@0.2.0.wasm\"", &[]),
        ("compare/petgraph@v0.8.0...petgraph@v0.8.1", &[]),
        ("mail bob@163.com...", &[("EMAIL", "bob@163.com")]),
        ("bob@4.5.example.com", &[("EMAIL", "bob@4.5.example.com")]),
        ("logo@2x.png and icon@3x.svg", &[]),
        ("@app.route and user@localhost", &[]),
    ]);
}

#[test]
fn long_emails_are_found_whole() {
    let local = "l".repeat(64);
    let domain = format!("{}.com", vec!["d".repeat(61); 4].join("."));
    let address = format!("{local}@{domain}");
    assert_eq!(found(&address, None), [("EMAIL".to_owned(), address)]);
}

#[test]
fn mixed_personal_data() {
    check(&[
        ("", &[]),
        ("Plain text with nothing in it.", &[]),
        (
            "alice@example.com, +1 (555) 123-4567 and 192.168.0.1",
            &[
                ("EMAIL", "alice@example.com"),
                ("PHONE", "+1 (555) 123-4567"),
                ("IP_ADDRESS", "192.168.0.1"),
            ],
        ),
        (
            "id,email,phone,ssn,card\n7,ann@example.org,555-010-9981,536-22-1234,4111111111111111",
            &[
                ("EMAIL", "ann@example.org"),
                ("PHONE", "555-010-9981"),
                ("SSN", "536-22-1234"),
                ("CREDIT_CARD", "4111111111111111"),
            ],
        ),
    ]);
}

#[test]
fn cards() {
    check(&[
        (
            "4111 1111 1111 1111",
            &[("CREDIT_CARD", "4111 1111 1111 1111")],
        ),
        ("378282246310005", &[("CREDIT_CARD", "378282246310005")]),
        (
            "amex 3782 822463 10005",
            &[("CREDIT_CARD", "3782 822463 10005")],
        ),
        (
            "card 4000000000000000006",
            &[("CREDIT_CARD", "4000000000000000006")],
        ),
        ("ts 1790517229401", &[]),
        ("order 1234567812345678", &[]),
        ("4f3c111111111111111111a 2026-09-27", &[]),
        ("{\"card_last4\": \"4242\", \"ts\": 1790517229401}", &[]),
        ("0.4111111111111111", &[]),
    ]);
}

#[test]
fn phones() {
    check(&[
        ("+1 (555) 010-4477", &[("PHONE", "+1 (555) 010-4477")]),
        ("555-010-9981", &[("PHONE", "555-010-9981")]),
        ("0812-3456", &[("PHONE", "0812-3456")]),
        ("081234567890", &[("PHONE", "081234567890")]),
        ("tel:+6281234567890", &[("PHONE", "+6281234567890")]),
        ("06 12 34 56 78", &[("PHONE", "06 12 34 56 78")]),
        ("0044 20 7946 0958", &[("PHONE", "0044 20 7946 0958")]),
        ("1-800-555-0199", &[("PHONE", "1-800-555-0199")]),
        ("020 7946 0958", &[("PHONE", "020 7946 0958")]),
        ("call 5550104477", &[("PHONE", "5550104477")]),
        (
            "phone (770)802-0556x63302",
            &[("PHONE", "(770)802-0556x63302")],
        ),
        (
            "+44 20 7946 0958 020 7946 0958",
            &[("PHONE", "+44 20 7946 0958"), ("PHONE", "020 7946 0958")],
        ),
        ("screen 1920 1080", &[]),
        ("11 2026", &[]),
        ("INV-2026-0042", &[]),
        ("+20260927,15912", &[]),
        ("09:49:08.123+08:00", &[]),
        ("viewBox=\"0 0 512 512\" width=1024 height=7680", &[]),
        ("04.06.2024 and 2024-06-04 12:30", &[]),
        (
            "IBAN DE89 3704 0044 0532 0130 00",
            &[("IBAN", "DE89 3704 0044 0532 0130 00")],
        ),
        (
            "IBAN DE89370400440532013000",
            &[("IBAN", "DE89370400440532013000")],
        ),
        ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", &[]),
        ("price 1,234,567.89 or 5550104477", &[]),
    ]);
}

#[test]
fn social_security_numbers() {
    check(&[
        ("123-45-6789", &[("SSN", "123-45-6789")]),
        ("SSN 123456789", &[("SSN", "123456789")]),
        (
            "social security number: 516 09 3813",
            &[("SSN", "516 09 3813")],
        ),
        ("ssn: 937-37-2737", &[("SSN", "937-37-2737")]),
        ("937-37-2737", &[("SSN", "937-37-2737")]),
        ("000-00-0000 666-12-3456 123-00-6789 123-45-0000", &[]),
        ("123 45 6789", &[]),
        ("build 123456789", &[]),
        ("--date=9324-81-7263", &[]),
    ]);
}

#[test]
fn ip_addresses() {
    check(&[
        (
            "10.0.3.17 192.168.1.20 8.8.8.8",
            &[
                ("IP_ADDRESS", "10.0.3.17"),
                ("IP_ADDRESS", "192.168.1.20"),
                ("IP_ADDRESS", "8.8.8.8"),
            ],
        ),
        ("127.0.0.1 0.0.0.0 192.0.2.7 198.51.100.9 203.0.113.77", &[]),
        ("999.1.2.300", &[]),
        (
            "10.1.2.3:8080 and 10.1.0.0/16",
            &[("IP_ADDRESS", "10.1.2.3"), ("IP_ADDRESS", "10.1.0.0/16")],
        ),
        ("10.0.0.1.5", &[]),
        ("upgraded to version 14.22.3.139", &[]),
        ("v1.2.3.4", &[]),
        ("oid 1.3.6.1.4.1", &[]),
        (
            "2001:db8:85a3::8a2e:370:7334",
            &[("IP_ADDRESS", "2001:db8:85a3::8a2e:370:7334")],
        ),
        (
            "a1:54d8:5ed8:abcc:35c7:19c3:add9:ca88",
            &[("IP_ADDRESS", "a1:54d8:5ed8:abcc:35c7:19c3:add9:ca88")],
        ),
        ("fe80::1%eth0", &[("IP_ADDRESS", "fe80::1%eth0")]),
        ("::ffff:10.1.2.3", &[("IP_ADDRESS", "::ffff:10.1.2.3")]),
        (
            "http://[2001:db8::8:800]:80/",
            &[("IP_ADDRESS", "2001:db8::8:800")],
        ),
        ("std::fmt::Debug and 12:34:56:89 and a3:b4:10:aa:e6:f2", &[]),
    ]);
}

/// The beginning of a token once hid every value after it, and a token within a value hid that
/// value.
#[test]
fn values_next_to_or_around_a_token_are_found() {
    const KEY: &str = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MmyzXn\n\
                       [MASKED]\nMIIEowIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MmyzXn\n-----END RSA PRIVATE KEY-----";
    const GITHUB: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    check(&[
        (
            "Cut at <MASK_EMAIL_ by max_tokens. Write to zoe@example.org, password=hunter2-Kx9",
            &[("EMAIL", "zoe@example.org"), ("SECRET", "hunter2-Kx9")],
        ),
        ("<MASK_A zoe@example.org", &[("EMAIL", "zoe@example.org")]),
        (
            "<MASK_zoe@example.org>",
            &[("EMAIL", "MASK_zoe@example.org")],
        ),
        (
            "[REDACTED_BY ops: zoe@example.org, key ghp_16C7e42F292c6912E7710c838347Ae178B4a]",
            &[("EMAIL", "zoe@example.org"), ("API_KEY", GITHUB)],
        ),
        (
            "# prefix <MASK_\nkey ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            &[("API_KEY", GITHUB)],
        ),
        (KEY, &[("PRIVATE_KEY", KEY)]),
        (
            r#"row[MASKED_IDX + 1 : password="hunter2-Kx9!""#,
            &[("SECRET", "hunter2-Kx9!")],
        ),
        (
            "# [MASKED in prod\nDB_PASSWORD=hunter2-Kx9\nAPI_TOKEN=<MASK_SECRET_1>",
            &[("SECRET", "hunter2-Kx9")],
        ),
        (
            "<MASK_EMAIL_1>, zoe@example.org, [REDACTED_EMAIL], [MASKED]",
            &[("EMAIL", "zoe@example.org")],
        ),
        (
            "mail=<MASK_EMAIL_1> token=\"[REDACTED_SECRET]\" Bearer <MASK_AUTH_TOKEN_0123456789ABCDEF>",
            &[],
        ),
        ("https://bob:<MASK_URL_PASSWORD_3>@host.example/x", &[]),
        ("password: \"<MASK_PERSON_1> <MASK_PHONE_2>\"", &[]),
    ]);
}

/// A string cut off in the middle of an escape was not found at all.
#[test]
fn a_value_cut_off_within_an_escape_is_found() {
    check(&[
        (
            "{\"password\":\"hunter2-Kx9\\",
            &[("SECRET", "hunter2-Kx9")],
        ),
        (
            "{\"password\":\"hunter2-Kx9\\\\",
            &[("SECRET", "hunter2-Kx9\\\\")],
        ),
        (
            "{\\\"password\\\":\\\"hunter2-Kx9\\",
            &[("SECRET", "hunter2-Kx9")],
        ),
        ("{\"password\":\"\\", &[]),
    ]);
}

#[test]
fn a_text_under_a_secret_name_is_found_whole() {
    let whole = |text: &str, name: &str| found(text, Some(name));
    assert_eq!(
        whole("hunter2", "password"),
        [("SECRET".to_owned(), "hunter2".to_owned())]
    );
    assert_eq!(whole("Required.", "password_hint"), []);
    assert_eq!(whole("${DB_PASSWORD}", "password"), []);
    assert_eq!(whole("string", "password"), []);
    assert_eq!(
        whole("bob@example.com", "note"),
        [("EMAIL".to_owned(), "bob@example.com".to_owned())]
    );
}

#[test]
fn shaped_secrets() {
    let pem = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n-----END OPENSSH PRIVATE KEY-----";
    assert_eq!(
        found(&format!("key = '''{pem}'''"), None),
        [("PRIVATE_KEY".to_owned(), pem.to_owned())]
    );
    let cut = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAyN0oQ0bq0xPz7c1r5v4n3m2l1k0j\nAAKCAQEAyN0oQ0bq0xPz7c1r5v4n3m2l1k0j";
    assert_eq!(
        found(cut, None),
        [("PRIVATE_KEY".to_owned(), cut.to_owned())]
    );
    check(&[
        (
            "-----BEGIN PRIVATE KEY-----\nanything\n-----END PRIVATE KEY-----",
            &[],
        ),
        (
            "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
            &[],
        ),
        (
            r#"{"access_token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.sflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV", "token_type": "Bearer"}"#,
            &[(
                "JWT",
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.sflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV",
            )],
        ),
        (
            "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0In0.",
            &[("JWT", "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0In0.")],
        ),
        (
            "Authorization: Bearer 7f3a9c2e5b8d4f6a1c0e",
            &[("AUTH_TOKEN", "7f3a9c2e5b8d4f6a1c0e")],
        ),
        (
            "{'Authorization': 'Bearer 7f3a9c2e5b8d4f6a1c0e'}",
            &[("AUTH_TOKEN", "7f3a9c2e5b8d4f6a1c0e")],
        ),
        (
            "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
            &[("AUTH_TOKEN", "QWxhZGRpbjpvcGVuIHNlc2FtZQ==")],
        ),
        ("Authorization: Bearer $TOKEN and basic authentication", &[]),
        (
            "AKIAQYLPMN5HHHFPZAM2",
            &[("API_KEY", "AKIAQYLPMN5HHHFPZAM2")],
        ),
        (
            r"log\nghp_16C7e42F292c6912E7710c838347Ae178B4a",
            &[("API_KEY", "ghp_16C7e42F292c6912E7710c838347Ae178B4a")],
        ),
        (
            "GH_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            &[("API_KEY", "ghp_16C7e42F292c6912E7710c838347Ae178B4a")],
        ),
        (
            "https://oauth2:glpat-8w7oMwSvvPSRDDgjqn5w@git.example.com",
            &[("API_KEY", "glpat-8w7oMwSvvPSRDDgjqn5w")],
        ),
        (
            "https://hooks.slack.com/services/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",
            &[(
                "API_KEY",
                "hooks.slack.com/services/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",
            )],
        ),
    ]);
}

#[test]
fn url_credentials() {
    check(&[
        (
            "DATABASE_URL=postgres://app:7HB4jfejsD4yEs@db.internal:5432/app",
            &[("URL_CREDENTIAL", "7HB4jfejsD4yEs")],
        ),
        ("redis://:pw7x@cache:6379", &[("URL_CREDENTIAL", "pw7x")]),
        (
            "psql \"postgresql://user:pw@localhost/db\"",
            &[("URL_CREDENTIAL", "pw")],
        ),
        (
            "mongodb://u:p@ss@host.example.com/x",
            &[("URL_CREDENTIAL", "p@ss")],
        ),
        ("https://token@github.com", &[("URL_CREDENTIAL", "token")]),
        ("postgres://user:${PGPASSWORD}@localhost/db", &[]),
        (
            "postgres://user:password@localhost/db",
            &[("URL_CREDENTIAL", "password")],
        ),
        ("https://example.com:8080/@user", &[]),
        ("ssh://git@example.com/repo", &[]),
    ]);
}
