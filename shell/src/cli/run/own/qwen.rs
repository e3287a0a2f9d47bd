//! qwen-code: its login chooses the provider. The environment overrides `.env`, options override both, and
//! `modelProviders` overrides everything.

use serde_json::Value;

use super::files::{dotenv, json, text};
use super::{Own, Pointer, Surroundings};
use crate::cli::run::tools::Provider;

/// The logins whose base URL can be set.
const LOGINS: [(&str, Provider); 5] = [
    ("openai", Provider::OpenAi),
    ("openai-responses", Provider::OpenAi),
    ("anthropic", Provider::Anthropic),
    ("gemini", Provider::Gemini),
    ("vertex-ai", Provider::Vertex),
];

const VARIABLES: [(&str, Provider); 4] = [
    ("OPENAI_BASE_URL", Provider::OpenAi),
    ("ANTHROPIC_BASE_URL", Provider::Anthropic),
    ("GOOGLE_GEMINI_BASE_URL", Provider::Gemini),
    ("GOOGLE_VERTEX_BASE_URL", Provider::Vertex),
];

pub(super) fn own(around: &Surroundings<'_>) -> Own {
    let all = settings(around);
    let mut own = Own::default();
    let provider = choose(around, &all, &mut own);
    own.chosen = Some(provider);
    let option = "--openai-base-url";
    if let Some(url) = around.option(&[option]) {
        own.above
            .push(Pointer::new(option.to_owned(), provider, url));
    }
    add_dotenv(around, &mut own);
    for (shown, settings) in &all {
        for (name, provider) in VARIABLES {
            let place = format!("env.{name} in {shown}");
            let url = address(&settings["env"][name]);
            own.below
                .extend(url.map(|url| Pointer::new(place, provider, url)));
        }
        let place = format!("security.auth.baseUrl in {shown}");
        let url = address(&settings["security"]["auth"]["baseUrl"]);
        let pointer = url.map(|url| Pointer::new(place, provider, url));
        match provider {
            // Their variables are read only where nothing else names an address.
            Provider::Gemini | Provider::Vertex => own.above.extend(pointer),
            _ => own.below.extend(pointer),
        }
        if names_an_address(&settings["modelProviders"]) {
            let place = format!("modelProviders in {shown}");
            own.bypass(&place, "of its models to the addresses it contains");
        }
    }
    own
}

/// Every settings file, the strongest first, as it is shown and what is in it.
fn settings(around: &Surroundings<'_>) -> Vec<(String, Value)> {
    let folders = [around.directory.as_path(), around.home.as_path()];
    let files = folders.map(|folder| folder.join(".qwen/settings.json"));
    let files = files
        .into_iter()
        .chain(["/etc/qwen-code/settings.json".into()]);
    files
        .filter_map(|path| Some((around.shown(&path), json(&path)?)))
        .collect()
}

/// The provider of the login that the user chose, or of the one that `run` chooses.
fn choose(around: &Surroundings<'_>, all: &[(String, Value)], own: &mut Own) -> Provider {
    let provider_of = |login: &str| {
        let (_, provider) = LOGINS.iter().find(|(name, _)| *name == login)?;
        Some(*provider)
    };
    if let Some(login) = around.option(&["--auth-type"]) {
        return provider_of(&login).unwrap_or_else(|| {
            own.bypass(&format!("--auth-type {login}"), "to another service");
            Provider::OpenAi
        });
    }
    let mut selected = all
        .iter()
        .filter_map(|(_, settings)| settings["security"]["auth"]["selectedType"].as_str());
    let provider = selected.next().and_then(provider_of);
    own.has_login = provider.is_some();
    provider.unwrap_or(Provider::OpenAi)
}

/// Only the first file is read.
fn add_dotenv(around: &Surroundings<'_>, own: &mut Own) {
    let folders = around.directory.ancestors().chain([around.home.as_path()]);
    let mut files = folders.flat_map(|folder| [folder.join(".qwen/.env"), folder.join(".env")]);
    let file = files.find_map(|path| Some((around.shown(&path), text(&path)?)));
    let Some((shown, text)) = file else { return };
    for (name, provider) in VARIABLES {
        let place = format!("{name} in {shown}");
        let url = dotenv(&text, name);
        own.below
            .extend(url.map(|url| Pointer::new(place, provider, url)));
    }
}

fn address(setting: &Value) -> Option<&str> {
    setting.as_str().filter(|url| !url.is_empty())
}

fn names_an_address(providers: &Value) -> bool {
    let mut lists = providers.as_object().into_iter().flatten();
    lists.any(|(_, models)| {
        let mut models = models.as_array().into_iter().flatten();
        models.any(|model| model["baseUrl"].is_string())
    })
}
