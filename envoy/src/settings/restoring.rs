//! The `restore` rules.

use engine::{
    ArgumentTexts, Glob, Operator, Origin, Origins, RestoreAction, RestoreRule, RestoreRules,
    UnreachableRule,
};

use super::item::Item;

/// Reads `guard`, or a list of rules.
///
/// # Errors
/// Says which rule can't be used, or never decides.
pub(super) fn read(item: Option<Item<'_>>, operator: &Operator) -> Result<RestoreRules, String> {
    let Some(item) = item else {
        return Ok(RestoreRules::default());
    };
    let entries: Vec<_> = if item.is_list() {
        item.list()?.iter().map(entry).collect::<Result<_, _>>()?
    } else {
        vec![entry(&item)?]
    };
    let asks = |rule: &RestoreRule| rule.action == RestoreAction::Ask;
    if matches!(operator, Operator::Surrogate(_)) && entries.iter().flatten().any(asks) {
        return Err(
            "setting 'restore' can't have action ask with operator surrogate, which sends no tokens for most \
             values; use action keep"
                .to_owned(),
        );
    }
    RestoreRules::of_entries(&entries).map_err(|UnreachableRule { entry, earlier }| {
        format!(
            "setting 'restore[{entry}]' never decides, because 'restore[{earlier}]' comes first and is for the same calls; \
             put the narrower rule first, or leave one out"
        )
    })
}

fn entry(item: &Item<'_>) -> Result<Vec<RestoreRule>, String> {
    if item.is_text() {
        return match item.text()? {
            "guard" => Ok(RestoreRules::guard()),
            _ => Err(item.must_be("guard, or a list of rules")),
        };
    }
    item.knows(&["tool", "argument", "origin", "action"])?;
    let tools = each(item.get("tool")?, glob)?;
    let argument = item.get("argument")?.as_ref().map(glob).transpose()?;
    let origins = each(item.get("origin")?, origin)?;
    let Some(action) = item.get("action")?.as_ref().map(action).transpose()? else {
        return Err(item.must_be("a rule with an action: allow, keep or ask"));
    };
    let rule = |tool| RestoreRule {
        tool,
        argument: argument.clone().unwrap_or_else(any),
        origins: match &*origins {
            [] => Origins::ALL,
            listed => listed
                .iter()
                .copied()
                .fold(Origins::default(), Origins::with),
        },
        action,
        texts: ArgumentTexts::All,
    };
    let tools = if tools.is_empty() { vec![any()] } else { tools };
    Ok(tools.into_iter().map(rule).collect())
}

/// One value, or a list of some; nothing when it is left out.
pub(super) fn each<T>(
    item: Option<Item<'_>>,
    read: impl Fn(&Item<'_>) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    match item {
        None => Ok(Vec::new()),
        Some(item) if item.is_list() => match &*item.list()? {
            [] => Err(item.must_be("one value, or a list of some")),
            listed => listed.iter().map(read).collect(),
        },
        Some(item) => Ok(vec![read(&item)?]),
    }
}

fn any() -> Glob {
    Glob::new("*")
}

pub(super) fn glob(item: &Item<'_>) -> Result<Glob, String> {
    item.filled().map(Glob::new)
}

pub(super) fn origin(item: &Item<'_>) -> Result<Origin, String> {
    Origin::parse(item.text()?).ok_or_else(|| item.must_be("user, system or tool"))
}

fn action(item: &Item<'_>) -> Result<RestoreAction, String> {
    RestoreAction::parse(item.text()?).ok_or_else(|| item.must_be("allow, keep or ask"))
}
