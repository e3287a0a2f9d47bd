//! The tables of a report, and their text form.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Report, Traffic, Values};
use crate::cli::audit::entry::printable;
use crate::cli::audit::shown;
use crate::cli::counted;

/// The most rows of a table that are shown.
const ROWS: usize = 40;

/// A table: names first, then counts.
pub(super) struct Table {
    pub(super) title: &'static str,
    /// What the reader may do about it.
    pub(super) hint: Option<&'static str>,
    /// The heads of the columns, those of names first.
    pub(super) names: Vec<&'static str>,
    pub(super) counts: Vec<&'static str>,
    pub(super) rows: Vec<Row>,
    /// Rows that are not shown.
    pub(super) left: usize,
}

pub(super) struct Row {
    pub(super) names: Vec<String>,
    pub(super) counts: Vec<u64>,
}

impl Table {
    /// Most frequent first, by the sum of the counts.
    fn new(
        title: &'static str,
        names: &[&'static str],
        counts: &[&'static str],
        mut rows: Vec<Row>,
    ) -> Self {
        rows.sort_by_key(|row| std::cmp::Reverse(row.counts.iter().sum::<u64>()));
        Self::in_order(title, names, counts, rows)
    }

    fn in_order(
        title: &'static str,
        names: &[&'static str],
        counts: &[&'static str],
        mut rows: Vec<Row>,
    ) -> Self {
        let left = rows.len().saturating_sub(ROWS);
        rows.truncate(ROWS);
        Self {
            title,
            hint: None,
            names: names.to_vec(),
            counts: counts.to_vec(),
            rows,
            left,
        }
    }

    fn hint(self, hint: &'static str) -> Self {
        Self {
            hint: Some(hint),
            ..self
        }
    }
}

const CANDIDATES: &str = "These findings recur in texts that software writes, and are often example \
                          addresses or keys. Check the text with `maskproxy detect --why`, and add harmless \
                          values to detector.allow.";

const UNMASKED: &str = "These requests had a body and were forwarded unmasked. Add routes with \
                        proxy.add_routes, or set proxy.unrouted to mask or refuse.";

impl Report {
    /// The text of the first line.
    pub(super) fn span(&self) -> String {
        let files = counted(self.files, "file", "files");
        match (self.first, self.last) {
            (Some(first), Some(last)) => {
                let events = counted(self.lines, "event", "events");
                format!("{events} in {files}, {} to {}", shown(first), shown(last))
            }
            _ => format!("no events in {files}"),
        }
    }

    /// The report in one sentence.
    pub(super) fn sentence(&self) -> String {
        let Traffic {
            requests, errors, ..
        } = self.all;
        let Values { masked, shadow } = self.all.values;
        let mut parts = vec![counted(requests, "request", "requests")];
        if masked > 0 || shadow == 0 {
            parts.push(counted(masked, "value masked", "values masked"));
        }
        if shadow > 0 {
            let values = counted(shadow, "value", "values");
            parts.push(format!("{values} would have been masked (policy shadow)"));
        }
        parts.push(counted(errors, "error", "errors"));
        parts.join(", ")
    }

    /// The tables that have rows.
    pub(super) fn tables(&self) -> Vec<Table> {
        let both = self.value_columns();
        let of_values = |title, name, counts: &BTreeMap<String, Values>| {
            let rows = counts.iter().map(|(name, values)| Row {
                names: vec![name.clone()],
                counts: self.value_counts(*values),
            });
            Table::new(title, &[name], &both, rows.collect())
        };
        let of_traffic = |counts: &BTreeMap<String, Traffic>| {
            let rows = counts.iter().map(|(name, traffic)| Row {
                names: vec![name.clone()],
                counts: [traffic.requests, traffic.errors]
                    .into_iter()
                    .chain(self.value_counts(traffic.values))
                    .collect(),
            });
            rows.collect()
        };
        let columns: Vec<_> = ["requests", "errors"]
            .into_iter()
            .chain(both.clone())
            .collect();
        let counted = |title, name, counts: &BTreeMap<String, u64>| {
            let rows = counts.iter().map(|(name, count)| Row {
                names: vec![name.clone()],
                counts: vec![*count],
            });
            Table::new(title, &[name], &["count"], rows.collect())
        };
        let tables = [
            of_values("By type", "type", &self.by_type),
            of_values("By field", "field", &self.by_field),
            of_values("By rule", "rule", &self.by_rule),
            Table::new("By route", &["route"], &columns, of_traffic(&self.by_route)),
            Table::in_order("By day", &["day"], &columns, of_traffic(&self.by_day)),
            self.candidate_table(),
            counted("Paths that were not masked", "path", &self.unmasked).hint(UNMASKED),
            counted("Errors", "error", &self.errors),
            counted("Not scanned by policy shadow", "why", &self.unseen),
        ];
        let with_rows = tables.into_iter().filter(|table| !table.rows.is_empty());
        with_rows.collect()
    }

    fn candidate_table(&self) -> Table {
        let candidates = self.candidates();
        let rows = candidates.iter().map(|one| Row {
            names: [one.entity, one.rule, one.field]
                .map(str::to_owned)
                .to_vec(),
            counts: vec![one.requests, one.values, one.share],
        });
        let names = ["type", "rule", "field"];
        let counts = ["requests", "values", "% of requests"];
        Table::in_order("Candidates to allow", &names, &counts, rows.collect()).hint(CANDIDATES)
    }

    /// The columns of values: only those that the trail has.
    fn value_columns(&self) -> Vec<&'static str> {
        match self.all.values {
            Values { masked: 0, shadow } if shadow > 0 => vec!["would be masked"],
            Values { shadow: 0, .. } => vec!["masked"],
            _ => vec!["masked", "would be masked"],
        }
    }

    fn value_counts(&self, values: Values) -> Vec<u64> {
        match self.value_columns().len() {
            1 => vec![values.sum()],
            _ => vec![values.masked, values.shadow],
        }
    }
}

/// Prints a report as text.
///
/// # Errors
/// When the output can't be written.
pub(in crate::cli::audit) fn text(report: &Report, mut out: impl Write) -> io::Result<()> {
    writeln!(out, "{}\n{}", report.span(), report.sentence())?;
    for notice in report.notices() {
        writeln!(out, "notice: {notice}")?;
    }
    for table in report.tables() {
        print(&table, &mut out)?;
    }
    out.flush()
}

fn print(table: &Table, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\n{}", table.title)?;
    if let Some(hint) = table.hint {
        writeln!(out, "  {hint}")?;
    }
    let heads = table.names.iter().chain(&table.counts);
    let heads = heads.map(|head| (*head).to_owned()).collect::<Vec<_>>();
    let cells = table.rows.iter().map(|row| {
        let names = row.names.iter().map(|name| printable(name).into_owned());
        names
            .chain(row.counts.iter().map(u64::to_string))
            .collect::<Vec<_>>()
    });
    let lines: Vec<_> = std::iter::once(heads).chain(cells).collect();
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..table.names.len() + table.counts.len())
        .map(width)
        .collect();
    for line in &lines {
        let mut text = String::new();
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            // Writing to a string can't fail.
            let _ = if column < table.names.len() {
                write!(text, "  {cell:<width$}")
            } else {
                write!(text, "  {cell:>width$}")
            };
        }
        writeln!(out, "{}", text.trim_end())?;
    }
    if table.left > 0 {
        writeln!(out, "  and {} more (--format json has all)", table.left)?;
    }
    Ok(())
}
