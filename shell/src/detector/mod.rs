//! External detectors: a language model, a Presidio analyzer, a local model, a plug-in.
//!
//! The engine never waits. It offers the texts of a request, all detectors scan them at the same
//! time, and the engine pools their findings with its own.

pub(crate) mod cache;
pub(crate) mod explanation;
mod llm;
#[cfg_attr(not(feature = "ner"), path = "ner_absent.rs")]
mod ner;
#[cfg_attr(not(feature = "plugins"), path = "plugin_absent.rs")]
mod plugin;
mod presidio;
mod service;
mod span;
mod start;

use std::collections::HashMap;
use std::sync::Arc;

use engine::{Detection, Leaves, TextFindings};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, try_join_all};

use crate::config::{ExternalDetector, ExternalKind};
use crate::detector::cache::{CacheLimit, Findings};
use crate::error::ScanFailure;
use llm::Llm;
use ner::Ner;
use plugin::Plugin;
use presidio::Presidio;
use span::Span;

pub(crate) use start::StartError;

/// What the remembered results of a detector may take, in bytes, however many they are.
const MOST_REMEMBERED: usize = 64 << 20;

/// The waiting detectors of one configuration.
#[derive(Debug, Default)]
pub(crate) struct ExternalDetectors(Vec<Detector>);

/// What a scan of a request's texts came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Scanned {
    /// Language models that failed and were gone without.
    pub(crate) llm_fallbacks: u64,
}

impl ExternalDetectors {
    /// Makes the detectors ready. Nothing is asked yet.
    ///
    /// # Errors
    /// [`StartError`] when one can't be used as configured.
    pub(crate) fn new(settings: &[ExternalDetector]) -> Result<Self, StartError> {
        let detectors = settings.iter().map(Detector::new);
        detectors.collect::<Result<_, _>>().map(Self)
    }

    /// The detectors, by name.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(Detector::name)
    }

    /// Whether there are none, so that nothing need be awaited.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds to the texts what the detectors find in them.
    ///
    /// # Errors
    /// [`ScanFailure`] when one of them failed: then nothing may be forwarded.
    pub(crate) fn scan(
        &self,
        leaves: Leaves,
    ) -> BoxFuture<'_, Result<(Leaves, Scanned), ScanFailure>> {
        self.scan_by(leaves, |_| true)
    }

    /// Adds what those of the detectors find whose names are asked for.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub(crate) fn scan_by(
        &self,
        leaves: Leaves,
        asks: impl Fn(&str) -> bool,
    ) -> BoxFuture<'_, Result<(Leaves, Scanned), ScanFailure>> {
        let asked = self.0.iter().filter(|detector| asks(detector.name()));
        Self::scan_all(asked.collect(), leaves).boxed()
    }

    async fn scan_all(
        asked: Vec<&Detector>,
        leaves: Leaves,
    ) -> Result<(Leaves, Scanned), ScanFailure> {
        let leaves = Arc::new(leaves);
        let texts = Texts::of(&leaves);
        let scans = asked.iter().map(|detector| detector.scan(&texts));
        let found = try_join_all(scans).await?;
        drop(texts);
        let mut leaves = Arc::unwrap_or_clone(leaves);
        let mut scanned = Scanned::default();
        for (
            detector,
            Found {
                of_leaves,
                fell_back,
            },
        ) in asked.iter().zip(found)
        {
            scanned.llm_fallbacks += u64::from(fell_back);
            for (leaf, detections) in of_leaves {
                for detection in detections.iter().cloned() {
                    let added = leaves.add(leaf, detection);
                    added.map_err(|_| detector.nonsense())?;
                }
            }
        }
        Ok((leaves, scanned))
    }
}

/// The distinct texts of a request that may hold something.
struct Texts {
    all: Arc<Leaves>,
    /// The leaves that have the same text, for each text.
    distinct: Vec<Vec<usize>>,
}

impl Texts {
    fn of(all: &Arc<Leaves>) -> Self {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut distinct: Vec<Vec<usize>> = Vec::new();
        for (index, leaf) in all.iter().enumerate() {
            if !leaf.text.contains(char::is_alphanumeric) {
                continue;
            }
            let place = *places.entry(leaf.text).or_insert(distinct.len());
            match distinct.get_mut(place) {
                Some(leaves) => leaves.push(index),
                None => distinct.push(vec![index]),
            }
        }
        Self {
            distinct,
            all: Arc::clone(all),
        }
    }

    /// Each distinct text and its leaves.
    fn iter(&self) -> impl Iterator<Item = (&str, &[usize])> {
        self.distinct.iter().filter_map(|leaves| {
            let leaf = self.all.get(*leaves.first()?)?;
            Some((leaf.text, leaves.as_slice()))
        })
    }
}

/// The findings, by leaf.
type OfLeaves = Vec<(usize, Arc<[Detection]>)>;

/// What one detector found.
#[derive(Default)]
struct Found {
    of_leaves: OfLeaves,
    /// It failed, and the others do without it.
    fell_back: bool,
}

impl Found {
    fn add(&mut self, leaves: &[usize], found: &Arc<[Detection]>) {
        if !found.is_empty() {
            let of_leaves = leaves.iter().map(|leaf| (*leaf, Arc::clone(found)));
            self.of_leaves.extend(of_leaves);
        }
    }
}

/// One detector.
#[derive(Debug)]
enum Detector {
    Service(Box<Asked>),
    /// Its result may depend on earlier texts of the request, so it is not cached.
    Plugin(Plugin),
}

/// A service or a local model, and the results that are remembered.
#[derive(Debug)]
struct Asked {
    kind: Kind,
    findings: Findings,
    falls_back: bool,
}

#[derive(Debug)]
enum Kind {
    Llm(Llm),
    Ner(Ner),
    Presidio(Presidio),
}

impl Detector {
    fn new(settings: &ExternalDetector) -> Result<Self, StartError> {
        let entities = settings.entities.as_slice();
        let mut falls_back = false;
        let kind = match &settings.kind {
            ExternalKind::Llm(llm) => {
                falls_back = llm.fallback_on_error;
                Kind::Llm(Llm::new(llm, entities)?)
            }
            ExternalKind::Presidio(presidio) => Kind::Presidio(Presidio::new(presidio, entities)?),
            ExternalKind::Plugin(plugin) => return Plugin::new(plugin, entities).map(Self::Plugin),
            ExternalKind::Ner(ner) => Kind::Ner(Ner::new(ner, entities)?),
        };
        Ok(Self::Service(Box::new(Asked {
            kind,
            findings: Findings::new(CacheLimit {
                texts: settings.cache_size,
                bytes: MOST_REMEMBERED,
            }),
            falls_back,
        })))
    }

    /// The rule of its detections, and its name in messages.
    const fn name(&self) -> &'static str {
        match self {
            Self::Service(asked) => asked.kind.name(),
            Self::Plugin(_) => plugin::NAME,
        }
    }

    const fn falls_back(&self) -> bool {
        match self {
            Self::Service(asked) => asked.falls_back,
            Self::Plugin(_) => false,
        }
    }

    fn nonsense(&self) -> ScanFailure {
        ScanFailure::unusable(self.name())
    }

    async fn scan(&self, texts: &Texts) -> Result<Found, ScanFailure> {
        let mut found = Found::default();
        let scanned = match self {
            Self::Service(asked) => asked.scan(texts, &mut found).await,
            Self::Plugin(plugin) => plugin
                .ask(&texts.all)
                .await
                .map(|of_leaves| found.of_leaves = of_leaves),
        };
        let failed = scanned.err();
        if let Some(failure) = failed {
            tracing::warn!(
                error = failure.class(),
                fallback = self.falls_back(),
                "{failure}"
            );
            if !self.falls_back() {
                return Err(failure);
            }
        }
        found.fell_back = failed.is_some();
        Ok(found)
    }
}

impl Kind {
    const fn name(&self) -> &'static str {
        match self {
            Self::Llm(_) => "llm",
            Self::Ner(_) => ner::NAME,
            Self::Presidio(_) => "presidio",
        }
    }
}

impl Asked {
    /// Asks for the texts without cached results.
    async fn scan(&self, texts: &Texts, found: &mut Found) -> Result<(), ScanFailure> {
        let mut asked = Vec::new();
        let mut asked_of = Vec::new();
        for (text, leaves) in texts.iter() {
            let digest = self.findings.digest(text);
            if let Some(known) = self.findings.get(&digest) {
                found.add(leaves, &known.detections);
            } else {
                asked.push(text);
                asked_of.push((digest, leaves));
            }
        }
        let mut keep = |index: usize, spans: Vec<Span>| {
            if let Some((digest, leaves)) = asked_of.get(index) {
                let new = spans.iter().map(|span| span.detection(self.kind.name()));
                let new = TextFindings::from(new.collect::<Vec<_>>());
                found.add(leaves, &new.detections);
                self.findings.keep(*digest, new);
            }
        };
        match &self.kind {
            Kind::Llm(llm) => llm.ask(&asked, &mut keep).await,
            Kind::Ner(ner) => ner.ask(&asked, &mut keep).await,
            Kind::Presidio(presidio) => presidio.ask(&asked, &mut keep).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{LlmSettings, PresidioSettings};
    use engine::{Engine, Score, Sensitive, Settings};
    use std::net::SocketAddr;
    use std::time::Duration;
    use tokio::net::TcpListener;

    fn presidio(address: SocketAddr) -> ExternalDetector {
        let settings = PresidioSettings {
            url: Sensitive::new(format!("http://{address}")),
            language: "en".to_owned(),
            timeout: Duration::from_mins(5),
            min_score: Score::MAX,
        };
        ExternalDetector {
            entities: Vec::new(),
            cache_size: 0,
            kind: ExternalKind::Presidio(settings),
        }
    }

    /// The client once waited for the slowest of the others.
    #[tokio::test(start_paused = true)]
    async fn a_failed_detector_is_reported_before_others_finish() {
        let listener = || TcpListener::bind("127.0.0.1:0");
        let silent = listener().await.unwrap();
        let closed = listener().await.unwrap().local_addr().unwrap();
        let settings = [silent.local_addr().unwrap(), closed].map(presidio);
        let detectors = ExternalDetectors::new(&settings).unwrap();
        let leaves = Engine::new(Settings::default()).leaves("I am Ann");
        let failure = detectors.scan(leaves).await.unwrap_err();
        assert_eq!(failure.class(), "DetectorUnreachable");
    }

    /// Additional instructions for a model were shown in places other than the configuration.
    #[test]
    fn no_secret_of_a_detector_is_in_debug_output() {
        let secret = || Sensitive::new("hunter2".to_owned());
        let settings = LlmSettings {
            messages_style: true,
            model: "m".to_owned(),
            base_url: Some(Sensitive::new("http://a.example".to_owned())),
            api_key: Some(secret()),
            instructions: Some(secret()),
            timeout: Duration::from_secs(1),
            fallback_on_error: false,
            max_chars: 100,
        };
        let settings = ExternalDetector {
            entities: Vec::new(),
            cache_size: 0,
            kind: ExternalKind::Llm(settings),
        };
        let shown = format!("{:?}", ExternalDetectors::new(&[settings]).unwrap());
        assert!(
            shown.contains("a.example") && !shown.contains("hunter2"),
            "{shown}"
        );
    }
}
