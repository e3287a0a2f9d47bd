//! A token and the value that it stands for.

use super::{FIRST_DERIVED, SURROGATE, core, full};
use crate::{EntityType, Origin, Sensitive};

/// One token and its value.
#[derive(Debug, Clone)]
pub struct Mapping {
    entity: EntityType,
    core: String,
    /// Where the id begins in the core.
    id_at: usize,
    value: Sensitive<String>,
    origin: Origin,
}

impl Mapping {
    /// A mapping as a vault stores it. Its value is the user's unless it has [another
    /// origin](Self::with_origin).
    #[must_use]
    pub fn new(entity: EntityType, id: &str, value: Sensitive<String>) -> Self {
        let core = core(&entity, id);
        Self {
            entity,
            id_at: core.len() - id.len(),
            core,
            value,
            origin: Origin::default(),
        }
    }

    /// The same of a value that came from somewhere else.
    #[must_use]
    pub fn with_origin(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// The entity type as which the value was first found.
    #[must_use]
    pub fn entity(&self) -> &EntityType {
        &self.entity
    }

    /// The last part of the token: a counter or 16 hex digits. That of a surrogate is `=` and the surrogate.
    #[must_use]
    pub fn id(&self) -> &str {
        self.core.get(self.id_at..).unwrap_or_default()
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> &Sensitive<String> {
        &self.value
    }

    /// Where the value came from.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// Whether a text may be an id.
    #[must_use]
    pub fn is_id(text: &str) -> bool {
        match text.strip_prefix(SURROGATE) {
            Some(surrogate) => !surrogate.is_empty() && !surrogate.contains(char::is_control),
            None => {
                (1..=20).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
            }
        }
    }

    /// The token without its brackets; of a surrogate its [id](Self::id).
    #[must_use]
    pub fn core(&self) -> &str {
        &self.core
    }

    /// What is sent instead of the value.
    #[must_use]
    pub fn written(&self) -> String {
        self.surrogate()
            .map_or_else(|| full(&self.core), str::to_owned)
    }

    /// The surrogate, where it has no token.
    pub(crate) fn surrogate(&self) -> Option<&str> {
        self.core.strip_prefix(SURROGATE)
    }

    /// The same token with another spelling of its value.
    pub(crate) fn with_value(&self, value: Sensitive<String>) -> Self {
        Self {
            value,
            ..self.clone()
        }
    }

    /// Whether another session may have given the same token, or surrogate, to another value.
    pub(crate) fn is_counted(&self) -> bool {
        let number = self.id().parse::<u64>();
        number.is_ok_and(|number| number < FIRST_DERIVED) || self.surrogate().is_some()
    }
}
