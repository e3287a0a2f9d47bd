//! Values that masking itself joins, each of which is a part of the next one: whatever their number and order, none of
//! them is sent, and the same request is masked to the same bytes.

#[allow(dead_code, reason = "each test uses its part")]
use crate::support::random;

use engine::detect::DetectorSettings;
use engine::{
    Detectors, Engine, EntityType, NoMemory, Operator, Schema, Sensitive, Session, Settings,
};
use random::Random;
use serde_json::{Value, json};

const PASSWORD: &str = "KT9x-Q0815-Kx";

/// Finds four letters, which are too few to be known anywhere else.
fn engine(operator: Operator) -> Engine {
    let short = EntityType::parse("SHORT").expect("a type");
    let settings = DetectorSettings {
        patterns: vec![(short, "@(?P<value>.{4})".to_owned())],
        ..DetectorSettings::default()
    };
    Engine::new(Settings {
        detectors: Detectors::new(&settings).expect("detectors"),
        operator,
        ..Settings::default()
    })
}

fn masked(engine: &Engine, session: &mut Session, texts: &[String]) -> Vec<String> {
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
    sent.collect()
}

/// The password behind ever more pairs of letters.
fn chain(links: usize) -> Vec<String> {
    let mut all = vec![PASSWORD.to_owned()];
    for (letter, link) in ('a'..='z').cycle().zip(0..links) {
        let pair = format!("{letter}{}", link % 10);
        let longest = all.last().expect("the password");
        all.push(format!("{pair}{longest}"));
    }
    all
}

/// Each of them found through the one before, in order.
fn found_in_order(chain: &[String]) -> Vec<String> {
    let joined = chain.iter().skip(1).map(|value| format!("see @{value}"));
    let first = format!("DB_PASSWORD={PASSWORD}");
    std::iter::once(first).chain(joined).collect()
}

/// From the third one on their ends were sent, and got other numbers in the next request; under `redact` from the first.
#[test]
fn chains_of_any_length_are_masked_completely_and_consistently() {
    let anchor = Some(Sensitive::new(b"anchor".to_vec()));
    let operators = [
        Operator::default(),
        Operator::Pseudonym { anchor },
        Operator::Redact,
    ];
    let engines = operators.map(engine);
    for (seed, engine) in (0..90).zip(engines.iter().cycle()) {
        let mut random = Random::new(seed);
        let chain = chain(1 + random.below(14));
        let mut texts = found_in_order(&chain);
        for _ in 0..4 {
            let value = &chain[random.below(chain.len())];
            texts.push(format!("and {value} again"));
        }
        for at in (1..texts.len()).rev() {
            texts.swap(at, random.below(at + 1));
        }
        let mut session = Session::new();
        let sent = masked(engine, &mut session, &texts);
        for (sent, text) in sent.iter().zip(&texts) {
            let bare = |prefix: &str, suffix: &str| {
                let token = sent.strip_prefix(prefix)?.strip_suffix(suffix)?;
                let is_one = token.find(['>', ']']) == Some(token.len() - 1);
                let begins = |head| token.starts_with(head);
                Some(is_one && (begins("<MASK_") || begins("[REDACTED_")))
            };
            let is_masked = bare("see @", "")
                .or_else(|| bare("and ", " again"))
                .or_else(|| bare("DB_PASSWORD=", ""));
            assert_eq!(is_masked, Some(true), "{seed}: {text} in {texts:?}");
        }
        assert_eq!(sent, masked(engine, &mut session, &texts), "{seed}: again");
        let anew = masked(engine, &mut Session::new(), &texts);
        assert_eq!(sent, anew, "{seed}: in another session");
    }
}

#[test]
fn a_longer_history_does_not_renumber_a_chain() {
    let engine = engine(Operator::default());
    let mut texts = found_in_order(&chain(9));
    texts.push("API_PASSWORD='other-99-zzQ'".to_owned());
    let whole = masked(&engine, &mut Session::new(), &texts);
    for length in 1..texts.len() {
        let shorter = masked(&engine, &mut Session::new(), &texts[..length]);
        assert_eq!(shorter, whole[..length], "{length}");
    }
}

/// What can't be read often enough is refused, and never sent in part.
#[test]
fn a_chain_that_takes_too_long_is_refused() {
    let engine = engine(Operator::default());
    let mut texts = found_in_order(&chain(12));
    texts.reverse();
    texts.push("nothing of note ".repeat(1 << 19));
    let messages = texts
        .iter()
        .map(|text| json!({"role": "user", "content": text}));
    let body = json!({"messages": messages.collect::<Vec<_>>()}).to_string();
    let request = engine.request(Schema::ChatStyle, body.into_bytes());
    let refused = request
        .expect("a request")
        .mask(&mut Session::new(), &NoMemory);
    assert_eq!(refused.err(), Some(engine::Error::ScanFailed));
    let sent = engine.mask_text(&texts.join("\n"), &mut Session::new());
    assert_eq!(sent, "[REDACTED_LITERAL]");
}
