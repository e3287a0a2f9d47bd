//! Numbers that are recognized only by the name they are assigned to.

use crate::EntityType;
use crate::detect::scan::grams::Grams;
use crate::detect::shapes::{address, ids};
use crate::detect::text::Text;
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score, scan};

/// Longest value that may be one number, in bytes.
const LONGEST: usize = 64;
/// Longest part of a postal address, in bytes.
const LONGEST_ADDRESS: usize = 200;
/// Longest name that is read, in bytes.
const LONGEST_NAME: usize = 128;
/// Fewest digits of a number that a name makes sensitive.
const FEWEST_DIGITS: usize = 7;

/// What a name can make of a number.
const NUMBERS: [EntityType; 12] = [
    EntityType::CREDIT_CARD,
    EntityType::PHONE,
    EntityType::SSN,
    EntityType::BANK_ACCOUNT,
    EntityType::IBAN,
    EntityType::NATIONAL_ID,
    EntityType::PASSPORT,
    EntityType::DRIVER_LICENSE,
    EntityType::TAX_ID,
    EntityType::HEALTH_ID,
    EntityType::DATE_OF_BIRTH,
    EntityType::LICENSE_PLATE,
];

/// Examines a whole text as if it followed its name: `{"ssn": "123456789"}` as `ssn: 123456789`.
pub(in crate::detect) fn scan(grams: &Grams, name: &str, text: &str, found: &mut Vec<Detection>) {
    if text.len() <= LONGEST_ADDRESS && address::is_member(name, text) {
        found.push(Detection {
            start: 0,
            end: text.len(),
            entity: EntityType::ADDRESS,
            score: Score::percent(80),
            rule: "address-member",
        });
        return;
    }
    let is_short = text.len() <= LONGEST && name.len() <= LONGEST_NAME;
    let has_topic = || digits(text) > 0 && ids::topic(name.as_bytes()).is_some();
    if !is_short || digits(text) < FEWEST_DIGITS && !has_topic() {
        return;
    }
    let line = [name, ": ", text].concat();
    let before = line.len() - text.len();
    let mut in_line = Vec::new();
    scan::scan(&mut Scanner::new(&Text::new(&line), &mut in_line), grams);
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
