//! The files in a directory that Git does not ignore.

use std::io;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

/// The files below a directory in the order of their paths, without those that `.gitignore` names. Hidden files count:
/// `.env` is one. Links are not followed.
pub(super) fn files(directory: &Path) -> impl Iterator<Item = io::Result<PathBuf>> {
    let walk = WalkBuilder::new(directory)
        .hidden(false)
        .ignore(false)
        .require_git(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .sort_by_file_path(Path::cmp)
        .build();
    walk.filter_map(|entry| match entry {
        Ok(entry) => is_file(&entry).then(|| Ok(plain(entry.path()))),
        Err(error) => Some(Err(io::Error::other(error))),
    })
}

fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file())
}

/// `src/main.rs` instead of `./src/main.rs`: code scanning compares it with the paths of the repository.
fn plain(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_owned()
}
