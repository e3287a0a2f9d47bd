//! The engine's configuration.

use crate::detect::Detectors;
use crate::operator::Operator;
use crate::policy::{Policy, PolicyRules};
use crate::restore::RestoreRules;

/// Everything that determines the engine's behaviour, apart from the exchange itself.
#[derive(Debug, Default)]
pub struct Settings {
    /// What finds values.
    pub detectors: Detectors,
    /// Which of them are masked.
    pub policy: Policy,
    /// Rules that go before the policy, for some requests or texts.
    pub rules: PolicyRules,
    /// What they become.
    pub operator: Operator,
    /// Which of them are restored in tool arguments.
    pub restore: RestoreRules,
    /// Bounds on input.
    pub limits: Limits,
}

/// Bounds on input.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How deep arrays and objects may be nested, 1 or more.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 256 }
    }
}
