//! Reads ahead in streams of no known format: a call there may name its tool in pieces, so it waits for its end, and
//! what follows waits behind it.

use memchr::memmem;

use crate::Schema;
use crate::base::utf8::lossy;
use crate::framing::json_values::{Layout, Part, code_of};
use crate::framing::sse::Event;
use crate::json::Tape;
use crate::schema::GrowingNames;

use super::events::DONE;
use super::{MAX_DEPTH, Reply};

/// What waits for the names of tools.
#[derive(Debug, Default)]
pub(super) struct Lookahead {
    pub(super) names: GrowingNames,
    pub(super) held: Vec<Held>,
}

/// A frame or a value of a stream, as it arrived.
#[derive(Debug)]
pub(super) enum Held {
    Frame(Vec<u8>),
    Value(Layout, Vec<u8>),
    Between(Layout, Vec<u8>),
}

impl Lookahead {
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Whether nothing was read ahead.
    pub(super) fn is_new(&self) -> bool {
        self.is_empty() && self.names.is_empty()
    }

    /// Takes a frame if it has to wait.
    pub(super) fn holds_frame(&mut self, reply: &Reply, raw: &[u8]) -> bool {
        let is_held = self.may_hold(reply, raw) && {
            let text = lossy(raw);
            let event = Event::read(&text);
            match event.data() {
                Some(data) if data.trim() == DONE => false,
                Some(data) => self.reads(reply, event.name, &data),
                None => !self.is_empty(),
            }
        };
        self.hold(is_held, || Held::Frame(raw.to_owned()))
    }

    /// Takes a part of a stream of values if it has to wait.
    pub(super) fn holds_part(&mut self, reply: &Reply, layout: Layout, part: &Part<'_>) -> bool {
        match part {
            Part::Between(bytes) => {
                let is_end = layout == Layout::List && bytes.contains(&b']');
                let is_held = !is_end && !self.is_empty();
                self.hold(is_held, || Held::Between(layout, bytes.to_vec()))
            }
            Part::Value(raw) => {
                let (_, json) = code_of(raw).unwrap_or((&[], raw));
                let is_held = self.may_hold(reply, raw) && self.reads(reply, None, &lossy(json));
                self.hold(is_held, || Held::Value(layout, raw.to_vec()))
            }
        }
    }

    fn hold(&mut self, is_held: bool, held: impl FnOnce() -> Held) -> bool {
        self.held.extend(is_held.then(held));
        is_held
    }

    /// Only rules depend on names, and known formats say when one is complete.
    fn may_hold(&self, reply: &Reply, raw: &[u8]) -> bool {
        reply.schema == Schema::Generic
            && !reply.rules.is_empty()
            && (!self.is_empty() || memmem::find(raw, b"\"delta\"").is_some())
    }

    /// Whether a name may still grow after this event.
    fn reads(&mut self, reply: &Reply, name: Option<&str>, data: &str) -> bool {
        match Tape::scan(data, MAX_DEPTH) {
            Ok(tape) => self.names.read(reply.schema, name, tape.root(data)),
            Err(_) => !self.is_empty(),
        }
    }
}
