//! Tests for every vault, and some for files only.

use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::{EntityType, Mapping, Sensitive};
use jiff::Timestamp;
use tempfile::TempDir;

use super::*;
use crate::config::{Store, VaultSettings};
use crate::system::file::{is_private, make_public};

const MADE: NewSession = NewSession {
    created: 7,
    derived: false,
    of_history: false,
};

fn key(owner: &str, id: &str) -> Key {
    Key {
        owner: owner.to_owned(),
        id: id.to_owned(),
    }
}

fn mapping(id: &str, value: &str) -> StoredMapping {
    let value = Sensitive::new(value.to_owned());
    StoredMapping::Open(Arc::new(Mapping::new(EntityType::EMAIL, id, value)))
}

fn values(record: &Record) -> Vec<String> {
    let text = |mapping: &StoredMapping| {
        format!(
            "{}={}",
            mapping.id(),
            String::from_utf8_lossy(mapping.value())
        )
    };
    record.mappings.iter().map(text).collect()
}

fn sqlite(directory: &TempDir, ttl: Option<Duration>) -> Vault {
    open(directory.path().join("vault.db"), ttl).expect("a vault")
}

fn open(path: PathBuf, ttl: Option<Duration>) -> Result<Vault, OpenError> {
    let store = Store::Sqlite { path };
    Vault::open(&VaultSettings { store, ttl })
}

fn memory(ttl: Option<Duration>) -> Vault {
    Vault::Memory(memory::Memory::new(ttl))
}

#[tokio::test]
async fn a_store_succeeds_only_on_the_loaded_version() {
    let directory = tempfile::tempdir().unwrap();
    for vault in [memory(None), sqlite(&directory, None)] {
        let (alice, bob) = (key("a", "team"), key("b", "team"));
        assert!(vault.load(&alice).await.unwrap().is_none());
        let first = vec![mapping("1", "alice"), mapping("2", "carol")];
        assert_eq!(
            vault.store(&alice, None, MADE, first).await,
            Ok(Stored::Done)
        );
        let again = vault
            .store(&alice, None, MADE, vec![mapping("1", "eve")])
            .await;
        assert_eq!(
            again,
            Ok(Stored::Conflict),
            "a live session is not replaced"
        );

        let record = vault.load(&alice).await.unwrap().unwrap();
        let base = Some(record.base());
        assert_eq!(
            vault
                .store(&alice, base, MADE, vec![mapping("3", "dave")])
                .await,
            Ok(Stored::Done)
        );
        assert_eq!(
            vault
                .store(&alice, base, MADE, vec![mapping("3", "eve")])
                .await,
            Ok(Stored::Conflict)
        );
        assert_eq!(vault.touch(&alice, MADE).await, Ok(Stored::Done));
        let record = vault.load(&alice).await.unwrap().unwrap();
        assert_eq!(values(&record), ["1=alice", "2=carol", "3=dave"]);

        assert!(vault.load(&bob).await.unwrap().is_none());
        assert_eq!(vault.touch(&bob, MADE).await, Ok(Stored::Conflict));
    }
}

#[tokio::test]
async fn sessions_are_listed_and_deleted_when_idle() {
    let directory = tempfile::tempdir().unwrap();
    for vault in [memory(None), sqlite(&directory, None)] {
        for id in ["one", "two"] {
            vault
                .store(&key("a", id), None, MADE, vec![mapping("1", id)])
                .await
                .unwrap();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let listed = vault.list().await.unwrap();
        let ids: Vec<_> = listed.iter().map(|session| &*session.key.id).collect();
        assert_eq!(ids, ["two", "one"], "the last active first");
        assert_eq!(listed[0].mappings, 1);
        assert!(listed[0].created <= listed[0].last_active);

        let between = listed[0].last_active;
        assert_eq!(vault.delete_idle(&key("a", "one"), between).await, Ok(true));
        assert_eq!(
            vault.delete_idle(&key("a", "two"), between).await,
            Ok(false)
        );
        assert_eq!(vault.list().await.unwrap().len(), 1);
        assert!(vault.load(&key("a", "one")).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn an_expired_sessions_name_can_be_reused() {
    let directory = tempfile::tempdir().unwrap();
    let ttl = Some(Duration::from_secs(4));
    let forgotten = [memory(ttl), sqlite(&directory, ttl)].map(async |vault| {
        let key = key("a", "s");
        vault
            .store(&key, None, MADE, vec![mapping("1", "old")])
            .await
            .unwrap();
        let old = vault.load(&key).await.unwrap().unwrap();
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(1600)).await;
            assert_eq!(
                vault.touch(&key, MADE).await,
                Ok(Stored::Done),
                "use refreshes"
            );
        }
        tokio::time::sleep(Duration::from_millis(4400)).await;
        assert!(vault.load(&key).await.unwrap().is_none());
        assert!(vault.list().await.unwrap().is_empty());
        assert_eq!(vault.touch(&key, MADE).await, Ok(Stored::Conflict));
        let base = Some(old.base());
        assert_eq!(
            vault.store(&key, base, MADE, vec![]).await,
            Ok(Stored::Conflict)
        );

        let new = vec![mapping("1", "new")];
        assert_eq!(vault.store(&key, None, MADE, new).await, Ok(Stored::Done));
        let record = vault.load(&key).await.unwrap().unwrap();
        assert_eq!(values(&record), ["1=new"]);
        assert_ne!(record.version, old.version);
    });
    let [memory, sqlite] = forgotten;
    tokio::join!(memory, sqlite);
}

#[tokio::test]
async fn an_expired_session_is_deleted_from_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let vault = sqlite(&directory, Some(Duration::from_secs(3)));
    vault
        .store(&key("a", "s"), None, MADE, vec![mapping("1", "x")])
        .await
        .unwrap();
    let raw = rusqlite::Connection::open(directory.path().join("vault.db")).unwrap();
    let rows = || {
        let count = "SELECT (SELECT count(*) FROM session) + (SELECT count(*) FROM mapping)";
        raw.query_row(count, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    assert_eq!(rows(), 2);
    for _ in 0..600 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        if rows() == 0 {
            return;
        }
    }
    panic!("{} rows are left", rows());
}

#[tokio::test]
async fn endless_new_sessions_do_not_fill_the_memory() {
    let vault = memory(None);
    for number in 0..10_100 {
        vault
            .store(&key("a", &number.to_string()), None, MADE, vec![])
            .await
            .unwrap();
    }
    assert_eq!(vault.list().await.unwrap().len(), 10_000);
    assert!(vault.load(&key("a", "99")).await.unwrap().is_none());
    assert!(vault.load(&key("a", "100")).await.unwrap().is_some());

    let large = "x".repeat(1 << 20);
    for number in 0..300 {
        let new = vec![mapping("1", &large)];
        vault
            .store(&key("b", &number.to_string()), None, MADE, new)
            .await
            .unwrap();
    }
    assert!(vault.list().await.unwrap().len() < 256);
    assert!(vault.load(&key("b", "299")).await.unwrap().is_some());
}

#[tokio::test]
async fn vault_files_are_readable_only_by_their_owner() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("deep").join("vault.db");
    let vault = open(path.clone(), None).unwrap();
    vault
        .store(&key("a", "s"), None, MADE, vec![mapping("1", "x")])
        .await
        .unwrap();
    for file in ["vault.db", "vault.db-wal", "vault.db-shm"] {
        assert!(is_private(&path.with_file_name(file)), "{file}");
    }
}

#[test]
fn a_file_that_is_not_a_vault_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let text = directory.path().join("notes.txt");
    std::fs::write(
        &text,
        "not a database, but long enough to be looked at\n".repeat(40),
    )
    .unwrap();
    let foreign = directory.path().join("other.db");
    rusqlite::Connection::open(&foreign)
        .unwrap()
        .execute_batch("CREATE TABLE other (x)")
        .unwrap();
    for (path, reason) in [
        (text.clone(), "it is not an SQLite database"),
        (foreign, "it is a database of another program"),
        (directory.path().to_owned(), "is a directory"),
    ] {
        let error = open(path, None).unwrap_err().to_string();
        assert!(error.contains(reason) && !error.contains('\n'), "{error}");
    }
    assert!(std::fs::read_to_string(&text).unwrap().starts_with("not a"));
}

#[tokio::test]
async fn a_damaged_record_is_an_error_and_others_stay_readable() {
    let directory = tempfile::tempdir().unwrap();
    let vault = sqlite(&directory, None);
    for id in ["bad", "torn", "good"] {
        let mappings = vec![mapping("1", "x"), mapping("2", "y")];
        vault
            .store(&key("a", id), None, MADE, mappings)
            .await
            .unwrap();
    }
    let raw = rusqlite::Connection::open(directory.path().join("vault.db")).unwrap();
    raw.execute_batch(
        "UPDATE mapping SET type = 'no type' WHERE session = 1 AND place = 0;
         DELETE FROM mapping WHERE session = 2 AND place = 1;",
    )
    .unwrap();
    for id in ["bad", "torn"] {
        let loaded = vault.load(&key("a", id)).await;
        assert_eq!(loaded.unwrap_err(), VaultError::Corrupt, "{id}");
    }
    assert!(vault.load(&key("a", "good")).await.unwrap().is_some());
}

/// The content of a vault's files, including the log.
fn on_disk(directory: &tempfile::TempDir) -> Vec<u8> {
    let files = std::fs::read_dir(directory.path()).unwrap();
    files
        .flat_map(|file| std::fs::read(file.unwrap().path()).unwrap())
        .collect()
}

#[tokio::test]
async fn a_deleted_value_is_removed_from_the_sqlite_log() {
    const VALUE: &str = "alice@example.com";
    let directory = tempfile::tempdir().unwrap();
    let holds = || memchr::memmem::find(&on_disk(&directory), VALUE.as_bytes()).is_some();
    let (key, later) = (key("a", "s"), Timestamp::MAX);
    let vault = sqlite(&directory, None);
    let value = || vec![mapping("1", VALUE)];
    vault.store(&key, None, MADE, value()).await.unwrap();
    let other = sqlite(&directory, None);
    assert!(holds());
    assert!(other.delete_idle(&key, later).await.unwrap());
    assert!(other.wipe().await.unwrap() && !holds());

    let forgetful = sqlite(&directory, Some(Duration::from_secs(3)));
    forgetful.store(&key, None, MADE, value()).await.unwrap();
    assert!(holds());
    for _ in 0..300 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        if !holds() {
            return;
        }
    }
    panic!("the value of a session that was forgotten is on the disk");
}

#[tokio::test]
async fn a_file_that_is_not_a_vault_keeps_its_permissions() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notes.txt");
    std::fs::write(&path, "not a database, but of some length".repeat(40)).unwrap();
    make_public(&path);
    assert!(open(path.clone(), None).is_err());
    assert!(!is_private(&path));
}

#[tokio::test]
async fn a_full_disk_is_an_error_and_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vault.db");
    let mut database = sqlite::Database::open(&path_made(&path), None).unwrap();
    let key = key("a", "s");
    database
        .store(&key, None, MADE, &[mapping("1", "x")])
        .unwrap();
    let record = database.load(&key).unwrap().unwrap();
    database.limit_pages(20);
    let many: Vec<_> = (2..200)
        .map(|id: u32| mapping(&id.to_string(), &"y".repeat(1000)))
        .collect();
    let stored = database.store(&key, Some(record.base()), MADE, &many);
    assert_eq!(
        stored.unwrap_err().sqlite_error_code(),
        Some(rusqlite::ErrorCode::DiskFull)
    );
    let after = database.load(&key).unwrap().unwrap();
    assert_eq!(
        (after.version, values(&after)),
        (record.version, vec!["1=x".to_owned()])
    );
    let base = Some(after.base());
    database
        .store(&key, base, MADE, &[mapping("2", "z")])
        .unwrap();
}

fn path_made(path: &Path) -> PathBuf {
    sqlite::create(path).unwrap();
    path.to_owned()
}

#[tokio::test]
async fn a_locked_file_fails_after_five_seconds() {
    let directory = tempfile::tempdir().unwrap();
    let vault = sqlite(&directory, None);
    let key = key("a", "s");
    vault
        .store(&key, None, MADE, vec![mapping("1", "x")])
        .await
        .unwrap();
    let other = rusqlite::Connection::open(directory.path().join("vault.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begin = std::time::Instant::now();
    assert_eq!(vault.touch(&key, MADE).await, Err(VaultError::Timeout));
    let took = begin.elapsed();
    assert!(took.as_secs() >= 4, "{took:?}");
    assert!(vault.load(&key).await.unwrap().is_some(), "reading goes on");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(vault.touch(&key, MADE).await, Ok(Stored::Done));
}

#[tokio::test]
async fn the_id_key_is_kept_with_the_vault() {
    let directory = tempfile::tempdir().unwrap();
    let of = |vault: Vault| async move { *vault.id_key().await.unwrap().expose() };
    let first = of(sqlite(&directory, None)).await;
    assert_eq!(of(sqlite(&directory, None)).await, first);
    assert_ne!(of(memory(None)).await, first);
}

#[test]
fn times_are_kept_to_the_millisecond() {
    let now = Timestamp::from_millisecond(Timestamp::now().as_millisecond()).unwrap();
    assert_eq!(timestamp(now.as_millisecond()), Ok(now));
    assert_eq!(timestamp(i64::MAX), Err(VaultError::Corrupt));
}

/// It kept writing to an unlinked file, and everything was lost at the next start.
#[tokio::test]
async fn a_file_removed_while_in_use_is_recreated() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vault.db");
    let vault = sqlite(&directory, None);
    let ids = vault.id_key().await.unwrap();
    let stored = vault
        .store(&key("a", "old"), None, MADE, vec![mapping("1", "alice")])
        .await;
    assert_eq!(stored, Ok(Stored::Done));
    for name in ["vault.db", "vault.db-wal", "vault.db-shm"] {
        let _ = std::fs::remove_file(directory.path().join(name));
    }
    assert!(vault.load(&key("a", "old")).await.unwrap().is_none());
    let stored = vault
        .store(&key("a", "new"), None, MADE, vec![mapping("1", "bob")])
        .await;
    assert_eq!(stored, Ok(Stored::Done));
    assert!(is_private(&path));
    drop(vault);

    let vault = sqlite(&directory, None);
    let record = vault.load(&key("a", "new")).await.unwrap().unwrap();
    assert_eq!(values(&record), ["1=bob"]);
    let same = vault.id_key().await.unwrap();
    assert_eq!(ids.expose(), same.expose(), "ids are derived as before");
}

/// The ids of two processes on one file differed until one was restarted.
#[tokio::test]
async fn a_process_adopts_the_id_key_of_a_recreated_file() {
    let directory = tempfile::tempdir().unwrap();
    let of = async |vault: &Vault| *vault.id_key().await.unwrap().expose();
    let vault = sqlite(&directory, None);
    let first = of(&vault).await;
    let elsewhere = tempfile::tempdir().unwrap();
    let other = sqlite(&elsewhere, None);
    let second = of(&other).await;
    other.close();
    drop(other);
    for name in ["vault.db-wal", "vault.db-shm"] {
        let _ = std::fs::remove_file(directory.path().join(name));
    }
    std::fs::rename(
        elsewhere.path().join("vault.db"),
        directory.path().join("vault.db"),
    )
    .unwrap();
    assert_eq!(
        vault.touch(&key("a", "s"), MADE).await,
        Ok(Stored::Conflict)
    );
    assert_ne!(first, second);
    assert_eq!(of(&vault).await, second);
}

/// Everything was in the log, and a copy of the file was empty.
#[tokio::test]
async fn a_copy_of_a_closed_vault_file_is_complete() {
    let directory = tempfile::tempdir().unwrap();
    let vault = sqlite(&directory, None);
    let stored = vault
        .store(&key("a", "team"), None, MADE, vec![mapping("1", "alice")])
        .await;
    assert_eq!(stored, Ok(Stored::Done));
    vault.close();
    let copy = directory.path().join("copy.db");
    std::fs::copy(directory.path().join("vault.db"), &copy).unwrap();
    let copied = open(copy, None).unwrap();
    let record = copied.load(&key("a", "team")).await.unwrap().unwrap();
    assert_eq!(values(&record), ["1=alice"]);
}

/// A session that was forgotten and created again was once mistaken for the one that issued a
/// token.
#[tokio::test]
async fn a_session_keeps_its_creation_time_and_kind() {
    let directory = tempfile::tempdir().unwrap();
    for vault in [memory(None), sqlite(&directory, None)] {
        let made = NewSession {
            created: 1_700_000_000_123,
            derived: true,
            of_history: true,
        };
        let key = key("a", "s");
        vault
            .store(&key, None, made, vec![mapping("1", "x")])
            .await
            .unwrap();
        let record = vault.load(&key).await.unwrap().unwrap();
        assert_eq!(record.made, made);
        let base = Some(record.base());
        vault
            .store(&key, base, MADE, vec![mapping("2", "y")])
            .await
            .unwrap();
        assert_eq!(vault.load(&key).await.unwrap().unwrap().made, made);
        assert!(vault.list().await.unwrap()[0].of_history);
    }
}

#[tokio::test]
async fn links_point_to_the_last_stored_session() {
    let directory = tempfile::tempdir().unwrap();
    for vault in [memory(None), sqlite(&directory, None)] {
        let link = |id: &str, created| Link {
            session: key("a", id),
            created,
        };
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(vault.follow("o", names(&["r1"])).await, Ok(vec![None]));
        vault
            .link("o", names(&["r1", "r2"]), link("s", 1), Claim::Shared)
            .await
            .unwrap();
        vault
            .link("o", names(&["r2"]), link("t", 2), Claim::Taken)
            .await
            .unwrap();
        let followed = vault
            .follow("o", names(&["r2", "none", "r1"]))
            .await
            .unwrap();
        assert_eq!(followed, [Some(link("t", 2)), None, Some(link("s", 1))]);
        for (id, claim, leads) in [
            ("s", Claim::Shared, link("s", 1)),
            ("t", Claim::Shared, Link::nowhere()),
            ("t", Claim::Shared, Link::nowhere()),
            ("t", Claim::Taken, link("t", 1)),
        ] {
            let put = vault.link("o", names(&["r1"]), link(id, 1), claim);
            put.await.unwrap();
            assert_eq!(
                vault.follow("o", names(&["r1"])).await,
                Ok(vec![Some(leads)])
            );
        }
    }
}

#[tokio::test]
async fn a_file_of_the_first_format_is_migrated() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vault.db");
    drop(open(path.clone(), None).unwrap());
    let database = rusqlite::Connection::open(&path).unwrap();
    database
        .execute_batch(
            "DROP TABLE link;
             ALTER TABLE session DROP COLUMN derived;
             ALTER TABLE session DROP COLUMN of_history;
             ALTER TABLE mapping DROP COLUMN origin;
             INSERT INTO session (key, id, owner, version, created, last_active, mappings)
                 VALUES (1, 's', 'a', 1, 5, 5, 1);
             INSERT INTO mapping VALUES (1, 0, 'EMAIL', '1', 0, CAST('bob' AS BLOB));
             PRAGMA user_version = 1;",
        )
        .unwrap();
    drop(database);
    let vault = open(path, None).unwrap();
    let record = vault.load(&key("a", "s")).await.unwrap().unwrap();
    assert_eq!(record.made, NewSession { created: 5, ..MADE });
    assert_eq!(record.mappings[0].origin(), Origin::User);
    let link = Link {
        session: key("a", "s"),
        created: 5,
    };
    vault
        .link("o", vec!["r".to_owned()], link.clone(), Claim::Taken)
        .await
        .unwrap();
    assert_eq!(
        vault.follow("o", vec!["r".to_owned()]).await,
        Ok(vec![Some(link)])
    );
}

#[tokio::test]
async fn a_value_keeps_its_origin() {
    let directory = tempfile::tempdir().unwrap();
    for vault in [memory(None), sqlite(&directory, None)] {
        let mappings = Origin::ALL.map(|origin| {
            let value = Sensitive::new(format!("{origin:?}"));
            let mapping = Mapping::new(EntityType::EMAIL, "1", value).with_origin(origin);
            StoredMapping::Open(Arc::new(mapping))
        });
        let key = key("a", "s");
        let stored = vault.store(&key, None, MADE, mappings.to_vec()).await;
        assert_eq!(stored, Ok(Stored::Done));
        let record = vault.load(&key).await.unwrap().unwrap();
        let origins: Vec<_> = record.mappings.iter().map(StoredMapping::origin).collect();
        assert_eq!(origins, Origin::ALL);
    }
}
