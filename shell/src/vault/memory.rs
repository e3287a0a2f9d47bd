//! Sessions in memory: limited in number, and lost with the process.

mod links;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use self::links::Links;
use super::{
    Base, Claim, HISTORY_TIME, IdKey, Key, Link, LinkName, Listed, NewSession, Record, Stored,
    StoredMapping, Version, first_version, milliseconds,
};
use crate::base::clock::now;

/// How many sessions are kept, at most.
const MAX_SESSIONS: usize = 10_000;
/// How many bytes of values they may hold, at most.
const MAX_BYTES: usize = 256 << 20;
/// The approximate size of a mapping besides its value.
const MAPPING_BYTES: usize = 512;

/// The vault `memory`: the sessions that were idle longest go first.
#[derive(Debug)]
pub(crate) struct Memory {
    id_key: IdKey,
    ttl: Option<i64>,
    sessions: Mutex<Sessions>,
    links: Mutex<Links>,
}

#[derive(Debug, Default)]
struct Sessions {
    by_key: HashMap<Arc<Key>, Kept>,
    by_use: BTreeMap<u64, Arc<Key>>,
    uses: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Kept {
    version: Version,
    made: NewSession,
    last_active: i64,
    last_use: u64,
    mappings: Vec<StoredMapping>,
    bytes: usize,
}

impl Memory {
    pub(super) fn new(ttl: Option<Duration>) -> Self {
        Self {
            id_key: IdKey::random(),
            ttl: ttl.map(milliseconds),
            sessions: Mutex::default(),
            links: Mutex::default(),
        }
    }

    pub(super) fn id_key(&self) -> IdKey {
        self.id_key.clone()
    }

    pub(super) fn load(&self, key: &Key) -> Option<Record> {
        let now = now();
        let mut sessions = self.lock(now);
        sessions.forget_history(key, now);
        let kept = sessions.by_key.get(key)?;
        Some(Record {
            version: kept.version,
            made: kept.made,
            mappings: kept.mappings.clone(),
        })
    }

    pub(super) fn version(&self, key: &Key) -> Option<Version> {
        let now = now();
        let mut sessions = self.lock(now);
        sessions.forget_history(key, now);
        sessions.by_key.get(key).map(|kept| kept.version)
    }

    pub(super) fn store(
        &self,
        key: &Key,
        base: Option<Base>,
        made: NewSession,
        new: Vec<StoredMapping>,
    ) -> Stored {
        let now = now();
        let mut sessions = self.lock(now);
        sessions.forget_history(key, now);
        let version = sessions.by_key.get(key).map(|kept| kept.version);
        if version != base.map(|base| base.version) {
            return Stored::Conflict;
        }
        if version.is_none() {
            sessions.begin(key, made, now);
        }
        sessions.add(key, new);
        sessions.used(key, now);
        sessions.shrink();
        Stored::Done
    }

    pub(super) fn touch(&self, key: &Key) -> Stored {
        let now = now();
        if self.lock(now).used(key, now) {
            Stored::Done
        } else {
            Stored::Conflict
        }
    }

    pub(super) fn list(&self) -> Vec<Listed> {
        let time = |at| Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH);
        let sessions = self.lock(now());
        let listed = sessions.by_key.iter().map(|(key, kept)| Listed {
            key: Key::clone(key),
            created: time(kept.made.created),
            last_active: time(kept.last_active),
            mappings: u64::try_from(kept.mappings.len()).unwrap_or(u64::MAX),
            of_history: kept.made.of_history,
        });
        listed.collect()
    }

    pub(super) fn delete_idle(&self, key: &Key, before: Timestamp) -> bool {
        let mut sessions = self.lock(now());
        let last_active = sessions.by_key.get(key).map(|kept| kept.last_active);
        let is_idle = last_active.is_some_and(|at| at < before.as_millisecond());
        is_idle && sessions.remove(key)
    }

    pub(super) fn link(&self, names: Vec<LinkName>, link: &Link, claim: Claim) {
        self.lock_links().put(names, link, claim, now());
    }

    pub(super) fn follow(&self, names: &[LinkName]) -> Vec<Option<Link>> {
        let (links, now) = (self.lock_links(), now());
        names.iter().map(|name| links.get(name, now)).collect()
    }

    pub(super) fn unlink(&self, names: &[LinkName]) {
        self.lock_links().remove(names);
    }

    fn lock_links(&self) -> MutexGuard<'_, Links> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sessions without those that were forgotten by now.
    fn lock(&self, now: i64) -> MutexGuard<'_, Sessions> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ttl) = self.ttl {
            sessions.forget(now.saturating_sub(ttl));
        }
        sessions
    }
}

impl Sessions {
    fn begin(&mut self, key: &Key, made: NewSession, now: i64) {
        let kept = Kept {
            version: first_version(),
            made,
            last_active: now,
            last_use: 0,
            mappings: Vec::new(),
            bytes: MAPPING_BYTES,
        };
        self.bytes += kept.bytes;
        self.by_key.insert(Arc::new(key.clone()), kept);
    }

    fn add(&mut self, key: &Key, new: Vec<StoredMapping>) {
        let Some(kept) = self.by_key.get_mut(key) else {
            return;
        };
        let bytes: usize = new
            .iter()
            .map(|mapping| mapping.value().len() + MAPPING_BYTES)
            .sum();
        kept.version += 1;
        kept.mappings.extend(new);
        kept.bytes += bytes;
        self.bytes += bytes;
    }

    /// Records a use; `false` if there is no such session.
    fn used(&mut self, key: &Key, now: i64) -> bool {
        let Some((key, _)) = self.by_key.get_key_value(key) else {
            return false;
        };
        let key = Arc::clone(key);
        self.uses += 1;
        if let Some(kept) = self.by_key.get_mut(&key) {
            self.by_use.remove(&kept.last_use);
            kept.last_use = self.uses;
            kept.last_active = now;
        }
        self.by_use.insert(self.uses, key);
        true
    }

    fn remove(&mut self, key: &Key) -> bool {
        let Some(kept) = self.by_key.remove(key) else {
            return false;
        };
        self.by_use.remove(&kept.last_use);
        self.bytes -= kept.bytes;
        true
    }

    fn forget(&mut self, before: i64) {
        while let Some(oldest) = self.oldest() {
            if self
                .by_key
                .get(&*oldest)
                .is_some_and(|kept| kept.last_active >= before)
            {
                return;
            }
            self.remove(&oldest);
        }
    }

    /// Forgets a session that only continues history which no provider keeps any more.
    fn forget_history(&mut self, key: &Key, now: i64) {
        let since = now.saturating_sub(milliseconds(HISTORY_TIME));
        let kept = self.by_key.get(key);
        if kept.is_some_and(|kept| kept.made.of_history && kept.last_active < since) {
            self.remove(key);
        }
    }

    fn shrink(&mut self) {
        while self.by_key.len() > MAX_SESSIONS || self.bytes > MAX_BYTES {
            let Some(oldest) = self.oldest() else { return };
            self.remove(&oldest);
        }
    }

    fn oldest(&self) -> Option<Arc<Key>> {
        self.by_use.values().next().cloned()
    }
}
