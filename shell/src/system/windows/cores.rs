//! Core files: the memory of a process that crashed.

/// Writes none: Windows writes none either, unless an administrator turns on local dumps.
pub(crate) fn write_none() {}
