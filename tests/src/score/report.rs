//! The table of a score.

use super::Figures;
use std::fmt::Write;

/// Every row as a Markdown table.
#[must_use]
pub fn table(figures: &Figures) -> String {
    let mut out = String::from("| row | value | count | of |\n| --- | --- | --- | --- |\n");
    for (name, figure) in figures.iter() {
        let (value, count, of) = (figure.value(), figure.count, figure.of);
        let _ = writeln!(out, "| {name} | {value:.4} | {count} | {of} |");
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
