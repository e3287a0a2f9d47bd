//! The configuration of detection.

use crate::EntityType;
use crate::detect::Score;
use std::fmt;

/// What to detect, and what to leave.
///
/// `Debug` shows how much is set, but never a pattern, a term or a value.
#[derive(Clone)]
pub struct DetectorSettings {
    /// Whether the built-in detectors are used too.
    pub built_in: bool,
    /// Built-in types that are switched on (`true`) or off; the last one of a type counts. The others keep their
    /// defaults ([`EntityType::is_on_by_default`]).
    pub types: Vec<(EntityType, bool)>,
    /// How eagerly to look for names.
    pub names: Names,
    /// Regular expressions by type. A group named `value` is the finding, otherwise the whole
    /// match. A pattern for a built-in type replaces its detector and the terms of that type.
    pub patterns: Vec<(EntityType, String)>,
    /// Words by type: any case, whole words, longest first. Blank ones match nothing.
    pub terms: Vec<(EntityType, Vec<String>)>,
    /// Detections below this score are dropped.
    pub min_score: Score,
    /// Values that are never detected.
    pub allow: Vec<Allowed>,
}

/// How eagerly to look for names of people, places and organizations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Names {
    /// Not at all.
    Off,
    /// Only where it is almost certainly a name.
    #[default]
    Careful,
    /// Wherever it may be a name: fewer names are missed, and some words are taken for names.
    Eager,
}

impl Names {
    /// Every choice as a configuration names it.
    pub const ALL: [(&'static str, Self); 3] = [
        ("off", Self::Off),
        ("careful", Self::Careful),
        ("eager", Self::Eager),
    ];

    /// The choice of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let known = Self::ALL.iter().find(|(known, _)| *known == name);
        known.map(|(_, names)| *names)
    }
}

/// The types of names.
const NAMED: [EntityType; 3] = [
    EntityType::PERSON,
    EntityType::LOCATION,
    EntityType::ORGANIZATION,
];

/// A value, or values, that are never detected.
#[derive(Clone)]
pub struct Allowed {
    /// Only as this type; as any when absent.
    pub entity: Option<EntityType>,
    /// Which values.
    pub values: AllowedValues,
}

/// How allowed values are written.
#[derive(Clone)]
pub enum AllowedValues {
    /// This value, in this case.
    Exact(String),
    /// Every value that this regular expression matches from end to end.
    Pattern(String),
}

impl Default for DetectorSettings {
    fn default() -> Self {
        Self {
            built_in: true,
            types: Vec::new(),
            names: Names::default(),
            patterns: Vec::new(),
            terms: Vec::new(),
            min_score: Score::percent(0),
            allow: Vec::new(),
        }
    }
}

impl DetectorSettings {
    /// Whether the built-in detectors find this type.
    #[must_use]
    pub fn looks_for(&self, entity: &EntityType) -> bool {
        let switch = self.types.iter().rev().find(|(known, _)| known == entity);
        let is_on = switch.map_or_else(|| entity.is_on_by_default(), |(_, is_on)| *is_on);
        let is_off = self.names == Names::Off && NAMED.contains(entity);
        self.built_in && is_on && !is_off && EntityType::BUILT_IN.contains(entity)
    }

    /// How eagerly the built-in detectors look for names: not at all if all their types are off.
    pub(super) fn looks_for_names(&self) -> Names {
        if NAMED.iter().any(|entity| self.looks_for(entity)) {
            self.names
        } else {
            Names::Off
        }
    }

    /// Whether detections can be of this type.
    #[must_use]
    pub fn finds(&self, entity: &EntityType) -> bool {
        self.looks_for(entity)
            || self.patterns.iter().any(|(known, _)| known == entity)
            || self.terms.iter().any(|(known, _)| known == entity)
    }
}

impl fmt::Debug for DetectorSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DetectorSettings")
            .field("built_in", &self.built_in)
            .field("types", &self.types)
            .field("names", &self.names)
            .field("patterns", &self.patterns.len())
            .field(
                "terms",
                &self
                    .terms
                    .iter()
                    .map(|(_, terms)| terms.len())
                    .sum::<usize>(),
            )
            .field("min_score", &self.min_score)
            .field("allow", &self.allow.len())
            .finish()
    }
}

impl fmt::Debug for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allowed")
            .field("entity", &self.entity)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for AllowedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact(_) => "Exact",
            Self::Pattern(_) => "Pattern",
        })
    }
}

/// Why settings cannot be compiled. No message quotes a pattern or a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DetectorError {
    /// The pattern of a type is not a valid regular expression, or is too large.
    Pattern(EntityType),
    /// The allowed pattern at this index is not a valid regular expression, or is too large.
    AllowedPattern(usize),
    /// The terms are too many to compile.
    Terms,
}

impl fmt::Display for DetectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern(entity) => {
                write!(
                    f,
                    "the pattern of {entity} is not a usable regular expression"
                )
            }
            Self::AllowedPattern(index) => {
                write!(
                    f,
                    "allowed pattern {} is not a usable regular expression",
                    index + 1
                )
            }
            Self::Terms => f.write_str("there are too many terms"),
        }
    }
}

impl std::error::Error for DetectorError {}
