//! What a configuration becomes: workers that serve as it says.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::stop::Stop;
use super::worker::Worker;
use super::{StartError, tls};
use crate::audit::Audit;
use crate::config::Config;
use crate::detector::WaitingDetectors;
use crate::exchange::{Lasting, Shared};
use crate::reason;
use crate::upstream::{self, ConnectionLimit, Egress, ToProvider, Upstream};
use crate::vault::Vault;

/// The workers of one configuration.
#[derive(Debug)]
pub(super) struct Service {
    workers: Vec<Worker>,
    shared: Arc<Shared>,
    stop: Stop,
}

impl Service {
    /// Builds all that the configuration asks for. Nothing is served yet.
    pub(super) fn build(config: Config, lasting: Lasting) -> Result<Self, StartError> {
        let tls = config.tls.as_ref().map(tls::server_config).transpose()?;
        let to_provider = to_provider(&config)?;
        let detectors = WaitingDetectors::new(&config.waiting_detectors)?;
        let audit = open_audit(config.audit_path.as_deref())?;
        let vault = Vault::open(&config.vault)?;
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let shared = Arc::new(Shared::new(config, detectors, vault, audit, lasting, cores));
        let stop = Stop::default();
        let workers = (0..cores)
            .map(|_| {
                let upstream = Upstream::new(to_provider.clone());
                Worker::start(Arc::clone(&shared), upstream, tls.clone(), stop.watch())
            })
            .collect::<io::Result<Vec<_>>>()?;
        Ok(Self {
            workers,
            shared,
            stop,
        })
    }

    pub(super) fn workers(&self) -> &[Worker] {
        &self.workers
    }

    /// Gives requests under way their time, then cuts them, and writes the rest of the audit trail.
    pub(super) fn close(self) {
        self.stop.begin();
        for worker in self.workers {
            worker.join();
        }
        self.shared.close();
    }

    /// The same on a thread of its own.
    pub(super) fn retire(self) -> io::Result<JoinHandle<()>> {
        let retiring = thread::Builder::new().name("retiring".to_owned());
        retiring.spawn(|| self.close())
    }
}

fn to_provider(config: &Config) -> Result<ToProvider, StartError> {
    let origin = config.mode.origin().clone();
    let egress = Egress::from_environment(&origin)?;
    let tls = if origin.is_https() {
        Some(upstream::tls_config().map_err(StartError::Roots)?)
    } else {
        None
    };
    Ok(ToProvider {
        tls,
        egress,
        connections: ConnectionLimit::new(config.limits.max_connections),
        limits: config.limits,
        origin,
    })
}

fn open_audit(path: Option<&Path>) -> Result<Audit, StartError> {
    Audit::open(path).map_err(|error| StartError::Audit {
        path: path.unwrap_or(Path::new("")).display().to_string(),
        reason: reason::in_words(&error),
    })
}
