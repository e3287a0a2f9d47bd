//! The time limit for request heads.
//!
//! A head that has begun must be complete in time. A connection without an incomplete head may stay
//! idle, and a reply may stream, for any time.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::task::AtomicWaker;
use http_body::{Body, Frame, SizeHint};
use tokio::time::Sleep;

use crate::base::observed_stream::StreamObserver;

/// How long a head may take from its first byte on.
const HEAD_TIME: Duration = Duration::from_secs(30);

/// The state of a connection: reading a head, or handling exchanges.
#[derive(Debug, Clone, Default)]
pub(super) struct Activity(Arc<State>);

#[derive(Debug, Default)]
struct State {
    head_began: AtomicBool,
    /// How many heads came whole.
    heads: AtomicUsize,
    head_refused: AtomicBool,
    exchanges: AtomicUsize,
    /// Whether an exchange began since all replies were written.
    may_have_replies: AtomicBool,
    /// Whether a part of a reply was handed over since all was written.
    has_unwritten: AtomicBool,
    /// The task that waits until everything is written.
    waiting: AtomicWaker,
}

impl Activity {
    /// A head was read: its exchange begins, and lasts until the guard is dropped.
    pub(super) fn begin_exchange(&self) -> ExchangeGuard {
        self.head_came();
        self.0.may_have_replies.store(true, Ordering::Relaxed);
        self.0.exchanges.fetch_add(1, Ordering::Relaxed);
        ExchangeGuard(self.clone())
    }

    /// A head came whole.
    pub(super) fn head_came(&self) {
        self.set_in_head(false);
        self.0.heads.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn set_in_head(&self, is_in_head: bool) {
        self.0.head_began.store(is_in_head, Ordering::Relaxed);
    }

    /// A head was refused: what the client still sends belongs to it.
    pub(super) fn refuse_head(&self) {
        self.set_in_head(true);
        self.0.head_refused.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_refused_head(&self) -> bool {
        self.0.head_refused.load(Ordering::Relaxed)
    }

    /// Whether there is no incomplete head and no running exchange, and all replies are written.
    pub(super) fn is_idle(&self) -> bool {
        let has_exchange = self.0.exchanges.load(Ordering::Relaxed) > 0;
        !has_exchange && self.head().is_none() && !self.may_have_replies_to_write()
    }

    /// Everything has been written.
    pub(super) fn all_is_written(&self) {
        self.0.has_unwritten.store(false, Ordering::Relaxed);
        self.0.waiting.wake();
        if self.0.exchanges.load(Ordering::Relaxed) == 0 {
            self.0.may_have_replies.store(false, Ordering::Relaxed);
        }
    }

    /// Waits until all is written that was handed over.
    fn poll_written(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.0.waiting.register(cx.waker());
        if self.0.has_unwritten.load(Ordering::Relaxed) {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    }

    pub(super) fn may_have_replies_to_write(&self) -> bool {
        self.0.may_have_replies.load(Ordering::Relaxed)
    }

    /// The number of the incomplete head.
    fn head(&self) -> Option<usize> {
        let began = self.0.head_began.load(Ordering::Relaxed);
        began.then(|| self.0.heads.load(Ordering::Relaxed))
    }
}

impl<S> StreamObserver<S> for Activity {
    fn bytes_came(&mut self, _bytes: &[u8]) {
        if self.0.exchanges.load(Ordering::Relaxed) == 0 {
            self.set_in_head(true);
        }
    }
}

/// A running exchange.
#[derive(Debug)]
pub(super) struct ExchangeGuard(Activity);

impl Drop for ExchangeGuard {
    fn drop(&mut self) {
        self.0.0.exchanges.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Rings when a head takes too long. Costs nothing while heads arrive whole.
#[derive(Debug)]
pub(super) struct HeadTimer {
    activity: Activity,
    /// For the head of a number.
    alarm: Option<(usize, Pin<Box<Sleep>>)>,
}

impl HeadTimer {
    pub(super) fn with(activity: Activity) -> Self {
        let alarm = None;
        Self { activity, alarm }
    }

    /// Ready when the client took too long. Poll it whenever nothing more can be read.
    pub(super) fn poll_over(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let head = self.activity.head();
        self.alarm.take_if(|(awaited, _)| head != Some(*awaited));
        let Some(head) = head else {
            return Poll::Pending;
        };
        let (_, alarm) = self
            .alarm
            .get_or_insert_with(|| (head, Box::pin(tokio::time::sleep(HEAD_TIME))));
        alarm.as_mut().poll(cx)
    }
}

/// The body of a reply, which is part of its exchange.
///
/// The HTTP library drops its unwritten data when a body fails. So a failure waits: over HTTP/1.1
/// until the client's connection has accepted the earlier data, over HTTP/2 until it had the
/// chance.
#[derive(Debug)]
pub(super) struct OfExchange<B: Body> {
    body: B,
    failure: Option<B::Error>,
    is_http1: bool,
    exchange: ExchangeGuard,
}

impl<B: Body> OfExchange<B> {
    pub(super) fn new(body: B, is_http1: bool, exchange: ExchangeGuard) -> Self {
        Self {
            body,
            failure: None,
            is_http1,
            exchange,
        }
    }
}

impl<B: Body<Error: Unpin> + Unpin> Body for OfExchange<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let Self {
            body,
            failure,
            is_http1,
            exchange: ExchangeGuard(activity),
        } = &mut *self;
        if failure.is_none() {
            match ready!(Pin::new(body).poll_frame(cx)) {
                Some(Err(error)) => {
                    *failure = Some(error);
                    if !*is_http1 {
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                }
                frame => {
                    activity.0.has_unwritten.store(*is_http1, Ordering::Relaxed);
                    return Poll::Ready(frame);
                }
            }
        }
        ready!(activity.poll_written(cx));
        Poll::Ready(failure.take().map(Err))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::observed_stream::ObservedStream;
    use crate::server::refusal::RefusingConnection;
    use bytes::Bytes;
    use http::{Request, Response};
    use http_body_util::{BodyExt, Empty};
    use hyper::client::conn::http2 as client;
    use hyper::server::conn::{http1, http2};
    use hyper::service::service_fn;
    use hyper_util::rt::{TokioExecutor, TokioIo};
    use std::convert::Infallible;
    use std::future::poll_fn;
    use std::io;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test(start_paused = true)]
    async fn only_a_started_request_head_times_out() {
        let activity = Activity::default();
        let (mut client, server) = tokio::io::duplex(64);
        let mut server = ObservedStream::new(server, activity.clone());
        let mut head_timer = HeadTimer::with(activity.clone());
        let mut over = async |minutes: u64| {
            let time = Duration::from_mins(minutes);
            let over = poll_fn(|cx| head_timer.poll_over(cx));
            tokio::time::timeout(time, over).await.is_ok()
        };
        assert!(!over(60).await, "idle");

        client.write_all(b"POST").await.unwrap();
        server.read_exact(&mut [0; 4]).await.unwrap();
        let exchange = activity.begin_exchange();
        client.write_all(b"body").await.unwrap();
        server.read_exact(&mut [0; 4]).await.unwrap();
        assert!(!over(60).await, "in an exchange");

        drop(exchange);
        assert!(!over(60).await, "idle again");
        client.write_all(b"G").await.unwrap();
        server.read_exact(&mut [0; 1]).await.unwrap();
        assert!(over(2).await, "in a head");
    }

    /// Hands over pieces without a pause, and then fails.
    struct Breaking(usize);

    const PIECES: usize = 100;
    const PIECE: &str = "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~";

    impl Body for Breaking {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
            self.0 += 1;
            Poll::Ready(Some(if self.0 > PIECES {
                Err(io::ErrorKind::BrokenPipe.into())
            } else {
                Ok(Frame::data(Bytes::from_static(PIECE.as_bytes())))
            }))
        }
    }

    /// The library drops its unwritten data when a body fails.
    #[tokio::test]
    async fn bytes_before_a_failure_are_delivered() {
        let activity = Activity::default();
        let (mut client, server) = tokio::io::duplex(64);
        let refuse = |_| Response::new(Bytes::new());
        let stream = TokioIo::new(RefusingConnection::new(server, activity.clone(), refuse));
        let service = service_fn(move |_| {
            let body = OfExchange::new(Breaking(0), true, activity.begin_exchange());
            std::future::ready(Ok::<_, Infallible>(Response::new(body)))
        });
        tokio::spawn(http1::Builder::new().serve_connection(stream, service));
        let request = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";
        client.write_all(request).await.unwrap();
        let mut reply = String::new();
        client.read_to_string(&mut reply).await.unwrap();
        assert_eq!(reply.matches(PIECE).count(), PIECES);
        assert!(!reply.contains("\r\n0\r\n"), "it does not end properly");
    }

    #[tokio::test]
    async fn bytes_before_a_failure_are_delivered_over_http2() {
        let (near, far) = tokio::io::duplex(1 << 20);
        let service = service_fn(move |_| {
            let exchange = Activity::default().begin_exchange();
            let body = OfExchange::new(Breaking(0), false, exchange);
            std::future::ready(Ok::<_, Infallible>(Response::new(body)))
        });
        let server =
            http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(far), service);
        tokio::spawn(server);
        let (mut sender, connection) = client::handshake(TokioExecutor::new(), TokioIo::new(near))
            .await
            .unwrap();
        tokio::spawn(connection);
        let request = Request::new(Empty::<Bytes>::new());
        let mut body = sender.send_request(request).await.unwrap().into_body();
        let mut bytes = 0;
        let failure = loop {
            match body.frame().await {
                Some(Ok(frame)) => bytes += frame.into_data().unwrap().len(),
                end => break end,
            }
        };
        assert_eq!(bytes, PIECES * PIECE.len());
        assert!(failure.is_some(), "it does not end properly");
    }
}
