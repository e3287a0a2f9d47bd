//! Whether rules can work, each by itself and after those before it.

use super::rules::{PolicyRule, PolicyRules, When};
use crate::{Origin, Origins, Schema};

/// Why a rule can't work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFault {
    /// The place of the rule.
    rule: usize,
    fault: Fault,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Fault {
    HeaderTwice,
    NoText,
    OfTexts,
    ShadowOfModel,
    ShadowRedacts,
    SaysNothing,
    UnreachableRule(Vec<usize>),
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
            Fault::HeaderTwice => {
                format!("{rule} names a header twice: write its values as one list")
            }
            Fault::UnreachableRule(earlier) => {
                let (come, match_) = if earlier.len() == 1 {
                    ("comes", "matches")
                } else {
                    ("come", "match")
                };
                let earlier: Vec<_> = earlier.into_iter().map(&name).collect();
                format!(
                    "{rule} never matches, because {} {come} first and {match_} the same requests; put the narrower \
                     rule first, or remove one",
                    earlier.join(" and ")
                )
            }
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
    let mut headers = when.headers.iter().enumerate();
    if headers.any(|(at, (name, _))| when.headers.iter().skip(at + 1).any(|(it, _)| it == name)) {
        return Some(Fault::HeaderTwice);
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
    if let Some(places) = covering(earlier, &rule.when) {
        return Some(Fault::UnreachableRule(places));
    }
    let fault = |(place, other): (usize, &PolicyRule)| {
        if other.name == rule.name {
            return Some(Fault::SameName(place));
        }
        (rule.shadow && other.when.needs_body()).then_some(Fault::ShadowLate(place))
    };
    earlier.iter().enumerate().find_map(fault)
}

/// The rules that match everything that another one matches, one by one or each a part of it.
fn covering(earlier: &[PolicyRule], when: &When) -> Option<Vec<usize>> {
    let cover = |part: &When| earlier.iter().position(|other| other.when.covers(part));
    let mut cuts = cuts(when).into_iter().filter(|parts| !parts.is_empty());
    let mut places: Vec<_> = cuts.find_map(|parts| parts.iter().map(cover).collect())?;
    places.sort_unstable();
    places.dedup();
    Some(places)
}

/// The parts of what a rule matches, cut in several ways: by format, by role, and so on. Not by header, since one that is sent
/// twice may be all of a list.
fn cuts(when: &When) -> [Vec<When>; 6] {
    fn each<T>(values: &[T], when: &When, narrow: impl Fn(&mut When, &T)) -> Vec<When> {
        let narrowed = values.iter().map(|value| {
            let mut part = when.clone();
            narrow(&mut part, value);
            part
        });
        narrowed.collect()
    }
    let schemas = match when.schemas.as_slice() {
        [] => &Schema::ALL,
        schemas => schemas,
    };
    let holds = |origin: &Origin| when.roles.is_some_and(|roles| roles.hold(*origin));
    let roles: Vec<_> = Origin::ALL.into_iter().filter(holds).collect();
    [
        each(schemas, when, |part, schema| part.schemas = vec![*schema]),
        each(&roles, when, |part, role| {
            part.roles = Some(Origins::default().with(*role));
        }),
        each(&when.routes, when, |part, route| {
            part.routes = vec![route.clone()];
        }),
        each(&when.models, when, |part, model| {
            part.models = vec![model.clone()];
        }),
        each(&when.keys, when, |part, key| part.keys = vec![key.clone()]),
        each(&when.tools, when, |part, tool| {
            part.tools = vec![tool.clone()];
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::Masks;
    use super::*;
    use crate::base::Glob;

    fn rule(name: &str, when: When) -> PolicyRule {
        PolicyRule {
            name: name.into(),
            when,
            mask: Some(Masks::All),
            redacts: false,
            detectors: None,
            shadow: false,
        }
    }

    fn models(names: &[&str]) -> When {
        When {
            models: names.iter().map(|name| Glob::new(name)).collect(),
            ..When::default()
        }
    }

    fn of_schemas(schemas: &[Schema], when: When) -> When {
        When {
            schemas: schemas.to_vec(),
            ..when
        }
    }

    fn roles(roles: &[Origin]) -> When {
        let roles = roles.iter().copied();
        When {
            roles: Some(roles.fold(Origins::default(), Origins::with)),
            ..When::default()
        }
    }

    /// Only cover by one rule was found.
    #[test]
    fn a_rule_fully_covered_by_earlier_rules_is_unreachable() {
        use Origin::{System, Tool, User};
        use Schema::{ChatStyle, Generic, MessagesStyle, Responses};
        for (earlier, when, expected) in [
            (
                vec![models(&["a"]), models(&["b*"])],
                models(&["a", "bc"]),
                true,
            ),
            (
                vec![models(&["a"]), models(&["b"])],
                models(&["a", "b*"]),
                false,
            ),
            (
                vec![roles(&[User]), roles(&[Tool])],
                roles(&[Tool, User]),
                true,
            ),
            // The model's own texts have no role.
            (
                vec![roles(&[User]), roles(&[System, Tool])],
                When::default(),
                false,
            ),
            (
                vec![
                    of_schemas(&[ChatStyle, Generic], When::default()),
                    of_schemas(&[MessagesStyle, Responses], When::default()),
                ],
                models(&["a"]),
                true,
            ),
            (
                vec![
                    of_schemas(&[ChatStyle, Generic], models(&["a"])),
                    of_schemas(&[MessagesStyle, Responses], models(&["a"])),
                ],
                models(&["a", "b"]),
                false,
            ),
        ] {
            let rules = earlier.into_iter().chain([when]).enumerate();
            let rules = rules.map(|(place, when)| rule(&place.to_string(), when));
            let checked = PolicyRules::checked(rules.collect());
            let expected = expected.then_some(RuleFault {
                rule: 2,
                fault: Fault::UnreachableRule(vec![0, 1]),
            });
            assert_eq!(checked.err(), expected);
        }
    }

    /// One value was asked of it and another, and no value is both.
    #[test]
    fn a_rule_may_name_a_header_only_once() {
        let header = |value| ("x-team".to_owned(), vec![Glob::new(value)]);
        let when = When {
            headers: vec![header("a"), header("b")],
            ..When::default()
        };
        let checked = PolicyRules::checked(vec![rule("a", when)]);
        assert_eq!(
            checked.err().map(|fault| fault.fault),
            Some(Fault::HeaderTwice)
        );
    }
}
