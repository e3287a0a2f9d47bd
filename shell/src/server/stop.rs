//! Stopping: a signal, five seconds of grace, then the cut.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal as listen};
use tokio::sync::watch;

/// How long requests under way may take to finish.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// Tells every connection that the proxy stops.
#[derive(Debug)]
pub(super) struct Stop(watch::Sender<bool>);

/// The other end of [`Stop`].
#[derive(Debug, Clone)]
pub(super) struct Watch(watch::Receiver<bool>);

impl Default for Stop {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Stop {
    pub(super) fn watch(&self) -> Watch {
        Watch(self.0.subscribe())
    }

    pub(super) fn begin(&self) {
        self.0.send_replace(true);
    }
}

impl Watch {
    /// Waits until the proxy stops.
    pub(super) async fn begun(&mut self) {
        // It also stops when nobody is left to say so.
        let _ = self.0.wait_for(|stops| *stops).await;
    }
}

/// Waits for SIGTERM or Ctrl-C. Further ones are caught too: they can't cut the clean-up short.
pub(super) async fn signal() {
    let (Ok(mut terminate), Ok(mut interrupt)) = (
        listen(SignalKind::terminate()),
        listen(SignalKind::interrupt()),
    ) else {
        tracing::error!("signals can't be caught: the proxy runs until it is killed");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!(
        "stopping: requests under way get {} seconds",
        GRACE.as_secs()
    );
}
