//! The listener and its workers.
//!
//! One thread accepts; each worker thread has a reactor, its own connections to clients and its
//! own pool of connections to the provider, so that nothing of an exchange crosses threads.
//! When the configuration changes, new workers take over and the old ones finish.

mod accept;
mod connection;
mod cut;
mod heads;
mod patience;
mod refusal;
mod reload;
mod service;
mod stop;
mod tls;
mod worker;

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::thread::JoinHandle;

use crate::config::{Config, TlsFiles, authority};
use crate::exchange::{Lasting, Observed};
use crate::log::AccessLog;
use crate::{reason, upstream, vault};
use accept::Acceptor;
use service::Service;

pub(crate) use reload::Reload;

/// What is said of a configuration whose parts met a panic.
const INTERNAL: &str = "an internal error; the log says where";

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
    #[error("can't start: {0}")]
    System(#[from] io::Error),
}

/// Serves until a signal stops it, like [`run_until`].
///
/// # Errors
/// Why the proxy could not start.
pub(crate) fn run(
    config: Config,
    access: AccessLog,
    reload: Option<Reload>,
    listening: impl FnOnce(SocketAddr),
) -> Result<(), StartError> {
    let observed = Observed::default();
    run_until(stop::signal(), config, access, observed, reload, listening)
}

/// Serves until `stopped`. Calls `listening` with the address once clients can connect. With `reload`,
/// a changed configuration takes over once it is valid and all of it is built.
///
/// # Errors
/// Why the proxy could not start.
pub(crate) fn run_until(
    stopped: impl Future<Output = ()>,
    config: Config,
    access: AccessLog,
    observed: Observed,
    reload: Option<Reload>,
    listening: impl FnOnce(SocketAddr),
) -> Result<(), StartError> {
    let runtime = worker::runtime()?;
    let lasting = Lasting {
        access,
        observed,
        ..Lasting::default()
    };
    let place = Place::of(&config);
    let acceptor = {
        let _reactor = runtime.enter();
        place.bind()?
    };
    let address = acceptor.address()?;
    let service = Service::build(config, lasting.clone())?;
    listening(address);

    let serving = Serving {
        place,
        acceptor,
        service,
        retiring: Vec::new(),
        lasting,
    };
    let last = runtime.block_on(serving.until(stopped, reload));
    // The listening socket is closed first: who connects now is told at once.
    drop(last.acceptor);
    last.service.close();
    for retiring in last.retiring {
        // A panic was logged already.
        let _ = retiring.join();
    }
    Ok(())
}

/// Reads certificate and key as the listener does.
///
/// # Errors
/// Why HTTPS can't be served with them.
pub(crate) fn check_tls(files: &TlsFiles) -> Result<(), StartError> {
    tls::server_config(files)?;
    Ok(())
}

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    host: String,
    port: u16,
}

impl Place {
    fn of(config: &Config) -> Self {
        Self {
            host: config.host.clone(),
            port: config.port,
        }
    }

    /// Needs a running reactor.
    fn bind(&self) -> Result<Acceptor, StartError> {
        Acceptor::bind(&self.host, self.port).map_err(|reason| StartError::Listen {
            address: authority(&self.host, self.port),
            reason: reason::in_words(&reason),
        })
    }
}

/// What serves now.
struct Serving {
    place: Place,
    acceptor: Acceptor,
    service: Service,
    /// Former services that finish what is under way.
    retiring: Vec<JoinHandle<()>>,
    lasting: Lasting,
}

impl Serving {
    async fn until(
        mut self,
        stopped: impl Future<Output = ()>,
        mut reload: Option<Reload>,
    ) -> Self {
        let mut stopped = pin!(stopped);
        loop {
            let changed = async {
                match &mut reload {
                    Some(reload) => reload.changed().await,
                    None => std::future::pending().await,
                }
            };
            let changed = tokio::select! {
                biased;
                () = &mut stopped => return self,
                changed = changed => changed,
                never = self.acceptor.accept(self.service.workers()) => match never {},
            };
            let taken_over = tokio::select! {
                biased;
                () = &mut stopped => return self,
                taken_over = self.take_over(changed) => taken_over,
            };
            match taken_over {
                Ok(()) => tracing::info!("the new configuration is in force"),
                Err(reason) => tracing::error!(
                    "the changed configuration can't be used, the former one stays in force: \
                     {reason}"
                ),
            }
        }
    }

    /// Lets a new configuration take over. When it can't, nothing changes.
    async fn take_over(&mut self, changed: Result<Config, String>) -> Result<(), String> {
        let config = changed?;
        let place = Place::of(&config);
        let acceptor = if place == self.place {
            None
        } else {
            Some(place.bind().map_err(|error| error.to_string())?)
        };
        let lasting = self.lasting.clone();
        // Some parts take their time, and clients connect meanwhile.
        let building = tokio::task::spawn_blocking(|| Service::build(config, lasting));
        let service = tokio::select! {
            // Its own error would quote the panic's message.
            built = building => built.map_err(|_| INTERNAL)?,
            never = self.acceptor.accept(self.service.workers()) => match never {},
        };
        let service = service.map_err(|error| error.to_string())?;
        if let Some(acceptor) = acceptor {
            self.acceptor = acceptor;
            self.place = place;
        }
        let former = std::mem::replace(&mut self.service, service);
        self.retiring.retain(|retiring| !retiring.is_finished());
        match former.retire() {
            Ok(retiring) => self.retiring.push(retiring),
            Err(error) => tracing::error!(
                kind = %error.kind(),
                "nothing waits for the former configuration's requests: a stop cuts them at once"
            ),
        }
        Ok(())
    }
}
