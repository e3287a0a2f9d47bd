//! A local model that labels the tokens of a text: ONNX with `tokenizer.json`, run in this process.

mod labels;
mod model;
mod spans;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use engine::{EntityType, Score};
use tokio::sync::{Semaphore, mpsc};

use super::StartError;
use super::span::Span;
use crate::config::NerSettings;
use crate::error::ScanFailure;
use model::Model;

pub(super) const NAME: &str = "ner";

/// A model, ready to scan texts.
pub(super) struct Ner {
    model: Arc<Model>,
    /// One permit per core: more scans at a time would only slow each other down.
    places: Arc<Semaphore>,
    timeout: Duration,
    min_score: Score,
    entities: Vec<EntityType>,
}

impl fmt::Debug for Ner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ner").finish_non_exhaustive()
    }
}

impl Ner {
    /// Reads a model, and runs it once.
    ///
    /// # Errors
    /// [`StartError`] when it can't be used.
    pub(super) fn new(settings: &NerSettings, entities: &[EntityType]) -> Result<Self, StartError> {
        let model = Model::read(&settings.path).map_err(|fault| StartError::Model {
            path: settings.path.display().to_string(),
            fault,
        })?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            model: Arc::new(model),
            places: Arc::new(Semaphore::new(cores)),
            timeout: settings.timeout,
            min_score: settings.min_score,
            entities: entities.to_vec(),
        })
    }

    /// Scans each text, and passes its findings on with the text's index.
    ///
    /// # Errors
    /// [`ScanFailure`] when one of the texts could not be scanned in time.
    pub(super) async fn ask(
        &self,
        texts: &[&str],
        keep: &mut impl FnMut(usize, Vec<Span>),
    ) -> Result<(), ScanFailure> {
        if texts.is_empty() {
            return Ok(());
        }
        let done = tokio::time::timeout(self.timeout, self.scan(texts, keep)).await;
        done.unwrap_or(Err(ScanFailure::timeout(NAME)))
    }

    /// Runs the model off the reactor. The work stops when this future is dropped, because the channel closes.
    async fn scan(
        &self,
        texts: &[&str],
        keep: &mut impl FnMut(usize, Vec<Span>),
    ) -> Result<(), ScanFailure> {
        let unusable = ScanFailure::unusable(NAME);
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|_| unusable)?;
        let (sender, mut received) = mpsc::unbounded_channel();
        let model = Arc::clone(&self.model);
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let work = tokio::task::spawn_blocking(move || {
            for (index, text) in texts.iter().enumerate() {
                let found = model.spans(text, &|| sender.is_closed())?;
                if sender.send((index, found)).is_err() {
                    break;
                }
            }
            drop(place);
            Ok(())
        });
        while let Some((index, mut found)) = received.recv().await {
            found.retain(|span| self.wants(span));
            keep(index, found);
        }
        let done = work.await.unwrap_or(Err(model::Unusable));
        done.map_err(|model::Unusable| unusable)
    }

    fn wants(&self, span: &Span) -> bool {
        span.score >= self.min_score
            && (self.entities.is_empty() || self.entities.contains(&span.entity))
    }
}
