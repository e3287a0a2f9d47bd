//! Scans one text.

use std::io::{self, Write};

use engine::Session;
use serde_json::{Value, json};

use super::position::Position;
use super::score;
use super::why::{self, Reasons};
use crate::cli::colours;
use crate::cli::scanned::Scanned;

/// What is shown of one text.
pub(super) struct View<'a> {
    pub(super) scanned: Scanned,
    pub(super) text: &'a str,
    pub(super) transform: bool,
    pub(super) why: bool,
    /// Shows values, too.
    pub(super) values: bool,
}

impl View<'_> {
    pub(super) fn print_text(&self, mut out: impl Write) -> io::Result<()> {
        let detections = &self.scanned.detections;
        if detections.is_empty() {
            writeln!(out, "No sensitive entities detected.")?;
        }
        let (bold, plain) = if colours() {
            ("\x1b[1m", "\x1b[0m")
        } else {
            ("", "")
        };
        let reasons = Reasons::new(self.why.then(|| self.scanned.reasons(self.text)));
        let mut position = Position::new(self.text);
        for detection in detections {
            let (start, end) = (position.of(detection.start), position.of(detection.end));
            write!(out, "{start}:{end}  {bold}{}{plain}", detection.entity)?;
            if self.values {
                let value = self.text.get(detection.start..detection.end);
                write!(out, "  '{}'", value.unwrap_or_default())?;
            }
            if self.why {
                write!(
                    out,
                    "  {}  {}%",
                    detection.rule,
                    detection.score.as_percent()
                )?;
            }
            writeln!(out)?;
            if let Some(judged) = reasons.of(detection) {
                writeln!(out, "    {}", why::weighed(judged))?;
            }
        }
        let mut position = Position::new(self.text);
        for near in reasons.near_misses(detections) {
            let value = self.text.get(near.start..near.end).unwrap_or_default();
            let (start, end) = (position.of(near.start), position.of(near.end));
            writeln!(
                out,
                "{start}:{end}  not masked  '{value}'\n    {}",
                why::weighed(near)
            )?;
        }
        if self.transform {
            let masked = self.scanned.masked(self.text, &mut Session::new())?;
            writeln!(out, "\n{masked}")?;
        }
        out.flush()
    }

    pub(super) fn print_json(&self, mut out: impl Write) -> io::Result<()> {
        let reasons = Reasons::new(self.why.then(|| self.scanned.reasons(self.text)));
        let mut position = Position::new(self.text);
        let found = &self.scanned.detections;
        let detections: Vec<Value> = found
            .iter()
            .map(|detection| {
                let mut shown = json!({
                    "start": position.of(detection.start),
                    "end": position.of(detection.end),
                    "type": detection.entity.as_str(),
                    "score": score(detection),
                });
                if self.values {
                    shown["value"] = self.text.get(detection.start..detection.end).into();
                }
                if self.why {
                    why::explain(&mut shown, detection, &reasons);
                }
                shown
            })
            .collect();
        let mut shown = json!({"detections": detections});
        if self.why {
            shown["not_masked"] = why::near_misses_as_json(&reasons, found, self.text);
        }
        if self.transform {
            shown["text"] = self.scanned.masked(self.text, &mut Session::new())?.into();
        }
        writeln!(out, "{shown}")?;
        out.flush()
    }
}
