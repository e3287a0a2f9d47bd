//! Rules of the policy, and the names of the clients' keys.

use engine::detect::DetectorSettings;
use engine::route::{Routes, is_credential};
use engine::{
    ClientKeys, Glob, KeyHash, Masks, Origins, Policy, PolicyRule, PolicyRules, Schema, When,
};

use super::Unrouted;
use super::item::Item;
use super::restoring::{each, glob, origin};

/// What the policy says.
#[derive(Debug, Default)]
pub(super) struct Policies {
    pub(super) policy: Policy,
    pub(super) rules: PolicyRules,
    pub(super) keys: ClientKeys,
}

/// What names in rules must be among.
pub(super) struct Known<'k> {
    pub(super) detectors: &'k DetectorSettings,
    pub(super) routes: &'k Routes,
    pub(super) unrouted: Unrouted,
}

/// Reads `default`, `strict`, a list of rules, or a mapping with some of these.
///
/// # Errors
/// Says which setting can't be used, or which rule never decides.
pub(super) fn read(item: Option<Item<'_>>, known: &Known<'_>) -> Result<Policies, String> {
    let Some(item) = item else {
        return Ok(Policies::default());
    };
    if item.is_list() {
        return Ok(Policies {
            rules: rules(&item, known, &ClientKeys::default())?,
            ..Policies::default()
        });
    }
    if item.is_text() {
        return Ok(Policies {
            policy: policy(item.text()?, None, known)?,
            ..Policies::default()
        });
    }
    item.knows(&["type", "allowed", "keys", "rules"])?;
    let kind = item.get("type")?.map(|item| item.text()).transpose()?;
    let keys = item.get("keys")?.map(|item| keys(&item)).transpose()?;
    let keys = keys.unwrap_or_default();
    let rules = item.get("rules")?.map(|item| rules(&item, known, &keys));
    Ok(Policies {
        policy: policy(kind.unwrap_or("default"), item.get("allowed")?, known)?,
        rules: rules.transpose()?.unwrap_or_default(),
        keys,
    })
}

fn policy(kind: &str, allowed: Option<Item<'_>>, known: &Known<'_>) -> Result<Policy, String> {
    match (kind, allowed) {
        ("default", None) => Ok(Policy::Default),
        ("default", Some(_)) => Err(
            "setting 'policy.allowed' is for policy strict; policy default masks every detection"
                .to_owned(),
        ),
        ("strict", None) => Ok(Policy::strict(Vec::new())),
        ("strict", Some(item)) => {
            let found = each(Some(item), |item| entity(item, known))?;
            Ok(Policy::strict(found))
        }
        _ => Err("setting 'policy.type' must be default or strict".to_owned()),
    }
}

/// A type that some detector finds: a misspelt one would let every value of the right one through.
fn entity(item: &Item<'_>, known: &Known<'_>) -> Result<engine::EntityType, String> {
    let entity = item.entity()?;
    if known.detectors.finds(&entity) {
        return Ok(entity);
    }
    Err(item.must_be("an entity type that a detector finds"))
}

fn keys(item: &Item<'_>) -> Result<ClientKeys, String> {
    let read = |(name, item): (&str, Item<'_>)| {
        let hash = KeyHash::parse(item.text()?);
        let hash = hash.ok_or_else(|| item.must_be("what `maskproxy key add NAME` prints"))?;
        Ok((name.to_owned(), hash))
    };
    let keys = item.members()?.into_iter().map(read);
    Ok(keys.collect::<Result<Vec<_>, String>>()?.into())
}

fn rules(item: &Item<'_>, known: &Known<'_>, keys: &ClientKeys) -> Result<PolicyRules, String> {
    let items = item.list()?;
    let rules = items.iter().map(|item| rule(item, known, keys));
    let name = |place: usize| {
        let path = items.get(place).map(Item::path);
        format!("'{}'", path.unwrap_or("policy"))
    };
    PolicyRules::checked(rules.collect::<Result<_, _>>()?)
        .map_err(|fault| format!("setting {}", fault.describe(name)))
}

/// Whether there is a route for a rule.
fn can_match(when: &When, known: &Known<'_>) -> bool {
    let is_for_unrouted = known.unrouted == Unrouted::Mask && when.is_for_schema(Schema::Generic);
    let mut routes = known.routes.iter();
    is_for_unrouted || routes.any(|route| when.is_for_route(&route.path, route.schema))
}

fn rule(item: &Item<'_>, known: &Known<'_>, keys: &ClientKeys) -> Result<PolicyRule, String> {
    item.knows(&[
        "name", "route", "model", "header", "key", "schema", "role", "tool", "mask", "operator",
    ])?;
    let name = item.get("name")?.map(|item| item.filled()).transpose()?;
    let roles = each(item.get("role")?, origin)?;
    let roles = roles.into_iter().fold(Origins::default(), Origins::with);
    let operator = item
        .get("operator")?
        .map(|item| redacts(&item))
        .transpose()?;
    let when = When {
        routes: each(item.get("route")?, |item| route(item, known))?,
        models: each(item.get("model")?, glob)?,
        headers: item
            .get("header")?
            .map_or(Ok(Vec::new()), |item| headers(&item))?,
        keys: each(item.get("key")?, |item| key(item, keys))?,
        schemas: each(item.get("schema")?, schema)?,
        roles: (!roles.is_empty()).then_some(roles),
        tools: each(item.get("tool")?, glob)?,
    };
    if !can_match(&when, known) {
        return Err(format!(
            "setting '{}' never matches: its schema is not that of its routes",
            item.path()
        ));
    }
    Ok(PolicyRule {
        name: name.unwrap_or(item.path()).into(),
        when,
        mask: item
            .get("mask")?
            .map(|item| mask(&item, known))
            .transpose()?,
        redacts: operator.unwrap_or(false),
        detectors: None,
        shadow: false,
    })
}

fn redacts(item: &Item<'_>) -> Result<bool, String> {
    match item.text()? {
        "redact" => Ok(true),
        _ => Err(item.must_be("redact")),
    }
}

fn mask(item: &Item<'_>, known: &Known<'_>) -> Result<Masks, String> {
    if !item.is_text() {
        return Ok(Masks::Only(each(Some(item.clone()), |item| {
            entity(item, known)
        })?));
    }
    match item.text()? {
        "all" => Ok(Masks::All),
        "none" => Ok(Masks::Only(Vec::new())),
        _ => Err(item.must_be("all, none, or a list of entity types")),
    }
}

fn route(item: &Item<'_>, known: &Known<'_>) -> Result<Glob, String> {
    let glob = glob(item)?;
    if known.routes.iter().any(|route| glob.matches(&route.path)) {
        return Ok(glob);
    }
    Err(item.must_be("one of the routes, in which `*` stands for any characters"))
}

fn key(item: &Item<'_>, keys: &ClientKeys) -> Result<String, String> {
    let name = item.text()?;
    if keys.names().any(|known| known == name) {
        return Ok(name.to_owned());
    }
    Err(item.must_be("a name of policy.keys"))
}

fn schema(item: &Item<'_>) -> Result<Schema, String> {
    let schema: Result<Schema, ()> = item.text()?.parse();
    schema.map_err(|()| item.must_be("chat_style, messages_style, responses or generic"))
}

fn headers(item: &Item<'_>) -> Result<Vec<(String, Vec<Glob>)>, String> {
    let read = |(name, item): (&str, Item<'_>)| {
        let name = name.to_ascii_lowercase();
        if is_credential(&name) || name == "cookie" {
            return Err(item.outer_must_be("without credentials: name a key in policy.keys"));
        }
        Ok((name, each(Some(item), glob)?))
    };
    item.members()?.into_iter().map(read).collect()
}
