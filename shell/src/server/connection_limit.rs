//! Limits the number of connected clients, so that file descriptors are left for their requests.

use std::future::pending;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use crate::system::descriptors;

/// How long a client may keep its place without a request when others wait.
const IDLE_TIME: Duration = Duration::from_secs(1);

/// The assumed number of open descriptors if the system does not report it.
const USUALLY_OPEN: usize = 32;

/// Kept free for names that are looked up, files that are opened anew and a configuration that takes over.
const RESERVE: usize = 12;

/// The limit, and whether it was reached.
#[derive(Debug)]
pub(super) struct LimitState {
    most: usize,
    is_full: watch::Sender<bool>,
}

/// Notifies a connection that others wait for its place.
#[derive(Debug, Clone)]
pub(super) struct PlaceWanted(watch::Receiver<bool>);

impl LimitState {
    /// The number of clients that the descriptors suffice for, if each client needs `for_each`. At least one.
    pub(super) fn that_fits(for_each: usize) -> Self {
        let open = || descriptors::open().unwrap_or(USUALLY_OPEN);
        let most = descriptors::limit().map(|limit| enough_for(limit, open(), for_each));
        Self {
            most: most.unwrap_or(usize::MAX),
            is_full: watch::Sender::new(false),
        }
    }

    /// Whether one more client exceeds the limit at this number of connections. Connections are
    /// notified.
    pub(super) fn is_full(&self, connected: usize) -> bool {
        let is_full = connected >= self.most;
        let changes = |was_full: &mut bool| std::mem::replace(was_full, is_full) != is_full;
        self.is_full.send_if_modified(changes);
        is_full
    }

    pub(super) fn pressure(&self) -> PlaceWanted {
        PlaceWanted(self.is_full.subscribe())
    }
}

impl PlaceWanted {
    /// Whether others wait now.
    pub(super) fn is_on(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until an idle connection must give up its place.
    pub(super) async fn claims_place(&mut self) {
        if self.0.wait_for(|is_full| *is_full).await.is_err() {
            // The proxy has stopped accepting.
            pending::<()>().await;
        }
        // A client that has just connected is about to send its request.
        sleep(IDLE_TIME).await;
    }
}

fn enough_for(limit: usize, open: usize, for_each: usize) -> usize {
    let free = limit.saturating_sub(open).saturating_sub(RESERVE);
    (free / for_each.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connection_limit_follows_the_descriptor_limit() {
        assert_eq!(enough_for(64, 22, 2), 15);
        assert_eq!(enough_for(1 << 20, 22, 2), 524_271);
        assert_eq!(enough_for(16, 22, 2), 1);
        assert!(LimitState::that_fits(2).most >= 1);
    }
}
