//! Keys of vendors that no rule knows: a prefix, and a long generated part.

use crate::support::unnamed::{found, leaves};

const KEYS: [&str; 6] = [
    "acme_u8jzPde0IgxLd6GncfBAepfJBd0Kh8oOOL",
    "qwx-live-8dKLzdocJ2isAjIhKtJ0RlgLKOmxgJTeKdNnFRIB",
    "FROB_XuDL7DxtpYlSXpfKtHF4vUCsMehGAkWvj7FA",
    "zot_v1_fjORS_6ilI8ihN5KXSc7TvohBKqFYYgkv5ZJr3J1TW",
    "kite-ojfljooa5lqsaj08xui6d39zzzzg4zdmen2khvdgaj8gxben",
    "sand_test_2cQnYp0wLJt8VZr1KmXe7HsDbU4aGfTi9oRy==",
];

#[test]
fn keys_of_unknown_vendors_are_found_by_their_prefix() {
    for key in KEYS {
        let texts = [
            key.to_owned(),
            format!("try this one: {key}."),
            format!("(`{key}`)"),
            format!("FOO={key}\nBAR=1"),
            format!(r#"{{"x":"{key}","y":1}}"#),
            format!("frobctl login {key} --eu"),
            format!("<x>{key}</x>"),
        ];
        for text in texts {
            let found = found(&text);
            assert_eq!(found, [("API_KEY".to_owned(), key)], "{text}");
        }
    }
}

#[test]
fn nearly_all_generated_keys_are_found() {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const COUNT: usize = 1_000;
    let mut seed = 0x5EED_usize;
    let mut letter = || {
        seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        char::from(LETTERS[(seed >> 33) % LETTERS.len()])
    };
    let missed = (0..COUNT).filter(|number| {
        let generated: String = (0..30 + number % 30).map(|_| letter()).collect();
        let text = format!("zorn_{generated}");
        found(&text).is_empty()
    });
    let missed = missed.count();
    assert!(missed * 100 < COUNT * 2, "{missed} of {COUNT}");
}

#[test]
fn checksums_ids_paths_and_identifiers_are_not_keys() {
    leaves(&[
        "sha512-TtpcNJ3XAzx3Gq8sWRzJaVajRs0uVxA2YAkdb1jm2YkPz4G6egUFAyA3n5vtEIZef",
        "flask/cli.py,sha256=pfh72-BxlvoH0QHCDOc1HvXG7Kq5Xetf3zzNz2kNSHk,37096",
        "chatcmpl-nKhF40RPp6KOJ1kSJ59HVtz9hZj8o",
        "toolu_01D7FLrfh4GYq7yT1ULFeyMV",
        "NID_pbe_WithSHA1And128BitRC4AndAnotherOneOf256Bit",
        "feature_set_Utf8ValidationToJsonAndBackIn2Steps",
        "test_ipv4_address_with_port_8080_is_found_in_2_lines",
        "https://cdn.example.com/assets/main_u8jzPde0IgxLd6GncfBAepfJBd0Kh8oOOL.js",
        "----WebKitFormBoundary7MA4YWxkTrZu0gW",
        "acme_aBcDeFgHiJkLmNoPqRsT1234567890abcdef",
        "acme_aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrR7w3Zq9",
        "\"x\": \"IDC-5s6FERlbC4Nc_4JhKW8sd51AhixtMdNUtPxhRFP323QY6cwWeIA3leyZhz-J\"",
        "HTB{t3h_FuTUr3_15_bR1ghT_1_H0p3_y0uR3_W34r1nG_5h4d35}",
        "R21A-A-V010SP13RC181024R16900-CN-B_250K-Release-OTA-97B6C6C59241976086FABDC41472150C.bfu",
        "acme_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx1A",
        "build-0d7c4a3f9be84b1f8f5e2f6f4c3d2e1a0b9c8d7e",
        "<img src=\"data:image/png;base64,acme_u8jzPde0IgxLd6GncfBAepfJBd0Kh8oOOL+/8jz\">",
    ]);
}
