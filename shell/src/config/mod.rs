//! The configuration, read once at start. This module opens no port, and no file except the
//! configuration file.
//!
//! [`Values`] merges the sources by the table ([`SETTINGS`]). [`Config`] is the result.

mod detector;
mod entry;
mod error;
mod external;
mod fields;
mod file;
mod item;
mod keys;
mod listener;
mod lists;
pub(crate) mod manual;
mod names;
mod policies;
mod protection;
mod provider;
mod redis;
#[cfg(test)]
mod reference;
mod restoring;
mod routes;
mod sections;
mod settings;
mod show;
mod storage;
mod table;
mod upstream;
mod values;
mod yaml;

use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::route::Routes;
use engine::{Cipher, ClientKeys, EntityType, Operator, Schema, Sensitive};
use http::{HeaderName, HeaderValue};

pub(crate) use detector::DetectorChoice;
use error::take_all;
pub(crate) use error::{Error, suggestion};
pub(crate) use external::{
    ExternalDetector, ExternalKind, LlmSettings, NerSettings, PluginSettings, PresidioSettings,
};
pub(crate) use listener::{GuardrailSettings, Logging, TlsFiles, authority, is_loopback};
pub(crate) use lists::{List, Lists, Unlisted};
pub(crate) use protection::OperatorSettings;
pub(crate) use redis::{
    Address, Login, Nodes, Pem, RedisServers, RedisSettings, RedisTls, Sentinel,
};
pub(crate) use routes::Unrouted;
pub(crate) use settings::{Flag, Kind, Setting};
pub(crate) use show::{Shown, shown};
pub(crate) use storage::{SessionSettings, Store, Strategy, VaultSettings};
pub(crate) use table::SETTINGS;
pub(crate) use upstream::{BaseUrl, FixedUrl, Origin};
pub(crate) use values::{Source, Values};

/// The whole configuration of the proxy.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) tls: Option<TlsFiles>,
    pub(crate) guardrail: Option<GuardrailSettings>,
    /// The port of loopback at which the live page is; set by its flag alone.
    pub(crate) live: Option<u16>,
    pub(crate) mode: Mode,
    pub(crate) routes: Routes,
    pub(crate) unrouted: Unrouted,
    pub(crate) credentials: Credentials,
    /// Added to every request to the provider. The values are marked as sensitive.
    pub(crate) provider_headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) limits: Limits,
    pub(crate) session: SessionSettings,
    pub(crate) vault: VaultSettings,
    /// Where the audit trail goes; nowhere when it is off.
    pub(crate) audit_path: Option<PathBuf>,
    pub(crate) logging: Logging,
    pub(crate) traces: TraceSettings,
    /// What the engine's operator is made from, for those who need its keys, too.
    pub(crate) operator: OperatorSettings,
    /// External detectors, in addition to the engine's.
    pub(crate) external_detectors: Vec<ExternalDetector>,
    /// What the live page writes.
    pub(crate) lists: Option<Lists>,
    /// Whether the built-in detectors are on.
    pub(crate) has_built_ins: bool,
    /// Nothing is masked, and what would be masked is counted.
    pub(crate) shadow: bool,
    /// The clients' keys that rules name.
    pub(crate) client_keys: ClientKeys,
    /// Types that are detected but that the policy lets through to the provider.
    pub(crate) unmasked: Vec<EntityType>,
    pub(crate) engine: engine::Settings,
}

/// How requests are forwarded.
#[derive(Debug, Clone)]
pub(crate) enum Mode {
    /// To the same path below this URL.
    Transparent { upstream: BaseUrl },
    /// To this URL, whatever the path; only routed paths are served.
    Gateway {
        url: FixedUrl,
        /// Whether the provider expects its key as `x-api-key`.
        is_messages_style: bool,
    },
}

impl Mode {
    /// Where the provider is.
    pub(crate) fn origin(&self) -> &Origin {
        match self {
            Self::Transparent { upstream } => upstream.origin(),
            Self::Gateway { url, .. } => url.origin(),
        }
    }
}

/// As a URL. The path of gateway mode is left out: its query may hold a key.
impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin().url())?;
        match self {
            Self::Transparent { upstream } => f.write_str(upstream.path()),
            Self::Gateway { .. } => Ok(()),
        }
    }
}

/// Which key the provider gets.
#[derive(Debug)]
pub(crate) struct Credentials {
    /// Whether the client's own may be passed on.
    pub(crate) forward_client: bool,
    /// The key held by the proxy, which replaces the client's.
    pub(crate) held: Option<HeldKey>,
}

/// A provider key in the two forms in which it is sent. Its `Debug` shows neither.
#[derive(Debug)]
pub(crate) struct HeldKey {
    pub(crate) bearer: HeaderValue,
    pub(crate) plain: HeaderValue,
}

/// Where spans of exchanges are sent, if the environment does not say it.
#[derive(Debug, Clone)]
pub(crate) struct TraceSettings {
    /// The base URL of a collector.
    pub(crate) endpoint: Option<Sensitive<String>>,
    /// Sent with every request to it. The values are marked as sensitive.
    #[cfg_attr(
        not(feature = "otlp"),
        expect(dead_code, reason = "traces are not built in")
    )]
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// Bounds on what the proxy waits for and accepts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Between two bytes of a reply.
    pub(crate) timeout: Duration,
    /// For one try to connect.
    pub(crate) connect_timeout: Duration,
    /// Concurrent connections to the provider.
    pub(crate) max_connections: Option<NonZeroUsize>,
    /// Bytes of a request body on a routed path.
    pub(crate) max_body: usize,
    /// The size of the engine's cache of detection results, in bytes.
    pub(crate) findings_cache: usize,
}

impl Config {
    /// Reads the merged settings, for commands that open the vault.
    ///
    /// # Errors
    /// All settings that can't be used.
    pub(crate) fn resolve(values: &Values) -> Result<Self, Error> {
        let config = Self::without_vault(values)?;
        match config.vault.store {
            Store::Unusable(error) => Err(values.located(error)),
            _ => Ok(config),
        }
    }

    /// Reads the merged settings, for commands that don't open the vault: they need neither its URL nor its files.
    ///
    /// # Errors
    /// All other settings that can't be used.
    pub(crate) fn without_vault(values: &Values) -> Result<Self, Error> {
        Self::read(values).map_err(|error| values.located(error))
    }

    fn read(values: &Values) -> Result<Self, Error> {
        let detectors = DetectorChoice::read(values);
        let (routes, unrouted) = (routes::read(values), routes::unrouted(values));
        let client_keys = keys::read(values);
        let known = policies::Known {
            detectors: detectors.as_ref().ok(),
            routes: routes.as_ref().ok().zip(unrouted.as_ref().ok().copied()),
            keys: client_keys.as_ref().ok(),
        };
        take_all! {
            policy = protection::policy(values, known.detectors);
            rules = policies::rules(values, &known);
            detectors = detectors;
            routes = routes;
            unrouted = unrouted;
            client_keys = client_keys;
            host = listener::host(values);
            port = values.required("port").and_then(|port| port.whole());
            tls = listener::tls(values);
            guardrail = listener::guardrail(values);
            mode = provider::mode(values);
            credentials = provider::credentials(values);
            provider_headers = provider::headers(values, "provider.headers");
            limits = limits(values);
            session = storage::session(values);
            vault = storage::vault(values);
            audit_path = audit_path(values);
            logging = listener::logging(values);
            traces = traces(values);
            operator = protection::operator(values);
            restore = restoring::rules(values);
            lists = detector::lists(values);
            shadow = protection::is_shadow(values);
        }
        Ok(Self {
            host,
            port,
            tls,
            guardrail,
            live: None,
            mode,
            routes,
            unrouted,
            credentials,
            provider_headers,
            limits,
            session,
            vault,
            audit_path,
            logging,
            traces,
            unmasked: protection::unmasked(&policy, &detectors),
            engine: engine::Settings {
                detectors: detectors.compile()?,
                policy,
                rules,
                operator: engine_operator(&operator),
                restore,
                limits: engine::Limits::default(),
            },
            operator,
            lists,
            has_built_ins: detectors.has_built_ins(),
            shadow,
            client_keys,
            external_detectors: detectors.external,
        })
    }

    /// Where the audit trail goes; nowhere when it is off.
    ///
    /// # Errors
    /// When its settings can't be used.
    pub(crate) fn audit_path(values: &Values) -> Result<Option<PathBuf>, Error> {
        audit_path(values).map_err(|error| values.located(error))
    }

    /// The URL of the listener.
    ///
    /// # Errors
    /// When its settings can't be used.
    pub(crate) fn own_url(values: &Values) -> Result<String, Error> {
        listener::own_url(values).map_err(|error| values.located(error))
    }

    /// The file of the lists, where the settings name one. It may not be there yet.
    ///
    /// # Errors
    /// When its setting can't be used.
    pub(crate) fn lists(values: &Values) -> Result<Option<Lists>, Error> {
        detector::lists(values).map_err(|error| values.located(error))
    }

    /// The endings of the default routes, where the settings leave them in force.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub(crate) fn default_routes(values: &Values) -> Result<Vec<(&'static str, Schema)>, Error> {
        if values.is_set("proxy.routes") {
            return Ok(Vec::new());
        }
        routes::default_endings(values)
    }

    /// The files that are read when the configuration takes effect.
    pub(crate) fn named_files(&self) -> impl Iterator<Item = &Path> {
        let plugins = self.external_detectors.iter().filter_map(|detector| {
            let ExternalKind::Plugin(plugin) = &detector.kind else {
                return None;
            };
            Some(&*plugin.path)
        });
        let lists = self.lists.iter().map(Lists::path);
        let tls = self.tls.iter().flat_map(TlsFiles::paths);
        let redis = match &self.vault.store {
            Store::Redis(redis) => Some(redis.paths()),
            Store::Memory | Store::Sqlite { .. } | Store::Unusable(_) => None,
        };
        let redis = redis.into_iter().flatten();
        plugins.chain(lists).chain(tls).chain(redis)
    }
}

fn limits(values: &Values) -> Result<Limits, Error> {
    let max_connections = values.get("proxy.max_connections");
    let max_connections = max_connections.map(|max| max.whole()).transpose()?;
    Ok(Limits {
        timeout: values.required("proxy.timeout")?.seconds()?,
        connect_timeout: values.required("proxy.connect_timeout")?.seconds()?,
        max_connections: max_connections.and_then(NonZeroUsize::new),
        max_body: values.required("proxy.max_body")?.whole()?,
        findings_cache: values.required("proxy.findings_cache")?.whole()?,
    })
}

fn traces(values: &Values) -> Result<TraceSettings, Error> {
    let url = values.get("tracing.otlp");
    Ok(TraceSettings {
        endpoint: url.map(|url| url.sensitive()).transpose()?,
        headers: provider::headers(values, "tracing.headers")?,
    })
}

fn audit_path(values: &Values) -> Result<Option<PathBuf>, Error> {
    let path = values.required("audit.path")?.path_of_file()?;
    let enabled = values.required("audit.enabled")?.boolean()?;
    Ok(enabled.then_some(path))
}

fn engine_operator(settings: &OperatorSettings) -> Operator {
    match settings {
        OperatorSettings::Pseudonym { anchor } => Operator::Pseudonym {
            anchor: anchor.clone(),
        },
        OperatorSettings::Encrypt { key } => Operator::Encrypt(Cipher::new(key)),
        OperatorSettings::Redact => Operator::Redact,
        OperatorSettings::Surrogate { surrogates, .. } => Operator::Surrogate(surrogates.clone()),
    }
}

#[cfg(test)]
mod tests;
