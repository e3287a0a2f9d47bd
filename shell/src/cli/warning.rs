//! What a user must know about a configuration that is right but dangerous.

use engine::EntityType;

use crate::config::Config;

/// Everything that must be said of a configuration.
pub(crate) fn all(config: &Config) -> impl Iterator<Item = String> {
    built_ins_off(config).into_iter().chain(unmasked(config))
}

fn built_ins_off(config: &Config) -> Option<String> {
    const WARNING: &str = "warning: the built-in detectors are off: keys, passwords and personal data are \
         masked only where your own detectors find them; add `type: regex` to 'detector' to have both";
    (!config.has_built_ins).then(|| WARNING.to_owned())
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
