//! Bytes as text.

use std::borrow::Cow;

/// The text of bytes, in which each invalid sequence is replaced.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    // Nearly all are valid, and `from_utf8` checks many at a time, which `from_utf8_lossy` does not.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}
