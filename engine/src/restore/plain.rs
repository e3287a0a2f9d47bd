//! Restores plain text that arrives in chunks of bytes.

use crate::json::splice;

use super::{Counts, End, HeldText, Reply};

/// A text whose tail may be held back.
#[derive(Debug, Default)]
pub(crate) struct RunningText {
    held: HeldText,
    /// The first bytes of a character that was cut.
    partial: Vec<u8>,
}

impl RunningText {
    pub(crate) fn push(&mut self, reply: &Reply, chunk: &[u8], out: &mut Vec<u8>) -> Counts {
        let mut counts = Counts::default();
        let mut bytes = std::mem::take(&mut self.partial);
        bytes.extend_from_slice(chunk);
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (valid, error) = match std::str::from_utf8(rest) {
                Ok(valid) => (valid, None),
                Err(error) => {
                    let (valid, _) = rest.split_at(error.valid_up_to());
                    (
                        std::str::from_utf8(valid).unwrap_or_default(),
                        Some(error.error_len()),
                    )
                }
            };
            let end = if matches!(error, Some(Some(_))) {
                End::Whole
            } else {
                End::Open
            };
            let restored = self.held.push(&reply.tokens, valid, end);
            counts.add(&restored);
            splice(valid, &restored.edits, out);
            rest = rest.get(valid.len()..).unwrap_or_default();
            match error {
                None => {}
                Some(None) => {
                    self.partial = rest.to_vec();
                    break;
                }
                Some(Some(length)) => {
                    out.extend_from_slice(rest.get(..length).unwrap_or_default());
                    rest = rest.get(length..).unwrap_or_default();
                    self.held = HeldText::default();
                }
            }
        }
        counts
    }

    pub(crate) fn finish(mut self, reply: &Reply, out: &mut Vec<u8>) -> Counts {
        let (text, restored) = self.held.finish(&reply.tokens);
        out.extend_from_slice(text.as_bytes());
        out.extend_from_slice(&self.partial);
        let mut counts = Counts::default();
        counts.add(&restored);
        counts
    }

    pub(crate) fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }
}
