//! Restores the pieces of events that are like earlier ones.

use crate::json::{Edit, decoded, edits_in_string};
use crate::restore::Reply;
use crate::restore::channel::Names;
use crate::restore::template::{Next, Template};
use crate::schema::Channel;

use super::Channels;

impl Channels {
    /// Restores the pieces of an event that is like an earlier one, in its data. `None`, and nothing is changed, if it
    /// has to be read.
    pub(in crate::restore) fn pieces_like(
        &mut self,
        reply: &Reply,
        template: &Template,
        next: &Next<'_>,
    ) -> Option<Vec<Edit>> {
        let channels = &template.channels;
        for span in self.ends(&template.ends, template.is_typed) {
            let mut open = self.open.range(span.first..=span.last);
            if !open.all(|(channel, _)| channels.contains(channel)) {
                return None;
            }
        }
        let mut changed = None;
        for (at, (channel, _, piece)) in next.pieces(template).enumerate() {
            let open = self.open.get(&channel)?;
            if open.lets_pass(reply, piece) {
                continue;
            }
            if changed.is_some() || !open.takes_whole(piece) {
                return None;
            }
            changed = Some(at);
        }
        let is_free = |held: &Channel| changed.and_then(|at| channels.get(at)) == Some(held);
        if !self.holding.iter().all(is_free) {
            return None;
        }
        let data = changed.map_or(Some(""), |_| next.data())?;
        let mut edits = Vec::new();
        for (at, (channel, start, piece)) in next.pieces(template).enumerate() {
            let open = self.open.get_mut(&channel)?;
            if changed != Some(at) {
                open.pass_over(piece);
                continue;
            }
            let start = start - template.data_start;
            let restored = open.push(reply, &decoded(piece), false, Names::Begun);
            self.counts.add(&restored);
            edits_in_string(piece, start, restored.edits, &mut edits);
            if open.is_holding() {
                open.remember_like(template.name.as_deref(), data, start - 1);
                self.holding.insert(channel);
            } else {
                self.holding.remove(&channel);
            }
        }
        Some(edits)
    }
}
