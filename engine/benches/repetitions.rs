//! Inputs designed to be slow, compared with agentic text: one table of inputs that repeat a piece,
//! and one of inputs that say something new each time, slowest first.
//!
//! `cargo bench -p maskproxy-engine --bench repetitions -- password` measures only the pieces that
//! contain `password`.

mod support;

use engine::Detectors;
use std::hint::black_box;
use std::time::{Duration, Instant};

const MEGABYTE: usize = 1_000_000;
/// The fastest of this many runs counts.
const RUNS: usize = 5;

/// Pieces that are repeated; placeholders such as `{x}` (see [`HOLES`]) are filled each time.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    // Ordinary text.
    "The quick brown fox jumps over the lazy dog, 12 times. ",
    // Signs.
    "@@", "(", "[[", "{", "\"", "'", "`", "\\\\", "\\n", "\\\"", "=", "--", "::", "$", "%s", "\n", " ", "<<", "é@é.",
    // Emphasis and forms.
    "_a ", "**A ", "_A1_ ", "**{w} {w}** ", "~~{x}~~ ", "a=+&", "{w}={w}+{w}&", "?{w}={w}+{w} ", "=+",
    // Addresses of mail.
    "a@", "a.b.c.d@", "{w}@{w}.com ", "日本語@例え。",
    // Numbers with each separator.
    "0", "x1", "1 ", "1-", "1.", "{d},{d},", "{d}/{d}/", "{d}:{d}:", "{d}\n", "-{d} -{d} ", "{d}{d}\t{d}{d}\t", "[{d}{d},{d}{d}{d},{dddd}],",
    "12 34 56 78 ", "100 200 300 400 ", "4111 1111 1111 1112 ", "{dddd} {dddd} {dddd} {dddd} ", "{dddd}{dddd} ",
    "4{d}{d}{d} {dddd} {dddd} {dddd} ", "{d}{d}{d}-{d}{d}-{dddd} ", "900-{d}{d}-{dddd} ", "{d}{d}{d}-{d}{d}{d}-{dddd} ", "0{d}{d} {d}{d} {d}{d} ",
    "+1 (", "(555) 1", "+49 {d}{d}{d} {dddd}{d}{d}{d}, ", "(0{d}{d}) {dddd} ", "tel {dddd}{d}{d}{d} ", "call 12 34 56 78 ",
    "{d}{d}/{d}{d}/{dddd} ", "2026-0{d}-1{d}T0{d}:1{d}:2{d}Z ", "{d}{d}.{d}{d}.{d}{d}.{d}{d} ", "version {d}.{d}.{d}.{d} ",
    "card {dddd} {dddd} {dddd} {dddd} ", "order {dddd}{dddd} ", "ssn {d}{dddd}{dddd} ", "DE89 3704 0044 0532 ",
    "a:", "abc:", "a::b::", "fe80::{hhhh}:", "{hhhh}:{hhhh}:", "0x{hhhh}{hhhh} ", "{hhhh}{hhhh}-{hhhh}-{hhhh}-{hhhh}-{hhhh}{hhhh}{hhhh} ",
    // Names without values.
    "key=", "password=", "token ", "auth0 ", "api_key_", "secret is ", "aws_key: ", "secret_access_key is ", "passwordpassword",
    "secretsecretsecret ", "api key api key ", "private key ", "key key key: ", "auth.token.session.key.", "\"key\": \"", "--password ",
    "&password=", "${PASSWORD:-", "пароль ", "密码", "login({w}, password)", "name,password\n", "password | token | key\n", "phone,mobile,ssn\n",
    // Names with values.
    "password={x} ", "password={x}\n", "password: \"{x}\",", "{\"password\": \"{x}\"},", "\"api_key\": \"{x}\",", "DB_PASSWORD={x}\n",
    "key: {x}\n", "key={hhhh}{hhhh}\n", "password={w}\n", "password = {w};\n", "token: {w} {w}\n", "secret {w} {w} {x} ", "token {x} ",
    "the password is {x} and ", "secret-access-key_a1b2c3d4e5f6g7h8 ", "x-auth-key_{x} ", "access_key_{x} ", "api_key token secret_{x} ", "KEY0_{x} ", "pubkey-_{x} ",
    "пароль: {x} ", "пароль_{x} ", "密码：{x} ", "contraseña es {x}. ", "パスワードは{x}です", "mot de passe est {x} ",
    "<password>{x}</password>", "<key>password</key><string>{x}</string>", "- name: DB_PASSWORD\n  value: {x}\n", "|password|{x}|\n",
    "name,password\nann,{x}\n", "INSERT INTO t (name, password) VALUES ('a', '{x}');\n", "('a', '{x}'), ", "?token={x}&", ";Password={x};",
    "\\\"key\\\":\\\"{x}\\\",", "process.env.TOKEN || \"{x}\"", "--token={x} ", "IDENTIFIED BY '{x}' ", "machine h login a password {x}\n",
    // Anchors and values of vendors, and other shapes.
    "ghp_", "sk-", "AKIA", "xoxb-{dddd}{dddd}{d}{d}-", "ghp_{x}{x}", "sk-{x}{x} ", "glpat-{x}", "datadog {x} ", "stripe datadog twilio ",
    "eyJ", "eyJ{x}.eyJ{x}.{x} ", "bearer ", "Bearer {x} ", "Basic {x}== ", "Authorization: Token {x}\n", "https://", "://:",
    "https://user:{x}@host/ ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----\nMII{x}{x}\n", "LS0tLS1CRUdJTi",
    "acme_{x}{x}_", "curl -u ", "curl -u a:{x} ", "mysql -p", "| chpasswd=", "| sudo -s {w} ", ":5432:", "h:5432:db:user:{x}\n",
    "HTTPBasicAuth(\"a\", \"{x}\")", "@tcp(", "{x}{x}", "{x}+/",
];

/// The content of a placeholder: one of these characters for its letter, repeated as often as the
/// third number says.
const HOLES: &[(char, &str, usize)] = &[
    (
        'x',
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        16,
    ),
    ('w', "abcdefghijklmnopqrstuvwxyz", 8),
    ('d', "0123456789", 1),
    ('h', "0123456789abcdef", 1),
];

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let detectors = Detectors::built_in();
    let ordinary = speed(&detectors, &support::agentic_texts());
    print(&format!("agentic text: {ordinary:.0} MB/s"));
    let pieces = PIECES
        .iter()
        .filter(|piece| wanted.iter().all(|wanted| piece.contains(wanted)));
    let (same, new): (Vec<&str>, Vec<&str>) = pieces.partition(|piece| is_same(piece));
    print("\nThe same again and again:");
    report(&detectors, ordinary, same);
    print("\nSomething new each time:");
    report(&detectors, ordinary, new);
}

/// Whether a piece has no holes.
fn is_same(piece: &str) -> bool {
    let mut filled = String::new();
    fill(piece, &mut Numbers(0x5EED), &mut filled);
    filled == piece
}

fn report(detectors: &Detectors, ordinary: f64, pieces: Vec<&str>) {
    let measure = |piece| {
        let speed = speed(detectors, &[repeated(piece)]);
        (ordinary / speed, speed, piece)
    };
    let mut ratios: Vec<_> = pieces.into_iter().map(measure).collect();
    ratios.sort_by(|first, second| second.0.total_cmp(&first.0));
    for (ratio, speed, piece) in ratios {
        print(&format!("{ratio:6.2} times  {speed:6.1} MB/s  {piece:?}"));
    }
}

/// Megabytes scanned in a second.
#[expect(clippy::cast_precision_loss, reason = "a few megabytes")]
#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn speed(detectors: &Detectors, texts: &[String]) -> f64 {
    let bytes = texts.iter().map(String::len).sum::<usize>();
    let run = || {
        let begun = Instant::now();
        for text in texts {
            let mut found = Vec::new();
            detectors.detect(black_box(text), None, &mut found);
            black_box(found);
        }
        begun.elapsed()
    };
    let fastest = (0..RUNS).map(|_| run()).min().unwrap_or(Duration::MAX);
    bytes as f64 / 1e6 / fastest.as_secs_f64()
}

/// A megabyte of a piece.
fn repeated(piece: &str) -> String {
    let mut numbers = Numbers(0x5EED);
    let mut text = String::with_capacity(MEGABYTE + piece.len());
    while text.len() < MEGABYTE {
        fill(piece, &mut numbers, &mut text);
    }
    text
}

/// Appends a piece with its holes filled.
fn fill(piece: &str, numbers: &mut Numbers, text: &mut String) {
    let mut rest = piece;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let hole = after.split_once('}').and_then(|(hole, behind)| {
            let same = |letter: &char| hole.chars().all(|other| other == *letter);
            let (_, letters, count) = HOLES.iter().find(|(letter, ..)| same(letter))?;
            Some((letters, hole.len() * count, behind))
        });
        if let Some((letters, length, behind)) = hole {
            text.extend((0..length).filter_map(|_| numbers.one_of(letters)));
            rest = behind;
        } else {
            text.push('{');
            rest = after;
        }
    }
    text.push_str(rest);
}

/// A sequence of numbers that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn one_of(&mut self, letters: &str) -> Option<char> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let index = usize::try_from(self.0 >> 33).ok()? % letters.len();
        letters.as_bytes().get(index).copied().map(char::from)
    }
}

#[expect(clippy::print_stdout, reason = "a report")]
fn print(line: &str) {
    println!("{line}");
}
