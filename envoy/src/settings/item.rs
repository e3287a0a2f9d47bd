//! One JSON setting, which knows its path and shows no value.

use engine::{EntityType, Sensitive};
use serde_json::{Map, Value};

/// A value of the configuration and its path.
#[derive(Clone)]
pub(super) struct Item<'a> {
    path: String,
    value: &'a Value,
}

impl<'a> Item<'a> {
    /// The whole configuration.
    pub(super) fn root(value: &'a Value) -> Self {
        Self {
            path: String::new(),
            value,
        }
    }

    /// Where it stands.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Checks that this is a mapping of these keys alone.
    pub(super) fn knows(&self, keys: &[&str]) -> Result<(), String> {
        let unknown = self.map()?.keys().find(|key| !keys.contains(&key.as_str()));
        let Some(unknown) = unknown else {
            return Ok(());
        };
        let expected = keys.join(", ");
        // A value at the wrong place may have become a key.
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        if unknown.len() <= 32 && unknown.bytes().all(is_name) {
            let path = self.path_of(unknown);
            return Err(format!(
                "unknown setting '{path}': expected one of {expected}"
            ));
        }
        Err(format!(
            "unknown setting in '{}': expected one of {expected}",
            self.path
        ))
    }

    /// A member; none when it is absent or null.
    pub(super) fn get(&self, key: &str) -> Result<Option<Self>, String> {
        let value = self.map()?.get(key).filter(|value| !value.is_null());
        Ok(value.map(|value| Self {
            path: self.path_of(key),
            value,
        }))
    }

    /// Every member of a mapping whose keys are the user's own.
    pub(super) fn members(&self) -> Result<Vec<(&'a str, Self)>, String> {
        let members = self.map()?.iter();
        let item = |(key, value): (&'a String, &'a Value)| {
            let path = self.path_of(key);
            (key.as_str(), Self { path, value })
        };
        Ok(members.map(item).collect())
    }

    /// Every member of a list.
    pub(super) fn list(&self) -> Result<Vec<Self>, String> {
        let list = self
            .value
            .as_array()
            .ok_or_else(|| self.must_be("a list"))?;
        let item = |(index, value)| Self {
            path: format!("{}[{index}]", self.path),
            value,
        };
        Ok(list.iter().enumerate().map(item).collect())
    }

    pub(super) fn is_text(&self) -> bool {
        self.value.is_string()
    }

    pub(super) fn is_list(&self) -> bool {
        self.value.is_array()
    }

    pub(super) fn text(&self) -> Result<&'a str, String> {
        self.value.as_str().ok_or_else(|| self.must_be("a text"))
    }

    /// A text that is not empty.
    pub(super) fn filled(&self) -> Result<&'a str, String> {
        let text = self.text()?;
        if text.is_empty() {
            return Err(self.must_be("a text that is not empty"));
        }
        Ok(text)
    }

    /// A text that is valid in a header.
    pub(super) fn header_value(&self) -> Result<Sensitive<String>, String> {
        let text = self.filled()?;
        if !text
            .bytes()
            .all(|byte| byte == b' ' || byte.is_ascii_graphic())
        {
            return Err(self.must_be("one line of ASCII text"));
        }
        Ok(Sensitive::new(text.to_owned()))
    }

    pub(super) fn boolean(&self) -> Result<bool, String> {
        self.value
            .as_bool()
            .ok_or_else(|| self.must_be("true or false"))
    }

    /// A whole number, 1 or more.
    pub(super) fn count(&self) -> Result<usize, String> {
        let count = self
            .value
            .as_u64()
            .and_then(|count| usize::try_from(count).ok());
        count
            .filter(|count| *count > 0)
            .ok_or_else(|| self.must_be("a whole number, 1 or more"))
    }

    /// A number from 0 to 1, in whole per cent.
    pub(super) fn percent(&self) -> Result<u8, String> {
        let fraction = self
            .value
            .as_f64()
            .filter(|share| (0.0..=1.0).contains(share));
        let fraction = fraction.ok_or_else(|| self.must_be("a number from 0 to 1"))?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the number is from 0 to 100"
        )]
        let percent = (fraction * 100.0).round() as u8;
        Ok(percent)
    }

    pub(super) fn entity(&self) -> Result<EntityType, String> {
        EntityType::parse(self.text()?).map_err(|_| self.must_be(ENTITY))
    }

    /// The entity type that this item's key names.
    pub(super) fn entity_of(&self, key: &str) -> Result<EntityType, String> {
        EntityType::parse(key).map_err(|_| self.outer_must_be("a mapping of entity types"))
    }

    /// The built-in type that this item's key names.
    pub(super) fn built_in_of(&self, key: &str) -> Result<EntityType, String> {
        let known = EntityType::built_in(key);
        known.ok_or_else(|| self.outer_must_be("a mapping of built-in entity types"))
    }

    pub(super) fn must_be(&self, expected: &str) -> String {
        let name = if self.path.is_empty() {
            "the configuration".to_owned()
        } else {
            format!("setting '{}'", self.path)
        };
        format!("{name} must be {expected}")
    }

    /// The same of the mapping that this item is a member of: its key can't be shown.
    pub(super) fn outer_must_be(&self, expected: &str) -> String {
        let outer = self.path.split('.').take(2).collect::<Vec<_>>().join(".");
        format!("setting '{outer}' must be {expected}")
    }

    fn map(&self) -> Result<&'a Map<String, Value>, String> {
        self.value
            .as_object()
            .ok_or_else(|| self.must_be("a mapping"))
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }
}

const ENTITY: &str = "an entity type: a letter, then letters, digits and underscores, 64 at most";
