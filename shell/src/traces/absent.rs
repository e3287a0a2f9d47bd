//! Traces in builds without them.

use super::span::Ended;
use super::{StartError, TraceSettings};

/// There is none.
#[derive(Debug, Clone)]
pub(super) enum Exporter {}

impl Exporter {
    /// # Errors
    /// Where the settings ask for one.
    pub(super) fn start(settings: &TraceSettings) -> Result<Option<Self>, StartError> {
        match settings.endpoint {
            Some(_) => Err(StartError::NotBuiltIn),
            None => Ok(None),
        }
    }

    pub(super) fn add(&self, _: Ended) {
        match *self {}
    }

    pub(super) fn take_lost(&self) -> u64 {
        match *self {}
    }

    pub(super) fn close(&self) {
        match *self {}
    }
}
