//! How many clients may be connected, so that file descriptors are left for what they ask for.

use std::future::pending;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

/// How long a client may keep its place without a request when others wait.
const IDLE_TIME: Duration = Duration::from_secs(1);

/// The limit, and whether it was reached.
#[derive(Debug)]
pub(super) struct Crowd {
    most: usize,
    is_full: watch::Sender<bool>,
}

/// Tells a connection that others wait for its place.
#[derive(Debug, Clone)]
pub(super) struct Pressure(watch::Receiver<bool>);

impl Crowd {
    pub(super) fn of_at_most(most: usize) -> Self {
        Self {
            most,
            is_full: watch::Sender::new(false),
        }
    }

    /// Whether one more client is one too many, with so many connected. Connections are told.
    pub(super) fn is_full(&self, connected: usize) -> bool {
        let is_full = connected >= self.most;
        let changes = |told: &mut bool| std::mem::replace(told, is_full) != is_full;
        self.is_full.send_if_modified(changes);
        is_full
    }

    pub(super) fn pressure(&self) -> Pressure {
        Pressure(self.is_full.subscribe())
    }
}

impl Pressure {
    /// Whether others wait now.
    pub(super) fn is_on(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until a connection that does nothing is to give up its place.
    pub(super) async fn claims_place(&mut self) {
        if self.0.wait_for(|is_full| *is_full).await.is_err() {
            // The proxy has stopped accepting.
            pending::<()>().await;
        }
        // Who has only just connected is about to send its request.
        sleep(IDLE_TIME).await;
    }
}
