//! A detector that asks a Presidio analyzer over HTTP.

use std::time::Duration;

use engine::{EntityType, Score};
use futures_util::{StreamExt, stream};
use http::HeaderMap;
use serde::{Deserialize, Serialize};

use super::StartError;
use super::service::{Service, parts_of};
use super::span::{Characters, Span, entity_named, score_of};
use crate::config::PresidioSettings;
use crate::error::ScanFailure;

const NAME: &str = "presidio";

/// How many texts are scanned concurrently.
const AT_ONCE: usize = 4;

/// Types that have other names there, as of Presidio 2.2.
#[rustfmt::skip]
const NAMES: [(EntityType, &[&str]); 12] = [
    (EntityType::EMAIL, &["EMAIL_ADDRESS"]),
    (EntityType::PHONE, &["PHONE_NUMBER"]),
    (EntityType::SSN, &["US_SSN"]),
    (EntityType::IBAN, &["IBAN_CODE"]),
    (EntityType::BANK_ACCOUNT, &["US_BANK_NUMBER"]),
    (EntityType::CRYPTO_WALLET, &["CRYPTO"]),
    (EntityType::PASSPORT, &["US_PASSPORT", "IN_PASSPORT", "IT_PASSPORT", "UK_PASSPORT"]),
    (EntityType::DRIVER_LICENSE, &["US_DRIVER_LICENSE", "IT_DRIVER_LICENSE"]),
    (EntityType::TAX_ID, &["US_ITIN", "IT_VAT_CODE", "AU_ABN", "AU_ACN", "AU_TFN", "IN_PAN", "IN_GSTIN"]),
    (EntityType::HEALTH_ID, &["UK_NHS", "AU_MEDICARE", "US_MBI"]),
    (EntityType::LICENSE_PLATE, &["IN_VEHICLE_REGISTRATION", "UK_VEHICLE_REGISTRATION"]),
    (EntityType::NATIONAL_ID, &[
        "UK_NINO", "ES_NIF", "ES_NIE", "IT_FISCAL_CODE", "IT_IDENTITY_CARD", "PL_PESEL", "SG_NRIC_FIN", "IN_AADHAAR",
        "IN_VOTER", "FI_PERSONAL_IDENTITY_CODE", "KR_RRN", "TH_TNIN",
    ]),
];

/// The analyzer.
#[derive(Debug)]
pub(super) struct Presidio {
    service: Service,
    language: String,
    min_score: Score,
    entities: Option<Vec<String>>,
    timeout: Duration,
}

#[derive(Serialize)]
struct Question<'a> {
    text: &'a str,
    language: &'a str,
    score_threshold: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    entities: Option<&'a [String]>,
}

#[derive(Deserialize)]
struct Finding {
    start: usize,
    end: usize,
    entity_type: String,
    score: f64,
}

impl Presidio {
    /// An analyzer that looks for these types; for all that it knows when there are none.
    ///
    /// # Errors
    /// [`StartError`] when it can't be asked as configured.
    pub(super) fn new(
        settings: &PresidioSettings,
        entities: &[EntityType],
    ) -> Result<Self, StartError> {
        let (origin, path) = parts_of(settings.url.expose(), "url")?;
        let path = if path.ends_with("/analyze") {
            path
        } else {
            path + "/analyze"
        };
        let path = path.parse().map_err(|_| StartError::InvalidUrl("url"))?;
        let timeout = settings.timeout;
        Ok(Self {
            service: Service::new(NAME, origin, path, HeaderMap::new(), timeout)?,
            language: settings.language.clone(),
            min_score: settings.min_score,
            entities: (!entities.is_empty()).then(|| {
                entities
                    .iter()
                    .flat_map(names_of)
                    .map(str::to_owned)
                    .collect()
            }),
            timeout,
        })
    }

    /// Searches each text, and returns the detections by the text's index.
    ///
    /// # Errors
    /// [`ScanFailure`] when a text could not be searched in time.
    pub(super) async fn ask(
        &self,
        texts: &[&str],
        keep: &mut impl FnMut(usize, Vec<Span>),
    ) -> Result<(), ScanFailure> {
        let asking = async {
            let texts = texts.iter().enumerate();
            let answers: Vec<_> = texts
                .map(|(index, text)| self.analyze(index, text))
                .collect();
            let mut answers = stream::iter(answers).buffer_unordered(AT_ONCE);
            while let Some(answer) = answers.next().await {
                let (index, found) = answer?;
                keep(index, found);
            }
            Ok(())
        };
        let done = tokio::time::timeout(self.timeout, asking).await;
        done.unwrap_or(Err(ScanFailure::timeout(NAME)))
    }

    async fn analyze(&self, index: usize, text: &str) -> Result<(usize, Vec<Span>), ScanFailure> {
        let question = Question {
            text,
            language: &self.language,
            score_threshold: f64::from(self.min_score.as_percent()) / 100.0,
            entities: self.entities.as_deref(),
        };
        // Text, numbers and lists always serialize.
        let question = serde_json::to_vec(&question).unwrap_or_default();
        let answer = self.service.post(question).await?;
        let unusable = ScanFailure::unusable(NAME);
        let results: Vec<Finding> = serde_json::from_slice(&answer).map_err(|_| unusable)?;
        let characters = Characters::of(text);
        let spans = results.into_iter().filter_map(|result| {
            let score = score_of(result.score);
            (score >= self.min_score).then(|| {
                let range = characters.bytes(result.start, result.end);
                let range = range.ok_or(unusable)?;
                Ok(Span {
                    start: range.start,
                    end: range.end,
                    entity: entity_of(&result.entity_type),
                    score,
                })
            })
        });
        Ok((index, spans.collect::<Result<_, _>>()?))
    }
}

/// The analyzer's name for a type. A custom analyzer may also use our name.
fn names_of(entity: &EntityType) -> impl Iterator<Item = &str> {
    let others = NAMES.iter().find(|(known, _)| known == entity);
    let others = others.map_or(&[] as &[_], |(_, names)| names);
    let own = (others.len() != 1).then_some(entity.as_str());
    others.iter().copied().chain(own)
}

fn entity_of(name: &str) -> EntityType {
    let own = NAMES.iter().find(|(_, known)| known.contains(&name));
    own.map_or_else(|| entity_named(name), |(entity, _)| entity.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entity_types_map_to_presidio_names() {
        for (here, there) in [
            ("EMAIL", "EMAIL_ADDRESS"),
            ("IBAN", "IBAN_CODE"),
            ("PASSPORT", "US_PASSPORT"),
            ("DRIVER_LICENSE", "IT_DRIVER_LICENSE"),
            ("NATIONAL_ID", "PL_PESEL"),
            ("PASSPORT", "PASSPORT"),
            ("PERSON", "PERSON"),
            ("NRP", "NRP"),
        ] {
            let entity = EntityType::parse(here).unwrap();
            assert!(names_of(&entity).any(|name| name == there), "{there}");
            assert_eq!(entity_of(there), entity);
        }
        let email: Vec<_> = names_of(&EntityType::EMAIL).collect();
        assert_eq!(email, ["EMAIL_ADDRESS"]);
    }
}
