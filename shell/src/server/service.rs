//! Builds the settings of every worker from a configuration.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::worker::Settings;
use super::{StartError, tls};
use crate::audit::Audit;
use crate::base::io_error;
use crate::config::Config;
use crate::detector::ExternalDetectors;
use crate::exchange::{Context, ProcessState, Shared};
use crate::session::{Sessions, StorageSettings};
use crate::traces::Traces;
use crate::upstream::{self, ConnectionLimit, Egress, ToProvider, Upstream};
use crate::vault::Vault;

/// A configuration, ready to serve.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) shared: Arc<Shared>,
    /// For each worker its own.
    pub(super) settings: Vec<Settings>,
}

impl Service {
    /// Builds everything that the configuration needs, for this many workers. Nothing is served
    /// yet. The sessions of `former` continue if the configuration keeps them in the same way.
    pub(super) fn build(
        config: Config,
        lasting: ProcessState,
        workers: usize,
        former: Option<&Arc<Sessions>>,
    ) -> Result<Self, StartError> {
        let tls = config.tls.as_ref().map(tls::server_config).transpose()?;
        let to_provider = to_provider(&config)?;
        let detectors = ExternalDetectors::new(&config.external_detectors)?;
        let audit = open_audit(config.audit_path.as_deref())?;
        let kept_as = StorageSettings::of(&config);
        let sessions = if let Some(former) = former.filter(|former| former.are_kept_as(&kept_as)) {
            Arc::clone(former)
        } else {
            let vault = Vault::open(&config.vault)?;
            Arc::new(Sessions::new(kept_as, vault, lasting.remembered.clone()))
        };
        let traces = Traces::start(&config.traces)?;
        let shared = Arc::new(Shared::new(
            config, detectors, sessions, audit, traces, lasting, workers,
        ));
        let settings = |_| Settings {
            context: Context::new(Arc::clone(&shared), Upstream::new(to_provider.clone())),
            tls: tls.clone(),
        };
        Ok(Self {
            settings: (0..workers).map(settings).collect(),
            shared,
        })
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
    Audit::open(path).map_err(|error: io::Error| StartError::Audit {
        path: path.unwrap_or(Path::new("")).display().to_string(),
        reason: io_error::in_words(&error),
    })
}
