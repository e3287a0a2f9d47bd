//! Policy rules, by request and by text.

use std::sync::Arc;

use super::facts::Facts;
use crate::base::Glob;
use crate::schema::tool::Truth;
use crate::{EntityType, Origins, Policy, Schema};

/// Rules. The first one that matches decides. If none matches, the [`Policy`] does.
#[derive(Debug, Clone, Default)]
pub struct PolicyRules(Arc<[PolicyRule]>);

/// One rule of [`PolicyRules`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRule {
    /// What the audit trail calls it.
    pub name: Arc<str>,
    /// Its conditions.
    pub when: When,
    /// What is masked; by default as the policy says.
    pub mask: Option<Masks>,
    /// Whether values are redacted, whatever the operator.
    pub redacts: bool,
    /// The host's detectors for the request; all by default.
    pub detectors: Option<Vec<String>>,
    /// Whether the host forwards the request unchanged, and only scans it.
    pub shadow: bool,
}

/// What a rule masks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Masks {
    /// Every detection.
    All,
    /// Only these types; nothing if there are none.
    Only(Vec<EntityType>),
}

/// The conditions of a rule, which must all be met. An empty list is no condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct When {
    /// The configured path or ending of the route.
    pub routes: Vec<Glob>,
    /// The model that is asked for.
    pub models: Vec<Glob>,
    /// Headers of the request, their names in lower case.
    pub headers: Vec<(String, Vec<Glob>)>,
    /// The names of the client's keys.
    pub keys: Vec<String>,
    /// The format of the route.
    pub schemas: Vec<Schema>,
    /// Who wrote the text.
    pub roles: Option<Origins>,
    /// The tool whose result the text is.
    pub tools: Vec<Glob>,
}

impl From<Vec<PolicyRule>> for PolicyRules {
    fn from(rules: Vec<PolicyRule>) -> Self {
        Self(rules.into())
    }
}

impl PolicyRules {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rules in their order.
    pub fn iter(&self) -> impl Iterator<Item = &PolicyRule> {
        self.0.iter()
    }

    pub(super) fn get(&self, place: usize) -> Option<&PolicyRule> {
        self.0.get(place)
    }

    /// Whether a request is forwarded unchanged. Decided before its body is read, so a rule that
    /// needs the body, or is unclear, prevents it.
    #[must_use]
    pub fn is_shadow(&self, facts: &Facts<'_>) -> bool {
        for rule in self.iter() {
            match rule.when.of_head(facts) {
                Truth::No => {}
                Truth::Yes if rule.shadow => return !rule.when.needs_body(),
                Truth::Yes | Truth::Maybe => return false,
            }
        }
        false
    }
}

impl PolicyRule {
    /// Whether the types are masked, where the rule decides.
    pub(crate) fn masks(&self, policy: &Policy, entity: &EntityType) -> bool {
        match &self.mask {
            None => policy.masks(entity),
            Some(Masks::All) => true,
            Some(Masks::Only(types)) => *entity == EntityType::LITERAL || types.contains(entity),
        }
    }
}

impl PolicyRules {
    /// The rules that let values of a type pass, or only count them.
    pub fn passing<'r>(
        &'r self,
        policy: &Policy,
        entity: &EntityType,
    ) -> impl Iterator<Item = &'r PolicyRule> {
        self.iter()
            .filter(move |rule| rule.shadow || !rule.masks(policy, entity))
    }
}

impl When {
    /// Whether it is for some texts of a request alone.
    #[must_use]
    pub fn is_of_texts(&self) -> bool {
        self.roles.is_some() || !self.tools.is_empty()
    }

    /// Whether the decision needs the body.
    #[must_use]
    pub fn needs_body(&self) -> bool {
        self.is_of_texts() || !self.models.is_empty()
    }

    /// Whether this rule covers everything that another one matches, so that the other never
    /// decides.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let roles = match (self.roles, other.roles) {
            (None, _) => true,
            (Some(own), Some(other)) => other.is_within(own),
            (Some(own), None) => own.hold(crate::Origin::Tool) && !other.tools.is_empty(),
        };
        let header = |(name, values): &(String, Vec<Glob>)| {
            let same =
                |(other, of_other): &(String, Vec<Glob>)| other == name && cover(values, of_other);
            other.headers.iter().any(same)
        };
        roles
            && cover(&self.routes, &other.routes)
            && cover(&self.models, &other.models)
            && cover(&self.tools, &other.tools)
            && hold_all(&self.keys, &other.keys)
            && hold_all(&self.schemas, &other.schemas)
            && self.headers.iter().all(header)
    }
}

/// Whether names that match one of `other` all match one of `own`.
fn cover(own: &[Glob], other: &[Glob]) -> bool {
    let is_covered = |other: &Glob| own.iter().any(|own| own.covers(other));
    own.is_empty() || !other.is_empty() && other.iter().all(is_covered)
}

fn hold_all<T: PartialEq>(own: &[T], other: &[T]) -> bool {
    own.is_empty() || !other.is_empty() && other.iter().all(|other| own.contains(other))
}
