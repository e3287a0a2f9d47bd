//! Checks whether a program can be started, before anything else happens.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::system::file;

/// Why it can't.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unusable {
    NotFound,
    NotExecutable,
}

/// Looks a program up as a shell does.
///
/// # Errors
/// When there is none, or none that may be executed.
pub(super) fn check(program: &OsStr) -> Result<(), Unusable> {
    if is_path(program) {
        return usable(Path::new(program));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let candidates: Vec<PathBuf> = env::split_paths(&path)
        .map(|folder| folder.join(program))
        .collect();
    let results: Vec<_> = candidates.iter().map(|path| usable(path)).collect();
    if results.contains(&Ok(())) {
        return Ok(());
    }
    let found = results
        .iter()
        .find(|result| **result != Err(Unusable::NotFound));
    found.copied().unwrap_or(Err(Unusable::NotFound))
}

/// Whether a program is named by its path, and so not looked up.
pub(super) fn is_path(program: &OsStr) -> bool {
    Path::new(program).components().count() > 1
}

fn usable(path: &Path) -> Result<(), Unusable> {
    let metadata = path.metadata().map_err(|_| Unusable::NotFound)?;
    if file::is_program(&metadata) {
        Ok(())
    } else {
        Err(Unusable::NotExecutable)
    }
}
