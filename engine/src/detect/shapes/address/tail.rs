//! What follows a street: flat, place, region, postal code and country, on one line or several.

use super::street::{is_capitalised, is_letter};
use crate::detect::bytes::{self, at};
use crate::detect::lexicon::labels;
use crate::detect::names;
use std::ops::Range;

/// The most parts after a street.
const MOST_PARTS: usize = 7;
/// Most words of a place.
const MOST_WORDS: usize = 4;
const LONGEST_WORD: usize = 32;

/// What begins the number of a flat, a floor or a building.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    "apt", "apartment", "suite", "ste", "unit", "flat", "floor", "fl", "room", "bldg", "#", "bl", "kl", "lok", "m",
    "piętro", "p", "wohnung", "whg", "top", "bât", "esc", "piso", "bloco", "ap", "apto", "andar", "sala", "int", "scala",
    "interno", "bus", "lgh", "appt", "bte", "bureau", "box", "lote", "casa", "nave", "stiege", "tür", "sc", "et", "sector", "étage", "app", "depto", "dpto", "puerta", "as", "daire", "kat", "кв", "корп", "к", "стр", "оф", "под", "of", "ofic", "ет", "вх", "ап", "эт", "пом", "лит", "rt", "rw", "rm", "lot", "fracc", "mod", "unità", "lvl", "level",
];

/// Floors that have no number.
const FLOORS: [&str; 14] = [
    "bajo", "bajos", "ático", "entlo", "r/c", "rdc", "stuen", "st", "parter", "parterre", "eg",
    "beletage", "huis", "hs",
];

/// What may be before a postal code.
const CODE_LABELS: [&str; 7] = ["c.p. ", "cp ", "cep ", "cep: ", "pin ", "pin: ", "pin - "];

/// Small words in names of places.
const SMALL: &[&str] = &[
    "am", "an", "der", "de", "la", "le", "sur", "do", "da", "dos", "del", "upon", "on", "of",
    "den", "im", "in", "bei", "les",
];

/// States and territories whose two letters follow a place without a code.
#[rustfmt::skip]
const STATES: &[&str] = &[
    "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY", "LA", "ME",
    "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR", "PA",
    "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "DC",
];

/// Countries that may end an address.
#[rustfmt::skip]
const COUNTRIES: &[&str] = &[
    "USA", "United States", "UK", "United Kingdom", "England", "Scotland", "Wales", "Ireland", "Germany", "Deutschland",
    "France", "Spain", "España", "Italy", "Italia", "Poland", "Polska", "Portugal", "Netherlands", "Nederland", "Belgium",
    "Belgique", "Austria", "Österreich", "Switzerland", "Schweiz", "Suisse", "Brazil", "Brasil", "Canada", "Australia",
    "India", "Japan", "Sweden", "Sverige", "Norway", "Norge", "Denmark", "Danmark", "Finland", "Suomi",
];

/// Where the address whose street ends at `street` ends.
pub(super) fn end(text: &[u8], street: usize) -> usize {
    let mut best = street;
    // `Main St., Springfield`
    let dot = at(text, street) == b'.' && matches!(at(text, street + 1), b',' | b' ' | b'\n');
    let (mut index, mut has_place, mut has_code) = (street + usize::from(dot), false, false);
    let mut has_last = false;
    for _ in 0..MOST_PARTS {
        let Some((start, is_set_off)) = joint(text, index) else {
            break;
        };
        // `FL 33060` is no floor.
        let is_behind = has_code || has_place && postal_end(text, start).is_some();
        if let Some(end) = unit_end(text, start).filter(|_| !is_behind) {
            (index, best) = (end, if has_place { best } else { end });
        } else if let Some(end) =
            country_end(text, start).filter(|_| has_code || is_set_off && has_place)
        {
            return end;
        } else if has_code {
            if let Some(end) = region_end(text, start).filter(|_| is_set_off) {
                return end;
            }
            // `07100 Muratpaşa, Antalya`
            let place = place_end(text, start).filter(|place| {
                is_set_off && at(text, index) == b',' && is_known_place(text, start..*place)
            });
            let Some(place) = place.filter(|_| !has_last) else {
                break;
            };
            (index, best, has_last) = (place, place, true);
        } else if let Some(end) =
            postal_end(text, behind_label(text, start)).or_else(|| icelandic_end(text, start))
        {
            let place = place_after_code(text, end)
                .filter(|place| !has_place || is_known_place(text, end + 1..*place));
            if !has_place && place.is_none() && !is_lettered(text, start, end) {
                break;
            }
            (index, has_code) = (place.unwrap_or(end), true);
            best = index;
        } else if let Some(end) = state_end(text, start).filter(|_| has_place) {
            (index, best) = (end, end);
        } else if let Some(end) = place_end(text, start)
            .filter(|end| is_set_off || has_place || closes_known(text, start, *end))
        {
            (index, has_place) = (district_end(text, end).unwrap_or(end), true);
            let plain = plain_place_end(text, start..end);
            let is_apart = is_set_off || closes_known(text, start, end);
            if is_apart && is_known_place(text, start..plain) {
                best = if plain == end { index } else { plain };
            }
        } else {
            break;
        }
    }
    best
}

/// Whether a known place ends a line, a sentence or a part of one, or comes before its code: `12 Delft.`, `#08-11 Singapore 560412`.
fn closes_known(text: &[u8], start: usize, end: usize) -> bool {
    let closes = matches!(at(text, end), b',' | b'.' | b'\n' | b'\r' | b')' | b'"' | 0)
        || postal_end(text, end + 1).is_some_and(|code| code > end + 4);
    closes && is_known_place(text, start..end)
}

/// Where the place ends that follows a postal code; `110 00 Praha 1`.
pub(super) fn place_after_code(text: &[u8], code: usize) -> Option<usize> {
    let end = place_end(text, code + 1).filter(|_| at(text, code) == b' ')?;
    Some(district_end(text, end).unwrap_or(end))
}

/// Where a code of three digits ends, before a known place alone: `101 Reykjavík`.
fn icelandic_end(text: &[u8], start: usize) -> Option<usize> {
    let digits = bytes::run(text, start, 4, |byte| byte.is_ascii_digit());
    (digits == 3 && at(text, start + 3) == b' ' && known_place(text, start + 4))
        .then_some(start + 3)
}

/// Where the number of a district ends behind a place: `Dublin 4`, `Praha 10`, `Toulouse cedex 4`.
fn district_end(text: &[u8], place: usize) -> Option<usize> {
    let cedex = bytes::slice(text, place, place + 6);
    if cedex.eq_ignore_ascii_case(b" cedex") {
        return Some(district_end(text, place + 6).unwrap_or(place + 6));
    }
    if let Some(end) = province_end(text, place + 1).filter(|_| at(text, place) == b' ') {
        return Some(end);
    }
    let digits = bytes::run(text, place + 1, 3, |byte| byte.is_ascii_digit());
    let end = place + 1 + digits;
    let is_number = at(text, place) == b' ' && (1..=2).contains(&digits);
    let is_divided = ["Dublin", "Praha", "Budapest", "Wien", "Paris"]
        .iter()
        .any(|city| bytes::slice(text, 0, place).ends_with(city.as_bytes()));
    let is_free = (is_divided || matches!(at(text, end), b',' | b'\n' | b'"' | b'.' | b')' | 0))
        && !at(text, end + 1).is_ascii_digit();
    (is_number && is_free).then_some(end)
}

/// The letters of an Italian province: `MI`, `(MI)`.
fn province_end(text: &[u8], start: usize) -> Option<usize> {
    let letters = start + usize::from(at(text, start) == b'(');
    let end = letters + bytes::run(text, letters, 3, |byte| byte.is_ascii_uppercase());
    let is_closed = if letters > start {
        at(text, end) == b')'
    } else {
        closes_part(text, end)
    };
    let short = (end - letters == 2 && is_closed).then_some(end + (letters - start));
    short.or_else(|| region_in_brackets_end(text, start))
}

/// The name of a region: `(Québec)`
fn region_in_brackets_end(text: &[u8], start: usize) -> Option<usize> {
    let name = start + 1;
    let length = bytes::run(text, name, LONGEST_WORD, is_letter);
    let is_name =
        at(text, start) == b'(' && is_capitalised(bytes::slice(text, name, name + length));
    (is_name && at(text, name + length) == b')').then_some(name + length + 1)
}

/// Whether what follows a street has a postal code.
pub(super) fn has_code(text: &[u8], tail: Range<usize>) -> bool {
    (tail.start..tail.end).any(|index| {
        bytes::begins_word(text, index)
            && postal_end(text, index).is_some_and(|end| end <= tail.end)
    })
}

/// Whether a known place begins here.
pub(super) fn known_place(text: &[u8], start: usize) -> bool {
    place_end(text, start).is_some_and(|end| is_known_place(text, start..end))
}

/// Where a place without a postal code ends: before a small word that is hardly part of one, as in `Dublin in March`.
fn plain_place_end(text: &[u8], place: Range<usize>) -> usize {
    let mut end = place.start;
    for word in bytes::slice(text, place.start, place.end).split(|byte| *byte == b' ') {
        let is_other = !is_capitalised(word)
            && !matches!(
                word,
                b"de" | b"la" | b"le" | b"les" | b"del" | b"do" | b"da" | b"dos" | b"sur" | b"upon"
            );
        if is_other {
            return end.saturating_sub(1).max(place.start);
        }
        end += word.len() + 1;
    }
    place.end
}

/// Whether one of the words of a place is known.
fn is_known_place(text: &[u8], place: Range<usize>) -> bool {
    let own = str::from_utf8(bytes::slice(text, place.start, place.end)).unwrap_or_default();
    own.split([' ', '-']).any(names::is_place)
}

/// Where the next part begins, and whether more than a space sets it off: a comma, a dash or the end of the line.
fn joint(text: &[u8], index: usize) -> Option<(usize, bool)> {
    let spaces = bytes::run(text, index, 2, |byte| byte == b' ');
    let next = index + spaces;
    let (sign, width) = match bytes::slice(text, next, next + 2) {
        [b',' | b';' | b'-' | b'.', b' '] | [b'\\', b'n'] => (true, 2),
        [0xE2, 0x80] if bytes::slice(text, next, next + 4) == "– ".as_bytes() => (true, 4),
        [b'\n', _] => (true, 0),
        [b',', _] | [b'.', b'\n'] => (true, 1),
        _ => (false, 0),
    };
    let mut start = next + width;
    if sign && at(text, start) == b'\n' {
        start += 1;
        start += bytes::run(text, start, 12, |byte| {
            matches!(byte, b' ' | b'\t' | b'>' | b'|')
        });
    }
    (start > index).then_some((start, sign))
}

/// Where a postal code begins that may have a label.
fn behind_label(text: &[u8], start: usize) -> usize {
    let label = CODE_LABELS
        .iter()
        .find(|label| bytes::begins(text, start, label.as_bytes()));
    start + label.map_or(0, |label| label.len())
}

/// A region behind a place, shortened: `Jal.`, `Q.R.`
fn region_end(text: &[u8], start: usize) -> Option<usize> {
    const LONGEST: usize = 8;
    let length = bytes::run(text, start, LONGEST, |byte| {
        byte.is_ascii_alphabetic() || byte == b'.'
    });
    let own = bytes::slice(text, start, start + length);
    let mut parts = own.strip_suffix(b".")?.split(|byte| *byte == b'.');
    let is_short = |part: &[u8]| {
        (1..=4).contains(&part.len()) && part.first().is_some_and(u8::is_ascii_uppercase)
    };
    let is_label = own.strip_suffix(b".").is_some_and(labels::is_label);
    (parts.all(is_short) && own.len() > 2 && !is_label).then_some(start + length)
}

/// `Apt 4B`, `bl. 4`, `3º B`, `r/c Dto.`
pub(super) fn unit_end(text: &[u8], start: usize) -> Option<usize> {
    let length = bytes::run(text, start, 12, |byte| is_letter(byte) || byte == b'#');
    let word = str::from_utf8(bytes::slice(text, start, start + length)).ok()?;
    let word = word.to_lowercase();
    let mut index = start + length;
    // `No: 4 D: 9`
    let is_turkish_door = word == "d" && at(text, index) == b':';
    if !UNITS.contains(&word.as_str()) && !is_turkish_door {
        return floor_end(text, start)
            .or_else(|| door_end(text, start))
            .or_else(|| unnumbered_end(text, start))
            .or_else(|| roman_end(text, start));
    }
    index += bytes::run(text, index, 2, |byte| matches!(byte, b'.' | b' ' | b':'));
    let number = bytes::run(text, index, 6, |byte| byte.is_ascii_alphanumeric());
    let joint = index + number;
    let more = bytes::run(text, joint + 1, 4, |byte| byte.is_ascii_digit());
    // `#08-1123`
    let number = number
        + if word == "#" && at(text, joint) == b'-' && more > 0 {
            1 + more
        } else {
            0
        };
    let own = bytes::slice(text, index, index + number);
    let is_number = own.iter().any(u8::is_ascii_digit) || own.len() == 1;
    is_number.then_some(index + number)
}

/// A floor without a number, and the side of the stair: `bajo`, `st. th`.
fn unnumbered_end(text: &[u8], start: usize) -> Option<usize> {
    let length = bytes::run(text, start, 12, |byte| is_letter(byte) || byte == b'/');
    let own = str::from_utf8(bytes::slice(text, start, start + length)).ok()?;
    let own = own.to_lowercase();
    let floor = FLOORS.iter().find(|floor| **floor == own)?;
    let end = start + floor.len();
    let dot = end + usize::from(at(text, end) == b'.');
    let door = dot + 2;
    let has_door = at(text, dot) == b' ' && at(text, dot + 1).is_ascii_alphanumeric();
    side_end(text, dot)
        .or_else(|| closes_part(text, dot).then_some(dot))
        .or_else(|| (has_door && closes_part(text, door)).then_some(door))
}

/// The floor of a Dutch house: `14 II`.
fn roman_end(text: &[u8], start: usize) -> Option<usize> {
    let end = start + bytes::run(text, start, 3, |byte| byte == b'I');
    (end > start && closes_part(text, end)).then_some(end)
}

fn closes_part(text: &[u8], end: usize) -> bool {
    matches!(at(text, end), b',' | b'\n' | b'\r' | 0)
}

/// The stair and door of a Finnish flat: `A 4`.
fn door_end(text: &[u8], start: usize) -> Option<usize> {
    let digits = bytes::run(text, start + 2, 3, |byte| byte.is_ascii_digit());
    let end = start + 2 + digits;
    let is_door = at(text, start).is_ascii_uppercase() && at(text, start + 1) == b' ';
    (is_door && (1..=2).contains(&digits) && at(text, end) == b',').then_some(end)
}

/// `3º B`, `2° piano`, `3 tr`
fn floor_end(text: &[u8], start: usize) -> Option<usize> {
    let digits = bytes::run(text, start, 2, |byte| byte.is_ascii_digit());
    let sign = start + digits + usize::from(at(text, start + digits) == b'.');
    let is_ordinal = ["º", "°", "ª"]
        .iter()
        .any(|own| bytes::slice(text, sign, sign + 2) == own.as_bytes());
    if digits == 0 {
        return None;
    }
    if !is_ordinal {
        let is_bare = sign == start + digits;
        let fits = |_: &usize| {
            !is_bare
                || [" tr", " krs"]
                    .iter()
                    .any(|own| bytes::begins(text, sign, own.as_bytes()))
        };
        return side_end(text, sign).filter(fits);
    }
    if let Some(end) = side_end(text, sign + 2) {
        return Some(end);
    }
    let door = bytes::slice(text, sign + 2, sign + 5);
    let joined = matches!(door, [door, after, _] if door.is_ascii_uppercase() && !after.is_ascii_alphanumeric());
    if joined {
        return Some(sign + 3);
    }
    let has_door = matches!(door, [b' ', door, after] if door.is_ascii_alphanumeric() && !after.is_ascii_alphanumeric());
    Some(sign + if has_door { 4 } else { 2 })
}

/// The side of a stair that a flat is on: `2. tv.`, `2.º Esq.`
fn side_end(text: &[u8], start: usize) -> Option<usize> {
    const SIDES: [&[u8]; 22] = [
        b" tr",
        b" krs",
        b" andar",
        b" OG links",
        b" OG rechts",
        b" OG",
        b" Stock",
        b" sal",
        b" tv",
        b" th",
        b" mf",
        b" Esq",
        b" esq",
        b" Dto",
        b" dto",
        b" Dir",
        b" izq",
        b" izda",
        b" izqda",
        b" dcha",
        b" drcha",
        b" puerta",
    ];
    let fits = |side: &&&[u8]| {
        bytes::begins(text, start, side) && !is_letter(at(text, start + side.len()))
    };
    let side = SIDES.iter().find(fits)?;
    let end = start + side.len();
    Some(end + usize::from(at(text, end) == b'.'))
}

fn country_end(text: &[u8], start: usize) -> Option<usize> {
    let stands = |name: &&&str| {
        let end = start + name.len();
        bytes::slice(text, start, end) == name.as_bytes() && !is_letter(at(text, end))
    };
    COUNTRIES.iter().find(stands).map(|name| start + name.len())
}

fn state_end(text: &[u8], start: usize) -> Option<usize> {
    let own = bytes::slice(text, start, start + 2);
    let is_state = STATES.iter().any(|state| state.as_bytes() == own);
    let end = start + 2;
    (is_state && !is_letter(at(text, end)) && !at(text, end).is_ascii_digit()).then_some(end)
}

/// Words of a place: `London`, `Frankfurt am Main`, `São Paulo`.
fn place_end(text: &[u8], start: usize) -> Option<usize> {
    const BEGINS: [&str; 8] = ["st. ", "co. ", "mt. ", "г. ", "м. ", "с. ", "гр. ", "tp. "];
    let short = BEGINS
        .iter()
        .find(|own| bytes::begins(text, start, own.as_bytes()));
    let (mut index, mut end) = (start + short.map_or(0, |own| own.len()), None);
    for words in 0..MOST_WORDS {
        let length = word_length(text, index);
        let own = bytes::slice(text, index, index + length);
        if is_label(text, index, own) {
            break;
        }
        if is_capitalised(own)
            && state_end(text, index).is_none_or(|_| words == 0)
            && !is_code_start(text, index)
        {
            end = Some(index + length);
        } else if words == 0 || !SMALL.iter().any(|small| small.as_bytes() == own) {
            break;
        }
        index += length;
        if at(text, index) != b' ' {
            break;
        }
        index += 1;
    }
    end.filter(|end| !(at(text, *end) == b':' || at(text, *end) == b'='))
}

/// Where the label of something else begins in a line, with the comma before it; its end if there is none.
pub(super) fn before_label(text: &[u8], line: Range<usize>) -> usize {
    let mut places = line
        .clone()
        .filter(|&index| bytes::begins_word(text, index));
    let label = places.find(|&index| {
        let length = word_length(text, index);
        index > line.start
            && length > 1
            && is_label(text, index, bytes::slice(text, index, index + length))
    });
    let Some(end) = label else {
        return line.end;
    };
    end - bytes::run_back(text, end, 3, |byte| {
        matches!(byte, b' ' | b',' | b';' | b'.')
    })
}

/// Whether a word is no place, but the label of what follows: `Tel`, `VAT`, `P.IVA`.
fn is_label(text: &[u8], start: usize, word: &[u8]) -> bool {
    let end = start + word.len();
    let is_dotted =
        word.len() == 1 && at(text, end) == b'.' && at(text, end + 1).is_ascii_alphabetic();
    is_dotted || labels::is_label(word)
}

/// Letters, apostrophes and dashes, up to a quotation mark or the like.
fn word_length(text: &[u8], start: usize) -> usize {
    let is_part = |index| {
        let byte = at(text, index);
        // `Konak/İzmir`
        let joins = byte == b'/' && is_capitalised(bytes::slice(text, index + 1, index + 5));
        (is_letter(byte) || joins || matches!(byte, b'\'' | b'-'))
            && (byte.is_ascii() || bytes::wide_sign(text, index).is_none())
    };
    (start..start + LONGEST_WORD)
        .take_while(|&index| is_part(index))
        .count()
}

fn is_code_start(text: &[u8], index: usize) -> bool {
    at(text, index).is_ascii_uppercase() && postal_end(text, index).is_some()
}

/// Whether letters make a code sure: `NW1 6XE`, `KS 88560`, `1012 AB`, or a dash: `61-148`.
fn is_lettered(text: &[u8], start: usize, end: usize) -> bool {
    bytes::slice(text, start, end)
        .iter()
        .any(|byte| byte.is_ascii_uppercase() || *byte == b'-')
}

/// How postal codes are written: `9` is a digit, `A` a capital, `X` either, other signs are themselves. Longer ones come first.
#[rustfmt::skip]
const CODES: &[&str] = &[
    "AA 99999-9999", "AA 99999", "AAA 9999", "AA 999999", "AA A9A 9A9", "A9A 9A9", "AA9A 9AA", "AA99 9AA", "AA9 9AA", "A9A 9AA",
    "A99 9AA", "A9 9AA", "A99 XXXX", "AA 9999", "A-99999", "AA-99999", "AA-999 99", "A-9999", "AA-9999", "99999-9999", "99999-999", "9999-999",
    "A9999AAA", "A9999", "99-999", "999-9999", "9999 AA", "9999AA", "999 999", "999 99", "999999", "99999", "9999",
];

/// Where the postal code ends that begins at `start`.
pub(super) fn postal_end(text: &[u8], start: usize) -> Option<usize> {
    CODES.iter().find_map(|code| {
        let end = start + code.len();
        let own = bytes::slice(text, start, end);
        let fits = own.len() == code.len()
            && own.iter().zip(code.bytes()).all(|(byte, sign)| match sign {
                b'9' => byte.is_ascii_digit(),
                b'A' => byte.is_ascii_uppercase(),
                b'X' => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
                _ => *byte == sign,
            });
        let goes_on = at(text, end).is_ascii_alphanumeric()
            || at(text, end) == b'-' && at(text, end + 1).is_ascii_digit();
        (fits && !goes_on).then_some(end)
    })
}
