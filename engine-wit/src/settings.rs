//! The configuration from the host.

use engine::detect::{Allowed, AllowedValues, DetectorSettings, Names};
use engine::{
    ArgumentTexts, Detectors, EntityType, Glob, Limits, Masks, NoSurrogate, Operator, Origin,
    Origins, Policy, PolicyRule, PolicyRules, RestoreAction, RestoreRule, RestoreRules, Schema,
    Score, Sensitive, Settings, Surrogates, UnreachableRule, When,
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
        rules: Vec::new(),
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
    let restore = restore(settings.restore, &operator)?;
    Ok(Settings {
        policy: policy(settings.policy, &detectors)?,
        rules: policy_rules(&settings.rules, &detectors)?,
        operator,
        restore,
        detectors: Detectors::new(&detectors).map_err(|error| error.to_string())?,
        limits: Limits::default(),
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
    found(&types, detectors).map(Policy::strict)
}

/// Types that some detector finds: a misspelt one would let every value of the right one through.
fn found(types: &[String], detectors: &DetectorSettings) -> Result<Vec<EntityType>, String> {
    let types = types.iter().map(|name| entity(name));
    let types: Vec<EntityType> = types.collect::<Result<_, _>>()?;
    match types.iter().find(|entity| !detectors.finds(entity)) {
        Some(entity) => Err(format!("no detector finds the type {entity} of the policy")),
        None => Ok(types),
    }
}

fn policy_rules(
    rules: &[wit::PolicyRule],
    detectors: &DetectorSettings,
) -> Result<PolicyRules, String> {
    let read = rules.iter().map(|rule| policy_rule(rule, detectors));
    let read = read.collect::<Result<_, _>>()?;
    PolicyRules::checked(read)
        .map_err(|fault| fault.describe(|place| format!("rule {place} of the policy")))
}

fn policy_rule(rule: &wit::PolicyRule, detectors: &DetectorSettings) -> Result<PolicyRule, String> {
    let globs = |names: &[String]| names.iter().map(|name| Glob::new(name)).collect();
    let headers = rule.headers.iter();
    let mask = match &rule.mask {
        wit::Masks::Inherited => None,
        wit::Masks::All => Some(Masks::All),
        wit::Masks::Only(types) => Some(Masks::Only(found(types, detectors)?)),
    };
    Ok(PolicyRule {
        name: rule.name.as_str().into(),
        when: When {
            routes: globs(&rule.routes),
            models: globs(&rule.models),
            headers: headers
                .map(|(name, values)| (name.to_ascii_lowercase(), globs(values)))
                .collect(),
            keys: rule.keys.clone(),
            schemas: rule.schemas.iter().copied().map(schema).collect(),
            roles: (!rule.roles.is_empty()).then(|| origins(&rule.roles)),
            tools: globs(&rule.tools),
        },
        mask,
        redacts: rule.redact,
        detectors: None,
        shadow: false,
    })
}

pub(crate) fn schema(schema: wit::Schema) -> Schema {
    match schema {
        wit::Schema::ChatStyle => Schema::ChatStyle,
        wit::Schema::MessagesStyle => Schema::MessagesStyle,
        wit::Schema::Responses => Schema::Responses,
        wit::Schema::Generic => Schema::Generic,
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

fn restore(entries: Vec<wit::RestoreEntry>, operator: &Operator) -> Result<RestoreRules, String> {
    let entries = entries.into_iter().map(|entry| match entry {
        wit::RestoreEntry::Guard => RestoreRules::guard(),
        wit::RestoreEntry::Rule(rule) => rules(&rule),
    });
    let entries: Vec<_> = entries.collect();
    let asks = |rule: &RestoreRule| rule.action == RestoreAction::Ask;
    if matches!(operator, Operator::Surrogate(_)) && entries.iter().flatten().any(asks) {
        return Err(
            "restore asks, for which a call must show that it holds a token, and surrogates are none: use keep".to_owned(),
        );
    }
    RestoreRules::of_entries(&entries).map_err(|UnreachableRule { entry, earlier }| {
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
        listed => origins(listed),
    };
    let rule = |tool| RestoreRule {
        tool,
        argument: rule.argument.as_deref().map_or_else(any, Glob::new),
        origins,
        action: match rule.action {
            wit::RestoreAction::Allow => RestoreAction::Allow,
            wit::RestoreAction::Keep => RestoreAction::Keep,
            wit::RestoreAction::Ask => RestoreAction::Ask,
        },
        texts: ArgumentTexts::All,
    };
    tools.into_iter().map(rule).collect()
}

fn origins(listed: &[wit::Origin]) -> Origins {
    let listed = listed.iter().copied().map(origin);
    listed.fold(Origins::default(), Origins::with)
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
    fn a_wrong_setting_is_named_without_its_value() {
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
        let rule = |mask| wit::PolicyRule {
            name: "a".to_owned(),
            routes: Vec::new(),
            models: Vec::new(),
            headers: Vec::new(),
            keys: Vec::new(),
            schemas: Vec::new(),
            roles: vec![wit::Origin::Tool],
            tools: Vec::new(),
            mask,
            redact: false,
        };
        let only = |name: &str| wit::Masks::Only(vec![name.to_owned()]);
        for (rules, named) in [
            (
                vec![rule(wit::Masks::Inherited)],
                "rule 0 of the policy has no effect",
            ),
            (vec![rule(only("E_MAIL"))], "E_MAIL"),
            (
                vec![rule(only("EMAIL")), rule(wit::Masks::All)],
                "rule 1 of the policy never matches",
            ),
        ] {
            let error = refused(|settings| settings.rules = rules);
            assert!(error.contains(named), "{error}");
        }
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
    fn a_policy_of_undetectable_types_is_refused() {
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
