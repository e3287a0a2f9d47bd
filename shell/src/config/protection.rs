//! The policy and the operator.

use std::sync::LazyLock;

use engine::{EntityType, NoSurrogate, Policy, Sensitive, Surrogates};

use super::Error;
use super::detector::DetectorChoice;
use super::entry;
use super::error::IN_ENVIRONMENT;
use super::item::Item;
use super::values::Values;
use crate::base::random;

/// What a masked value becomes, with its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OperatorSettings {
    Pseudonym {
        /// The text as it was given.
        anchor: Option<Sensitive<Vec<u8>>>,
    },
    Encrypt {
        key: Sensitive<[u8; 32]>,
    },
    Redact,
    Surrogate {
        /// The text as it was given.
        anchor: Option<Sensitive<Vec<u8>>>,
        surrogates: Surrogates,
    },
}

pub(super) fn operator(values: &Values) -> Result<OperatorSettings, Error> {
    let anchor = values.get("operator.anchor_secret");
    let anchor = anchor.map(|anchor| anchor.text()).transpose()?;
    let anchor = anchor.map(|text| Sensitive::new(text.as_bytes().to_vec()));
    let key = encrypt_key(values)?;
    let types = values.get("operator.types");
    Ok(match (values.required("operator.type")?.choice()?, key) {
        ("encrypt", Some(key)) => OperatorSettings::Encrypt { key },
        ("encrypt", None) => {
            return Err(Error::Conflict(format!(
                "operator encrypt needs a key: set MASK_ENCRYPT_KEY to 64 hex digits, such as the output of \
                 `openssl rand -hex 32`{IN_ENVIRONMENT}"
            )));
        }
        ("surrogate", _) => OperatorSettings::Surrogate {
            surrogates: surrogates(anchor.clone(), types.as_ref())?,
            anchor,
        },
        (other, _) if types.is_some() => {
            return Err(Error::Conflict(format!(
                "setting 'operator.types' is for operator surrogate, but the operator is {other}"
            )));
        }
        ("redact", _) => OperatorSettings::Redact,
        _ => OperatorSettings::Pseudonym { anchor },
    })
}

fn surrogates(
    anchor: Option<Sensitive<Vec<u8>>>,
    types: Option<&Item<'_>>,
) -> Result<Surrogates, Error> {
    let surrogates = Surrogates::new(anchor.unwrap_or_else(own_key));
    let Some(item) = types else {
        return Ok(surrogates);
    };
    surrogates
        .only(entry::entities(item)?)
        .map_err(|NoSurrogate(entity)| {
            let known: Vec<_> = Surrogates::TYPES.iter().map(EntityType::as_str).collect();
            let expected = format!(
                "a list of types that have surrogates ({}); secrets and others stay tokens",
                known.join(", ")
            );
            item.must_be_like(
                expected,
                entity.as_str(),
                Surrogates::TYPES.iter().map(EntityType::as_str),
            )
        })
}

/// A key of this process, which survives a reload.
fn own_key() -> Sensitive<Vec<u8>> {
    static KEY: LazyLock<Sensitive<Vec<u8>>> =
        LazyLock::new(|| Sensitive::new(random::bytes::<32>().to_vec()));
    KEY.clone()
}

fn encrypt_key(values: &Values) -> Result<Option<Sensitive<[u8; 32]>>, Error> {
    let Some(item) = values.get("operator.encrypt_key") else {
        return Ok(None);
    };
    let key = from_hex(item.text()?).ok_or_else(|| item.must_be("exactly 64 hex digits"))?;
    Ok(Some(key))
}

fn from_hex(text: &str) -> Option<Sensitive<[u8; 32]>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != 32 || !rest.is_empty() {
        return None;
    }
    let mut key = [0; 32];
    for (byte, pair) in key.iter_mut().zip(pairs) {
        let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
        *byte = u8::try_from((high? << 4) | low?).ok()?;
    }
    Some(Sensitive::new(key))
}

pub(super) fn policy(values: &Values, detectors: Option<&DetectorChoice>) -> Result<Policy, Error> {
    let kind = values.required("policy.type")?.choice()?;
    let Some(item) = values.get("policy.allowed") else {
        return Ok(if kind == "strict" {
            Policy::strict(Vec::new())
        } else {
            Policy::Default
        });
    };
    let allowed = entry::entities(&item)?;
    if kind == "default" {
        return Err(Error::Conflict(
            "setting 'policy.allowed' is for policy strict or shadow; policy default masks every detection"
                .to_owned(),
        ));
    }
    entry::check_found(&item, &allowed, detectors)?;
    Ok(Policy::strict(allowed))
}

/// Whether nothing is masked, and what would be is counted.
///
/// # Errors
/// When gateways are to be served, too: what they send to be masked must be masked.
pub(super) fn is_shadow(values: &Values) -> Result<bool, Error> {
    let is_shadow = values.required("policy.type")?.choice()? == "shadow";
    if is_shadow && values.get("proxy.guardrail").is_some() {
        return Err(Error::Conflict(
            "policy shadow masks nothing, so 'proxy.guardrail' can't be used with it; remove one of them"
                .to_owned(),
        ));
    }
    Ok(is_shadow)
}

/// The types that are detected but that the policy lets through to the provider.
pub(super) fn unmasked(policy: &Policy, detectors: &DetectorChoice) -> Vec<EntityType> {
    let mut types = detectors.types();
    if detectors.finds_any_type() {
        // Such detectors exist mainly for names.
        let names = [
            EntityType::PERSON,
            EntityType::ORGANIZATION,
            EntityType::LOCATION,
        ];
        let others = names.into_iter().filter(|name| !types.contains(name));
        types.extend(others.collect::<Vec<_>>());
    }
    types.retain(|entity| !policy.masks(entity));
    types
}
