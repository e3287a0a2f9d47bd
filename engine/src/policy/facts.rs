//! The facts about a request that rules use.

use super::rules::When;
use crate::base::Glob;
use crate::schema::Speaker;
use crate::schema::tool::Truth;
use crate::{Origin, Schema};

/// What the host knows about a request besides its body.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'f> {
    /// Its path and query, which may name the model.
    pub target: &'f str,
    /// The configured path or ending of its route.
    pub route: &'f str,
    /// The format of the route.
    pub schema: Schema,
    /// The headers, their names in lower case.
    pub headers: &'f [(&'f str, &'f [u8])],
    /// The names of the client's key; `None` when it presents several keys that differ.
    pub keys: Option<&'f [&'f str]>,
}

/// What a rule may ask of a whole request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// `route`.
    Route,
    /// `schema`.
    Schema,
    /// `key`.
    Key,
    /// `header`.
    Header,
    /// `model`.
    Model,
}

impl When {
    /// Whether requests to a route can match.
    #[must_use]
    pub fn is_for_route(&self, route: &str, schema: Schema) -> bool {
        (self.routes.is_empty() || any(&self.routes, route)) && self.is_for_schema(schema)
    }

    /// Whether requests in a format can match.
    #[must_use]
    pub fn is_for_schema(&self, schema: Schema) -> bool {
        self.schemas.is_empty() || self.schemas.contains(&schema)
    }

    /// The conditions on the request, except for the model.
    pub(super) fn of_head(&self, facts: &Facts<'_>) -> Truth {
        let head = self.head(facts).map(|(_, truth)| truth);
        head.into_iter().min().unwrap_or(Truth::Yes)
    }

    pub(super) fn head(&self, facts: &Facts<'_>) -> [(Condition, Truth); 4] {
        let route = self.routes.is_empty() || any(&self.routes, facts.route);
        [
            (Condition::Route, route.into()),
            (Condition::Schema, self.is_for_schema(facts.schema).into()),
            (Condition::Key, self.key(facts)),
            (Condition::Header, self.header(facts)),
        ]
    }

    /// The condition on the requested model, if it is known.
    pub(super) fn of_model(&self, model: Option<&str>) -> Truth {
        match model {
            _ if self.models.is_empty() => Truth::Yes,
            None => Truth::Maybe,
            Some(model) => any(&self.models, model).into(),
        }
    }

    /// The conditions of a text.
    pub(super) fn of_text(&self, speaker: &Speaker) -> Truth {
        let role = match (self.roles, speaker) {
            (None, _) => Truth::Yes,
            (Some(_), Speaker::Unknown) => Truth::Maybe,
            (Some(_), Speaker::Model) => Truth::No,
            (Some(roles), Speaker::System) => roles.hold(Origin::System).into(),
            (Some(roles), Speaker::User) => roles.hold(Origin::User).into(),
            (Some(roles), Speaker::Tool(_)) => roles.hold(Origin::Tool).into(),
        };
        let tool = match speaker {
            _ if self.tools.is_empty() => Truth::Yes,
            Speaker::Unknown | Speaker::Tool(None) => Truth::Maybe,
            Speaker::Tool(Some(tool)) => {
                let truths = self.tools.iter().map(|pattern| tool.is(pattern));
                truths.max().unwrap_or(Truth::No)
            }
            Speaker::System | Speaker::User | Speaker::Model => Truth::No,
        };
        role.min(tool)
    }

    fn key(&self, facts: &Facts<'_>) -> Truth {
        if self.keys.is_empty() {
            return Truth::Yes;
        }
        let Some(keys) = facts.keys else {
            return Truth::Maybe;
        };
        keys.iter()
            .any(|key| self.keys.iter().any(|known| known == key))
            .into()
    }

    fn header(&self, facts: &Facts<'_>) -> Truth {
        let truths = self.headers.iter().map(|(name, values)| {
            let sent = facts.headers.iter().filter(|(sent, _)| sent == name);
            let found = sent.map(|(_, value)| match std::str::from_utf8(value) {
                Ok(value) => any(values, value).into(),
                Err(_) => Truth::Maybe,
            });
            // A header that is sent twice may be read either way.
            all_alike(found)
        });
        truths.min().unwrap_or(Truth::Yes)
    }
}

/// The combination: no if there are none, and maybe if they differ.
fn all_alike(mut truths: impl Iterator<Item = Truth>) -> Truth {
    let first = truths.next().unwrap_or(Truth::No);
    if truths.all(|truth| truth == first) {
        return first;
    }
    Truth::Maybe
}

fn any(globs: &[Glob], name: &str) -> bool {
    globs.iter().any(|glob| glob.matches(name))
}
