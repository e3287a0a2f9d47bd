//! Links in SQLite: the oldest go first.

use rusqlite::{Connection, OptionalExtension};

use super::super::{HISTORY_TIME, Key, Link, LinkName, milliseconds};
use super::Database;
use crate::clock::now;

/// How many are kept, at most, when they were counted last.
const MAX_LINKS: i64 = 200_000;

impl Database {
    pub(in crate::vault) fn link(
        &mut self,
        names: &[LinkName],
        link: &Link,
    ) -> rusqlite::Result<()> {
        let change = self.change()?;
        {
            let mut put =
                change.prepare_cached("INSERT OR REPLACE INTO link VALUES (?1, ?2, ?3, ?4, ?5)")?;
            let Key { owner, id } = &link.session;
            for name in names {
                put.execute((name, owner, id, link.created, now()))?;
            }
        }
        change.commit()
    }

    pub(in crate::vault) fn follow(
        &mut self,
        names: &[LinkName],
    ) -> rusqlite::Result<Vec<Option<Link>>> {
        let since = now().saturating_sub(milliseconds(HISTORY_TIME));
        let mut find = self.connection.prepare_cached(
            "SELECT session_owner, session_id, created FROM link WHERE name = ?1 AND at >= ?2",
        )?;
        let link = |name| {
            let found = find.query_row((name, since), |row| {
                let session = Key {
                    owner: row.get(0)?,
                    id: row.get(1)?,
                };
                let created = row.get(2)?;
                Ok(Link { session, created })
            });
            found.optional()
        };
        names.iter().map(link).collect()
    }
}

/// Deletes links that are too old or too many.
pub(super) fn forget(connection: &Connection) -> rusqlite::Result<()> {
    let since = now().saturating_sub(milliseconds(HISTORY_TIME));
    connection.execute("DELETE FROM link WHERE at < ?1", [since])?;
    connection.execute(
        "DELETE FROM link WHERE name IN
         (SELECT name FROM link ORDER BY at LIMIT max(0, (SELECT count(*) FROM link) - ?1))",
        [MAX_LINKS],
    )?;
    Ok(())
}
