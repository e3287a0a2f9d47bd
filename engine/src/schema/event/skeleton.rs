//! An event like another one that has nothing but one of its strings, and what that string needs.

use super::place::is_whole;
use crate::json::{Kind, Value};

const SEQUENCE_NUMBER: &str = "sequence_number";

/// Writes an event again with another text in place of the string that begins at `piece`.
pub(super) struct Skeleton<'w> {
    pub(super) piece: usize,
    /// As it is written between quotes.
    pub(super) written: &'w str,
    /// The least number that the event may have.
    pub(super) least_number: u64,
    /// Clients append the strings of a delta to each other: only types can be repeated.
    pub(super) is_chunk: bool,
}

impl Skeleton<'_> {
    /// Appends a value without what does not belong to the string.
    pub(super) fn write(&self, value: Value<'_>, is_root: bool, out: &mut String) {
        match value.kind() {
            Kind::Object => self.object(value, is_root, out),
            Kind::Array => {
                out.push('[');
                for element in value.elements().filter(|&element| self.is_on_path(element)) {
                    self.write(element, false, out);
                }
                out.push(']');
            }
            _ => {
                out.push('"');
                out.push_str(self.written);
                out.push('"');
            }
        }
    }

    fn object(&self, object: Value<'_>, is_root: bool, out: &mut String) {
        out.push('{');
        let start = out.len();
        for (key, member) in object.members() {
            let is_on_path = self.is_on_path(member);
            let is_delta = self.is_chunk && member.is_object() && key.is_text("delta");
            if !is_on_path && !is_delta && !self.is_kept(&key.text(), member, is_root) {
                continue;
            }
            if out.len() > start {
                out.push(',');
            }
            out.push_str(key.raw());
            out.push(':');
            if is_on_path {
                self.write(member, false, out);
            } else if is_delta {
                // Clients read it in every chunk.
                out.push_str("{}");
            } else if is_root && key.is_text(SEQUENCE_NUMBER) {
                let number = member.raw().parse().unwrap_or(0).max(self.least_number);
                out.push_str(&number.to_string());
            } else {
                out.push_str(member.raw());
            }
        }
        out.push('}');
    }

    fn is_on_path(&self, value: Value<'_>) -> bool {
        value.start() <= self.piece && self.piece < value.end()
    }

    fn is_kept(&self, name: &str, member: Value<'_>, is_root: bool) -> bool {
        match member.kind() {
            Kind::Scalar => member.raw() != "null",
            Kind::String if self.is_chunk && !is_root => name == "type",
            Kind::String => is_whole(name),
            _ => false,
        }
    }
}
