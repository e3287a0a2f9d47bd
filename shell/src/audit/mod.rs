//! The audit trail: one JSON object a line, event names, types and counts, never content.

mod line;

use std::io;
use std::path::Path;

use crate::spool::Spool;

pub(crate) use line::{Event, Line};

/// The audit file, open for appending.
#[derive(Debug)]
pub(crate) struct Audit(Spool);

impl Audit {
    /// Opens the file and starts the thread that writes to it.
    ///
    /// # Errors
    /// When the file can't be created or written.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Spool::open("audit", path).map(Self)
    }

    /// Adds lines that a [`Line`] wrote. Never waits for the disk.
    pub(crate) fn append(&self, lines: &[u8]) {
        self.0.append(lines);
    }

    /// How many lines could not be written so far.
    pub(crate) fn lost(&self) -> u64 {
        self.0.lost()
    }

    /// Writes what is still waiting.
    pub(crate) fn close(&self) {
        self.0.close();
    }
}
