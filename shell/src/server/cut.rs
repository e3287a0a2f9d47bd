//! Replies whose end only the connection's end tells.
//!
//! HTTP/1.0, which reverse proxies such as nginx speak by default, has no final chunk. When such a
//! reply breaks off, closing the connection would make half of it look whole: it is reset instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use socket2::SockRef;
use tokio::net::TcpStream;

use crate::accompanied::Companion;

/// Whether a connection is reset, not closed, when it is dropped.
#[derive(Debug, Clone, Default)]
pub(super) struct Resets(Arc<AtomicBool>);

impl Resets {
    pub(super) fn set(&self, resets: bool) {
        self.0.store(resets, Ordering::Relaxed);
    }
}

impl Companion<TcpStream> for Resets {
    fn closes(&self, stream: &TcpStream) {
        if self.0.load(Ordering::Relaxed) {
            // A connection that is gone already needs no reset.
            let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
        }
    }
}
