//! Finds out where a tool's own settings send its requests.
//!
//! If a setting overrides what `run` sets, the user is warned before the tool starts. Otherwise it
//! names the provider that the user wants, so the proxy forwards to it.

mod aider;
mod claude;
mod cline;
mod codex;
mod files;
mod gemini;
mod llm;
mod models;
mod opencode;
mod qwen;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::given::Given;
use super::tools::{Provider, Tool, Way};

pub(super) use cline::VARIABLE as CLINE_FILE;

/// The surroundings that are searched.
pub(super) struct Surroundings<'a> {
    /// Where the tool starts.
    pub(super) directory: PathBuf,
    /// The user's home.
    pub(super) home: PathBuf,
    pub(super) variable: &'a dyn Fn(&str) -> Option<String>,
    /// The tool's options as the user gave them.
    pub(super) options: &'a [OsString],
}

/// A base URL in the tool's settings that ours replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pointer {
    /// The setting and its file, as shown to the user.
    pub(super) place: String,
    pub(super) provider: Provider,
    pub(super) url: String,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// Those that count more than the tool's environment variable, the strongest first.
    pub(super) above: Vec<Pointer>,
    /// Those that count less.
    pub(super) below: Vec<Pointer>,
    /// Variables that files set, whatever the environment says.
    pub(super) set_by_files: Vec<&'static str>,
    /// The provider that the tool uses, where its settings choose one.
    pub(super) chosen: Option<Provider>,
    /// The tool's settings choose a login that `run` can point at the proxy.
    pub(super) has_login: bool,
    /// The provider that the tool uses, by a name of the tool's own settings.
    pub(super) named: Option<String>,
    /// What bypasses the proxy, in sentences.
    pub(super) bypasses: Vec<String>,
    /// Reasons why the tool does not work with a proxy, in sentences.
    pub(super) obstacles: Vec<&'static str>,
    /// Settings to start the tool with, in a separate file.
    pub(super) settings: Option<Map<String, Value>>,
}

impl Own {
    /// Reads what the tool would read. What can't be read is left to the tool.
    pub(super) fn of(tool: &Tool, around: &Surroundings<'_>) -> Self {
        match tool.way {
            Way::ClaudeSettings => claude::own(around),
            Way::ClineSettings => cline::own(around),
            Way::CodexOverrides => codex::own(around),
            Way::OpencodeConfig => opencode::own(around),
            Way::QwenOptions => qwen::own(around),
            Way::AiderOptions => aider::own(around),
            Way::Variables if tool.name == "gemini" => gemini::own(around),
            Way::Variables if tool.name == "llm" => llm::own(around),
            Way::Variables => Self::default(),
        }
    }

    /// Everything that goes past the proxy, in sentences. `is_pointed` says that ours is the base URL of the
    /// provider that the settings name.
    pub(super) fn all_bypasses(&self, is_pointed: bool) -> Vec<String> {
        let mut all = self.bypasses.clone();
        if let Some(named) = self.named.as_ref().filter(|_| !is_pointed) {
            all.push(format!(
                "the tool's settings select the provider {named}, which is not reached through maskproxy: \
                 requests to it are NOT masked (-u with its address masks them)"
            ));
        }
        all
    }

    /// Requests go past the proxy.
    fn bypass(&mut self, place: &str, target: &str) {
        self.bypasses.push(format!(
            "{place} sends requests {target}, bypassing maskproxy: they are NOT masked"
        ));
    }
}

impl Surroundings<'_> {
    /// A variable that is not empty.
    fn set(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// The last option of one of these names.
    fn option(&self, names: &[&str]) -> Option<String> {
        Given::last(self.options, names).map(|given| given.value)
    }
}

impl Pointer {
    fn new(place: String, provider: Provider, url: impl Into<String>) -> Self {
        Self {
            place,
            provider,
            url: url.into(),
        }
    }
}

/// Settings that switch something on.
fn is_on(value: &str) -> bool {
    !matches!(
        value.to_ascii_lowercase().as_str(),
        "" | "0" | "false" | "no" | "off"
    )
}
