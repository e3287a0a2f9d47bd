//! External detectors.

use std::path::PathBuf;
use std::time::Duration;

use engine::{EntityType, Score, Sensitive};

/// A detector that the host must wait for.
#[derive(Debug, Clone)]
pub(crate) struct ExternalDetector {
    /// The types to look for; empty for all that the detector knows.
    pub(crate) entities: Vec<EntityType>,
    /// Results that are kept, 0 for none.
    pub(crate) cache_size: usize,
    pub(crate) kind: ExternalKind,
}

/// What it asks.
#[derive(Debug, Clone)]
pub(crate) enum ExternalKind {
    /// A local model.
    Ner(NerSettings),
    /// A Presidio analyzer.
    Presidio(PresidioSettings),
    /// A language model.
    Llm(LlmSettings),
    /// A component.
    Plugin(PluginSettings),
}

impl ExternalKind {
    /// The name in configuration.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Ner(_) => "ner",
            Self::Presidio(_) => "presidio",
            Self::Llm(_) => "llm",
            Self::Plugin(_) => "wasm",
        }
    }
}

/// Which component is run, and how.
#[derive(Debug, Clone)]
#[cfg_attr(
    not(feature = "plugins"),
    expect(dead_code, reason = "plug-ins are not built in")
)]
pub(crate) struct PluginSettings {
    pub(crate) path: PathBuf,
    /// For a whole scan.
    pub(crate) timeout: Duration,
    /// Bytes that an instance may take.
    pub(crate) memory: usize,
}

/// Which local model is run, and how.
#[derive(Debug, Clone)]
#[cfg_attr(
    not(feature = "ner"),
    expect(dead_code, reason = "local models are not built in")
)]
pub(crate) struct NerSettings {
    /// Its folder, or its file.
    pub(crate) path: PathBuf,
    /// For a whole scan.
    pub(crate) timeout: Duration,
    pub(crate) min_score: Score,
}

/// How a Presidio analyzer is asked.
#[derive(Debug, Clone)]
pub(crate) struct PresidioSettings {
    /// It may hold a password.
    pub(crate) url: Sensitive<String>,
    pub(crate) language: String,
    /// For a whole scan.
    pub(crate) timeout: Duration,
    pub(crate) min_score: Score,
}

/// How a language model is asked.
#[derive(Debug, Clone)]
pub(crate) struct LlmSettings {
    pub(crate) messages_style: bool,
    pub(crate) model: String,
    /// The provider's public one when unset. It may hold a password.
    pub(crate) base_url: Option<Sensitive<String>>,
    pub(crate) api_key: Option<Sensitive<String>>,
    /// Additional instructions for the model.
    pub(crate) instructions: Option<Sensitive<String>>,
    /// For a whole scan.
    pub(crate) timeout: Duration,
    /// Whether the other detectors continue if this one fails.
    pub(crate) fallback_on_error: bool,
    /// Characters sent to the model at a time.
    pub(crate) max_chars: usize,
}
