//! Requests whose bodies leave unmasked: what they hold, and when their paths are named in the log.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a path is not named again.
const PAUSE: Duration = Duration::from_mins(1);

/// How many paths are told apart in that time; the others are named together.
const MAX_PATHS: usize = 64;

/// Stands for every path beyond those.
const OTHERS: &str = "(other paths)";

/// How much of a path is shown, in bytes.
const MAX_SHOWN: usize = 200;

/// What an unmasked body holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// JSON: probably a prompt.
    Json,
    /// An upload, a form, or anything else.
    Other,
}

impl Content {
    pub(crate) const ALL: [Self; 2] = [Self::Json, Self::Other];

    /// The name in audit and metrics.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Other => "other",
        }
    }
}

/// The paths that were named within the last minute.
#[derive(Debug, Default)]
pub(super) struct NamedPaths(Mutex<BTreeMap<String, Instant>>);

impl NamedPaths {
    /// The path as it is to be named now; none when it was named a short while ago.
    pub(super) fn due<'a>(&self, path: &'a str, now: Instant) -> Option<&'a str> {
        let path = path.get(..path.floor_char_boundary(MAX_SHOWN))?;
        let mut named = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        named.retain(|_, at| now.saturating_duration_since(*at) < PAUSE);
        let is_room = named.len() < MAX_PATHS;
        let path = if is_room || named.contains_key(path) {
            path
        } else {
            OTHERS
        };
        if named.contains_key(path) {
            return None;
        }
        named.insert(path.to_owned(), now);
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_named_once_a_minute() {
        let paths = NamedPaths::default();
        let now = Instant::now();
        assert_eq!(paths.due("/a", now), Some("/a"));
        assert_eq!(paths.due("/a", now + Duration::from_secs(59)), None);
        assert_eq!(paths.due("/b", now), Some("/b"));
        assert_eq!(paths.due("/a", now + PAUSE), Some("/a"));
    }

    #[test]
    fn many_paths_are_named_together_and_take_bounded_memory() {
        let paths = NamedPaths::default();
        let now = Instant::now();
        let named = (0..10_000).filter_map(|number| {
            let path = format!("/{number}/{}", "x".repeat(10_000));
            paths.due(&path, now).map(str::to_owned)
        });
        let named: Vec<_> = named.collect();
        assert_eq!(named.len(), MAX_PATHS + 1);
        assert_eq!(named.last().map(String::as_str), Some(OTHERS));
        assert!(named.iter().all(|path| path.len() <= MAX_SHOWN));
    }
}
