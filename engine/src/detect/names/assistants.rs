//! Names of assistants and their makers, which must stay readable: `You are Claude Code`.

use crate::detect::bytes;

#[rustfmt::skip]
static ASSISTANTS: bytes::Words = bytes::Words::of(&[
    "claude", "codex", "gemini", "copilot", "cline", "aider", "cursor", "vercel", "anthropic", "openai", "chatgpt", "llama",
    "mistral", "qwen", "grok", "devin", "windsurf", "opencode", "ollama", "perplexity", "siri", "alexa", "cortana", "bard",
    "sonnet", "opus", "haiku", "kimi", "deepseek", "goose", "jules", "kiro",
]);
/// What their names may continue with. `Claude Dupont` is a person.
#[rustfmt::skip]
static EDITIONS: bytes::Words = bytes::Words::of(&[
    "code", "sonnet", "opus", "haiku", "desktop", "cli", "ai", "sdk", "api", "pro", "max", "instant", "agent", "agents",
    "flash", "ultra", "nano", "chat", "studio", "large", "small", "coder", "workspace", "web", "mcp", "model", "models",
    "assist", "scout", "maverick",
]);

/// Whether this is the name of an assistant, alone or with its edition.
pub(super) fn is_assistant(name: &str) -> bool {
    let mut words = name.split(' ');
    let first = words.next().unwrap_or_default().trim_end_matches("'s");
    ASSISTANTS.hold(first.as_bytes())
        && words.all(|word| EDITIONS.hold(word.as_bytes()) || ASSISTANTS.hold(word.as_bytes()))
}
