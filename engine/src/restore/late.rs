//! Arguments that are complete before the name of their tool is: they wait, and what follows waits behind them.

use std::collections::VecDeque;

use crate::schema::{Call, Called, EventState, Form, Made};

use super::channel::{Names, restored};
use super::{Counts, Reply};

/// Arguments whose tool has no complete name, as they are written between quotes.
#[derive(Debug)]
pub(super) struct LateText {
    pub(super) raw: String,
    pub(super) form: Form,
    pub(super) called: Called,
}

/// An event that was made, and its text if that is late.
#[derive(Debug)]
pub(super) struct Delivered {
    pub(super) made: Made,
    pub(super) late: Option<LateText>,
}

/// What is delivered once names are complete.
#[derive(Debug, Default)]
pub(super) struct Late {
    /// What the latest event was written with, and where.
    new: Vec<(usize, LateText)>,
    events: VecDeque<LateEvent>,
}

/// What was written for an event, without the texts that are late.
#[derive(Debug)]
struct LateEvent {
    bytes: Vec<u8>,
    /// In order, each where it belongs.
    texts: Vec<(usize, Waiting)>,
}

#[derive(Debug)]
enum Waiting {
    ForName(LateText),
    Done(String),
}

impl Late {
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.new.is_empty()
    }

    /// Adds a text that belongs at a place of what is written.
    pub(super) fn add(&mut self, place: usize, text: LateText) {
        self.new.push((place, text));
    }

    /// Restores the arguments of calls whose names are complete.
    pub(super) fn finish_calls(
        &mut self,
        reply: &Reply,
        state: &EventState,
        is_complete: impl Fn(Call) -> bool,
    ) -> Counts {
        let mut counts = Counts::default();
        let texts = self.events.iter_mut().flat_map(|event| &mut event.texts);
        for (_, waiting) in texts {
            let Waiting::ForName(late) = waiting else {
                continue;
            };
            if late.called.growing.is_none_or(&is_complete) {
                let called = Names::Complete(state).called(reply, &late.called);
                let (text, restored) = restored(reply, &late.raw, late.form, Some(&called));
                counts.add(&restored);
                *waiting = Waiting::Done(text);
            }
        }
        counts
    }

    /// Takes what was written from `start` on if it has to wait, and delivers what has not.
    pub(super) fn put_in_order(&mut self, start: usize, out: &mut Vec<u8>) {
        if self.is_empty() {
            return;
        }
        let new = self
            .new
            .drain(..)
            .map(|(at, text)| (at - start, Waiting::ForName(text)));
        self.events.push_back(LateEvent {
            texts: new.collect(),
            bytes: out.split_off(start),
        });
        while let Some(event) = self.events.pop_front_if(|event| event.is_done()) {
            event.write(out);
        }
    }
}

impl LateEvent {
    fn is_done(&self) -> bool {
        let mut texts = self.texts.iter();
        texts.all(|(_, text)| matches!(text, Waiting::Done(_)))
    }

    fn write(self, out: &mut Vec<u8>) {
        let mut written = 0;
        for (at, text) in self.texts {
            out.extend_from_slice(self.bytes.get(written..at).unwrap_or_default());
            if let Waiting::Done(text) = text {
                out.extend_from_slice(text.as_bytes());
            }
            written = at;
        }
        out.extend_from_slice(self.bytes.get(written..).unwrap_or_default());
    }
}
