//! Events of a console, or of a system that shuts down.

use std::io;

use tokio::signal::windows::{
    CtrlBreak, CtrlC, CtrlClose, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown,
};

/// A signal that says what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Terminate,
    Interrupt,
    /// Never comes here: files are watched instead.
    #[expect(dead_code, reason = "Unix has it")]
    HangUp,
}

/// The events that are caught.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: CtrlC,
    pressed_break: CtrlBreak,
    closed: CtrlClose,
    shut_down: CtrlShutdown,
}

impl Signals {
    /// Catches the events, so that they no longer end the process. Needs a running reactor.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn catch() -> io::Result<Self> {
        Ok(Self {
            interrupt: ctrl_c()?,
            pressed_break: ctrl_break()?,
            closed: ctrl_close()?,
            shut_down: ctrl_shutdown()?,
        })
    }

    /// The same as [`Signals::catch`].
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn catch_all() -> io::Result<Self> {
        Self::catch()
    }

    /// Waits for the next one. May be dropped and called again.
    pub(crate) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.pressed_break.recv() => Signal::Terminate,
            _ = self.closed.recv() => Signal::Terminate,
            _ = self.shut_down.recv() => Signal::Terminate,
        }
    }
}
