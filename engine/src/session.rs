//! Which value a token stands for.

use crate::{EntityType, Sensitive};

/// The mapping from tokens to values of one session.
///
/// A value with a version: the host loads it, masking adds to it, the host saves it.
#[derive(Debug, Clone, Default)]
pub struct Session {
    mappings: Vec<Mapping>,
}

/// One token and its value.
#[derive(Debug, Clone)]
pub struct Mapping {
    /// What the value was first found as.
    pub entity: EntityType,
    /// The last part of the token: a counter or 16 hex digits.
    pub id: String,
    /// The value.
    pub value: Sensitive<String>,
}

impl Session {
    /// A session without mappings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many token and value pairs it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.mappings.len()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mappings.is_empty()
    }
}
