//! The size of what is drawn on, where no terminal tells it.

use ratatui::crossterm::terminal;
use ratatui::layout::Rect;

/// The narrowest page.
const FEWEST: u16 = 20;

/// How many columns a page has: those of the variable `COLUMNS`, or 80.
pub(super) fn columns() -> u16 {
    of_variable("COLUMNS").unwrap_or(80).max(FEWEST)
}

/// The area of a terminal that does not know its size, as some over a serial line or in a container.
pub(super) fn of_unknown_terminal() -> Option<Rect> {
    match terminal::size() {
        Ok((columns, lines)) if columns > 0 && lines > 0 => None,
        _ => Some(Rect::new(
            0,
            0,
            columns(),
            of_variable("LINES").unwrap_or(24),
        )),
    }
}

fn of_variable(name: &str) -> Option<u16> {
    let value = std::env::var(name).ok()?.parse().ok()?;
    (value > 0).then_some(value)
}
