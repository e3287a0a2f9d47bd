//! What a user must know about a configuration that is right but dangerous.

use engine::EntityType;

use crate::config::{Config, WaitingDetector, WaitingKind};
use crate::detector::StartError;

/// Everything that must be said of a configuration.
pub(crate) fn all(config: &Config) -> impl Iterator<Item = String> {
    built_ins_off(config)
        .into_iter()
        .chain(no_local_model(config))
        .chain(unmasked(config))
}

fn built_ins_off(config: &Config) -> Option<String> {
    const WARNING: &str = "warning: the built-in detectors are off: keys, passwords and personal data are \
         masked only where your own detectors find them; add `type: regex` to 'detector' to have both";
    (!config.has_built_ins).then(|| WARNING.to_owned())
}

fn no_local_model(config: &Config) -> Option<String> {
    let is_ner = |detector: &WaitingDetector| matches!(detector.kind, WaitingKind::Ner);
    let wants = config.waiting_detectors.iter().any(is_ner);
    wants.then(|| {
        format!(
            "warning: the proxy won't start: {}",
            StartError::NoLocalModel
        )
    })
}

/// Which types the policy lets through (decisions, 2.7).
pub(crate) fn unmasked(config: &Config) -> Option<String> {
    if config.unmasked.is_empty() {
        return None;
    }
    let types: Vec<_> = config.unmasked.iter().map(EntityType::as_str).collect();
    Some(format!(
        "warning: policy strict: detected but NOT masked, and so sent to the provider: {}",
        types.join(", ")
    ))
}
