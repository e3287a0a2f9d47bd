//! Which rules match a request, and why the others do not.

use super::facts::{Condition, Facts};
use super::rules::{PolicyRule, PolicyRules};
use crate::schema::tool::Truth;

/// Whether a rule is for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleMatch {
    /// It is not, because of this condition.
    No(Condition),
    /// An earlier rule decides about all of it.
    Behind,
    /// Unclear, because of this condition.
    Maybe(Condition),
    /// It is for some texts, by their roles and tools.
    Texts,
    /// It is.
    Whole,
}

impl PolicyRules {
    /// Whether each rule is for a request that asks for this model.
    pub(crate) fn fits(
        &self,
        facts: &Facts<'_>,
        model: Option<&str>,
    ) -> Vec<(&PolicyRule, RuleMatch)> {
        let mut is_decided = false;
        let fits = self.iter().map(|rule| {
            let fit = if is_decided {
                RuleMatch::Behind
            } else {
                rule.fit(facts, model)
            };
            is_decided |= fit == RuleMatch::Whole;
            (rule, fit)
        });
        fits.collect()
    }
}

impl PolicyRule {
    fn fit(&self, facts: &Facts<'_>, model: Option<&str>) -> RuleMatch {
        let model = (Condition::Model, self.when.of_model(model));
        let conditions = self.when.head(facts).into_iter().chain([model]);
        match conditions.min_by_key(|(_, truth)| *truth) {
            Some((condition, Truth::No)) => RuleMatch::No(condition),
            Some((condition, Truth::Maybe)) => RuleMatch::Maybe(condition),
            _ if self.when.is_of_texts() => RuleMatch::Texts,
            _ => RuleMatch::Whole,
        }
    }
}
