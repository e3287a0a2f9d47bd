//! Limits the number of concurrent requests to the provider, over all workers.
//!
//! Over HTTP/1.1 each request has its own connection. Idle connections count too: they are closed
//! if a new one would exceed the limit.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::pool::Pool;
use crate::error::Fault;

/// How long a request may wait for its turn.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The limit; none by default. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionLimit(Option<Arc<Limit>>);

#[derive(Debug)]
struct Limit {
    most: usize,
    places: Arc<Semaphore>,
    pools: Mutex<Vec<Weak<Pool>>>,
}

/// A place at the provider, free again when dropped.
#[derive(Debug)]
pub(super) struct Turn {
    _place: Option<OwnedSemaphorePermit>,
}

impl ConnectionLimit {
    pub(crate) fn new(most: Option<NonZeroUsize>) -> Self {
        Self(most.map(|most| {
            let most = most.get().min(Semaphore::MAX_PERMITS);
            Arc::new(Limit {
                most,
                places: Arc::new(Semaphore::new(most)),
                pools: Mutex::default(),
            })
        }))
    }

    /// Counts the idle connections of a worker, too.
    pub(super) fn watch(&self, pool: &Arc<Pool>) {
        if let Some(limit) = &self.0 {
            limit.lock().push(Arc::downgrade(pool));
        }
    }

    /// Waits for a place.
    ///
    /// # Errors
    /// [`Fault::Busy`] when none becomes free in time.
    pub(super) async fn turn(&self) -> Result<Turn, Fault> {
        let Some(limit) = &self.0 else {
            return Ok(Turn { _place: None });
        };
        let place = Arc::clone(&limit.places).acquire_owned();
        let place = tokio::time::timeout(PATIENCE, place).await;
        match place {
            Ok(Ok(place)) => Ok(Turn {
                _place: Some(place),
            }),
            Ok(Err(_)) | Err(_) => Err(Fault::Busy),
        }
    }

    /// Closes idle connections to make room for one more, which has its turn.
    pub(super) fn make_room(&self) {
        let Some(limit) = &self.0 else { return };
        let under_way = limit.most - limit.places.available_permits().min(limit.most);
        let pools: Vec<_> = limit.lock().iter().filter_map(Weak::upgrade).collect();
        let idle: usize = pools.iter().map(|pool| pool.idle()).sum();
        let mut surplus = (under_way + idle).saturating_sub(limit.most);
        for pool in pools {
            while surplus > 0 && pool.close_idle() {
                surplus -= 1;
            }
        }
    }
}

impl Limit {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Weak<Pool>>> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waiting_too_long_for_a_slot_reports_a_busy_provider() {
        let limit = ConnectionLimit::new(NonZeroUsize::new(2));
        let first = limit.turn().await.unwrap();
        let _second = limit.turn().await.unwrap();
        assert_eq!(limit.turn().await.unwrap_err(), Fault::Busy);
        let waiting = tokio::spawn({
            let limit = limit.clone();
            async move { limit.turn().await.is_ok() }
        });
        tokio::time::sleep(PATIENCE / 2).await;
        drop(first);
        assert!(waiting.await.unwrap());

        let unlimited = ConnectionLimit::default();
        for _ in 0..1000 {
            assert!(unlimited.turn().await.is_ok());
        }
    }
}
