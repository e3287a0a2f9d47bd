//! A worker thread: a reactor and its connections.

use std::fmt;
use std::io;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_rustls::TlsAcceptor;

use super::connection;
use super::connection_limit::PlaceWanted;
use super::listeners::ListenerKind;
use super::stop::{GRACE, Watch};
use crate::exchange::Context;

/// How often an idle worker's reactor wakes.
const TICK: Duration = Duration::from_secs(1);

/// The handle of a worker thread.
#[derive(Debug)]
pub(super) struct Worker {
    connections: UnboundedSender<Accepted>,
    load: Arc<AtomicUsize>,
    serving: Arc<Serving>,
    thread: JoinHandle<()>,
}

/// A connection, and what is served on it.
type Accepted = (std::net::TcpStream, ListenerKind);

/// What a worker's connections share, for as long as the process runs.
#[derive(Debug)]
pub(super) struct Serving {
    settings: Mutex<Arc<Settings>>,
    pub(super) stop: Watch,
    pub(super) pressure: PlaceWanted,
}

/// The settings of a worker. An exchange keeps those that it began with.
pub(super) struct Settings {
    pub(super) context: Context,
    /// For connections that are yet to come.
    pub(super) tls: Option<TlsAcceptor>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tls = self.tls.is_some();
        f.debug_struct("Settings")
            .field("context", &self.context)
            .field("tls", &tls)
            .finish()
    }
}

impl Serving {
    /// The settings that are in force.
    pub(super) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Settings>> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Worker {
    pub(super) fn start(
        runtime: Runtime,
        settings: Settings,
        stop: Watch,
        pressure: PlaceWanted,
    ) -> io::Result<Self> {
        let load = Arc::<AtomicUsize>::default();
        let of_thread = Arc::clone(&load);
        let (connections, accepted) = unbounded_channel();
        let serving = Arc::new(Serving {
            settings: Mutex::new(Arc::new(settings)),
            stop,
            pressure,
        });
        let served = Arc::clone(&serving);
        let thread = thread::Builder::new()
            .name("worker".to_owned())
            .spawn(move || {
                runtime.block_on(serve(served, accepted, of_thread));
                // Running exchanges are cut, and a body that is being masked is not awaited.
                runtime.shutdown_background();
            })?;
        Ok(Self {
            connections,
            load,
            serving,
            thread,
        })
    }

    /// How many connections are open.
    pub(super) fn load(&self) -> usize {
        self.load.load(Ordering::Relaxed)
    }

    /// Serves a connection.
    pub(super) fn serve(&self, stream: TcpStream, kind: ListenerKind) {
        // Removed from the acceptor's reactor; the worker's own takes it over.
        if let Ok(stream) = stream.into_std() {
            self.load.fetch_add(1, Ordering::Relaxed);
            // A worker that is gone drops the connection, which is all that can be done.
            let _ = self.connections.send((stream, kind));
        }
    }

    /// Applies new settings. Running exchanges keep those that they began with.
    pub(super) fn adopt(&self, settings: Settings) {
        let former = mem::replace(&mut *self.serving.lock(), Arc::new(settings));
        former.context.retire();
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
    mut accepted: UnboundedReceiver<Accepted>,
    load: Arc<AtomicUsize>,
) {
    tokio::spawn(tick(Arc::clone(&serving)));
    let mut stop = serving.stop.clone();
    loop {
        let accepted = tokio::select! {
            biased;
            accepted = accepted.recv() => accepted,
            () = stop.begun() => None,
        };
        let Some((stream, kind)) = accepted else {
            break;
        };
        let serving = Arc::clone(&serving);
        let place = Place(Arc::clone(&load));
        match TcpStream::from_std(stream) {
            Ok(stream) => {
                tokio::spawn(async move {
                    connection::serve(&serving, stream, kind).await;
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
    tokio::select! {
        () = all_closed => {}
        () = tokio::time::sleep(GRACE) => {}
        () = stop.cut() => {}
    }
}

/// Maintains the connections to the provider, and keeps a near deadline in the reactor's timer.
///
/// Every exchange sets distant deadlines. If such a deadline is the nearest of all, tokio wakes the
/// reactor for it with a system call, for every exchange.
async fn tick(serving: Arc<Serving>) {
    loop {
        tokio::time::sleep(TICK).await;
        serving.settings().context.close_stale();
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
