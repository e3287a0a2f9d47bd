//! Turns for those who change one session and got in each other's way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

use crate::vault::Key;

/// Who waits for which session.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<HashMap<Key, Queue>>);

/// Those who wait for their turn at one session.
#[derive(Debug, Default)]
struct Queue {
    turn: Arc<Turn<()>>,
    /// Whether who comes now has to wait, too.
    is_closed: bool,
}

impl Queue {
    fn is_empty(&self) -> bool {
        Arc::strong_count(&self.turn) == 1
    }
}

impl Turns {
    /// Waits until nobody else of this process changes the session in a turn.
    pub(super) async fn take(&self, key: &Key) -> OwnedMutexGuard<()> {
        let turn = {
            let mut queues = self.lock();
            queues.retain(|_, queue| !queue.is_empty());
            Arc::clone(&queues.entry(key.clone()).or_default().turn)
        };
        turn.lock_owned().await
    }

    /// Lets nobody get ahead any more of those who wait: to be called by who has the turn.
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
    async fn one_at_a_time_and_nothing_is_left_behind() {
        let turns = Turns::default();
        let key = |id: &str| Key {
            owner: String::new(),
            id: id.to_owned(),
        };
        let first = turns.take(&key("a")).await;
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
        drop(turns.take(&key("a")).await);
        assert!(!turns.are_closed(&key("a")));
        drop(other);
        drop(turns.take(&key("c")).await);
        assert_eq!(turns.0.lock().unwrap().len(), 1);
    }
}
