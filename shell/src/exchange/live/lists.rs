//! Changes the lists: never mask a value, always mask it, or neither.

use engine::{EntityType, Sensitive, Settings};
use http::{Response, StatusCode};
use serde_json::{Value as Json, json};

use super::recorder::Live;
use super::{as_json, forgotten, refused, values};
use crate::config::{List, Lists, Unlisted};
use crate::exchange::deliver::Delivered;

/// Puts a value that was masked, or a text, into a list. Answers with the names of what lets its type pass all the same.
pub(super) async fn put(
    live: &Live,
    lists: Option<&Lists>,
    settings: &Settings,
    body: &[u8],
) -> Response<Delivered> {
    let Some(lists) = lists.cloned() else {
        return refused(
            StatusCode::CONFLICT,
            "there is no lists file; start maskproxy with --lists FILE",
        );
    };
    let Ok(wanted) = serde_json::from_slice::<Json>(body) else {
        return refused(
            StatusCode::BAD_REQUEST,
            "that is no JSON, or its text is no valid Unicode",
        );
    };
    let list = match (wanted["list"].as_str(), entity(&wanted)) {
        (Some("never"), _) => List::Never,
        (Some("neither"), _) => List::Neither,
        (Some("always"), Some(entity)) => List::Always(entity),
        (Some("always"), None) => {
            return refused(
                StatusCode::BAD_REQUEST,
                "a type is a letter, then letters, digits and underscores, at most 64 characters",
            );
        }
        _ => {
            return refused(
                StatusCode::BAD_REQUEST,
                "a list is never, always or neither",
            );
        }
    };
    let Some(value) = value(live, &wanted) else {
        return forgotten();
    };
    let described = described(&list);
    let passing = match &list {
        List::Always(entity) => passing(settings, entity),
        _ => Vec::new(),
    };
    match tokio::task::spawn_blocking(move || lists.put(value.expose(), &list)).await {
        Ok(Ok(())) => {
            tracing::info!("the live page had a value {described}");
            as_json(StatusCode::OK, &json!({ "passing": passing }))
        }
        Ok(Err(error @ Unlisted::Value)) => refused(StatusCode::BAD_REQUEST, &error.to_string()),
        Ok(Err(error)) => refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        Err(_) => refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "an internal error; the log says where",
        ),
    }
}

/// What lets values of a type reach the provider: the policy, and rules by their names.
fn passing(settings: &Settings, entity: &EntityType) -> Vec<String> {
    let policy = (!settings.policy.masks(entity)).then(|| "the policy".to_owned());
    let rules = settings.rules.passing(&settings.policy, entity);
    let rules = rules.map(|rule| format!("the rule {}", rule.name));
    policy.into_iter().chain(rules).collect()
}

fn entity(wanted: &Json) -> Option<EntityType> {
    EntityType::parse(wanted["type"].as_str()?).ok()
}

fn value(live: &Live, wanted: &Json) -> Option<Sensitive<String>> {
    if let Some(text) = wanted["text"].as_str() {
        return Some(Sensitive::new(text.to_owned()));
    }
    let value = usize::try_from(wanted["value"].as_u64()?).ok()?;
    live.with(|state| {
        let (values, _) = values::of(state.get(wanted["exchange"].as_u64()?)?);
        Some(values.get(value)?.plain().clone())
    })
}

fn described(list: &List) -> &'static str {
    match list {
        List::Never => "listed as never masked",
        List::Always(_) => "listed as always masked",
        List::Neither => "taken out of the lists",
    }
}
