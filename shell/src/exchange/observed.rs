//! Counts and notices for the user of `run`. Never content.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashSet};
use std::hash::BuildHasher;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use engine::{EntityType, MaskSummary, Session};

use crate::error::Fault;

/// How many notices may wait for who reads them. Further ones are dropped: an exchange never waits.
const WAITING: usize = 64;

/// The most paths that are counted separately. Requests to other paths are counted together.
const PATHS: usize = 64;

/// Watches the exchanges of a proxy in this process. The default watches nothing and costs nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Observed(Option<Arc<Watched>>);

/// Something to say at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Notice {
    /// A request with a body was forwarded to this path unmasked.
    Unmasked(String),
    /// The provider can't be reached. At most one.
    Unreachable(Fault),
}

/// What happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four independent facts")]
pub(crate) struct ExchangeCounts {
    /// Requests that reached the proxy, whatever became of them.
    pub(crate) requests: u64,
    /// Requests that the proxy answered itself, or whose reply broke off.
    pub(crate) failed: u64,
    /// Masked values by type. A value counts once, unless the operator keeps none.
    pub(crate) values: BTreeMap<EntityType, u64>,
    /// Whether no values were kept, so that each occurrence was counted.
    pub(crate) counts_places: bool,
    /// Whether the values were only counted, and reached the provider.
    pub(crate) is_shadow: bool,
    /// Whether parts of masked requests could not be read, such as images.
    pub(crate) has_unread: bool,
    /// Whether paths or headers held values.
    pub(crate) has_warned: bool,
    /// Requests with a body that were forwarded as they came, by path.
    pub(crate) unmasked: BTreeMap<String, u64>,
    /// Such requests to paths that are not counted separately.
    pub(crate) unmasked_elsewhere: u64,
}

#[derive(Debug)]
struct Watched {
    state: Mutex<State>,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct State {
    tally: ExchangeCounts,
    notices: Option<SyncSender<Notice>>,
    /// The tokens that were counted, as hashes.
    counted: HashSet<u64>,
    was_unreachable: bool,
}

impl Observed {
    /// A watcher, and its notices.
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

    /// The counts. There are no more notices, so waiting for them ends.
    pub(crate) fn finish(&self) -> ExchangeCounts {
        let Some(watched) = &self.0 else {
            return ExchangeCounts::default();
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
        let Some(watched) = &self.0 else { return };
        if summary.unread > 0 {
            watched.with(|state| state.tally.has_unread = true);
        }
        if summary.transformations > 0 {
            watched.count(summary, session);
        }
    }

    /// A request went on with a value in its path or in a header.
    pub(super) fn revealed(&self) {
        if let Some(watched) = &self.0 {
            watched.with(|state| state.tally.has_warned = true);
        }
    }

    /// This would have been masked in a request that went on as it came.
    pub(super) fn shadowed(&self, summary: &MaskSummary) {
        let Some(watched) = &self.0 else { return };
        watched.with(|state| state.tally.is_shadow = true);
        self.masked(summary, &Session::new());
    }

    /// A request with a body is forwarded unmasked. `path` is its loggable form, `named` the notice
    /// to print now.
    pub(super) fn unmasked(&self, path: &str, named: Option<&str>) {
        if let Some(watched) = &self.0 {
            watched.with(|state| {
                state.count_unmasked(path);
                if let Some(named) = named {
                    state.notify(Notice::Unmasked(named.to_owned()));
                }
            });
        }
    }

    /// A request was refused that no exchange was begun for.
    pub(super) fn refused(&self) {
        if let Some(watched) = &self.0 {
            watched.with(|state| state.tally.failed += 1);
        }
    }

    /// An exchange failed.
    pub(super) fn failed(&self, fault: Fault) {
        let Some(watched) = &self.0 else { return };
        watched.with(|state| {
            state.tally.failed += 1;
            if fault.is_unreachable() && !std::mem::replace(&mut state.was_unreachable, true) {
                state.notify(Notice::Unreachable(fault));
            }
        });
    }
}

impl Watched {
    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn count(&self, summary: &MaskSummary, session: &Session) {
        self.with(|State { tally, counted, .. }| {
            let mut add = |entity: &EntityType, count| {
                // Text that only looks like a token is masked too, but it is nobody's value.
                if *entity == EntityType::LITERAL {
                    return;
                }
                *tally.values.entry(entity.clone()).or_default() += count;
            };
            if session.is_empty() {
                tally.counts_places = true;
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
}

impl State {
    fn count_unmasked(&mut self, path: &str) {
        let paths = &mut self.tally.unmasked;
        if let Some(count) = paths.get_mut(path) {
            *count += 1;
        } else if paths.len() < PATHS {
            paths.insert(path.to_owned(), 1);
        } else {
            self.tally.unmasked_elsewhere += 1;
        }
    }

    fn notify(&self, notice: Notice) {
        if let Some(notices) = &self.notices {
            // Nobody may be left to read it, or too many notices may be waiting.
            let _ = notices.try_send(notice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Origin;
    use crate::error::ProviderAddress;
    use engine::{Engine, Settings};

    #[test]
    fn a_path_is_reported_when_due_and_always_counted() {
        let (observed, notices) = Observed::watching();
        observed.unmasked("/v1/foo", Some("/v1/foo"));
        observed.unmasked("/v1/foo", None);
        let named: Vec<_> = notices.try_iter().collect();
        assert_eq!(named, [Notice::Unmasked("/v1/foo".to_owned())]);
        assert_eq!(observed.finish().unmasked["/v1/foo"], 2);
    }

    #[test]
    fn endless_distinct_paths_are_counted_in_bounded_memory() {
        let (observed, _notices) = Observed::watching();
        for number in 0..1000 {
            observed.unmasked(&format!("/v1/{number}"), None);
        }
        let tally = observed.finish();
        assert_eq!(tally.unmasked.len(), PATHS);
        let distinct = u64::try_from(PATHS).unwrap();
        assert_eq!(tally.unmasked_elsewhere, 1000 - distinct);
    }

    #[test]
    fn an_unreachable_provider_is_reported_once_and_other_faults_are_not() {
        let (observed, notices) = Observed::watching();
        let address = ProviderAddress::of(&Origin::parse("http://127.0.0.1:9").unwrap());
        for fault in [
            Fault::ReplyTimeout,
            Fault::Unreachable(address),
            Fault::ConnectTimeout(address),
            Fault::Unreachable(address),
        ] {
            observed.failed(fault);
        }
        let revealed: Vec<_> = notices.try_iter().collect();
        assert_eq!(revealed, [Notice::Unreachable(Fault::Unreachable(address))]);
        assert_eq!(observed.finish().failed, 4);
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
