//! Accepts connections and gives each to the worker with the fewest.

use std::cell::Cell;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

use super::connection_limit::LimitState;
use super::listeners::ListenerKind;
use super::worker::Worker;
use crate::base::io_error;

const BACKLOG: i32 = 4096;

/// How long to wait when the system has no descriptor left for another connection.
const EXHAUSTED_WAIT: Duration = Duration::from_millis(50);

/// How often to check whether a client has left, when the limit is reached.
const CROWDED_WAIT: Duration = Duration::from_millis(5);

/// The minimum time between two log lines about waiting clients.
const LOG_EVERY: Duration = Duration::from_secs(5);

/// Why the next client is not accepted.
const CROWDED: &str = "all file descriptors are in use; raise the limit (ulimit -n)";

/// A listening socket.
#[derive(Debug)]
pub(super) struct Acceptor {
    kind: ListenerKind,
    listener: TcpListener,
    last_logged: Cell<Option<Instant>>,
}

impl Acceptor {
    /// Binds to the first address of `host` that can be bound. Needs a running reactor.
    pub(super) fn bind(kind: ListenerKind, host: &str, port: u16) -> io::Result<Self> {
        let mut last_error = io::ErrorKind::AddrNotAvailable.into();
        for address in (host, port).to_socket_addrs()? {
            match listen(address) {
                Ok(listener) => {
                    return Ok(Self {
                        kind,
                        listener,
                        last_logged: Cell::default(),
                    });
                }
                Err(error) => last_error = error,
            }
        }
        Err(last_error)
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Accepts those who have connected already: closing the listener would reset them.
    pub(super) fn accept_waiting(self, workers: &[Worker]) {
        while let Some(Ok((stream, _))) = self.listener.accept().now_or_never() {
            self.hand_over(stream, workers);
        }
    }

    /// Accepts for as long as it is polled. Above the crowd's limit clients wait to be accepted.
    pub(super) async fn accept(&self, workers: &[Worker], limit_state: &LimitState) -> Infallible {
        loop {
            while limit_state.is_full(workers.iter().map(Worker::load).sum()) {
                self.log(CROWDED);
                sleep(CROWDED_WAIT).await;
            }
            match self.listener.accept().await {
                Ok((stream, _)) => self.hand_over(stream, workers),
                Err(error) => {
                    self.log(&io_error::in_words(&error));
                    sleep(EXHAUSTED_WAIT).await;
                }
            }
        }
    }

    /// Gives a connection to the worker that has the fewest.
    fn hand_over(&self, stream: TcpStream, workers: &[Worker]) {
        if let Some(worker) = workers.iter().min_by_key(|worker| worker.load()) {
            worker.serve(stream, self.kind);
        }
    }

    fn log(&self, reason: &str) {
        let last_logged = self.last_logged.get();
        if last_logged.is_none_or(|last| last.elapsed() >= LOG_EVERY) {
            self.last_logged.set(Some(Instant::now()));
            tracing::warn!("clients have to wait for a connection: {reason}");
        }
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    // Accepted connections inherit it.
    socket.set_tcp_nodelay(true)?;
    // A client that is gone without a word is noticed, if late.
    socket.set_keepalive(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}
