//! Reads a trail while it is being written.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::lines::Lines;
use crate::system::file::FileId;

/// A file that grows, and may be truncated, moved away or recreated.
#[derive(Debug)]
pub(in crate::cli) struct Trail {
    file: File,
    position: u64,
    lines: Lines,
}

impl Trail {
    /// Opens a file, to be read from its beginning.
    ///
    /// # Errors
    /// When it can't be read.
    pub(in crate::cli) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: File::open(path)?,
            position: 0,
            lines: Lines::default(),
        })
    }

    /// Opens a file, to be read from the first line within its last `bytes`. Returns whether lines were left out.
    ///
    /// # Errors
    /// When it can't be read.
    pub(in crate::cli) fn open_end(path: &Path, bytes: u64) -> io::Result<(Self, bool)> {
        let mut trail = Self::open(path)?;
        let length = trail.file.metadata()?.len();
        if length <= bytes {
            return Ok((trail, false));
        }
        trail.position = trail.file.seek(SeekFrom::Start(length - bytes))?;
        trail.lines = Lines::within_a_line();
        Ok((trail, true))
    }

    /// Reads on to the end of the file.
    ///
    /// # Errors
    /// When it can't be read.
    pub(in crate::cli) fn read(
        &mut self,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let count = self.file.read(&mut buffer)?;
            let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else {
                return Ok(());
            };
            self.position += bytes.len() as u64;
            self.lines.feed(bytes, &mut take)?;
        }
    }

    /// Whether what was read ends within a line.
    pub(in crate::cli) fn ends_within_a_line(&self) -> bool {
        !self.lines.rest().is_empty()
    }

    /// Reads what came since, wherever it went.
    ///
    /// # Errors
    /// When it can't be read.
    pub(in crate::cli) fn follow(
        &mut self,
        path: &Path,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.file.metadata()?.len() < self.position {
            *self = Self {
                file: reopened(&self.file)?,
                position: 0,
                lines: Lines::default(),
            };
        }
        // The proxy keeps writing to a file that was moved away until it opens a new one.
        self.read(&mut take)?;
        let open = FileId::of(&self.file)?;
        // A path that names no file has not changed.
        if FileId::at(path).is_ok_and(|named| named != open) {
            *self = Self::open(path)?;
            self.read(&mut take)?;
        }
        Ok(())
    }
}

/// The same file, read from its beginning.
fn reopened(file: &File) -> io::Result<File> {
    let mut file = file.try_clone()?;
    file.rewind()?;
    Ok(file)
}
