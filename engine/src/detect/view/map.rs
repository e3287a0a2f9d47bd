//! A text as it is read, with a map back to the source.

use std::ops::Range;

/// A text made from another one by leaving parts out and by decoding characters.
#[derive(Debug, Default)]
pub(super) struct View {
    pub(super) text: String,
    /// In order, with one more at the end. A piece lasts until the next one: verbatim where it is as long in both texts,
    /// left out where it is empty in the view, else decoded.
    pieces: Vec<Piece>,
}

/// Where a piece begins in the view and in the source.
#[derive(Debug, Clone, Copy)]
struct Piece {
    view: usize,
    source: usize,
}

impl View {
    /// The part of the source for a part of the view, from its first to its last byte, without what
    /// was omitted before or after it.
    pub(super) fn locate(&self, span: &Range<usize>) -> Range<usize> {
        let Some(last) = span.end.checked_sub(1).filter(|last| *last >= span.start) else {
            return 0..0;
        };
        self.byte(span.start).start..self.byte(last).end
    }

    /// The bytes of the source for one byte of the view.
    fn byte(&self, at: usize) -> Range<usize> {
        let next = self.pieces.partition_point(|piece| piece.view <= at);
        let (Some(own), Some(next)) = (
            next.checked_sub(1).and_then(|own| self.pieces.get(own)),
            self.pieces.get(next),
        ) else {
            return 0..0;
        };
        let is_verbatim = next.view - own.view == next.source - own.source;
        if is_verbatim {
            let source = own.source + (at - own.view);
            source..source + 1
        } else {
            own.source..next.source
        }
    }
}

/// Builds a view from the beginning of its source to the end.
#[derive(Debug, Default)]
pub(super) struct Builder {
    view: View,
    /// Where the source continues.
    source: usize,
    /// Whether the last piece is verbatim, so that more may be added to it.
    is_open: bool,
}

impl Builder {
    /// Omits everything before `range`, and copies it.
    pub(super) fn keep(&mut self, source: &str, range: Range<usize>) {
        let start = range.start.max(self.source);
        let Some(text) = source.get(start..range.end).filter(|text| !text.is_empty()) else {
            return;
        };
        self.skip_to(start);
        if !self.is_open {
            self.begin();
            self.is_open = true;
        }
        self.view.text.push_str(text);
        self.source = range.end;
    }

    /// Omits everything before `range`, and replaces it with a character.
    pub(super) fn put(&mut self, letter: char, range: Range<usize>) {
        self.skip_to(range.start);
        self.begin();
        self.is_open = false;
        self.view.text.push(letter);
        self.source = range.end.max(self.source);
    }

    /// Ends a line without a counterpart in the source.
    pub(super) fn end_line(&mut self) {
        self.put('\n', self.source..self.source);
    }

    pub(super) fn finish(mut self) -> View {
        self.begin();
        self.view
    }

    fn skip_to(&mut self, source: usize) {
        if source > self.source {
            self.begin();
            self.is_open = false;
            self.source = source;
        }
    }

    fn begin(&mut self) {
        let (view, source) = (self.view.text.len(), self.source);
        self.view.pieces.push(Piece { view, source });
    }
}
