//! Caches open sessions while they are in use.
//!
//! Opening a session takes time for each of its values: they are decrypted, indexed, and prepared
//! for search. Reading it from the vault takes time too. So the vault is asked only for the current
//! version.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::Session;

use crate::vault::{Base, Key, NewSession, Version};

/// The most bytes that the sessions may take, by [`Session::bytes`].
const MAX_BYTES: usize = 128 << 20;

/// How long a session is kept after its last request.
const IDLE_TIME: Duration = Duration::from_mins(10);

/// The opened sessions of the process; those idle longest go first.
#[derive(Debug, Default)]
pub(super) struct HotSessions(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    by_key: HashMap<Arc<Key>, Hot>,
    by_use: BTreeMap<u64, Arc<Key>>,
    uses: u64,
    bytes: usize,
}

/// A session as it is at a version.
#[derive(Debug, Clone)]
pub(super) struct Opened {
    pub(super) base: Base,
    pub(super) made: NewSession,
    pub(super) session: Session,
}

#[derive(Debug)]
struct Hot {
    opened: Opened,
    bytes: usize,
    last_use: u64,
    used: Instant,
}

impl HotSessions {
    /// The version that is kept of a session.
    pub(super) fn version(&self, key: &Key) -> Option<Version> {
        let kept = self.lock();
        kept.by_key.get(key).map(|hot| hot.opened.base.version)
    }

    /// A session as it is at a version.
    pub(super) fn get(&self, key: &Key, version: Version) -> Option<Opened> {
        let kept = self.lock();
        let opened = &kept.by_key.get(key)?.opened;
        (opened.base.version == version).then(|| opened.clone())
    }

    /// Keeps a session.
    pub(super) fn keep(&self, key: &Key, opened: Opened) {
        let mut kept = self.lock();
        kept.remove(key);
        kept.add(key, opened);
        kept.shrink();
    }

    /// Drops a session that the vault does not have any more.
    pub(super) fn forget(&self, key: &Key) {
        self.lock().remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn add(&mut self, key: &Key, opened: Opened) {
        let key = Arc::new(key.clone());
        let bytes = opened.session.bytes();
        self.uses += 1;
        self.bytes += bytes;
        self.by_use.insert(self.uses, Arc::clone(&key));
        let hot = Hot {
            opened,
            bytes,
            last_use: self.uses,
            used: Instant::now(),
        };
        self.by_key.insert(key, hot);
    }

    fn remove(&mut self, key: &Key) {
        if let Some(hot) = self.by_key.remove(key) {
            self.by_use.remove(&hot.last_use);
            self.bytes -= hot.bytes;
        }
    }

    fn shrink(&mut self) {
        while let Some(oldest) = self.by_use.values().next().cloned() {
            let hot = self.by_key.get(&*oldest);
            let is_idle = hot.is_none_or(|hot| hot.used.elapsed() >= IDLE_TIME);
            if self.bytes <= MAX_BYTES && !is_idle {
                return;
            }
            self.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{EntityType, Mapping, Sensitive};

    fn key(id: &str) -> Key {
        Key {
            owner: "a".to_owned(),
            id: id.to_owned(),
        }
    }

    fn session(bytes: usize) -> Session {
        let mut session = Session::new();
        let value = Sensitive::new("v".repeat(bytes));
        assert!(session.adopt(Arc::new(Mapping::new(EntityType::SECRET, "1", value))));
        session
    }

    fn opened(version: Version, session: Session) -> Opened {
        Opened {
            base: Base {
                version,
                mappings: session.len(),
            },
            made: NewSession::plain(),
            session,
        }
    }

    #[test]
    fn a_cached_session_is_returned_only_at_its_version() {
        let hot = HotSessions::default();
        let length = |version| {
            let opened = hot.get(&key("s"), version);
            opened.map(|opened| opened.session.len())
        };
        hot.keep(&key("s"), opened(7, session(10)));
        assert_eq!((hot.version(&key("s")), length(7)), (Some(7), Some(1)));
        assert!(length(8).is_none());
        hot.keep(&key("s"), opened(8, Session::new()));
        assert_eq!((length(7), length(8)), (None, Some(0)));
        hot.forget(&key("s"));
        assert!(length(8).is_none() && hot.version(&key("s")).is_none());
        assert_eq!(hot.lock().bytes, 0);
    }

    #[test]
    fn the_least_recently_used_sessions_are_evicted_first() {
        let hot = HotSessions::default();
        for id in ["one", "two", "one", "three"] {
            hot.keep(&key(id), opened(1, session(MAX_BYTES / 5 * 2)));
        }
        assert!(hot.get(&key("two"), 1).is_none());
        assert!(hot.get(&key("one"), 1).is_some() && hot.get(&key("three"), 1).is_some());
    }
}
