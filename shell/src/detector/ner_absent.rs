//! Local models in builds without them.

use engine::EntityType;

use super::StartError;
use super::span::Span;
use crate::config::NerSettings;
use crate::error::ScanFailure;

pub(super) const NAME: &str = "ner";

/// There is none.
#[derive(Debug)]
pub(super) enum Ner {}

impl Ner {
    /// # Errors
    /// Always.
    pub(super) fn new(_: &NerSettings, _: &[EntityType]) -> Result<Self, StartError> {
        Err(StartError::NoLocalModel)
    }

    #[expect(clippy::unused_async, reason = "as where they are built in")]
    pub(super) async fn ask(
        &self,
        _: &[&str],
        _: &mut impl FnMut(usize, Vec<Span>),
    ) -> Result<(), ScanFailure> {
        match *self {}
    }
}
