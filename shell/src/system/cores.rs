//! Core files: the memory of a process that crashed.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Writes none: they would hold values.
pub(crate) fn write_none() {
    let mut limit = getrlimit(Resource::Core);
    limit.current = Some(0);
    // The maximum stays, and a lower limit is always allowed.
    let _ = setrlimit(Resource::Core, limit);
}
