//! Signals from a terminal, a shell or a service manager.

use std::fs;
use std::future::pending;
use std::io;

use tokio::signal::unix::{self, SignalKind, signal};

/// A signal that says what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Terminate,
    Interrupt,
    HangUp,
}

/// The signals that are caught.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: unix::Signal,
    interrupt: unix::Signal,
    hang_up: Option<unix::Signal>,
}

impl Signals {
    /// Catches the signals, so that they no longer end the process. Needs a running reactor.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn catch() -> io::Result<Self> {
        let mut signals = Self::catch_all()?;
        // Who is started by nohup is to outlive its terminal.
        if ignores_hang_up() {
            signals.hang_up = None;
        }
        Ok(signals)
    }

    /// Catches the signals as [`Signals::catch`] does, and a hang-up even where this process was started to ignore it.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn catch_all() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: Some(signal(SignalKind::hangup())?),
        })
    }

    /// Waits for the next one. May be dropped and called again.
    pub(crate) async fn next(&mut self) -> Signal {
        let hung_up = async {
            match &mut self.hang_up {
                Some(signal) => signal.recv().await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = hung_up => Signal::HangUp,
        }
    }
}

/// Whether this process was started with SIGHUP ignored, as far as the system tells.
fn ignores_hang_up() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // SIGHUP is number 1, and the first bit.
    ignored.is_some_and(|mask| mask & 1 != 0)
}
