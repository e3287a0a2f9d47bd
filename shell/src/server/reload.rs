//! Noticing that the configuration file changed.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::config::Config;

/// How often the file is looked at.
const PERIOD: Duration = Duration::from_millis(500);

/// For how many looks a file is missing that was removed. One that is being replaced may be for a moment.
const MISSING: u32 = 3;

/// Where a new configuration comes from, and how it is read.
pub(crate) struct Reload {
    path: PathBuf,
    read: Box<dyn Fn() -> Result<Config, String> + Send>,
    seen: Option<Stamp>,
    /// A hash of the file's content: what was only touched has not changed.
    content: Option<u64>,
}

/// What tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    file: u64,
}

impl Reload {
    /// Watches a file. `read` reads the whole configuration anew; its error never shows a value.
    pub(crate) fn new(
        path: PathBuf,
        read: impl Fn() -> Result<Config, String> + Send + 'static,
    ) -> Self {
        Self {
            seen: stamp(&path).ok(),
            content: content(&path).ok(),
            path,
            read: Box::new(read),
        }
    }

    /// Waits until the file has changed, or is gone, and changes no more, then reads the configuration.
    pub(super) async fn changed(&mut self) -> Result<Config, String> {
        let mut last = self.seen;
        let mut unchanged: u32 = 0;
        loop {
            tokio::time::sleep(PERIOD).await;
            let now = stamp(&self.path).ok();
            unchanged = if now == last {
                unchanged.saturating_add(1)
            } else {
                0
            };
            last = now;
            let settles = if now.is_some() { 1 } else { MISSING };
            if unchanged < settles || self.seen == now {
                continue;
            }
            self.seen = now;
            let content = content(&self.path).ok();
            if self.content != content {
                self.content = content;
                return (self.read)();
            }
        }
    }
}

fn stamp(path: &Path) -> io::Result<Stamp> {
    use std::os::unix::fs::MetadataExt;

    let metadata = fs::metadata(path)?;
    Ok(Stamp {
        modified: metadata.modified().ok(),
        length: metadata.len(),
        file: metadata.ino(),
    })
}

fn content(path: &Path) -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    fs::read(path)?.hash(&mut hasher);
    Ok(hasher.finish())
}
