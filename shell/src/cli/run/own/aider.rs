//! aider: `.env` overrides the environment, and options override both.

use std::path::PathBuf;

use super::files::{dotenv, text, yaml};
use super::{Own, Pointer, Surroundings, models};
use crate::cli::run::tools::Provider;

/// Those of a provider, the strongest first.
const VARIABLES: [(&str, Provider); 4] = [
    ("OPENAI_BASE_URL", Provider::OpenAi),
    ("OPENAI_API_BASE", Provider::OpenAi),
    ("ANTHROPIC_API_BASE", Provider::Anthropic),
    ("ANTHROPIC_BASE_URL", Provider::Anthropic),
];

pub(super) fn own(around: &Surroundings<'_>) -> Own {
    let mut own = Own::default();
    let option = "--openai-api-base";
    if let Some(url) = around.option(&[option]) {
        own.above
            .push(Pointer::new(option.to_owned(), Provider::OpenAi, url));
    }
    let setting = "AIDER_OPENAI_API_BASE";
    if let Some(url) = around.set(setting) {
        own.above
            .push(Pointer::new(setting.to_owned(), Provider::OpenAi, url));
    }
    for path in places(around, ".aider.conf.yml") {
        let Some(text) = text(&path) else { continue };
        let shown = around.shown(&path);
        if let Some(url) = yaml(&text, "openai-api-base") {
            let place = format!("openai-api-base in {shown}");
            own.above.push(Pointer::new(place, Provider::OpenAi, url));
        }
        let sets = |(name, _): &(&str, Provider)| text.contains(&format!("{name}="));
        if VARIABLES.iter().any(sets) {
            own.bypass(&format!("set-env in {shown}"), "to the address it contains");
        }
    }
    let named = around.option(&["--env-file"]).map(PathBuf::from);
    for path in named.into_iter().chain(places(around, ".env")) {
        let path = around.directory.join(path);
        let Some(text) = text(&path) else { continue };
        for (name, provider) in VARIABLES {
            if let Some(url) = dotenv(&text, name) {
                let place = format!("{name} in {}", around.shown(&path));
                own.above.push(Pointer::new(place, provider, url));
                own.set_by_files.push(name);
            }
        }
    }
    for path in places(around, ".aider.model.settings.yml") {
        if text(&path).is_some_and(|text| yaml(&text, "api_base").is_some()) {
            let place = format!("api_base in {}", around.shown(&path));
            own.bypass(&place, "to the address it contains");
        }
    }
    if let Some((place, model)) = model(around) {
        models::select(&mut own, &place, &model);
    }
    own
}

/// The model, and what names it.
fn model(around: &Surroundings<'_>) -> Option<(String, String)> {
    let given = || Some(("--model".to_owned(), around.option(&["--model"])?));
    let variable = || Some(("AIDER_MODEL".to_owned(), around.set("AIDER_MODEL")?));
    let mut files = places(around, ".aider.conf.yml").into_iter();
    let configured = || {
        files.find_map(|path| {
            let model = yaml(&text(&path)?, "model")?;
            Some((format!("model in {}", around.shown(&path)), model))
        })
    };
    given().or_else(variable).or_else(configured)
}

/// Where aider looks for a file, highest priority first.
fn places(around: &Surroundings<'_>, name: &str) -> Vec<PathBuf> {
    let mut folders = vec![around.directory.clone()];
    folders.extend(around.project().pop());
    folders.push(around.home.clone());
    folders.dedup();
    folders.iter().map(|folder| folder.join(name)).collect()
}
