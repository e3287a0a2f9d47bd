//! What one walk of the texts decoded and scanned, for the next walk.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::walk::TextNumber;
use crate::json::{Tape, Value, held_json};

/// How many bytes are kept. Of a large request the rest is decoded again, rather than held twice.
const ROOM: usize = 1 << 20;

/// About how many bytes an entry takes besides its content.
const ENTRY_BYTES: usize = 48;

/// Strings that had to be decoded, and JSON that was found in them. Each walk comes to the same ones in the same order, but
/// may leave out parts of the prompt.
pub(super) struct Memo {
    next: TextNumber,
    texts: InOrder<String>,
    tapes: InOrder<Tape>,
    /// How many more bytes this walk keeps.
    room: usize,
}

impl Default for Memo {
    fn default() -> Self {
        Self {
            next: TextNumber::default(),
            texts: InOrder::default(),
            tapes: InOrder::default(),
            room: ROOM,
        }
    }
}

impl Memo {
    /// Of a walk that no other follows.
    pub(super) fn without_room() -> Self {
        Self {
            room: 0,
            ..Self::default()
        }
    }

    /// What comes next belongs to this part of the prompt.
    pub(super) fn enter(&mut self, part: u32) {
        self.next = TextNumber::first_of(part);
    }

    /// Another walk begins.
    pub(super) fn rewind(&mut self) {
        self.texts.rewind();
        self.tapes.rewind();
        self.room = ROOM;
    }

    /// The text of a string, to be [kept](Self::keep_text) under this number.
    pub(super) fn text<'t>(&mut self, value: Value<'t>) -> (TextNumber, Cow<'t, str>) {
        let number = self.next.take();
        let known = self.texts.take(number).map(Cow::Owned);
        (number, known.unwrap_or_else(|| value.text()))
    }

    pub(super) fn keep_text(&mut self, number: TextNumber, text: Cow<'_, str>) {
        if let Cow::Owned(text) = text
            && self.has_room(text.len())
        {
            self.texts.keep(number, text);
        }
    }

    /// The JSON that a text is as a whole, to be [kept](Self::keep_tape) under this number.
    pub(super) fn tape(&mut self, text: &str) -> (TextNumber, Option<Tape>) {
        let number = self.next.take();
        let known = self.tapes.take(number);
        (number, known.or_else(|| held_json(text)))
    }

    pub(super) fn keep_tape(&mut self, number: TextNumber, tape: Tape) {
        if self.has_room(tape.bytes()) {
            self.tapes.keep(number, tape);
        }
    }

    fn has_room(&mut self, bytes: usize) -> bool {
        let rest = self.room.checked_sub(bytes + ENTRY_BYTES);
        self.room = rest.unwrap_or(self.room);
        rest.is_some()
    }
}

/// What was kept, by the number of the text.
struct InOrder<T> {
    /// By the last walk, as far as this one did not come to it.
    last: VecDeque<(TextNumber, T)>,
    /// In another order: a text is kept after those in it.
    own: Vec<(TextNumber, T)>,
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        Self {
            last: VecDeque::new(),
            own: Vec::new(),
        }
    }
}

impl<T> InOrder<T> {
    fn take(&mut self, number: TextNumber) -> Option<T> {
        while self.last.pop_front_if(|(of, _)| *of < number).is_some() {}
        let own = self.last.pop_front_if(|(of, _)| *of == number);
        own.map(|(_, kept)| kept)
    }

    fn keep(&mut self, number: TextNumber, kept: T) {
        self.own.push((number, kept));
    }

    fn rewind(&mut self) {
        self.own.sort_unstable_by_key(|(number, _)| *number);
        self.last = std::mem::take(&mut self.own).into();
    }
}
