//! Measures how long work takes.

#![expect(clippy::disallowed_methods, reason = "reads the clock")]

use std::time::{Duration, Instant};

/// Runs `work`, and measures the time that this thread worked, without the time of other programs
/// if the system reports that.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let (began, worked) = (Instant::now(), worked());
    let done = work();
    let spent = worked.zip(self::worked());
    let spent = spent.map(|(before, after)| after.saturating_sub(before));
    (done, spent.unwrap_or_else(|| began.elapsed()))
}

/// The time that this thread has worked so far, as Linux reports it.
fn worked() -> Option<Duration> {
    let seen = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = seen.split(' ').next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
