//! A text that is being written, with its labels.

use crate::record::{Record, Span};

/// A text and its labels so far.
#[derive(Debug, Default)]
pub(super) struct Text {
    text: String,
    spans: Vec<Span>,
}

impl Text {
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends a value with a label.
    pub(super) fn push_span(&mut self, value: &str, entity: &str, kind: Option<&str>) {
        let (start, byte_start) = (self.text.chars().count(), self.text.len());
        self.text.push_str(value);
        self.spans.push(Span {
            start,
            end: start + value.chars().count(),
            byte_start,
            byte_end: self.text.len(),
            entity: entity.to_owned(),
            kind: kind.map(str::to_owned),
        });
    }

    /// Appends spaces until what begins at a byte is so many characters wide.
    pub(super) fn pad(&mut self, start: usize, width: usize) {
        let written = self.text[start..].chars().count();
        self.text
            .extend(std::iter::repeat_n(' ', width.saturating_sub(written)));
    }

    /// Length in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// The record that it makes.
    pub(super) fn record(self, id: String, form: &str) -> Record {
        Record {
            id,
            text: self.text,
            spans: self.spans,
            source: format!("generated:{form}"),
            license: "MIT OR Apache-2.0".to_owned(),
        }
    }
}
