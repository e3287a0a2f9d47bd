//! A worker thread: a reactor and the connections that were given to it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_rustls::TlsAcceptor;

use super::connection;
use super::stop::{GRACE, Watch};
use crate::exchange::{Context, Shared};
use crate::upstream::Upstream;

/// How often a worker's reactor wakes when it has nothing to do.
const TICK: Duration = Duration::from_secs(1);

/// The handle of a worker thread.
#[derive(Debug)]
pub(super) struct Worker {
    connections: UnboundedSender<std::net::TcpStream>,
    load: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

/// What a worker's connections share.
pub(super) struct Serving {
    pub(super) context: Context,
    pub(super) tls: Option<TlsAcceptor>,
    pub(super) stop: Watch,
}

impl Worker {
    pub(super) fn start(
        shared: Arc<Shared>,
        upstream: Upstream,
        tls: Option<TlsAcceptor>,
        stop: Watch,
    ) -> io::Result<Self> {
        let runtime = runtime()?;
        let load = Arc::<AtomicUsize>::default();
        let of_thread = Arc::clone(&load);
        let (connections, accepted) = unbounded_channel();
        let serving = Arc::new(Serving {
            context: Context::new(shared, upstream),
            tls,
            stop,
        });
        let thread = thread::Builder::new()
            .name("worker".to_owned())
            .spawn(move || {
                runtime.block_on(serve(serving, accepted, of_thread));
                // What is still under way is cut, and a body that is being masked not waited for.
                runtime.shutdown_background();
            })?;
        Ok(Self {
            connections,
            load,
            thread,
        })
    }

    /// How many connections are open.
    pub(super) fn load(&self) -> usize {
        self.load.load(Ordering::Relaxed)
    }

    /// Serves a connection.
    pub(super) fn serve(&self, stream: TcpStream) {
        // Taken off the acceptor's reactor; the worker's own takes it over.
        if let Ok(stream) = stream.into_std() {
            self.load.fetch_add(1, Ordering::Relaxed);
            // A worker that is gone drops the connection, which is all that can be done.
            let _ = self.connections.send(stream);
        }
    }

    /// Waits until the worker has stopped.
    pub(super) fn join(self) {
        drop(self.connections);
        // A panic was logged already.
        let _ = self.thread.join();
    }
}

async fn serve(
    serving: Arc<Serving>,
    mut accepted: UnboundedReceiver<std::net::TcpStream>,
    load: Arc<AtomicUsize>,
) {
    tokio::spawn(tick());
    let mut stop = serving.stop.clone();
    loop {
        let stream = tokio::select! {
            biased;
            stream = accepted.recv() => stream,
            () = stop.begun() => None,
        };
        let Some(stream) = stream else { break };
        let serving = Arc::clone(&serving);
        let place = Place(Arc::clone(&load));
        match TcpStream::from_std(stream) {
            Ok(stream) => {
                tokio::spawn(async move {
                    connection::serve(&serving, stream).await;
                    drop(place);
                });
            }
            Err(error) => tracing::warn!(kind = %error.kind(), "a connection was lost"),
        }
    }
    stop.begun().await;
    let all_closed = async {
        while load.load(Ordering::Relaxed) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    // Whether they ended in time or are cut makes no difference here.
    let _ = tokio::time::timeout(GRACE, all_closed).await;
}

/// Keeps a near deadline in the reactor's timer.
///
/// Every exchange sets deadlines that lie far ahead. When such a one is the nearest of all, tokio
/// wakes the reactor for it by a system call, and so would for every exchange.
async fn tick() {
    loop {
        tokio::time::sleep(TICK).await;
    }
}

/// One open connection of a worker.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A reactor for one thread.
pub(super) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
