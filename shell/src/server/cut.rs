//! Replies whose end only the connection's end tells.
//!
//! HTTP/1.0, which reverse proxies such as nginx speak by default, has no final chunk. When such a
//! reply breaks off, closing the connection would make half of it look whole: it is reset instead.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Whether a connection is reset, not closed, when it is dropped.
#[derive(Debug, Clone, Default)]
pub(super) struct Resets(Arc<AtomicBool>);

impl Resets {
    pub(super) fn set(&self, resets: bool) {
        self.0.store(resets, Ordering::Relaxed);
    }
}

/// A connection that can be reset.
#[derive(Debug)]
pub(super) struct Resettable {
    stream: TcpStream,
    resets: Resets,
}

impl Resettable {
    pub(super) fn new(stream: TcpStream, resets: Resets) -> Self {
        Self { stream, resets }
    }
}

impl Drop for Resettable {
    fn drop(&mut self) {
        if self.resets.0.load(Ordering::Relaxed) {
            // A connection that is gone already needs no reset.
            let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
        }
    }
}

impl AsyncRead for Resettable {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Resettable {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
