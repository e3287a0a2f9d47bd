//! Tells members that name a text from numbers and ids that every event has anew.

use std::collections::BTreeSet;

use crate::schema::Channel;

/// After so many keys of which none came twice they count events.
const COUNTED: usize = 4;
/// The same where events have types: those more often have texts that they number.
const COUNTED_TYPED: usize = 8;

/// So many keys are remembered.
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

    /// The channel that a string under a new key may go on with; none once a key came twice. `latest_came_again` tells
    /// that the latest did.
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

    /// Whether a string under this key may go on with the latest, but not because keys count events by now.
    pub(super) fn may_go_on(
        &self,
        channel: Channel,
        latest_came_again: bool,
        is_typed: bool,
    ) -> bool {
        let is_new = !self.seen.contains(&channel);
        is_new && !self.came_again && !latest_came_again && self.seen.len() + 1 < least(is_typed)
    }

    /// Whether so many came that they can only count events.
    pub(super) fn count_events(&self, is_typed: bool) -> bool {
        self.seen.len() >= least(is_typed)
    }
}

const fn least(is_typed: bool) -> usize {
    if is_typed { COUNTED_TYPED } else { COUNTED }
}
