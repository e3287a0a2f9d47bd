//! The result of the rules for one request.

use super::facts::Facts;
use super::rules::{Masks, PolicyRule, PolicyRules};
use crate::schema::Speaker;
use crate::schema::tool::Truth;
use crate::{EntityType, Policy};

/// The rules that may decide about one request, in their order, up to one that surely does.
#[derive(Debug, Clone, Default)]
pub(crate) struct Verdict {
    rules: PolicyRules,
    /// The rules by their place, and whether the request surely fulfils their conditions.
    places: Vec<(usize, Truth)>,
}

impl Verdict {
    /// For a request with these facts.
    pub(crate) fn of(rules: &PolicyRules, facts: &Facts<'_>, model: Option<&str>) -> Self {
        let mut places = Vec::new();
        for (place, rule) in rules.iter().enumerate() {
            let truth = rule.when.of_head(facts).min(rule.when.of_model(model));
            if truth == Truth::No {
                continue;
            }
            places.push((place, truth));
            if truth == Truth::Yes && !rule.when.is_of_texts() {
                break;
            }
        }
        Self {
            rules: rules.clone(),
            places,
        }
    }

    /// Whether the configuration has rules: then a value masked by one of them is masked
    /// everywhere.
    pub(crate) fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    /// The names of the rules that may decide.
    pub(crate) fn names(&self) -> impl Iterator<Item = &std::sync::Arc<str>> {
        self.chosen().map(|(rule, _)| &rule.name)
    }

    /// Whether a type is masked in a text. If in doubt, it is.
    pub(crate) fn masks<'s>(
        &self,
        policy: &Policy,
        entity: &EntityType,
        speaker: impl Fn() -> &'s Speaker,
    ) -> bool {
        let deciding = self.deciding(policy, entity, speaker);
        deciding.map_or_else(|| policy.masks(entity), |rule| rule.masks(policy, entity))
    }

    /// The rule that decides whether a type is masked in a text; none where the policy does.
    pub(crate) fn deciding<'s>(
        &self,
        policy: &Policy,
        entity: &EntityType,
        speaker: impl Fn() -> &'s Speaker,
    ) -> Option<&PolicyRule> {
        let decides = |(rule, of_request): &(&PolicyRule, Truth)| {
            let of_text = if rule.when.is_of_texts() {
                rule.when.of_text(speaker())
            } else {
                Truth::Yes
            };
            match (*of_request).min(of_text) {
                Truth::No => false,
                Truth::Maybe => rule.masks(policy, entity),
                Truth::Yes => true,
            }
        };
        self.chosen().find(decides).map(|(rule, _)| rule)
    }

    /// Whether rules let everything in the request pass.
    pub(crate) fn lets_all_pass(&self) -> bool {
        let passes = |rule: &PolicyRule| {
            let types = match &rule.mask {
                Some(Masks::Only(types)) => Some(types),
                _ => None,
            };
            types.is_some_and(Vec::is_empty)
        };
        self.of_request().all(|rule| rule.is_some_and(passes))
            && self.chosen().all(|(rule, _)| passes(rule))
    }

    /// Whether values are redacted.
    pub(crate) fn redacts(&self) -> bool {
        self.of_request().flatten().any(|rule| rule.redacts)
    }

    /// Whether a detector of the host must scan the request.
    pub(crate) fn asks(&self, detector: &str) -> bool {
        let asks = |rule: Option<&PolicyRule>| {
            let listed = rule.and_then(|rule| rule.detectors.as_ref());
            listed.is_none_or(|listed| listed.iter().any(|name| name == detector))
        };
        self.of_request().any(asks)
    }

    /// The rules that may be the one for the whole request; none of them when it may be none.
    fn of_request(&self) -> impl Iterator<Item = Option<&PolicyRule>> {
        let whole = || self.chosen().filter(|(rule, _)| !rule.when.is_of_texts());
        let is_sure = whole().any(|(_, truth)| truth == Truth::Yes);
        let rules = whole().map(|(rule, _)| Some(rule));
        rules.chain((!is_sure).then_some(None))
    }

    fn chosen(&self) -> impl Iterator<Item = (&PolicyRule, Truth)> {
        let places = self.places.iter();
        places.filter_map(|(place, truth)| Some((self.rules.get(*place)?, *truth)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Masks, When};
    use super::*;
    use crate::base::Glob;
    use crate::schema::tool::Tool;
    use crate::{Origin, Origins, Schema};

    fn rule(when: When, mask: Masks) -> PolicyRule {
        PolicyRule {
            name: "a".into(),
            when,
            mask: Some(mask),
            redacts: false,
            detectors: None,
            shadow: false,
        }
    }

    fn none() -> Masks {
        Masks::Only(Vec::new())
    }

    fn of_model(model: &str) -> When {
        When {
            models: vec![Glob::new(model)],
            ..When::default()
        }
    }

    fn verdict(rules: Vec<PolicyRule>, model: Option<&str>) -> Verdict {
        let facts = Facts {
            target: "/v1/messages",
            route: "/v1/messages",
            schema: Schema::MessagesStyle,
            headers: &[],
            keys: Some(&[]),
        };
        Verdict::of(&rules.into(), &facts, model)
    }

    fn masks(verdict: &Verdict, speaker: &Speaker) -> bool {
        verdict.masks(&Policy::Default, &EntityType::EMAIL, || speaker)
    }

    #[test]
    fn the_first_matching_rule_decides_else_the_policy() {
        let rules = vec![
            rule(of_model("b*"), none()),
            rule(of_model("*"), Masks::All),
        ];
        assert!(!masks(&verdict(rules.clone(), Some("big")), &Speaker::User));
        assert!(masks(&verdict(rules, Some("small")), &Speaker::User));
        let strict = verdict(vec![rule(of_model("b"), Masks::All)], Some("c"));
        let none = Policy::Strict(vec![EntityType::PHONE]);
        assert!(!strict.masks(&none, &EntityType::EMAIL, || &Speaker::User));
    }

    /// If in doubt, no laxer rule is used and no stricter one skipped.
    #[test]
    fn when_in_doubt_the_stricter_rule_masks() {
        let lax = vec![rule(of_model("b"), none())];
        assert!(masks(&verdict(lax, None), &Speaker::User));
        let strict = vec![
            rule(of_model("b"), Masks::All),
            rule(When::default(), none()),
        ];
        assert!(masks(&verdict(strict.clone(), None), &Speaker::User));
        assert!(!masks(&verdict(strict, Some("c")), &Speaker::User));

        let of_tool = When {
            tools: vec![Glob::new("read")],
            ..When::default()
        };
        let lax = verdict(vec![rule(of_tool.clone(), none())], None);
        assert!(!masks(&lax, &Speaker::Tool(Some(Tool::named("read")))));
        for speaker in [Speaker::Tool(None), Speaker::Unknown, Speaker::User] {
            assert!(masks(&lax, &speaker), "{speaker:?}");
        }
        let strict = vec![rule(of_tool, Masks::All), rule(When::default(), none())];
        let strict = verdict(strict, None);
        for speaker in [Speaker::Tool(None), Speaker::Unknown] {
            assert!(masks(&strict, &speaker), "{speaker:?}");
        }
        assert!(!masks(&strict, &Speaker::User));
    }

    /// A call with the namespace `mcp__db__` and the name `read_x` passed by a rule for `read_*`, and went by one for
    /// `mcp__db__*`.
    #[test]
    fn a_tool_name_without_namespace_selects_no_laxer_rule() {
        let of_tool = |tool: &str| When {
            tools: vec![Glob::new(tool)],
            ..When::default()
        };
        let speaker = Speaker::Tool(Some(Tool::of("mcp__db__", "read_x")));
        let lax = |tool| verdict(vec![rule(of_tool(tool), none())], None);
        assert!(masks(&lax("read_*"), &speaker));
        assert!(!masks(&lax("mcp__db__read_*"), &speaker));
        for tool in ["mcp__db__*", "read_x", "db.*"] {
            let strict = rule(of_tool(tool), Masks::All);
            let strict = verdict(vec![strict, rule(When::default(), none())], None);
            assert_eq!(masks(&strict, &speaker), tool != "db.*", "{tool}");
        }
    }

    #[test]
    fn a_role_rule_applies_only_to_that_role() {
        let of_user = When {
            roles: Some(Origins::default().with(Origin::User)),
            ..When::default()
        };
        let lax = verdict(vec![rule(of_user, none())], None);
        assert!(!masks(&lax, &Speaker::User));
        for speaker in [Speaker::System, Speaker::Model, Speaker::Tool(None)] {
            assert!(masks(&lax, &speaker), "{speaker:?}");
        }
    }

    /// A detector is skipped only if no rule that may match asks for it.
    #[test]
    fn when_in_doubt_no_detector_is_skipped() {
        let few = PolicyRule {
            mask: None,
            detectors: Some(vec!["llm".to_owned()]),
            ..rule(of_model("b"), Masks::All)
        };
        let asks = |model| verdict(vec![few.clone()], model).asks("presidio");
        assert!(asks(None) && asks(Some("c")) && !asks(Some("b")));
    }
}
