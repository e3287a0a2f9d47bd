//! Runs detection for commands: the engine and the external detectors.

use std::io;

use engine::{Detection, Engine, Judged, Leaves, NoMemory, Request, Schema, Session, Settings};
use tokio::runtime::{Builder, Runtime};

use super::Failure;
use crate::config::ExternalDetector;
use crate::detector::ExternalDetectors;

/// The detectors of a command.
pub(super) struct Scanner {
    engine: Engine,
    /// The external detectors, if there are any.
    waiting: Option<(ExternalDetectors, Runtime)>,
}

/// A text that was scanned.
pub(super) struct Scanned {
    engine: Engine,
    /// What would be masked, merged, in order.
    pub(super) detections: Vec<Detection>,
    leaves: Option<Leaves>,
    /// The text is the body of a request of this schema.
    schema: Option<Schema>,
}

impl Scanner {
    /// Makes engine and detectors ready.
    ///
    /// # Errors
    /// When a detector can't be used as configured.
    pub(super) fn new(settings: Settings, waiting: &[ExternalDetector]) -> Result<Self, Failure> {
        let waiting = if waiting.is_empty() {
            None
        } else {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            Some((ExternalDetectors::new(waiting)?, runtime))
        };
        Ok(Self {
            engine: Engine::new(settings),
            waiting,
        })
    }

    /// Scans a text.
    ///
    /// # Errors
    /// When a detector failed.
    pub(super) fn scan(&self, text: &str) -> io::Result<Scanned> {
        let engine = self.engine.clone();
        let Some((waiting, runtime)) = &self.waiting else {
            return Ok(Scanned {
                detections: engine.detect(text),
                leaves: None,
                schema: None,
                engine,
            });
        };
        let scan = runtime.block_on(waiting.scan(engine.leaves(text)));
        let (leaves, _) = scan.map_err(io::Error::other)?;
        let detections = engine.detect_with(text, &leaves);
        Ok(Scanned {
            detections: detections.map_err(io::Error::other)?,
            leaves: Some(leaves),
            schema: None,
            engine,
        })
    }

    /// Scans a text as the body of a request.
    ///
    /// # Errors
    /// When it is not such a body, or a detector failed.
    pub(super) fn scan_body(&self, text: &str, schema: Schema) -> io::Result<Scanned> {
        let engine = self.engine.clone();
        let request = self.request(text.as_bytes().to_vec(), schema)?;
        let leaves = self.wait_for(&request)?;
        let detections = match &leaves {
            None => request.locate(&NoMemory),
            Some(leaves) => request.locate_with(&NoMemory, leaves),
        };
        Ok(Scanned {
            engine,
            detections,
            leaves,
            schema: Some(schema),
        })
    }

    /// The body of a request.
    ///
    /// # Errors
    /// When it is none.
    fn request(&self, body: Vec<u8>, schema: Schema) -> io::Result<Request> {
        let request = self.engine.request(schema, body);
        request.map_err(io::Error::other)
    }

    /// What the external detectors that the request asks find in it.
    ///
    /// # Errors
    /// When a detector failed.
    fn wait_for(&self, request: &Request) -> io::Result<Option<Leaves>> {
        let Some((waiting, runtime)) = &self.waiting else {
            return Ok(None);
        };
        let asks = |detector: &str| request.asks(detector);
        let scan = runtime.block_on(waiting.scan_by(request.leaves(&NoMemory), asks));
        let (leaves, _) = scan.map_err(io::Error::other)?;
        Ok(Some(leaves))
    }
}

impl Scanned {
    /// What was judged by its name in the scanned text, with the reasons. Of a body, only its texts count: model names and
    /// the like are never masked, so they are no near misses.
    pub(super) fn reasons(&self, text: &str) -> Vec<Judged> {
        let mut judged = self.engine.explain(text);
        if let Some(schema) = self.schema {
            let body = text.as_bytes().to_vec();
            let request = self.engine.request(schema, body);
            let texts = request.map_or_else(|_| Leaves::default(), |it| it.leaves(&NoMemory));
            judged.retain(|judged| judged.is_secret() || is_in(&texts, text, judged));
        }
        judged
    }

    /// The text with tokens, those that are new added to the session; it must be the text that was scanned.
    ///
    /// # Errors
    /// When it is another one, or its tokens can't be numbered.
    pub(super) fn masked(&self, text: &str, session: &mut Session) -> io::Result<String> {
        let masked = match (self.schema, &self.leaves) {
            (Some(schema), leaves) => self.masked_body(text, schema, session, leaves.as_ref()),
            (None, None) => Ok(self.engine.mask_text(text, session)),
            (None, Some(leaves)) => self.engine.mask_text_with(text, session, leaves),
        };
        masked.map_err(io::Error::other)
    }

    fn masked_body(
        &self,
        text: &str,
        schema: Schema,
        session: &mut Session,
        leaves: Option<&Leaves>,
    ) -> Result<String, engine::Error> {
        let mut request = self.engine.request(schema, text.as_bytes().to_vec())?;
        // Nothing is sent, so no token can collide with another of the same number.
        request.know_history(true);
        let masked = match leaves {
            None => request.mask(session, &NoMemory)?,
            Some(leaves) => request.mask_with(session, &NoMemory, leaves)?,
        };
        String::from_utf8(masked.body.into_bytes()).map_err(|_| engine::Error::NotUtf8)
    }
}

/// Whether a text of a request contains what was judged in its body.
fn is_in(texts: &Leaves, body: &str, judged: &Judged) -> bool {
    let value = body.get(judged.start..judged.end).unwrap_or_default();
    judged.is_near_miss() && texts.iter().any(|leaf| leaf.text.contains(value))
}
