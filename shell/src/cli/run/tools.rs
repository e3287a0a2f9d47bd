//! The supported tools, one record each.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};

/// A tool, and how its provider is set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tool {
    /// The name of its program.
    pub(super) name: &'static str,
    /// The first is used by default.
    pub(super) endpoints: &'static [Endpoint],
    pub(super) way: Way,
}

/// One base URL of a tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Endpoint {
    pub(super) provider: Provider,
    /// The environment variable that holds it.
    pub(super) variable: Option<&'static str>,
    /// What the tool expects after scheme, host and port.
    pub(super) path: &'static str,
}

/// The provider whose API an endpoint uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Provider {
    Anthropic,
    OpenAi,
    /// The Gemini API with a key.
    Gemini,
    Vertex,
    /// What Gemini CLI uses after a login with Google.
    CodeAssist,
}

/// How a tool is configured, in addition to the variables of its endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Not at all.
    Variables,
    /// `--openai-api-base`, `--set-env`: its `.env` files outrank the environment.
    AiderOptions,
    /// `--settings`, which outranks the settings files, and those the environment.
    ClaudeSettings,
    /// A file of providers instead of the user's, named by a variable.
    ClineSettings,
    /// `-c key=value`; it has no variable.
    CodexOverrides,
    /// A configuration in a variable, laid over the files.
    OpencodeConfig,
    /// `--auth-type openai`, without which the variable does not count.
    QwenOptions,
}

impl Provider {
    pub(super) const ALL: [Self; 5] = [
        Self::Anthropic,
        Self::OpenAi,
        Self::Gemini,
        Self::Vertex,
        Self::CodeAssist,
    ];

    /// Its public address.
    pub(super) const fn url(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenAi => "https://api.openai.com",
            Self::Gemini => "https://generativelanguage.googleapis.com",
            Self::Vertex => "https://aiplatform.googleapis.com",
            Self::CodeAssist => "https://cloudcode-pa.googleapis.com",
        }
    }

    /// The variable that tools read its key from.
    pub(super) const fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Vertex | Self::CodeAssist => None,
        }
    }
}

const fn endpoint(provider: Provider, variable: &'static str, path: &'static str) -> Endpoint {
    Endpoint {
        provider,
        variable: Some(variable),
        path,
    }
}

const fn without_variable(provider: Provider) -> Endpoint {
    Endpoint {
        provider,
        variable: None,
        path: "/v1",
    }
}

/// Every tool, in the order in which `--list` shows them.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "claude",
        endpoints: &[endpoint(Provider::Anthropic, "ANTHROPIC_BASE_URL", "")],
        way: Way::ClaudeSettings,
    },
    Tool {
        name: "codex",
        endpoints: &[without_variable(Provider::OpenAi)],
        way: Way::CodexOverrides,
    },
    Tool {
        name: "opencode",
        endpoints: &[
            without_variable(Provider::Anthropic),
            without_variable(Provider::OpenAi),
        ],
        way: Way::OpencodeConfig,
    },
    Tool {
        name: "qwen",
        endpoints: &[
            endpoint(Provider::OpenAi, "OPENAI_BASE_URL", "/v1"),
            endpoint(Provider::Anthropic, "ANTHROPIC_BASE_URL", ""),
            endpoint(Provider::Gemini, "GOOGLE_GEMINI_BASE_URL", ""),
            endpoint(Provider::Vertex, "GOOGLE_VERTEX_BASE_URL", ""),
        ],
        way: Way::QwenOptions,
    },
    Tool {
        name: "aider",
        endpoints: &[
            endpoint(Provider::OpenAi, "OPENAI_BASE_URL", "/v1"),
            endpoint(Provider::OpenAi, "OPENAI_API_BASE", "/v1"),
            endpoint(Provider::Anthropic, "ANTHROPIC_API_BASE", ""),
            endpoint(Provider::Anthropic, "ANTHROPIC_BASE_URL", ""),
        ],
        way: Way::AiderOptions,
    },
    Tool {
        name: "gemini",
        endpoints: &[
            endpoint(Provider::Gemini, "GOOGLE_GEMINI_BASE_URL", ""),
            endpoint(Provider::Vertex, "GOOGLE_VERTEX_BASE_URL", ""),
            endpoint(Provider::CodeAssist, "CODE_ASSIST_ENDPOINT", ""),
        ],
        way: Way::Variables,
    },
    Tool {
        name: "cline",
        endpoints: &[
            without_variable(Provider::Anthropic),
            without_variable(Provider::OpenAi),
            Endpoint {
                path: "/v1beta",
                ..without_variable(Provider::Gemini)
            },
        ],
        way: Way::ClineSettings,
    },
    Tool {
        name: "llm",
        endpoints: &[
            endpoint(Provider::OpenAi, "OPENAI_BASE_URL", "/v1"),
            endpoint(Provider::Anthropic, "ANTHROPIC_BASE_URL", ""),
        ],
        way: Way::Variables,
    },
    Tool {
        name: "openai",
        endpoints: &[
            endpoint(Provider::OpenAi, "OPENAI_BASE_URL", "/v1"),
            endpoint(Provider::OpenAi, "OPENAI_API_BASE", "/v1"),
        ],
        way: Way::Variables,
    },
];

impl Tool {
    /// The tool with a program's name or path.
    pub(super) fn of_program(program: &OsStr) -> Option<&'static Self> {
        let name = Path::new(program).file_name()?;
        TOOLS.iter().find(|tool| name == tool.name)
    }

    /// How `--list` describes the way in which it is pointed at the proxy.
    pub(super) fn configured_by(&self) -> String {
        let variable = self.endpoints.first().and_then(|first| first.variable);
        let mut ways = Vec::from_iter(variable);
        ways.extend(match self.way {
            Way::Variables => None,
            Way::ClaudeSettings => Some("--settings"),
            Way::CodexOverrides => Some("-c openai_base_url=…"),
            Way::OpencodeConfig => Some("OPENCODE_CONFIG_CONTENT"),
            Way::QwenOptions => Some("--auth-type openai"),
            Way::AiderOptions => Some("--openai-api-base"),
            Way::ClineSettings => Some("CLINE_PROVIDER_SETTINGS_PATH"),
        });
        ways.join(", ")
    }
}

/// What follows the proxy's address in a variable that the user names: `NAME` or `NAME=/path`.
/// Without a path the name decides: the `openai` libraries expect one.
pub(super) fn variable_and_path(given: &str) -> (&str, &str) {
    match given.split_once('=') {
        Some((name, path)) => (name, path),
        None if given.contains("OPENAI") => (given, "/v1"),
        None => (given, ""),
    }
}

/// Accepts any program's name, and lets completions offer the supported tools.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnyTool;

impl TypedValueParser for AnyTool {
    type Value = OsString;

    fn parse_ref(
        &self,
        _command: &Command,
        _argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<OsString, clap::Error> {
        Ok(value.to_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            TOOLS.iter().map(|tool| PossibleValue::new(tool.name)),
        ))
    }
}
