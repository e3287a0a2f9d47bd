//! Warnings about valid but dangerous configurations.

use engine::route::PROVIDER_KEYS;
use engine::{EntityType, Masks};

use super::sources;
use crate::config::{
    Config, ExternalDetector, ExternalKind, OperatorSettings, SETTINGS, Setting, Store, Strategy,
    Values, is_loopback, suggestion,
};
use crate::detector::StartError;

/// All warnings about a configuration.
pub(crate) fn all(config: &Config) -> impl Iterator<Item = String> {
    built_ins_off(config)
        .into_iter()
        .chain(no_local_model(config))
        .chain(unmasked(config))
        .chain(lax_rules(config))
        .chain(weak_anchor(config).map(|weakness| format!("warning: {weakness}")))
        .chain(misspelled_variables(names_of_variables()))
}

/// More warnings about a configuration if others may connect.
pub(crate) fn of_listener(config: &Config) -> impl Iterator<Item = String> {
    open_key(config).into_iter().chain(forgetful(config))
}

/// Why the vault can't be opened with these settings.
pub(crate) fn of_vault(config: &Config) -> Option<String> {
    match &config.vault.store {
        Store::Unusable(error) => Some(format!("warning: the proxy won't start: {error}")),
        Store::Memory | Store::Sqlite { .. } | Store::Redis(_) => None,
    }
}

/// Asks for a provider if none is set: few run one at the default address.
pub(super) fn no_provider(values: &Values, config: &Config) -> Option<String> {
    let named = ["proxy.upstream", "provider.base_url", "provider.type"];
    if named.iter().any(|path| values.is_set(path)) {
        return None;
    }
    Some(format!(
        "no provider is set, so requests go to {}; set yours, such as --upstream https://api.anthropic.com",
        config.mode
    ))
}

/// Whether requests go to the provider with a key that the proxy holds.
pub(crate) fn has_own_key(config: &Config) -> bool {
    let mut added = config.provider_headers.iter();
    config.credentials.held.is_some()
        || added.any(|(name, _)| PROVIDER_KEYS.contains(&name.as_str()))
}

/// Anyone who connects to an open listener spends the proxy's key.
fn open_key(config: &Config) -> Option<String> {
    let asks_for_certificates = config
        .tls
        .as_ref()
        .is_some_and(|tls| tls.ca_certs.is_some());
    let is_open = !is_loopback(&config.host) && !asks_for_certificates;
    (is_open && has_own_key(config)).then(|| {
        format!(
            "warning: anyone who can reach {}:{} can use this proxy's provider key, because the proxy does \
             not authenticate clients; listen on 127.0.0.1, or put an authenticating server in front",
            config.host, config.port
        )
    })
}

/// Sessions in memory that a second instance, and the next start, don't know.
fn forgetful(config: &Config) -> Option<String> {
    const WARNING: &str = "warning: sessions are kept in memory: another instance does not know them, and a restart \
         forgets them; use vault redis for several instances, sqlite for one";
    let lasts = config.session.strategy != Strategy::Ephemeral;
    let is_shared = !is_loopback(&config.host);
    let in_memory = matches!(config.vault.store, Store::Memory);
    (lasts && is_shared && in_memory).then(|| WARNING.to_owned())
}

fn names_of_variables() -> impl Iterator<Item = String> {
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok())
}

/// Variables that are named almost as one that is read: they have no effect.
fn misspelled_variables(names: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    /// They are read by `install.sh`.
    const OTHERS: [&str; 2] = ["MASKPROXY_BIN", "MASKPROXY_VERSION"];
    names.filter_map(|name| {
        let of_product = name.strip_prefix("MASKPROXY_");
        let rest = of_product.or_else(|| name.strip_prefix(PREFIX))?;
        // Kubernetes sets `MASK_REDIS_SERVICE_HOST` for a service of the name mask-redis.
        let is_service = rest.contains("SERVICE_") || rest.contains("PORT_");
        let is_read = of_product.is_none() && read_variables().any(|read| read == rest);
        if is_service || is_read || OTHERS.contains(&&*name) {
            return None;
        }
        let advice = advice(rest)?;
        Some(format!("warning: the variable {name} is not read{advice}"))
    })
}

const PREFIX: &str = "MASK_";

/// The variables that are read, without their prefix.
fn read_variables() -> impl Iterator<Item = &'static str> {
    let read = SETTINGS.iter().filter_map(|setting| setting.env);
    let read = read.chain([sources::VARIABLE]);
    read.filter_map(|name| name.strip_prefix(PREFIX))
}

/// What to set instead of a variable.
fn advice(rest: &str) -> Option<String> {
    if read_variables().any(|read| read == rest) {
        return Some(format!(", did you mean '{PREFIX}{rest}'?"));
    }
    match setting_named(rest) {
        Some(Setting { env: Some(env), .. }) => Some(format!(", did you mean '{env}'?")),
        Some(Setting { path, .. }) => Some(format!("; set '{path}' in the configuration file")),
        None => {
            let similar = suggestion(rest, read_variables())?;
            Some(format!(", did you mean '{PREFIX}{similar}'?"))
        }
    }
}

/// The setting whose path a variable spells (`PROXY_TIMEOUT` is `proxy.timeout`), or the only one whose last name it
/// ends with (`SESSION_TTL` is `vault.ttl`).
fn setting_named(rest: &str) -> Option<&'static Setting> {
    let rest = rest.to_ascii_lowercase();
    let spelled = |setting: &&Setting| setting.path.replace('.', "_") == rest;
    SETTINGS.iter().find(spelled).or_else(|| {
        let ends = |setting: &&Setting| {
            let name = setting.path.rsplit('.').next().unwrap_or_default();
            let before = rest.strip_suffix(name);
            before.is_some_and(|before| before.is_empty() || before.ends_with('_'))
        };
        let mut ending = SETTINGS.iter().filter(ends);
        ending.next().filter(|_| ending.next().is_none())
    })
}

fn built_ins_off(config: &Config) -> Option<String> {
    const WARNING: &str = "warning: the built-in detectors are off: keys, passwords and personal data are \
                           masked only if your own detectors find them; add `type: regex` to 'detector' to \
                           use both";
    (!config.has_built_ins).then(|| WARNING.to_owned())
}

/// Why tokens can be guessed from the values of an anchor secret.
pub(crate) fn weak_anchor(config: &Config) -> Option<String> {
    /// A shorter one can be found by trying.
    const SHORTEST: usize = 16;
    let (OperatorSettings::Pseudonym { anchor } | OperatorSettings::Surrogate { anchor, .. }) =
        &config.operator
    else {
        return None;
    };
    let weakness = match anchor.as_ref()?.expose().as_slice() {
        [b'<', .., b'>'] => "a placeholder",
        secret if secret.len() < SHORTEST => "short",
        _ => return None,
    };
    Some(format!(
        "the anchor secret (MASK_ANCHOR_SECRET) is {weakness}, so tokens can be guessed; use the output of \
         `openssl rand -hex 32`"
    ))
}

fn no_local_model(config: &Config) -> Option<String> {
    if cfg!(feature = "ner") {
        return None;
    }
    let is_ner = |detector: &ExternalDetector| matches!(detector.kind, ExternalKind::Ner(_));
    let wants = config.external_detectors.iter().any(is_ner);
    wants.then(|| {
        format!(
            "warning: the proxy won't start: {}",
            StartError::NoLocalModel
        )
    })
}

/// Which types the policy lets through (decisions, 2.7).
pub(crate) fn unmasked(config: &Config) -> Option<String> {
    if config.shadow {
        return Some(SHADOW.to_owned());
    }
    if config.unmasked.is_empty() {
        return None;
    }
    let types: Vec<_> = config.unmasked.iter().map(EntityType::as_str).collect();
    Some(format!(
        "warning: policy strict: detected but NOT masked, and so sent to the provider: {}",
        types.join(", ")
    ))
}

/// Which rules of the policy let values through.
fn lax_rules(config: &Config) -> Option<String> {
    let rules = config.engine.rules.iter();
    let lax = rules.filter(|rule| rule.shadow || matches!(rule.mask, Some(Masks::Only(_))));
    let names: Vec<_> = lax.map(|rule| &*rule.name).collect();
    (!names.is_empty()).then(|| {
        format!(
            "warning: these policy rules let values through to the provider: {}",
            names.join(", ")
        )
    })
}

const SHADOW: &str = "warning: policy shadow: NOTHING is masked: requests and replies pass as they are; what would be \
     masked is counted in the audit trail and the metrics (`maskproxy audit stats`)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_variables_get_a_suggestion() {
        let warning = |name: &str| misspelled_variables([name.to_owned()].into_iter()).next();
        let upstream = warning("MASK_UPSTREAM").unwrap();
        assert!(upstream.contains("MASK_UPSTREAM_URL"), "{upstream}");
        assert!(warning("MASK_APIKEY").unwrap().contains("MASK_API_KEY"));
        // A container's port was once set by a variable that had no effect, without a word.
        let port = warning("MASK_PORT").unwrap();
        assert!(port.contains("set 'port' in the configuration"), "{port}");
        let upstream = warning("MASK_PROXY_UPSTREAM").unwrap();
        assert!(upstream.contains("'MASK_UPSTREAM_URL'"), "{upstream}");
        for (name, setting) in [
            ("MASK_TTL", "MASK_VAULT_TTL"),
            ("MASK_SESSION_TTL", "MASK_VAULT_TTL"),
            ("MASK_STRATEGY", "MASK_SESSION_STRATEGY"),
            ("MASK_UNROUTED", "proxy.unrouted"),
            ("MASKPROXY_UPSTREAM_URL", "MASK_UPSTREAM_URL"),
            ("MASKPROXY_UPSTREAM", "MASK_UPSTREAM_URL"),
        ] {
            let warning = warning(name).expect(name);
            assert!(warning.contains(setting), "{warning}");
        }
        for name in [
            "MASKPROXY_VERSION",
            "MASK_UPSTREAM_URL",
            "MASK_CONFIG",
            "MASK_REDIS_SERVICE_HOST",
            "MASK_REDIS_PORT_6379_TCP",
            "PATH",
        ] {
            assert_eq!(warning(name), None);
        }
    }
}
