//! Scores how likely a candidate (a name, a value, and their syntax) is a secret.
//!
//! The score is learned: integer features of the candidate (`features`) are weighed by a linear
//! model (`model`), whose weights `tests/train` trains on labelled text. A few vetoes apply first
//! (`veto`).

mod code;
mod defaults;
mod features;
mod model;
pub(super) mod phrase;
mod template;
mod veto;

use crate::detect::Score;
use crate::detect::lexicon::name::{self, Name};
use crate::detect::lexicon::value_class::Value;
use std::ops::Range;

pub use features::Feature;
pub(super) use features::features;

/// The way from a name to its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `name=value` without spaces.
    Tight,
    /// `name = value`, `name := value`, `name => value`.
    Spaced,
    /// `name: value`.
    Colon,
    /// `"name", "value"` or `name("value")`.
    Argument,
    /// `<name>value</name>`.
    Element,
    /// `--name value`, `name value` in `.netrc`, `\set NAME value`, `BY 'value'`.
    Flag,
    /// `name: X` and `value: Y` side by side.
    Pair,
    /// `the name is value`.
    Prose,
    /// `the name of the host is value`.
    BeforeName,
    /// `the name on the host changed to value`.
    Far,
    /// `name: user / value`.
    Account,
    /// `name value`, in a sentence.
    Next,
    /// A value on the line below its name.
    Apart,
    /// One of the values of a list.
    List,
    /// A cell of the column that the name heads.
    Cell,
    /// A value that looks generated, a few words after the name.
    Near,
    /// A whole text under the name, as in JSON.
    Whole,
}

impl Form {
    /// Whether the value is in a sentence.
    const fn is_prose(self) -> bool {
        matches!(
            self,
            Self::Prose | Self::BeforeName | Self::Far | Self::Next | Self::Near
        )
    }
}

/// A value that may be a secret.
#[derive(Clone)]
pub(super) struct Candidate<'t> {
    pub(super) name: &'t Name,
    /// The name as it is written.
    pub(super) named: &'t [u8],
    pub(super) form: Form,
    pub(super) value: &'t str,
    pub(super) quoted: bool,
    /// In quotes that fill holes (`` `…${x}…` ``).
    pub(super) is_template: bool,
    pub(super) place: Option<Place<'t>>,
}

impl Candidate<'_> {
    /// Whether the name is one of secrets alone.
    fn has_strong_name(&self) -> bool {
        self.name.strength == name::Strength::Strong
    }
}

/// Where a candidate is in its text.
#[derive(Clone)]
pub(super) struct Place<'t> {
    pub(super) text: &'t [u8],
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
}

/// A candidate that was judged, to train on and to explain.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Where the value begins, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// What is known of it, and how much each speaks for a secret.
    pub features: Vec<(Feature, i32)>,
    /// What makes it no secret, whatever the model says.
    pub veto: Option<&'static str>,
    /// The margin above the threshold, in the model's units; below zero it is not a secret.
    pub margin: i32,
}

impl Judged {
    /// Whether this counts as a secret.
    #[must_use]
    pub const fn is_secret(&self) -> bool {
        self.veto.is_none() && self.margin >= 0
    }

    /// The score; `None` if it is not a secret.
    pub(super) fn score(&self) -> Option<Score> {
        self.is_secret().then(|| score(self.margin))
    }

    /// Whether little more would have made it a secret, or a veto kept the model from being asked.
    #[must_use]
    pub const fn is_near_miss(&self) -> bool {
        const NEAR: i32 = model::UNIT / 2;
        match self.veto {
            Some(_) => true,
            None => self.margin < 0 && self.margin >= -NEAR,
        }
    }
}

/// The score of a candidate, whose value has this class; `None` if it is not a secret.
pub(super) fn judge(candidate: &Candidate<'_>, class: &Value<'_>) -> Option<Score> {
    if veto::veto(candidate, class).is_some() {
        return None;
    }
    let mut margin = model::bias();
    features(candidate, class, &mut |feature| {
        margin += model::weight(feature);
    });
    let margin = with_certainty(candidate, class, margin);
    (margin >= 0).then(|| score(margin))
}

/// A margin, which is no doubt of a password that the model knows no letters of, nor of several words in quotes that are no sentence.
fn with_certainty(candidate: &Candidate<'_>, class: &Value<'_>, margin: i32) -> i32 {
    let is_phrase = || {
        candidate.quoted
            && class.has_space
            && class.has_digit
            && class.has_upper
            && class.has_lower
            && !phrase::holds_label(candidate.value)
            && !phrase::holds_sentence(candidate.value)
    };
    // A passphrase is several words, of which none need be rare.
    let is_passphrase = || {
        candidate.quoted
            && name::ends_with(candidate.named, b"passphrase")
            && class.has_space
            && phrase::are_words(class)
            && !class.has_upper
            && !phrase::holds_label(candidate.value)
    };
    let is_sure = candidate.name.is_password
        && !candidate.form.is_prose()
        && (class.mixes_scripts() || is_phrase() || is_passphrase());
    if is_sure { margin.max(0) } else { margin }
}

/// The same with the reasons.
pub(super) fn explain(candidate: &Candidate<'_>, class: &Value<'_>) -> Judged {
    let mut found = Vec::new();
    features(candidate, class, &mut |feature| {
        found.push((feature, model::weight(feature)));
    });
    let margin = found.iter().map(|(_, weight)| weight).sum::<i32>() + model::bias();
    let margin = with_certainty(candidate, class, margin);
    let (start, end) = candidate
        .place
        .as_ref()
        .map_or((0, candidate.value.len()), |place| {
            (place.value.start, place.value.end)
        });
    Judged {
        start,
        end,
        features: found,
        veto: veto::veto(candidate, class),
        margin,
    }
}

/// A margin in percent: 60 at the border, 10 more for each margin that training asks for.
fn score(margin: i32) -> Score {
    let percent = 60 + (margin * 10 / model::UNIT).clamp(0, 35);
    Score::percent(u8::try_from(percent).unwrap_or(95))
}
