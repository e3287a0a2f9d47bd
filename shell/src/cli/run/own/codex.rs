//! Codex: command-line overrides win over its file, but only those of the provider in use.

use std::path::PathBuf;

use toml::{Table, Value};

use super::files::{json, toml};
use super::{Own, Pointer, Surroundings};
use crate::cli::run::given::Given;
use crate::cli::run::tools::Provider;

/// The built-in provider, which `openai_base_url` is for.
const BUILT_IN: &str = "openai";

pub(super) fn own(around: &Surroundings<'_>) -> Own {
    let folder = around
        .set("CODEX_HOME")
        .map_or_else(|| around.home.join(".codex"), PathBuf::from);
    let path = folder.join("config.toml");
    let shown = around.shown(&path);
    let file = toml(&path).unwrap_or_default();
    let mut settings = file.clone();
    if let Some(profile) = profile(around, &file) {
        settings.extend(profile);
    }
    let mut place = shown.clone();
    for (name, value) in overrides(around) {
        if name.ends_with("base_url") || name == "model_provider" {
            "-c".clone_into(&mut place);
        }
        set(&mut settings, &name, value);
    }

    let mut own = Own::default();
    let id = text(&settings, "model_provider")
        .unwrap_or(BUILT_IN)
        .to_owned();
    let (setting, url) = if id == BUILT_IN {
        let url = text(&settings, "openai_base_url");
        ("openai_base_url".to_owned(), url)
    } else {
        let provider = settings.get("model_providers").and_then(|all| all.get(&id));
        let url = provider.and_then(|provider| provider.get("base_url")?.as_str());
        (format!("model_providers.{id}.base_url"), url)
    };
    if let Some(url) = url {
        let place = format!("{setting} in {place}");
        own.above.push(Pointer::new(place, Provider::OpenAi, url));
    }
    if id != BUILT_IN {
        own.named = Some(id);
    } else if is_chatgpt_login(&folder) && around.set("CODEX_API_KEY").is_none() {
        let place = format!(
            "the ChatGPT login in {}",
            around.shown(&folder.join("auth.json"))
        );
        own.bypass(&place, "to chatgpt.com");
    }
    if around.options.iter().any(|option| option == "--oss") {
        own.bypass("--oss", "to a model on this machine");
    }
    own
}

/// What the profile in use sets.
fn profile(around: &Surroundings<'_>, file: &Table) -> Option<Table> {
    let given = around.option(&["-p", "--profile"]);
    let name = given.as_deref().or_else(|| text(file, "profile"))?;
    file.get("profiles")?.get(name)?.as_table().cloned()
}

/// The overrides that the user gives, in their order.
fn overrides(around: &Surroundings<'_>) -> Vec<(String, Value)> {
    let mut overrides = Vec::new();
    let mut options = around.options;
    while let Some(given) = Given::last(options, &["-c", "--config"]) {
        if let Some((name, value)) = given.value.split_once('=') {
            let value = format!("x = {value}").parse::<Table>().ok();
            let value = value.and_then(|mut table| table.remove("x"));
            // A value that is not TOML is a text.
            let text = || {
                Value::String(
                    given
                        .value
                        .split_once('=')
                        .map_or("", |(_, text)| text)
                        .to_owned(),
                )
            };
            overrides.push((name.trim().to_owned(), value.unwrap_or_else(text)));
        }
        options = options.get(..given.begin).unwrap_or_default();
    }
    overrides.reverse();
    overrides
}

/// Sets a value by its dotted name.
fn set(settings: &mut Table, name: &str, value: Value) {
    match name.split_once('.') {
        None => {
            settings.insert(name.to_owned(), value);
        }
        Some((first, rest)) => {
            let inner = settings
                .entry(first)
                .or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                set(inner, rest, value);
            }
        }
    }
}

fn text<'a>(settings: &'a Table, name: &str) -> Option<&'a str> {
    settings.get(name)?.as_str()
}

fn is_chatgpt_login(folder: &std::path::Path) -> bool {
    let login = json(&folder.join("auth.json")).unwrap_or_default();
    login["OPENAI_API_KEY"].is_null() && login["tokens"].is_object()
}
