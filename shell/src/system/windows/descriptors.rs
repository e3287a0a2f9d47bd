//! Handles of files and sockets. Windows sets no limit that a server meets.

use std::io;

/// Raises the limit as far as the system allows without asking.
pub(crate) fn raise_limit() {}

/// How many may be open; `None` without a limit.
pub(crate) fn limit() -> Option<usize> {
    None
}

/// How many are open now.
pub(crate) fn open() -> Option<usize> {
    None
}

/// Whether something failed for want of one.
pub(crate) fn are_missing(error: &io::Error) -> bool {
    const ERROR_TOO_MANY_OPEN_FILES: i32 = 4;
    const WSAEMFILE: i32 = 10024;
    let code = error.raw_os_error();
    matches!(code, Some(ERROR_TOO_MANY_OPEN_FILES | WSAEMFILE))
}
