//! The `restore` rules.

use engine::{
    ArgumentTexts, Glob, Origins, RestoreAction, RestoreRule, RestoreRules, UnreachableRule,
};

use super::Error;
use super::error::{all, shown_key, unknown_key};
use super::item::Item;
use super::settings::Kind;
use super::values::Values;
use super::yaml::Node;

const KEYS: &[&str] = &["tool", "argument", "origin", "action"];
const ACTIONS: Kind = Kind::Choice(&["allow", "keep", "ask"]);
const GUARD: &str = "guard";

pub(super) fn rules(values: &Values) -> Result<RestoreRules, Error> {
    let Some(item) = values.get("restore") else {
        return Ok(RestoreRules::default());
    };
    let items = match item.node {
        Node::List(_) => item.list(Kind::Restore)?,
        _ => vec![item],
    };
    let entries = all(items.iter().map(entry))?;
    let asks = |rule: &RestoreRule| rule.action == RestoreAction::Ask;
    if entries.iter().flatten().any(asks)
        && values.required("operator.type")?.choice()? == "surrogate"
    {
        return Err(Error::Conflict(
            "setting 'restore' can't have action ask with operator surrogate, which sends no tokens for most \
             values; use action keep"
                .to_owned(),
        ));
    }
    RestoreRules::of_entries(&entries).map_err(|UnreachableRule { entry, earlier }| {
        let path = |at: usize| items.get(at).map_or("restore", |item| &item.path);
        Error::Conflict(format!(
            "setting '{}' never matches, because '{}' comes first and matches the same calls; put the \
             narrower rule first, or remove one",
            path(entry),
            path(earlier)
        ))
    })
}

fn entry(item: &Item<'_>) -> Result<Vec<RestoreRule>, Error> {
    if let Node::Map(_) = item.node {
        return rule(item);
    }
    match item.text()? {
        GUARD => Ok(RestoreRules::guard()),
        text => Err(item.must_be_like("guard, or a list of rules", text, [GUARD])),
    }
}

fn rule(item: &Item<'_>) -> Result<Vec<RestoreRule>, Error> {
    let any = || Glob::new("*");
    let (mut tools, mut argument) = (vec![any()], any());
    let (mut origins, mut action) = (Origins::ALL, None);
    let entries = item.map(Kind::Text)?.into_iter();
    all(entries.map(|(key, entry)| {
        match key {
            "tool" => tools = entry.each(Kind::Text, Item::glob)?,
            "argument" => argument = entry.glob()?,
            "origin" => origins = entry.origins()?,
            "action" => {
                let name = entry.of_kind(ACTIONS).choice()?;
                action = Some(RestoreAction::parse(name).ok_or_else(|| entry.invalid())?);
            }
            key => {
                let path = format!("{}.{}", item.path, shown_key(key));
                return Err(unknown_key(path, key, KEYS));
            }
        }
        Ok(())
    }))?;
    let Some(action) = action else {
        return Err(Error::Conflict(format!(
            "setting '{}.action' must be set: allow, keep or ask",
            item.path
        )));
    };
    let rules = tools.into_iter().map(|tool| RestoreRule {
        tool,
        argument: argument.clone(),
        origins,
        action,
        texts: ArgumentTexts::All,
    });
    Ok(rules.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Origin;

    fn read(yaml: &str) -> Result<RestoreRules, String> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("x.yaml");
        std::fs::write(&file, yaml).unwrap();
        let values = Values::defaults().with_file(&file).unwrap();
        rules(&values).map_err(|error| error.to_string())
    }

    #[test]
    fn rules_and_the_preset_are_read_in_order() {
        assert!(read("host: localhost").unwrap().is_empty());
        for guard in ["restore: guard", "restore: [guard]"] {
            let rules = read(guard).unwrap();
            assert!(rules.withheld(Some("web_fetch"), None).hold(Origin::Tool));
        }
        let rules = read(
            "restore:\n  - {tool: [fetch, curl], argument: headers.*, action: allow}\n  - guard\n  \
             - {tool: post, origin: [tool, system], action: keep}",
        )
        .unwrap();
        let withheld = |tool, argument| rules.withheld(Some(tool), Some(argument));
        assert!(withheld("curl", "headers.authorization").is_empty());
        assert!(withheld("curl", "url").hold(Origin::Tool));
        assert!(withheld("post", "url").hold(Origin::System));
        assert!(!withheld("post", "url").hold(Origin::User));
    }

    #[test]
    fn an_impossible_rule_fails_with_its_path() {
        for (yaml, expected) in [
            (
                "restore: gard",
                "setting 'restore' must be guard, or a list of rules, did you mean 'guard'?",
            ),
            (
                "restore: [{tool: fetch, action: ask}]\noperator: surrogate",
                "setting 'restore' can't have action ask with operator surrogate, which sends no tokens for most \
                 values; use action keep",
            ),
            (
                "restore: [{tools: fetch, action: keep}]",
                "unknown setting 'restore[0].tools', did you mean 'tool'?",
            ),
            (
                "restore: [{tool: fetch}]",
                "setting 'restore[0].action' must be set: allow, keep or ask",
            ),
            (
                "restore: [{origin: tols, action: keep}]",
                "setting 'restore[0].origin' must be user, system or tool, did you mean 'tool'?",
            ),
            (
                "restore: [{action: kep}]",
                "setting 'restore[0].action' must be allow, keep or ask, did you mean 'keep'?",
            ),
            (
                "restore: [{tool: '*', action: keep}, guard]",
                "setting 'restore[1]' never matches, because 'restore[0]' comes first and matches the same calls; put the \
                 narrower rule first, or remove one",
            ),
        ] {
            assert_eq!(read(yaml).unwrap_err(), expected, "{yaml}");
        }
    }
}
