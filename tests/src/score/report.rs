//! The table of a score.

use super::{Figure, Figures};
use std::fmt::Write;

/// Bytes of a megabyte in the rates.
const MEGABYTE: f64 = 1_000_000.0;

/// The value of a row: a share, or a rate for what is counted per megabyte.
#[must_use]
pub fn value(name: &str, figure: &Figure) -> f64 {
    let (count, of) = (to_float(figure.count), to_float(figure.of));
    if is_rate(name) {
        count * MEGABYTE / of
    } else {
        count / of
    }
}

/// Whether a row counts mistakes, so that less is better.
#[must_use]
pub fn is_mistake(name: &str) -> bool {
    is_rate(name) || name.ends_with("negatives")
}

fn is_rate(name: &str) -> bool {
    name.ends_with("per MB")
}

/// Every row as a Markdown table.
#[must_use]
pub fn table(figures: &Figures) -> String {
    let mut out = String::from("| row | value | count | of |\n| --- | --- | --- | --- |\n");
    for (name, figure) in figures {
        let value = value(name, figure);
        let _ = writeln!(
            out,
            "| {name} | {value:.4} | {} | {} |",
            figure.count, figure.of
        );
    }
    out
}

/// The cases that count against the rows whose name begins with `row`.
#[must_use]
pub fn misses(figures: &Figures, row: &str) -> String {
    figures
        .iter()
        .filter(|(name, _)| name.starts_with(row))
        .flat_map(|(name, figure)| {
            std::iter::once(format!("## {name}")).chain(figure.cases.iter().cloned())
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[expect(clippy::cast_precision_loss, reason = "counts of a small corpus")]
fn to_float(count: usize) -> f64 {
    count as f64
}
