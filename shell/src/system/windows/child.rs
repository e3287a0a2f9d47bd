//! A child process on the same console.

use std::io;
use std::process::Command;

use tokio::runtime::Builder;
use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};

/// Runs a command to its end with our standard streams, and returns its exit code; 1 for one above 255.
///
/// # Errors
/// When it can't be started, or the console's events not be caught.
pub(crate) fn run(command: &mut Command) -> io::Result<u8> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let _entered = runtime.enter();
    // The console sends these to the tool, too, and only the tool ends by them.
    let _caught = (ctrl_c()?, ctrl_break()?, ctrl_close()?);
    let code = command.status()?.code();
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
