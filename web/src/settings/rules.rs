//! Rules: a JSON object a line, with the names of the proxy's configuration.

use engine::{
    ArgumentTexts, EntityType, Glob, Masks, Origin, Origins, PolicyRule, PolicyRules,
    RestoreAction, RestoreRule, RestoreRules, Schema, UnreachableRule, When,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{SettingsError, filled_lines};

/// One value, or a list of some.
#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Many(Vec<String>),
}

impl Default for Names {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Names {
    fn each(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }

    fn globs(&self) -> Vec<Glob> {
        self.each().iter().map(|name| Glob::new(name)).collect()
    }

    fn origins(&self) -> Result<Origins, &'static str> {
        let origins = self.each().iter().map(|name| Origin::parse(name));
        let mut origins = origins.map(|origin| origin.ok_or("choose user, system or tool"));
        origins.try_fold(Origins::default(), |origins, origin| {
            Ok(origins.with(origin?))
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PolicyLine {
    name: Option<String>,
    route: Names,
    model: Names,
    schema: Names,
    role: Names,
    tool: Names,
    mask: Option<Names>,
    operator: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RestoreLine {
    #[serde(default)]
    tool: Names,
    argument: Option<String>,
    #[serde(default)]
    origin: Names,
    action: String,
}

/// Reads rules of the policy.
///
/// # Errors
/// [`SettingsError`] names the first line that can't be used.
pub(super) fn policy(
    text: &str,
    finds: &dyn Fn(&EntityType) -> bool,
) -> Result<PolicyRules, SettingsError> {
    let mut numbers = Vec::new();
    let mut rules = Vec::new();
    for (number, line) in filled_lines(text) {
        let rule = policy_rule(read(line), number, finds);
        rules.push(rule.map_err(|why| SettingsError::new("rules", number, why))?);
        numbers.push(number);
    }
    let name = |place: usize| format!("line {}", numbers.get(place).copied().unwrap_or_default());
    PolicyRules::checked(rules)
        .map_err(|fault| SettingsError::new("rules", 0, fault.describe(name)))
}

/// Reads the `restore` rules.
///
/// # Errors
/// [`SettingsError`] names the first line that can't be used.
pub(super) fn restore(text: &str) -> Result<RestoreRules, SettingsError> {
    let lines: Vec<_> = filled_lines(text).collect();
    let mut entries = Vec::new();
    for (number, line) in &lines {
        let rules = match *line {
            "guard" => Ok(RestoreRules::guard()),
            line => read(line).and_then(|line| restore_rules(&line)),
        };
        entries.push(rules.map_err(|why| SettingsError::new("restore", *number, why))?);
    }
    let number = |place: usize| lines.get(place).map_or(0, |(number, _)| *number);
    RestoreRules::of_entries(&entries).map_err(|UnreachableRule { entry, earlier }| {
        let (line, earlier) = (number(entry), number(earlier));
        let message =
            format!("line {line} never decides, because line {earlier} is for the same calls");
        SettingsError::new("restore", 0, message)
    })
}

fn read<T: DeserializeOwned>(line: &str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

fn policy_rule(
    line: Result<PolicyLine, String>,
    number: usize,
    finds: &dyn Fn(&EntityType) -> bool,
) -> Result<PolicyRule, String> {
    let line = line?;
    let roles = line.role.origins()?;
    let redacts = match line.operator.as_deref() {
        None => false,
        Some("redact") => true,
        Some(_) => return Err("the operator of a rule must be redact".to_owned()),
    };
    let schema = |name: &String| name.parse::<Schema>().map_err(|()| "no such schema");
    let schemas = line.schema.each().iter().map(schema);
    Ok(PolicyRule {
        name: line.name.unwrap_or_else(|| format!("line {number}")).into(),
        when: When {
            routes: line.route.globs(),
            models: line.model.globs(),
            schemas: schemas.collect::<Result<_, _>>()?,
            roles: (!roles.is_empty()).then_some(roles),
            tools: line.tool.globs(),
            ..When::default()
        },
        mask: line.mask.map(|mask| masks(&mask, finds)).transpose()?,
        redacts,
        detectors: None,
        shadow: false,
    })
}

fn masks(mask: &Names, finds: &dyn Fn(&EntityType) -> bool) -> Result<Masks, String> {
    match mask {
        Names::One(name) if name == "all" => return Ok(Masks::All),
        Names::One(name) if name == "none" => return Ok(Masks::Only(Vec::new())),
        _ => {}
    }
    let entity = |name: &String| {
        let entity = EntityType::parse(name).map_err(|error| error.to_string())?;
        // A misspelt type would let every value of the right one through.
        if finds(&entity) {
            Ok(entity)
        } else {
            Err(format!("no detector finds the type {entity}"))
        }
    };
    let types = mask.each().iter().map(entity);
    types.collect::<Result<_, _>>().map(Masks::Only)
}

fn restore_rules(line: &RestoreLine) -> Result<Vec<RestoreRule>, String> {
    let any = || Glob::new("*");
    let action =
        RestoreAction::parse(&line.action).ok_or("the action must be allow, keep or ask")?;
    let origins = line.origin.origins()?;
    let mut tools = line.tool.globs();
    if tools.is_empty() {
        tools.push(any());
    }
    let rule = |tool| RestoreRule {
        tool,
        argument: line.argument.as_deref().map_or_else(any, Glob::new),
        origins: if origins.is_empty() {
            Origins::ALL
        } else {
            origins
        },
        action,
        texts: ArgumentTexts::All,
    };
    Ok(tools.into_iter().map(rule).collect())
}
