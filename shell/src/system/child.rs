//! A child process with the terminal and its signals.

use std::fs::File;
use std::io;
use std::process::Command;

use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpgrp, getpid, kill_process, waitpid,
};
use rustix::termios::tcgetpgrp;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

/// Runs a command to its end with our standard streams, and returns its exit code as a shell
/// gives it: 128 and the number of the signal that killed it.
///
/// # Errors
/// When it can't be started, or signals not be caught.
pub(crate) fn run(command: &mut Command) -> io::Result<u8> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(run_to_end(command))
}

async fn run_to_end(command: &mut Command) -> io::Result<u8> {
    let mut changed = signal(SignalKind::child())?;
    // Handled from now on, so that these signals end the tool and not us. The tool has their
    // default actions.
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut quit = signal(SignalKind::quit())?;

    let child = command.spawn()?;
    let tool = pid_of(&child)?;
    loop {
        if let Some((_, status)) = waitpid(Some(tool), WaitOptions::NOHANG | WaitOptions::UNTRACED)?
        {
            if !status.stopped() {
                return Ok(exit_code(status));
            }
            stop_until_continued(tool);
        }
        let forwarded = tokio::select! {
            _ = changed.recv() => None,
            _ = terminate.recv() => Some(Signal::TERM),
            _ = hang_up.recv() => Some(Signal::HUP),
            _ = interrupt.recv() => unless_sent_by_terminal(Signal::INT),
            _ = quit.recv() => unless_sent_by_terminal(Signal::QUIT),
        };
        if let Some(signal) = forwarded {
            // It may have ended in the meantime.
            let _ = kill_process(tool, signal);
        }
    }
}

fn pid_of(child: &std::process::Child) -> io::Result<Pid> {
    i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| io::Error::other("the tool has no process id"))
}

fn exit_code(status: WaitStatus) -> u8 {
    let code = status
        .exit_status()
        .or_else(|| Some(128 + status.terminating_signal()?));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// A tool that suspends itself suspends the whole job, so that the shell takes control.
fn stop_until_continued(tool: Pid) {
    if is_in_foreground() {
        // Both only fail when the process is gone.
        let _ = kill_process(getpid(), Signal::STOP);
        let _ = kill_process(tool, Signal::CONT);
    }
}

/// The terminal sends Ctrl-C to the tool, too, and a second one often means more.
fn unless_sent_by_terminal(signal: Signal) -> Option<Signal> {
    (!is_in_foreground()).then_some(signal)
}

/// Whether our job is the one that the terminal's keys go to.
fn is_in_foreground() -> bool {
    File::open("/dev/tty")
        .and_then(|terminal| Ok(tcgetpgrp(&terminal)?))
        .is_ok_and(|group| group == getpgrp())
}
