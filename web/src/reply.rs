//! A reply that arrives in chunks.

use engine::{Restorer, Restoring};

/// A reply in progress.
pub struct Reply {
    restoring: Restoring,
    restorer: Restorer,
    arrived: Vec<u8>,
    delivered: usize,
}

impl Reply {
    /// A reply before its first byte.
    #[must_use]
    pub fn new(restoring: Restoring) -> Self {
        let restorer = restoring.reply(None);
        Self {
            restoring,
            restorer,
            arrived: Vec::new(),
            delivered: 0,
        }
    }

    /// Adds the next bytes; returns what is delivered now.
    pub fn push(&mut self, chunk: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        self.restorer.push(chunk, &mut out);
        self.arrived.extend_from_slice(chunk);
        self.delivered += out.len();
        out
    }

    /// Ends the reply: what was held back.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.restorer.finish(&mut out);
        self.delivered += out.len();
        out
    }

    /// How many tokens were restored so far.
    #[must_use]
    pub fn restored(&self) -> u64 {
        self.restorer.summary().restored
    }

    /// What is held back, as it would be delivered if the reply ended here.
    ///
    /// This takes as long as the whole reply so far, because another reader reads it again and ends
    /// here.
    #[must_use]
    pub fn held(&self) -> Vec<u8> {
        let mut whole = Vec::new();
        let mut other = self.restoring.reply(None);
        other.push(&self.arrived, &mut whole);
        other.finish(&mut whole);
        whole.get(self.delivered..).unwrap_or_default().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Form, Playground};

    use super::*;

    #[test]
    fn the_held_text_is_what_would_follow() {
        let playground = Playground::new(engine::Settings::default(), [0; 32]);
        let input = "to alice@example.com";
        let (outcome, restoring) = playground.mask(Form::Text, input).unwrap();
        assert_eq!(outcome.masked, "to <MASK_EMAIL_1>");
        let mut reply = Reply::new(restoring);
        assert_eq!(reply.push(b"Sent to <MASK_EM"), b"Sent to ");
        assert_eq!(reply.held(), b"<MASK_EM");
        assert_eq!(reply.push(b"AIL_1>."), b"alice@example.com.");
        assert_eq!((reply.held(), reply.restored()), (Vec::new(), 1));
    }
}
