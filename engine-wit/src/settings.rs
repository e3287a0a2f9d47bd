//! What a host configures.

use engine::detect::{Allowed, AllowedValues, DetectorSettings, Names};
use engine::{
    Detectors, EntityType, Glob, NeverDecides, NoSurrogate, Operator, Origin, Origins, Policy,
    RestoreAction, RestoreRule, RestoreRules, Score, Sensitive, Settings, Surrogates,
};

use crate::bindings::exports::maskproxy::mask::engine as wit;

pub(crate) fn default() -> wit::Settings {
    wit::Settings {
        built_in: true,
        types: Vec::new(),
        names: wit::Names::Careful,
        patterns: Vec::new(),
        terms: Vec::new(),
        allow: Vec::new(),
        min_score: 0,
        policy: wit::Policy::All,
        operator: wit::Operator::Counted,
        restore: Vec::new(),
        history_key: None,
    }
}

/// Reads and compiles a configuration.
///
/// # Errors
/// Says what can't be used, without quoting a pattern, a term or a value.
pub(crate) fn read(settings: wit::Settings) -> Result<Settings, String> {
    if settings.min_score > Score::MAX.as_percent() {
        return Err("min-score must be a percentage, 0 to 100".to_owned());
    }
    let patterns = settings.patterns.into_iter();
    let terms = settings.terms.into_iter();
    let detectors = DetectorSettings {
        built_in: settings.built_in,
        types: settings
            .types
            .iter()
            .map(switch)
            .collect::<Result<_, _>>()?,
        names: match settings.names {
            wit::Names::Off => Names::Off,
            wit::Names::Careful => Names::Careful,
            wit::Names::Eager => Names::Eager,
        },
        patterns: patterns
            .map(|own| Ok((entity(&own.entity)?, own.regex)))
            .collect::<Result<_, String>>()?,
        terms: terms
            .map(|own| Ok((entity(&own.entity)?, own.words)))
            .collect::<Result<_, String>>()?,
        min_score: Score::percent(settings.min_score),
        allow: settings
            .allow
            .into_iter()
            .map(allowed)
            .collect::<Result<_, _>>()?,
    };
    let operator = operator(settings.operator)?;
    if matches!(operator, Operator::Surrogate(_)) && !settings.restore.is_empty() {
        return Err(
            "restore keeps tokens, and surrogates are none: leave one of them out".to_owned(),
        );
    }
    Ok(Settings {
        policy: policy(settings.policy, &detectors)?,
        operator,
        restore: restore(settings.restore)?,
        detectors: Detectors::new(&detectors).map_err(|error| error.to_string())?,
        ..Settings::default()
    })
}

fn switch(switch: &wit::TypeSwitch) -> Result<(EntityType, bool), String> {
    let entity = EntityType::built_in(&switch.entity);
    let entity = entity.ok_or_else(|| "types names a type that is not built in".to_owned())?;
    Ok((entity, switch.on))
}

fn allowed(allowed: wit::Allowed) -> Result<Allowed, String> {
    Ok(Allowed {
        entity: allowed.entity.as_deref().map(entity).transpose()?,
        values: match allowed.values {
            wit::AllowedValues::Exact(value) => AllowedValues::Exact(value),
            wit::AllowedValues::Pattern(pattern) => AllowedValues::Pattern(pattern),
        },
    })
}

fn policy(policy: wit::Policy, detectors: &DetectorSettings) -> Result<Policy, String> {
    let types = match policy {
        wit::Policy::All => return Ok(Policy::Default),
        wit::Policy::Strict(types) => types,
    };
    let types = types.iter().map(|name| entity(name));
    let types: Vec<EntityType> = types.collect::<Result<_, _>>()?;
    // A misspelt type would let every value of the right one through.
    match types.iter().find(|entity| !detectors.finds(entity)) {
        Some(entity) => Err(format!("no detector finds the type {entity} of the policy")),
        None => Ok(Policy::strict(types)),
    }
}

/// The key for history that a session has not seen.
///
/// # Errors
/// When it has another length than 32 bytes.
pub(crate) fn history_key(key: Option<Vec<u8>>) -> Result<Option<Sensitive<[u8; 32]>>, String> {
    let Some(key) = key else { return Ok(None) };
    let key = <[u8; 32]>::try_from(key).map_err(|_| "history-key must have 32 bytes".to_owned())?;
    Ok(Some(Sensitive::new(key)))
}

fn operator(operator: wit::Operator) -> Result<Operator, String> {
    match operator {
        wit::Operator::Counted => Ok(Operator::Pseudonym { anchor: None }),
        wit::Operator::Anchored(secret) if secret.is_empty() => {
            Err("the secret of the anchor is empty".to_owned())
        }
        wit::Operator::Anchored(secret) => Ok(Operator::Pseudonym {
            anchor: Some(Sensitive::new(secret)),
        }),
        wit::Operator::Redact => Ok(Operator::Redact),
        wit::Operator::Surrogate(wanted) => surrogates(wanted).map(Operator::Surrogate),
    }
}

fn surrogates(wanted: wit::Surrogates) -> Result<Surrogates, String> {
    if wanted.key.is_empty() {
        return Err("the key of the surrogates is empty".to_owned());
    }
    let all = Surrogates::new(Sensitive::new(wanted.key));
    if wanted.types.is_empty() {
        return Ok(all);
    }
    let types = wanted.types.iter().map(|name| entity(name));
    let types = types.collect::<Result<_, _>>()?;
    let only = all.only(types);
    only.map_err(|NoSurrogate(entity)| format!("values of type {entity} have no surrogates"))
}

fn restore(entries: Vec<wit::RestoreEntry>) -> Result<RestoreRules, String> {
    let entries = entries.into_iter().map(|entry| match entry {
        wit::RestoreEntry::Guard => RestoreRules::guard(),
        wit::RestoreEntry::Rule(rule) => rules(&rule),
    });
    let entries: Vec<_> = entries.collect();
    RestoreRules::of_entries(&entries).map_err(|NeverDecides { entry, earlier }| {
        format!(
            "entry {entry} of restore never decides, because entry {earlier} is for the same calls"
        )
    })
}

fn rules(rule: &wit::RestoreRule) -> Vec<RestoreRule> {
    let any = || Glob::new("*");
    let tools: Vec<_> = match &*rule.tools {
        [] => vec![any()],
        tools => tools.iter().map(|tool| Glob::new(tool)).collect(),
    };
    let origins = match &*rule.origins {
        [] => Origins::ALL,
        listed => listed
            .iter()
            .copied()
            .map(origin)
            .fold(Origins::default(), Origins::with),
    };
    let rule = |tool| RestoreRule {
        tool,
        argument: rule.argument.as_deref().map_or_else(any, Glob::new),
        origins,
        action: match rule.action {
            wit::RestoreAction::Allow => RestoreAction::Allow,
            wit::RestoreAction::Keep => RestoreAction::Keep,
        },
    };
    tools.into_iter().map(rule).collect()
}

pub(crate) fn origin(origin: wit::Origin) -> Origin {
    match origin {
        wit::Origin::Tool => Origin::Tool,
        wit::Origin::System => Origin::System,
        wit::Origin::User => Origin::User,
    }
}

fn entity(name: &str) -> Result<EntityType, String> {
    EntityType::parse(name).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut wit::Settings)) -> String {
        let mut settings = default();
        change(&mut settings);
        read(settings).map(|_| ()).unwrap_err()
    }

    #[test]
    fn a_wrong_setting_is_named_and_not_quoted() {
        let error = refused(|settings| {
            settings.patterns = vec![wit::Pattern {
                entity: "OWN".to_owned(),
                regex: "(hunter2".to_owned(),
            }];
        });
        assert_eq!(
            error,
            "the pattern of OWN is not a usable regular expression"
        );
        assert!(refused(|settings| settings.min_score = 101).contains("min-score"));
        let switches = vec![wit::TypeSwitch {
            entity: "E_MAIL".to_owned(),
            on: false,
        }];
        assert!(refused(|settings| settings.types = switches).contains("types"));
        let anchored = wit::Operator::Anchored(Vec::new());
        assert!(refused(|settings| settings.operator = anchored).contains("secret"));
        let keep = |tools: &[&str]| {
            wit::RestoreEntry::Rule(wit::RestoreRule {
                tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
                argument: None,
                origins: Vec::new(),
                action: wit::RestoreAction::Keep,
            })
        };
        let twice = vec![keep(&[]), keep(&["web_fetch"])];
        assert!(refused(|settings| settings.restore = twice).contains("entry 1 of restore"));
        for (key, types, named) in [
            ("", vec![], "key"),
            ("key", vec!["SECRET".to_owned()], "SECRET"),
        ] {
            let key = key.into();
            let surrogate = wit::Operator::Surrogate(wit::Surrogates { key, types });
            assert!(refused(|settings| settings.operator = surrogate).contains(named));
        }
    }

    #[test]
    fn a_policy_of_types_that_nothing_finds_is_refused() {
        let misspelt = wit::Policy::Strict(vec!["E_MAIL".to_owned()]);
        assert!(refused(|settings| settings.policy = misspelt).contains("E_MAIL"));
        let own = wit::Settings {
            terms: vec![wit::WordList {
                entity: "PROJECT".to_owned(),
                words: vec!["Bluebird".to_owned()],
            }],
            policy: wit::Policy::Strict(vec!["PROJECT".to_owned(), "EMAIL".to_owned()]),
            ..default()
        };
        assert!(read(own).is_ok());
    }
}
