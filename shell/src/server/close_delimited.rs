//! Replies that end with the connection.
//!
//! HTTP/1.0, which nginx uses by default, has no final chunk. If such a reply breaks off, closing
//! the connection would make half of it look complete. So the connection is reset instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use socket2::SockRef;
use tokio::net::TcpStream;

use crate::base::observed_stream::StreamObserver;

/// Whether a connection is reset, not closed, when it is dropped.
#[derive(Debug, Clone, Default)]
pub(super) struct ResetOnDrop(Arc<AtomicBool>);

impl ResetOnDrop {
    pub(super) fn set(&self, resets: bool) {
        self.0.store(resets, Ordering::Relaxed);
    }
}

impl StreamObserver<TcpStream> for ResetOnDrop {
    fn closes(&self, stream: &TcpStream) {
        if self.0.load(Ordering::Relaxed) {
            // A connection that is gone already needs no reset.
            let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
        }
    }
}
