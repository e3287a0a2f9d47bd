//! Detects that the other end of a reused connection is silently gone.
//!
//! If a firewall or gateway forgets an idle connection, nothing answers what is sent on it. TCP
//! gives up after a quarter of an hour. Here it gives up after the connect timeout (decisions,
//! 7.13). What was acknowledged has arrived, and its answer is waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::net::TcpStream;

use crate::base::observed_stream::StreamObserver;
use crate::system::socket;

/// The time limit for unacknowledged bytes on a connection; off until it is armed. Clones share it.
///
/// A new connection has none: the system also counts the time in which a peer accepts no more
/// bytes, and what a peer has begun to read can't be sent again.
#[derive(Debug, Clone)]
pub(super) struct Lifeline {
    limit: Duration,
    is_wanted: Arc<AtomicBool>,
    is_set: bool,
}

impl Lifeline {
    pub(super) fn new(limit: Duration) -> Self {
        Self {
            limit,
            is_wanted: Arc::default(),
            is_set: false,
        }
    }

    /// Sets the limit for all that is written from now on.
    pub(super) fn arm(&self) {
        self.is_wanted.store(true, Ordering::Relaxed);
    }
}

impl StreamObserver<TcpStream> for Lifeline {
    fn writes(&mut self, stream: &TcpStream) {
        if !self.is_set && self.is_wanted.load(Ordering::Relaxed) {
            self.is_set = true;
            // Without it a lost connection is noticed later.
            let _ = socket::limit_silence(stream, self.limit);
        }
    }
}
