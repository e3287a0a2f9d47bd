//! A session file: tokens and values, unencrypted, readable only by its owner.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{EntityType, Mapping, Sensitive, Session};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::base::io_error;
use crate::cli::Failure;
use crate::system::file::{self, FileId};

/// The version of the file's format.
const VERSION: u32 = 1;

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 28;

#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    #[serde(rename = "maskproxy_session")]
    version: u32,
    #[serde(borrow)]
    mappings: Vec<StoredMapping<'a>>,
}

#[derive(Serialize, Deserialize)]
struct StoredMapping<'a> {
    #[serde(rename = "type", borrow)]
    entity: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    id: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    value: std::borrow::Cow<'a, str>,
}

/// A session file that no other process changes meanwhile: two that did would give one token two values.
pub(super) struct SessionFile {
    path: PathBuf,
    session: Session,
    /// Keeps the lock.
    _locked: File,
}

impl SessionFile {
    /// Locks and reads a file, or makes it. Waits for another process that has it.
    ///
    /// # Errors
    /// When it can't be read, or holds no session.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let mut locked = lock(path).map_err(|error| cannot("open", path, &error))?;
        let session = session_in(&mut locked, path)?;
        Ok(Self {
            path: path.to_owned(),
            session,
            _locked: locked,
        })
    }

    pub(super) fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Replaces the file by the session as it is now, all of it at once.
    ///
    /// # Errors
    /// When it can't be written. Then the file is as it was.
    pub(super) fn save(&self) -> Result<(), Failure> {
        self.write()
            .map_err(|error| cannot("write", &self.path, &error))
    }

    fn write(&self) -> io::Result<()> {
        let stored = Stored {
            version: VERSION,
            mappings: self
                .session
                .mappings()
                .map(|mapping| stored(mapping))
                .collect(),
        };
        let folder = self
            .path
            .parent()
            .filter(|path| !path.as_os_str().is_empty());
        // Readable by its owner only from the first byte on.
        let mut new = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
        let bytes = Sensitive::new(serde_json::to_vec(&stored)?);
        new.write_all(bytes.expose())?;
        new.as_file().sync_all()?;
        new.persist(&self.path)?;
        Ok(())
    }
}

/// Reads the session in a file that exists.
///
/// # Errors
/// When it can't be read, or holds no session.
pub(super) fn read(path: &Path) -> Result<Session, Failure> {
    let mut file = File::open(path).map_err(|error| cannot("open", path, &error))?;
    session_in(&mut file, path)
}

/// Opens the file at the path for this process alone. Another process may put a new file there while this one waits.
fn lock(path: &Path) -> io::Result<File> {
    loop {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true);
        let file = file::private(options).open(path)?;
        file.lock()?;
        let locked = FileId::of(&file)?;
        if FileId::at(path).is_ok_and(|there| there == locked) {
            return Ok(file);
        }
    }
}

fn session_in(file: &mut File, path: &Path) -> Result<Session, Failure> {
    let mut bytes = Vec::new();
    let read = file.take(MAX_BYTES).read_to_end(&mut bytes);
    let bytes = Sensitive::new(bytes);
    read.map_err(|error| cannot("read", path, &error))?;
    let bytes = bytes.expose();
    if bytes.is_empty() {
        return Ok(Session::new());
    }
    let none = || Failure::new(format!("{} is not a session file", path.display()));
    let stored: Stored<'_> = serde_json::from_slice(bytes).map_err(|_| none())?;
    if stored.version != VERSION {
        return Err(none());
    }
    let mut session = Session::new();
    for mapping in stored.mappings {
        let entity = EntityType::parse(&mapping.entity).map_err(|_| none())?;
        let value = Sensitive::new(mapping.value.into_owned());
        let mapping = Mapping::new(entity, &mapping.id, value);
        if !session.adopt(Arc::new(mapping)) {
            return Err(none());
        }
    }
    Ok(session)
}

fn stored(mapping: &Mapping) -> StoredMapping<'_> {
    StoredMapping {
        entity: mapping.entity().as_str().into(),
        id: mapping.id().into(),
        value: mapping.value().expose().into(),
    }
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Failure {
    let reason = io_error::in_words(error);
    Failure::new(format!(
        "can't {what} the session file {}: {reason}",
        path.display()
    ))
}
