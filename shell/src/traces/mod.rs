//! Traces: a span of each exchange, for a collector that speaks OpenTelemetry's protocol over HTTP. Spans hold types, counts
//! and times, never content, and no exchange waits for the collector.

#[cfg(feature = "otlp")]
mod exporter;
#[cfg(not(feature = "otlp"))]
#[path = "absent.rs"]
mod exporter;
#[cfg(feature = "otlp")]
mod message;
mod place;
mod span;

use http::HeaderMap;

use crate::config::TraceSettings;
use exporter::Exporter;
use place::Place;

pub(crate) use span::Span;

/// Why no traces can be sent. Never shows a URL: that may hold a key.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[cfg(not(feature = "otlp"))]
    #[error(
        "this build sends no traces: build it with --features otlp, or take 'tracing.otlp' out"
    )]
    NotBuiltIn,
    #[cfg(feature = "otlp")]
    #[error("{0} must be the http or https URL of a collector, without user and query")]
    NoUrl(&'static str),
    #[cfg(feature = "otlp")]
    #[error("{0} must be headers, as in name=value,name=value")]
    NoHeaders(&'static str),
    #[cfg(feature = "otlp")]
    #[error("traces can't be sent: {0}")]
    Unsent(String),
}

/// Where spans go; nowhere by default.
#[derive(Debug, Clone, Default)]
pub(crate) struct Traces(Option<Exporter>);

impl Traces {
    /// Prepares to send spans, where the settings or the environment name a collector.
    ///
    /// # Errors
    /// When it can't be used.
    pub(crate) fn start(settings: &TraceSettings) -> Result<Self, StartError> {
        Exporter::start(settings).map(Self)
    }

    /// Begins the span of an exchange whose client sent these headers. They are changed for the
    /// provider. There is no span if none is wanted.
    pub(crate) fn begin(&self, headers: &mut HeaderMap) -> Option<Span> {
        let exporter = self.0.as_ref()?;
        let place = Place::enter(headers);
        place
            .is_sampled()
            .then(|| Span::begin(exporter.clone(), place))
    }

    /// How many spans were lost since this was asked last.
    pub(crate) fn take_lost(&self) -> u64 {
        self.0.as_ref().map_or(0, Exporter::take_lost)
    }

    /// Sends what still waits, for two seconds at most.
    pub(crate) fn close(&self) {
        if let Some(exporter) = &self.0 {
            exporter.close();
        }
    }
}
