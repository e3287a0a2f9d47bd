//! The server: the listener and its workers.
//!
//! One thread accepts. Each worker thread has a reactor, its own client connections and its own
//! pool of connections to the provider, so that nothing of an exchange crosses threads.
//!
//! When the configuration changes, the workers get new settings. A running exchange keeps its
//! settings, and no connection is closed.

mod accept;
mod close_delimited;
mod connection;
mod connection_limit;
mod head_timeout;
mod listeners;
mod refusal;
mod reload;
mod request_heads;
mod service;
mod stop;
mod tls;
mod worker;

use std::future::pending;
use std::io;
use std::mem;
use std::pin::pin;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::time::sleep;

use crate::config::{Config, TlsFiles};
use crate::exchange::{Observed, ProcessState, Recorder, Shared};
use crate::log::AccessLog;
use crate::session::Sessions;
use crate::session::secret::OTHER_SECRET;
use crate::{upstream, vault};
use connection_limit::LimitState;
use listeners::Listeners;
use service::Service;
use stop::{Order, Orders, Signals, Stop};
use worker::Worker;

pub(crate) use listeners::Listening;
pub(crate) use reload::Reload;

/// The error for a configuration whose parts panicked.
const INTERNAL: &str = "an internal error; the log says where";

/// How often it is checked whether a former configuration is still in use.
const RETIREMENT_CHECK: Duration = Duration::from_secs(1);

/// Why the proxy did not start, or a new configuration did not take over.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("can't listen on {address}: {reason}")]
    Listen { address: String, reason: String },
    #[error("can't open the audit file {path}: {reason}")]
    Audit { path: String, reason: String },
    #[error("{0}")]
    Tls(#[from] tls::Error),
    #[error("can't connect to the provider: {0}")]
    Roots(io::Error),
    #[error("{0}")]
    Egress(#[from] upstream::UnusableEgress),
    #[error("{0}")]
    Vault(#[from] vault::OpenError),
    #[error("{0}")]
    Detector(#[from] crate::detector::StartError),
    #[error("{0}")]
    Traces(#[from] crate::traces::StartError),
    #[error("can't start: {0}")]
    System(#[from] io::Error),
}

/// Serves until a signal stops it. Calls `listening` with the addresses once clients can connect, and `warn` later. With
/// `reload`, a changed configuration takes over once it is valid and all of it is built.
///
/// # Errors
/// Why the proxy could not start.
pub(crate) fn run(
    config: Config,
    access: AccessLog,
    reload: Option<Reload>,
    listening: impl FnOnce(Listening),
    warn: fn(&str),
) -> Result<(), StartError> {
    let runtime = worker::runtime()?;
    let signals = {
        let _reactor = runtime.enter();
        Signals::catch(reload.as_ref().is_some_and(Reload::is_of_file))?
    };
    let orders = Orders::Signals(signals);
    let lasting = ProcessState {
        access,
        recorder: recorder(&config),
        ..ProcessState::default()
    };
    serve(runtime, orders, config, lasting, reload, listening, warn)
}

/// Serves until `stopped`, as [`run`] does.
///
/// # Errors
/// Why the proxy could not start.
pub(crate) fn run_until(
    stopped: impl Future<Output = ()>,
    config: Config,
    access: AccessLog,
    observed: Observed,
    reload: Option<Reload>,
    listening: impl FnOnce(Listening),
) -> Result<(), StartError> {
    let orders = Orders::Until(Some(Box::pin(stopped)));
    let lasting = ProcessState {
        access,
        observed,
        recorder: recorder(&config),
        ..ProcessState::default()
    };
    serve(
        worker::runtime()?,
        orders,
        config,
        lasting,
        reload,
        listening,
        |warning| tracing::warn!("{warning}"),
    )
}

/// What keeps exchanges for the live page, where there is one.
fn recorder(config: &Config) -> Recorder {
    config
        .live
        .map_or_else(Recorder::default, |_| Recorder::keeping())
}

fn serve(
    runtime: Runtime,
    mut orders: Orders<'_>,
    config: Config,
    lasting: ProcessState,
    reload: Option<Reload>,
    listening: impl FnOnce(Listening),
    warn: fn(&str),
) -> Result<(), StartError> {
    let (at, serving) = {
        let _reactor = runtime.enter();
        let serving = Serving::start(config, lasting)?;
        let at = serving.listeners.listening(&serving.lasting.recorder)?;
        (at, serving)
    };
    listening(at);
    runtime.spawn(warn_of_vault(Arc::clone(serving.shared.sessions()), warn));
    runtime.block_on(async {
        let last = serving.until(&mut orders, reload).await;
        last.close(&mut orders).await;
    });
    // Does not wait for a reload that is still being built.
    runtime.shutdown_background();
    Ok(())
}

/// Warns if the vault can't be used. Requests without a session would not show it.
async fn warn_of_vault(sessions: Arc<Sessions>, warn: fn(&str)) {
    match sessions.compare_secret().await {
        Ok(false) => {}
        Ok(true) => warn(OTHER_SECRET),
        Err(error) => {
            let reason = sessions.explain(error);
            warn(&format!("the vault can't be used now: {reason}"));
        }
    }
}

/// Reads certificate and key as the listener does.
///
/// # Errors
/// Why HTTPS can't be served with them.
pub(crate) fn check_tls(files: &TlsFiles) -> Result<(), StartError> {
    tls::server_config(files)?;
    Ok(())
}

/// What serves now.
struct Serving {
    listeners: Listeners,
    workers: Vec<Worker>,
    stop: Stop,
    limit_state: LimitState,
    shared: Arc<Shared>,
    /// Services of earlier configurations, which may still have running exchanges.
    retired: Vec<Arc<Shared>>,
    lasting: ProcessState,
}

impl Serving {
    /// Binds the listeners and starts the workers. Needs a running reactor.
    fn start(config: Config, lasting: ProcessState) -> Result<Self, StartError> {
        let listeners = Listeners::bind(&config)?;
        // A client's own connection, the provider's, and one of each detector's service.
        let for_each = 2 + config.external_detectors.len();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let Service { shared, settings } = Service::build(config, lasting.clone(), cores, None)?;
        let stop = Stop::default();
        let runtimes = settings
            .iter()
            .map(|_| worker::runtime())
            .collect::<io::Result<Vec<_>>>()?;
        // All that is open for good is open by now.
        let limit_state = LimitState::that_fits(for_each);
        let workers = settings
            .into_iter()
            .zip(runtimes)
            .map(|(settings, runtime)| {
                Worker::start(runtime, settings, stop.watch(), limit_state.pressure())
            })
            .collect::<io::Result<Vec<_>>>()?;
        Ok(Self {
            listeners,
            workers,
            stop,
            limit_state,
            shared,
            retired: Vec::new(),
            lasting,
        })
    }

    /// Serves until an order to stop comes.
    async fn until(mut self, orders: &mut Orders<'_>, mut reload: Option<Reload>) -> Self {
        let mut reload_again = false;
        loop {
            let read = async {
                match &mut reload {
                    Some(reload) if reload_again => reload.read_now(),
                    Some(reload) => reload.changed().await,
                    None => pending().await,
                }
            };
            let has_retired = !self.retired.is_empty();
            let read = tokio::select! {
                biased;
                order = orders.next() => match order {
                    Order::Reload => {
                        reload_again = true;
                        continue;
                    }
                    Order::Stop | Order::Cut => return self,
                },
                read = read => read,
                never = self.listeners.accept(&self.workers, &self.limit_state) => match never {},
                () = sleep(RETIREMENT_CHECK), if has_retired => {
                    self.close_retired();
                    continue;
                }
            };
            reload_again = false;
            let Some(taken_over) = self.unless_stopped(orders, &mut reload_again, read).await
            else {
                return self;
            };
            match taken_over {
                Ok(()) => tracing::info!("the new configuration is in use"),
                Err(reason) => tracing::error!(
                    "the changed configuration can't be used, the old one stays in use: {reason}"
                ),
            }
        }
    }

    /// Lets a configuration take over; `None` when an order to stop comes first.
    async fn unless_stopped(
        &mut self,
        orders: &mut Orders<'_>,
        reload_again: &mut bool,
        read: Result<Config, String>,
    ) -> Option<Result<(), String>> {
        let mut taking_over = pin!(self.take_over(read));
        loop {
            tokio::select! {
                biased;
                order = orders.next() => match order {
                    Order::Reload => *reload_again = true,
                    Order::Stop | Order::Cut => return None,
                },
                taken_over = &mut taking_over => return Some(taken_over),
            }
        }
    }

    /// Switches to a new configuration. On failure nothing changes.
    async fn take_over(&mut self, read: Result<Config, String>) -> Result<(), String> {
        let config = read?;
        let changed = self.listeners.prepare(&config);
        let changed = changed.map_err(|error| error.to_string())?;
        let (lasting, workers) = (self.lasting.clone(), self.workers.len());
        let sessions = Arc::clone(self.shared.sessions());
        // Some parts take their time, and clients connect meanwhile.
        let building = tokio::task::spawn_blocking(move || {
            Service::build(config, lasting, workers, Some(&sessions))
                .map_err(|error| error.to_string())
        });
        let service = tokio::select! {
            // Its own error would quote the panic's message.
            built = building => built.map_err(|_| INTERNAL)??,
            never = self.listeners.accept(&self.workers, &self.limit_state) => match never {},
        };
        self.listeners.adopt(changed, &self.workers);
        for (worker, settings) in self.workers.iter().zip(service.settings) {
            worker.adopt(settings);
        }
        let former = mem::replace(&mut self.shared, service.shared);
        self.retired.push(former);
        Ok(())
    }

    /// Closes what no exchange uses any more.
    fn close_retired(&mut self) {
        let is_unused = |shared: &mut Arc<Shared>| Arc::strong_count(shared) == 1;
        let unused: Vec<_> = self.retired.extract_if(.., is_unused).collect();
        for shared in unused {
            let sessions = Arc::clone(shared.sessions());
            let mut others = self.retired.iter().chain([&self.shared]);
            let go_on = others.any(|other| Arc::ptr_eq(other.sessions(), &sessions));
            // It waits for disks.
            tokio::task::spawn_blocking(move || {
                shared.close();
                if !go_on {
                    sessions.close();
                }
            });
        }
    }

    /// Waits for running requests, then cuts them, and finishes writing.
    async fn close(self, orders: &mut Orders<'_>) {
        tracing::info!(
            "stopping: running requests get {} seconds",
            stop::GRACE.as_secs()
        );
        // The listening sockets are closed first, so that new clients are refused at once.
        drop(self.listeners);
        self.stop.begin();
        let workers = self.workers;
        let mut ended = tokio::task::spawn_blocking(|| workers.into_iter().for_each(Worker::join));
        loop {
            tokio::select! {
                // It only fails together with the process.
                _ = &mut ended => break,
                order = orders.next() => if order == Order::Cut {
                    tracing::warn!("stopping at once");
                    self.stop.cut();
                },
            }
        }
        for shared in self.retired.iter().chain([&self.shared]) {
            shared.close();
            shared.sessions().close();
        }
        tracing::info!("stopped");
    }
}
