//! The console.

use std::io;

use winapi_util::HandleRef;
use winapi_util::console::{mode, set_mode};

/// Reads a line from the console that is standard input, without showing what is typed.
///
/// # Errors
/// When it can't be read, or the console can't hide it.
pub(crate) fn read_hidden_line(line: &mut String) -> io::Result<()> {
    const ENABLE_ECHO_INPUT: u32 = 4;
    let input = HandleRef::stdin();
    let shown = mode(&input)?;
    set_mode(&input, shown & !ENABLE_ECHO_INPUT)?;
    let typed = io::stdin().read_line(line);
    set_mode(&input, shown)?;
    typed.map(|_| ())
}

/// Whether the other end of the terminal that is standard input is gone. A closed console is an event of its own.
pub(crate) fn has_hung_up() -> bool {
    false
}
