//! Applies the policy rules to a request.

use super::{Recall, Request};
use crate::mask::MaskRules;
use crate::mask::field;
use crate::policy::{self, PolicyRule, Verdict};
use crate::schema::{Speaker, Speakers};
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
                .then(|| policy::model(self.root(), facts.target, facts.headers))
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

    /// The model that the body or the path asks for; `None` if that is unclear, or the body, the query or a header names
    /// another too.
    #[must_use]
    pub fn model(&self, target: &str, headers: &[(&str, &[u8])]) -> Option<String> {
        policy::model(self.root(), target, headers).map(Into::into)
    }

    /// Whether each rule matches.
    #[must_use]
    pub fn fits(&self, facts: &Facts<'_>) -> Vec<(&PolicyRule, RuleMatch)> {
        let model = policy::model(self.root(), facts.target, facts.headers);
        self.engine.settings.rules.fits(facts, model.as_deref())
    }

    /// The decision for each value in a new session: what is masked, and what is found but reaches the provider.
    #[must_use]
    pub fn decisions(&self, memory: &dyn Recall, host: Option<&Leaves>) -> Vec<Decision<'_>> {
        let (mut session, mut unruled) = (Session::new(), Session::new());
        let masked = self.locate_under(self.mask_rules(), &mut session, memory, host);
        let all = MaskRules::of_all(&self.engine.settings);
        let found = self.locate_under(all, &mut unruled, memory, host);
        let in_body = self.in_body(with_passing(masked.body, found.body));
        let beside = masked.beside.into_iter().zip(found.beside);
        let beside = beside.flat_map(|(masked, found)| with_passing(masked, found));
        let beside = beside.map(|(value, is_masked)| {
            self.decided(value, is_masked, Field::head(), &Speaker::Unknown)
        });
        in_body.into_iter().chain(beside).collect()
    }

    fn in_body(&self, values: Vec<(Detection, bool)>) -> Vec<Decision<'_>> {
        let Some(root) = self.root() else {
            return Vec::new();
        };
        let starts: Vec<_> = values.iter().map(|(value, _)| value.start).collect();
        let (fields, speakers) = (field::fields(root, &starts), Speakers::of(root));
        let decisions = values.into_iter().zip(fields);
        let decisions = decisions.map(|((value, is_masked), field)| {
            let speaker = speakers.of_text(value.start);
            self.decided(value, is_masked, field, speaker)
        });
        decisions.collect()
    }

    fn decided(
        &self,
        value: Detection,
        is_masked: bool,
        field: Field,
        speaker: &Speaker,
    ) -> Decision<'_> {
        let (entity, policy) = (value.entity, &self.engine.settings.policy);
        let rule = self.verdict.deciding(policy, &entity, || speaker);
        let masks = rule.map_or(policy.masks(&entity), |rule| rule.masks(policy, &entity));
        Decision {
            rule: rule.map(|rule| &*rule.name),
            fate: match is_masked {
                true if masks => Fate::Masked,
                true => Fate::Known,
                false => Fate::Passes,
            },
            entity,
            field,
        }
    }
}

/// What is masked, with what is found and not wholly covered by it, in the order of the places. Says which is masked.
fn with_passing(masked: Vec<Detection>, found: Vec<Detection>) -> Vec<(Detection, bool)> {
    let is_covered = |found: &Detection| {
        let within = masked
            .iter()
            .filter(|it| it.start < found.end && found.start < it.end);
        let end = within.fold(found.start, |end, it| {
            if it.start <= end {
                end.max(it.end)
            } else {
                end
            }
        });
        end >= found.end
    };
    let passing: Vec<_> = found
        .into_iter()
        .filter(|found| !is_covered(found))
        .collect();
    let passing = passing.into_iter().map(|found| (found, false));
    let mut values: Vec<_> = masked
        .into_iter()
        .map(|it| (it, true))
        .chain(passing)
        .collect();
    values.sort_by_key(|(value, _)| value.start);
    values
}
