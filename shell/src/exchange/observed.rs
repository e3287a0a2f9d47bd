//! What `run` tells its user about the exchanges: counts for the end, notices for now. Never content.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashSet};
use std::hash::BuildHasher;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{EntityType, MaskSummary, Session};

use crate::error::Fault;

/// How long a path is not named again.
const QUIET: Duration = Duration::from_mins(1);

/// How many notices may wait for who reads them. Further ones are dropped: an exchange never waits.
const WAITING: usize = 64;

/// How many paths are told apart. Requests to further ones are counted together.
const PATHS: usize = 64;

/// Watches the exchanges of a proxy in this process. The default watches nothing and costs nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Observed(Option<Arc<Watched>>);

/// Something to say at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Notice {
    /// A request with a body went to this path as it came. At most one for each path and minute.
    Unmasked(String),
    /// The provider can't be reached. At most one.
    Unreachable(Fault),
}

/// What happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Requests that reached the proxy, whatever became of them.
    pub(crate) requests: u64,
    /// Masked values by type. A value counts once, unless the operator keeps none: then each occurrence.
    pub(crate) values: BTreeMap<EntityType, u64>,
    /// Requests with a body that were forwarded as they came, by path.
    pub(crate) unmasked: BTreeMap<String, u64>,
    /// Such requests to paths beyond the number that is told apart.
    pub(crate) unmasked_elsewhere: u64,
}

#[derive(Debug)]
struct Watched {
    state: Mutex<State>,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct State {
    tally: Tally,
    notices: Option<SyncSender<Notice>>,
    /// The tokens that were counted, as hashes.
    counted: HashSet<u64>,
    /// When a path was named last.
    named: BTreeMap<String, Instant>,
    was_unreachable: bool,
}

impl Observed {
    /// One that watches, and what it has to say.
    pub(crate) fn watching() -> (Self, Receiver<Notice>) {
        let (notices, receiver) = sync_channel(WAITING);
        let state = State {
            notices: Some(notices),
            ..State::default()
        };
        let watched = Watched {
            state: Mutex::new(state),
            hasher: RandomState::new(),
        };
        (Self(Some(Arc::new(watched))), receiver)
    }

    /// What happened. There are no notices any more, so who waits for them comes to an end.
    pub(crate) fn finish(&self) -> Tally {
        let Some(watched) = &self.0 else {
            return Tally::default();
        };
        watched.with(|state| {
            state.notices = None;
            state.tally.clone()
        })
    }

    /// A request came that is not for the proxy itself.
    pub(super) fn request(&self) {
        if let Some(watched) = &self.0 {
            watched.with(|state| state.tally.requests += 1);
        }
    }

    /// A request was masked, and this is its session now.
    pub(super) fn masked(&self, summary: &MaskSummary, session: &Session) {
        if let Some(watched) = &self.0
            && summary.transformations > 0
        {
            watched.count(summary, session);
        }
    }

    /// A request with a body is forwarded as it came. `path` is as it may be shown.
    pub(super) fn unmasked(&self, path: impl FnOnce() -> String) {
        if let Some(watched) = &self.0 {
            watched.unmasked(path(), Instant::now());
        }
    }

    /// An exchange failed.
    pub(super) fn failed(&self, fault: Fault) {
        if let Some(watched) = &self.0
            && fault.is_unreachable()
        {
            watched.with(|state| {
                if !std::mem::replace(&mut state.was_unreachable, true) {
                    state.tell(Notice::Unreachable(fault));
                }
            });
        }
    }
}

impl Watched {
    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn count(&self, summary: &MaskSummary, session: &Session) {
        self.with(|State { tally, counted, .. }| {
            let mut add = |entity: &EntityType, count| {
                // What only looks like a token is masked, too, but is nobody's value.
                if *entity == EntityType::LITERAL {
                    return;
                }
                *tally.values.entry(entity.clone()).or_default() += count;
            };
            if session.is_empty() {
                for (entity, count) in &summary.entity_counts {
                    add(entity, *count);
                }
            }
            for mapping in session.mappings() {
                let token = (mapping.entity().as_str(), mapping.id());
                if counted.insert(self.hasher.hash_one(token)) {
                    add(mapping.entity(), 1);
                }
            }
        });
    }

    fn unmasked(&self, path: String, now: Instant) {
        self.with(|state| state.unmasked(path, now));
    }
}

impl State {
    fn unmasked(&mut self, path: String, now: Instant) {
        let paths = &mut self.tally.unmasked;
        if !paths.contains_key(&path) && paths.len() >= PATHS {
            self.tally.unmasked_elsewhere += 1;
            return;
        }
        *paths.entry(path.clone()).or_default() += 1;
        let is_quiet = |last: &Instant| now.duration_since(*last) < QUIET;
        if !self.named.get(&path).is_some_and(is_quiet) {
            self.named.insert(path.clone(), now);
            self.tell(Notice::Unmasked(path));
        }
    }

    fn tell(&self, notice: Notice) {
        if let Some(notices) = &self.notices {
            // Nobody may be left to read it, or too many may wait.
            let _ = notices.try_send(notice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Engine, Settings};

    fn watching() -> (Arc<Watched>, Receiver<Notice>) {
        let (observed, notices) = Observed::watching();
        (observed.0.unwrap(), notices)
    }

    #[test]
    fn a_path_is_named_once_a_minute_and_counted_every_time() {
        let (watched, notices) = watching();
        let start = Instant::now();
        for seconds in [0, 1, 59, 60, 61] {
            watched.unmasked("/v1/foo".to_owned(), start + Duration::from_secs(seconds));
        }
        watched.unmasked("/v1/bar".to_owned(), start);
        let named: Vec<_> = notices.try_iter().collect();
        let unmasked = |path: &str| Notice::Unmasked(path.to_owned());
        assert_eq!(
            named,
            [
                unmasked("/v1/foo"),
                unmasked("/v1/foo"),
                unmasked("/v1/bar")
            ]
        );
        let tally = watched.with(|state| state.tally.clone());
        assert_eq!(tally.unmasked["/v1/foo"], 5);
        assert_eq!(tally.unmasked["/v1/bar"], 1);
    }

    #[test]
    fn paths_without_end_take_bounded_memory_and_are_all_counted() {
        let (watched, notices) = watching();
        let now = Instant::now();
        for number in 0..1000 {
            watched.unmasked(format!("/v1/{number}"), now);
        }
        assert_eq!(notices.try_iter().count(), PATHS);
        let tally = watched.with(|state| state.tally.clone());
        assert_eq!(tally.unmasked.len(), PATHS);
        let told_apart = u64::try_from(PATHS).unwrap();
        assert_eq!(tally.unmasked_elsewhere, 1000 - told_apart);
    }

    #[test]
    fn an_unreachable_provider_is_told_once_and_other_faults_are_not() {
        let (observed, notices) = Observed::watching();
        for fault in [
            Fault::ReplyTimeout,
            Fault::Unreachable,
            Fault::ConnectTimeout,
            Fault::Unreachable,
        ] {
            observed.failed(fault);
        }
        let told: Vec<_> = notices.try_iter().collect();
        assert_eq!(told, [Notice::Unreachable(Fault::Unreachable)]);
    }

    /// An agent repeats its whole history in every request.
    #[test]
    fn a_value_counts_once_however_often_it_is_sent() {
        let (observed, _notices) = Observed::watching();
        let engine = Engine::new(Settings::default());
        let mut session = Session::new();
        let summary = MaskSummary {
            transformations: 1,
            ..MaskSummary::default()
        };
        let _ = engine.mask_text("alice@example.com", &mut session);
        observed.masked(&summary, &session);
        let _ = engine.mask_text("alice@example.com and bob@example.com", &mut session);
        observed.masked(&summary, &session);
        let tally = observed.finish();
        assert_eq!(tally.values, BTreeMap::from([(EntityType::EMAIL, 2)]));
    }
}
