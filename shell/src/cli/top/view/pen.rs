//! Writes into a part of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::words::{bar, shortened};
use super::{PLAIN, TITLE};
use crate::cli::audit::printable;
use crate::cli::top::summary::Table;

/// The longest bar.
const BAR: usize = 16;

/// The fewest lines of a table: its title, a row, and how many more there are.
fn least(table: &Table<'_>) -> usize {
    1 + table.rows.len().min(2)
}

/// The lines that a table would like: its title, its rows, and a blank one.
pub(super) fn wanted(table: &Table<'_>) -> usize {
    table.rows.len() + 2
}

/// Shares lines among tables: first the fewest that each needs, as far as they go, then one each in turn. A table without
/// room has none.
fn shares(tables: &[Table<'_>], mut lines: usize) -> Vec<usize> {
    let fewest = tables.iter().map(|table| {
        let share = Some(least(table)).filter(|least| *least <= lines);
        lines -= share.unwrap_or(0);
        share.unwrap_or(0)
    });
    let mut shares: Vec<_> = fewest.collect();
    loop {
        let mut is_content = true;
        for (share, table) in shares.iter_mut().zip(tables) {
            if lines > 0 && (1..wanted(table)).contains(share) {
                *share += 1;
                lines -= 1;
                is_content = false;
            }
        }
        if is_content {
            return shares;
        }
    }
}

/// How many of some tables have no room in so many lines.
pub(super) fn without_room(tables: &[Table<'_>], lines: usize) -> usize {
    let shares = shares(tables, lines).into_iter();
    shares.filter(|share| *share == 0).count()
}

/// Writes into a part of a buffer, and never outside it.
pub(super) struct Pen<'a> {
    pub(super) buffer: &'a mut Buffer,
    pub(super) area: Rect,
}

impl Pen<'_> {
    pub(super) fn line(&mut self, row: usize, text: &str, style: Style) {
        self.at(row, 0, text, style);
    }

    pub(super) fn at(&mut self, row: usize, column: usize, text: &str, style: Style) {
        let place = |at: usize, length: u16| u16::try_from(at).ok().filter(|at| *at < length);
        let row = place(row, self.area.height);
        let column = place(column, self.area.width);
        let (Some(row), Some(column)) = (row, column) else {
            return;
        };
        let room = usize::from(self.area.width - column);
        let text = shortened(&printable(text), room);
        let (x, y) = (self.area.x + column, self.area.y + row);
        self.buffer.set_stringn(x, y, text, room, style);
    }

    /// Tables one below the other.
    pub(super) fn tables(
        &mut self,
        tables: &[Table<'_>],
        top: usize,
        height: usize,
        left: usize,
        width: usize,
    ) {
        let mut row = top;
        for (table, share) in tables.iter().zip(shares(tables, height)) {
            if share > 0 {
                self.table(table, row, share, left, width);
            }
            row += share;
        }
    }

    fn table(&mut self, table: &Table<'_>, top: usize, lines: usize, left: usize, width: usize) {
        self.at(top, left, table.title, TITLE);
        // A blank line goes below, unless lines are scarce.
        let below = usize::from(lines > 3);
        let room = (lines - 1 - below).min(table.rows.len());
        let is_cut = room < table.rows.len();
        let shown = if is_cut { room - 1 } else { room };
        let most = table.rows.first().map_or(1, |(_, count)| *count).max(1);
        let digits = most.to_string().len();
        let longest = table.rows.iter().take(shown);
        let longest = longest.map(|(name, _)| printable(name).chars().count());
        let name_room = width.saturating_sub(digits + 3);
        let name_width = longest.max().unwrap_or(0).min(name_room);
        let bar_room = name_room.saturating_sub(name_width + 1).min(BAR);
        for (index, (name, count)) in table.rows.iter().take(shown).enumerate() {
            let name = shortened(&printable(name), name_width);
            let bar = bar(*count, most, bar_room);
            let row = format!(" {name:<name_width$} {count:>digits$} {bar}");
            self.at(top + 1 + index, left, &row, PLAIN);
        }
        if is_cut {
            let more = format!(" … {} more", table.rows.len() - shown);
            self.at(top + 1 + shown, left, &more, PLAIN);
        }
    }
}
