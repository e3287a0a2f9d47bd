//! `Session::restore_text` restores what `mask_text` masked.

use engine::{Engine, Session, Settings};

const TEXTS: [&str; 9] = [
    "",
    "nothing here",
    "é <MASK_EMAIL_1> alice@example.com,\r\nbob@example.com and alice@example.com\r\n",
    "data:\n  password: hunter2-Kx9\nevent: alice@example.com\n\n",
    ": alice@example.com\n",
    "{\"to\":\"alice@example.com\"}\n{\"password\":\"hunter2-\\\"Kx9\"}\n",
    r#"{"password": "hunter2-\"Kx9", "note": "{\"to\": \"alice@example.com\"}", "n": 1.10}"#,
    "https://example.com/?to=alice%40example.com&x=1",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n",
];

#[test]
fn a_masked_text_is_restored_byte_for_byte() {
    let engine = Engine::new(Settings::default());
    let mut session = Session::new();
    for text in TEXTS {
        let masked = engine.mask_text(text, &mut session);
        for value in ["alice", "bob", "hunter2", "MIIE"] {
            assert!(!masked.contains(value), "{masked}");
        }
        assert_eq!(session.restore_text(&masked).0, text);
    }
}

#[test]
fn tokens_of_other_sessions_stay_and_are_counted() {
    let engine = Engine::new(Settings::default());
    let mut session = Session::new();
    let masked = engine.mask_text("to alice@example.com", &mut session);
    let (text, summary) = Session::new().restore_text(&masked);
    assert_eq!((text, summary.restored), (masked.clone(), 0));
    let (text, summary) = session.restore_text(&format!("{masked}, <MASK_EMAIL_7>"));
    assert_eq!(text, "to alice@example.com, <MASK_EMAIL_7>");
    assert_eq!((summary.restored, summary.unknown_tokens), (1, 1));
}

/// Base64 of little more than a value is shorter once it is masked, and a tool wrote the token to a file.
#[test]
fn base64_of_a_token_is_restored_however_short_it_is() {
    // A key of a vendor with 0, 1 and 2 bytes before it.
    for encoded in [
        "c2stcHJvai1hQjNkRTVmRzdoSjlrTDFtTjNwUTVyUzd0VTl2VzF4WTN6QTViQzc=",
        "IHNrLXByb2otYUIzZEU1Zkc3aEo5a0wxbU4zcFE1clM3dFU5dlcxeFkzekE1YkM3",
        "ICBzay1wcm9qLWFCM2RFNWZHN2hKOWtMMW1OM3BRNXJTN3RVOXZXMXhZM3pBNWJDNw==",
    ] {
        let engine = Engine::new(Settings::default());
        let mut session = Session::new();
        let text = format!("  ca.crt: {encoded}\n  other: YWJj\n");
        let masked = engine.mask_text(&text, &mut session);
        assert!(
            !masked.contains(encoded) && !masked.contains("<MASK_"),
            "{masked}"
        );
        assert_eq!(session.restore_text(&masked).0, text, "{masked}");
    }
}
