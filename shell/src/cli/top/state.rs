//! The state of a proxy: its metrics now and a minute ago, and its audit trail.

use std::collections::VecDeque;

use super::counters::Counters;
use super::histogram::Histogram;
use super::rhythm::{SECONDS, SecondCounts};
use super::summary::{Delay, Summary};
use super::traffic::Traffic;

/// The state of a service, as seen so far. Times are seconds since the epoch.
#[derive(Debug, Default)]
pub(super) struct State {
    counters: Counters,
    /// The histograms of the last minute, the oldest first.
    recent: VecDeque<Recent>,
    /// Requests per second according to the metrics, if there is no trail.
    rhythm: SecondCounts,
    first_seen: Option<f64>,
    /// Where there is a trail.
    pub(super) traffic: Option<Traffic>,
}

#[derive(Debug)]
struct Recent {
    time: f64,
    added: Histogram,
    replies: Histogram,
}

impl State {
    /// Stores new metrics. Returns whether they come from another process.
    pub(super) fn take(&mut self, now: f64, counters: Counters) -> bool {
        let is_another = (counters.started - self.counters.started).abs() > 0.5;
        if is_another {
            *self = Self {
                first_seen: Some(now),
                ..Self::default()
            };
        } else {
            let new = counters.requests.saturating_sub(self.counters.requests);
            self.rhythm.count(now, new);
        }
        self.recent.push_back(Recent {
            time: now,
            added: counters.added.clone(),
            replies: counters.replies.clone(),
        });
        while self
            .recent
            .front()
            .is_some_and(|poll| now - poll.time > seconds(SECONDS))
        {
            self.recent.pop_front();
        }
        self.counters = counters;
        is_another
    }

    /// When the service started.
    pub(super) fn started(&self) -> f64 {
        self.counters.started
    }

    /// Everything that is shown of it.
    pub(super) fn summary(&self, url: &str, now: f64) -> Summary {
        let Counters { started, .. } = self.counters;
        let (rhythm, begin) = match &self.traffic {
            Some(traffic) => (&traffic.rhythm, Some(started)),
            None => (
                &self.rhythm,
                self.first_seen.filter(|first| now - first >= 1.0),
            ),
        };
        let last_minute = rhythm.last_minute(now);
        let none = Traffic::default();
        let traffic = self.traffic.as_ref().unwrap_or(&none);
        let oldest = self.recent.front();
        Summary {
            url: url.to_owned(),
            uptime: (now - started).max(0.0),
            per_second: begin.map(|begin| {
                let length = (now - begin).clamp(1.0, seconds(SECONDS));
                number(last_minute.iter().sum()) / length
            }),
            last_minute,
            streams: self
                .traffic
                .as_ref()
                // What a killed process left open in the trail is not in progress.
                .map(|traffic| traffic.streams().min(self.counters.under_way)),
            added: delay(&self.counters.added, oldest.map(|poll| &poll.added)),
            replies: delay(&self.counters.replies, oldest.map(|poll| &poll.replies)),
            by_status: traffic.by_status.clone(),
            by_route: traffic.by_route.clone(),
            by_code: traffic.by_code.clone(),
            unmasked_paths: traffic.unmasked.clone(),
            counters: self.counters.clone(),
            notices: self.notices(),
        }
    }

    /// What the reader must know about the counts themselves.
    fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        let Counters {
            requests,
            lost_audit_lines,
            lost_log_lines,
            ..
        } = self.counters;
        if let Some(traffic) = &self.traffic {
            if traffic.lines == 0 && requests > 0 {
                notices.push(
                    "the audit trail has no lines from this proxy; name its file with --audit"
                        .to_owned(),
                );
            }
            if traffic.unreadable > 0 {
                notices.push(format!(
                    "{} lines of the audit trail are not events and were not counted",
                    traffic.unreadable
                ));
            }
        }
        if lost_audit_lines > 0 {
            notices.push(format!(
                "{lost_audit_lines} lines of the audit trail could not be written: check the disk"
            ));
        }
        if lost_log_lines > 0 {
            notices.push(format!(
                "{lost_log_lines} lines of the log could not be written"
            ));
        }
        notices
    }
}

/// The times of the last minute, or of the whole run if there are none.
fn delay(now: &Histogram, then: Option<&Histogram>) -> Delay {
    let recent = then.map(|then| now.since(then)).unwrap_or_default();
    let is_recent = recent.count() > 0;
    let histogram = if is_recent { &recent } else { now };
    Delay {
        p50: histogram.quantile(0.5),
        p99: histogram.quantile(0.99),
        is_recent,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of a minute")]
fn number(count: u64) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "a small constant")]
const fn seconds(seconds: i64) -> f64 {
    seconds as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(started: f64, requests: u64, slow: u64) -> Counters {
        let mut added = Histogram::default();
        added.add_bucket(0.001, requests - slow);
        added.add_bucket(0.1, requests);
        Counters {
            started,
            requests,
            added,
            ..Counters::default()
        }
    }

    #[test]
    fn times_cover_the_last_minute_if_it_has_any() {
        let mut state = State::default();
        assert!(state.take(1000.0, counters(900.0, 100, 0)));
        assert!(!state.take(1001.0, counters(900.0, 104, 4)));
        let added = state.summary("", 1001.0).added;
        assert!(
            added.is_recent && added.p50.unwrap().seconds > 0.001,
            "{added:?}"
        );
        state.take(1100.0, counters(900.0, 104, 4));
        let added = state.summary("", 1100.0).added;
        assert!(
            !added.is_recent && added.p50.unwrap().seconds < 0.001,
            "{added:?}"
        );
    }

    #[test]
    fn the_rate_comes_from_the_trail_or_else_metrics() {
        let mut state = State::default();
        state.take(1000.0, counters(900.0, 100, 0));
        assert_eq!(state.summary("", 1000.0).per_second, None);
        state.take(1009.0, counters(900.0, 140, 0));
        assert_eq!(state.summary("", 1010.0).per_second, Some(4.0));

        let mut traffic = Traffic::default();
        for second in 0..60 {
            let line = format!(r#"{{"epoch":{},"event":"proxy.request"}}"#, 950 + second);
            traffic.add(line.as_bytes(), state.started());
        }
        state.traffic = Some(traffic);
        assert_eq!(state.summary("", 1010.0).per_second, Some(1.0));
    }

    /// Counters of a restarted process begin at zero.
    #[test]
    fn a_service_restart_resets_the_rates() {
        let mut state = State::default();
        state.take(1000.0, counters(900.0, 100, 50));
        state.traffic = Some(Traffic::default());
        assert!(state.take(1001.0, counters(1001.0, 1, 0)));
        assert!(state.traffic.is_none());
        let summary = state.summary("", 1002.0);
        assert_eq!(summary.counters.requests, 1);
        assert!(summary.added.p99.unwrap().seconds < 0.001);
    }

    #[test]
    fn streams_of_a_killed_process_are_not_counted_open() {
        let mut state = State::default();
        state.take(1000.0, counters(900.0, 1, 0));
        let mut traffic = Traffic::default();
        let line = br#"{"epoch":950,"event":"proxy.request","request_id":"req_1","stream":true}"#;
        traffic.add(line, 0.0);
        assert_eq!(traffic.streams(), 1);
        state.traffic = Some(traffic);
        assert_eq!(state.summary("", 1000.0).streams, Some(0));
    }
}
