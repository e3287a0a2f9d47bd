//! Builds events that deliver held text: like the last event of the channel, without anything that
//! does not belong to the text.

use super::place::names_of;
use super::words::{distinguishes_texts, is_label, is_whole};
use super::{EventState, format};
use crate::Schema;
use crate::json::{Kind, Value};

const SEQUENCE_NUMBER: &str = "sequence_number";

/// An event that was made.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SyntheticEvent {
    /// The value of its `event` field.
    pub(crate) name: Option<String>,
    /// Its data, on one line.
    pub(crate) data: String,
    /// Where its text begins in the data.
    pub(crate) at: usize,
}

/// The last event of a channel, which the next one is made after.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Last<'t> {
    pub(crate) name: Option<&'t str>,
    pub(crate) root: Value<'t>,
    /// Where the channel's string begins in it.
    pub(crate) piece: usize,
}

/// An event that delivers a text on a channel. The text is as it is written between quotes.
pub(crate) fn synthesize(
    schema: Schema,
    last: Last<'_>,
    state: &EventState,
    written: &str,
) -> SyntheticEvent {
    let skeleton = Skeleton {
        piece: last.piece,
        written,
        least_number: state.least_number(),
        format: format(schema, last.root),
        is_chunk: last.root.member("choices").is_some(),
    };
    let (mut data, mut at) = (String::new(), 0);
    skeleton.write(last.root, true, &mut data, &mut at);
    SyntheticEvent {
        name: last.name.map(str::to_owned),
        // A line break can only be white space here, and would end the line of the event.
        data: data.replace(['\n', '\r'], " "),
        at,
    }
}

/// An event with only one of its strings, with another text, and what that string needs.
struct Skeleton<'w> {
    piece: usize,
    written: &'w str,
    /// The numbers of a stream must not fall: the least that the event may have.
    least_number: u64,
    format: Schema,
    /// The text is in a choice, where clients append strings to each other.
    is_chunk: bool,
}

impl Skeleton<'_> {
    fn write(&self, value: Value<'_>, is_root: bool, out: &mut String, at: &mut usize) {
        match value.kind() {
            Kind::Object => self.object(value, is_root, out, at),
            Kind::Array => self.list(value, is_root, out, at),
            _ => {
                out.push('"');
                *at = out.len();
                out.push_str(self.written);
                out.push('"');
            }
        }
    }

    /// Writes the one element with the text. Where nothing names it, it keeps its position; a list that is an event keeps
    /// what follows, too: `[chunk, metadata]`.
    fn list(&self, list: Value<'_>, is_root: bool, out: &mut String, at: &mut usize) {
        let mut elements = list.elements().enumerate();
        let Some((position, element)) = elements.find(|(_, element)| self.is_on_path(*element))
        else {
            return out.push_str("[]");
        };
        let before = if names_of(element).is_some() {
            0
        } else {
            position
        };
        let empty = Self {
            written: "",
            ..*self
        };
        out.push('[');
        for _ in 0..before {
            empty.write(element, false, out, at);
            out.push(',');
        }
        self.write(element, false, out, at);
        for (_, element) in elements.filter(|_| is_root) {
            out.push(',');
            match element.kind() {
                Kind::Scalar => out.push_str(element.raw()),
                _ => empty.write(element, false, out, &mut 0),
            }
        }
        out.push(']');
    }

    fn object(&self, object: Value<'_>, is_root: bool, out: &mut String, at: &mut usize) {
        out.push('{');
        let start = out.len();
        for (key, member) in object.members() {
            let name = key.text();
            let from = out.len();
            if from > start {
                out.push(',');
            }
            out.push_str(key.raw());
            out.push(':');
            if self.is_on_path(member) {
                self.write(member, false, out, at);
            } else if is_root && name == SEQUENCE_NUMBER {
                let number = member.raw().parse().unwrap_or(0).max(self.least_number);
                out.push_str(&number.to_string());
            } else if let Some(kept) = self.kept(&name, member, is_root) {
                out.push_str(kept);
            } else {
                out.truncate(from);
            }
        }
        out.push('}');
    }

    fn is_on_path(&self, value: Value<'_>) -> bool {
        value.start() <= self.piece && self.piece < value.end()
    }

    /// How to write a member that does not belong to the text.
    fn kept<'t>(&self, name: &str, member: Value<'t>, is_root: bool) -> Option<&'t str> {
        let is_chunk = self.is_chunk;
        match member.kind() {
            Kind::String | Kind::Array if distinguishes_texts(name) => Some(member.raw()),
            Kind::Scalar if is_chunk || member.raw() != "null" => Some(member.raw()),
            // Clients append the strings of a delta to each other: only types can be repeated.
            Kind::String if is_chunk && !is_root && name != "type" => None,
            Kind::String if is_whole(name) => Some(member.raw()),
            // Clients of other formats may need it, and nothing is appended by it.
            Kind::String
                if self.format == Schema::Generic
                    && (is_label(name) || member.raw_content().is_empty()) =>
            {
                Some(member.raw())
            }
            // Clients read it in every chunk.
            Kind::Object if is_chunk && name == "delta" => Some("{}"),
            // The official libraries take no text delta without its `logprobs`.
            Kind::Array if self.format == Schema::Responses => Some("[]"),
            _ => None,
        }
    }
}
