//! Polls a proxy: its metrics, then its trail.

use std::io;
use std::path::{Path, PathBuf};

use super::counters::Counters;
use super::endpoint::Endpoint;
use super::state::State;
use super::summary::Summary;
use super::traffic::Traffic;
use crate::base::clock;
use crate::cli::audit::{Trail, unread};

/// The most that is read of a long trail.
const MOST: u64 = 64 << 20;

/// A service that is watched.
#[derive(Debug)]
pub(super) struct Watch {
    endpoint: Endpoint,
    /// The path of its trail, or why there is none.
    audit: Result<PathBuf, String>,
    trail: Option<Trail>,
    /// Whether lines of the trail were left out.
    is_cut: bool,
    /// Why the trail can't be read.
    unread: Option<String>,
    state: State,
}

impl Watch {
    /// Nothing is requested or read yet.
    pub(super) fn new(endpoint: Endpoint, audit: Result<PathBuf, String>) -> Self {
        Self {
            endpoint,
            audit,
            trail: None,
            is_cut: false,
            unread: None,
            state: State::default(),
        }
    }

    /// Polls the service once.
    ///
    /// # Errors
    /// Why the service does not answer.
    pub(super) async fn poll(&mut self) -> Result<Summary, String> {
        let counters = self.endpoint.counters().await?;
        self.take(counters);
        Ok(self.summary())
    }

    /// The last known state, although the service does not answer now.
    pub(super) fn without_service(&self, why: &str) -> Summary {
        let mut summary = self.summary();
        summary.notices.insert(0, why.to_owned());
        summary
    }

    /// Whether the trail ends within a line.
    pub(super) fn is_within_a_line(&self) -> bool {
        self.trail.as_ref().is_some_and(Trail::ends_within_a_line)
    }

    fn take(&mut self, counters: Counters) {
        if self.state.take(now(), counters) {
            self.trail = None;
        }
        let Ok(path) = &self.audit else { return };
        let path = path.clone();
        self.unread = self
            .read(&path)
            .err()
            .map(|error| unread(&path, &error).message);
    }

    fn read(&mut self, path: &Path) -> io::Result<()> {
        let started = self.state.started();
        if let Some(trail) = &mut self.trail {
            let traffic = self.state.traffic.get_or_insert_default();
            return trail.follow(path, |line| {
                traffic.add(line, started);
                Ok(())
            });
        }
        let (mut trail, is_cut) = Trail::open_end(path, MOST)?;
        let mut traffic = Traffic::default();
        trail.read(|line| {
            traffic.add(line, started);
            Ok(())
        })?;
        self.is_cut = is_cut;
        self.trail = Some(trail);
        self.state.traffic = Some(traffic);
        Ok(())
    }

    fn summary(&self) -> Summary {
        let mut summary = self.state.summary(self.endpoint.url(), now());
        if let Some(why) = self.audit.as_ref().err().or(self.unread.as_ref()) {
            summary.notices.push(why.clone());
        }
        if self.is_cut {
            summary.notices.push(format!(
                "the audit trail is long: routes and replies are from its last {} MB",
                MOST >> 20
            ));
        }
        summary
    }
}

/// Now, in seconds since the epoch.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of this century")]
fn now() -> f64 {
    clock::now() as f64 / 1000.0
}
