//! The figures of the last accepted score.

use super::{Figure, Figures, Measure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How far a share may fall, and how many more mistakes a megabyte may hold.
const TOLERANCE: f64 = 0.005;
const RATE_TOLERANCE: f64 = 0.5;

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/baseline.json")
}

fn read() -> Result<BTreeMap<String, f64>, String> {
    let text = std::fs::read_to_string(path()).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// Compares figures with the baseline, and names the corpora that it has and the figures do not.
///
/// # Errors
/// The rows that are worse than the tolerance allows, or why the baseline cannot be read.
pub fn check(figures: &Figures) -> Result<BTreeSet<String>, String> {
    let measured: BTreeSet<&str> = figures.iter().map(|(name, _)| corpus(name)).collect();
    let (mut worse, mut missing) = (Vec::new(), BTreeSet::new());
    for (name, before) in read()? {
        if !measured.contains(corpus(&name)) {
            missing.insert(corpus(&name).to_owned());
            continue;
        }
        match figures.get(&name) {
            None => worse.push(format!("{name}: no such row any more")),
            Some(figure) if is_worse(figure, before) => {
                let now = figure.value();
                worse.push(format!("{name}: {before:.4} was, {now:.4} is"));
            }
            Some(_) => {}
        }
    }
    if worse.is_empty() {
        Ok(missing)
    } else {
        Err(format!("detection got worse:\n{}", worse.join("\n")))
    }
}

/// The corpus of a row: its first word.
fn corpus(row: &str) -> &str {
    row.split(' ').next().unwrap_or_default()
}

fn is_worse(figure: &Figure, before: f64) -> bool {
    let now = figure.value();
    let (loss, tolerance) = match figure.measure {
        Measure::Found => (before - now, TOLERANCE),
        Measure::Wrong => (now - before, TOLERANCE),
        Measure::Rate => (now - before, RATE_TOLERANCE),
    };
    loss.is_nan() || loss > tolerance
}

/// Makes these figures the baseline. Rows of corpora that were not measured stay.
///
/// # Errors
/// When the file cannot be read or written.
pub fn write(figures: &Figures) -> Result<(), String> {
    let measured: BTreeSet<&str> = figures.iter().map(|(name, _)| corpus(name)).collect();
    let mut rows = read()?;
    rows.retain(|name, _| !measured.contains(corpus(name)));
    for (name, figure) in figures.iter() {
        rows.insert(name.to_owned(), (figure.value() * 1e4).round() / 1e4);
    }
    let text = serde_json::to_string_pretty(&rows).map_err(|error| error.to_string())?;
    std::fs::write(path(), text + "\n").map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::Corpus;

    #[test]
    fn detection_is_no_worse_than_the_baseline() {
        let corpus = Corpus::load(&Corpus::folder()).expect("the corpus");
        super::check(&corpus.score().expect("scored")).expect("figures");
    }
}
