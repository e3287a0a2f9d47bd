//! File descriptors: how many this process has, and may have.

use std::fs;
use std::io;

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the limit as far as the system allows without asking.
pub(crate) fn raise_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // What was allowed before still is.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// How many may be open; `None` without a limit.
pub(crate) fn limit() -> Option<usize> {
    let limit = getrlimit(Resource::Nofile).current?;
    Some(usize::try_from(limit).unwrap_or(usize::MAX))
}

/// How many are open now.
pub(crate) fn open() -> Option<usize> {
    Some(fs::read_dir("/dev/fd").ok()?.count())
}

/// Whether something failed for want of one.
pub(crate) fn are_missing(error: &io::Error) -> bool {
    let code = Errno::from_io_error(error);
    matches!(code, Some(Errno::MFILE | Errno::NFILE))
}
