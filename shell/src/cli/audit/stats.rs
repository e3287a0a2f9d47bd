//! `maskproxy audit stats`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::entry::printable;
use super::lines::each_of_file;
use super::shown;
use crate::cli::counted;

/// The longest bar, in characters.
const BAR: u64 = 32;

/// The counts of a trail.
#[derive(Debug, Default)]
pub(super) struct Stats {
    lines: u64,
    unreadable: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    masked: u64,
    restored: u64,
    events: Counts,
    entities: Counts,
    statuses: Counts,
    errors: Counts,
}

type Counts = BTreeMap<String, u64>;

/// The fields of a line that are counted.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    event: Cow<'a, str>,
    #[serde(borrow)]
    ts: Cow<'a, str>,
    #[serde(default)]
    entity_counts: Vec<String>,
    #[serde(default)]
    transformations: u64,
    #[serde(default)]
    restored: u64,
    status: Option<u16>,
    #[serde(borrow)]
    code: Option<Cow<'a, str>>,
}

impl Stats {
    /// Counts the lines of a file that are not older than `since`.
    ///
    /// # Errors
    /// When the file can't be read.
    pub(super) fn of_file(path: &Path, since: Option<Timestamp>) -> io::Result<Self> {
        let mut stats = Self::default();
        each_of_file(path, |line| {
            if stats.count(line, since).is_none() {
                stats.unreadable += 1;
            }
        })?;
        Ok(stats)
    }

    /// Counts one line; `None` if it is not an event.
    fn count(&mut self, line: &[u8], since: Option<Timestamp>) -> Option<()> {
        let line: Line<'_> = serde_json::from_slice(line).ok()?;
        let ts: Timestamp = line.ts.parse().ok()?;
        if since.is_some_and(|since| ts < since) {
            return Some(());
        }
        self.lines += 1;
        self.first = self.first.map_or(Some(ts), |first| Some(first.min(ts)));
        self.last = self.last.max(Some(ts));
        add(&mut self.events, &line.event, 1);
        match line.event.as_ref() {
            "session.transform" => {
                self.masked = self.masked.saturating_add(line.transformations);
                for counted in &line.entity_counts {
                    if let Some((entity, count)) = counted.rsplit_once(':') {
                        add(&mut self.entities, entity, count.parse().unwrap_or(0));
                    }
                }
            }
            "proxy.request" | "proxy.passthrough" => {
                if let Some(status) = line.status {
                    add(&mut self.statuses, &status.to_string(), 1);
                }
            }
            "proxy.response" => self.restored = self.restored.saturating_add(line.restored),
            "proxy.error" => add(&mut self.errors, line.code.as_deref().unwrap_or("-"), 1),
            _ => {}
        }
        Some(())
    }

    /// Everything as one JSON object.
    pub(super) fn to_json(&self) -> Value {
        json!({
            "lines": self.lines,
            "unreadable": self.unreadable,
            "first": self.first.map(shown),
            "last": self.last.map(shown),
            "masked": self.masked,
            "restored": self.restored,
            "events": self.events,
            "entities": self.entities,
            "statuses": self.statuses,
            "errors": self.errors,
        })
    }

    /// Prints tables, with bars when they are wanted.
    ///
    /// # Errors
    /// When the output can't be written.
    pub(super) fn print(&self, mut out: impl Write, bars: bool) -> io::Result<()> {
        match (self.first, self.last) {
            (Some(first), Some(last)) => {
                let events = counted(self.lines, "event", "events");
                writeln!(out, "{events}, {} to {}", shown(first), shown(last))?;
            }
            _ => writeln!(out, "no events")?,
        }
        if self.unreadable > 0 {
            let (one, many) = ("line skipped: not an event", "lines skipped: not events");
            writeln!(out, "{}", counted(self.unreadable, one, many))?;
        }
        if self.lines == 0 {
            return out.flush();
        }
        let masked = counted(self.masked, "value", "values");
        writeln!(out, "{masked} masked, {} restored", self.restored)?;
        for (title, counts) in [
            ("Masked values", &self.entities),
            ("Replies by status", &self.statuses),
            ("Errors", &self.errors),
            ("Events", &self.events),
        ] {
            print_table(&mut out, title, counts, bars)?;
        }
        out.flush()
    }
}

/// Most frequent first.
fn print_table(out: &mut impl Write, title: &str, counts: &Counts, bars: bool) -> io::Result<()> {
    let mut rows: Vec<_> = counts
        .iter()
        .map(|(name, count)| (printable(name), *count))
        .collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let (Some((_, most)), Some(width)) = (
        rows.first().cloned(),
        rows.iter().map(|(name, _)| name.chars().count()).max(),
    ) else {
        return Ok(());
    };
    let digits = most.to_string().len();
    writeln!(out, "\n{title}")?;
    for (name, count) in rows {
        write!(out, "  {name:<width$}  {count:>digits$}")?;
        if bars {
            write!(out, "  {}", bar(count, most))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A bar as long as `count` is of `most`; whatever was counted shows.
fn bar(count: u64, most: u64) -> String {
    let length = count.saturating_mul(BAR).div_ceil(most.max(1));
    "█".repeat(usize::try_from(length).unwrap_or_default())
}

fn add(counts: &mut Counts, name: &str, count: u64) {
    match counts.get_mut(name) {
        Some(sum) => *sum = sum.saturating_add(count),
        None => {
            counts.insert(name.to_owned(), count);
        }
    }
}
