//! Where a value came from.

/// Who brought a value into a session, in order of trust: what the user wrote is the user's,
/// wherever else it occurs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// Neither the user nor the system: the result of a tool, or the model itself.
    Tool,
    /// The instructions, or the description of a tool.
    System,
    /// The user.
    #[default]
    User,
}

impl Origin {
    /// Every origin.
    pub const ALL: [Self; 3] = [Self::Tool, Self::System, Self::User];

    /// The name in configuration and vaults.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::System => "system",
            Self::User => "user",
        }
    }

    /// The origin of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.as_str() == name)
    }
}

/// A set of origins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Origins(u8);

impl Origins {
    /// Every origin.
    pub const ALL: Self = Self(0b111);

    /// The set with one more.
    #[must_use]
    pub const fn with(self, origin: Origin) -> Self {
        Self(self.0 | 1 << origin as u8)
    }

    /// Whether an origin is one of them.
    #[must_use]
    pub const fn hold(self, origin: Origin) -> bool {
        self.0 >> origin as u8 & 1 == 1
    }

    /// Whether another set holds each of them.
    #[must_use]
    pub const fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}
