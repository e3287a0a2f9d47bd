//! Taking connections and giving each to the worker that has the fewest.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use futures_util::FutureExt;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream};

use super::worker::Worker;

const BACKLOG: i32 = 4096;

/// How long to wait when the system has no descriptor left for another connection.
const EXHAUSTED_WAIT: Duration = Duration::from_millis(50);

/// The listening socket.
#[derive(Debug)]
pub(super) struct Acceptor(TcpListener);

impl Acceptor {
    /// Binds to the first address of `host` that can be bound. Needs a running reactor.
    pub(super) fn bind(host: &str, port: u16) -> io::Result<Self> {
        let mut last_error = io::ErrorKind::AddrNotAvailable.into();
        for address in (host, port).to_socket_addrs()? {
            match listen(address) {
                Ok(listener) => return Ok(Self(listener)),
                Err(error) => last_error = error,
            }
        }
        Err(last_error)
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Accepts those who have connected already: closing the listener would reset them.
    pub(super) fn accept_waiting(self, workers: &[Worker]) {
        while let Some(Ok((stream, _))) = self.0.accept().now_or_never() {
            hand_over(stream, workers);
        }
    }

    /// Accepts for as long as it is polled.
    pub(super) async fn accept(&self, workers: &[Worker]) -> Infallible {
        loop {
            match self.0.accept().await {
                Ok((stream, _)) => hand_over(stream, workers),
                Err(error) => {
                    tracing::warn!(kind = %error.kind(), "a connection could not be accepted");
                    tokio::time::sleep(EXHAUSTED_WAIT).await;
                }
            }
        }
    }
}

/// Gives a connection to the worker that has the fewest.
fn hand_over(stream: TcpStream, workers: &[Worker]) {
    if let Some(worker) = workers.iter().min_by_key(|worker| worker.load()) {
        worker.serve(stream);
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
