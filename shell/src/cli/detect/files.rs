//! Scans files and prints one line per value, as compilers and linters do.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use engine::{Detection, Schema};
use serde_json::{Value, json};

use super::position::Position;
use super::why::{self, Reasons};
use super::{input, score, walk};
use crate::base::io_error;
use crate::cli::scanned::{Scanned, Scanner};
use crate::cli::{colours, notify};

/// How much of a value a line shows, in characters.
const SHOWN: usize = 100;

/// Files to scan, and how findings are shown.
pub(super) struct Files<'a> {
    pub(super) scanner: &'a Scanner,
    pub(super) paths: &'a [PathBuf],
    /// Reads each file as the body of a request of this schema.
    pub(super) schema: Option<Schema>,
    pub(super) why: bool,
    /// Shows values, too.
    pub(super) values: bool,
}

/// The result of scanning files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) scanned: bool,
    pub(super) found: bool,
    /// A file could not be scanned.
    pub(super) failed: bool,
}

impl Outcome {
    const fn is_clean(self) -> bool {
        self.scanned && !self.found && !self.failed
    }

    fn fail(&mut self, path: &Path, error: &io::Error) {
        self.failed = true;
        let reason = io_error::in_words(error);
        notify(&format!("Error: can't read {}: {reason}", path.display()));
    }
}

impl Files<'_> {
    /// Prints `path:line:column  TYPE  'value'` for each value.
    pub(super) fn print_lines(&self, mut out: impl Write) -> io::Result<Outcome> {
        let outcome = self.each(|path, text, scanned| {
            let reasons = self.reasons(text, scanned);
            let mut position = Position::new(text);
            for detection in &scanned.detections {
                self.print_line(&mut out, path, text, detection, &mut position)?;
                if let Some(judged) = reasons.of(detection) {
                    writeln!(out, "    {}", why::weighed(judged))?;
                }
            }
            let mut position = Position::new(text);
            for near in reasons.near_misses(&scanned.detections) {
                let (line, column) = position.line_and_column(near.start);
                let value = in_one_line(text.get(near.start..near.end).unwrap_or_default());
                let (path, reasons) = (path.display(), why::weighed(near));
                writeln!(
                    out,
                    "{path}:{line}:{column}  not masked  '{value}'\n    {reasons}"
                )?;
            }
            Ok(())
        })?;
        if outcome.is_clean() {
            writeln!(out, "No sensitive entities detected.")?;
        }
        out.flush()?;
        Ok(outcome)
    }

    /// Prints one JSON object with every file.
    pub(super) fn print_json(&self, mut out: impl Write) -> io::Result<Outcome> {
        let mut files = Vec::new();
        let outcome = self.each(|path, text, scanned| {
            let reasons = self.reasons(text, scanned);
            let mut position = Position::new(text);
            let found = &scanned.detections;
            let shown = |detection| self.as_json(text, detection, &reasons, &mut position);
            let detections: Vec<Value> = found.iter().map(shown).collect();
            let mut file = json!({"path": path.to_string_lossy(), "detections": detections});
            if self.why {
                file["not_masked"] = why::near_misses_as_json(&reasons, found, text);
            }
            files.push(file);
            Ok(())
        })?;
        writeln!(out, "{}", json!({"files": files}))?;
        out.flush()?;
        Ok(outcome)
    }

    /// Scans one file after the other, and those in directories. A file that can't be read does not stop the scan.
    pub(super) fn each(
        &self,
        mut show: impl FnMut(&Path, &str, &Scanned) -> io::Result<()>,
    ) -> io::Result<Outcome> {
        let mut outcome = Outcome::default();
        let mut binary = 0_u64;
        for path in self.paths {
            if !path.is_dir() {
                if !self.file(path, &mut outcome, &mut show)? {
                    notify(&format!("skipped {}: it is not text", path.display()));
                }
                continue;
            }
            for file in walk::files(path) {
                match file {
                    Ok(file) => binary += u64::from(!self.file(&file, &mut outcome, &mut show)?),
                    Err(error) => outcome.fail(path, &error),
                }
            }
        }
        if binary > 0 {
            notify(&format!("skipped files that are not text: {binary}"));
        }
        if outcome == Outcome::default() {
            notify("nothing was scanned");
        }
        Ok(outcome)
    }

    /// Scans a file; returns whether it is text.
    fn file(
        &self,
        path: &Path,
        outcome: &mut Outcome,
        show: &mut impl FnMut(&Path, &str, &Scanned) -> io::Result<()>,
    ) -> io::Result<bool> {
        let text = match input::text_of(path) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(false),
            Err(error) => {
                outcome.fail(path, &error);
                return Ok(true);
            }
        };
        let Some(scanned) = self.scan(path, &text)? else {
            outcome.failed = true;
            return Ok(true);
        };
        outcome.scanned = true;
        outcome.found |= !scanned.detections.is_empty();
        show(path, &text, &scanned)?;
        Ok(true)
    }

    /// Scans the text of a file; `None`, with a message to the user, if it is not a body of the
    /// schema.
    fn scan(&self, path: &Path, text: &str) -> io::Result<Option<Scanned>> {
        let Some(schema) = self.schema else {
            return self.scanner.scan(text).map(Some);
        };
        match self.scanner.scan_body(text, schema) {
            Ok(scanned) => Ok(Some(scanned)),
            Err(error) => {
                notify(&format!("Error: can't read {}: {error}", path.display()));
                Ok(None)
            }
        }
    }

    fn reasons(&self, text: &str, scanned: &Scanned) -> Reasons {
        Reasons::new(self.why.then(|| scanned.reasons(text)))
    }

    fn print_line(
        &self,
        out: &mut impl Write,
        path: &Path,
        text: &str,
        detection: &Detection,
        position: &mut Position<'_>,
    ) -> io::Result<()> {
        let (line, column) = position.line_and_column(detection.start);
        let (bold, plain) = if colours() {
            ("\x1b[1m", "\x1b[0m")
        } else {
            ("", "")
        };
        let (path, entity) = (path.display(), &detection.entity);
        write!(out, "{path}:{line}:{column}  {bold}{entity}{plain}")?;
        if self.values {
            write!(out, "  '{}'", in_one_line(value(text, detection)))?;
        }
        if self.why {
            let score = detection.score.as_percent();
            write!(out, "  {}  {score}%", detection.rule)?;
        }
        writeln!(out)
    }

    fn as_json(
        &self,
        text: &str,
        detection: &Detection,
        reasons: &Reasons,
        position: &mut Position<'_>,
    ) -> Value {
        let (line, column) = position.line_and_column(detection.start);
        let mut shown = json!({
            "line": line,
            "column": column,
            "start": position.of(detection.start),
            "end": position.of(detection.end),
            "type": detection.entity.as_str(),
            "score": score(detection),
        });
        if self.values {
            shown["value"] = value(text, detection).into();
        }
        if self.why {
            why::explain(&mut shown, detection, reasons);
        }
        shown
    }
}

fn value<'a>(text: &'a str, detection: &Detection) -> &'a str {
    text.get(detection.start..detection.end).unwrap_or_default()
}

/// The beginning of a value, without anything that ends the line or that a terminal obeys.
fn in_one_line(value: &str) -> String {
    let mut shown = String::with_capacity(value.len().min(4 * SHOWN));
    for character in value.chars().take(SHOWN) {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    if value.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_value_is_one_line_without_escapes() {
        assert_eq!(in_one_line("a\r\nb\x1b[31m"), "a\\r\\nb\\u{1b}[31m");
        let long = in_one_line(&"é".repeat(SHOWN + 1));
        assert_eq!(long.chars().count(), SHOWN + 1);
        assert!(long.ends_with("é…"));
        assert_eq!(in_one_line(&"x".repeat(SHOWN)), "x".repeat(SHOWN));
    }
}
