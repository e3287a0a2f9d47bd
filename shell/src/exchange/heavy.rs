//! Work that would make other exchanges wait is done off the reactor.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::error::Fault;

/// Work on up to so many bytes is done where it arises: it takes less than a millisecond.
const INLINE_BYTES: usize = 64 << 10;

/// The places for work off the reactor: fewer than there are cores, so that one stays free for
/// everything else.
#[derive(Debug, Clone)]
pub(super) struct Heavy(Arc<Semaphore>);

impl Heavy {
    pub(super) fn on(cores: usize) -> Self {
        Self(Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))))
    }

    /// Does a piece of work on so many bytes.
    ///
    /// # Errors
    /// [`Fault::WorkStopped`] when it did not come to its end.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Fault> {
        if bytes <= INLINE_BYTES {
            return Ok(work());
        }
        let place = Arc::clone(&self.0).acquire_owned().await;
        let place = place.map_err(|_| Fault::WorkStopped)?;
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(place);
            done
        });
        done.await.map_err(|_| Fault::WorkStopped)
    }
}
