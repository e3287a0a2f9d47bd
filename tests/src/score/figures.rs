//! The rows of a score.

use std::collections::BTreeMap;

/// What the number of a row means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// A share of what should be found: more is better.
    Found,
    /// A share of what should not be found: less is better.
    Wrong,
    /// Wrong findings a megabyte: less is better.
    Rate,
}

/// A row of the table: how many of how many, and the cases that counted against it.
#[derive(Debug, Clone)]
pub struct Figure {
    /// How to read it.
    pub measure: Measure,
    /// Labels hit, or wrong records or detections.
    pub count: usize,
    /// The number of labels or records; bytes for a rate.
    pub of: usize,
    /// What went wrong, for a developer to read.
    pub cases: Vec<String>,
}

impl Figure {
    /// The share, or the findings a megabyte.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of a small corpus")]
    pub fn value(&self) -> f64 {
        let share = self.count as f64 / self.of as f64;
        match self.measure {
            Measure::Found | Measure::Wrong => share,
            Measure::Rate => share * 1e6,
        }
    }
}

/// Every row by its name. The first word of a name is the corpus.
#[derive(Debug, Default)]
pub struct Figures(BTreeMap<String, Figure>);

impl Figures {
    /// The rows by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Figure)> {
        self.0.iter().map(|(name, figure)| (name.as_str(), figure))
    }

    /// The row of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Figure> {
        self.0.get(name)
    }

    /// Counts something that was to be found.
    pub(super) fn found(&mut self, row: String, found: bool, case: impl FnOnce() -> String) {
        let figure = self.row(row, Measure::Found);
        figure.of += 1;
        if found {
            figure.count += 1;
        } else {
            figure.cases.push(case());
        }
    }

    /// Counts a case in which nothing should be found.
    pub(super) fn wrong(&mut self, row: String, wrong: Option<String>) {
        let figure = self.row(row, Measure::Wrong);
        figure.of += 1;
        figure.count += usize::from(wrong.is_some());
        figure.cases.extend(wrong);
    }

    /// Counts the wrong findings in this many bytes.
    pub(super) fn rate(&mut self, row: String, bytes: usize, wrong: impl Iterator<Item = String>) {
        let figure = self.row(row, Measure::Rate);
        let before = figure.cases.len();
        figure.of += bytes;
        figure.cases.extend(wrong);
        figure.count += figure.cases.len() - before;
    }

    fn row(&mut self, name: String, measure: Measure) -> &mut Figure {
        self.0.entry(name).or_insert_with(|| Figure {
            measure,
            count: 0,
            of: 0,
            cases: Vec::new(),
        })
    }
}
