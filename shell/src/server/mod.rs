//! The listener and its workers.
//!
//! One thread accepts; each worker thread has a reactor, its own connections to clients and its
//! own pool of connections to the provider, so that nothing of an exchange crosses threads.

mod accept;
mod connection;
mod cut;
mod patience;
mod stop;
mod tls;
mod worker;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;

use crate::audit::Audit;
use crate::config::Config;
use crate::exchange::Shared;
use crate::upstream;
use crate::vault::{self, Vault};
use accept::Acceptor;
use stop::Stop;
use worker::Worker;

/// Why the proxy did not start.
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
    Vault(#[from] vault::OpenError),
    #[error("can't start: {0}")]
    System(#[from] io::Error),
}

/// Serves until a signal stops it. Calls `listening` with the address once clients can connect.
///
/// # Errors
/// Why the proxy could not start.
pub(crate) fn run(config: Config, listening: impl FnOnce(SocketAddr)) -> Result<(), StartError> {
    let tls = config.tls.as_ref().map(tls::server_config).transpose()?;
    let to_provider = if config.mode.origin().is_https() {
        Some(upstream::tls_config().map_err(StartError::Roots)?)
    } else {
        None
    };
    let runtime = worker::runtime()?;
    let acceptor = {
        let _reactor = runtime.enter();
        Acceptor::bind(&config.host, config.port).map_err(|reason| StartError::Listen {
            address: format!("{}:{}", config.host, config.port),
            reason: reason_of(&reason),
        })?
    };
    let address = acceptor.address()?;
    let audit_path = config.audit_path.as_deref();
    let audit = Audit::open(audit_path).map_err(|error| StartError::Audit {
        path: audit_path.unwrap_or("".as_ref()).display().to_string(),
        reason: reason_of(&error),
    })?;

    let vault = Vault::open(&config.vault)?;

    let cores = thread::available_parallelism().map_or(1, usize::from);
    let origin = config.mode.origin().clone();
    let limits = config.limits;
    let shared = Arc::new(Shared::new(config, vault, audit, cores));
    let stop = Stop::default();
    let workers = (0..cores)
        .map(|_| {
            let upstream = upstream::Upstream::new(origin.clone(), to_provider.clone(), limits);
            Worker::start(Arc::clone(&shared), upstream, tls.clone(), stop.watch())
        })
        .collect::<io::Result<Vec<_>>>()?;
    listening(address);

    runtime.block_on(acceptor.accept_until(stop::signal(), &workers));
    stop.begin();
    for worker in workers {
        worker.join();
    }
    shared.close();
    Ok(())
}

/// The reason in words, without the number that the system gives it.
fn reason_of(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => "the port is in use".to_owned(),
        io::ErrorKind::AddrNotAvailable => "the address is not one of this machine".to_owned(),
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            "a part of the path is not a directory".to_owned()
        }
        _ => {
            let text = error.to_string();
            let words = text.split(" (os error").next().unwrap_or_default();
            words.to_ascii_lowercase()
        }
    }
}
