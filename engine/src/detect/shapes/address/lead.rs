//! What precedes a street: flats, houses with names, towns.

use super::street::{is_capitalised, is_letter, word_start};
use super::tail;
use super::unworded::words_start;
use crate::detect::bytes::{self, before};

/// Most parts before a street: `Flat 302, Sai Residency, Tower 3, `.
const MOST_PARTS: usize = 4;
/// Longest word, and longest number of a flat with its word, in bytes.
const LONGEST_WORD: usize = 32;
const LONGEST_UNIT: usize = 20;
/// Digits of a postal code that begins an address.
const CODE: usize = 6;

/// What is before the number of a flat.
const UNITS: [&[u8]; 21] = [
    b"Flat ",
    b"Apt ",
    b"Unit ",
    b"Suite ",
    b"Apartment ",
    b"Level ",
    b"Shop ",
    b"Lot ",
    b"Flat No. ",
    b"House No. ",
    b"Door No. ",
    b"Plot No ",
    b"Plot No. ",
    b"H.No. ",
    b"H. No. ",
    b"H No ",
    b"No. ",
    b"Block ",
    b"Blk ",
    b"Tower ",
    b"Floor ",
];
/// What the names of houses end with, and begin with.
const HOUSES: [&str; 14] = [
    "House",
    "Cottage",
    "Rectory",
    "Vicarage",
    "Farm",
    "Lodge",
    "Barn",
    "Mill",
    "Manor",
    "Villa",
    "Tower",
    "Residency",
    "Apartments",
    "Building",
];
const ESTATES: [&str; 8] = [
    "Résidence ",
    "Immeuble ",
    "Bâtiment ",
    "Domaine ",
    "Hameau ",
    "Edificio ",
    "Edifício ",
    "Condominio ",
];
/// What is before the name of a town, and behind that of a region.
const TOWNS: [&str; 9] = [
    "г. ",
    "г.",
    "город ",
    "м. ",
    "м.",
    "с. ",
    "пос. ",
    "дер. ",
    "р-н ",
];
const REGIONS: [&str; 5] = [" обл.", " область", " край", " район", " р-н"];

/// Where an address begins whose street begins at `street`.
pub(super) fn with_lead(text: &[u8], street: usize) -> usize {
    let mut start = with_unit_word(text, street);
    for _ in 0..MOST_PARTS {
        let lead = before_joint(bytes::slice(text, 0, start)).map(<[u8]>::len);
        let Some(part) = lead.and_then(|end| part_start(text, end)) else {
            break;
        };
        start = part;
    }
    start
}

/// Where the part of an address begins that ends at `end`.
fn part_start(text: &[u8], end: usize) -> Option<usize> {
    unit_start(text, end)
        .or_else(|| house_start(text, end))
        .or_else(|| town_start(text, end))
}

/// `Flat 3`, `bât. C`, `12/F`
fn unit_start(text: &[u8], end: usize) -> Option<usize> {
    let first = end.saturating_sub(LONGEST_UNIT);
    (first..end).find(|&start| {
        let own = bytes::slice(text, start, end);
        let is_apart = matches!(before(text, start), b' ' | b'\n' | b':' | b'"' | b'(' | 0);
        is_apart
            && (is_numbered_unit(own) || is_floor(own) || tail::unit_end(text, start) == Some(end))
    })
}

fn is_numbered_unit(own: &[u8]) -> bool {
    UNITS.iter().any(|unit| {
        let number = own.strip_prefix(*unit).unwrap_or_default();
        let is_number = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-');
        (1..=5).contains(&number.len()) && number.iter().all(is_number)
    })
}

/// `12/F`
fn is_floor(own: &[u8]) -> bool {
    let number = own.strip_suffix(b"/F").unwrap_or_default();
    (1..=2).contains(&number.len()) && number.iter().all(u8::is_ascii_digit)
}

/// `The Old Rectory`, `Résidence Les Acacias`
fn house_start(text: &[u8], end: usize) -> Option<usize> {
    let start = words_start(text, end)?;
    let own = bytes::slice(text, start, end);
    let is_estate = ESTATES
        .iter()
        .any(|estate| own.starts_with(estate.as_bytes()));
    (is_house_name(own) || is_estate).then_some(start)
}

/// Whether words are the name of a house: `Rose Cottage`.
pub(super) fn is_house_name(own: &[u8]) -> bool {
    let last = own.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    last.len() < own.len() && HOUSES.iter().any(|house| house.as_bytes() == last)
}

/// `г. Казань`, `Московская обл.`, `620014`, `Angers (49000)`
fn town_start(text: &[u8], end: usize) -> Option<usize> {
    let lead = bytes::slice(text, 0, end);
    let digits = bytes::run_back(text, end, CODE + 1, |byte| byte.is_ascii_digit());
    let code = end - digits;
    let follows_number =
        before(text, code) == b' ' && before(text, code.saturating_sub(1)).is_ascii_digit();
    if digits == CODE && !before(text, code).is_ascii_alphanumeric() && !follows_number {
        return Some(code);
    }
    if let Some(region) = REGIONS
        .iter()
        .find_map(|region| lead.strip_suffix(region.as_bytes()))
    {
        return words_start(text, region.len());
    }
    if let Some(town) = lead.strip_suffix(b")") {
        let digits = bytes::run_back(town, town.len(), CODE, |byte| byte.is_ascii_digit());
        let town = bytes::slice(town, 0, town.len() - digits).strip_suffix(b" (")?;
        return (digits == 5).then(|| words_start(text, town.len()))?;
    }
    let name = words_start(text, end)?;
    let lead = bytes::slice(text, 0, name);
    let sign = TOWNS.iter().find(|sign| lead.ends_with(sign.as_bytes()))?;
    let start = name - sign.len();
    (!is_letter(before(text, start))).then_some(start)
}

/// What is before the comma or the end of the line that a text ends with.
fn before_joint(text: &[u8]) -> Option<&[u8]> {
    let joints: [&[u8]; 3] = [b", ", b",\n", b"\n"];
    joints
        .into_iter()
        .find_map(|joint| text.strip_suffix(joint))
}

/// Before the number of a flat: `Flat `, in `Flat 302, Sai Residency, 12th Main Road`.
fn with_unit_word(text: &[u8], start: usize) -> usize {
    let lead = bytes::slice(text, 0, start);
    let unit = UNITS.iter().find(|unit| lead.ends_with(unit));
    start - unit.map_or(0, |unit| unit.len())
}

/// Before a street: `1052 Budapest, `.
pub(super) fn with_code_and_place(text: &[u8], start: usize) -> usize {
    const CODE: usize = 4;
    let place = before_joint(bytes::slice(text, 0, start))
        .map(|lead| word_start(text, lead.len(), LONGEST_WORD))
        .filter(|place| {
            is_capitalised(bytes::slice(text, *place, *place + 4)) && before(text, *place) == b' '
        });
    let code = place.and_then(|place| place.checked_sub(1 + CODE));
    code.filter(|code| {
        bytes::run(text, *code, CODE + 1, |byte| byte.is_ascii_digit()) == CODE
            && !before(text, *code).is_ascii_alphanumeric()
    })
    .unwrap_or(start)
}
