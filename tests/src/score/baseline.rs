//! The figures of the last accepted score.

use super::{Figures, report};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How far a share may fall, and how many more mistakes a megabyte may hold.
const TOLERANCE: f64 = 0.005;
const RATE_TOLERANCE: f64 = 0.5;

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/baseline.json")
}

/// Compares figures with the baseline.
///
/// # Errors
/// The rows that are worse than the tolerance allows, or why the baseline cannot be read.
pub fn check(figures: &Figures) -> Result<(), String> {
    let text = std::fs::read_to_string(path()).map_err(|error| error.to_string())?;
    let baseline: BTreeMap<String, f64> =
        serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let worse: Vec<String> = baseline
        .iter()
        .filter_map(|(name, &before)| {
            let now = figures
                .get(name)
                .map_or(f64::NAN, |figure| report::value(name, figure));
            is_worse(name, before, now).then(|| format!("{name}: {before:.4} was, {now:.4} is"))
        })
        .collect();
    if worse.is_empty() {
        Ok(())
    } else {
        Err(format!("detection got worse:\n{}", worse.join("\n")))
    }
}

fn is_worse(name: &str, before: f64, now: f64) -> bool {
    let tolerance = if name.ends_with("per MB") {
        RATE_TOLERANCE
    } else {
        TOLERANCE
    };
    let loss = if report::is_mistake(name) {
        now - before
    } else {
        before - now
    };
    loss.is_nan() || loss > tolerance
}

/// Makes these figures the baseline.
///
/// # Errors
/// When the file cannot be written.
pub fn write(figures: &Figures) -> Result<(), String> {
    let rows: BTreeMap<&String, f64> = figures
        .iter()
        .map(|(name, figure)| (name, (report::value(name, figure) * 1e4).round() / 1e4))
        .collect();
    let text = serde_json::to_string_pretty(&rows).map_err(|error| error.to_string())?;
    std::fs::write(path(), text + "\n").map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::Corpus;

    #[test]
    fn detection_is_no_worse_than_the_baseline() {
        let corpus = Corpus::load(&Corpus::folder()).expect("the corpus");
        super::check(&corpus.score()).expect("figures");
    }
}
