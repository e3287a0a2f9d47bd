//! `maskproxy audit report`: a summary of what was masked, or would have been.

mod candidates;
mod html;
mod page;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::lines::each_of_file;
use super::shown;
use candidates::Candidate;
pub(super) use html::html;
pub(super) use page::text;

/// The version of the lines that are known.
const VERSION: u64 = 1;

/// The most names of one kind that are counted separately. The number of paths is unlimited.
const NAMES: usize = 2000;

/// The name of those beyond.
const OTHERS: &str = "(others)";

/// The counts of one or several trails.
#[derive(Debug, Default)]
pub(super) struct Report {
    files: u64,
    lines: u64,
    /// Lines that are not events, and lines of another version of the trail.
    unreadable: u64,
    newer: u64,
    /// Files whose last line has no end.
    cut: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    all: Traffic,
    by_route: BTreeMap<String, Traffic>,
    by_day: BTreeMap<String, Traffic>,
    by_type: BTreeMap<String, Values>,
    by_field: BTreeMap<String, Values>,
    by_rule: BTreeMap<String, Values>,
    /// By type, rule and field.
    findings: BTreeMap<[String; 3], Seen>,
    /// Requests in which something was found.
    with_findings: u64,
    /// Requests with a body that were forwarded unmasked, by path.
    unmasked: BTreeMap<String, u64>,
    blocked: u64,
    /// By code and kind.
    errors: BTreeMap<String, u64>,
    /// Failures that kept policy shadow from scanning, by kind.
    unseen: BTreeMap<String, u64>,
}

/// Requests, and the values in them.
#[derive(Debug, Default, Clone, Copy)]
struct Traffic {
    requests: u64,
    errors: u64,
    values: Values,
}

/// Values that were masked, and those that would have been.
#[derive(Debug, Default, Clone, Copy)]
struct Values {
    masked: u64,
    shadow: u64,
}

impl Values {
    fn add(&mut self, other: Self) {
        self.masked = self.masked.saturating_add(other.masked);
        self.shadow = self.shadow.saturating_add(other.shadow);
    }

    fn sum(self) -> u64 {
        self.masked.saturating_add(self.shadow)
    }

    fn json(self) -> Value {
        json!({"masked": self.masked, "would_be_masked": self.shadow})
    }
}

/// How often something was found.
#[derive(Debug, Default, Clone, Copy)]
struct Seen {
    requests: u64,
    values: u64,
}

/// The fields of a line that are counted.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    event: Cow<'a, str>,
    #[serde(borrow)]
    ts: Cow<'a, str>,
    #[serde(default)]
    version: u64,
    #[serde(borrow)]
    path: Option<Cow<'a, str>>,
    #[serde(default)]
    entity_counts: Vec<String>,
    #[serde(default)]
    transformations: u64,
    #[serde(default, borrow)]
    findings: Vec<Finding<'a>>,
    /// Findings that the line only counts.
    #[serde(default)]
    findings_left: u64,
    #[serde(borrow)]
    unmasked: Option<Cow<'a, str>>,
    #[serde(borrow)]
    code: Option<Cow<'a, str>>,
    #[serde(borrow)]
    error_type: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Finding<'a> {
    #[serde(borrow, rename = "type")]
    entity: Cow<'a, str>,
    #[serde(borrow)]
    field: Cow<'a, str>,
    #[serde(borrow)]
    rule: Cow<'a, str>,
    count: u64,
}

impl Report {
    /// Adds the lines of a file that are not older than `since`.
    ///
    /// # Errors
    /// When the file can't be read.
    pub(super) fn add_file(&mut self, path: &Path, since: Option<Timestamp>) -> io::Result<()> {
        let rest = each_of_file(path, |line| self.add_line(line, since))?;
        self.files += 1;
        if !rest.is_empty() {
            self.cut += 1;
            self.add_line(&rest, since);
        }
        Ok(())
    }

    fn add_line(&mut self, line: &[u8], since: Option<Timestamp>) {
        if self.count(line, since).is_none() {
            self.unreadable += 1;
        }
    }

    /// Counts one line; `None` if it is not an event.
    fn count(&mut self, line: &[u8], since: Option<Timestamp>) -> Option<()> {
        let line: Line<'_> = serde_json::from_slice(line).ok()?;
        let ts: Timestamp = line.ts.parse().ok()?;
        if since.is_some_and(|since| ts < since) {
            return Some(());
        }
        self.lines += 1;
        self.newer += u64::from(line.version > VERSION);
        self.first = self.first.map_or(Some(ts), |first| Some(first.min(ts)));
        self.last = self.last.max(Some(ts));
        match &*line.event {
            "proxy.request" | "guardrail.call" => {
                self.traffic(&line, ts, |traffic| traffic.requests += 1);
            }
            "session.transform" => self.values(&line, ts, |masked| Values { masked, shadow: 0 }),
            "shadow.detected" => self.values(&line, ts, |shadow| Values { masked: 0, shadow }),
            "proxy.passthrough" if line.unmasked.is_some() => {
                add(&mut self.unmasked, line.path.as_deref().unwrap_or("-"), 1);
            }
            "proxy.blocked" => self.blocked += 1,
            "proxy.error" => self.failed(&line, ts),
            _ => {}
        }
        Some(())
    }

    /// Counts for all, for the route and for the day of a line.
    fn traffic(&mut self, line: &Line<'_>, ts: Timestamp, count: impl Fn(&mut Traffic)) {
        count(&mut self.all);
        count(named(
            &mut self.by_route,
            line.path.as_deref().unwrap_or("-"),
        ));
        let day = ts.strftime("%Y-%m-%d").to_string();
        count(named(&mut self.by_day, &day));
    }

    fn values(&mut self, line: &Line<'_>, ts: Timestamp, of: impl Fn(u64) -> Values) {
        if let Some(error) = &line.error_type {
            add(&mut self.unseen, error, 1);
        }
        if line.transformations == 0 {
            return;
        }
        self.with_findings += 1;
        let sum = of(line.transformations);
        self.traffic(line, ts, |traffic| traffic.values.add(sum));
        for counted in &line.entity_counts {
            if let Some((entity, count)) = counted.rsplit_once(':') {
                named(&mut self.by_type, entity).add(of(count.parse().unwrap_or(0)));
            }
        }
        self.left(of(line.findings_left));
        for finding in &line.findings {
            named(&mut self.by_field, &finding.field).add(of(finding.count));
            named(&mut self.by_rule, &finding.rule).add(of(finding.count));
            let key = [&finding.entity, &finding.rule, &finding.field].map(ToString::to_string);
            if self.findings.len() < NAMES || self.findings.contains_key(&key) {
                let seen = self.findings.entry(key).or_default();
                seen.requests += 1;
                seen.values = seen.values.saturating_add(finding.count);
            }
        }
    }

    /// Counts findings that a line does not name.
    fn left(&mut self, left: Values) {
        if left.sum() > 0 {
            named(&mut self.by_field, OTHERS).add(left);
            named(&mut self.by_rule, OTHERS).add(left);
        }
    }

    fn failed(&mut self, line: &Line<'_>, ts: Timestamp) {
        let code = line.code.as_deref().unwrap_or("-");
        let kind = line.error_type.as_deref().unwrap_or("-");
        add(&mut self.errors, &format!("{code} ({kind})"), 1);
        self.traffic(line, ts, |traffic| traffic.errors += 1);
    }

    /// What the reader must know about the trail itself.
    fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        let mut notice = |count: u64, one: &str, many: &str| match count {
            0 => {}
            1 => notices.push(format!("1 {one}")),
            _ => notices.push(format!("{count} {many}")),
        };
        notice(
            self.cut,
            "file ends in the middle of a line: it is being written, or was truncated",
            "files end in the middle of a line: they are being written, or were truncated",
        );
        notice(
            self.unreadable,
            "line is not an event and was not counted",
            "lines are not events and were not counted",
        );
        notice(
            self.newer,
            "line was written by a newer version: its new fields are not counted",
            "lines were written by a newer version: their new fields are not counted",
        );
        let unseen = self.unseen.values().sum();
        notice(
            unseen,
            "request passed policy shadow before every detector had scanned it: its values may be missing here",
            "requests passed policy shadow before every detector had scanned them: their values may be missing here",
        );
        let Values { masked, shadow } = self.all.values;
        if masked > 0 && shadow > 0 {
            notices.push(
                "the trail contains both: requests that were masked, and requests that policy shadow only scanned"
                    .to_owned(),
            );
        }
        notices
    }

    /// Everything as one JSON object.
    pub(super) fn to_json(&self) -> Value {
        let values = |counts: &BTreeMap<String, Values>| {
            let counts = counts.iter();
            counts
                .map(|(name, values)| (name.clone(), values.json()))
                .collect::<serde_json::Map<_, _>>()
        };
        let traffic = |counts: &BTreeMap<String, Traffic>| {
            let counts = counts.iter();
            counts
                .map(|(name, traffic)| (name.clone(), traffic.json()))
                .collect::<serde_json::Map<_, _>>()
        };
        json!({
            "files": self.files,
            "lines": self.lines,
            "unreadable": self.unreadable,
            "first": self.first.map(shown),
            "last": self.last.map(shown),
            "notices": self.notices(),
            "all": self.all.json(),
            "by_type": values(&self.by_type),
            "by_field": values(&self.by_field),
            "by_rule": values(&self.by_rule),
            "by_route": traffic(&self.by_route),
            "by_day": traffic(&self.by_day),
            "candidates_to_allow": self.candidates().iter().map(Candidate::json).collect::<Vec<_>>(),
            "unmasked_paths": self.unmasked,
            "blocked": self.blocked,
            "errors": self.errors,
            "not_looked_at": self.unseen,
        })
    }
}

impl Traffic {
    fn json(self) -> Value {
        let mut json = self.values.json();
        json["requests"] = self.requests.into();
        json["errors"] = self.errors.into();
        json
    }
}

/// The count of a name; of a common one where there are too many names.
fn named<'c, T: Default>(counts: &'c mut BTreeMap<String, T>, name: &str) -> &'c mut T {
    let is_new = !counts.contains_key(name);
    let name = if is_new && counts.len() >= NAMES {
        OTHERS
    } else {
        name
    };
    counts.entry(name.to_owned()).or_default()
}

fn add(counts: &mut BTreeMap<String, u64>, name: &str, count: u64) {
    let sum = named(counts, name);
    *sum = sum.saturating_add(count);
}
