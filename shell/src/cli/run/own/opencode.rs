//! opencode: each provider has a base URL, and the model selects the provider.

use std::path::PathBuf;

use serde_json::Value;

use super::files::json;
use super::{Own, Pointer, Surroundings};
use crate::cli::run::tools::Provider;

pub(super) fn own(around: &Surroundings<'_>) -> Own {
    let mut own = Own::default();
    let files = files(around);
    let given = around.option(&["-m", "--model"]);
    let configured = || {
        files
            .iter()
            .find_map(|(_, config)| config["model"].as_str())
    };
    let model = given.as_deref().or_else(configured);
    let used = model.and_then(|model| Some(model.split_once('/')?.0.to_owned()));
    for (shown, config) in &files {
        for (id, settings) in config["provider"].as_object().into_iter().flatten() {
            let Some(url) = settings["options"]["baseURL"].as_str() else {
                continue;
            };
            let place = format!("provider.{id}.options.baseURL in {shown}");
            match known(id) {
                Some(provider) => own.above.push(Pointer::new(place, provider, url)),
                // It is asked by the chat format.
                None if used.as_ref() == Some(id) => {
                    own.above
                        .insert(0, Pointer::new(place, Provider::OpenAi, url));
                }
                None => own.bypass(&place, "to the address it contains"),
            }
        }
    }
    match used {
        Some(id) if known(&id).is_some() => own.chosen = known(&id),
        used => own.named = used,
    }
    own
}

fn known(id: &str) -> Option<Provider> {
    match id {
        "anthropic" => Some(Provider::Anthropic),
        "openai" => Some(Provider::OpenAi),
        _ => None,
    }
}

/// The configuration files, the one that counts most first.
fn files(around: &Surroundings<'_>) -> Vec<(String, Value)> {
    let config = around.set("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = config.unwrap_or_else(|| around.home.join(".config"));
    let mut folders = around.project();
    folders.extend(
        around
            .project()
            .iter()
            .map(|folder| folder.join(".opencode")),
    );
    folders.push(config.join("opencode"));
    let mut paths: Vec<_> = around
        .set("OPENCODE_CONFIG")
        .map(PathBuf::from)
        .into_iter()
        .collect();
    for folder in folders {
        paths.extend(["opencode.jsonc", "opencode.json"].map(|name| folder.join(name)));
    }
    let read = |path: &PathBuf| Some((around.shown(path), json(path)?));
    paths.iter().filter_map(read).collect()
}
