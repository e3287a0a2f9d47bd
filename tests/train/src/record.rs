//! A labelled text, as a line of a corpus holds it.

use serde::{Deserialize, Serialize};
use std::path::Path;

/// A text and where its secrets and personal data are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Unique among the records of a corpus.
    pub id: String,
    /// What a detector reads.
    pub text: String,
    /// Every value that must be found, in order.
    pub spans: Vec<Span>,
    /// Where the text is from. What stands before a colon names the family.
    pub source: String,
    /// An SPDX expression.
    pub license: String,
}

/// A value within a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Start, in Unicode scalar values.
    pub start: usize,
    /// End (exclusive), in Unicode scalar values.
    pub end: usize,
    /// Start, in bytes of UTF-8.
    #[serde(rename = "bstart")]
    pub byte_start: usize,
    /// End (exclusive), in bytes of UTF-8.
    #[serde(rename = "bend")]
    pub byte_end: usize,
    /// `SECRET`, `EMAIL`, `PHONE`, `CREDIT_CARD`, `IP_ADDRESS`, `US_SSN`, or `IGNORE`: found or not, both are right.
    #[serde(rename = "type")]
    pub entity: String,
    /// How a generated value was made: `words`, `hex`, … Corpora do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

impl Record {
    /// Reads a file of records, one JSON object a line.
    ///
    /// # Errors
    /// A file or a line that cannot be read, with the file's name.
    pub fn read(path: &Path) -> Result<Vec<Self>, String> {
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
        text.lines()
            .map(|line| serde_json::from_str(line).map_err(|error| format!("{name}: {error}")))
            .collect()
    }

    /// The part of the source before its colon.
    #[must_use]
    pub fn family(&self) -> &str {
        self.source.split(':').next().unwrap_or_default()
    }
}
