//! Policy rules.

use engine::route::{Routes, is_credential};
use engine::{ClientKeys, Glob, Masks, PolicyRule, PolicyRules, Schema, When};

use super::Error;
use super::detector::DetectorChoice;
use super::entry;
use super::error::{all, shown_key, unknown_key};
use super::item::Item;
use super::routes::Unrouted;
use super::settings::Kind;
use super::values::Values;
use super::yaml::Node;

const KEYS: &[&str] = &[
    "name",
    "route",
    "model",
    "header",
    "key",
    "schema",
    "role",
    "tool",
    "mask",
    "operator",
    "detectors",
    "shadow",
];
const OPERATORS: Kind = Kind::Choice(&["redact"]);

/// What the names in rules must be among. If a part can't be used itself, any name is accepted.
pub(super) struct Known<'k> {
    pub(super) detectors: Option<&'k DetectorChoice>,
    /// Also whether other paths are masked.
    pub(super) routes: Option<(&'k Routes, Unrouted)>,
    pub(super) keys: Option<&'k ClientKeys>,
}

pub(super) fn rules(values: &Values, known: &Known<'_>) -> Result<PolicyRules, Error> {
    let Some(item) = values.get("policy.rules") else {
        return Ok(PolicyRules::default());
    };
    if values.required("policy.type")?.choice()? == "shadow" {
        return Err(Error::Conflict(
            "policy shadow applies to every request, so 'policy.rules' has no effect; set `shadow: true` in \
             a rule instead"
                .to_owned(),
        ));
    }
    let items = item.list(Kind::Rules)?;
    let rules = all(items.iter().map(|item| rule(item, known)))?;
    let with_schemas = rules.iter().map(|rule| with_schemas(rule, known));
    PolicyRules::checked(with_schemas.collect()).map_err(|fault| {
        let path = |place: usize| items.get(place).map_or("policy.rules", |item| &item.path);
        let fault = fault.describe(|place| format!("'{}'", path(place)));
        Error::Conflict(format!("setting {fault}"))
    })?;
    Ok(rules.into())
}

/// The same rule with the schemas of its routes, which an earlier rule may cover.
fn with_schemas(rule: &PolicyRule, known: &Known<'_>) -> PolicyRule {
    let mut rule = rule.clone();
    let Some((routes, unrouted)) = known.routes.filter(|_| rule.when.schemas.is_empty()) else {
        return rule;
    };
    let is_of_route = |schema: &Schema| {
        let is_for_unrouted = unrouted == Unrouted::Mask && *schema == Schema::Generic;
        is_for_unrouted
            || routes.iter().any(|route| {
                route.schema == *schema && rule.when.is_for_route(&route.path, route.schema)
            })
    };
    let schemas: Vec<_> = Schema::ALL.into_iter().filter(is_of_route).collect();
    if schemas.len() < Schema::ALL.len() {
        rule.when.schemas = schemas;
    }
    rule
}

fn rule(item: &Item<'_>, known: &Known<'_>) -> Result<PolicyRule, Error> {
    let mut rule = PolicyRule {
        name: item.path.as_ref().into(),
        when: When::default(),
        mask: None,
        redacts: false,
        detectors: None,
        shadow: false,
    };
    let Node::Map(_) = item.node else {
        return Err(item.must_be("a mapping such as {role: tool, mask: none}"));
    };
    let entries = item.map(Kind::Text)?.into_iter();
    all(entries.map(|(key, entry)| {
        match key {
            "name" => rule.name = name(&entry)?.into(),
            "mask" => rule.mask = Some(mask(&entry, known)?),
            "operator" => rule.redacts = entry.of_kind(OPERATORS).choice()? == "redact",
            "detectors" => rule.detectors = Some(detectors(&entry, known)?),
            "shadow" => rule.shadow = entry.of_kind(Kind::Boolean).boolean()?,
            _ => condition(&mut rule.when, key, &entry, item, known)?,
        }
        Ok(())
    }))?;
    if !can_match(&rule.when, known) {
        return Err(Error::Conflict(format!(
            "setting '{}' never matches: its schema is not that of its routes; `maskproxy config --routes` lists them",
            item.path
        )));
    }
    Ok(rule)
}

/// Whether there is a route for a rule.
fn can_match(when: &When, known: &Known<'_>) -> bool {
    let Some((routes, unrouted)) = known.routes else {
        return true;
    };
    let is_for_unrouted = unrouted == Unrouted::Mask && when.is_for_schema(Schema::Generic);
    let mut routes = routes.iter();
    is_for_unrouted || routes.any(|route| when.is_for_route(&route.path, route.schema))
}

fn condition(
    when: &mut When,
    key: &str,
    entry: &Item<'_>,
    rule: &Item<'_>,
    known: &Known<'_>,
) -> Result<(), Error> {
    match key {
        "route" => when.routes = entry.each(Kind::Text, |item| route(item, known))?,
        "model" => when.models = entry.each(Kind::Text, Item::glob)?,
        "header" => when.headers = headers(entry)?,
        "key" => when.keys = entry.each(Kind::Text, |item| client_key(item, known))?,
        "schema" => when.schemas = entry.each(Kind::Text, Item::schema)?,
        "role" => when.roles = Some(entry.origins()?),
        "tool" => when.tools = entry.each(Kind::Text, Item::glob)?,
        key => {
            let path = format!("{}.{}", rule.path, shown_key(key));
            return Err(unknown_key(path, key, KEYS));
        }
    }
    Ok(())
}

fn name<'a>(item: &Item<'a>) -> Result<&'a str, Error> {
    let name = item.text()?;
    if name.is_empty() || shown_key(name) != name {
        return Err(item.must_be("letters, digits, `-`, `_` and `.`, at most 40"));
    }
    Ok(name)
}

fn mask(item: &Item<'_>, known: &Known<'_>) -> Result<Masks, Error> {
    const EXPECTED: &str = "all, none, or a list of entity types";
    if let Node::Text(_) = item.node {
        return match item.text()? {
            "all" => Ok(Masks::All),
            "none" => Ok(Masks::Only(Vec::new())),
            other => Err(item.must_be_like(EXPECTED, other, ["all", "none"])),
        };
    }
    match item.node {
        Node::List(list) if !list.is_empty() => {}
        _ => return Err(item.must_be(EXPECTED)),
    }
    let types = entry::entities(item)?;
    entry::check_found(item, &types, known.detectors)?;
    Ok(Masks::Only(types))
}

/// The external detectors; the engine's own scan every request.
fn detectors(item: &Item<'_>, known: &Known<'_>) -> Result<Vec<String>, Error> {
    let names = known.detectors.map(DetectorChoice::names);
    let read = |item: &Item<'_>| {
        let name = item.text()?;
        let Some(names) = names.as_ref().filter(|names| !names.contains(&name)) else {
            return Ok(name.to_owned());
        };
        let expected = format!("one of the configured detectors ({})", names.join(", "));
        Err(item.must_be_like(expected, name, names.iter().copied()))
    };
    match item.node {
        Node::List(_) => all(item.list(Kind::Text)?.iter().map(read)),
        _ => Ok(vec![read(item)?]),
    }
}

fn route(item: &Item<'_>, known: &Known<'_>) -> Result<Glob, Error> {
    let glob = item.glob()?;
    let mut paths = known.routes.map(|(routes, _)| routes.iter());
    if paths
        .as_mut()
        .is_none_or(|paths| paths.any(|route| glob.matches(&route.path)))
    {
        return Ok(glob);
    }
    Err(item.must_be(
        "one of the routes, in which `*` matches any characters; `maskproxy config --routes` lists them, and \
         proxy.add_routes adds more",
    ))
}

fn client_key(item: &Item<'_>, known: &Known<'_>) -> Result<String, Error> {
    let name = item.text()?;
    if known
        .keys
        .is_none_or(|keys| keys.names().any(|known| known == name))
    {
        return Ok(name.to_owned());
    }
    Err(item.must_be("a name from policy.keys; `maskproxy key add NAME` creates an entry"))
}

fn headers(item: &Item<'_>) -> Result<Vec<(String, Vec<Glob>)>, Error> {
    let map = item.map(Kind::Text)?;
    if map.is_empty() {
        return Err(item.must_be("a mapping of header names to values"));
    }
    let headers = map.into_iter().map(|(name, values)| {
        let name = name.to_ascii_lowercase();
        if is_credential(&name) || name == "cookie" {
            return Err(Error::Conflict(format!(
                "setting '{}' would contain a credential: name it with `maskproxy key add` and use 'key'",
                values.path
            )));
        }
        http::HeaderName::try_from(&name).map_err(|_| item.must_be("a mapping of header names to values"))?;
        Ok((name, values.each(Kind::Text, Item::glob)?))
    });
    all(headers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use engine::KeyHash;

    fn read(yaml: &str) -> Result<PolicyRules, String> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("x.yaml");
        std::fs::write(&file, yaml).unwrap();
        let values = Values::defaults().with_file(&file);
        let config = values.and_then(|values| Config::resolve(&values));
        config
            .map(|config| config.engine.rules)
            .map_err(|error| match error {
                Error::At { error, .. } => error.to_string(),
                error => error.to_string(),
            })
    }

    #[test]
    fn the_example_of_the_page_works() {
        let page = include_str!("../../../docs/policy.md");
        let example = page.split("```yaml\n").nth(1).unwrap();
        let example = example.split("```").next().unwrap();
        assert_eq!(read(example).unwrap().iter().count(), 4);
    }

    #[test]
    fn rules_are_read_in_order_in_either_form() {
        assert!(read("policy: strict").unwrap().is_empty());
        for yaml in [
            "policy: [{name: a, role: tool, mask: [EMAIL]}, {mask: none}]",
            "policy: {type: strict, allowed: [EMAIL], rules: [{name: a, role: tool, mask: [EMAIL]}, {mask: none}]}",
        ] {
            let rules = read(yaml).unwrap();
            let names: Vec<_> = rules.iter().map(|rule| &*rule.name).collect();
            assert_eq!(names, ["a", "policy.rules[1]"]);
        }
        let entry = KeyHash::of(b"k", [0; KeyHash::SALT]).entry();
        let yaml = format!("policy: {{keys: {{a: '{entry}'}}, rules: [{{key: a, shadow: true}}]}}");
        assert!(read(&yaml).unwrap().iter().all(|rule| rule.shadow));
    }

    /// A request without a route is generic where it is masked.
    #[test]
    fn a_generic_rule_can_match_unrouted_requests() {
        let yaml = "proxy: {routes: {/v1/messages: messages_style}}\npolicy.rules: [{schema: generic, mask: none}]";
        let error = read(yaml).unwrap_err();
        assert!(
            error.starts_with("setting 'policy.rules[0]' never matches"),
            "{error}"
        );
        assert!(read(&yaml.replace("}}\n", "}, unrouted: mask}\n")).is_ok());
    }

    #[test]
    fn an_impossible_rule_fails_with_its_path() {
        for (rules, expected) in [
            (
                "[{rol: tool, mask: all}]",
                "unknown setting 'policy.rules[0].rol', did you mean 'role'?",
            ),
            (
                "[{route: /v2/nowhere, mask: all}]",
                "setting 'policy.rules[0].route' must be one of the routes",
            ),
            (
                "[{role: tols, mask: all}]",
                "setting 'policy.rules[0].role' must be user, system or tool, did you mean 'tool'?",
            ),
            (
                "[{role: tool, mask: [E_MAIL]}]",
                "setting 'policy.rules[0].mask' must be a list of entity types that a detector finds, did you mean 'EMAIL'?",
            ),
            (
                "[{role: tool, mask: non}]",
                "setting 'policy.rules[0].mask' must be all, none, or a list of entity types, did you mean 'none'?",
            ),
            (
                "[{key: a, mask: none}]",
                "setting 'policy.rules[0].key' must be a name from policy.keys; `maskproxy key add NAME` \
                 creates an entry",
            ),
            (
                "[{detectors: [presidio]}]",
                "setting 'policy.rules[0].detectors[0]' must be one of the configured detectors (regex)",
            ),
            (
                "[{operator: encrypt}]",
                "setting 'policy.rules[0].operator' must be redact",
            ),
            (
                "[{header: {Authorization: x}, mask: none}]",
                "setting 'policy.rules[0].header.Authorization' would contain a credential",
            ),
            (
                "[{role: tool}]",
                "setting 'policy.rules[0]' has no effect: set mask",
            ),
            (
                "[{role: user, tool: read, mask: none}]",
                "setting 'policy.rules[0]' matches no text: a tool's result has the role tool",
            ),
            (
                "[{role: tool, operator: redact}]",
                "setting 'policy.rules[0]' has role or tool, which match single texts",
            ),
            (
                "[{model: x, shadow: true}]",
                "setting 'policy.rules[0]' has shadow, which is evaluated before the body is read",
            ),
            (
                "[{role: tool, mask: none}, {shadow: true}]",
                "setting 'policy.rules[1]' has shadow, which is evaluated before the body is read, and 'policy.rules[0]'",
            ),
            (
                "[{model: 'gpt-*', mask: none}, {model: 'gpt-*', role: tool, mask: all}]",
                "setting 'policy.rules[1]' never matches, because 'policy.rules[0]' comes first and matches \
                 the same requests",
            ),
            // The only schema of its route.
            (
                "[{schema: messages_style, mask: none}, {route: /v1/messages, mask: all}]",
                "setting 'policy.rules[1]' never matches, because 'policy.rules[0]' comes first and matches \
                 the same requests",
            ),
            (
                "[{route: /v1/messages, schema: chat_style, mask: none}]",
                "setting 'policy.rules[0]' never matches: its schema is not that of its routes",
            ),
            (
                "[{header: {X-Team: a, x-team: b}, mask: none}]",
                "setting 'policy.rules[0]' names a header twice",
            ),
            (
                "[{name: a, role: user, mask: none}, {role: tool, mask: none}, {role: [tool, user], mask: all}]",
                "setting 'policy.rules[2]' never matches, because 'policy.rules[0]' and 'policy.rules[1]' come first and \
                 match the same requests",
            ),
            (
                "[{name: a, role: tool, mask: none}, {name: a, role: user, mask: all}]",
                "setting 'policy.rules[1]' has the same name as 'policy.rules[0]'",
            ),
        ] {
            let error = read(&format!("policy: {rules}")).unwrap_err();
            assert!(error.starts_with(expected), "{rules}: {error}");
        }
        let shadow = read("policy: {type: shadow, rules: [{mask: all}]}").unwrap_err();
        assert!(
            shadow.starts_with("policy shadow applies to every request"),
            "{shadow}"
        );
        let key = read("policy.keys: {a: sk-real-key}").unwrap_err();
        assert!(
            key.contains("policy.keys.a") && !key.contains("sk-real"),
            "{key}"
        );
    }
}
