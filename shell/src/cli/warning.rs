//! What a user must know about a configuration that is right but dangerous.

use engine::EntityType;

use crate::config::Config;

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
