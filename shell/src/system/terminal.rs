//! The terminal.

use std::io;

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// Reads a line from the terminal that is standard input, without showing what is typed.
///
/// # Errors
/// When it can't be read, or the terminal not be told to hide it.
pub(crate) fn read_hidden_line(line: &mut String) -> io::Result<()> {
    let input = io::stdin();
    let shown = tcgetattr(&input)?;
    let mut hidden = shown.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&input, OptionalActions::Flush, &hidden)?;
    let typed = input.read_line(line);
    tcsetattr(&input, OptionalActions::Flush, &shown)?;
    typed.map(|_| ())
}
