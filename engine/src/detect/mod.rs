//! Finds sensitive values in text.
//!
//! One pass over the bytes finds the places where a detection may begin (`scan`). Each place opens
//! a bounded window, in which a small validator decides.

mod bytes;
mod detection;
mod judge;
mod lexicon;
mod merge;
pub mod names;
mod own;
mod scan;
mod settings;
mod shapes;
mod syntax;
mod text;
mod types;
mod view;

pub use detection::{Detection, Score};
pub use merge::merge;
pub use own::check_pattern;
pub use settings::{Allowed, AllowedValues, DetectorError, DetectorSettings, Names};

use crate::EntityType;
pub use judge::{Feature, Judged};
use own::{AllowList, Patterns, Terms};
use scan::anchors;
use scan::grams::Grams;
use std::fmt;
use std::ops::Range;
use text::Text;
use text::scanner::Scanner;
use types::Types;
pub(crate) use view::{Backslash, Reading, each_decoded, each_reading, without_backslashes};

/// The detectors of one configuration, compiled once and shared by all exchanges.
///
/// `Debug` shows nothing of the user's terms and patterns.
pub struct Detectors {
    grams: Option<Grams>,
    types: Types,
    names: Names,
    patterns: Patterns,
    terms: Terms,
    allowed: AllowList,
    min_score: Score,
}

impl Default for Detectors {
    fn default() -> Self {
        Self::built_in()
    }
}

impl fmt::Debug for Detectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detectors").finish_non_exhaustive()
    }
}

impl Detectors {
    /// The built-in detectors with their defaults.
    #[must_use]
    pub fn built_in() -> Self {
        let types = Types::default();
        Self {
            grams: Some(anchors::grams(types)),
            types,
            names: Names::default(),
            patterns: Patterns::default(),
            terms: Terms::default(),
            allowed: AllowList::default(),
            min_score: Score::percent(0),
        }
    }

    /// Compiles the detectors of a configuration.
    ///
    /// # Errors
    /// [`DetectorError`] names what cannot be compiled, without quoting it.
    pub fn new(settings: &DetectorSettings) -> Result<Self, DetectorError> {
        let patterns = Patterns::new(&settings.patterns)?;
        let types = Types::of(settings);
        Ok(Self {
            grams: settings.built_in.then(|| anchors::grams(types)),
            types,
            names: settings.looks_for_names(),
            terms: Terms::new(&settings.terms, &patterns)?,
            patterns,
            allowed: AllowList::new(&settings.allow)?,
            min_score: settings.min_score,
        })
    }

    /// Appends every detection in `text`, unmerged and in no order.
    ///
    /// `name` is what the text is assigned to: the JSON key, environment name or command-line flag
    /// beside it.
    ///
    /// ```
    /// use engine::{Detectors, EntityType};
    ///
    /// let mut found = Vec::new();
    /// Detectors::built_in().detect("hunter2-x", Some("password"), &mut found);
    /// assert_eq!(found[0].entity, EntityType::SECRET);
    /// ```
    pub fn detect(&self, text: &str, name: Option<&str>, found: &mut Vec<Detection>) {
        self.detect_in_readings(text, name, found, &mut |_| {});
    }

    /// The same; tells the readings besides the text itself.
    pub(crate) fn detect_in_readings(
        &self,
        text: &str,
        name: Option<&str>,
        found: &mut Vec<Detection>,
        tell: &mut dyn FnMut(&Reading<'_>),
    ) {
        let first = found.len();
        let mut is_source_read = false;
        each_reading(text, &mut |reading| {
            if reading.is_source() {
                is_source_read = true;
            } else {
                tell(reading);
            }
            self.read(reading, name, found);
        });
        if !is_source_read {
            // The user's own patterns may match framing.
            self.find_own(text, found);
        }
        retain_from(found, first, |detection| self.admits(text, detection));
    }

    /// Appends what is found in one reading of a text.
    fn read(&self, reading: &Reading<'_>, name: Option<&str>, found: &mut Vec<Detection>) {
        let first = found.len();
        if let Some(grams) = &self.grams {
            let name = name.filter(|_| reading.is_whole);
            detect_built_in(grams, reading.text, name, found);
            names::scan(reading.text, name, self.names, found);
            // Before merging, so that a disabled type hides no other.
            retain_from(found, first, |detection| {
                self.types.hold(&detection.entity) && !self.patterns.replaces(&detection.entity)
            });
        }
        self.find_own(reading.text, found);
        found.extend(reading.unread().into_iter().map(|word| Detection {
            start: word.start,
            end: word.end,
            entity: EntityType::SECRET,
            score: Score::percent(100),
            rule: "too-deep",
        }));
        if !reading.is_source() {
            retain_from(found, first, |detection| {
                self.admits(reading.text, detection)
            });
            locate(reading, found, first);
        }
    }

    /// Appends the user's own findings.
    fn find_own(&self, text: &str, found: &mut Vec<Detection>) {
        self.patterns.find(text, found);
        self.terms.find(text, found);
    }

    /// Whether a detection in this text is sure enough, and not allowed.
    pub(crate) fn admits(&self, text: &str, detection: &Detection) -> bool {
        detection.score >= self.min_score && !self.allowed.allows(text, detection)
    }
}

/// Moves the detections of a reading, after the first `first`, to their positions in the text.
fn locate(reading: &Reading<'_>, found: &mut Vec<Detection>, first: usize) {
    let located = found.split_off(first).into_iter().filter_map(|detection| {
        let source = reading.locate(detection.start..detection.end)?;
        Some(Detection {
            start: source.start,
            end: source.end,
            ..detection
        })
    });
    found.extend(located);
}

/// Keeps those detections after the first `first` that pass `test`.
fn retain_from(found: &mut Vec<Detection>, first: usize, test: impl Fn(&Detection) -> bool) {
    let mut index = 0;
    found.retain(|detection| {
        index += 1;
        index <= first || test(detection)
    });
}

impl Detectors {
    /// Everything that was judged by name in every reading of a text, with the reasons.
    #[must_use]
    pub fn explain(&self, text: &str) -> Vec<Judged> {
        let mut judged = Vec::new();
        each_reading(text, &mut |reading| {
            let located = self.judge(reading.text).into_iter().filter_map(|judged| {
                let Range { start, end } = reading.locate(judged.start..judged.end)?;
                Some(Judged {
                    start,
                    end,
                    ..judged
                })
            });
            judged.extend(located);
        });
        judged
    }

    /// Everything that was judged by name in a text, for training.
    #[must_use]
    pub fn judge(&self, text: &str) -> Vec<Judged> {
        let mut found = Vec::new();
        let text = Text::new(text);
        let mut scanner = Scanner::new(&text, &mut found);
        scanner.judged = Some(Vec::new());
        if let Some(grams) = &self.grams {
            scan::scan(&mut scanner, grams);
        }
        scanner.judged.take().unwrap_or_default()
    }
}

fn detect_built_in(grams: &Grams, text: &str, name: Option<&str>, found: &mut Vec<Detection>) {
    let first = found.len();
    let source = Text::new(text);
    let mut scanner = Scanner::new(&source, found);
    scan::scan(&mut scanner, grams);
    scanner.follow_long_values(first);
    if let Some(name) = name {
        syntax::assigned::scan_whole(&mut scanner, name, text);
        scan::named::scan(grams, name, text, found);
    }
}
