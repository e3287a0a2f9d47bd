//! Values longer than the part that is judged are masked to their end.

use crate::support::marked;

use marked::check;
use std::fmt::Write as _;

/// Beyond every length that a value is followed before it is known to be one, in bytes.
const LENGTHS: [usize; 3] = [5_000, 20_000, 70_000];

/// Letters and digits as a generator writes them.
fn generated(length: usize) -> String {
    const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut state = 0x9E37_79B9_u32;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        char::from(ALPHABET[state as usize % ALPHABET.len()])
    };
    (0..length).map(|_| letter()).collect()
}

/// The same in lines, as blocks have them.
fn lines(length: usize) -> String {
    let mut lines = String::new();
    for line in generated(length).as_bytes().chunks(64) {
        let _ = writeln!(lines, "{}", String::from_utf8_lossy(line));
    }
    lines
}

#[test]
fn long_unquoted_tokens_and_values_are_masked_completely() {
    for length in LENGTHS {
        let value = generated(length);
        check(&[
            &format!("Authorization: Bearer ⟦{value}⟧\nAccept: x"),
            &format!("KEYSTORE_SECRET=⟦{value}⟧ run"),
            &format!("see ⟦eyJhbGciOiJIUzI1NiJ9.eyJ{value}.{value}⟧ here"),
        ]);
    }
}

#[test]
fn quoted_values_of_any_length_are_masked_completely() {
    for length in LENGTHS {
        let value = generated(length);
        check(&[
            &format!("{{\"client_secret\": \"⟦{value}⟧\", \"a\": 1}}"),
            &format!("PFX_PASSWORD='⟦{value}⟧'\n"),
        ]);
    }
}

#[test]
fn key_blocks_of_any_length_are_masked_completely() {
    for length in LENGTHS {
        let lines = lines(length);
        check(&[
            &format!(
                "⟦-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{lines}-----END PGP PRIVATE KEY BLOCK-----⟧\nbye"
            ),
            &format!("… ⟦{lines}-----END RSA PRIVATE KEY-----⟧"),
        ]);
    }
}

#[test]
fn long_tokens_in_arguments_and_urls_are_masked_completely() {
    for length in [200, 600, 2_000] {
        let value = generated(length);
        check(&[
            &format!("docker login -u AWS -p ⟦{value}⟧ https://registry.example.com"),
            &format!(
                "curl -H 'X-Note: {}' -u bob:⟦{value}⟧ https://x.example.com",
                "so ".repeat(300)
            ),
            &format!("git clone https://oauth2:⟦{value}⟧@gitlab.example.com/a/b.git"),
        ]);
    }
}

#[test]
fn options_on_continuation_lines_of_a_command_are_found() {
    check(&[
        "curl https://x.example.com/a \\\n  -H 'Accept: a/b' \\\n  -u bob:⟦b3rg-Hut⟧ \\\n  -d @x\n",
        "mysqldump \\\r\n -h db \\\r\n -u root -p⟦hund99⟧ shop",
        "curl https://x.example.com/a\necho -u bob:b3rg-Hut\n",
    ]);
}

#[test]
fn keys_between_long_certificates_are_all_masked() {
    let certificate = generated(2_800);
    let mut keys = String::new();
    for _ in 0..20 {
        let (exponent, prime) = (generated(683), generated(342));
        let _ = write!(
            keys,
            "{{\"kty\":\"RSA\",\"e\":\"AQAB\",\"x5c\":[\"{certificate}\",\"{certificate}\"],\"d\":\"⟦{exponent}⟧\",\"qi\":\"⟦{prime}⟧\"}},"
        );
    }
    check(&[&format!("{{\"keys\":[{keys}{{}}]}}")]);
}

#[test]
fn long_lists_of_secrets_are_masked_completely() {
    let mut list = String::new();
    for number in 1000..4000 {
        let _ = write!(list, "\"⟦q7Zr{number}xKw9TmLv2Bn8{number}⟧\", ");
    }
    check(&[&format!("\"tokens\": [{list}]")]);
}
