//! Creates and opens the file.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::super::ANSWER_TIME;
use crate::base::io_error;
use crate::system::file::{FileId, make_private};

/// Marks a file as one of ours: "mask".
const APPLICATION: i32 = 0x6d61_736b;
/// The form of the tables.
const FORM: i32 = 3;

const TABLES: &str = "
    CREATE TABLE session (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL,
        owner TEXT NOT NULL,
        version INTEGER NOT NULL,
        created INTEGER NOT NULL,
        last_active INTEGER NOT NULL,
        mappings INTEGER NOT NULL,
        derived INTEGER NOT NULL DEFAULT 0,
        of_history INTEGER NOT NULL DEFAULT 0,
        UNIQUE (id, owner)
    ) STRICT;
    CREATE TABLE mapping (
        session INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
        place INTEGER NOT NULL,
        type TEXT NOT NULL,
        id TEXT NOT NULL,
        sealed INTEGER NOT NULL,
        value BLOB NOT NULL,
        origin TEXT NOT NULL DEFAULT 'user',
        PRIMARY KEY (session, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE id_key (key BLOB NOT NULL) STRICT;
";

/// Links from history to sessions: new in form 2.
const LINKS: &str = "
    CREATE TABLE link (
        name TEXT NOT NULL PRIMARY KEY,
        session_owner TEXT NOT NULL,
        session_id TEXT NOT NULL,
        created INTEGER NOT NULL,
        at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX link_by_age ON link (at);
";

/// Converts form 1 to form 2, except for the links.
const FROM_FORM_1: &str = "
    ALTER TABLE session ADD COLUMN derived INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE session ADD COLUMN of_history INTEGER NOT NULL DEFAULT 0;
";

/// What makes form 3 of form 2: where values came from.
const FROM_FORM_2: &str = "ALTER TABLE mapping ADD COLUMN origin TEXT NOT NULL DEFAULT 'user';";

/// The pause between two tries while another process makes the same file a database.
const OPEN_WAIT: Duration = Duration::from_millis(20);

/// How long a file is opened again that SQLite does not find.
const GONE_TIME: Duration = Duration::from_millis(500);

/// Why a file can't be used.
#[derive(Debug, thiserror::Error)]
pub(in crate::vault) enum Unusable {
    #[error("it is not an SQLite database")]
    NoDatabase,
    #[error("it is a database of another program")]
    Foreign,
    #[error("it was made by a newer version")]
    Newer,
    #[error("others may read it, and that can't be changed ({0})")]
    Shared(String),
    #[error("it can't be created: {0}")]
    Unmade(String),
    #[error("{}", kind_of(.0))]
    Failed(#[from] rusqlite::Error),
}

/// Makes an empty file that only its owner can read, unless one is there.
///
/// It is closed before it gets its name, and an existing file is not opened: closing a file drops
/// all locks that the process has on it (POSIX), and another process would then take the log for
/// abandoned.
pub(in crate::vault) fn create(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => return Ok(()),
        Err(_) => {}
    }
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let made = tempfile::NamedTempFile::new_in(directory)?.into_temp_path();
    match made.persist_noclobber(path) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.error),
        _ => Ok(()),
    }
}

/// Opens the file, waiting while another process makes it a database. One that is removed meanwhile is made anew.
///
/// # Errors
/// Why it can't be used.
pub(super) fn connected(path: &Path) -> Result<Connection, Unusable> {
    let begin = Instant::now();
    loop {
        let may_wait = begin.elapsed() < ANSWER_TIME;
        match connect(path) {
            Err(Unusable::Failed(error)) if is_busy(&error) && may_wait => {
                std::thread::sleep(OPEN_WAIT);
            }
            // Removed or replaced meanwhile: SQLite no longer finds it, or its log.
            Err(Unusable::Failed(error)) if is_gone(&error) && begin.elapsed() < GONE_TIME => {
                std::thread::sleep(OPEN_WAIT);
                create(path).map_err(|error| Unusable::Unmade(io_error::in_words(&error)))?;
            }
            Err(_) if may_wait && FileId::at(path).is_err() => {
                create(path).map_err(|error| Unusable::Unmade(io_error::in_words(&error)))?;
            }
            connection => return connection,
        }
    }
}

fn connect(path: &Path) -> Result<Connection, Unusable> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(ANSWER_TIME)?;
    // In this order: another process may make it a database between the two, in one change.
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Unusable::NoDatabase,
            _ => error.into(),
        })?;
    let application: i32 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application != APPLICATION && tables > 0 {
        return Err(Unusable::Foreign);
    }
    // SQLite gives the files that it makes beside it the same rights.
    make_private(path).map_err(|error| Unusable::Shared(io_error::in_words(&error)))?;
    // A commit survives the end of the process; the last ones may not survive a power failure.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "secure_delete", true)?;
    let making = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let form: i32 = making.pragma_query_value(None, "user_version", |row| row.get(0))?;
    match form {
        FORM => {}
        1 | 2 => {
            if form == 1 {
                making.execute_batch(FROM_FORM_1)?;
                making.execute_batch(LINKS)?;
            }
            making.execute_batch(FROM_FORM_2)?;
            making.pragma_update(None, "user_version", FORM)?;
        }
        0 => {
            making.execute_batch(TABLES)?;
            making.execute_batch(LINKS)?;
            making.pragma_update(None, "application_id", APPLICATION)?;
            making.pragma_update(None, "user_version", FORM)?;
        }
        _ => return Err(Unusable::Newer),
    }
    making.commit()?;
    Ok(connection)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(
        code,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

fn is_gone(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(
        code,
        Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure)
    )
}

fn kind_of(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen) => {
            "it can't be opened; does it belong to another user?".to_owned()
        }
        Some(code) => format!("SQLite says {code:?}"),
        None => "SQLite failed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::file::{is_private, locks_on};

    /// The start failed when the file was removed after it was made and before it was opened.
    #[test]
    fn a_file_removed_while_opening_is_recreated() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("vault.db");
        create(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(connected(&path).is_ok());
        assert!(is_private(&path));
        let nowhere = Path::new("/proc/no-such-place/vault.db");
        assert!(matches!(connected(nowhere), Err(Unusable::Unmade(_))));
    }

    /// A reload once dropped the locks of an open vault, and a second instance emptied the log
    /// under it.
    #[test]
    fn checking_the_file_keeps_its_locks() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("vault.db");
        create(&path).unwrap();
        let connection = connected(&path).unwrap();
        let locks = || locks_on(&path);
        let held = locks();
        assert!(held > 0);
        create(&path).unwrap();
        assert_eq!(locks(), held);
        drop(connection);
    }
}
