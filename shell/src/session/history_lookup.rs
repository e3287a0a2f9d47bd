//! Resolves references to history: to linked sessions and to remembered ones.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use engine::{HistoryKind, HistoryName, Session};

use super::Caller;
use super::identity::{HistoryOwner, Identities};
use super::remembered::Snapshot;
use super::sessions::Sessions;
use crate::vault::{Link, NewSession, VaultError};

/// The most sessions that are read besides the one that a request is masked with, and their total
/// size.
const MAX_OTHERS: usize = 8;
const MAX_OF_OTHERS: usize = 10_000;

/// What is known of the names of a request.
pub(super) struct Known {
    pub(super) links: Vec<Link>,
    pub(super) snapshots: Vec<Arc<Snapshot>>,
    pub(super) is_complete: bool,
    /// Whether more is missing than files, which may be uploads.
    pub(super) is_lacking: bool,
    /// Whether a part of it leans on other history that is not known.
    pub(super) is_partial: bool,
}

impl Known {
    fn lack(&mut self, something: bool) {
        self.is_complete &= !something;
        self.is_lacking |= something;
    }

    pub(super) fn sessions(&self) -> Vec<Session> {
        let sessions = self.snapshots.iter();
        sessions
            .map(|snapshot| snapshot.session().clone())
            .collect()
    }
}

impl Sessions {
    /// What is known of names.
    ///
    /// # Errors
    /// When the vault fails.
    pub(super) async fn known(
        &self,
        identities: &Identities,
        holder: HistoryOwner,
        names: &[HistoryName],
    ) -> Result<Known, VaultError> {
        let mut known = Known {
            links: Vec::new(),
            snapshots: Vec::new(),
            is_complete: true,
            is_lacking: false,
            is_partial: false,
        };
        if names.is_empty() {
            return Ok(known);
        }
        let linked = names
            .iter()
            .map(|name| identities.link(holder, name))
            .collect();
        let linked = self.vault.follow(&identities.links(holder), linked).await?;
        for (name, link) in names.iter().zip(linked) {
            let remembered = self.remembered.get(holder, name);
            let remembered = remembered.filter(|snapshot| !(self.counts && snapshot.is_partial()));
            known.is_partial |= remembered.as_ref().is_some_and(|it| it.is_partial());
            let is_known = link.is_some() || remembered.is_some();
            known.is_complete &= is_known;
            known.is_lacking |= !is_known && name.kind() != HistoryKind::File;
            known.links.extend(link);
            known
                .snapshots
                .extend(remembered.filter(|snapshot| !snapshot.is_blank()));
        }
        let mut seen = HashSet::new();
        known.links.retain(|link| seen.insert(link.clone()));
        known.snapshots.dedup_by(|a, b| Arc::ptr_eq(a, b));
        Ok(known)
    }

    /// Those of these names that are known. While the vault is down, those that are remembered.
    pub(crate) async fn known_of(
        &self,
        names: &BTreeSet<HistoryName>,
        caller: Caller<'_>,
    ) -> BTreeSet<HistoryName> {
        let holder = Identities::holder(self.settings, caller);
        let (remembered, others): (BTreeSet<_>, BTreeSet<_>) = names.iter().partition(|name| {
            let remembered = self.remembered.get(holder, name);
            remembered.is_some_and(|snapshot| !(self.counts && snapshot.is_partial()))
        });
        let mut known = remembered;
        let linked = async {
            let identities = self.identities().await?;
            let links = others.iter().map(|name| identities.link(holder, name));
            self.vault
                .follow(&identities.links(holder), links.collect())
                .await
        };
        if !others.is_empty()
            && let Ok(linked) = linked.await
        {
            let linked = others.into_iter().zip(linked);
            known.extend(linked.filter_map(|(name, link)| link.map(|_| name)));
        }
        known
    }

    /// Reads the linked sessions, to join the remembered ones.
    pub(super) async fn read_all(&self, known: &mut Known) -> Result<(), VaultError> {
        let links = std::mem::take(&mut known.links);
        known.lack(links.len() > MAX_OTHERS);
        let mut room = MAX_OF_OTHERS;
        for link in links.into_iter().take(MAX_OTHERS) {
            match self.read(&link, room).await? {
                Some(session) => {
                    room -= session.len();
                    known.snapshots.push(Snapshot::new(session, false));
                }
                None => known.lack(true),
            }
        }
        Ok(())
    }

    /// The session of a link as it is now, if it is the same still and has no more values than that.
    async fn read(&self, link: &Link, room: usize) -> Result<Option<Session>, VaultError> {
        let mut held = self.load(link.session.clone()).await?;
        let is_same = held.made().is_some_and(|made| made.created == link.created);
        if !is_same || held.len() > room {
            return Ok(None);
        }
        let seed = self.identities().await?.seed(&link.session);
        held.begin(NewSession::plain(), seed);
        self.open(&mut held).map(Some)
    }

    /// The sessions of what a request uses and many share.
    pub(super) async fn referred(
        &self,
        holder: HistoryOwner,
        names: &[HistoryName],
    ) -> Result<Vec<Session>, VaultError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let mut known = self.known(&self.identities().await?, holder, names).await?;
        self.read_all(&mut known).await?;
        Ok(known.sessions())
    }
}
