//! Applies the policy rules to a request.

use super::{Recall, Request};
use crate::mask::MaskRules;
use crate::mask::field;
use crate::policy::{self, PolicyRule, Verdict};
use crate::schema::Speakers;
use crate::{Detection, EntityType, Facts, Field, Leaves, RuleMatch, Session};

/// A value of a request, and whether it is masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision<'r> {
    /// Its entity type.
    pub entity: EntityType,
    /// Its place in the body.
    pub field: Field,
    /// The rule that decided; none where the policy did.
    pub rule: Option<&'r str>,
    /// Whether it is masked.
    pub fate: Fate,
}

/// Whether a value is masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It reaches the provider.
    Passes,
    /// It is masked.
    Masked,
    /// It would pass here, but is masked because another text masks it.
    Known,
}

impl Request {
    /// Decides which policy rules apply. Without this none does.
    #[must_use]
    pub fn under(mut self, facts: &Facts<'_>) -> Self {
        let rules = &self.engine.settings.rules;
        if !rules.is_empty() {
            let asks = rules.iter().any(|rule| !rule.when.models.is_empty());
            let model = asks
                .then(|| policy::model(self.root(), facts.path))
                .flatten();
            self.verdict = Verdict::of(rules, facts, model.as_deref());
        }
        self
    }

    /// The names of the rules that may decide what is masked in it, in their order.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.verdict.names().map(|name| &**name)
    }

    /// Whether a detector of the host must scan it, by the rules.
    #[must_use]
    pub fn asks(&self, detector: &str) -> bool {
        self.verdict.asks(detector)
    }

    /// The model that the body or the path asks for; `None` if that is unclear.
    #[must_use]
    pub fn model(&self, path: &str) -> Option<String> {
        policy::model(self.root(), path).map(Into::into)
    }

    /// Whether each rule matches.
    #[must_use]
    pub fn fits(&self, facts: &Facts<'_>) -> Vec<(&PolicyRule, RuleMatch)> {
        let model = policy::model(self.root(), facts.path);
        self.engine.settings.rules.fits(facts, model.as_deref())
    }

    /// Whether the rules have it forwarded unchanged.
    #[must_use]
    pub fn is_shadow(&self, facts: &Facts<'_>) -> bool {
        self.engine.settings.rules.is_shadow(facts)
    }

    /// The decision for each value of the body in a new session, masked or not.
    #[must_use]
    pub fn decisions(&self, memory: &dyn Recall, host: Option<&Leaves>) -> Vec<Decision<'_>> {
        let (mut session, mut unruled) = (Session::new(), Session::new());
        let masked = self.locate_under(self.mask_rules(), &mut session, memory, host);
        let all = MaskRules::of_all(&self.engine.settings);
        let found = self.locate_under(all, &mut unruled, memory, host);
        self.decided(found, &masked)
    }

    fn decided(&self, found: Vec<Detection>, masked: &[Detection]) -> Vec<Decision<'_>> {
        let Some(root) = self.root() else {
            return Vec::new();
        };
        let starts: Vec<_> = found.iter().map(|found| found.start).collect();
        let (fields, speakers) = (field::fields(root, &starts), Speakers::of(root));
        let policy = &self.engine.settings.policy;
        let decisions = found.into_iter().zip(fields).map(|(found, field)| {
            let speaker = || speakers.of_text(found.start);
            let rule = self.verdict.deciding(policy, &found.entity, speaker);
            let is_masked = rule.map_or(policy.masks(&found.entity), |rule| {
                rule.masks(policy, &found.entity)
            });
            let is_there =
                |masked: &Detection| masked.start < found.end && found.start < masked.end;
            Decision {
                rule: rule.map(|rule| &*rule.name),
                fate: match masked.iter().any(is_there) {
                    true if is_masked => Fate::Masked,
                    true => Fate::Known,
                    false => Fate::Passes,
                },
                entity: found.entity,
                field,
            }
        });
        decisions.collect()
    }
}
