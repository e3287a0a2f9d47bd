use super::super::pass::Pass;
use super::super::{Detection, anchors, scan};
use super::{Repeat, each_stretch, find};
use std::fmt::Write as _;
use std::ops::Range;

/// A sequence of numbers that is the same in every run.
struct Numbers(u64);

impl Numbers {
    const fn seeded(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn within(&mut self, range: Range<usize>) -> usize {
        range.start + self.below(range.len())
    }

    fn one_of<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }

    fn letters(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length)
            .map(|_| letters[self.below(letters.len())])
            .collect()
    }
}

const MIXED: &str = "bcdfghjkmnpqrstvwxzBCDFGHJKMNPQRSTVWXZ23456789";

/// What texts are made of; `V` stands for a generated value, `D` for a digit, `W` for a word.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "W ", "W", "W_", "the W is ", "W W W. ", "\n", "\n\n", "  ", "\t", ", ", ": ", " = ", "=", "{", "}", "(", ")", "[", "]", "\"", "'",
    "`", "\\\"", "\\n", "<", ">", "</", "|", "||", ";", "&", "?", "/", "@", ".", "-", "--", "::", ":", "$", "${", "#", "# W\n", "//",
    "D", "DD ", "DDDD ", "D.D.D.D ", "DDD-DD-DDDD ", "+49 DDD DDDDDDD ", "(DDD) DDD-DDDD", "4111 1111 1111 1111 ", "DDDD DDDD DDDD DDDD ",
    "10.D.DD.7\n", "fe80::DD:DDDD ", "DE89 3704 0044 0532 0130 00 ", "tel ", "ssn ", "call ", "card ", "DDDDDDDDD", "DDDDDDDDDDDDDDDDDDDD",
    "W@W.com ", "W.W@W.example", "日本語", "é", "密码：V ", "пароль: V ", "＠", "<MASK_EMAIL_1>", "[REDACTED_W]",
    "password", "password=", "password: V\n", "PASSWORD=\"V\" ", "api_key", "api_key_V ", "token ", "token: ", "secret V ", "auth0 ",
    "secret-access-key_", "key: ", "DB_PASSWORD=V\n", "\"password\": \"V\",", "{\"client_secret\": \"V\"}", "x-auth-key_V ", "mysql -pV ",
    "name: DB_PASSWORD\n  value: V\n", "<password>V</password>", "passwords: [\"V\", ", "passwords:\n- V\n- V\n", "- V\n", "\"V\", ",
    "curl -u W:V ", "https://W:V@W.com/ ", "://", "bearer V ", "Basic V== ", "Authorization: Token V\n", "eyJhbGciOiJV.eyJV.V", "eyJ",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIV\n", "-----END RSA PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----", "LS0tLS1CRUdJTi",
    "{\"kty\":\"RSA\",\"d\":\"VVVV\"}", "\"kty\"", "name,password\nW,V\n", "name,password\n", "W,V\n", "phone,ssn\n", "| W | password |\n|---|---|\n",
    "| W | V |\n", "(W, password) VALUES ('W', 'V'), ", "('W', 'V'),", "phone\tW\nDDDDDDDDDD\tV\n", "DDDDDDDDDD\t", "ghp_", "sk-V ", "AKIA", "xoxb-DDDDDDDDDDD-V ",
    "glpat-V ", "stripe ", "datadog V ", "twilio ", ":5432:", "h:5432:db:W:V\n", "login(W, \"V\")", "seed phrase: ", "V", "V ", "VVVVVVVV", "V+/",
];

/// A piece of text of that many parts.
fn piece(numbers: &mut Numbers, parts: usize) -> String {
    let mut text = String::new();
    for _ in 0..parts {
        for letter in numbers.one_of(PARTS).chars() {
            match letter {
                'V' => text.push_str(&numbers.letters(MIXED, 16)),
                'D' => text.push_str(&numbers.letters("0123456789", 1)),
                'W' => text.push_str(&numbers.letters("abcdefghijklmnopqrstuvwxyz", 5)),
                other => text.push(other),
            }
        }
    }
    text
}

/// A unit again and again, which begins and ends anywhere in it.
fn repeat(numbers: &mut Numbers) -> String {
    let parts = match numbers.below(4) {
        0 => 1,
        1 => numbers.within(2..4),
        2 => numbers.within(4..12),
        _ => numbers.within(12..80),
    };
    let unit = piece(numbers, parts);
    let length = numbers.within(40_000..130_000);
    let mut text = unit.repeat(length / unit.len() + 3);
    text.truncate(text.floor_char_boundary(length));
    let first = text.ceil_char_boundary(numbers.below(unit.len()));
    text.split_off(first)
}

/// Repeats with other text around them.
fn text(numbers: &mut Numbers) -> String {
    let mut text = String::new();
    for _ in 0..numbers.within(1..3) {
        let parts = numbers.below(40);
        text.push_str(&piece(numbers, parts));
        text.push_str(&repeat(numbers));
    }
    let parts = numbers.below(40);
    text.push_str(&piece(numbers, parts));
    text
}

/// What is found in a text, with what `change` makes of its repeats.
fn found(text: &str, change: impl Fn(&mut Vec<Repeat>)) -> Vec<Detection> {
    let grams = anchors::grams();
    let mut found = Vec::new();
    let mut pass = Pass::new(text, &mut found);
    change(&mut pass.repeats);
    scan::scan(&mut pass, &grams);
    found.sort_by(|one, other| {
        let key = |found: &Detection| (found.start, found.end, found.rule, found.score);
        key(one).cmp(&key(other))
    });
    found
}

fn differing(seeds: Range<u64>) -> String {
    let mut report = String::new();
    for seed in seeds {
        let text = text(&mut Numbers::seeded(seed));
        let passes_over_none =
            |repeats: &mut Vec<Repeat>| repeats.iter_mut().for_each(|repeat| repeat.last = 0);
        let (expected, got) = (found(&text, passes_over_none), found(&text, |_| ()));
        if expected != got {
            let first = expected
                .iter()
                .zip(&got)
                .position(|(one, other)| one != other);
            let first = first.unwrap_or(expected.len().min(got.len()));
            let at = expected
                .get(first)
                .or(got.get(first))
                .map_or(0, |found| found.start);
            let around = text.floor_char_boundary(at.saturating_sub(100))
                ..text.ceil_char_boundary(text.len().min(at + 100));
            let _ = writeln!(
                report,
                "seed {seed}: {} for {} in {}, {:?}, {:?} for {:?} at {:?}",
                got.len(),
                expected.len(),
                text.len(),
                find(text.as_bytes()),
                got.get(first),
                expected.get(first),
                &text[around],
            );
        }
    }
    report
}

#[test]
fn what_is_passed_over_is_found() {
    let report = differing(0..300);
    assert!(report.is_empty(), "{report}");
}

/// Names before the end of a repeat, and those behind it, once had nothing left of what the repeat had used up.
#[test]
fn no_value_is_lost_where_bounds_begin_anew() {
    for seed in 0..400 {
        let text = text(&mut Numbers::seeded(seed));
        let mut hidden = vec![false; text.len()];
        for Detection { start, end, .. } in found(&text, |_| ()) {
            hidden[start..end].fill(true);
        }
        // Of values that are cut at their longest, the ends may lie elsewhere.
        let is_lost = |value: &Detection| !hidden[value.start..value.end].contains(&true);
        let lost = found(&text, Vec::clear).into_iter().find(is_lost);
        assert_eq!(lost, None, "seed {seed}");
    }
}

/// Marks of names near the end of the text once kept the scans for addresses and numbers from passing over anything.
#[test]
fn no_scan_is_held_up_by_the_marks_of_the_one_before() {
    let text = "password: k9QzX72mVb41\n".repeat(10_000);
    let mut found = Vec::new();
    let mut pass = Pass::new(&text, &mut found);
    scan::scan(&mut pass, &anchors::grams());
    let mut looked_at = 0;
    each_stretch(&mut pass, &mut |_, stretch| looked_at += stretch.len());
    assert!(looked_at < text.len() / 2, "{looked_at}");
}
