//! Cline's command line: a file of providers with base URLs. A variable can name another file.

use std::path::PathBuf;

use serde_json::Value;

use super::files::json;
use super::{Own, Pointer, Surroundings};
use crate::cli::run::tools::Provider;

/// The variable that names the file.
pub(in super::super) const VARIABLE: &str = "CLINE_PROVIDER_SETTINGS_PATH";

pub(super) fn own(around: &Surroundings<'_>) -> Own {
    let mut own = Own::default();
    // It wins over the variable.
    if around.option(&["--data-dir"]).is_some() {
        own.bypass("--data-dir", "to the provider that is set up there");
        return own;
    }
    let path = path(around);
    let shown = around.shown(&path);
    let Some(Value::Object(settings)) = json(&path) else {
        own.bypass(
            &format!("Cline without {shown}"),
            "to the provider that it is set up for",
        );
        return own;
    };
    let given = around.option(&["-P", "--provider"]);
    let last = settings.get("lastUsedProvider").and_then(Value::as_str);
    let Some(id) = given.as_deref().or(last) else {
        own.bypass(&shown, "to Cline's own service");
        return own;
    };
    let entry_of = |id: &str| settings.get("providers").and_then(|all| all.get(id));
    // The file uses another name than the command line.
    let id = match id {
        "openai" if entry_of(id).is_none() => "openai-compatible".to_owned(),
        id => id.to_owned(),
    };
    let entry = entry_of(&id);
    let url = entry.and_then(|entry| entry["settings"]["baseUrl"].as_str());
    let public = match id.as_str() {
        "anthropic" => Some((Provider::Anthropic, "https://api.anthropic.com/v1")),
        "openai-native" => Some((Provider::OpenAi, "https://api.openai.com/v1")),
        "gemini" => Some((
            Provider::Gemini,
            "https://generativelanguage.googleapis.com/v1beta",
        )),
        "openrouter" => Some((Provider::OpenAi, "https://openrouter.ai/api/v1")),
        _ => None,
    };
    let provider = public.map_or(Provider::OpenAi, |(provider, _)| provider);
    match (entry, url.or(public.map(|(_, url)| url))) {
        (Some(_), Some(url)) if !url.is_empty() => {
            let place = format!("providers.{id} in {shown}");
            own.above.push(Pointer::new(place, provider, url));
            own.named = Some(id);
            own.settings = Some(settings);
        }
        _ => own.bypass(&format!("the provider {id} in {shown}"), "to its service"),
    }
    own
}

fn path(around: &Surroundings<'_>) -> PathBuf {
    if let Some(path) = around.set(VARIABLE) {
        return path.into();
    }
    let data = around.set("CLINE_DATA_DIR").map(PathBuf::from);
    let data = data.unwrap_or_else(|| {
        let folder = around.option(&["--config"]);
        let folder = folder
            .or_else(|| around.set("CLINE_DIR"))
            .map(PathBuf::from);
        folder
            .unwrap_or_else(|| around.home.join(".cline"))
            .join("data")
    });
    data.join("settings/providers.json")
}
