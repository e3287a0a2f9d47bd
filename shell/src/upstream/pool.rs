//! Open connections to the provider that can be reused.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Context;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::{TrySendError, http1, http2};
use tokio::time::Instant;

use super::body::Outgoing;
use super::driver::Driver;
use super::liveness::Lifeline;
use crate::base::observed_stream::StreamObserver;

/// How long a connection may lie idle.
const MAX_IDLE: Duration = Duration::from_secs(90);

/// The use of a connection to the provider.
#[derive(Debug)]
pub(super) enum Sender {
    /// One exchange at a time.
    Http1(Exclusive),
    /// Many at a time.
    Http2(Multiplexed),
}

/// A connection for one exchange at a time.
#[derive(Debug)]
pub(super) struct Exclusive {
    sender: http1::SendRequest<Outgoing>,
    driver: Driver,
    heard: ReplyStarted,
    lifeline: Lifeline,
}

impl Exclusive {
    /// `heard` and `lifeline` go along with the connection.
    pub(super) fn new(
        sender: http1::SendRequest<Outgoing>,
        driver: Driver,
        heard: ReplyStarted,
        lifeline: Lifeline,
    ) -> Self {
        Self {
            sender,
            driver,
            heard,
            lifeline,
        }
    }

    /// Sends a request; the future waits for the head of its reply.
    pub(super) fn send(
        &mut self,
        request: Request<Outgoing>,
    ) -> impl Future<Output = Result<Response<Incoming>, TrySendError<Request<Outgoing>>>> + use<>
    {
        self.heard.0.store(false, Ordering::Relaxed);
        self.sender.try_send_request(request)
    }

    /// Lets it do what it can do now, without waiting for its task.
    pub(super) fn drive(&self, cx: &mut Context<'_>) {
        self.driver.drive(cx);
    }

    /// Whether any byte came since the last request was sent.
    pub(super) fn has_heard(&self) -> bool {
        self.heard.0.load(Ordering::Relaxed)
    }
}

/// Whether bytes came from the provider.
#[derive(Debug, Clone, Default)]
pub(super) struct ReplyStarted(Arc<AtomicBool>);

impl<S> StreamObserver<S> for ReplyStarted {
    fn bytes_came(&mut self, _bytes: &[u8]) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The open connections of one worker.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    idle: VecDeque<Idle>,
    multiplexed: Vec<Multiplexed>,
    /// Returned connections are closed.
    is_retired: bool,
}

#[derive(Debug)]
struct Idle {
    connection: Exclusive,
    since: Instant,
}

impl Idle {
    fn is_usable(&self) -> bool {
        !self.connection.sender.is_closed() && self.since.elapsed() < MAX_IDLE
    }
}

impl Pool {
    /// Takes a connection that can be used at once.
    pub(super) fn take(&self) -> Option<Sender> {
        let mut open = self.lock();
        open.multiplexed
            .retain(|connection| !connection.is_closed());
        if let Some(connection) = open.multiplexed.iter().find(|open| open.has_room()) {
            connection.lifeline.arm();
            return Some(Sender::Http2(connection.clone()));
        }
        // The last one used is the least likely to have been closed by the provider.
        let newest_ready = open
            .idle
            .iter()
            .rposition(|idle| idle.connection.sender.is_ready())?;
        let idle = open.idle.remove(newest_ready)?;
        idle.connection.lifeline.arm();
        idle.is_usable().then_some(Sender::Http1(idle.connection))
    }

    /// Whether there is no connection to use.
    pub(super) fn is_empty(&self) -> bool {
        let open = self.lock();
        open.idle.is_empty() && open.multiplexed.is_empty()
    }

    /// Whether the provider speaks HTTP/2, as far as is known.
    pub(super) fn is_multiplexed(&self) -> bool {
        !self.lock().multiplexed.is_empty()
    }

    /// Puts a connection back after its exchange.
    pub(super) fn put(&self, connection: Exclusive) {
        let mut open = self.lock();
        while open.idle.front().is_some_and(|idle| !idle.is_usable()) {
            open.idle.pop_front();
        }
        if !open.is_retired && !connection.sender.is_closed() {
            let since = Instant::now();
            open.idle.push_back(Idle { connection, since });
        }
    }

    /// Closes what has lain idle for too long.
    pub(super) fn close_stale(&self) {
        let mut open = self.lock();
        open.idle.retain(Idle::is_usable);
        open.multiplexed.retain(Multiplexed::is_usable);
    }

    /// Closes every connection, as soon as no exchange uses it.
    pub(super) fn retire(&self) {
        let mut open = self.lock();
        open.is_retired = true;
        open.idle.clear();
        open.multiplexed.clear();
    }

    /// How many connections lie idle.
    pub(super) fn idle(&self) -> usize {
        self.lock().idle.len()
    }

    /// Closes the connection that has been idle longest; `false` if there is none.
    pub(super) fn close_idle(&self) -> bool {
        self.lock().idle.pop_front().is_some()
    }

    /// Shares a new connection.
    pub(super) fn share(&self, connection: &Multiplexed) {
        let mut open = self.lock();
        if !open.is_retired {
            open.multiplexed.push(connection.clone());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An HTTP/2 connection and how many exchanges are on it.
#[derive(Debug, Clone)]
pub(super) struct Multiplexed {
    sender: http2::SendRequest<Outgoing>,
    limit: StreamLimit,
    exchanges: Arc<Exchanges>,
    lifeline: Lifeline,
}

/// The exchanges on a connection.
#[derive(Debug)]
struct Exchanges {
    count: AtomicUsize,
    last_ended: Mutex<Instant>,
}

/// How many concurrent exchanges the provider allows on a connection.
#[derive(Debug, Clone)]
pub(super) struct StreamLimit(Arc<AtomicUsize>);

impl StreamLimit {
    pub(super) fn set(&self, limit: usize) {
        self.0.store(limit, Ordering::Relaxed);
    }
}

impl Multiplexed {
    /// `lifeline` goes along with the connection.
    pub(super) fn new(sender: http2::SendRequest<Outgoing>, lifeline: Lifeline) -> Self {
        Self {
            sender,
            limit: StreamLimit(Arc::new(AtomicUsize::new(100))),
            exchanges: Arc::new(Exchanges {
                count: AtomicUsize::default(),
                last_ended: Mutex::new(Instant::now()),
            }),
            lifeline,
        }
    }

    pub(super) fn limit(&self) -> StreamLimit {
        self.limit.clone()
    }

    /// Takes one of the connection's slots.
    pub(super) fn enter(&self) -> (http2::SendRequest<Outgoing>, Place) {
        self.exchanges.count.fetch_add(1, Ordering::Relaxed);
        (self.sender.clone(), Place(Arc::clone(&self.exchanges)))
    }

    fn has_room(&self) -> bool {
        self.exchanges.count.load(Ordering::Relaxed) < self.limit.0.load(Ordering::Relaxed)
    }

    fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    fn is_usable(&self) -> bool {
        !self.is_closed() && !self.exchanges.are_long_over()
    }
}

impl Exchanges {
    fn are_long_over(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0 && self.last_ended().elapsed() >= MAX_IDLE
    }

    fn last_ended(&self) -> MutexGuard<'_, Instant> {
        self.last_ended
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place on a shared connection, free again when dropped.
#[derive(Debug)]
pub(super) struct Place(Arc<Exchanges>);

impl Drop for Place {
    fn drop(&mut self) {
        *self.0.last_ended() = Instant::now();
        self.0.count.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
