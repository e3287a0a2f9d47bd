//! Decides which detections are masked.

mod check;
mod facts;
mod fit;
mod keys;
mod model;
mod rules;
mod verdict;

pub use check::RuleFault;
pub use facts::{Condition, Facts};
pub use fit::RuleMatch;
pub use keys::{ClientKeys, KeyHash};
pub(crate) use model::model;
pub use rules::{Masks, PolicyRule, PolicyRules, When};
pub(crate) use verdict::Verdict;

use crate::EntityType;

/// Which entity types are masked (decisions, 2.7).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Policy {
    /// Every detection.
    #[default]
    Default,
    /// Only these types. The others reach the provider.
    Strict(Vec<EntityType>),
}

impl Policy {
    /// The strict policy; without types it masks every built-in one.
    #[must_use]
    pub fn strict(allowed: Vec<EntityType>) -> Self {
        if allowed.is_empty() {
            Self::Strict(EntityType::BUILT_IN.to_vec())
        } else {
            Self::Strict(allowed)
        }
    }

    /// Whether values of this type are masked. Text that looks like a token always is.
    #[must_use]
    pub fn masks(&self, entity: &EntityType) -> bool {
        match self {
            Self::Default => true,
            Self::Strict(allowed) => *entity == EntityType::LITERAL || allowed.contains(entity),
        }
    }
}
