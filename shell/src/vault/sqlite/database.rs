//! One connection to the file, and its queries.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::Origin;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior};

use super::super::{
    ANSWER_TIME, Base, HISTORY_TIME, IdKey, Key, KnownKey, Listed, NewSession, Record, Stored,
    StoredMapping, VaultError, Version, first_version, milliseconds, timestamp,
};
use super::links;
use super::open::{self, Unusable};
use crate::base::clock::now;
use crate::base::io_error;
use crate::system::file::FileId;

const LOAD: &str = "
    SELECT s.version, s.mappings, m.type, m.id, m.sealed, m.value, s.created, s.derived, s.of_history,
        m.origin
    FROM session s LEFT JOIN mapping m ON m.session = s.key
    WHERE s.id = ?1 AND s.owner = ?2 AND s.last_active >= iif(s.of_history, ?4, ?3)
    ORDER BY m.place";

const VERSION: &str = "
    SELECT version FROM session
    WHERE id = ?1 AND owner = ?2 AND last_active >= iif(of_history, ?4, ?3)";

/// How long to wait for others before the log next to the file is emptied.
const WIPE_TIME: Duration = Duration::from_secs(1);

/// What became of the file at the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileState {
    Kept,
    /// Another one is in its place, and open.
    Replaced,
    /// It is gone, and none can be made.
    Lost,
    /// The same, and writes it to the log.
    LostAndReported,
}

/// One connection.
#[derive(Debug)]
pub(in crate::vault) struct Database {
    pub(super) connection: Connection,
    path: PathBuf,
    /// Which file it is, whatever is at its path by now.
    file: Option<FileId>,
    /// The key that the file holds, once it was asked for.
    id_key: KnownKey,
    /// What happened to the file since the last check.
    fate: FileState,
    /// Idle time in milliseconds after which a session is forgotten.
    ttl: Option<i64>,
    last_forgot: Option<Instant>,
    /// The log next to the file may contain what was deleted.
    is_unwiped: bool,
}

impl Database {
    pub(in crate::vault) fn open(path: &Path, ttl: Option<Duration>) -> Result<Self, Unusable> {
        Ok(Self {
            connection: open::connected(path)?,
            path: path.to_owned(),
            file: FileId::at(path).ok(),
            id_key: KnownKey::default(),
            fate: FileState::Kept,
            ttl: ttl.map(milliseconds),
            last_forgot: None,
            is_unwiped: false,
        })
    }

    /// Reopens the file if another one, or none, is at its path: what is written to an unlinked
    /// file is lost with the process.
    pub(super) fn follow_path(&mut self) {
        let there = FileId::at(&self.path).ok();
        if there.is_some() && there == self.file {
            return;
        }
        let is_reported = self.fate == FileState::LostAndReported;
        match self.open_anew() {
            Ok(()) => self.fate = FileState::Replaced,
            Err(_) if is_reported => {}
            Err(_) => self.fate = FileState::Lost,
        }
    }

    fn open_anew(&mut self) -> Result<(), Unusable> {
        open::create(&self.path).map_err(|error| Unusable::Unmade(io_error::in_words(&error)))?;
        self.connection = open::connected(&self.path)?;
        // The ids that this process has derived stay the same after its end, unless another process was first.
        if let Some(known) = self.id_key.get() {
            let kept = self.kept_or(|| known)?;
            self.id_key.set(&kept);
        }
        self.file = FileId::at(&self.path).ok();
        Ok(())
    }

    /// Says what has become of the file.
    fn report_fate(&mut self) {
        let path = self.path.display();
        match self.fate {
            FileState::Kept | FileState::LostAndReported => {}
            FileState::Replaced => {
                tracing::error!(
                    "the vault's file {path} was removed or replaced while it was in use: the sessions \
                     in it are no longer known, and new ones go to the file that is there now"
                );
                self.fate = FileState::Kept;
            }
            FileState::Lost => {
                tracing::error!(
                    "the vault's file {path} was removed while it was in use, and can't be made anew: \
                     its sessions will be lost when the proxy ends"
                );
                self.fate = FileState::LostAndReported;
            }
        }
    }

    pub(super) fn known_key(&self) -> KnownKey {
        self.id_key.clone()
    }

    pub(super) fn id_key(&mut self) -> rusqlite::Result<IdKey> {
        let key = self.kept_or(IdKey::random)?;
        self.id_key.set(&key);
        Ok(key)
    }

    /// The key that the file holds; where it holds none, another, which is then kept.
    fn kept_or(&mut self, other: impl FnOnce() -> IdKey) -> rusqlite::Result<IdKey> {
        let change = self.change()?;
        let kept: Option<Vec<u8>> = change
            .query_row("SELECT key FROM id_key", [], |row| row.get(0))
            .optional()?;
        if let Some(kept) = kept {
            return IdKey::read(&kept).map_err(|error| corrupt(0, error));
        }
        let key = other();
        change.execute("INSERT INTO id_key VALUES (?1)", [key.expose()])?;
        change.commit()?;
        Ok(key)
    }

    pub(in crate::vault) fn load(&mut self, key: &Key) -> rusqlite::Result<Option<Record>> {
        let (live, of_history) = self.live_since();
        let mut statement = self.connection.prepare_cached(LOAD)?;
        let mut rows = statement.query((&key.id, &key.owner, live, of_history))?;
        let mut record: Option<Record> = None;
        let mut expected: i64 = 0;
        while let Some(row) = rows.next()? {
            expected = row.get(1)?;
            let record = record.get_or_insert(Record {
                version: row.get::<_, i64>(0)?.cast_unsigned(),
                made: NewSession {
                    created: row.get(6)?,
                    derived: row.get(7)?,
                    of_history: row.get(8)?,
                },
                mappings: Vec::new(),
            });
            if row.get_ref(2)? != rusqlite::types::ValueRef::Null {
                record.mappings.push(mapping(row)?);
            }
        }
        match record {
            Some(record) if count(record.mappings.len()) != expected => {
                Err(corrupt(1, VaultError::Corrupt))
            }
            record => Ok(record),
        }
    }

    pub(in crate::vault) fn version(&mut self, key: &Key) -> rusqlite::Result<Option<Version>> {
        let (live, of_history) = self.live_since();
        let mut statement = self.connection.prepare_cached(VERSION)?;
        let version = statement.query_row((&key.id, &key.owner, live, of_history), |row| {
            row.get::<_, i64>(0)
        });
        Ok(version.optional()?.map(i64::cast_unsigned))
    }

    pub(in crate::vault) fn store(
        &mut self,
        key: &Key,
        base: Option<Base>,
        made: NewSession,
        new: &[StoredMapping],
    ) -> rusqlite::Result<Stored> {
        let (now, (live, live_of_history)) = (now(), self.live_since());
        let mut replaces = false;
        let change = self.change()?;
        let found: Option<(i64, i64, bool)> = change
            .prepare_cached(
                "SELECT key, version, last_active >= iif(of_history, ?4, ?3)
                 FROM session WHERE id = ?1 AND owner = ?2",
            )?
            .query_row((&key.id, &key.owner, live, live_of_history), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        let session = match (found, base) {
            (Some((session, version, true)), Some(base))
                if version.cast_unsigned() == base.version =>
            {
                session
            }
            (Some((session, _, false)), None) => {
                change.execute("DELETE FROM session WHERE key = ?1", [session])?;
                replaces = true;
                begin(&change, key, made, now)?
            }
            (None, None) => begin(&change, key, made, now)?,
            _ => return Ok(Stored::Conflict),
        };
        let first = count(base.map_or(0, |base| base.mappings));
        insert(&change, session, first, new)?;
        change
            .prepare_cached(
                "UPDATE session SET version = version + 1, last_active = ?2, mappings = ?3 WHERE key = ?1",
            )?
            .execute((session, now, first + count(new.len())))?;
        change.commit()?;
        self.is_unwiped |= replaces;
        Ok(Stored::Done)
    }

    pub(super) fn touch(&mut self, key: &Key) -> rusqlite::Result<Stored> {
        let (live, of_history) = self.live_since();
        let touched = self
            .connection
            .prepare_cached(
                "UPDATE session SET last_active = ?5
                 WHERE id = ?1 AND owner = ?2 AND last_active >= iif(of_history, ?4, ?3)",
            )?
            .execute((&key.id, &key.owner, live, of_history, now()))?;
        Ok(if touched == 0 {
            Stored::Conflict
        } else {
            Stored::Done
        })
    }

    pub(super) fn list(&mut self) -> rusqlite::Result<Vec<Listed>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, owner, created, last_active, mappings, of_history FROM session
             WHERE last_active >= iif(of_history, ?2, ?1)",
        )?;
        let time = |row: &Row<'_>, column| {
            timestamp(row.get(column)?).map_err(|error| corrupt(column, error))
        };
        let listed = statement.query_map(self.live_since(), |row| {
            Ok(Listed {
                key: Key {
                    id: row.get(0)?,
                    owner: row.get(1)?,
                },
                created: time(row, 2)?,
                last_active: time(row, 3)?,
                mappings: row.get::<_, i64>(4)?.cast_unsigned(),
                of_history: row.get(5)?,
            })
        })?;
        listed.collect()
    }

    pub(super) fn delete_idle(&mut self, key: &Key, before: i64) -> rusqlite::Result<bool> {
        let change = self.change()?;
        let deleted = change.execute(
            "DELETE FROM session WHERE id = ?1 AND owner = ?2 AND last_active < ?3",
            (&key.id, &key.owner, before),
        )?;
        change.commit()?;
        Ok(deleted > 0)
    }

    /// Makes the disk full at this many pages.
    #[cfg(test)]
    pub(in crate::vault) fn limit_pages(&self, pages: u32) {
        self.connection
            .pragma_update(None, "max_page_count", pages)
            .unwrap();
    }

    /// What the writer does between two changes.
    pub(super) fn maintain(&mut self) {
        self.report_fate();
        self.forget_when_due();
    }

    /// Deletes what was forgotten from the disk, from time to time.
    fn forget_when_due(&mut self) {
        let longest = Duration::from_mins(1);
        let pause = self.ttl.map_or(longest, |ttl| {
            let quarter = Duration::from_millis(ttl.cast_unsigned() / 4);
            quarter.clamp(Duration::from_millis(500), longest)
        });
        if self.last_forgot.is_some_and(|last| last.elapsed() < pause) {
            return;
        }
        self.last_forgot = Some(Instant::now());
        let forgotten = self.connection.execute(
            "DELETE FROM session WHERE last_active < iif(of_history, ?2, ?1)",
            self.live_since(),
        );
        let wiped = forgotten.and_then(|forgotten| {
            links::forget(&self.connection)?;
            self.is_unwiped |= forgotten > 0;
            if self.is_unwiped {
                self.is_unwiped = !self.wipe()?;
            }
            Ok(())
        });
        if let Err(error) = wiped {
            let code = error.sqlite_error_code();
            tracing::warn!(?code, "forgotten sessions can't be deleted from the vault");
        }
    }

    /// Empties the log next to the file, which contains what was deleted; `false` while others read
    /// it.
    pub(super) fn wipe(&mut self) -> rusqlite::Result<bool> {
        self.connection.busy_timeout(WIPE_TIME)?;
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_busy = self.connection.query_row(checkpoint, [], |row| row.get(0));
        self.connection.busy_timeout(ANSWER_TIME)?;
        is_busy.map(|is_busy: bool| !is_busy)
    }

    /// Sessions used since then are not forgotten; those of history only, when used since the other.
    fn live_since(&self) -> (i64, i64) {
        let now = now();
        let live = self.ttl.map_or(i64::MIN, |ttl| now.saturating_sub(ttl));
        let of_history = now.saturating_sub(milliseconds(HISTORY_TIME));
        (live, live.max(of_history))
    }

    /// Begins a change: dropping it without a commit rolls it back.
    pub(super) fn change(&mut self) -> rusqlite::Result<rusqlite::Transaction<'_>> {
        self.connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
    }
}

fn begin(change: &Connection, key: &Key, made: NewSession, now: i64) -> rusqlite::Result<i64> {
    change
        .prepare_cached(
            "INSERT INTO session (id, owner, version, created, derived, of_history, last_active, mappings)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)",
        )?
        .insert((
            &key.id,
            &key.owner,
            first_version().cast_signed(),
            made.created,
            made.derived,
            made.of_history,
            now,
        ))
}

fn insert(
    change: &Connection,
    session: i64,
    first: i64,
    new: &[StoredMapping],
) -> rusqlite::Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let mut statement =
        change.prepare_cached("INSERT INTO mapping VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    for (place, mapping) in (first..).zip(new) {
        statement.execute((
            session,
            place,
            mapping.entity().as_str(),
            mapping.id(),
            mapping.is_sealed(),
            mapping.value(),
            mapping.origin().as_str(),
        ))?;
    }
    Ok(())
}

fn mapping(row: &Row<'_>) -> rusqlite::Result<StoredMapping> {
    let (entity, id, origin): (String, String, String) = (row.get(2)?, row.get(3)?, row.get(9)?);
    let origin = Origin::parse(&origin).ok_or_else(|| corrupt(9, VaultError::Corrupt))?;
    StoredMapping::read(&entity, &id, row.get(4)?, row.get(5)?, origin)
        .map_err(|error| corrupt(5, error))
}

fn corrupt(column: usize, error: VaultError) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Blob, Box::new(error))
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
