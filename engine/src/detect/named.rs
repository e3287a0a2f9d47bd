//! Numbers that only the name tells which they are assigned to.

use super::grams::Grams;
use super::pass::Pass;
use super::text::Text;
use super::{Detection, scan};
use crate::EntityType;

/// Longest value that may be one number, in bytes.
const LONGEST: usize = 64;
/// Longest name that is read, in bytes.
const LONGEST_NAME: usize = 128;
/// Fewest digits of a number that a name makes sensitive.
const FEWEST_DIGITS: usize = 7;

/// What a name beside it may turn a number into.
const NUMBERS: [EntityType; 3] = [EntityType::CREDIT_CARD, EntityType::PHONE, EntityType::SSN];

/// Looks at a whole text as if it stood behind its name: `{"ssn": "123456789"}` as `ssn: 123456789`.
pub(super) fn look(grams: &Grams, name: &str, text: &str, found: &mut Vec<Detection>) {
    if text.len() > LONGEST || name.len() > LONGEST_NAME || digits(text) < FEWEST_DIGITS {
        return;
    }
    let line = [name, ": ", text].concat();
    let before = line.len() - text.len();
    let mut in_line = Vec::new();
    scan::scan(&mut Pass::new(&Text::new(&line), &mut in_line), grams);
    let numbers = in_line
        .into_iter()
        .filter(|detection| NUMBERS.contains(&detection.entity) && detection.start >= before);
    found.extend(numbers.map(|detection| Detection {
        start: detection.start - before,
        end: detection.end - before,
        ..detection
    }));
}

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}
