//! A wrapper that keeps content out of logs.

use std::fmt;
use std::mem;

use zeroize::optimization_barrier;

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
pub struct Sensitive<T: Wipe>(T);

impl<T: Wipe> Sensitive<T> {
    /// Wraps a value.
    pub const fn new(content: T) -> Self {
        Self(content)
    }

    /// The content, for the one place that needs it.
    pub const fn expose(&self) -> &T {
        &self.0
    }
}

impl Sensitive<Vec<u8>> {
    /// Adds bytes at the end. Content that has to move for them is wiped where it was.
    pub fn append(&mut self, more: &[u8]) {
        let needed = self.0.len() + more.len();
        if needed > self.0.capacity() {
            let mut larger = Vec::with_capacity(needed.max(2 * self.0.len()));
            larger.extend_from_slice(&self.0);
            *self = Self(larger);
        }
        self.0.extend_from_slice(more);
    }
}

impl<T: Wipe + Default> Default for Sensitive<T> {
    fn default() -> Self {
        Self(T::default())
    }
}

/// Content that can be overwritten with zeros.
pub trait Wipe {
    /// Overwrites all of it, and leaves nothing.
    fn wipe(&mut self);
}

impl Wipe for Vec<u8> {
    /// Up to its capacity: content that got shorter leaves its end there.
    fn wipe(&mut self) {
        self.clear();
        self.resize(self.capacity(), 0);
        // The compiler could leave out what nobody reads.
        optimization_barrier(self.as_slice());
        self.clear();
    }
}

impl Wipe for String {
    fn wipe(&mut self) {
        mem::take(self).into_bytes().wipe();
    }
}

impl<const N: usize> Wipe for [u8; N] {
    fn wipe(&mut self) {
        self.fill(0);
        optimization_barrier(self);
    }
}

impl<T: Wipe> Drop for Sensitive<T> {
    fn drop(&mut self) {
        self.0.wipe();
    }
}

impl<T: Wipe + AsRef<[u8]>> fmt::Debug for Sensitive<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} bytes]", self.0.as_ref().len())
    }
}

impl<T: Wipe + AsRef<[u8]>> fmt::Display for Sensitive<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl<T: Wipe> From<T> for Sensitive<T> {
    fn from(content: T) -> Self {
        Self(content)
    }
}
