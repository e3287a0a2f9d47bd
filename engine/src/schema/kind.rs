//! The wire formats by name.

use std::str::FromStr;

/// One of the three wire formats, or JSON of unknown shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Schema {
    /// Chat completions.
    ChatStyle,
    /// Messages.
    MessagesStyle,
    /// Responses.
    Responses,
    /// JSON of any other shape: every string but those under structural keys.
    Generic,
}

impl Schema {
    /// Every format.
    pub const ALL: [Self; 4] = [
        Self::ChatStyle,
        Self::MessagesStyle,
        Self::Responses,
        Self::Generic,
    ];

    /// The name in configuration, audit and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChatStyle => "chat_style",
            Self::MessagesStyle => "messages_style",
            Self::Responses => "responses",
            Self::Generic => "generic",
        }
    }
}

impl FromStr for Schema {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        match name {
            "chat_style" | "chat" | "openai" => Ok(Self::ChatStyle),
            "messages_style" | "messages" | "anthropic" => Ok(Self::MessagesStyle),
            "responses" => Ok(Self::Responses),
            "generic" => Ok(Self::Generic),
            _ => Err(()),
        }
    }
}
