//! Tries a request without sending it: what would become of it, by the code that decides it for every request.

use std::sync::Arc;

use bytes::Bytes;
use engine::route::Route;
use engine::{Decision, NoMemory, PolicyRule, RuleMatch};
use http::Request;
use http::request::Parts;
use http_body_util::Full;

use super::ProcessState;
use super::context::Shared;
use super::handling::Handling;
use super::headers;
use super::mask::Unmasked;
use super::masked::Checked;
use super::rules::{self, Head};
use crate::audit::Audit;
use crate::config::{Config, Store};
use crate::detector::{ExternalDetectors, StartError};
use crate::error::Fault;
use crate::session::{Caller, Sessions, StorageSettings};
use crate::traces::Traces;
use crate::vault::{OpenError, Vault};

/// A proxy that sends nothing and keeps nothing.
pub(crate) struct Trial(Arc<Shared>);

/// Why there is no proxy to try.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrialError {
    #[error(transparent)]
    Detector(#[from] StartError),
    #[error(transparent)]
    Vault(#[from] OpenError),
    #[error(transparent)]
    Audit(#[from] std::io::Error),
}

/// What becomes of a request.
pub(crate) enum Outcome {
    /// The proxy answers it.
    Own,
    /// Its path has no route, and it is forwarded unchanged.
    Relayed,
    /// It is refused for this reason.
    Refused(String),
    /// It is forwarded unchanged, though it can't be scanned.
    Unscanned(Fault),
    Scanned(Box<Scanned>),
}

/// A request that would be forwarded.
pub(crate) struct Scanned {
    shared: Arc<Shared>,
    parts: Parts,
    route: Route,
    unmasked: Unmasked,
    is_shadow: bool,
}

impl Trial {
    /// With a configuration, but in a vault of its own.
    ///
    /// # Errors
    /// When a detector can't be used as configured.
    pub(crate) fn new(mut config: Config) -> Result<Self, TrialError> {
        config.vault.store = Store::Memory;
        let detectors = ExternalDetectors::new(&config.external_detectors)?;
        let lasting = ProcessState::default();
        let vault = Vault::open(&config.vault)?;
        let kept_as = StorageSettings::of(&config);
        let sessions = Arc::new(Sessions::new(kept_as, vault, lasting.remembered.clone()));
        let (audit, traces) = (Audit::open(None)?, Traces::default());
        let shared = Shared::new(config, detectors, sessions, audit, traces, lasting, 1);
        Ok(Self(Arc::new(shared)))
    }

    /// What becomes of a request.
    pub(crate) async fn of(&self, request: Request<Full<Bytes>>, body: Vec<u8>) -> Outcome {
        let handling = Handling::of(&self.0, &request);
        let (parts, _) = request.into_parts();
        let (route, is_shadow) = match handling {
            Handling::Own(_) => return Outcome::Own,
            Handling::RefusedUpgrade => return refused("WebSockets are not supported"),
            Handling::NotServed => return refused("gateway mode serves only calls of a model"),
            Handling::Blocked => {
                return refused("its path is not routed, and proxy.unrouted is refuse");
            }
            Handling::Relayed => return Outcome::Relayed,
            Handling::Masked(route) => (route, false),
            Handling::Shadowed(route) => (route, true),
        };
        match self.scan(&parts, &route, body).await {
            Ok(unmasked) => Outcome::Scanned(Box::new(Scanned {
                shared: Arc::clone(&self.0),
                parts,
                route,
                unmasked,
                is_shadow,
            })),
            Err(fault) if is_shadow => Outcome::Unscanned(fault),
            Err(fault) => Outcome::Refused(fault.to_string()),
        }
    }

    async fn scan(&self, parts: &Parts, route: &Route, body: Vec<u8>) -> Result<Unmasked, Fault> {
        let shared = &self.0;
        let checked = Checked::read(parts, route)?;
        let limit = shared.limits.max_body;
        if body.len() > limit {
            return Err(Fault::RequestTooLarge { limit });
        }
        let caller = Caller::of(parts);
        let owner = shared.owner_key.owner(caller);
        let (target, sent) = (headers::target(&parts.uri), &parts.headers);
        let (schema, metadata) = (route.schema, checked.metadata);
        let unmasked = Unmasked::read(shared, schema, target, sent, body, metadata, owner).await?;
        let unmasked =
            unmasked.with(|request| rules::under(shared, Head::of(parts, route), request));
        if shared.detectors.is_empty() {
            return Ok(unmasked);
        }
        unmasked.scan(shared, true).await
    }
}

fn refused(reason: &str) -> Outcome {
    Outcome::Refused(reason.to_owned())
}

impl Scanned {
    /// Its route.
    pub(crate) fn route(&self) -> &Route {
        &self.route
    }

    /// Whether it is forwarded unchanged.
    pub(crate) fn is_shadow(&self) -> bool {
        self.is_shadow
    }

    /// The model that it asks for, if that is clear.
    pub(crate) fn model(&self) -> Option<String> {
        let headers: Vec<_> = headers::pairs(&self.parts.headers).collect();
        self.unmasked
            .request()
            .model(headers::target(&self.parts.uri), &headers)
    }

    /// Whether each rule matches.
    pub(crate) fn fits(&self) -> Vec<(&PolicyRule, RuleMatch)> {
        let head = Head::of(&self.parts, &self.route);
        rules::fits(&self.shared, head, self.unmasked.request())
    }

    /// What is decided for each value.
    pub(crate) fn decisions(&self) -> Vec<Decision<'_>> {
        let request = self.unmasked.request();
        request.decisions(&NoMemory, self.unmasked.found())
    }
}
