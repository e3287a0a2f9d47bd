//! A connection, and the work that runs with it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The work that runs with a connection `S`.
pub(crate) trait StreamObserver<S> {
    /// Bytes were read.
    fn bytes_came(&mut self, _bytes: &[u8]) {}

    /// Bytes are about to be written.
    fn writes(&mut self, _stream: &S) {}

    /// The connection is about to be closed.
    fn closes(&self, _stream: &S) {}
}

/// A connection that reports its state to a companion.
#[derive(Debug)]
pub(crate) struct ObservedStream<S, C: StreamObserver<S>> {
    stream: S,
    companion: C,
}

impl<S, C: StreamObserver<S>> ObservedStream<S, C> {
    pub(crate) fn new(stream: S, companion: C) -> Self {
        Self { stream, companion }
    }
}

impl<S, C: StreamObserver<S>> Drop for ObservedStream<S, C> {
    fn drop(&mut self) {
        self.companion.closes(&self.stream);
    }
}

impl<S: AsyncRead + Unpin, C: StreamObserver<S> + Unpin> AsyncRead for ObservedStream<S, C> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if let Some(came) = buffer
            .filled()
            .get(before..)
            .filter(|came| !came.is_empty())
        {
            self.companion.bytes_came(came);
        }
        read
    }
}

impl<S: AsyncWrite + Unpin, C: StreamObserver<S> + Unpin> AsyncWrite for ObservedStream<S, C> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Self { stream, companion } = &mut *self;
        companion.writes(stream);
        Pin::new(stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let Self { stream, companion } = &mut *self;
        companion.writes(stream);
        Pin::new(stream).poll_write_vectored(cx, slices)
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
