//! The audit trail: one JSON object per line with event names, types and counts, never content.

mod line;

use std::io;
use std::path::{self, Path, PathBuf};

use crate::base::spool::Spool;

pub(crate) use line::{Event, Line};

/// The folder of an audit file, if opening the file would create it.
pub(crate) fn missing_folder(path: &Path) -> Option<PathBuf> {
    let whole = path::absolute(path).ok()?;
    let folder = whole.parent()?;
    (!folder.exists()).then(|| folder.to_owned())
}

/// The audit file, open for appending; `None` if the audit trail is off.
#[derive(Debug)]
pub(crate) struct Audit(Option<Spool>);

impl Audit {
    /// Opens the file and starts the thread that writes to it. Without a path nothing is kept.
    ///
    /// # Errors
    /// When the file can't be created or written.
    pub(crate) fn open(path: Option<&Path>) -> io::Result<Self> {
        let spool = path.map(|path| Spool::open("audit", path)).transpose()?;
        Ok(Self(spool))
    }

    /// Adds lines that a [`Line`] wrote. Never waits for the disk.
    pub(crate) fn append(&self, lines: &[u8]) {
        if let Some(spool) = &self.0 {
            spool.append(lines);
        }
    }

    /// How many lines could not be written since this was asked last.
    pub(crate) fn take_lost(&self) -> u64 {
        self.0.as_ref().map_or(0, Spool::take_lost)
    }

    /// Writes what is still waiting.
    pub(crate) fn close(&self) {
        if let Some(spool) = &self.0 {
            spool.close();
        }
    }
}
