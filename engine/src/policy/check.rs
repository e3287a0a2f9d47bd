//! Whether rules can work, each by itself and after those before it.

use super::rules::{PolicyRule, PolicyRules};
use crate::Origin;

/// Why a rule can't work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleFault {
    /// The place of the rule.
    rule: usize,
    fault: Fault,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    NoText,
    OfTexts,
    ShadowOfModel,
    ShadowRedacts,
    SaysNothing,
    UnreachableRule(usize),
    SameName(usize),
    ShadowLate(usize),
}

impl PolicyRules {
    /// The rules of a list.
    ///
    /// # Errors
    /// The first one that can't work.
    pub fn checked(rules: Vec<PolicyRule>) -> Result<Self, RuleFault> {
        for (place, rule) in rules.iter().enumerate() {
            let earlier = rules.get(..place).unwrap_or_default();
            if let Some(fault) = alone(rule).or_else(|| after(earlier, rule)) {
                return Err(RuleFault { rule: place, fault });
            }
        }
        Ok(rules.into())
    }
}

impl RuleFault {
    /// The fault in words, with the name that a rule has for the host.
    #[must_use]
    pub fn describe(self, name: impl Fn(usize) -> String) -> String {
        let rule = name(self.rule);
        match self.fault {
            Fault::NoText => format!("{rule} matches no text: a tool's result has the role tool"),
            Fault::OfTexts => format!(
                "{rule} has role or tool, which match single texts, but operator, detectors and shadow apply to \
                 whole requests: split it into two rules"
            ),
            Fault::ShadowOfModel => format!(
                "{rule} has shadow, which is evaluated before the body is read, and model, which needs the body: \
                 use route, header or key instead"
            ),
            Fault::ShadowRedacts => {
                format!("{rule} has shadow, which masks nothing, and operator: remove one of them")
            }
            Fault::SaysNothing => {
                format!("{rule} has no effect: set mask, operator, detectors or shadow")
            }
            Fault::UnreachableRule(earlier) => format!(
                "{rule} never matches, because {} comes first and matches the same requests; put the narrower \
                 rule first, or remove one",
                name(earlier)
            ),
            Fault::SameName(earlier) => format!("{rule} has the same name as {}", name(earlier)),
            Fault::ShadowLate(earlier) => format!(
                "{rule} has shadow, which is evaluated before the body is read, and {} needs the body; put the \
                 rule with shadow first",
                name(earlier)
            ),
        }
    }
}

/// Whether what a rule says goes together.
fn alone(rule: &PolicyRule) -> Option<Fault> {
    let when = &rule.when;
    let of_request = rule.redacts || rule.detectors.is_some() || rule.shadow;
    if !when.tools.is_empty() && when.roles.is_some_and(|roles| !roles.hold(Origin::Tool)) {
        return Some(Fault::NoText);
    }
    if of_request && when.is_of_texts() {
        return Some(Fault::OfTexts);
    }
    if rule.shadow && !when.models.is_empty() {
        return Some(Fault::ShadowOfModel);
    }
    if rule.shadow && rule.redacts {
        return Some(Fault::ShadowRedacts);
    }
    (rule.mask.is_none() && !of_request).then_some(Fault::SaysNothing)
}

/// Whether a rule can work after the earlier ones.
fn after(earlier: &[PolicyRule], rule: &PolicyRule) -> Option<Fault> {
    let fault = |(place, other): (usize, &PolicyRule)| {
        if other.when.covers(&rule.when) {
            return Some(Fault::UnreachableRule(place));
        }
        if other.name == rule.name {
            return Some(Fault::SameName(place));
        }
        (rule.shadow && other.when.needs_body()).then_some(Fault::ShadowLate(place))
    };
    earlier.iter().enumerate().find_map(fault)
}
