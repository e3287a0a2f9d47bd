//! A value that the session knows is masked in every spelling, and each spelling comes back.

use crate::support;

use std::slice::from_ref;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use engine::detect::{Allowed, AllowedValues, DetectorSettings};
use engine::{
    Detectors, Engine, EntityType, NoMemory, Operator, Restoring, Schema, Sensitive, Session,
    Settings, Surrogates,
};
use serde_json::{Value, json};
use support::accumulate::accumulate;
use support::events::{EVENTS, choice, chunk, stream};
use support::random::{Random, seeds};
use support::restore;

const VALUE: &str = "kT9/x&0815-Kx";

type Spelling = fn(&str) -> String;

fn each(value: &str, encode: fn(char) -> String) -> String {
    let letters = value.chars().map(|letter| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' => letter.to_string(),
        _ => encode(letter),
    });
    letters.collect()
}

fn broken(value: &str, by: &str) -> String {
    let (one, other) = value.split_at(4);
    format!("{one}{by}{other}")
}

/// All ways of writing a value that are read besides its own.
#[rustfmt::skip]
const SPELLINGS: &[(&str, Spelling)] = &[
    ("solidus", |value| value.replace('/', "\\/")),
    ("percent", |value| each(value, |c| format!("%{:02X}", u32::from(c)))),
    ("percent twice", |value| each(value, |c| format!("%25{:02x}", u32::from(c)))),
    ("entity", |value| each(value, |c| format!("&#x{:x};", u32::from(c)))),
    ("entity of an entity", |value| each(value, |c| format!("&amp;#{};", u32::from(c)))),
    ("unicode escape", |value| each(value, |c| format!("\\u{:04x}", u32::from(c)))),
    ("doubled escape", |value| each(value, |c| format!("\\\\u{:04x}", u32::from(c)))),
    ("byte escape", |value| each(value, |c| format!("\\x{:02x}", u32::from(c)))),
    ("escape in braces", |value| each(value, |c| format!("\\u{{{:x}}}", u32::from(c)))),
    ("percent of scripts", |value| each(value, |c| format!("%u{:04x}", u32::from(c)))),
    ("Markdown", |value| each(value, |c| format!("\\{c}"))),
    ("entity by name", |value| value.replace('&', "&amp;").replace('/', "&sol;")),
    ("colour", |value| broken(value, "\x1b[1;31m")),
    ("spelled colour", |value| broken(value, "\\033[31m")),
    ("no width", |value| broken(value, "\u{200b}")),
    ("direction", |value| broken(value, "\u{202a}")),
    ("joined letters", |value| broken(value, "\u{34f}")),
    ("variant", |value| value.replacen('9', "9\u{fe0f}", 1)),
    ("hyphen", |value| value.replace('-', "\u{2011}")),
    ("minus", |value| value.replace('-', "\u{2212}")),
    ("full width", |value| value.chars().filter_map(|c| char::from_u32(u32::from(c) + 0xFEE0)).collect()),
    ("entity in colour", |value| broken(&each(value, |c| format!("&#{};", u32::from(c))), "\x1b[0m")),
];

/// Ways of writing a value that are found without decoding a text.
#[rustfmt::skip]
const WRITTEN: &[(&str, Spelling)] = &[
    ("two lines", |value| cut(value, "\n")),
    ("two lines with an indent", |value| cut(value, "\r\n        ")),
    ("continued line", |value| cut(value, "\\\n    ")),
    ("joined strings", |value| cut(value, "\" + \"")),
    ("strings beside each other", |value| cut(value, "' '")),
    ("strings on two lines", |value| cut(value, "\" +\n      \"")),
    ("strings joined with dots", |value| cut(value, "' . '")),
    ("hex", |value| hex(value)),
    ("base64", |value| STANDARD_NO_PAD.encode(value)),
    ("base64 of a line", |value| STANDARD_NO_PAD.encode(format!("{value}\n"))),
    ("three pieces", |value| cut(&value.replacen('-', "-\n", 1), "\" \"")),
];

fn hex(value: &str) -> String {
    let nibbles = value.bytes().flat_map(|byte| [byte >> 4, byte & 15]);
    let digits = nibbles.filter_map(|nibble| char::from_digit(nibble.into(), 16));
    digits.collect()
}

const ENCODED: [&str; 3] = ["hex", "base64", "base64 of a line"];

fn cut(value: &str, by: &str) -> String {
    let (one, other) = value.split_at(8);
    format!("{one}{by}{other}")
}

fn engine_with(operator: Operator) -> Engine {
    Engine::new(Settings {
        operator,
        ..Settings::default()
    })
}

fn counting() -> Engine {
    engine_with(Operator::default())
}

/// What is sent of the texts, and what restores it.
fn masked(engine: &Engine, session: &mut Session, texts: &[String]) -> (Vec<String>, Restoring) {
    let messages = texts
        .iter()
        .map(|text| json!({"role": "user", "content": text}));
    let body = json!({"messages": messages.collect::<Vec<_>>()});
    let request = engine
        .request(Schema::ChatStyle, body.to_string().into_bytes())
        .expect("a request");
    let masked = request.mask(session, &NoMemory).expect("masked");
    let sent: Value = serde_json::from_slice(&masked.body.into_bytes()).expect("JSON");
    let sent = sent["messages"].as_array().expect("messages").iter();
    let sent = sent.map(|message| message["content"].as_str().expect("a text").to_owned());
    (sent.collect(), masked.restoring)
}

/// What a client reads when the model repeats a text, in a stream of these pieces.
fn streamed(restoring: &Restoring, pieces: &[String]) -> String {
    let events = pieces
        .iter()
        .map(|piece| chunk(&json!([choice(0, &json!({"content": piece}))])));
    let events = stream(Schema::ChatStyle, &events.collect::<Vec<_>>());
    let out = restore(restoring.reply(Some(EVENTS)), &[events.as_bytes()]);
    let out = String::from_utf8(out).expect("UTF-8");
    let read = accumulate(Schema::ChatStyle, out.as_bytes());
    read["choices"][0]["message"]["content"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// The same in one document.
fn whole(restoring: &Restoring, text: &str) -> String {
    let message = json!({"role": "assistant", "content": text});
    let body = json!({"choices": [{"index": 0, "message": message}]}).to_string();
    let out = restore(restoring.reply(None), &[body.as_bytes()]);
    let read: Value = serde_json::from_slice(&out).expect("JSON");
    read["choices"][0]["message"]["content"]
        .as_str()
        .expect("a text")
        .to_owned()
}

/// A password with a quote, a backslash or a tab was sent as it stands in code, in a log's JSON and in the strings of JSON; and
/// one that was learnt there, where it stands plainly.
#[test]
fn values_with_escapable_characters_are_masked_in_code_too() {
    #[rustfmt::skip]
    let pairs: &[(&str, &str, &[&str])] = &[
        ("DB_PASSWORD='pa\"ss9Kx77q'", r#"2026-01-01T00:00:00Z INFO {"cmd":"login pa\"ss9Kx77q"}"#, &["pa\\", "ss9Kx77q"]),
        ("DB_PASSWORD='pa\"ss9Kx77q'", r#"printf "pa\"ss9Kx77q""#, &["pa\\", "ss9Kx77q"]),
        (r"DB_PASSWORD='pa\ss9Kx77q'", r#"2026-01-01T00:00:00Z INFO {"cmd":"login pa\\ss9Kx77q"}"#, &["pa\\", "ss9Kx77q"]),
        ("password = \"pass9\tKx77q\"", r#"2026-01-01T00:00:00Z INFO {"cmd":"login pass9\tKx77q"}"#, &["pass9", "Kx77q"]),
        (r#"{"password":"pa\\ss9Kx77q"}"#, r#"{"log":"login pa\\\\ss9Kx77q now"}"#, &["pa\\", "ss9Kx77q"]),
        ("{\"customer_name\": \"Sinead O'Brien\", \"email\":\"s@firma.example\"}", r"INSERT INTO c VALUES ('Sinead O\'Brien');", &["Sinead", "Brien"]),
        (r#"password = "pa\"ss9Kx77q""#, "login pa\"ss9Kx77q now", &["login pa", "ss9Kx77q"]),
        (r"DB_PASSWORD='pa\'ss9Kx77q'", "type pa'ss9Kx77q there", &["type pa", "ss9Kx77q"]),
        (r#"DB_PASSWORD="kT9x\t0815-Kx""#, "see kT9x\t0815-Kx there", &["kT9x", "0815"]),
        (r#"api_secret: "GLa9i7Aenn\"HWY99""#, r#"log "{\"text\": \"\\\"see GLa9i7Aenn\\\\\\\"HWY99 there\\\"\"}""#, &["GLa9", "HWY99"]),
    ];
    let engine = counting();
    for (first, second, parts) in pairs {
        let both = [(*first).to_owned(), (*second).to_owned()];
        let mut session = Session::new();
        let (sent, restoring) = masked(&engine, &mut session, &both);
        for part in *parts {
            assert!(!sent[1].contains(part), "{first} | {second}: {}", sent[1]);
        }
        // In JSON that was not asked for, values come back without its escapes.
        if serde_json::from_str::<Value>(second).is_err() {
            assert_eq!(whole(&restoring, &sent[1]), *second, "{}", sent[1]);
        }
        let (again, _) = masked(&engine, &mut session, &both);
        assert_eq!(again, sent, "{first} | {second}");
        let mut later = Session::new();
        masked(&engine, &mut later, from_ref(&both[0]));
        let (sent, _) = masked(&engine, &mut later, from_ref(&both[1]));
        for part in *parts {
            assert!(
                !sent[0].contains(part),
                "later: {first} | {second}: {}",
                sent[0]
            );
        }
    }
}

/// Names of files on macOS were sent, and names that such a file had told.
#[test]
fn combining_and_precomposed_letters_match() {
    let engine = counting();
    let (composed, apart) = ("Jürgen Müller", "Ju\u{308}rgen Mu\u{308}ller");
    for [first, second] in [[composed, apart], [apart, composed]] {
        let texts = [
            format!("{{\"customer_name\": \"{first}\"}}"),
            format!("ls: {second}.pdf, \u{308}"),
        ];
        let (sent, restoring) = masked(&engine, &mut Session::new(), &texts);
        assert!(!sent.concat().contains("ller"), "{sent:?}");
        assert_eq!(whole(&restoring, &sent[1]), texts[1]);
    }
}

/// A number went out as a table keeps it.
#[test]
fn a_known_number_is_masked_without_separators() {
    let engine = counting();
    for (first, second) in [
        ("SSN: 943-43-3537", "row 17: 943433537, 1"),
        ("bank account number: 1234-5678-90", "select 1234567890"),
    ] {
        let texts = [first, second].map(str::to_owned);
        let (sent, restoring) = masked(&engine, &mut Session::new(), &texts);
        assert!(sent[1].contains("<MASK_"), "{sent:?}");
        assert_eq!(whole(&restoring, &sent[1]), second);
    }
}

/// From four layers of JSON on, the backslashes before a letter split the name that it stands in.
#[test]
fn unicode_escapes_are_read_under_many_json_layers() {
    let engine = counting();
    let mut text =
        json!({"customer": "Jürgen Müller 😀", "mail": "jürgen@firma.example"}).to_string();
    for depth in 0..10 {
        text = text
            .chars()
            .map(|c| {
                if c.is_ascii() {
                    c.to_string()
                } else {
                    escaped(c)
                }
            })
            .collect();
        for text in [text.clone(), format!("log: {text} ends")] {
            let mut session = Session::new();
            let (sent, restoring) = masked(&engine, &mut session, from_ref(&text));
            for part in ["rgen", "ller", "firma"] {
                assert!(!sent[0].contains(part), "{depth}: {}", sent[0]);
            }
            let restored = whole(&restoring, &sent[0]);
            assert!(!restored.contains("MASK_"), "{depth}: {restored}");
        }
        text = json!(text).to_string();
    }
    for escape in ["u00e", "u", "x4", "ud83d", "e[0", "\""] {
        let text = "\\".repeat(1 << 18) + escape;
        let text = text.clone() + &text;
        assert_eq!(engine.mask_text(&text, &mut Session::new()), text);
    }
}

/// A character as JSON in ASCII writes it.
fn escaped(c: char) -> String {
    let mut units = [0; 2];
    let units = c.encode_utf16(&mut units).iter();
    let units = units.map(|unit| format!("\\u{unit:04x}"));
    units.collect()
}

/// A password from a file went out where a URL, a page or a terminal showed it.
#[test]
fn a_known_value_is_masked_in_every_other_spelling_and_restored() {
    let anchor = Some(Sensitive::new(b"secret".to_vec()));
    for operator in [Operator::default(), Operator::Pseudonym { anchor }] {
        let engine = engine_with(operator);
        for (name, spell) in SPELLINGS {
            let spelled = spell(VALUE);
            let texts = [
                format!("before: {spelled} there"),
                format!("DB_PASSWORD='{VALUE}'\n"),
                format!("is {spelled} here, \"{spelled}\" and {VALUE}"),
            ];
            let (sent, restoring) = masked(&engine, &mut Session::new(), &texts);
            for (text, sent) in texts.iter().zip(&sent) {
                let parts = [&spelled, VALUE, "Kx"];
                assert!(
                    parts.iter().all(|part| !sent.contains(*part)),
                    "{name}: {sent}"
                );
                assert_eq!(whole(&restoring, sent), *text, "{name}: {sent}");
                let pieces: Vec<_> = sent.chars().map(String::from).collect();
                assert_eq!(streamed(&restoring, &pieces), *text, "{name}: {sent}");
            }
            assert_eq!(sent[0].matches("<MASK_").count(), 1, "{name}: {sent:?}");
            assert_eq!(sent[2].matches("<MASK_").count(), 3, "{name}: {sent:?}");
        }
    }
}

/// The second request says nothing about what the value is.
#[test]
fn later_requests_mask_session_values_in_other_spellings() {
    let (mut session, engine) = (Session::new(), counting());
    masked(&engine, &mut session, &[format!("DB_PASSWORD='{VALUE}'")]);
    for (name, spell) in SPELLINGS {
        let text = format!("see {} there", spell(VALUE));
        let (sent, restoring) = masked(&engine, &mut session, from_ref(&text));
        assert!(sent[0].starts_with("see <MASK_SECRET_"), "{name}: {sent:?}");
        assert_eq!(whole(&restoring, &sent[0]), text, "{name}");
        let (again, _) = masked(&engine, &mut session, &[text]);
        assert_eq!(sent, again, "{name}");
    }
    let redacting = engine_with(Operator::Redact);
    for (name, spell) in SPELLINGS {
        let text = format!("see {} there", spell(VALUE));
        let (sent, _) = masked(
            &redacting,
            &mut Session::new(),
            &[text, format!("DB_PASSWORD='{VALUE}'")],
        );
        assert_eq!(sent[0], "see [REDACTED_SECRET] there", "{name}");
    }
}

/// Each of them passed.
#[test]
fn split_or_encoded_known_values_are_masked() {
    let engine = counting();
    for (name, spell) in WRITTEN {
        let spelled = spell(VALUE);
        let texts = [
            format!("run \"{spelled}\" now"),
            format!("DB_PASSWORD='{VALUE}'\n"),
            format!("and '{spelled}'\nand {VALUE}"),
        ];
        let (sent, restoring) = masked(&engine, &mut Session::new(), &texts);
        for (text, sent) in texts.iter().zip(&sent) {
            assert!(
                !sent.contains("08") && !sent.contains("15-"),
                "{name}: {sent}"
            );
            assert_eq!(whole(&restoring, sent), *text, "{name}");
        }
        // What depends on the next byte stays.
        let longest = "run \"<MASK_SECRET_2>xx\" now".len();
        assert!(
            sent[0].starts_with("run \"<MASK_SECRET_") && sent[0].len() <= longest,
            "{name}: {sent:?}"
        );
        assert_eq!(sent[2].matches("<MASK_").count(), 2, "{name}: {sent:?}");

        let mut session = Session::new();
        masked(&engine, &mut session, &texts[1..2]);
        let (later, restoring) = masked(&engine, &mut session, &texts[..1]);
        assert!(
            later[0].starts_with("run \"<MASK_SECRET_2>"),
            "{name}: {later:?}"
        );
        assert_eq!(whole(&restoring, &later[0]), texts[0], "{name}");
    }
}

#[test]
fn person_names_are_masked_in_all_upper_or_lower_case() {
    let name = "Annika Sommerfeldt";
    let texts = [
        format!("logs/annika sommerfeldt.txt by {}", name.to_uppercase()),
        format!("Dear {name},\nthank you."),
    ];
    let (sent, restoring) = masked(&counting(), &mut Session::new(), &texts);
    assert!(!sent.concat().to_lowercase().contains("sommer"), "{sent:?}");
    assert_eq!(whole(&restoring, &sent[0]), texts[0]);
}

/// What stands between the pieces is too much for a cut, or none.
#[test]
fn unrelated_pieces_of_a_known_value_are_left() {
    let (one, other) = VALUE.split_at(8);
    for between in ["\n\n", "\" + x + \"", "\", \"", " ", "\"+\"", "\n"] {
        let is_cut = matches!(between, "\"+\"" | "\n");
        let texts = [
            format!("DB_PASSWORD='{VALUE}'"),
            format!("see {one}{between}{other}"),
        ];
        let (sent, _) = masked(&counting(), &mut Session::new(), &texts);
        assert_eq!(sent[1] == texts[1], !is_cut, "{between}: {sent:?}");
    }
}

/// Arguments that are cut off, JSON in a string, the name of a member, and a header.
#[test]
fn a_known_value_is_masked_wherever_and_however_spelled() {
    for (name, spell) in SPELLINGS {
        let spelled = spell(VALUE);
        let escaped = json!(spelled).to_string();
        let cut_off = format!("{{\"url\": {}", escaped.trim_end_matches('"'));
        let held = json!({"seen": [spelled], "about": {&*spelled: 1}}).to_string();
        let body = json!({"messages": [
            {"role": "assistant", "tool_calls": [
                {"id": "b", "type": "function", "function": {"name": "run", "arguments": cut_off}},
                {"id": "c", "type": "function", "function": {"name": "run", "arguments": held}},
            ]},
            {"role": "tool", "tool_call_id": "c", "content": held},
            {"role": "user", "content": format!("DB_PASSWORD='{VALUE}'")},
        ]});
        let engine = counting();
        let request = engine
            .request(Schema::ChatStyle, body.to_string().into_bytes())
            .expect("a request")
            .with_metadata_header(&json!({"branch": spelled}).to_string());
        let masked = request
            .mask(&mut Session::new(), &NoMemory)
            .expect("masked");
        let sent = String::from_utf8(masked.body.into_bytes()).expect("UTF-8");
        assert_eq!(sent.matches("<MASK_SECRET_").count(), 6, "{name}: {sent}");
        assert!(!sent.contains("0815"), "{name}: {sent}");
        let header = masked.metadata_header.expect("a header");
        assert!(
            header.starts_with(r#"{"branch":"<MASK_SECRET_"#),
            "{name}: {header}"
        );
        assert_eq!(request.locate(&NoMemory).len(), 6, "{name}");
    }
}

/// A password in a URL is percent-encoded there, and nowhere else.
#[test]
fn the_decoded_form_of_a_known_value_is_masked() {
    let texts = [
        "https://db.internal/x?key=kT9%2Fx%260815-Kx&page=2".to_owned(),
        format!("psql -U app, then type {VALUE} or kT9&#47;x&amp;0815-Kx"),
    ];
    let (sent, restoring) = masked(&counting(), &mut Session::new(), &texts);
    assert!(!sent.concat().contains("0815"), "{sent:?}");
    assert_eq!(sent[1].matches("<MASK_").count(), 2, "{sent:?}");
    for (text, sent) in texts.iter().zip(&sent) {
        assert_eq!(whole(&restoring, sent), *text);
    }
}

#[test]
fn respelled_plain_words_are_masked_only_as_whole_words() {
    for (text, expected) in [
        ("a%20correcthorse%62attery%20b", "a%20<MASK_SECRET_2>%20b"),
        (
            "a%20uncorrecthorse%62attery%20b",
            "a%20uncorrecthorse%62attery%20b",
        ),
    ] {
        let texts = ["password: correcthorsebattery", text].map(str::to_owned);
        let (sent, _) = masked(&counting(), &mut Session::new(), &texts);
        assert_eq!(sent[1], expected);
    }
}

#[test]
fn allowed_values_are_left_in_every_spelling() {
    let mut session = Session::new();
    masked(
        &counting(),
        &mut session,
        &[format!("DB_PASSWORD='{VALUE}'")],
    );
    let allowing = DetectorSettings {
        allow: vec![Allowed {
            entity: None,
            values: AllowedValues::Exact(VALUE.to_owned()),
        }],
        ..DetectorSettings::default()
    };
    let allowing = Engine::new(Settings {
        detectors: Detectors::new(&allowing).expect("detectors"),
        ..Settings::default()
    });
    for (name, spell) in SPELLINGS {
        let text = format!("see {} there", spell(VALUE));
        let (sent, _) = masked(&allowing, &mut session, from_ref(&text));
        assert_eq!(sent, [text], "{name}");
    }
}

/// It was masked because a known address begins it.
#[test]
fn an_allowed_address_starting_like_a_known_one_is_left() {
    let allowing = DetectorSettings {
        allow: vec![Allowed {
            entity: None,
            values: AllowedValues::Exact("bob@corp.dev".to_owned()),
        }],
        ..DetectorSettings::default()
    };
    let allowing = Engine::new(Settings {
        detectors: Detectors::new(&allowing).expect("detectors"),
        ..Settings::default()
    });
    let texts = ["mail bob@corp.de", "https://shop.example/?m=bob@corp.dev"].map(str::to_owned);
    let (sent, _) = masked(&allowing, &mut Session::new(), &texts);
    assert_eq!(sent, ["mail <MASK_EMAIL_1>", &*texts[1]]);
}

/// A surrogate of a spelling would read as another value.
#[test]
fn other_spellings_get_tokens_instead_of_surrogates() {
    let own = DetectorSettings {
        patterns: vec![(EntityType::EMAIL, r"mail=(?P<value>\S+)".to_owned())],
        ..DetectorSettings::default()
    };
    let key = Sensitive::new(b"surrogates of a test".to_vec());
    let engine = Engine::new(Settings {
        detectors: Detectors::new(&own).expect("detectors"),
        operator: Operator::Surrogate(Surrogates::new(key)),
        ..Settings::default()
    });
    let texts = [
        "mail=anna@firma.de".to_owned(),
        "to anna%40firma.de and anna@firma.de".to_owned(),
    ];
    let (sent, restoring) = masked(&engine, &mut Session::new(), &texts);
    assert!(sent[1].starts_with("to <MASK_EMAIL_"), "{sent:?}");
    assert!(!sent.concat().contains("firma"), "{sent:?}");
    for (text, sent) in texts.iter().zip(&sent) {
        assert_eq!(whole(&restoring, sent), *text);
    }
}

/// Messages that reveal values, show them in other spellings before and after, or both.
fn history(random: &mut Random) -> Vec<String> {
    let messages = (0..12).map(|_| {
        let value = format!("kT{0}/x&0815-Kx{0}", random.below(4));
        // Hex and base64 may also be taken for secrets by themselves, later in the history.
        let is_cut = |(name, _): &&(&str, Spelling)| !ENCODED.contains(name);
        let cut = WRITTEN.iter().filter(is_cut);
        let all: Vec<_> = SPELLINGS.iter().chain(cut).copied().collect();
        let (_, spell) = random.pick(&all);
        let spelled = spell(&value);
        match random.below(6) {
            0 => format!("DB_PASSWORD='{value}'\n"),
            1 => format!("  7\tsee {spelled}\n  8\tand {value}\n  9\tso\n"),
            2 => format!("mail user{}@example.com about {spelled}", random.below(9)),
            3 => format!("https://db.internal/x?key={spelled}&page=2"),
            4 => format!("cut off: \"{spelled}"),
            _ => format!("{spelled} {value}"),
        }
    });
    messages.collect()
}

/// Spellings that a later message reveals would be numbered behind all else, and anew with each turn.
#[test]
fn a_longer_history_never_renumbers_spellings() {
    let engine = counting();
    for seed in seeds(100) {
        let mut random = Random::new(seed);
        let messages = history(&mut random);
        let mut tokens = Vec::new();
        for length in 1..=messages.len() {
            let texts = &messages[..length];
            let mut session = Session::new();
            let (sent, restoring) = masked(&engine, &mut session, texts);
            let known = session.mappings().map(|mapping| {
                let value = mapping.value().expose().clone();
                (mapping.id().to_owned(), value)
            });
            let known: Vec<_> = known.collect();
            assert_eq!(tokens, known[..tokens.len()], "seed {seed}: {texts:#?}");
            for (text, sent) in texts.iter().zip(&sent) {
                assert_eq!(whole(&restoring, sent), *text, "seed {seed}: {sent}");
                let pieces = random.pieces(sent, 9);
                assert_eq!(streamed(&restoring, &pieces), *text, "seed {seed}: {sent}");
            }
            let (again, _) = masked(&engine, &mut session, texts);
            assert_eq!(sent, again, "seed {seed}");
            tokens = known;
        }
    }
}

/// JSON that is cut off ends a value in two ways, and what the second mask found was new to the first.
#[test]
fn values_learnt_while_masking_are_masked_immediately() {
    let engine = counting();
    for text in [
        r#"{"Pass":"\"Psake\\"Psake\\"#,
        r#"{"{\"pass\":\"Fake\\\"Pas"Fake\"PasFake\\\"Pas"#,
    ] {
        let mut session = Session::new();
        let masked = engine.mask_text(text, &mut session);
        assert_eq!(engine.mask_text(text, &mut session), masked, "{text}");
    }
}

/// Passwords with a quote reached the provider in SQL, CSV and commands.
#[test]
fn known_values_are_masked_in_their_quoted_spellings() {
    let quoted = [
        ("q'zTr0ub4dor-x", "UPDATE u SET p = 'q''zTr0ub4dor-x';"),
        ("q'zTr0ub4dor-x", r"run 'q'\''zTr0ub4dor-x' now"),
        ("q'zTr0ub4dor-x", "run 'q'\"'\"'zTr0ub4dor-x' now"),
        ("pa$$w0rd-Kx9", "echo pa$$$$w0rd-Kx9"),
        ("pa$$w0rd-Kx9", r#"echo "pa\$\$w0rd-Kx9""#),
        ("q''zTr0ub4dor-x", "it is q'zTr0ub4dor-x"),
    ];
    for (value, text) in quoted {
        let texts = [format!("db_password = \"{value}\""), text.to_owned()];
        let (sent, restoring) = masked(&counting(), &mut Session::new(), &texts);
        let [_, text] = &texts;
        let [_, masked] = sent.as_slice() else {
            panic!("{sent:?}");
        };
        assert!(
            !masked.contains("zTr0ub4dor") && !masked.contains("w0rd"),
            "{masked}"
        );
        assert_eq!(whole(&restoring, masked), *text);
    }
}

/// A name in a link or in the name of a file reached the provider.
#[test]
fn known_names_are_masked_in_links_and_file_names() {
    let texts = [
        "Dear Anna Schmidt, how are you?",
        "https://net.example/in/anna-schmidt/",
        "cv/anna_schmidt.pdf and Anna_Schmidt.pdf",
        "ssh anna.schmidt",
        "https://net.example/?q=anna+schmidt and https://net.example/Anna%20Schmidt",
    ]
    .map(str::to_owned);
    let (sent, restoring) = masked(&counting(), &mut Session::new(), &texts);
    for (text, sent) in texts.iter().zip(&sent) {
        assert!(!sent.to_lowercase().contains("schmidt"), "{sent}");
        assert_eq!(whole(&restoring, sent), *text);
    }
}

/// `<MASK_EMAIL_1>v` said that `bob@corp.dev` is the address `bob@corp.de`.
#[test]
fn an_address_starting_with_a_known_one_gets_another_token() {
    let texts = [
        "mail bob@corp.de please",
        "https://bob@corp.developers.io/x",
        "https://shop.example/?m=bob@corp.de2",
        "https://bob@corp.de.",
    ]
    .map(str::to_owned);
    let (sent, restoring) = masked(&counting(), &mut Session::new(), &texts);
    let [_, longer, digit, same] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    assert!(
        longer.ends_with(">/x") && !longer.contains("_1>"),
        "{longer}"
    );
    assert!(digit.ends_with('>') && !digit.contains("_1>"), "{digit}");
    assert_eq!(same, "https://<MASK_EMAIL_1>.");
    for (text, sent) in texts.iter().zip(&sent) {
        assert_eq!(whole(&restoring, sent), *text);
    }
    let (shorter, _) = masked(&counting(), &mut Session::new(), &texts[..2]);
    assert_eq!(shorter, sent[..2]);
}

/// In what a text is read as, the rest of a longer address went out beside the token of the known one.
#[test]
fn an_address_containing_a_known_one_is_fully_masked() {
    let engine = counting();
    for text in [
        "postgres://⟦jimbob%40corp.de⟧:pw1Kx9qL@host/x",
        "postgres://⟦bob%40corp.dev⟧:pw1Kx9qL@host/x",
        "https://⟦bob&#64;corp.developers.io⟧/x",
        "https://shop.example/?m=⟦bob%40corp.de%32⟧",
        "⟦bob@corp.de%76⟧",
        r#"{"x":"https:\/\/⟦bob@corp.developers.io⟧\/x"}"#,
        r#"{"x":"https:\/\/⟦jimbob@corp.de⟧\/x"}"#,
    ] {
        let value = text.split(['⟦', '⟧']).nth(1).expect("an address");
        let written = text.replace(['⟦', '⟧'], "");
        let texts = ["mail bob@corp.de please".to_owned(), written.clone()];
        let mut session = Session::new();
        let (sent, restoring) = masked(&engine, &mut session, &texts);
        let mut mappings = session.mappings();
        let is_whole = mappings.any(|mapping| mapping.value().expose() == value);
        assert!(is_whole, "{written}: {sent:?}");
        assert_eq!(
            streamed(&restoring, &[sent[1].clone()]),
            written,
            "{}",
            sent[1]
        );
    }
    for text in [
        r"mail\nbob@corp.de\tx",
        "a%20bob@corp.de%20",
        r"\u003cbob@corp.de\u003e",
    ] {
        let texts = ["mail bob@corp.de please", text].map(str::to_owned);
        let (sent, _) = masked(&engine, &mut Session::new(), &texts);
        assert!(!sent[1].contains("bob"), "{}", sent[1]);
    }
}

/// Git and shells write the bytes of letters outside ASCII as octal numbers, YAML writes their code in two digits, HTML their names.
#[test]
fn letters_are_decoded_from_octal_hex_and_entities() {
    for text in [
        r#""Jos\303\251 Gie\303\237en.txt""#,
        r"name: 'Jos\xc3\xa9 Gie\xc3\x9fen'",
        r#"name: "Jos\xe9 Gie\xDFen""#,
        r#"{"out": "\"Jos\\303\\251 Gie\\303\\237en.txt\""}"#,
        "<td>Jos&eacute; Gie&szlig;en</td>",
        "title=Jos&amp;eacute; Gie&amp;szlig;en",
    ] {
        let texts = ["{\"customer\": \"José Gießen\"}", text].map(str::to_owned);
        let (sent, _) = masked(&counting(), &mut Session::new(), &texts);
        assert!(
            !sent[1].contains("Jos") && !sent[1].contains("Gie"),
            "{}",
            sent[1]
        );
    }
}

#[test]
fn an_address_is_masked_across_escaped_or_soft_line_breaks() {
    for text in [
        r"write to alice@exam\nple.com",
        r"write to alice@exam\r\n    ple.com",
        "write to alice@exam=\nple.com",
        "Content-Transfer-Encoding: quoted-printable\n\nalice=40exam=\nple.com",
    ] {
        let texts = ["mail alice@example.com", text].map(str::to_owned);
        let (sent, restoring) = masked(&counting(), &mut Session::new(), &texts);
        assert!(!sent[1].contains("ple.com"), "{}", sent[1]);
        assert_eq!(whole(&restoring, &sent[1]), text);
    }
}

/// They were sent beside letters; parts of hashes are none.
#[test]
fn short_known_numbers_match_next_to_letters_not_in_hashes() {
    let texts = [
        "PIN code: 4711332",
        "see ID4711332X or pin_4711332",
        "commit 9f4711332ab7",
    ];
    let (sent, _) = masked(&counting(), &mut Session::new(), &texts.map(str::to_owned));
    assert_eq!(sent[1], "see ID<MASK_SECRET_1>X or pin_<MASK_SECRET_1>");
    assert_eq!(sent[2], texts[2]);
}

/// The lines that `sed -n 2,3p key.pem` shows, and the whole key in one line, went out beside the masked key.
#[test]
fn lines_of_a_known_private_key_are_masked_however_they_are_wrapped() {
    let mut random = Random::new(7);
    let bytes: Vec<u8> =
        std::iter::repeat_with(|| u8::try_from(random.below(256)).unwrap_or_default())
            .take(500)
            .collect();
    let body = STANDARD_NO_PAD.encode(bytes);
    let wrapped = |width: usize, by: &str| {
        let lines = body.as_bytes().chunks(width);
        let lines: Vec<_> = lines.map(String::from_utf8_lossy).collect();
        lines.join(by)
    };
    let lines = wrapped(64, "\n");
    let some: Vec<_> = lines.lines().skip(2).take(3).collect();
    let last = lines.lines().last().unwrap_or_default();
    let key = |lines: &str, by: &str| {
        format!("-----BEGIN RSA PRIVATE KEY-----{by}{lines}{by}-----END RSA PRIVATE KEY-----")
    };
    for known in [key(&lines, "\n"), key(&wrapped(64, "\\n"), "\\n")] {
        let texts = [
            known,
            format!("the lines\n{}\n", some.join("\n")),
            format!("it ends with\n{last}\n"),
            format!("KEY={body}"),
            wrapped(76, "\n"),
            wrapped(40, "\n> "),
            wrapped(24, "\n  | "),
            format!("half a line: {} and {}", &some[0][32..], &some[1][..32]),
        ];
        let (sent, restoring) = masked(&counting(), &mut Session::new(), &texts);
        for (text, sent) in texts.iter().zip(&sent) {
            let is_open = |at: usize| sent.contains(&body[at..at + 16]);
            assert!(!(0..body.len() - 16).any(is_open), "{sent}");
            assert_eq!(whole(&restoring, sent), *text);
        }
    }
}

/// Values of many kinds, each with what reveals it.
const REVEALED: &[(&str, &str)] = &[
    ("DB_PASSWORD='⟦kT9/x&0815-Kx⟧'", "0815"),
    ("DB_PASSWORD='⟦José9Kx-qL7⟧'", "9Kx-"),
    ("password=⟦Zx9kL\"pq3vW7⟧", "9kL"),
    ("mail ⟦alice.meyer@example.com⟧ please", "meyer"),
    ("{\"customer\": \"⟦Zoë Gießen⟧\"}", "Gie"),
    ("SSN: ⟦943-43-3537⟧", "3537"),
];

/// The bytes of letters outside ASCII, as Git writes them.
fn octal(value: &str) -> String {
    let bytes = value.bytes().map(|byte| {
        if byte.is_ascii() {
            char::from(byte).to_string()
        } else {
            format!("\\{byte:03o}")
        }
    });
    bytes.collect()
}

/// Letters outside ASCII by their code, as YAML writes them.
fn by_code(value: &str) -> String {
    let letters = value.chars().map(|c| match u32::from(c) {
        code @ 0x80..=0xff => format!("\\x{code:02x}"),
        _ => c.to_string(),
    });
    letters.collect()
}

/// A value in some spelling, between signs, in JSON of some depth: what a model may answer with.
fn answer(random: &mut Random, value: &str) -> String {
    const SIGNS: &[&str] = &[
        " ", "\n", "(", ")", ": ", "=", "; ", "'", "`", "<b>", "</b>", "\t", "|", "> ", "**", "/",
    ];
    const OWN: &[Spelling] = &[
        |value| value.to_owned(),
        |value| octal(value),
        |value| by_code(value),
        |value| json!(value).to_string(),
    ];
    // These encode every letter of every value.
    const ANY: [&str; 4] = ["percent", "entity", "unicode escape", "full width"];
    let any = SPELLINGS.iter().filter(|(name, _)| ANY.contains(name));
    let any: Vec<Spelling> = any
        .map(|(_, spell)| *spell)
        .chain(OWN.iter().copied())
        .collect();
    let spell = *random.pick(&any);
    let (before, after) = (*random.pick(SIGNS), *random.pick(SIGNS));
    let mut text = format!("so it is{before}{}{after}here", spell(value));
    for _ in 0..random.below(3) {
        text = json!({"command": text}).to_string();
    }
    text
}

/// A model answers with a known value in any spelling; the next request, which holds the answer, does not.
#[test]
fn known_values_in_model_answers_are_masked() {
    let anchor = Some(Sensitive::new(b"secret".to_vec()));
    let operators = [
        Operator::default(),
        Operator::Pseudonym { anchor },
        Operator::Redact,
    ];
    for operator in operators {
        let restores = operator.restores();
        let engine = engine_with(operator);
        for seed in seeds(600) {
            let random = &mut Random::new(seed);
            let (reveals, part) = *random.pick(REVEALED);
            let value = reveals.split(['⟦', '⟧']).nth(1).expect("a value");
            let reveals = reveals.replace(['⟦', '⟧'], "");
            let answer = answer(random, value);
            let texts = [reveals, answer.clone()];
            let mut session = Session::new();
            let (sent, restoring) = masked(&engine, &mut session, &texts);
            assert!(
                !sent[1].contains(part),
                "seed {seed}: {answer} => {}",
                sent[1]
            );
            if restores && !answer.starts_with('{') {
                assert_eq!(
                    streamed(&restoring, &random.pieces(&sent[1], 9)),
                    answer,
                    "seed {seed}"
                );
            }
            let (again, _) = masked(&engine, &mut session, &texts);
            assert_eq!(again, sent, "seed {seed}");
        }
    }
}
