//! Generated texts: secrets in every syntax and personal data in every form are found whole, and
//! nothing else.

use crate::support::work;

use std::fmt::Write as _;
use std::time::Duration;

use engine::{Detectors, detect};

/// A sequence of numbers that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound).expect("a bound")).expect("below the bound")
    }

    fn one_of<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length)
            .map(|_| letters[self.below(letters.len())])
            .collect()
    }
}

/// Letters and digits of a generated value.
const MIXED: &str = "bcdfghjkmnpqrstvwxzBCDFGHJKMNPQRSTVWXZ23456789";

/// What is found in a text.
fn found(detectors: &Detectors, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    detectors.detect(text, None, &mut found);
    detect::merge(found)
        .into_iter()
        .map(|detection| text[detection.start..detection.end].to_owned())
        .collect()
}

/// Texts that hold `VALUE` as the value of `NAME`.
const SYNTAXES: &[&str] = &[
    "NAME=VALUE\n",
    "export NAME=\"VALUE\"\n",
    "NAME='VALUE' cargo run\n",
    "NAME: VALUE\n",
    "  NAME: \"VALUE\"\n",
    "{\"NAME\": \"VALUE\", \"port\": 8080}",
    "{\\\"NAME\\\": \\\"VALUE\\\"}",
    "const NAME = \"VALUE\";\n",
    "NAME => 'VALUE',\n",
    "config[\"NAME\"] = \"VALUE\"\n",
    "define('NAME', 'VALUE');\n",
    "<NAME>VALUE</NAME>\n",
    "<add key=\"NAME\" value=\"VALUE\" />\n",
    "- name: NAME\n  value: \"VALUE\"\n",
    "Server=db;NAME=VALUE;Timeout=30\n",
    "GET /v1/items?NAME=VALUE&page=2\n",
    "tool --NAME \"VALUE\" --verbose\n",
    "tool --NAME=VALUE --verbose\n",
    "NAME := \"VALUE\"\n",
    "val NAME: String = \"VALUE\"\n",
    "\\set NAME VALUE\n",
    "[section]\nNAME = VALUE\n",
];

const NAMES: &[&str] = &[
    "password",
    "DB_PASSWORD",
    "db-password",
    "clientSecret",
    "client_secret",
    "SECRET_KEY",
    "accessToken",
    "ACCESS_TOKEN",
    "apiKey",
    "api_key",
    "AUTH_TOKEN",
    "contraseña",
    "hasło",
    "passphrase",
];

#[test]
fn an_assigned_secret_is_found_whole_in_every_syntax() {
    let detectors = Detectors::built_in();
    let mut numbers = Numbers(0x5EED_0001);
    let mut wrong = String::new();
    let mut count = 0;
    for syntax in SYNTAXES {
        for name in NAMES {
            let mixed = format!("K7q{}4", numbers.text(MIXED, 20 + count % 25));
            let hexadecimal = format!("4f{}", numbers.text("0123456789abcdef", 38));
            for value in [mixed, hexadecimal] {
                count += 1;
                let text = format!(
                    "# settings\n{}# end\n",
                    syntax.replace("NAME", name).replace("VALUE", &value)
                );
                let found = found(&detectors, &text);
                if found != [value] {
                    let _ = writeln!(wrong, "{text:?}: {found:?}");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn names_that_hold_no_secret_keep_their_values() {
    let detectors = Detectors::built_in();
    let mut numbers = Numbers(0x5EED_0002);
    let mut wrong = String::new();
    let names = [
        "commit",
        "sha256",
        "integrity",
        "public_key",
        "token_type",
        "max_tokens",
        "password_hash_algorithm",
        "request_id",
        "etag",
        "cache_key",
        "secret_name",
    ];
    for syntax in SYNTAXES {
        for name in names {
            let hexadecimal = format!("4f{}", numbers.text("0123456789abcdef", 38));
            for value in [hexadecimal.as_str(), "bearer", "sha256", "application"] {
                let text = syntax.replace("NAME", name).replace("VALUE", value);
                let found = found(&detectors, &text);
                if !found.is_empty() {
                    let _ = writeln!(wrong, "{text:?}: {found:?}");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Sentences that hold `VALUE`.
const SENTENCES: &[&str] = &[
    "Please write to VALUE today.",
    "contact: VALUE\n",
    "(VALUE)",
    "\"VALUE\"",
    "<td>VALUE</td>",
    "ann,VALUE,2026\n",
    "a\tVALUE\tb",
    "\\nVALUE\\n",
];

#[test]
fn personal_data_is_found_whole_in_every_form() {
    let detectors = Detectors::built_in();
    let mut numbers = Numbers(0x5EED_0003);
    let mut wrong = String::new();
    for sentence in SENTENCES {
        for _ in 0..12 {
            for value in personal(&mut numbers) {
                let text = sentence.replace("VALUE", &value);
                let found = found(&detectors, &text);
                if found != [value] {
                    let _ = writeln!(wrong, "{text:?}: {found:?}");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn personal(numbers: &mut Numbers) -> Vec<String> {
    let user = numbers.one_of(&["mira.holt", "j_doe+news", "élise", "o'brien", "田中", "x"]);
    let host = numbers.one_of(&[
        "example.org",
        "mail.acme.co.uk",
        "münchen.de",
        "test.museum",
    ]);
    let octet = |numbers: &mut Numbers| 11 + numbers.below(180);
    let area = 1 + numbers.below(665);
    let group = 11 + numbers.below(80);
    let serial = 1000 + numbers.below(8999);
    let line = 1000 + numbers.below(8999);
    vec![
        format!("{user}@{host}"),
        format!(
            "10.{}.{}.{}",
            octet(numbers),
            octet(numbers),
            octet(numbers)
        ),
        format!("2001:db8:{:x}::{:x}", octet(numbers), octet(numbers)),
        format!(
            "fe80::{:x}:{:x}%eth0",
            4096 + octet(numbers),
            octet(numbers)
        ),
        format!("{area:03}-{group}-{serial}"),
        format!("+1 (415) 555-{line}"),
        format!("+44 20 7946 {line}"),
        format!("+4930901820{}", 10 + line % 90),
        card(numbers, "4", 16, &[4, 4, 4, 4], " "),
        card(numbers, "52", 16, &[4, 4, 4, 4], "-"),
        card(numbers, "37", 15, &[4, 6, 5], " "),
        card(numbers, "6011", 16, &[16], ""),
    ]
}

/// A card number with its check digit, in groups.
fn card(numbers: &mut Numbers, issuer: &str, length: usize, groups: &[usize], gap: &str) -> String {
    let mut digits = issuer.to_owned() + &numbers.text("0123456789", length - issuer.len() - 1);
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(index, digit)| match u32::from(digit - b'0') {
            digit if index % 2 == 1 => digit,
            digit if digit > 4 => digit * 2 - 9,
            digit => digit * 2,
        })
        .sum();
    let _ = write!(digits, "{}", (10 - sum % 10) % 10);
    let mut rest = digits.as_str();
    let mut parts = Vec::new();
    for &group in groups {
        let (part, tail) = rest.split_at(group);
        parts.push(part);
        rest = tail;
    }
    parts.join(gap)
}

/// Longer than any repetition of this length may take, and how often one is tried again: what else runs on a core
/// slows it down.
const TOO_LONG: Duration = Duration::from_millis(40);
const TRIES: usize = 10;
const LENGTH: usize = 16 * 1024;

/// `token(` and `fm2_` once took thousands of times as long as ordinary text.
#[test]
fn repeated_anchors_are_scanned_in_linear_time() {
    let detectors = Detectors::built_in();
    let names = [
        "password", "token", "secret", "key", "auth", "api_key", "phone", "bearer ", "eyJ", "://",
    ];
    let separators = [
        "", "(", " ", "=", "\"", "-", ": ", "\n", ",", "|\n|", ":\n- ",
    ];
    let mut slow = String::new();
    for (index, anchor) in anchors().iter().map(String::as_str).enumerate() {
        let separator = separators[index % separators.len()];
        check(&detectors, anchor, separator, &mut slow);
    }
    for name in names {
        for separator in separators {
            check(&detectors, name, separator, &mut slow);
        }
    }
    assert!(slow.is_empty(), "{slow}");
}

fn check(detectors: &Detectors, piece: &str, separator: &str, slow: &mut String) {
    let text = format!("{piece}{separator}").repeat(LENGTH / (piece.len() + separator.len()));
    let is_slow = || work::timed(|| found(detectors, &text)).1 > TOO_LONG;
    if (0..TRIES).all(|_| is_slow()) {
        let _ = writeln!(slow, "{piece:?} and {separator:?}");
    }
}

/// The anchors of the vendor rules.
fn anchors() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/rules");
    let mut anchors = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of rules") {
        let path = entry.expect("an entry").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            let text = std::fs::read_to_string(path).expect("a rule file");
            let file: toml::Table = toml::from_str(&text).expect("rules");
            let rules = file["rule"].as_array().expect("rules");
            let lists = rules.iter().filter_map(|rule| rule["anchors"].as_array());
            anchors.extend(
                lists
                    .flatten()
                    .filter_map(|anchor| anchor.as_str().map(str::to_owned)),
            );
        }
    }
    assert!(anchors.len() > 1000, "too few anchors were read");
    anchors
}
