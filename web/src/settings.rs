//! The settings from the page's controls.

mod rules;

use std::fmt;

use engine::detect::{Allowed, AllowedValues, DetectorError, DetectorSettings, Names};
use engine::{Detectors, EntityType, Limits, Operator, Policy, Score, Sensitive, Settings};
use serde::Deserialize;

/// The controls as the page hands them over.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Controls {
    built_in: bool,
    /// `TYPE` switches a built-in type on and `-TYPE` off; commas between.
    types: String,
    /// `off`, `careful` or `eager`.
    names: String,
    /// `TYPE: word, word` a line.
    terms: String,
    /// `TYPE: expression` a line.
    patterns: String,
    /// A value, or an expression between slashes, a line.
    allow: String,
    /// In percent.
    min_score: u8,
    /// What is masked; everything when absent, every built-in type when empty.
    only: Option<Vec<String>>,
    /// A rule of the policy a line, JSON.
    rules: String,
    operator: OperatorControl,
    /// The anchor secret; ids are counted without.
    secret: String,
    /// `guard`, or `restore` rules as JSON, one a line.
    restore: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum OperatorControl {
    Pseudonym,
    Redact,
}

/// Which control is wrong, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError {
    /// The control.
    pub control: &'static str,
    /// The line in it, from 1 on; 0 where lines don't matter.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl SettingsError {
    fn new(control: &'static str, line: usize, message: impl fmt::Display) -> Self {
        Self {
            control,
            line,
            message: message.to_string(),
        }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "line {line}: {}", self.message),
        }
    }
}

impl std::error::Error for SettingsError {}

/// Reads the controls, JSON.
///
/// # Errors
/// A [`SettingsError`] for each control that can't be used.
pub fn read(controls: &str) -> Result<Settings, Vec<SettingsError>> {
    let mut errors = Vec::new();
    let controls = parse(controls).map_err(|error| vec![error])?;
    let detectors = detector_settings(&controls, &mut errors);
    let compiled = Detectors::new(&detectors).map_err(|error| not_compiled(&error));
    let compiled = usable(compiled, &mut errors);
    // A type may be that of a line that can't be used.
    let is_partial = !errors.is_empty();
    let finds = |entity: &EntityType| is_partial || detectors.finds(entity);
    let policy = usable(policy(controls.only, &finds), &mut errors);
    let rules = usable(rules::policy(&controls.rules, &finds), &mut errors);
    let restore = usable(rules::restore(&controls.restore), &mut errors);
    let (Some(detectors), Some(policy), Some(rules), Some(restore), true) =
        (compiled, policy, rules, restore, errors.is_empty())
    else {
        return Err(errors);
    };
    Ok(Settings {
        detectors,
        policy,
        rules,
        restore,
        operator: operator(&controls.operator, controls.secret),
        limits: Limits::default(),
    })
}

/// The built-in types that are not looked for.
#[must_use]
pub fn types_off(controls: &str) -> Vec<EntityType> {
    let Ok(controls) = parse(controls) else {
        return Vec::new();
    };
    let detectors = detector_settings(&controls, &mut Vec::new());
    let types = EntityType::BUILT_IN.iter();
    types
        .filter(|entity| !detectors.finds(entity))
        .cloned()
        .collect()
}

fn parse(controls: &str) -> Result<Controls, SettingsError> {
    serde_json::from_str(controls).map_err(|error| SettingsError::new("settings", 0, error))
}

/// What can be used, or nothing and one more error.
fn usable<T>(result: Result<T, SettingsError>, errors: &mut Vec<SettingsError>) -> Option<T> {
    result.map_err(|error| errors.push(error)).ok()
}

/// Settings with what can be used; the rest is in `errors`.
fn detector_settings(controls: &Controls, errors: &mut Vec<SettingsError>) -> DetectorSettings {
    let terms = usable(typed_lines("terms", &controls.terms), errors);
    let patterns = usable(typed_lines("patterns", &controls.patterns), errors);
    let names = Names::parse(&controls.names)
        .ok_or_else(|| SettingsError::new("names", 0, "choose off, careful or eager"));
    DetectorSettings {
        built_in: controls.built_in,
        types: usable(switches(&controls.types), errors).unwrap_or_default(),
        names: usable(names, errors).unwrap_or_default(),
        terms: terms
            .into_iter()
            .flatten()
            .map(|(entity, line)| (entity, words(line)))
            .collect(),
        patterns: patterns
            .into_iter()
            .flatten()
            .map(|(entity, line)| (entity, line.to_owned()))
            .collect(),
        min_score: Score::percent(controls.min_score),
        allow: filled_lines(&controls.allow)
            .map(|(_, line)| allowed(line))
            .collect(),
    }
}

fn switches(text: &str) -> Result<Vec<(EntityType, bool)>, SettingsError> {
    let names = text.split(',').map(str::trim);
    let switch = |name: &str| {
        let (name, is_on) = match name.strip_prefix('-') {
            Some(name) => (name, false),
            None => (name, true),
        };
        let message = || format!("{name} is not a built-in type");
        let entity =
            EntityType::built_in(name).ok_or_else(|| SettingsError::new("types", 0, message()))?;
        Ok((entity, is_on))
    };
    names.filter(|name| !name.is_empty()).map(switch).collect()
}

fn filled_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate();
    numbered
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty())
}

fn typed_lines<'t>(
    control: &'static str,
    text: &'t str,
) -> Result<Vec<(EntityType, &'t str)>, SettingsError> {
    let typed = |(number, line): (usize, &'t str)| {
        let (name, rest) = line
            .split_once(':')
            .ok_or_else(|| SettingsError::new(control, number, "write TYPE: and what it is"))?;
        let entity = EntityType::parse(name.trim())
            .map_err(|error| SettingsError::new(control, number, error))?;
        Ok((entity, rest.trim()))
    };
    filled_lines(text).map(typed).collect()
}

fn words(line: &str) -> Vec<String> {
    line.split(',').map(|word| word.trim().to_owned()).collect()
}

fn allowed(line: &str) -> Allowed {
    let expression = line
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/'))
        .filter(|expression| !expression.is_empty());
    Allowed {
        entity: None,
        values: match expression {
            Some(expression) => AllowedValues::Pattern(expression.to_owned()),
            None => AllowedValues::Exact(line.to_owned()),
        },
    }
}

fn not_compiled(error: &DetectorError) -> SettingsError {
    let control = match error {
        DetectorError::Pattern(_) => "patterns",
        DetectorError::AllowedPattern(_) => "allow",
        DetectorError::Terms => "terms",
    };
    SettingsError::new(control, 0, error)
}

fn policy(
    only: Option<Vec<String>>,
    finds: &dyn Fn(&EntityType) -> bool,
) -> Result<Policy, SettingsError> {
    let Some(only) = only else {
        return Ok(Policy::Default);
    };
    let types = only
        .iter()
        .map(|name| EntityType::parse(name.trim()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| SettingsError::new("only", 0, error))?;
    // A misspelt type would let every value of the right one through.
    match types.iter().find(|entity| !finds(entity)) {
        Some(entity) => {
            let message = format!("no detector finds the type {entity}");
            Err(SettingsError::new("only", 0, message))
        }
        None => Ok(Policy::strict(types)),
    }
}

fn operator(control: &OperatorControl, secret: String) -> Operator {
    match control {
        OperatorControl::Redact => Operator::Redact,
        OperatorControl::Pseudonym => Operator::Pseudonym {
            anchor: (!secret.is_empty()).then(|| Sensitive::new(secret.into_bytes())),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_with(change: &str, value: &serde_json::Value) -> Result<Settings, Vec<SettingsError>> {
        let mut controls = serde_json::json!({
            "built_in": true, "types": "", "names": "careful", "terms": "", "patterns": "", "allow": "", "min_score": 0,
            "only": null, "rules": "", "operator": "pseudonym", "secret": "", "restore": "",
        });
        controls[change] = value.clone();
        read(&controls.to_string())
    }

    #[test]
    fn an_error_names_the_control_and_the_line() {
        let error = |control, text: &str| {
            let errors = read_with(control, &text.into()).err().unwrap();
            let [error] = errors.as_slice() else {
                panic!("{errors:?}")
            };
            (error.control, error.line)
        };
        assert_eq!(error("terms", "\nPROJECT Bluebird"), ("terms", 2));
        assert_eq!(error("patterns", "a-b: x"), ("patterns", 1));
        assert_eq!(error("patterns", "A: ("), ("patterns", 0));
        assert_eq!(error("allow", "/(/"), ("allow", 0));
        assert_eq!(error("types", "-PHONE, E_MAIL"), ("types", 0));
        assert_eq!(error("names", "never"), ("names", 0));
        assert_eq!(error("operator", "none"), ("settings", 0));
        let rule = r#"{"tool": "a", "mask": "none"}"#;
        assert_eq!(error("rules", "\n{\"rol\": \"tool\"}"), ("rules", 2));
        assert_eq!(error("rules", r#"{"mask": ["E_MAIL"]}"#), ("rules", 1));
        assert_eq!(
            error("rules", r#"{"role": "me", "mask": "all"}"#),
            ("rules", 1)
        );
        assert_eq!(error("rules", &format!("{rule}\n{rule}")), ("rules", 0));
        assert_eq!(error("restore", "gard"), ("restore", 1));
        assert_eq!(
            error("restore", "{\"action\": \"keep\"}\nguard"),
            ("restore", 0)
        );
    }

    #[test]
    fn a_policy_of_undetectable_types_is_refused() {
        let error = read_with("only", &serde_json::json!(["EMAIL", "E_MAIL"]));
        let error = &error.err().unwrap()[0];
        assert_eq!(error.control, "only");
        assert!(error.message.contains("E_MAIL"), "{error}");
        let taken = read_with("only", &serde_json::json!(["EMAIL", "SECRET"])).unwrap();
        let types = vec![EntityType::EMAIL, EntityType::SECRET];
        assert_eq!(taken.policy, Policy::Strict(types));
        let none = read_with("only", &serde_json::json!([])).unwrap();
        assert_eq!(none.policy, Policy::strict(Vec::new()));
    }

    #[test]
    fn types_are_switched_on_and_off() {
        let settings = read_with("types", &"LOCATION, -EMAIL,".into()).unwrap();
        let mut found = Vec::new();
        settings.detectors.detect("a@example.com", None, &mut found);
        assert!(found.is_empty());
        assert!(read_with("only", &serde_json::json!(["LOCATION"])).is_err());
    }

    /// Only the first of several errors was once shown.
    #[test]
    fn every_invalid_control_is_reported() {
        let controls = serde_json::json!({
            "built_in": true, "types": "-EMIAL", "names": "never", "terms": "1: x", "patterns": "A: (", "allow": "",
            "min_score": 0, "only": ["PROJECT"], "rules": "{", "operator": "pseudonym", "secret": "", "restore": "gard",
        });
        let errors = read(&controls.to_string()).err().unwrap();
        let controls: Vec<_> = errors.iter().map(|error| error.control).collect();
        let wrong = ["terms", "names", "types", "patterns", "rules", "restore"];
        assert!(wrong.iter().all(|control| controls.contains(control)));
        assert_eq!(controls.len(), wrong.len(), "{controls:?}");
    }

    #[test]
    fn disabled_types_are_listed() {
        let controls = serde_json::json!({
            "built_in": true, "types": "LOCATION, -EMAIL", "names": "careful", "terms": "", "patterns": "VIN: x", "allow": "",
            "min_score": 0, "only": null, "rules": "", "operator": "pseudonym", "secret": "", "restore": "",
        });
        let off = types_off(&controls.to_string());
        assert!(off.contains(&EntityType::EMAIL));
        for name in ["LOCATION", "VIN", "PHONE"] {
            assert!(
                !off.contains(&EntityType::built_in(name).unwrap()),
                "{name}"
            );
        }
    }

    #[test]
    fn blank_lines_are_ignored() {
        assert!(read_with("terms", &"\n PROJECT : Bluebird, Red Kite \n\n".into()).is_ok());
        assert!(read_with("allow", &"\n/\n//\n".into()).is_ok());
    }
}
