//! The tables of a text that were read.

use std::ops::Range;

/// How a table is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::detect) struct Style {
    pub(in crate::detect) delimiter: u8,
    /// `(a, b), (c, d)` instead of a line each.
    pub(in crate::detect) in_brackets: bool,
}

/// What is searched for in the columns of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::detect) enum Kind {
    Secrets,
    PersonalNumbers,
}

/// The last header that was examined for each kind, and the columns that were read.
#[derive(Debug, Default)]
pub(in crate::detect) struct Seen {
    pub(in crate::detect) style: Option<Style>,
    pub(in crate::detect) header: Range<usize>,
    pub(in crate::detect) is_table: bool,
    columns: Vec<Column>,
}

/// A column that was read. Names in it are values of its table, and head none.
#[derive(Debug)]
pub(in crate::detect) struct Column {
    pub(in crate::detect) style: Style,
    /// How many columns are next to it, and before it.
    pub(in crate::detect) count: usize,
    pub(in crate::detect) index: usize,
    /// Where it begins in its line, if that matters.
    pub(in crate::detect) offset: usize,
    pub(in crate::detect) until: usize,
}

impl Seen {
    /// Whether a column of this table is known to be read already at a place.
    pub(in crate::detect) fn knows(&self, column: &Column, at: usize) -> bool {
        let is_it = |known: &Column| known.is_same(column) && at < known.until;
        self.columns.iter().any(is_it)
    }

    /// What parts the cells at a place, if it is in a table that was read.
    pub(in crate::detect) fn delimiter(&self, at: usize) -> Option<u8> {
        let mut around = self.columns.iter().filter(|column| at < column.until);
        let delimiter = around.next()?.style.delimiter;
        matches!(delimiter, b',' | b';' | b'\t' | b'|').then_some(delimiter)
    }

    /// Remembers a column, replacing one that has ended if there is one.
    pub(in crate::detect) fn remember(&mut self, column: Column, at: usize) {
        self.columns
            .retain(|known| known.until > at && !known.is_same(&column));
        self.columns.push(column);
    }
}

impl Column {
    fn is_same(&self, other: &Self) -> bool {
        (self.style, self.count, self.index, self.offset)
            == (other.style, other.count, other.index, other.offset)
    }
}
