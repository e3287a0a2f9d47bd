//! The audit trail: one JSON object a line, event names, types and counts, never content.

mod line;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::spool::Spool;

pub(crate) use line::{Event, Line};

/// The audit file, open for appending.
#[derive(Debug)]
pub(crate) struct Audit(Spool);

impl Audit {
    /// Opens the file, readable by its owner only, making its directory where that is missing, and starts the thread that writes to it.
    ///
    /// # Errors
    /// When the file can't be created or written.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let file: File = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(path)?;
        Spool::start("audit", file).map(Self)
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
