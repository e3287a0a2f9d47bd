//! Files: which one has a name, and who may read it.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// The rights of others.
const OTHERS: u32 = 0o077;

/// Which file it is, however it is named. No other file has the same id while it exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId {
    device: u64,
    number: u64,
}

impl FileId {
    /// The open file.
    ///
    /// # Errors
    /// When the system does not tell.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        file.metadata().map(|metadata| Self::from(&metadata))
    }

    /// The file at a path, which is not opened: closing it would drop the locks that this process has on it.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|metadata| Self::from(&metadata))
    }
}

impl From<&Metadata> for FileId {
    fn from(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            number: metadata.ino(),
        }
    }
}

/// Whether a named pipe is at the path.
pub(crate) fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| there.file_type().is_fifo())
}

/// Whether the system would run the file as a program.
pub(crate) fn is_program(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

/// Lets only its owner read and write the file, if it is made by opening it.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Makes a directory that only its owner can look into.
///
/// # Errors
/// When it can't be made, or something is there.
pub(crate) fn make_private_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Takes others' rights to a file.
///
/// # Errors
/// When it is not ours.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.permissions().mode() & OTHERS != 0 {
        fs::set_permissions(path, Permissions::from_mode(0o600))?;
    }
    Ok(())
}

/// Whether only its owner has rights to a file or directory.
#[cfg(test)]
pub(crate) fn is_private(path: &Path) -> bool {
    fs::metadata(path).unwrap().permissions().mode() & OTHERS == 0
}

/// How many locks the processes of this machine have on a file.
#[cfg(test)]
pub(crate) fn locks_on(path: &Path) -> usize {
    let inode = format!(":{} ", fs::metadata(path).unwrap().ino());
    let locks = fs::read_to_string("/proc/locks").unwrap();
    locks.lines().filter(|line| line.contains(&inode)).count()
}

/// Lets everybody read a file.
#[cfg(test)]
pub(crate) fn make_public(path: &Path) {
    fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
}
