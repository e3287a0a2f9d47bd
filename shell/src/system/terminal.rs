//! The terminal.

use std::io;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// Reads a line from the terminal that is standard input, without showing what is typed.
///
/// # Errors
/// When it can't be read, or the terminal can't hide it.
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

/// Whether the other end of the terminal that is standard input is gone.
pub(crate) fn has_hung_up() -> bool {
    let input = io::stdin();
    let mut asked = [PollFd::new(&input, PollFlags::empty())];
    let at_once = Timespec::default();
    let answered = poll(&mut asked, Some(&at_once));
    let [asked] = asked;
    answered.is_ok() && asked.revents().intersects(PollFlags::HUP | PollFlags::ERR)
}
