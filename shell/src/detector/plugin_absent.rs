//! Plug-in detectors in builds without them.

use std::sync::Arc;

use engine::{EntityType, Leaves};

use super::{OfLeaves, StartError};
use crate::config::PluginSettings;
use crate::error::ScanFailure;

pub(super) const NAME: &str = "wasm";

/// There is none.
#[derive(Debug)]
pub(super) enum Plugin {}

impl Plugin {
    /// # Errors
    /// Always.
    pub(super) fn new(_: &PluginSettings, _: &[EntityType]) -> Result<Self, StartError> {
        Err(StartError::NoPlugins)
    }

    #[expect(clippy::unused_async, reason = "as where they are built in")]
    pub(super) async fn ask(&self, _: &Arc<Leaves>) -> Result<OfLeaves, ScanFailure> {
        match *self {}
    }
}
