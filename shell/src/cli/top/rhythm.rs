//! Requests per second over the last minute.

use std::collections::VecDeque;

/// The seconds that are kept.
pub(super) const SECONDS: i64 = 60;

/// A count for each second in which there was something to count.
#[derive(Debug, Default, Clone)]
pub(super) struct SecondCounts(VecDeque<(i64, u64)>);

impl SecondCounts {
    /// Counts an event at a time in seconds since the epoch. Times arrive roughly in order.
    pub(super) fn count(&mut self, time: f64, count: u64) {
        let second = second(time);
        match self.0.back_mut() {
            Some((last, counted)) if *last >= second => *counted = counted.saturating_add(count),
            _ => self.0.push_back((second, count)),
        }
        while self.0.len() > usize::try_from(SECONDS).unwrap_or_default() {
            self.0.pop_front();
        }
    }

    /// The count of each of the last seconds before `now`, the oldest first.
    pub(super) fn last_minute(&self, now: f64) -> Vec<u64> {
        let begin = second(now).saturating_sub(SECONDS);
        let mut counts = vec![0; usize::try_from(SECONDS).unwrap_or_default()];
        for (second, count) in &self.0 {
            let place = usize::try_from(second.saturating_sub(begin)).ok();
            if let Some(counted) = place.and_then(|place| counts.get_mut(place)) {
                *counted = *count;
            }
        }
        counts
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, and times are far from its ends"
)]
fn second(time: f64) -> i64 {
    time.floor() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_minute_excludes_the_current_second() {
        let mut rhythm = SecondCounts::default();
        for time in [10.0, 70.2, 100.1, 100.9, 129.5, 130.0] {
            rhythm.count(time, 1);
        }
        let counts = rhythm.last_minute(130.5);
        assert_eq!(counts.len(), 60);
        assert_eq!((counts[0], counts[30], counts[59]), (1, 2, 1));
        assert_eq!(counts.iter().sum::<u64>(), 4);
        assert_eq!(rhythm.last_minute(500.0).iter().sum::<u64>(), 0);
    }
}
