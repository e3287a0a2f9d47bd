//! Restores plain text that arrives in pieces.

use crate::json::splice;

use super::{Counts, End, HeldText, Reply};

/// A text whose tail may be held back.
#[derive(Debug, Default)]
pub(crate) struct RunningText(HeldText);

impl RunningText {
    pub(crate) fn push(&mut self, reply: &Reply, text: &str, out: &mut Vec<u8>) -> Counts {
        let mut counts = Counts::default();
        let restored = self.0.push(&reply.tokens, text, End::Open);
        counts.add(&restored);
        splice(text, &restored.edits, out);
        counts
    }

    pub(crate) fn finish(mut self, reply: &Reply, out: &mut Vec<u8>) -> Counts {
        let (text, restored) = self.0.finish(&reply.tokens);
        out.extend_from_slice(text.as_bytes());
        let mut counts = Counts::default();
        counts.add(&restored);
        counts
    }

    pub(crate) fn is_holding(&self) -> bool {
        !self.0.is_empty()
    }
}
