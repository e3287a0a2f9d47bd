//! Turns for those who change one session and got in each other's way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

use crate::vault::Key;

/// Who waits for which session.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<HashMap<Key, Arc<Turn<()>>>>);

impl Turns {
    /// Whether anybody of this process has a turn, or waits for one.
    pub(super) fn are_taken(&self, key: &Key) -> bool {
        let turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        turns
            .get(key)
            .is_some_and(|turn| Arc::strong_count(turn) > 1)
    }

    /// Waits until nobody else of this process changes the session.
    pub(super) async fn take(&self, key: &Key) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            Arc::clone(turns.entry(key.clone()).or_default())
        };
        turn.lock_owned().await
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
        assert!(!turns.are_taken(&key("a")));
        let first = turns.take(&key("a")).await;
        assert!(turns.are_taken(&key("a")) && !turns.are_taken(&key("b")));
        assert!(
            tokio::time::timeout(std::time::Duration::from_millis(5), turns.take(&key("a")))
                .await
                .is_err()
        );
        let other = turns.take(&key("b")).await;
        drop(first);
        drop(turns.take(&key("a")).await);
        assert!(!turns.are_taken(&key("a")));
        drop(other);
        drop(turns.take(&key("c")).await);
        assert_eq!(turns.0.lock().unwrap().len(), 1);
    }
}
