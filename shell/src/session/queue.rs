//! Queues requests that compete for the same session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as Place, OwnedMutexGuard};
use tokio::time::Instant;

use crate::vault::{Key, VaultError};

/// The requests that wait for each session.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<HashMap<Key, Queue>>);

/// Those who wait for their turn at one session.
#[derive(Debug, Default)]
struct Queue {
    place: Arc<Place<Silence>>,
    /// Whether who comes now has to wait, too.
    is_closed: bool,
}

impl Queue {
    fn is_empty(&self) -> bool {
        Arc::strong_count(&self.place) == 1
    }
}

/// When the vault last left somebody in this line without an answer.
type Silence = Option<Instant>;

/// The right to change the session. Ends when it is dropped.
#[derive(Debug)]
pub(super) struct Turn(OwnedMutexGuard<Silence>);

impl Turn {
    /// The vault did not answer in time, so those who waited meanwhile need not wait for it again.
    pub(super) fn vault_was_silent(&mut self) {
        *self.0 = Some(Instant::now());
    }
}

impl Turns {
    /// Waits until nobody else of this process changes the session in a turn.
    ///
    /// # Errors
    /// [`VaultError::Timeout`] when the vault did not answer those in front.
    pub(super) async fn take(&self, key: &Key) -> Result<Turn, VaultError> {
        let place = {
            let mut queues = self.lock();
            queues.retain(|_, queue| !queue.is_empty());
            Arc::clone(&queues.entry(key.clone()).or_default().place)
        };
        let came = Instant::now();
        let turn = place.lock_owned().await;
        if turn.is_some_and(|silent| silent >= came) {
            return Err(VaultError::Timeout);
        }
        Ok(Turn(turn))
    }

    /// Prevents overtaking those who wait. To be called by the holder of the turn.
    pub(super) fn close(&self, key: &Key) {
        if let Some(queue) = self.lock().get_mut(key) {
            queue.is_closed = true;
        }
    }

    /// Whether who comes now has to take a turn.
    pub(super) fn are_closed(&self, key: &Key) -> bool {
        let queues = self.lock();
        let queue = queues.get(key);
        queue.is_some_and(|queue| queue.is_closed && !queue.is_empty())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Queue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turns_are_taken_one_at_a_time_and_cleaned_up() {
        let turns = Turns::default();
        let key = |id: &str| Key {
            owner: String::new(),
            id: id.to_owned(),
        };
        let first = turns.take(&key("a")).await.unwrap();
        assert!(!turns.are_closed(&key("a")));
        turns.close(&key("a"));
        assert!(turns.are_closed(&key("a")) && !turns.are_closed(&key("b")));
        assert!(
            tokio::time::timeout(std::time::Duration::from_millis(5), turns.take(&key("a")))
                .await
                .is_err()
        );
        let other = turns.take(&key("b")).await;
        drop(first);
        drop(turns.take(&key("a")).await.unwrap());
        assert!(!turns.are_closed(&key("a")));
        drop(other);
        drop(turns.take(&key("c")).await);
        assert_eq!(turns.0.lock().unwrap().len(), 1);
    }

    /// Each once waited five seconds of its own before all were refused as too many.
    #[tokio::test(start_paused = true)]
    async fn waiters_for_a_silent_vault_fail_together() {
        let turns = Turns::default();
        let key = Key {
            owner: String::new(),
            id: "a".to_owned(),
        };
        let mut first = turns.take(&key).await.unwrap();
        let waiting = futures_util::future::join_all((0..3).map(|_| turns.take(&key)));
        let fails = async {
            tokio::time::sleep(std::time::Duration::from_secs(5)).await;
            first.vault_was_silent();
            drop(first);
        };
        let (waited, ()) = tokio::join!(waiting, fails);
        for turn in waited {
            assert_eq!(turn.unwrap_err(), VaultError::Timeout);
        }
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        assert!(turns.take(&key).await.is_ok(), "who comes later asks again");
    }
}
