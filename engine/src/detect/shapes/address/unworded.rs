//! Streets without a word for one, known by the number, the postal code and the place around them: `Lindenhof 3, 97070
//! Würzburg`, `3 The Green, Bampton OX18 2JW`.

use super::lead;
use super::street::{house_end, is_capitalised, is_house, is_letter, is_year, word_start};
use super::tail;
use crate::detect::bytes::{self, at, before};
use crate::detect::names;
use std::ops::Range;

/// Most words of a street or a place.
const MOST_WORDS: usize = 5;
const LONGEST_WORD: usize = 32;
/// The digits of an Indian code, which follows its place.
const INDIAN: usize = 6;
/// Most parts between a house and a code that follows its place.
const MOST_PARTS: usize = 4;
/// Small words within such names.
#[rustfmt::skip]
const SMALL: &[&str] = &[
    "am", "an", "den", "der", "dem", "des", "im", "zu", "zum", "zur", "auf", "bei", "de", "la", "le", "les", "du", "del",
    "da", "do", "dos", "das", "of", "the", "op", "het", "van", "'t", "na", "pod", "nad", "u", "ve", "di", "y", "i", "en", "sur",
];

/// Whether a postal code may begin with the digits at `start`, by what is before them.
#[inline]
pub(super) fn may_be_code(text: &[u8], start: usize, length: usize) -> bool {
    if !(1..=INDIAN).contains(&length) {
        return false;
    }
    match before(text, start) {
        b' ' => {
            let ahead = before(text, start - 1);
            if length == INDIAN {
                return ahead == b'-' || ahead.is_ascii_lowercase();
            }
            length > 1 && (matches!(ahead, b',' | b'|') || length > 3 && ahead.is_ascii_uppercase())
        }
        b'\n' => length > 1 && length < INDIAN,
        // `D-50678`
        b'-' => length > 3 && length < INDIAN && before(text, start - 1).is_ascii_uppercase(),
        byte => length < INDIAN && byte.is_ascii_uppercase(),
    }
}

/// The address of the postal code that the digits at `start` are in.
pub(super) fn find(text: &[u8], start: usize) -> Option<Range<usize>> {
    let code = code_start(text, start);
    let end = tail::postal_end(text, code).filter(|end| *end > start)?;
    // The letters of a country are before a code that its place follows.
    let is_country = before(text, start) == b'-';
    if code < start && !is_country {
        let street = street_of_place(text, code)?;
        return Some(lead::with_lead(text, street)..end);
    }
    let Some(place) = tail::place_after_code(text, end) else {
        let street = street_of_known_place(text, code, end)?;
        return Some(lead::with_lead(text, street)..end);
    };
    let last = part_before(text, code)?;
    // `Copyright 2002, 2003 Anna Schmidt`
    let is_year = is_year(bytes::slice(text, start, end)) && end - start == 4;
    let street = street_with_number(text, last)
        .filter(|_| !is_year)
        .or_else(|| street_with_unit(text, last))?;
    is_place(text, end + 1..place, start..end).then(|| lead::with_lead(text, street)..place)
}

/// Where the letters of a code begin: `LS8 2JQ`, `IL 62701`.
fn code_start(text: &[u8], start: usize) -> usize {
    let is_joint = matches!(before(text, start), b' ' | b'-');
    let gap = usize::from(is_joint && before(text, start - 1).is_ascii_uppercase());
    let letters = bytes::run_back(text, start - gap, 3, |byte| byte.is_ascii_uppercase());
    let first = start - gap - letters;
    let is_code = (1..=2).contains(&letters) && matches!(before(text, first), b' ' | b'\n');
    if is_code { first } else { start }
}

/// Where the part ends that a comma or the end of its line sets off before `start`.
fn part_before(text: &[u8], start: usize) -> Option<usize> {
    let spaces = bytes::run_back(text, start, 12, |byte| matches!(byte, b' ' | b'\t' | b'\r'));
    let end = start - spaces;
    let end = match before(text, end) {
        b',' => end - 1,
        b'|' => end - 1 - bytes::run_back(text, end - 1, 2, |byte| byte == b' '),
        b'\n' => {
            end - 1 - bytes::run_back(text, end - 1, 2, |byte| matches!(byte, b',' | b'\r' | b' '))
        }
        _ => return None,
    };
    (end > 0).then_some(end)
}

/// Where the street begins that ends at `end` with its number, or begins with it.
fn street_with_number(text: &[u8], end: usize) -> Option<usize> {
    let number = number_before(text, end);
    if at(text, number).is_ascii_digit() {
        let number = with_whole(text, number, end);
        let own = bytes::slice(text, number, end);
        let is_house = own.ends_with(b" 1/2")
            || house_end(text, number) == Some(end)
            || ends_with_word(text, number, end)
            || at(text, end) == b'/' && is_house(own);
        let is_number = is_house && !is_year(own);
        let name = number
            .checked_sub(1)
            .filter(|&space| at(text, space) == b' ')?;
        let name = name - usize::from(before(text, name) == b',');
        return is_number.then(|| words_start(text, name)).flatten();
    }
    let start = words_start(text, end)?;
    numbered(text, start)
}

/// Where a number with a half begins: `17 1/2`.
fn with_whole(text: &[u8], number: usize, end: usize) -> usize {
    let whole = word_start(text, number.saturating_sub(1), 4);
    let is_half = bytes::slice(text, number, end) == b"1/2" && before(text, number) == b' ';
    if is_half && at(text, whole).is_ascii_digit() {
        whole
    } else {
        number
    }
}

/// The same with a flat or a floor behind the number: `Gran Vía 38, piso 6`, `Meir 77 bus 3`.
fn street_with_unit(text: &[u8], end: usize) -> Option<usize> {
    const LONGEST: usize = 16;
    (end.saturating_sub(LONGEST)..end).find_map(|unit| {
        let is_apart = matches!(before(text, unit), b' ' | b'/' | b'\n');
        let is_unit = is_apart && tail::unit_end(text, unit) == Some(end);
        let house = unit.checked_sub(1).filter(|_| is_unit)?;
        street_with_number(text, house - usize::from(before(text, house) == b','))
    })
}

/// Where the number of a house begins that ends at `end`, with those of stairs and doors: `12`, `43/2/11`.
fn number_before(text: &[u8], end: usize) -> usize {
    const MOST_FLATS: usize = 3;
    let mut number = word_start(text, end, 10);
    // `4 a`
    if end - number == 1
        && before(text, number) == b' '
        && before(text, number - 1).is_ascii_digit()
    {
        number = word_start(text, number - 1, 10);
    }
    for _ in 0..MOST_FLATS {
        if before(text, number) != b'/' {
            break;
        }
        number = word_start(text, number - 1, 6);
    }
    number
}

/// `310-bis`, `12 bis`
fn ends_with_word(text: &[u8], number: usize, end: usize) -> bool {
    let digits = bytes::run(text, number, 5, |byte| byte.is_ascii_digit());
    matches!(
        bytes::slice(text, number + digits, end),
        b"-bis" | b"bis" | b"-huis" | b"hs" | b"-hs"
    )
}

/// Where the number before the name at `start` begins: `3 The Green`, `12, Les Acacias`.
fn numbered(text: &[u8], start: usize) -> Option<usize> {
    let end = start
        .checked_sub(1)
        .filter(|&space| at(text, space) == b' ')?;
    let end = end - usize::from(before(text, end) == b',');
    let number = number_before(text, end);
    let is_free = !matches!(
        before(text, number),
        b'$' | b'#' | b'.' | b'/' | b'_' | b':'
    );
    let own = bytes::slice(text, number, end);
    ((is_house(own) || is_plot(own)) && !is_year(own) && is_free).then_some(number)
}

/// The same for an Indian code, which is behind a place and has no letters: `B-204, Green Valley, Mumbai 400069`.
fn street_of_known_place(text: &[u8], code: usize, end: usize) -> Option<usize> {
    let joint = bytes::run_back(text, code, 3, |byte| matches!(byte, b' ' | b'-'));
    let place_end = code - joint;
    let place = words_start(text, place_end)?;
    let own = str::from_utf8(bytes::slice(text, place, place_end)).ok()?;
    let is_indian = end - code == INDIAN && joint > 0 && own.split(' ').any(names::is_place);
    is_indian
        .then(|| street_of_place(text, place_end))
        .flatten()
}

/// `B-204`, `C/14`, `9/210`
fn is_plot(own: &[u8]) -> bool {
    let mut parts = own.split(|byte| matches!(byte, b'-' | b'/'));
    let is_part = |part: &[u8]| {
        let is_number = (1..=4).contains(&part.len()) && part.iter().all(u8::is_ascii_digit);
        is_number || part.len() == 1 && part.iter().all(u8::is_ascii_uppercase)
    };
    own.iter().any(u8::is_ascii_digit)
        && own.len() > 2
        && parts.clone().count() == 2
        && parts.all(is_part)
}

/// Where the street begins whose place ends before a code at `code`, with up to some parts between.
fn street_of_place(text: &[u8], code: usize) -> Option<usize> {
    let mut end = code - usize::from(before(text, code) == b' ');
    end -= usize::from(before(text, end) == b',');
    end -= usize::from(before(text, end) == b'\n');
    for part in 0..MOST_PARTS {
        let start = words_start(text, end)?;
        if let Some(number) = numbered(text, start).filter(|_| part > 0) {
            return Some(number);
        }
        if part > 0 && lead::is_house_name(bytes::slice(text, start, end)) {
            return Some(start);
        }
        end = part_before(text, start)?;
    }
    None
}

/// Where the capitalized words begin that end at `end`.
pub(super) fn words_start(text: &[u8], end: usize) -> Option<usize> {
    let (mut at_word, mut start) = (end, None);
    for _ in 0..MOST_WORDS {
        let first = word_start(text, at_word, LONGEST_WORD);
        let own = bytes::slice(text, first, at_word);
        let is_name = is_capitalised(own) && own.len() < LONGEST_WORD;
        let is_small = SMALL.iter().any(|small| small.as_bytes() == own);
        if is_name {
            start = Some(first);
        } else if !is_small || start.is_none() {
            break;
        }
        match first.checked_sub(1) {
            Some(space) if at(text, space) == b' ' && !ends_sentence(text, space) => {
                at_word = space;
            }
            _ => break,
        }
    }
    start.filter(|start| {
        !matches!(
            before(text, *start),
            b'.' | b'/' | b'_' | b'$' | b'@' | b'#'
        )
    })
}

fn ends_sentence(text: &[u8], space: usize) -> bool {
    matches!(before(text, space), b',' | b':' | b';' | b'!' | b'?')
}

/// Whether what follows a code is a place: one that a list has, or an unknown word that closes a sentence or line.
fn is_place(text: &[u8], place: Range<usize>, code: Range<usize>) -> bool {
    let own = str::from_utf8(bytes::slice(text, place.start, place.end)).unwrap_or_default();
    let own = own.trim_start_matches("St. ");
    // `8000 Aarhus C`
    let is_part = |letter: &str| letter.len() == 1;
    let own = own
        .rsplit_once(' ')
        .map_or(own, |(town, last)| if is_part(last) { town } else { own });
    let first = own.split([' ', '-']).next().unwrap_or_default();
    let is_round = bytes::slice(text, code.start, code.end).ends_with(b"000");
    let closes = !is_letter(at(text, place.end)) && at(text, place.end) != b' ';
    names::is_place(own)
        || names::is_place(first) && !is_round
        || closes && !is_round && own.len() > 3 && !names::is_common_word(first)
}
