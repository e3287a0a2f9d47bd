//! Tests whether values are found and masked, without a proxy.

use engine::detect::DetectorSettings;
use engine::{Engine, EntityType, NoMemory, Schema, Session};

use super::{Check, Outcome, wire};
use crate::cli::warning;
use crate::config::{Config, DetectorChoice};

/// A text for each built-in type, with the value that must be found in it. All of them are invented.
const SAMPLES: &[(EntityType, &str, &str)] = &[
    (
        EntityType::EMAIL,
        "Write to jo.doctor@example.org today.",
        "jo.doctor@example.org",
    ),
    (
        EntityType::PHONE,
        "Call +1 (415) 555-0132 now.",
        "+1 (415) 555-0132",
    ),
    (
        EntityType::CREDIT_CARD,
        "Card 4111 1111 1111 1111.",
        "4111 1111 1111 1111",
    ),
    (
        EntityType::IP_ADDRESS,
        "The host is 10.20.30.40.",
        "10.20.30.40",
    ),
    (EntityType::SSN, "SSN 536-22-8726", "536-22-8726"),
    (
        EntityType::API_KEY,
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    ),
    (
        EntityType::AUTH_TOKEN,
        "Authorization: Bearer q83vEjRWeJq83vEjRWeJAbCdEf",
        "q83vEjRWeJq83vEjRWeJAbCdEf",
    ),
    (
        EntityType::JWT,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkb2N0b3IifQ.c2lnbmF0dXJlLW9mLWEtZG9jdG9y",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkb2N0b3IifQ.c2lnbmF0dXJlLW9mLWEtZG9jdG9y",
    ),
    (
        EntityType::PRIVATE_KEY,
        "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n-----END PRIVATE KEY-----",
        "MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF",
    ),
    (
        EntityType::URL_CREDENTIAL,
        "postgres://app:Kq7vX2mPz9@db.example.org/app",
        "Kq7vX2mPz9",
    ),
    (
        EntityType::SECRET,
        "DB_PASSWORD=Kq7vX2mPz9wL",
        "Kq7vX2mPz9wL",
    ),
    (
        EntityType::IBAN,
        "Pay to DE89 3704 0044 0532 0130 00.",
        "DE89 3704 0044 0532 0130 00",
    ),
    (
        EntityType::BANK_ACCOUNT,
        "Account number: 12345678",
        "12345678",
    ),
    (EntityType::NATIONAL_ID, "DNI 12345678Z", "12345678Z"),
    (EntityType::PASSPORT, "Passport: C01X00T47", "C01X00T47"),
    (
        EntityType::DRIVER_LICENSE,
        "Driving licence number: MORGA657054SM9IJ",
        "MORGA657054SM9IJ",
    ),
    (EntityType::TAX_ID, "VAT number GB123456789", "GB123456789"),
    (
        EntityType::HEALTH_ID,
        "NHS number 943 476 5919",
        "943 476 5919",
    ),
    (
        EntityType::DATE_OF_BIRTH,
        "Date of birth: 12 March 1980",
        "12 March 1980",
    ),
    (
        EntityType::ADDRESS,
        "Ship to 12 Baker Street, London NW1 6XE.",
        "12 Baker Street, London NW1 6XE",
    ),
    (
        EntityType::MAC_ADDRESS,
        "ether 00:1a:2b:3c:4d:5e",
        "00:1a:2b:3c:4d:5e",
    ),
    (
        EntityType::VIN,
        "The car is 1M8GDM9AXKP042788.",
        "1M8GDM9AXKP042788",
    ),
    (
        EntityType::LICENSE_PLATE,
        "License plate: B-AB 1234",
        "B-AB 1234",
    ),
    (
        EntityType::CRYPTO_WALLET,
        "Send to bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
        "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    ),
    (
        EntityType::PERSON,
        "Please email Anna Schmidt about the invoice.",
        "Anna Schmidt",
    ),
    (
        EntityType::LOCATION,
        "Siemens AG opened an office in Madrid.",
        "Madrid",
    ),
    (
        EntityType::ORGANIZATION,
        "Siemens AG opened an office in Madrid.",
        "Siemens AG",
    ),
];

/// A value that the configuration masks, and a text that holds it.
#[derive(Debug, Clone)]
pub(super) struct Probe {
    pub(super) text: String,
    pub(super) value: String,
}

/// Returns a text with a value that this configuration masks: of a built-in type, of the word list,
/// or else text that looks like a token, which is always masked.
pub(super) fn probe(engine: &Engine, detectors: &DetectorChoice) -> Probe {
    let built_in = SAMPLES
        .iter()
        .map(|(_, text, value)| ((*text).to_owned(), (*value).to_owned()));
    let words = detectors.own.terms.iter().flat_map(|(_, words)| words);
    let words = words.map(|word| (format!("About {word}."), word.clone()));
    let found = built_in.chain(words).find(|(text, value)| {
        let masked = engine.mask_text(text, &mut Session::new());
        !value.is_empty() && !masked.contains(value.as_str())
    });
    let (text, value) = found.unwrap_or_else(|| {
        (
            "See <MASK_EMAIL_1>.".to_owned(),
            "<MASK_EMAIL_1>".to_owned(),
        )
    });
    Probe { text, value }
}

/// Whether a planted value of each type is found.
pub(super) fn detectors(engine: &Engine, detectors: &DetectorChoice) -> Check {
    const PART: &str = "detector";
    let own = &detectors.own;
    let (found, missed): (Vec<_>, Vec<_>) =
        planted(own).partition(|(entity, text, value)| is_found(engine, entity, text, value));
    if !missed.is_empty() {
        let missed: Vec<_> = missed.iter().map(|(entity, ..)| entity.as_str()).collect();
        let missed = missed.join(", ");
        let is_plain = own.allow.is_empty() && own.min_score.as_percent() == 0;
        let outcome = if is_plain {
            Outcome::Failed
        } else {
            Outcome::Warned
        };
        let detail =
            format!("with these settings, test values of these types are not found: {missed}");
        return Check::new(PART, outcome, detail);
    }
    let patterns = match own.patterns.len() {
        0 => String::new(),
        count => format!("; your own patterns are compiled but not tested: {count}"),
    };
    match found.len() {
        0 => {
            let detail = format!("there are no built-in types and no words to test{patterns}");
            Check::new(PART, Outcome::Skipped, detail)
        }
        count => {
            let detail = format!("test values of {count} types are found{patterns}");
            Check::passed(PART, detail)
        }
    }
}

/// A text for each type, and the value that must be found in it.
fn planted(own: &DetectorSettings) -> impl Iterator<Item = (&EntityType, &str, &str)> {
    let is_replaced = move |entity: &EntityType| own.patterns.iter().any(|(own, _)| own == entity);
    let samples = SAMPLES.iter();
    let samples = samples.filter(move |(entity, ..)| own.looks_for(entity) && !is_replaced(entity));
    let samples = samples.map(|(entity, text, value)| (entity, *text, *value));
    let words = own.terms.iter().filter_map(|(entity, words)| {
        let word = words.iter().find(|word| !word.trim().is_empty())?;
        Some((entity, word.as_str(), word.trim()))
    });
    samples.chain(words)
}

fn is_found(engine: &Engine, entity: &EntityType, text: &str, value: &str) -> bool {
    engine.detect_all(text).iter().any(|detection| {
        let span = text.get(detection.start..detection.end);
        detection.entity == *entity && span.is_some_and(|span| span.contains(value))
    })
}

/// Which detections reach the provider all the same.
pub(super) fn policy(config: &Config) -> Check {
    match warning::unmasked(config) {
        Some(warning) => {
            let detail = warning.trim_start_matches("warning: ").to_owned();
            Check::new("policy", Outcome::Warned, detail)
        }
        None => Check::passed("policy", "every detection is masked"),
    }
}

/// Whether a value becomes a token and the token the value.
pub(super) fn operator(engine: &Engine, probe: &Probe) -> Check {
    match round_trip(engine, probe) {
        Ok((masked, _)) if masked.contains(&probe.value) => {
            Check::failed("operator", "a value is not masked")
        }
        Ok((_, back)) if back.contains(&probe.value) => {
            Check::passed("operator", "a value is masked and restored")
        }
        Ok(_) if !engine.settings().operator.restores() => {
            Check::passed("operator", "a value is redacted and not restored")
        }
        Ok(_) => Check::failed("operator", "a token is not restored"),
        Err(error) => Check::failed("operator", error.to_string()),
    }
}

/// The masked request, and the reply that repeats it, restored.
fn round_trip(engine: &Engine, probe: &Probe) -> Result<(String, String), engine::Error> {
    let body = wire::ask(Schema::ChatStyle, &probe.text, false);
    let request = engine.request(Schema::ChatStyle, body.into_bytes())?;
    let masked = request.mask(&mut Session::new(), &NoMemory)?;
    let sent = String::from_utf8_lossy(&masked.body.into_bytes()).into_owned();
    let reply = wire::reply(Schema::ChatStyle, &wire::text_of(&sent));
    let mut delivered = Vec::new();
    let mut restorer = masked.restoring.reply(Some("application/json"));
    restorer.push(reply.as_bytes(), &mut delivered);
    restorer.finish(&mut delivered);
    Ok((sent, String::from_utf8_lossy(&delivered).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_sample_of_every_built_in_type() {
        for entity in EntityType::BUILT_IN {
            let sample = SAMPLES.iter().find(|(of, _, _)| of == entity);
            assert!(
                sample.is_some_and(|(_, text, value)| text.contains(value)),
                "{entity}"
            );
        }
    }
}
