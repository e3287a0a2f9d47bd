//! The text of a pass, and how far values in it were already read.

pub(super) mod boundary;
pub(super) mod marks;
pub(super) mod scanner;

use std::cell::Cell;
use std::ops::{Deref, Range};

/// A text as bytes. It remembers the last value without quotes: one that begins within it ends where it does, and is
/// not read again.
#[derive(Debug)]
pub(super) struct Text<'t> {
    source: &'t str,
    /// The last run of bytes without one that ends a value: outside a query, and in one.
    bare: [Cell<(usize, usize)>; 2],
}

impl<'t> Text<'t> {
    pub(super) const fn new(source: &'t str) -> Self {
        Self {
            source,
            bare: [const { Cell::new((0, 0)) }; 2],
        }
    }

    /// A part of the text, empty when it cuts a character.
    pub(super) fn str(&self, range: Range<usize>) -> &'t str {
        self.source.get(range).unwrap_or_default()
    }

    /// Up to where no byte ends a value that begins at `start`, as far as that is known.
    pub(super) fn known_bare(&self, start: usize, in_query: bool) -> usize {
        let (from, until) = self.bare(in_query).get();
        if (from..=until).contains(&start) {
            until
        } else {
            start
        }
    }

    /// Remembers that no byte from `start` to `end` ends a value.
    pub(super) fn remember_bare(&self, start: usize, end: usize, in_query: bool) {
        let bare = self.bare(in_query);
        let (from, until) = bare.get();
        let from = if (from..=until).contains(&start) {
            from
        } else {
            start
        };
        bare.set((from, end));
    }

    const fn bare(&self, in_query: bool) -> &Cell<(usize, usize)> {
        let [outside, inside] = &self.bare;
        if in_query { inside } else { outside }
    }
}

impl Deref for Text<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.source.as_bytes()
    }
}
