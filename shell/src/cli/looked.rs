//! Detection outside of the proxy: the engine, and the detectors that must be waited for.

use std::io;

use engine::{Detection, Engine, Judged, Leaves, Session, Settings};
use tokio::runtime::{Builder, Runtime};

use super::Failure;
use crate::config::WaitingDetector;
use crate::detector::WaitingDetectors;

/// What looks at texts.
pub(super) struct Looking {
    engine: Engine,
    /// Where there are detectors to wait for.
    waiting: Option<(WaitingDetectors, Runtime)>,
}

/// A text that was looked at.
pub(super) struct Looked {
    engine: Engine,
    /// What would be masked, merged, in order.
    pub(super) detections: Vec<Detection>,
    leaves: Option<Leaves>,
}

impl Looking {
    /// Makes engine and detectors ready.
    ///
    /// # Errors
    /// When a detector can't be used as configured.
    pub(super) fn new(settings: Settings, waiting: &[WaitingDetector]) -> Result<Self, Failure> {
        let waiting = if waiting.is_empty() {
            None
        } else {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            Some((WaitingDetectors::new(waiting)?, runtime))
        };
        Ok(Self {
            engine: Engine::new(settings),
            waiting,
        })
    }

    /// Looks at a text.
    ///
    /// # Errors
    /// When a detector failed.
    pub(super) fn look(&self, text: &str) -> io::Result<Looked> {
        let engine = self.engine.clone();
        let Some((waiting, runtime)) = &self.waiting else {
            return Ok(Looked {
                detections: engine.detect(text),
                leaves: None,
                engine,
            });
        };
        let scan = runtime.block_on(waiting.scan(engine.leaves(text)));
        let (leaves, _) = scan.map_err(io::Error::other)?;
        let detections = engine.detect_with(text, &leaves);
        Ok(Looked {
            detections: detections.map_err(io::Error::other)?,
            leaves: Some(leaves),
            engine,
        })
    }
}

impl Looked {
    /// What was judged by its name in the text that was looked at, with the reasons.
    pub(super) fn reasons(&self, text: &str) -> Vec<Judged> {
        self.engine.explain(text)
    }

    /// The text with tokens; it must be the one that was looked at.
    ///
    /// # Errors
    /// When it is another one.
    pub(super) fn masked(&self, text: &str) -> io::Result<String> {
        let mut session = Session::new();
        match &self.leaves {
            None => Ok(self.engine.mask_text(text, &mut session)),
            Some(leaves) => {
                let masked = self.engine.mask_text_with(text, &mut session, leaves);
                masked.map_err(io::Error::other)
            }
        }
    }
}
