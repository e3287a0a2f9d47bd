//! Links in SQLite; the oldest are dropped first.

use rusqlite::{Connection, OptionalExtension, Row};

use super::super::{Claim, HISTORY_TIME, Key, Link, LinkName, milliseconds};
use super::Database;
use crate::base::clock::now;

/// How many are kept, at most, when they were counted last.
const MAX_LINKS: i64 = 200_000;

impl Database {
    pub(in crate::vault) fn link(
        &mut self,
        names: &[LinkName],
        link: &Link,
        claim: Claim,
    ) -> rusqlite::Result<()> {
        let change = self.change()?;
        {
            let mut put =
                change.prepare_cached("INSERT OR REPLACE INTO link VALUES (?1, ?2, ?3, ?4, ?5)")?;
            let mut find = change.prepare_cached(FIND)?;
            let (nowhere, now) = (Link::nowhere(), now());
            for name in names {
                let found = match claim {
                    Claim::Taken => None,
                    Claim::Shared => find.query_row((name, since(now)), read).optional()?,
                };
                let is_shared = found.is_some_and(|other| other != *link);
                let Link { session, created } = if is_shared { &nowhere } else { link };
                put.execute((name, &session.owner, &session.id, created, now))?;
            }
        }
        change.commit()
    }

    pub(in crate::vault) fn follow(
        &mut self,
        names: &[LinkName],
    ) -> rusqlite::Result<Vec<Option<Link>>> {
        let since = since(now());
        let mut find = self.connection.prepare_cached(FIND)?;
        let link = |name| find.query_row((name, since), read).optional();
        names.iter().map(link).collect()
    }

    pub(in crate::vault) fn unlink(&mut self, names: &[LinkName]) -> rusqlite::Result<()> {
        let change = self.change()?;
        for name in names {
            change.execute("DELETE FROM link WHERE name = ?1", [name])?;
        }
        change.commit()
    }
}

const FIND: &str =
    "SELECT session_owner, session_id, created FROM link WHERE name = ?1 AND at >= ?2";

fn read(row: &Row<'_>) -> rusqlite::Result<Link> {
    let session = Key {
        owner: row.get(0)?,
        id: row.get(1)?,
    };
    let created = row.get(2)?;
    Ok(Link { session, created })
}

/// When links were put that still count.
fn since(now: i64) -> i64 {
    now.saturating_sub(milliseconds(HISTORY_TIME))
}

/// Deletes links that are too old or too many.
pub(super) fn forget(connection: &Connection) -> rusqlite::Result<()> {
    let since = since(now());
    connection.execute("DELETE FROM link WHERE at < ?1", [since])?;
    connection.execute(
        "DELETE FROM link WHERE name IN
         (SELECT name FROM link ORDER BY at LIMIT max(0, (SELECT count(*) FROM link) - ?1))",
        [MAX_LINKS],
    )?;
    Ok(())
}
