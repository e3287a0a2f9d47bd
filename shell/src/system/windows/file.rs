//! Files: which one has a name. Who may read one is inherited from its folder, which in a user's profile is the user.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use winapi_util::file::information;

/// Which file it is, however it is named. No other file has the same id while it exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId {
    volume: u64,
    number: u64,
}

impl FileId {
    /// The open file.
    ///
    /// # Errors
    /// When the system does not tell.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        let information = information(file)?;
        Ok(Self {
            volume: information.volume_serial_number(),
            number: information.file_index(),
        })
    }

    /// The file at a path.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        Self::of(&File::open(path)?)
    }
}

/// Whether a named pipe is at the path. Those of Windows are in a namespace of their own.
pub(crate) fn is_pipe(path: &Path) -> bool {
    path.starts_with(r"\\.\pipe")
}

/// Whether the system would run the file as a program.
pub(crate) fn is_program(metadata: &Metadata) -> bool {
    metadata.is_file()
}

/// Lets only its owner read and write the file, if it is made by opening it in a folder that only the owner can look into.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Makes a directory, which others can look into if they can look into its parent.
///
/// # Errors
/// When it can't be made, or something is there.
pub(crate) fn make_private_directory(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// Leaves a file the rights that it inherited.
///
/// # Errors
/// When there is none.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    fs::metadata(path).map(drop)
}
