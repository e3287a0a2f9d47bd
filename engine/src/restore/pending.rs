//! An event that waits for the next one, because its text may continue.

use memchr::memchr2;

use crate::framing::sse::Event;
use crate::json::{Edit, splice, spliced};
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
        match &self.event {
            Some(event) => write_event(&Event::read(event), &self.data, &self.edits, out),
            None => splice(&self.data, &self.edits, out),
        }
        out.extend_from_slice(&self.behind);
    }
}

/// Writes an event whose data was edited.
pub(super) fn write_event(event: &Event<'_>, data: &str, edits: &[Edit], out: &mut Vec<u8>) {
    let is_in_line = |edit: &Edit| memchr2(b'\n', b'\r', edit.text.as_bytes()).is_none();
    match event.around_data() {
        Some((before, behind)) if edits.iter().all(is_in_line) => {
            out.extend_from_slice(before.as_bytes());
            splice(data, edits, out);
            out.extend_from_slice(behind.as_bytes());
        }
        _ => event.write_with(&spliced(data, edits), out),
    }
}
