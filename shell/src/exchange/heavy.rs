//! Runs long work off the reactor, so that other exchanges do not wait.

use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::Fault;

/// What may take longer leaves the reactor.
const INLINE: Duration = Duration::from_micros(200);

/// What may take longer is worth the start of threads that help.
const HELPED: Duration = Duration::from_millis(1);

/// The expected time for a KiB before any was measured, in nanoseconds: a few times that of
/// ordinary text.
const FIRST_PACE: u64 = 16_000;

/// The longest time for a KiB, in nanoseconds: the densest text on a slow machine. Anything longer
/// was an interruption.
const SLOWEST_PACE: u64 = 160_000;

/// Less work than this, in bytes, says nothing about the pace.
const TELLING_BYTES: usize = 1 << 10;

/// This much work, in bytes, tells the pace by itself. Of less, an interruption may have taken most of the time.
const SURE_BYTES: usize = 64 << 10;

/// What is done.
#[derive(Debug, Clone, Copy)]
pub(super) enum Work {
    /// Reading a request's JSON, and collecting its texts for detectors.
    Read,
    Mask,
    Restore,
}

/// The permits for work off the reactor: fewer than cores, so that one stays free for everything
/// else.
#[derive(Debug, Clone)]
pub(super) struct Heavy {
    places: Arc<Semaphore>,
    helpers: Arc<Semaphore>,
    paces: Arc<Paces>,
}

impl Heavy {
    pub(super) fn on(cores: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))),
            helpers: Arc::new(Semaphore::new(cores / 2)),
            paces: Arc::default(),
        }
    }

    /// Does a piece of work on so many bytes.
    ///
    /// # Errors
    /// [`Fault::WorkStopped`] when it did not come to its end.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        kind: Work,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Fault> {
        if self.paces.of(kind).expected(bytes) <= INLINE {
            return Ok(self.paces.of(kind).measured(bytes, work));
        }
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|_| Fault::WorkStopped)?;
        let paces = Arc::clone(&self.paces);
        let done = tokio::task::spawn_blocking(move || {
            let done = paces.of(kind).measured(bytes, work);
            drop(place);
            done
        });
        done.await.map_err(|_| Fault::WorkStopped)
    }

    /// Permits for threads that help with a piece of work on so many bytes: as many as are free, none if it is short.
    pub(super) fn helpers(&self, kind: Work, bytes: usize) -> Vec<OwnedSemaphorePermit> {
        if self.paces.of(kind).expected(bytes) <= HELPED {
            return Vec::new();
        }
        let permits = iter::from_fn(|| Arc::clone(&self.helpers).try_acquire_owned().ok());
        permits.collect()
    }
}

#[derive(Debug, Default)]
struct Paces {
    read: Pace,
    mask: Pace,
    restore: Pace,
}

impl Paces {
    const fn of(&self, work: Work) -> &Pace {
        match work {
            Work::Read => &self.read,
            Work::Mask => &self.mask,
            Work::Restore => &self.restore,
        }
    }
}

/// The time for a KiB, in nanoseconds: that of the slowest recent work, because one dense text is
/// often followed by another. Of small work, it takes several slow pieces to be sure.
#[derive(Debug)]
struct Pace(AtomicU64);

impl Default for Pace {
    fn default() -> Self {
        Self(AtomicU64::new(FIRST_PACE))
    }
}

impl Pace {
    /// The expected time for this many bytes.
    fn expected(&self, bytes: usize) -> Duration {
        let nanoseconds = self.0.load(Ordering::Relaxed).saturating_mul(bytes as u64) >> 10;
        Duration::from_nanos(nanoseconds)
    }

    /// Does the work, and learns from its duration.
    fn measured<T>(&self, bytes: usize, work: impl FnOnce() -> T) -> T {
        if bytes < TELLING_BYTES {
            return work();
        }
        let began = Instant::now();
        let done = work();
        self.learn(bytes, began.elapsed());
        done
    }

    fn learn(&self, bytes: usize, took: Duration) {
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let took = (took.saturating_mul(1 << 10) / bytes as u64).min(SLOWEST_PACE);
        let pace = self.0.load(Ordering::Relaxed);
        // What another worker learns at the same moment may be lost; the next piece teaches it
        // again.
        let pace = if took > pace {
            pace + (took - pace) * bytes.min(SURE_BYTES) as u64 / SURE_BYTES as u64
        } else {
            pace - (pace - took) / 8
        };
        self.0.store(pace, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: usize = 60 << 10;

    /// 64 KB of dense text once took up to 9.6 ms on the reactor, because its size alone decided.
    #[test]
    fn dense_text_leaves_the_reactor_and_ordinary_text_returns() {
        let pace = Pace::default();
        assert!(pace.expected(2 << 10) < INLINE, "a chat stays");
        assert!(pace.expected(BODY) > INLINE, "what is not known leaves");
        for _ in 0..30 {
            pace.learn(BODY, Duration::from_micros(120));
        }
        assert!(pace.expected(BODY) < INLINE, "ordinary text");
        pace.learn(BODY, Duration::from_millis(6));
        assert!(pace.expected(BODY) > INLINE, "after dense text");
        assert!(pace.expected(4 << 10) > INLINE, "a little of it, too");
    }

    #[test]
    fn an_interruption_does_not_offload_small_work() {
        let pace = Pace::default();
        pace.learn(2 << 10, Duration::from_millis(50));
        assert!(pace.expected(1 << 10) < INLINE);
    }

    /// When many requests shared few cores, many of 2 KB were interrupted, and all then waited for the one place off the
    /// reactor.
    #[test]
    fn only_dense_small_requests_are_offloaded() {
        let (pace, chat) = (Pace::default(), 2 << 10);
        for _ in 0..100 {
            pace.learn(chat, Duration::from_micros(70));
            pace.learn(chat, Duration::from_millis(4));
            assert!(pace.expected(chat) < INLINE, "interrupted");
        }
        for _ in 0..50 {
            pace.learn(chat, Duration::from_micros(300));
        }
        assert!(pace.expected(chat) > INLINE, "dense");
    }

    #[tokio::test]
    async fn small_work_runs_inline_and_large_work_elsewhere() {
        let heavy = Heavy::on(2);
        let reactor = std::thread::current().id();
        for (bytes, is_inline) in [(100, true), (1 << 20, false)] {
            let done = heavy.run(Work::Mask, bytes, || std::thread::current().id());
            assert_eq!(done.await == Ok(reactor), is_inline);
        }
    }
}
