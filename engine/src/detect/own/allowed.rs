//! Values that the user has allowed, which are never detected.

use crate::EntityType;
use crate::detect::settings::{Allowed, AllowedValues};
use crate::detect::{Detection, DetectorError};
use regex::Regex;
use std::collections::BTreeMap;

/// A type, or any.
type Scope = Option<EntityType>;

/// Allowed values and patterns.
#[derive(Debug, Default)]
pub(in crate::detect) struct AllowList {
    exact: BTreeMap<String, Vec<Scope>>,
    patterns: Vec<(Scope, Regex)>,
}

impl AllowList {
    pub(in crate::detect) fn new(allowed: &[Allowed]) -> Result<Self, DetectorError> {
        let mut list = Self::default();
        for (index, allowed) in allowed.iter().enumerate() {
            let scope = allowed.entity.clone();
            match &allowed.values {
                AllowedValues::Exact(value) => {
                    list.exact.entry(value.clone()).or_default().push(scope);
                }
                AllowedValues::Pattern(pattern) => {
                    let regex = Regex::new(&format!("^(?:{pattern})$"))
                        .map_err(|_| DetectorError::AllowedPattern(index))?;
                    list.patterns.push((scope, regex));
                }
            }
        }
        Ok(list)
    }

    /// Whether a detection in `text` is of an allowed value.
    pub(in crate::detect) fn allows(&self, text: &str, detection: &Detection) -> bool {
        let Some(value) = text.get(detection.start..detection.end) else {
            return false;
        };
        let covers = |scope: &Scope| {
            scope
                .as_ref()
                .is_none_or(|entity| *entity == detection.entity)
        };
        self.exact
            .get(value)
            .is_some_and(|scopes| scopes.iter().any(covers))
            || self
                .patterns
                .iter()
                .any(|(scope, regex)| covers(scope) && regex.is_match(value))
    }
}
