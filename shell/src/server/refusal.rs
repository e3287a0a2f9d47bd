//! Answers heads that are refused before they become requests.
//!
//! The HTTP library answers them with a bare status and offers no hook. So what it writes while no
//! reply can be in progress must be such an answer, and is replaced by the proxy's own body.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use http::{Response, StatusCode, header};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::head_timeout::Activity;

/// The header by which the library says that its answer has no body.
const NO_BODY: &str = "content-length: 0\r\n";

/// An HTTP/1.1 connection that asks `answer` for the reply to a refused head.
#[derive(Debug)]
pub(super) struct RefusingConnection<S, A> {
    stream: S,
    activity: Activity,
    answer: A,
    /// What is still to be written of the answer.
    unwritten: Option<Bytes>,
}

impl<S, A: Fn(StatusCode) -> Response<Bytes>> RefusingConnection<S, A> {
    pub(super) fn new(stream: S, activity: Activity, answer: A) -> Self {
        Self {
            stream,
            activity,
            answer,
            unwritten: None,
        }
    }

    /// Whether the written data is the library's answer; returns its length.
    fn take(&mut self, slices: &[IoSlice<'_>]) -> Option<usize> {
        if self.activity.may_have_replies_to_write() {
            return None;
        }
        let bare: Vec<u8> = slices
            .iter()
            .flat_map(|slice| slice.iter())
            .copied()
            .collect();
        let status = StatusCode::from_bytes(bare.get(9..12)?).ok()?;
        let (begin, end) = str::from_utf8(&bare).ok()?.split_once(NO_BODY)?;
        let answer = (self.answer)(status);
        self.unwritten = Some(rendered(begin, &answer, end));
        self.activity.refuse_head();
        Some(bare.len())
    }
}

impl<S: AsyncWrite + Unpin, A> RefusingConnection<S, A> {
    fn poll_written(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(unwritten) = self.unwritten.as_mut().filter(|left| !left.is_empty()) {
            let written = ready!(Pin::new(&mut self.stream).poll_write(cx, unwritten))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            unwritten.advance(written);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin, A> RefusingConnection<S, A> {
    /// Reads what the client still sends, and forgets it: who closes a connection with bytes unread
    /// may take the answer away with it.
    fn poll_discard(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut bytes = [0; 4096];
        loop {
            let mut buffer = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                return Poll::Ready(());
            }
        }
    }
}

/// The answer, with the status and the headers of the library's own.
fn rendered(begin: &str, answer: &Response<Bytes>, end: &str) -> Bytes {
    let mut bytes = begin.as_bytes().to_vec();
    for (name, value) in answer.headers() {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    let body = answer.body();
    let length = format!("{}: {}\r\n", header::CONTENT_LENGTH, body.len());
    bytes.extend_from_slice(length.as_bytes());
    bytes.extend_from_slice(end.as_bytes());
    bytes.extend_from_slice(body);
    bytes.into()
}

impl<S: AsyncRead + Unpin, A: Unpin> AsyncRead for RefusingConnection<S, A> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S, A> AsyncWrite for RefusingConnection<S, A>
where
    S: AsyncRead + AsyncWrite + Unpin,
    A: Fn(StatusCode) -> Response<Bytes> + Unpin,
{
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.take(&[IoSlice::new(bytes)]) {
            Some(taken) => Poll::Ready(Ok(taken)),
            None => Pin::new(&mut self.stream).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.take(slices) {
            Some(taken) => Poll::Ready(Ok(taken)),
            None => Pin::new(&mut self.stream).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_written(cx))?;
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        self.activity.all_is_written();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_written(cx))?;
        ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        if self.unwritten.is_some() {
            ready!(self.poll_discard(cx));
        }
        Poll::Ready(Ok(()))
    }
}
