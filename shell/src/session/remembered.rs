//! Remembers sessions that are not in the vault, by what identifies their history.
//!
//! Clients that keep the history themselves send sealed reasoning back with every turn. With this,
//! their tokens stay the same from turn to turn, as long as the process runs.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{HistoryName, Session};

use super::identity::HistoryOwner;
use crate::vault::Claim;

const MAX_NAMES: usize = 65_536;
const MAX_BYTES: usize = 64 << 20;

/// The approximate size of a mapping besides its value.
const MAPPING_BYTES: usize = 256;

/// A bounded memory: what was put in longest ago goes first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Remembered(Arc<Mutex<Memory>>);

/// A session as it was after an exchange.
#[derive(Debug)]
pub(super) struct Snapshot {
    session: Session,
    /// Other tokens of the history may be counted ones: some of it is unknown, and the session is not derived.
    is_partial: bool,
    bytes: usize,
    /// How many names it is remembered by.
    names: AtomicUsize,
}

impl Snapshot {
    /// `is_partial` tells that some of the history is unknown.
    pub(super) fn new(session: Session, is_partial: bool) -> Arc<Self> {
        let values = session
            .mappings()
            .map(|mapping| mapping.value().expose().len() + MAPPING_BYTES);
        let bytes = values.sum::<usize>() + MAPPING_BYTES;
        Arc::new(Self {
            is_partial: is_partial && !session.is_derived(),
            session,
            bytes,
            names: AtomicUsize::new(0),
        })
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Whether it continues another session, so that an id may stand for both.
    fn holds(&self, other: &Self) -> bool {
        let mut session = self.session.clone();
        self.session.is_derived() == other.session.is_derived()
            && session.adopt_session(&other.session)
            && session.len() == self.session.len()
    }

    /// Whether the history may hold counted tokens that the session does not know. Operators that don't count give
    /// each value the same token again, so only a reload to one that counts needs to know.
    pub(super) const fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Whether the history is known to hold no token at all.
    pub(super) fn is_blank(&self) -> bool {
        self.session.is_empty() && !self.session.is_derived()
    }
}

type Name = (HistoryOwner, HistoryName);

#[derive(Debug, Default)]
struct Memory {
    /// `None` for an id that several replies had.
    by_name: HashMap<Name, (u64, Option<Arc<Snapshot>>)>,
    by_age: BTreeMap<u64, Name>,
    puts: u64,
    bytes: usize,
}

impl Remembered {
    pub(super) fn put(
        &self,
        holder: HistoryOwner,
        names: &[HistoryName],
        snapshot: &Arc<Snapshot>,
        claim: Claim,
    ) {
        let mut memory = self.lock();
        for name in names.iter().map(|name| (holder, *name)) {
            let is_free = claim == Claim::Taken || memory.may_take(name, snapshot);
            memory.put(name, is_free.then(|| Arc::clone(snapshot)));
        }
        memory.shrink();
    }

    pub(super) fn get(&self, holder: HistoryOwner, name: &HistoryName) -> Option<Arc<Snapshot>> {
        let memory = self.lock();
        let (_, snapshot) = memory.by_name.get(&(holder, *name))?;
        snapshot.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn may_take(&self, name: Name, snapshot: &Snapshot) -> bool {
        let held = self.by_name.get(&name);
        held.is_none_or(|(_, held)| held.as_ref().is_some_and(|held| snapshot.holds(held)))
    }

    fn put(&mut self, name: Name, snapshot: Option<Arc<Snapshot>>) {
        self.remove(name);
        self.puts += 1;
        if let Some(snapshot) = &snapshot
            && snapshot.names.fetch_add(1, Ordering::Relaxed) == 0
        {
            self.bytes += snapshot.bytes;
        }
        self.by_age.insert(self.puts, name);
        self.by_name.insert(name, (self.puts, snapshot));
    }

    fn remove(&mut self, name: Name) {
        if let Some((put, snapshot)) = self.by_name.remove(&name) {
            self.by_age.remove(&put);
            if let Some(snapshot) = snapshot
                && snapshot.names.fetch_sub(1, Ordering::Relaxed) == 1
            {
                self.bytes = self.bytes.saturating_sub(snapshot.bytes);
            }
        }
    }

    fn shrink(&mut self) {
        while self.by_name.len() > MAX_NAMES || self.bytes > MAX_BYTES {
            let Some((_, oldest)) = self.by_age.first_key_value() else {
                return;
            };
            self.remove(*oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{EntityType, Mapping, Sensitive};

    fn names(count: usize) -> Vec<HistoryName> {
        let engine = engine::Engine::new(engine::Settings::default());
        let items = (0..count).map(|id| format!("{{\"type\":\"item_reference\",\"id\":\"{id}\"}}"));
        let items = items.collect::<Vec<_>>().join(",");
        let body = format!("{{\"input\":[{items}]}}").into_bytes();
        let request = engine.request(engine::Schema::Responses, body).unwrap();
        request.history().names().to_vec()
    }

    fn snapshot(bytes: usize) -> Arc<Snapshot> {
        let mut session = Session::new();
        let value = Sensitive::new("x".repeat(bytes));
        assert!(session.adopt(Arc::new(Mapping::new(EntityType::SECRET, "1", value))));
        Snapshot::new(session, false)
    }

    #[test]
    fn the_oldest_names_are_evicted_and_snapshots_counted_once() {
        let (remembered, holder) = (Remembered::default(), HistoryOwner::of_test(1));
        let names = names(4);
        let large = snapshot(MAX_BYTES / 2);
        remembered.put(holder, &names[..2], &large, Claim::Taken);
        remembered.put(holder, &names[2..3], &snapshot(MAX_BYTES / 4), Claim::Taken);
        assert!(
            names[..3]
                .iter()
                .all(|name| remembered.get(holder, name).is_some())
        );
        remembered.put(holder, &names[1..2], &large, Claim::Taken);
        remembered.put(holder, &names[3..], &snapshot(MAX_BYTES / 3), Claim::Taken);
        let is_there = |name| remembered.get(holder, name).is_some();
        assert_eq!(
            names.iter().map(is_there).collect::<Vec<_>>(),
            [false, true, false, true]
        );
        assert!(
            remembered
                .get(HistoryOwner::of_test(2), &names[3])
                .is_none()
        );
    }

    /// A provider that gave two replies one name got a value of the other.
    #[test]
    fn a_name_shared_by_two_replies_is_ambiguous_until_used() {
        let (remembered, holder) = (Remembered::default(), HistoryOwner::of_test(1));
        let (name, first, second) = (names(1), snapshot(1), snapshot(2));
        let put = |snapshot, claim| {
            remembered.put(holder, &name, snapshot, claim);
            remembered.get(holder, &name[0]).is_some()
        };
        assert!(put(&first, Claim::Shared) && put(&first, Claim::Shared));
        let mut grown = first.session().clone();
        let value = Sensitive::new("more".to_owned());
        assert!(grown.adopt(Arc::new(Mapping::new(EntityType::SECRET, "2", value))));
        let grown = Snapshot::new(grown, false);
        assert!(put(&grown, Claim::Shared));
        assert!(!put(&second, Claim::Shared) && !put(&second, Claim::Shared));
        assert!(put(&second, Claim::Taken));
    }

    #[test]
    fn an_empty_snapshot_is_blank_unless_history_was_unknown() {
        assert!(Snapshot::new(Session::new(), false).is_blank());
        let derived = Session::derived(Sensitive::new([0; 32]));
        assert!(!Snapshot::new(derived, false).is_blank() && !snapshot(1).is_blank());
    }
}
