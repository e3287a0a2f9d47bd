//! Recognizes rows of coordinates, such as the paths of a drawing.

use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// How far a row is followed to either side of a number, in bytes.
const REACH: usize = 96;
/// Fewest marks of measures in a row.
const FEWEST: usize = 3;
/// The commands of a path (SVG 2, section 9.3), which PostScript shares.
const COMMANDS: &[u8] = b"MmLlHhVvCcSsQqTtAaZz";
/// Commands that are units of time as well: `1h5m3s`.
const UNITS: &[u8] = b"hms";

/// What a byte says about its row, in order of significance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// The point of a number that measures something, as a table may hold it, too.
    Measure,
    /// Only drawings contain it.
    Drawing,
}

/// Whether a number is in a row of a drawing's coordinates: `.053 0 .057.001.11.003-.001`,
/// `c0-1.1a.77.77 0 0 1`.
pub(super) fn is_drawn(text: &[u8], range: &Range<usize>) -> bool {
    let start = range.start - bytes::run_back(text, range.start, REACH, belongs);
    let end = range.end + bytes::run(text, range.end, REACH, belongs);
    let marks = || (start..end).filter_map(|index| mark(text, index));
    marks().take(FEWEST).count() == FEWEST && marks().any(|mark| mark == Mark::Drawing)
}

fn belongs(byte: u8) -> bool {
    byte.is_ascii_digit()
        || byte.is_ascii_whitespace()
        || matches!(byte, b'.' | b',' | b'-')
        || COMMANDS.contains(&byte)
}

fn mark(text: &[u8], index: usize) -> Option<Mark> {
    match at(text, index) {
        b'.' => point_mark(text, index),
        byte if COMMANDS.contains(&byte) => is_command(text, index).then_some(Mark::Drawing),
        _ => None,
    }
}

/// The point of `.57`, `.57.2` or `356.2425`: never of four octets, nor of a telephone number's groups.
fn point_mark(text: &[u8], point: usize) -> Option<Mark> {
    const PLACES: usize = 4;
    let is_digit = |byte: u8| byte.is_ascii_digit();
    let whole = bytes::run_back(text, point, REACH, is_digit);
    let places = bytes::run(text, point + 1, REACH, is_digit);
    let goes_on = at(text, point + 1 + places) == b'.';
    let lead = before(text, point - whole);
    if places == 0 {
        return None;
    }
    if whole > 0 {
        let measures = lead != b'.' && !goes_on && places >= PLACES && whole < PLACES;
        return measures.then_some(Mark::Measure);
    }
    let ends_another = lead == b'-' && before(text, point - 1).is_ascii_digit();
    let begins = matches!(lead, b'-' | b',') || lead.is_ascii_whitespace();
    if COMMANDS.contains(&lead) || ends_another || begins && goes_on {
        return Some(Mark::Drawing);
    }
    begins.then_some(Mark::Measure)
}

/// A letter before a number and after another, or after none; in PostScript at the end of a line.
fn is_command(text: &[u8], index: usize) -> bool {
    let (previous, next) = (before(text, index), at(text, index + 1));
    let may_be_unit = UNITS.contains(&at(text, index)) && previous.is_ascii_digit();
    let opens = next.is_ascii_digit() && !may_be_unit || matches!(next, b'.' | b'-');
    let ends = previous == b' ' && next == b'\n' && before(text, index - 1).is_ascii_digit();
    opens && (!previous.is_ascii_alphabetic() || matches!(previous, b'z' | b'Z')) || ends
}
