//! Distinguishes members that identify a text from numbers and ids that change with every event.

use std::collections::BTreeSet;

use crate::schema::Channel;

/// After this many keys without a repetition, they count events.
const COUNTED: usize = 4;
/// The same where events have types: those more often have texts that they number.
const COUNTED_TYPED: usize = 8;

/// The number of keys that are remembered.
const MANY: usize = 1024;

/// The keys that came at one place of the events.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) latest: Channel,
    seen: BTreeSet<Channel>,
    came_again: bool,
}

impl Keys {
    pub(super) fn new(first: Channel) -> Self {
        Self {
            latest: first,
            seen: BTreeSet::from([first]),
            came_again: false,
        }
    }

    /// The channel that a string under a new key may continue; `None` once a key was repeated.
    /// `latest_came_again` says that the latest one was.
    pub(super) fn previous(
        &mut self,
        channel: Channel,
        latest_came_again: bool,
    ) -> Option<Channel> {
        self.came_again |= latest_came_again || !self.seen.insert(channel);
        if self.came_again {
            self.seen.clear();
            return None;
        }
        if self.seen.len() > MANY {
            self.seen.pop_first();
        }
        Some(std::mem::replace(&mut self.latest, channel))
    }

    /// Whether a string under this key may continue the latest, other than because keys are known
    /// to count events.
    pub(super) fn may_go_on(
        &self,
        channel: Channel,
        latest_came_again: bool,
        is_typed: bool,
    ) -> bool {
        let is_new = !self.seen.contains(&channel);
        is_new && !self.came_again && !latest_came_again && self.seen.len() + 1 < least(is_typed)
    }

    /// The keys so far, in no order.
    pub(super) fn seen(&self) -> impl Iterator<Item = Channel> {
        self.seen.iter().copied()
    }

    /// Whether there were so many keys that they can only count events.
    pub(super) fn count_events(&self, is_typed: bool) -> bool {
        self.seen.len() >= least(is_typed)
    }
}

const fn least(is_typed: bool) -> usize {
    if is_typed { COUNTED_TYPED } else { COUNTED }
}
