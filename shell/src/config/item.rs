//! Reads one value of a setting by its kind.

use std::borrow::Cow;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use engine::{EntityType, Glob, Origin, Origins, Schema, Sensitive};

use crate::base::duration;

use super::Error;
use super::error::{all, shown_key, suggestion};
use super::settings::Kind;
use super::values::Source;
use super::yaml::Node;

/// Other names of choices.
const ALIASES: &[(&str, &str)] = &[("openai", "chat_style"), ("anthropic", "messages_style")];

const ORIGINS: Kind = Kind::Choice(&["user", "system", "tool"]);
const SCHEMAS: Kind = Kind::Choice(&["chat_style", "messages_style", "responses", "generic"]);

/// A value, with its place for error messages.
#[derive(Debug, Clone)]
pub(super) struct Item<'a> {
    pub(super) path: Cow<'static, str>,
    pub(super) from: Option<Source>,
    pub(super) kind: Kind,
    pub(super) node: &'a Node,
}

impl<'a> Item<'a> {
    /// Whether there is a value. An empty text is not one.
    pub(super) fn is_set(&self) -> bool {
        self.node.is_set()
    }

    /// Checks a value whose kind says all that it must be.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.kind {
            Kind::Boolean => self.boolean().map(drop),
            Kind::Seconds => self.seconds().map(drop),
            Kind::Whole { .. } => self.whole::<u64>().map(drop),
            Kind::Fraction => self.percent().map(drop),
            Kind::Choice(_) => self.choice().map(drop),
            _ => Ok(()),
        }
    }

    pub(super) fn text(&self) -> Result<&'a str, Error> {
        match self.node {
            Node::Text(text) if !text.expose().contains(['\n', '\r', '\0']) => Ok(text.expose()),
            _ => Err(self.invalid()),
        }
    }

    pub(super) fn sensitive(&self) -> Result<Sensitive<String>, Error> {
        self.text().map(|text| Sensitive::new(text.to_owned()))
    }

    pub(super) fn path_of_file(&self) -> Result<PathBuf, Error> {
        self.text().map(PathBuf::from)
    }

    pub(super) fn boolean(&self) -> Result<bool, Error> {
        match self.text()? {
            "true" | "True" | "TRUE" => Ok(true),
            "false" | "False" | "FALSE" => Ok(false),
            _ => Err(self.invalid()),
        }
    }

    /// A time, as a number of seconds or with a unit (`7d`).
    pub(super) fn seconds(&self) -> Result<Duration, Error> {
        /// Some thirty years. Clocks overflow where far more is added to them.
        const MOST: f64 = 1e9;
        let seconds = match duration::parse(self.text()?) {
            Ok(duration) => duration.as_secs_f64(),
            Err(_) => self.number()?,
        };
        if seconds > MOST {
            return Err(self.must_be("a time of at most a billion seconds"));
        }
        if seconds > 0.0 {
            return Duration::try_from_secs_f64(seconds).map_err(|_| self.invalid());
        }
        Err(self.invalid())
    }

    /// A number from 0 to 1, in percent.
    pub(super) fn percent(&self) -> Result<u8, Error> {
        let fraction: f64 = self.number()?;
        if !(0.0..=1.0).contains(&fraction) {
            return Err(self.invalid());
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 100"
        )]
        Ok((fraction * 100.0).round() as u8)
    }

    pub(super) fn whole<N: TryFrom<u64>>(&self) -> Result<N, Error> {
        let number: u64 = self.number()?;
        let within = match self.kind {
            Kind::Whole { least, most } => (least..=most).contains(&number),
            _ => true,
        };
        match N::try_from(number) {
            Ok(number) if within => Ok(number),
            _ => Err(self.invalid()),
        }
    }

    fn number<N: FromStr>(&self) -> Result<N, Error> {
        self.text()?.parse().map_err(|_| self.invalid())
    }

    /// One of the names that the kind lists, or an alias of one.
    pub(super) fn choice(&self) -> Result<&'static str, Error> {
        let Kind::Choice(names) = self.kind else {
            return Err(self.invalid());
        };
        let text = self.text()?;
        let alias = ALIASES.iter().find(|(alias, _)| *alias == text);
        let name = alias.map_or(text, |(_, name)| name);
        match names.iter().find(|known| **known == name) {
            Some(known) => Ok(known),
            None => Err(self.must_be_like(self.kind.expected(), text, names.iter().copied())),
        }
    }

    /// The same value, read by another kind.
    pub(super) fn of_kind(&self, kind: Kind) -> Self {
        Self {
            kind,
            ..self.clone()
        }
    }

    /// A name, in which `*` matches any characters.
    pub(super) fn glob(&self) -> Result<Glob, Error> {
        match self.text()? {
            "" => Err(self.must_be("a name, in which `*` matches any characters")),
            text => Ok(Glob::new(text)),
        }
    }

    /// A regular expression, checked here so that an error has its place.
    pub(super) fn pattern(&self) -> Result<String, Error> {
        let text = self.text()?;
        match engine::detect::check_pattern(text) {
            Ok(()) => Ok(text.to_owned()),
            Err(reason) => Err(self.must_be(format!("a regular expression: {reason}"))),
        }
    }

    pub(super) fn schema(&self) -> Result<Schema, Error> {
        let name = self.of_kind(SCHEMAS).choice()?;
        name.parse().map_err(|()| self.invalid())
    }

    /// Where texts come from: one place, or a list of some.
    pub(super) fn origins(&self) -> Result<Origins, Error> {
        let origin = |item: &Self| Origin::parse(item.choice()?).ok_or_else(|| item.invalid());
        let origins = self.each(ORIGINS, origin)?;
        Ok(origins.into_iter().fold(Origins::default(), Origins::with))
    }

    /// One value, or a list of some.
    pub(super) fn each<T>(
        &self,
        kind: Kind,
        read: impl Fn(&Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let item = self.of_kind(kind);
        match item.node {
            Node::List(list) if list.is_empty() => {
                Err(item.must_be("one value, or a list of some"))
            }
            Node::List(_) => all(item.list(kind)?.iter().map(read)),
            _ => Ok(vec![read(&item)?]),
        }
    }

    /// The entries of a list.
    pub(super) fn list(&self, of: Kind) -> Result<Vec<Item<'a>>, Error> {
        let Node::List(list) = self.node else {
            return Err(self.invalid());
        };
        let entries = list.iter().enumerate();
        Ok(entries
            .map(|(index, node)| self.below(format!("{}[{index}]", self.path), of, node))
            .collect())
    }

    /// The entries of a mapping with their keys.
    pub(super) fn map(&self, of: Kind) -> Result<Vec<(&'a str, Item<'a>)>, Error> {
        let Node::Map(map) = self.node else {
            return Err(self.invalid());
        };
        let entries = map.iter().map(|(key, node)| {
            let path = format!("{}.{}", self.path, shown_key(key));
            (key.as_str(), self.below(path, of, node))
        });
        Ok(entries.collect())
    }

    pub(super) fn entity(&self) -> Result<EntityType, Error> {
        EntityType::parse(self.text()?).map_err(|reason| self.must_be(reason_of(&reason)))
    }

    /// Entity types as keys of a mapping.
    pub(super) fn entity_of_key(&self, key: &str) -> Result<EntityType, Error> {
        EntityType::parse(key).map_err(|reason| {
            self.must_be(format!("named by an entity type: {}", reason_of(&reason)))
        })
    }

    pub(super) fn invalid(&self) -> Error {
        self.must_be(self.kind.expected())
    }

    pub(super) fn must_be(&self, expected: impl Into<String>) -> Error {
        Error::Invalid {
            path: self.path.clone().into_owned(),
            from: self.from,
            expected: expected.into(),
            suggestion: None,
        }
    }

    /// The same, with a suggestion from `names` for `text`.
    pub(super) fn must_be_like(
        &self,
        expected: impl Into<String>,
        text: &str,
        names: impl IntoIterator<Item = &'static str>,
    ) -> Error {
        Error::Invalid {
            path: self.path.clone().into_owned(),
            from: self.from,
            expected: expected.into(),
            suggestion: suggestion(text, names),
        }
    }

    fn below(&self, path: String, kind: Kind, node: &'a Node) -> Self {
        Self {
            path: path.into(),
            from: self.from,
            kind,
            node,
        }
    }
}

/// The rule that a name breaks, to follow "must be".
fn reason_of(_: &engine::InvalidEntityType) -> &'static str {
    "a letter, then letters, digits and underscores, at most 64 characters"
}
