//! An event that waits for the next one, because its text may continue.

use crate::framing::sse::Event;
use crate::json::{Edit, spliced};
use crate::schema::Channel;

/// An event that was restored and not delivered.
#[derive(Debug)]
pub(super) struct Pending {
    /// All of it as it arrived, if its data is not everything.
    event: Option<String>,
    data: String,
    edits: Vec<Edit>,
    /// The channels that hold something, and where their strings end.
    cut: Vec<(Channel, usize)>,
    /// What follows it and is not an event.
    behind: Vec<u8>,
}

impl Pending {
    /// A JSON value.
    pub(super) fn value(data: String, edits: Vec<Edit>, cut: Vec<(Channel, usize)>) -> Self {
        Self {
            event: None,
            data,
            edits,
            cut,
            behind: Vec::new(),
        }
    }

    /// The same as the data of a server-sent event.
    pub(super) fn in_event(self, event: &str) -> Self {
        Self {
            event: Some(event.to_owned()),
            ..self
        }
    }

    /// Takes the channels that hold something, and where their strings end.
    pub(super) fn take_cut(&mut self) -> Vec<(Channel, usize)> {
        std::mem::take(&mut self.cut)
    }

    /// Puts what was cut off back at the end of a string.
    pub(super) fn put_back(&mut self, end: usize, written: &str) {
        let cut = self.edits.iter_mut().rev().find(|edit| edit.end == end);
        if let Some(cut) = cut {
            cut.text.push_str(written);
        }
    }

    /// What follows it.
    pub(super) fn behind(&mut self) -> &mut Vec<u8> {
        &mut self.behind
    }

    pub(super) fn write(self, out: &mut Vec<u8>) {
        let data = spliced(&self.data, &self.edits);
        match &self.event {
            Some(event) => Event::read(event).write_with(&data, out),
            None => out.extend_from_slice(data.as_bytes()),
        }
        out.extend_from_slice(&self.behind);
    }
}
