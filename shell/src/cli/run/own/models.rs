//! The provider that a model's name selects, for tools that reach many.

use super::Own;
use crate::cli::run::tools::Provider;

/// What the names of models begin with where no provider precedes them.
const BEGINNINGS: [(&str, &str); 16] = [
    ("4o", "openai"),
    ("chatgpt", "openai"),
    ("claude", "anthropic"),
    ("command", "cohere"),
    ("deepseek", "deepseek"),
    ("flash", "gemini"),
    ("gemini", "gemini"),
    ("gpt", "openai"),
    ("grok", "xai"),
    ("haiku", "anthropic"),
    ("mistral", "mistral"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("opus", "anthropic"),
    ("sonnet", "anthropic"),
];

/// The tool uses this model, as `place` says: its provider is the one that is served, or its requests go past the
/// proxy. A name that tells nothing changes nothing.
pub(super) fn select(own: &mut Own, place: &str, model: &str) {
    match provider(model) {
        Some("openai") => own.chosen = Some(Provider::OpenAi),
        Some("anthropic") => own.chosen = Some(Provider::Anthropic),
        Some(name) => own.bypass(&format!("{model} ({place})"), &format!("to {name}")),
        None => {}
    }
}

fn provider(model: &str) -> Option<&str> {
    if let Some((provider, _)) = model.split_once('/') {
        return Some(provider);
    }
    let known = BEGINNINGS
        .iter()
        .find(|(start, _)| model.starts_with(start));
    known.map(|(_, provider)| *provider)
}
