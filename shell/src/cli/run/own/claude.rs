//! Claude Code: `--settings` overrides its files, and those override the environment. Only an
//! administrator's file overrides `--settings`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::files::json;
use super::{Own, Pointer, Surroundings, is_on};
use crate::cli::run::tools::Provider;

const BASE_URL: &str = "ANTHROPIC_BASE_URL";

const MANAGED: [&str; 2] = [
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
];

/// What sends requests to a cloud's own interface, which reads no base URL of ours.
const CLOUDS: [(&str, &str); 3] = [
    ("CLAUDE_CODE_USE_BEDROCK", "to Amazon Bedrock"),
    ("CLAUDE_CODE_USE_VERTEX", "to Google Vertex AI"),
    ("CLAUDE_CODE_USE_FOUNDRY", "to Microsoft Foundry"),
];

pub(super) fn own(around: &Surroundings<'_>) -> Own {
    let mut own = Own::default();
    let managed = MANAGED.iter().map(PathBuf::from);
    for (path, settings) in managed.filter_map(|path| Some((path.clone(), json(&path)?))) {
        if variable(&settings, BASE_URL).is_some() {
            let place = format!("{BASE_URL} in {}", path.display());
            own.bypass(&place, "to the address it contains");
        }
        clouds(&mut own, &around.shown(&path), &settings);
    }
    for (shown, settings) in given(around).into_iter().chain(files(around)) {
        if let Some(url) = variable(&settings, BASE_URL) {
            let place = format!("{BASE_URL} in {shown}");
            own.above
                .push(Pointer::new(place, Provider::Anthropic, url));
        }
        clouds(&mut own, &shown, &settings);
    }
    for (name, whither) in CLOUDS {
        if around.set(name).is_some_and(|value| is_on(&value)) {
            own.bypass(name, whither);
        }
    }
    own
}

fn clouds(own: &mut Own, shown: &str, settings: &Value) {
    for (name, whither) in CLOUDS {
        if variable(settings, name).is_some_and(|value| is_on(&value)) {
            own.bypass(&format!("{name} in {shown}"), whither);
        }
    }
}

/// The settings that the user passes.
fn given(around: &Surroundings<'_>) -> Option<(String, Value)> {
    let given = around.option(&["--settings"])?;
    let settings = if given.trim_start().starts_with('{') {
        serde_json::from_str(&given).ok()
    } else {
        json(&around.directory.join(Path::new(&given)))
    };
    Some(("--settings".to_owned(), settings?))
}

/// The settings files, the one that counts most first.
fn files(around: &Surroundings<'_>) -> Vec<(String, Value)> {
    let user = around
        .set("CLAUDE_CONFIG_DIR")
        .map_or_else(|| around.home.join(".claude"), PathBuf::from);
    let project = around.directory.join(".claude");
    let paths = [
        project.join("settings.local.json"),
        project.join("settings.json"),
        user.join("settings.json"),
    ];
    let read = |path: &PathBuf| Some((around.shown(path), json(path)?));
    paths.iter().filter_map(read).collect()
}

fn variable(settings: &Value, name: &str) -> Option<String> {
    match settings.get("env")?.get(name)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::String(_) | Value::Null => None,
        other => Some(other.to_string()),
    }
}
