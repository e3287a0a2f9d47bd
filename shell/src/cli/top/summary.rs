//! The values that `top` shows.

use serde_json::{Value, json};

use super::counters::{Counters, Counts};
use super::histogram::Quantile;

/// A service at one moment.
#[derive(Debug, Clone)]
pub(super) struct Summary {
    pub(super) url: String,
    /// In seconds.
    pub(super) uptime: f64,
    pub(super) counters: Counters,
    /// Over the last minute, where that is known.
    pub(super) per_second: Option<f64>,
    pub(super) last_minute: Vec<u64>,
    /// Streamed replies in progress, if there is a trail.
    pub(super) streams: Option<u64>,
    pub(super) added: Delay,
    pub(super) replies: Delay,
    pub(super) by_status: Counts,
    pub(super) by_route: Counts,
    pub(super) by_code: Counts,
    pub(super) unmasked_paths: Counts,
    /// Notices for the reader, one per line.
    pub(super) notices: Vec<String>,
}

/// How long something took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Delay {
    pub(super) p50: Option<Quantile>,
    pub(super) p99: Option<Quantile>,
    /// Over the last minute, not since the start.
    pub(super) is_recent: bool,
}

/// Counts under a title.
#[derive(Debug, PartialEq)]
pub(super) struct Table<'a> {
    pub(super) title: &'static str,
    /// The largest first.
    pub(super) rows: Vec<(&'a str, u64)>,
}

impl Summary {
    /// Failed exchanges.
    pub(super) fn errors(&self) -> u64 {
        sum(&self.counters.errors)
    }

    /// Request bodies that were forwarded unmasked.
    pub(super) fn unmasked(&self) -> u64 {
        sum(&self.counters.unmasked)
    }

    /// Values by type, and other counts. Those without a row are omitted.
    pub(super) fn tables(&self) -> Vec<Table<'_>> {
        let Counters {
            masked,
            seen,
            errors,
            ..
        } = &self.counters;
        // The trail knows more of errors than the metrics.
        let errors = if self.by_code.is_empty() {
            errors
        } else {
            &self.by_code
        };
        [
            ("Masked values", masked),
            ("Not masked (policy shadow)", seen),
            ("Requests by route", &self.by_route),
            ("Replies by status", &self.by_status),
            ("Errors", errors),
            ("Unmasked paths", &self.unmasked_paths),
        ]
        .into_iter()
        .filter(|(_, counts)| !counts.is_empty())
        .map(|(title, counts)| Table::of(title, counts))
        .collect()
    }

    /// Everything as one JSON object.
    pub(super) fn to_json(&self) -> Value {
        let counters = &self.counters;
        json!({
            "url": self.url,
            "version": counters.version,
            "uptime_seconds": self.uptime,
            "requests": {
                "total": counters.requests,
                "per_second": self.per_second,
                "by_route": self.by_route,
            },
            "replies": {"by_status": self.by_status},
            "under_way": {"exchanges": counters.under_way, "streams": self.streams},
            "added_seconds": self.added.to_json(),
            "reply_seconds": self.replies.to_json(),
            "values": {
                "masked": sum(&counters.masked),
                "by_type": counters.masked,
                "not_masked_by_type": counters.seen,
                "restored": counters.restored,
                "unknown_tokens": counters.unknown_tokens,
                "unread_parts": counters.unread,
            },
            "unrouted": {
                "passed": counters.passed,
                "blocked": counters.blocked,
                "unmasked_bodies": counters.unmasked,
                "unmasked_paths": self.unmasked_paths,
            },
            "errors": {
                "total": self.errors(),
                "by_phase": counters.errors,
                "by_code": self.by_code,
            },
            "lost_lines": {"audit": counters.lost_audit_lines, "log": counters.lost_log_lines},
            "notices": self.notices,
        })
    }
}

impl Delay {
    fn to_json(self) -> Value {
        let seconds = |quantile: Option<Quantile>| quantile.map(|quantile| quantile.seconds);
        json!({"p50": seconds(self.p50), "p99": seconds(self.p99)})
    }
}

impl<'a> Table<'a> {
    fn of(title: &'static str, counts: &'a Counts) -> Self {
        let mut rows: Vec<_> = counts
            .iter()
            .map(|(name, count)| (name.as_str(), *count))
            .collect();
        rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Self { title, rows }
    }
}

/// The sum of all counts.
pub(super) fn sum(counts: &Counts) -> u64 {
    counts
        .values()
        .fold(0, |sum, count| sum.saturating_add(*count))
}
