//! Sessions in a SQLite file.
//!
//! Calls wait for a disk and for other processes, so they run on their own threads: several
//! readers, and one writer, because SQLite allows one writer at a time.

mod database;
mod links;
mod open;
mod threads;

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;

pub(super) use self::database::Database;
#[cfg(test)]
pub(super) use self::open::create;
use self::threads::Threads;
use super::{
    Base, Claim, IdKey, Key, KnownKey, Link, LinkName, Listed, NewSession, OpenError, Record,
    Stored, StoredMapping, VaultError, Version,
};
use crate::base::io_error;

const READERS: usize = 2;

/// The vault `sqlite`.
#[derive(Debug)]
pub(crate) struct Sqlite {
    readers: Threads,
    writer: Threads,
    id_key: KnownKey,
}

impl Sqlite {
    /// Opens the file, making it where it is missing.
    ///
    /// # Errors
    /// When it is no database of ours, or can't be read and written.
    pub(super) fn open(path: &Path, ttl: Option<Duration>) -> Result<Self, OpenError> {
        let refused = |reason: String| OpenError {
            vault: path.display().to_string(),
            reason,
        };
        open::create(path).map_err(|error| refused(io_error::in_words(&error)))?;
        let open = || Database::open(path, ttl).map_err(|error| refused(error.to_string()));
        let writer = open()?;
        let id_key = writer.known_key();
        let readers = (0..READERS).map(|_| open()).collect::<Result<_, _>>()?;
        let start = |name, databases, between: fn(&mut Database)| {
            Threads::start(name, databases, between).map_err(|error| refused(error.to_string()))
        };
        Ok(Self {
            readers: start("vault-read", readers, |_| {})?,
            writer: start("vault-write", vec![writer], Database::maintain)?,
            id_key,
        })
    }

    pub(super) async fn id_key(&self) -> Result<IdKey, VaultError> {
        match self.id_key.get() {
            Some(known) => Ok(known),
            None => self.writer.run(Database::id_key).await,
        }
    }

    pub(super) async fn load(&self, key: &Key) -> Result<Option<Record>, VaultError> {
        let key = key.clone();
        self.readers.run(move |database| database.load(&key)).await
    }

    pub(super) async fn version(&self, key: &Key) -> Result<Option<Version>, VaultError> {
        let key = key.clone();
        let version = move |database: &mut Database| database.version(&key);
        self.readers.run(version).await
    }

    pub(super) async fn store(
        &self,
        key: &Key,
        base: Option<Base>,
        made: NewSession,
        new: Vec<StoredMapping>,
    ) -> Result<Stored, VaultError> {
        let key = key.clone();
        let store = move |database: &mut Database| database.store(&key, base, made, &new);
        self.writer.run(store).await
    }

    pub(super) async fn touch(&self, key: &Key) -> Result<Stored, VaultError> {
        let key = key.clone();
        self.writer.run(move |database| database.touch(&key)).await
    }

    pub(super) async fn link(
        &self,
        names: Vec<LinkName>,
        link: Link,
        claim: Claim,
    ) -> Result<(), VaultError> {
        let put = move |database: &mut Database| database.link(&names, &link, claim);
        self.writer.run(put).await
    }

    pub(super) async fn follow(
        &self,
        names: Vec<LinkName>,
    ) -> Result<Vec<Option<Link>>, VaultError> {
        let follow = move |database: &mut Database| database.follow(&names);
        self.readers.run(follow).await
    }

    pub(super) async fn unlink(&self, names: Vec<LinkName>) -> Result<(), VaultError> {
        let remove = move |database: &mut Database| database.unlink(&names);
        self.writer.run(remove).await
    }

    pub(super) async fn list(&self) -> Result<Vec<Listed>, VaultError> {
        self.readers.run(Database::list).await
    }

    pub(super) async fn delete_idle(
        &self,
        key: &Key,
        before: Timestamp,
    ) -> Result<bool, VaultError> {
        let key = key.clone();
        let before = before.as_millisecond();
        let delete = move |database: &mut Database| database.delete_idle(&key, before);
        self.writer.run(delete).await
    }

    /// Moves the content of the log into the file, unless others prevent it.
    pub(super) fn close(&self) {
        self.writer.finish(Database::wipe);
    }

    pub(super) async fn wipe(&self) -> Result<bool, VaultError> {
        self.writer.run(Database::wipe).await
    }
}
