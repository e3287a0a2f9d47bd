//! Arguments that are complete before the name of their tool is: they wait, and what follows waits behind them.

use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;

use crate::schema::{Called, EventState, Form, SyntheticEvent};

use super::channel::{Names, restored};
use super::{Counts, Reply};

/// Arguments whose tool has no complete name, as they are written between quotes.
#[derive(Debug)]
pub(super) struct LateText {
    pub(super) raw: String,
    pub(super) form: Form,
    pub(super) called: Called,
}

impl LateText {
    /// The answer that it belongs to.
    fn answer(&self) -> u32 {
        self.called.growing.map_or(u32::MAX, |call| call.choice)
    }
}

/// An event that was made, and its text if that is late.
#[derive(Debug)]
pub(super) struct Delivered {
    pub(super) made: SyntheticEvent,
    pub(super) late: Option<LateText>,
}

/// What is delivered once names are complete.
#[derive(Debug, Default)]
pub(super) struct Late {
    /// What the latest event was written with, and where.
    new: Vec<(usize, LateText)>,
    events: VecDeque<LateEvent>,
    /// How many events there were before these.
    gone: usize,
    /// The texts that wait for the end of each answer: the number of the event, and which of its texts.
    waiting: BTreeMap<u32, Vec<(usize, usize)>>,
}

/// What was written for an event, without the texts that are late.
#[derive(Debug)]
struct LateEvent {
    bytes: Vec<u8>,
    /// In order, each where it belongs.
    texts: Vec<(usize, Waiting)>,
    /// How many of them wait.
    waiting: usize,
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

    /// Restores the arguments of calls whose answers ended: their names are complete.
    pub(super) fn finish_calls(
        &mut self,
        reply: &Reply,
        state: &EventState,
        ended: RangeInclusive<u32>,
    ) -> Counts {
        let mut counts = Counts::default();
        while let Some(texts) = self.take_waiting(&ended) {
            for (event, text) in texts {
                if let Some(event) = self.events.get_mut(event - self.gone) {
                    event.finish(reply, state, text, &mut counts);
                }
            }
        }
        counts
    }

    /// Takes what waits for the end of one of these answers.
    fn take_waiting(&mut self, ended: &RangeInclusive<u32>) -> Option<Vec<(usize, usize)>> {
        let (answer, _) = self.waiting.range(ended.clone()).next()?;
        let answer = *answer;
        self.waiting.remove(&answer)
    }

    /// Takes what was written from `start` on if it has to wait, and delivers what has not.
    pub(super) fn put_in_order(&mut self, start: usize, out: &mut Vec<u8>) {
        if self.is_empty() {
            return;
        }
        let event = self.gone + self.events.len();
        for (text, (_, late)) in self.new.iter().enumerate() {
            let waiting = self.waiting.entry(late.answer()).or_default();
            waiting.push((event, text));
        }
        let new = self.new.drain(..);
        let texts: Vec<_> = new
            .map(|(at, text)| (at - start, Waiting::ForName(text)))
            .collect();
        self.events.push_back(LateEvent {
            waiting: texts.len(),
            texts,
            bytes: out.split_off(start),
        });
        while let Some(event) = self.events.pop_front_if(|event| event.waiting == 0) {
            self.gone += 1;
            event.write(out);
        }
    }
}

impl LateEvent {
    /// Restores one of its texts, whose name is complete.
    fn finish(&mut self, reply: &Reply, state: &EventState, text: usize, counts: &mut Counts) {
        let Some((_, waiting)) = self.texts.get_mut(text) else {
            return;
        };
        let Waiting::ForName(late) = waiting else {
            return;
        };
        let called = Names::Complete(state).called(reply, &late.called);
        let (text, restored) = restored(reply, &late.raw, late.form, Some(&called));
        counts.add(&restored);
        *waiting = Waiting::Done(text);
        self.waiting -= 1;
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
