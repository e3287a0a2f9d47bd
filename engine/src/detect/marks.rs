//! What a pass remembers of where it looked.

use super::assigned::LastName;
use super::table::Seen;
use super::vendor::Attempts;
use std::ops::Range;

/// Where a pass looked, as far as that decides where it looks next.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Digit runs before this place belong to a number that was looked at.
    pub(super) numbers_until: usize,
    pub(super) addresses: Guard,
    pub(super) assigned: Guard,
    pub(super) last_name: LastName,
    /// The last value that was found near a name.
    pub(super) nearby_value: Range<usize>,
    /// The last value that was judged no secret.
    pub(super) rejected: Range<usize>,
    pub(super) attempts: Attempts,
    pub(super) blocks: Guard,
    pub(super) commands: Guard,
    pub(super) credentials: Guard,
    pub(super) manifests: Guard,
    pub(super) nearby: Guard,
    pub(super) tables: Seen,
    pub(super) personal_tables: Seen,
    pub(super) urls: Guard,
    pub(super) web_keys: Guard,
}

/// Where a place goes when marks are moved; to the beginning of the text when it is forgotten.
pub(super) type Move<'m> = &'m dyn Fn(usize) -> usize;

impl Marks {
    /// The same marks at other places.
    pub(super) fn moved(&self, to: Move<'_>) -> Self {
        Self {
            numbers_until: to(self.numbers_until),
            addresses: self.addresses.moved(to),
            assigned: self.assigned.moved(to),
            last_name: self.last_name.moved(to),
            nearby_value: moved(&self.nearby_value, to),
            rejected: moved(&self.rejected, to),
            attempts: self.attempts.moved(to),
            blocks: self.blocks.moved(to),
            commands: self.commands.moved(to),
            credentials: self.credentials.moved(to),
            manifests: self.manifests.moved(to),
            nearby: self.nearby.moved(to),
            tables: self.tables.moved(to),
            personal_tables: self.personal_tables.moved(to),
            urls: self.urls.moved(to),
            web_keys: self.web_keys.moved(to),
        }
    }

    /// Lets every bound begin anew, as at the beginning of a text. Numbers and tables that were read stay so.
    pub(super) fn renew(&mut self) {
        let old = std::mem::take(self);
        *self = Self {
            numbers_until: old.numbers_until,
            nearby_value: old.nearby_value,
            tables: old.tables.renewed(),
            personal_tables: old.personal_tables.renewed(),
            ..Self::default()
        };
    }

    /// Whether these marks, when moved, are the same as `others`. What differs most often is compared first.
    pub(super) fn are(&self, others: &Self, to: Move<'_>) -> bool {
        self.assigned.moved(to) == others.assigned
            && self.nearby.moved(to) == others.nearby
            && to(self.numbers_until) == others.numbers_until
            && self.addresses.moved(to) == others.addresses
            && self.last_name.moved(to) == others.last_name
            && moved(&self.nearby_value, to) == others.nearby_value
            && moved(&self.rejected, to) == others.rejected
            && self.blocks.moved(to) == others.blocks
            && self.commands.moved(to) == others.commands
            && self.credentials.moved(to) == others.credentials
            && self.manifests.moved(to) == others.manifests
            && self.tables.moved(to) == others.tables
            && self.personal_tables.moved(to) == others.personal_tables
            && self.urls.moved(to) == others.urls
            && self.web_keys.moved(to) == others.web_keys
            && self.attempts.moved(to) == others.attempts
    }
}

/// A range at another place; an empty one when it is forgotten.
pub(super) fn moved(range: &Range<usize>, to: Move<'_>) -> Range<usize> {
    to(range.start)..to(range.end)
}

/// Bounds how often overlapping ranges are looked at, so that repeated anchors cost linear time.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Guard {
    until: usize,
    /// Bytes that may be looked at again.
    left: usize,
}

/// How often a byte is looked at again, on average, before the rest of a range is skipped.
const AGAIN: usize = 2;

impl Guard {
    /// Whether what starts at `start` lies in a range that was looked at often enough.
    pub(super) const fn is_spent(&self, start: usize) -> bool {
        start < self.until && self.left == 0
    }

    /// Where what was looked at ends.
    pub(super) const fn until(&self) -> usize {
        self.until
    }

    /// Notes that everything from `start` to `reach` was looked at.
    pub(super) fn spend(&mut self, start: usize, reach: usize) {
        let length = reach.saturating_sub(start).max(1);
        let first = reach.saturating_sub(self.until.max(start));
        let again = length - first.min(length);
        let kept = if start < self.until { self.left } else { 0 };
        self.until = self.until.max(reach);
        // No more than for what lies ahead: so it recurs where the text does.
        let most = AGAIN * (self.until - start.min(self.until));
        self.left = (kept + AGAIN * first).saturating_sub(again).min(most);
    }

    /// Whether to look at what starts at `start` and reaches `reach`.
    pub(super) fn admits(&mut self, start: usize, reach: usize) -> bool {
        if self.is_spent(start) {
            return false;
        }
        self.spend(start, reach);
        true
    }

    pub(super) fn moved(&self, to: Move<'_>) -> Self {
        let until = to(self.until);
        let left = if until == 0 { 0 } else { self.left };
        Self { until, left }
    }
}
