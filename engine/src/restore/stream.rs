//! A stream of events or JSON values: recognizes which, and restores each as it arrives.

use crate::framing::json_values::{Layout, Values};
use crate::framing::sse::Framing;
use crate::history::HistoryName;
use crate::history::SignedBlock;

use super::events::EventRestorer;
use super::unnamed_call::{Delivered, Late};
use super::{Counts, Reply};

/// An event stream in the middle of being restored.
#[derive(Debug)]
pub(crate) struct EventStream {
    frames: Frames,
    restorer: EventRestorer,
}

#[derive(Debug)]
enum Frames {
    Events(Framing),
    Values(Values),
}

/// How an event is written that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventStyle {
    /// As a server-sent event, where the next one is about to begin.
    Event,
    /// Where a line is about to begin.
    Line,
    /// Where a line has not ended.
    NextLine,
    /// Before the next element of a list.
    Element,
    /// After the last element of a list.
    LastElement,
}

impl EventStyle {
    /// Before a value.
    pub(super) const fn before(layout: Layout) -> Self {
        match layout {
            Layout::Lines => Self::Line,
            Layout::List => Self::Element,
        }
    }

    pub(super) fn write(self, events: Vec<Delivered>, late: &mut Late, out: &mut Vec<u8>) {
        for event in events {
            let data = &event.made.data;
            let name = event.made.name.as_deref().unwrap_or_default();
            let (before, behind) = match self {
                Self::Event if name.is_empty() => ("data: ".to_owned(), "\n\n"),
                Self::Event => (format!("event: {name}\ndata: "), "\n\n"),
                Self::Line => (name.to_owned(), "\n"),
                Self::NextLine => (format!("\n{name}"), ""),
                Self::Element => (String::new(), ","),
                Self::LastElement => (",".to_owned(), ""),
            };
            if let Some(text) = event.late {
                late.add(out.len() + before.len() + event.made.at, text);
            }
            for part in [&before, data, behind] {
                out.extend_from_slice(part.as_bytes());
            }
        }
    }
}

impl EventStream {
    /// A stream of server-sent events.
    pub(crate) fn of_events() -> Self {
        Self {
            frames: Frames::Events(Framing::default()),
            restorer: EventRestorer::default(),
        }
    }

    /// A stream of JSON values.
    pub(crate) fn of_values(values: Values) -> Self {
        Self {
            frames: Frames::Values(values),
            restorer: EventRestorer::default(),
        }
    }

    pub(crate) fn push(&mut self, reply: &Reply, chunk: &[u8], out: &mut Vec<u8>) {
        match &mut self.frames {
            Frames::Events(framing) => {
                framing.push(chunk);
                while let Some(frame) = framing.next() {
                    let restorer = &mut self.restorer;
                    restorer.in_order(out, |restorer, out| restorer.frame(reply, frame, out));
                }
            }
            Frames::Values(values) => {
                values.push(chunk);
                let layout = values.layout();
                while let Some(part) = values.next() {
                    let restorer = &mut self.restorer;
                    restorer.in_order(out, |restorer, out| {
                        restorer.part(reply, layout, &part, out);
                    });
                }
            }
        }
    }

    /// Ends the stream: the last event may lack its end, and what is held goes out.
    pub(crate) fn finish(&mut self, reply: &Reply, out: &mut Vec<u8>) {
        let Self { frames, restorer } = self;
        restorer.in_order(out, |restorer, out| {
            frames.finish(reply, restorer, out);
            restorer.finish_calls(reply);
        });
    }
}

impl Frames {
    fn finish(&mut self, reply: &Reply, restorer: &mut EventRestorer, out: &mut Vec<u8>) {
        match self {
            Self::Events(framing) => {
                let rest = framing.rest();
                let unended = !rest.is_empty();
                if unended {
                    restorer.last_frame(reply, rest, out);
                }
                restorer.end_pending(reply, out);
                if unended && restorer.holds_texts() {
                    out.extend_from_slice(b"\n\n");
                }
                restorer.flush_all(reply, EventStyle::Event, out);
            }
            Self::Values(values) => {
                let layout = values.layout();
                let rest = values.rest();
                if !rest.is_empty() {
                    restorer.last_value(reply, layout, &rest, out);
                }
                restorer.end_values(reply, layout, out);
            }
        }
    }
}

impl EventStream {
    pub(crate) fn is_holding(&self) -> bool {
        self.restorer.is_holding()
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.restorer.is_waiting()
    }

    pub(crate) fn keep_alive(&mut self, out: &mut Vec<u8>) {
        if self.restorer.is_waiting() {
            return self.restorer.in_order(out, EventRestorer::release);
        }
        if let Frames::Events(framing) = &self.frames
            && framing.is_between_events()
        {
            out.extend_from_slice(b": keep-alive\n");
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        self.restorer.counts()
    }

    pub(crate) const fn frames(&self) -> u64 {
        self.restorer.frames
    }

    pub(crate) fn take_signed(&mut self) -> Vec<SignedBlock> {
        std::mem::take(&mut self.restorer.signed)
    }

    /// Takes the ids by which a later request can refer to the reply, as far as they are known.
    pub(crate) fn take_names(&mut self) -> Vec<HistoryName> {
        std::mem::take(&mut self.restorer.names)
    }
}
