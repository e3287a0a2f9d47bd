//! The user's own regular expressions.

use crate::EntityType;
use crate::detect::{Detection, DetectorError, Score};
use regex::{Captures, Regex, RegexSet};

/// The group that is the value.
const VALUE: &str = "value";

/// Patterns by type. One combined automaton finds which of them occur in a text; only those are
/// searched.
#[derive(Debug, Default)]
pub(in crate::detect) struct Patterns {
    any: RegexSet,
    each: Vec<(EntityType, Regex)>,
}

impl Patterns {
    pub(in crate::detect) fn new(patterns: &[(EntityType, String)]) -> Result<Self, DetectorError> {
        let each = patterns
            .iter()
            .map(|(entity, pattern)| {
                let regex =
                    Regex::new(pattern).map_err(|_| DetectorError::Pattern(entity.clone()))?;
                Ok((entity.clone(), regex))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let any = RegexSet::new(patterns.iter().map(|(_, pattern)| pattern)).map_err(|_| {
            let last = patterns
                .last()
                .map_or(EntityType::SECRET, |(entity, _)| entity.clone());
            DetectorError::Pattern(last)
        })?;
        Ok(Self { any, each })
    }

    /// Whether a type has its own pattern.
    pub(in crate::detect) fn replaces(&self, entity: &EntityType) -> bool {
        self.each.iter().any(|(own, _)| own == entity)
    }

    pub(in crate::detect) fn find(&self, text: &str, found: &mut Vec<Detection>) {
        if self.each.is_empty() {
            return;
        }
        for index in self.any.matches(text) {
            let Some((entity, regex)) = self.each.get(index) else {
                continue;
            };
            let values = regex
                .captures_iter(text)
                .filter_map(|captures| value(&captures));
            found.extend(values.map(|(start, end)| Detection {
                start,
                end,
                entity: entity.clone(),
                score: Score::MAX,
                rule: "pattern",
            }));
        }
    }
}

/// Checks a pattern before the detectors are made, so that a host can name its place.
///
/// # Errors
/// What is wrong with it. Quotes nothing of it.
pub fn check_pattern(pattern: &str) -> Result<(), String> {
    match Regex::new(pattern) {
        Ok(_) => Ok(()),
        Err(regex::Error::Syntax(message)) => {
            // The lines before the last one quote the pattern.
            let reason = message.rsplit_once("error: ").map(|(_, reason)| reason);
            Err(reason.unwrap_or("it can't be parsed").to_owned())
        }
        Err(_) => Err("it is too large".to_owned()),
    }
}

/// The group `value` if it took part, otherwise the whole match; nothing if that is empty.
fn value(captures: &Captures<'_>) -> Option<(usize, usize)> {
    let span = captures.name(VALUE).or_else(|| captures.get(0))?;
    (!span.is_empty()).then_some((span.start(), span.end()))
}
