//! A wrapper that keeps content out of logs.

use std::fmt;
use zeroize::Zeroize;

/// A value, key or header that must never be printed.
///
/// `Debug` and `Display` show the length only, in every build. The content is wiped when dropped.
/// Reading it takes an explicit [`expose`](Sensitive::expose), so that a search finds every use.
///
/// ```
/// use engine::Sensitive;
///
/// let key = Sensitive::new("hunter2".to_owned());
/// assert_eq!(format!("{key} {key:?}"), "[7 bytes] [7 bytes]");
/// assert_eq!(key.expose(), "hunter2");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Sensitive<T: Zeroize>(T);

impl<T: Zeroize> Sensitive<T> {
    /// Wraps a value.
    pub const fn new(content: T) -> Self {
        Self(content)
    }

    /// The content, for the one place that needs it.
    pub const fn expose(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> Drop for Sensitive<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize + AsRef<[u8]>> fmt::Debug for Sensitive<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} bytes]", self.0.as_ref().len())
    }
}

impl<T: Zeroize + AsRef<[u8]>> fmt::Display for Sensitive<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl<T: Zeroize> From<T> for Sensitive<T> {
    fn from(content: T) -> Self {
        Self(content)
    }
}
