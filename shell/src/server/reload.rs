//! Watches the configuration file, and the files that it names.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::INTERNAL;
use crate::base::panics::contain;
use crate::config::{Config, Lists};
use crate::system::file::FileId;

/// How often the files are checked.
const PERIOD: Duration = Duration::from_millis(500);

/// After this many checks a missing file counts as removed: a file that is being replaced is
/// missing for a moment.
const MISSING: u32 = 3;

/// After this many checks a file that keeps changing is read anyway, because it may never stop.
const RESTLESS: u32 = 20;

/// Where a new configuration comes from, and how it is read.
pub(crate) struct Reload {
    /// The configuration file, where it is watched, and with it the files that it names.
    file: Option<Watched>,
    named: Vec<Watched>,
    read: Box<dyn Fn() -> Result<Config, String> + Send>,
}

impl Reload {
    /// Watches a file. `read` reads the whole configuration; its error never shows a value.
    pub(crate) fn new(
        path: PathBuf,
        read: impl Fn() -> Result<Config, String> + Send + 'static,
    ) -> Self {
        Self {
            file: Some(Watched::new(path)),
            named: Vec::new(),
            read: Box::new(read),
        }
    }

    /// Watches only the lists; nothing else of the configuration changes.
    pub(crate) fn of_lists(
        lists: &Lists,
        read: impl Fn() -> Result<Config, String> + Send + 'static,
    ) -> Self {
        Self {
            file: None,
            named: vec![Watched::new(lists.path().to_owned())],
            read: Box::new(read),
        }
    }

    /// Whether the configuration file is watched, and not the lists alone.
    pub(super) fn is_of_file(&self) -> bool {
        self.file.is_some()
    }

    /// Watches the files, too, that a configuration names. To be called before they are read.
    pub(crate) fn watch_named(&mut self, config: &Config) {
        if self.file.is_none() {
            return;
        }
        let mut former = std::mem::take(&mut self.named);
        for path in config.named_files() {
            let known = former.iter().position(|watched| watched.path == path);
            let watched = known.map(|at| former.swap_remove(at));
            self.named
                .push(watched.unwrap_or_else(|| Watched::new(path.to_owned())));
        }
    }

    /// Waits until a file has changed, or is gone, and none changes any more, then reads the configuration.
    pub(super) async fn changed(&mut self) -> Result<Config, String> {
        loop {
            tokio::time::sleep(PERIOD).await;
            if self.has_changed() {
                return self.read();
            }
        }
    }

    /// Reads the configuration now, whether anything has changed or not.
    pub(super) fn read_now(&mut self) -> Result<Config, String> {
        self.files().for_each(Watched::note);
        self.read()
    }

    fn read(&mut self) -> Result<Config, String> {
        self.file.iter().try_for_each(Watched::check)?;
        let config = contain(|| (self.read)()).map_err(|_| INTERNAL)??;
        self.watch_named(&config);
        self.named.iter().try_for_each(Watched::check)?;
        Ok(config)
    }

    fn has_changed(&mut self) -> bool {
        self.files().for_each(Watched::poll);
        if !self.files().all(|file| file.is_stable()) {
            return false;
        }
        let mut changed = false;
        for file in self.files() {
            changed |= file.has_changed();
        }
        changed
    }

    fn files(&mut self) -> impl Iterator<Item = &mut Watched> {
        self.file.iter_mut().chain(&mut self.named)
    }
}

/// A file, and its observed state. Anything that is not a regular file, such as a pipe, counts as
/// missing.
#[derive(Debug)]
struct Watched {
    path: PathBuf,
    /// The state with which the configuration was read.
    seen: Option<Stamp>,
    /// A hash of the content then: a file that was only touched has not changed.
    content: Option<u64>,
    last: Option<Stamp>,
    /// For how many checks it has been unchanged.
    unchanged: u32,
    /// For how many checks it has differed.
    differing: u32,
}

/// Distinguishes states of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    file: FileId,
}

impl Watched {
    fn new(path: PathBuf) -> Self {
        let seen = stamp(&path).ok();
        Self {
            seen,
            content: seen.and_then(|_| content(&path)),
            path,
            last: seen,
            unchanged: 0,
            differing: 0,
        }
    }

    /// It is about to be read as it is now.
    fn note(&mut self) {
        *self = Self::new(std::mem::take(&mut self.path));
    }

    fn poll(&mut self) {
        let now = stamp(&self.path).ok();
        self.unchanged = if now == self.last {
            self.unchanged.saturating_add(1)
        } else {
            0
        };
        self.differing = if now == self.seen {
            0
        } else {
            self.differing.saturating_add(1)
        };
        self.last = now;
    }

    /// False while it is being written or replaced.
    fn is_stable(&self) -> bool {
        let settles = if self.last.is_some() { 1 } else { MISSING };
        self.seen == self.last || self.unchanged >= settles || self.differing >= RESTLESS
    }

    /// Whether it is gone, or holds something else than what was read last.
    fn has_changed(&mut self) -> bool {
        if self.seen == self.last {
            return false;
        }
        self.seen = self.last;
        let content = self.last.and_then(|_| content(&self.path));
        let changed = content.is_none() || self.content != content;
        // If the old state comes back, the configuration was read with it.
        self.content = content.or(self.content);
        changed
    }

    /// Refuses what has no end, or waits for somebody to write it, while the proxy serves.
    fn check(&self) -> Result<(), String> {
        match fs::metadata(&self.path) {
            Ok(metadata) if !metadata.is_file() => Err(format!(
                "{} is not a regular file, and other files are read only at start",
                self.path.display()
            )),
            // Reading it reports the error.
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

fn stamp(path: &Path) -> io::Result<Stamp> {
    let metadata = fs::metadata(path)?;
    // Reading a pipe consumes its content, and blocks.
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(Stamp {
        modified: metadata.modified().ok(),
        length: metadata.len(),
        file: FileId::at(path)?,
    })
}

/// A hash of a file's content; `None` if it can't be read.
fn content(path: &Path) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    fs::read(path).ok()?.hash(&mut hasher);
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It once counted as changed, and a memory vault was emptied.
    #[test]
    fn a_rewritten_file_with_equal_content_is_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let (file, away) = (folder.path().join("file"), folder.path().join("away"));
        fs::write(&file, "a").unwrap();
        let mut watched = Watched::new(file.clone());
        let mut has_changed = || {
            (0..=MISSING).for_each(|_| watched.poll());
            watched.is_stable() && watched.has_changed()
        };
        fs::rename(&file, &away).unwrap();
        assert!(has_changed());
        fs::rename(&away, &file).unwrap();
        assert!(!has_changed());
        fs::write(&file, "other").unwrap();
        assert!(has_changed());
    }

    /// It once kept every other change from being noticed.
    #[test]
    fn a_constantly_changing_file_is_read_anyway() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "a").unwrap();
        let mut watched = Watched::new(file.clone());
        let mut text = "a".to_owned();
        let mut write_on = |rounds: u32| {
            for _ in 0..rounds {
                text.push('b');
                fs::write(&file, &text).unwrap();
                watched.poll();
            }
            watched.is_stable()
        };
        assert!(!write_on(RESTLESS - 1));
        assert!(write_on(1));
        assert!(watched.has_changed());
        watched.poll();
        assert!(!watched.has_changed());
    }

    /// It was once read to its end, which never comes.
    #[test]
    fn only_regular_files_are_read() {
        let mut watched = Watched::new("/dev/zero".into());
        watched.poll();
        assert!(watched.is_stable() && !watched.has_changed());
    }
}
