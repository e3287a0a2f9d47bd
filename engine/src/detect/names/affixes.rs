//! What belongs to a name although no word of it: `T HENDERSON`, `Frau de Groot`, `Prescott III`, `Omar al-Rashid`.

use super::particles::is_particle;
use super::titles::is_title;
use super::token::{Kind, Token};
use std::ops::Range;

/// A person's name with the initial or the particles before it, and the number behind it.
pub(super) fn with(text: &str, name: Range<usize>) -> Range<usize> {
    let start = initial_before(text, name.start).or_else(|| particles_before(text, name.start));
    let start = start.unwrap_or(name.start);
    let end = lineage_end(text, name.end).unwrap_or(name.end);
    let end = number_behind(text, end).unwrap_or(end);
    start..end
}

/// Where what follows a name as in Arabic and Malay ends: `al-Rashid`, `binti Rahman`.
fn lineage_end(text: &str, end: usize) -> Option<usize> {
    const JOINED: [&str; 10] = [
        "al-", "el-", "ul-", "ad-", "an-", "ar-", "as-", "at-", "ash-", "az-",
    ];
    const APART: [&str; 8] = [
        "al ", "bin ", "bint ", "binti ", "binte ", "ibn ", "a/l ", "a/p ",
    ];
    let rest = text.get(end..)?.strip_prefix(' ')?;
    let mut words = JOINED.iter().chain(&APART);
    let name = words.find_map(|word| rest.strip_prefix(word))?;
    let length = name
        .find(|letter: char| !letter.is_alphabetic())
        .unwrap_or(name.len());
    let is_name = length > 1 && name.starts_with(char::is_uppercase);
    is_name.then(|| text.len() - name.len() + length)
}

/// Where an initial without a dot begins: no word of one letter, and the first of a name or behind a title.
fn initial_before(text: &str, start: usize) -> Option<usize> {
    let initial = Token::before(text, start);
    let is_initial = initial.kind == Kind::Initial && initial.end + 1 == start;
    let letter = text.as_bytes().get(initial.start)?;
    if !is_initial || !letter.is_ascii() || b"AEIOUYWZ".contains(letter) {
        return None;
    }
    let lead = Token::before(text, initial.start);
    let word = || text.get(lead.start..lead.end).unwrap_or_default();
    let is_first = !lead.is_capital() || is_title(word());
    is_first.then_some(initial.start)
}

/// Whether particles and a title are before a word: `Herr von der Recke`, `Mme d'Ormesson`. A word of a language needs particles
/// that nothing but names has: `die Frau zum Friseur`, `Herr der Ringe`.
pub(super) fn is_titled(text: &str, start: usize, is_common: impl Fn() -> bool) -> bool {
    let lead = text.get(..start).unwrap_or_default();
    let Some(near) = lead
        .strip_suffix(' ')
        .or_else(|| apostrophe_end(lead).map(|_| lead))
    else {
        return false;
    };
    let mut words = near.rsplit([' ', '\n', '\t']);
    let last = words.next().unwrap_or_default();
    let is_sure = |word: &str| {
        matches!(
            word,
            "von" | "van" | "vom" | "ten" | "ter" | "'t" | "’t" | "d'" | "d’"
        )
    };
    let may_be_name =
        is_sure(last) || is_particle(last) && (words.next().is_some_and(is_sure) || !is_common());
    may_be_name && particles_before(text, start).is_some_and(|begins| begins < start)
}

/// Where particles between a title and a name begin.
fn particles_before(text: &str, start: usize) -> Option<usize> {
    const MOST: usize = 3;
    let mut start = start;
    for _ in 0..=MOST {
        let lead = word_before(text, start);
        let word = text.get(lead.clone())?;
        if lead.end + 2 < start {
            return None;
        }
        if !is_particle(word) {
            let begins = text.get(start..)?.starts_with(|letter: char| {
                letter.is_lowercase() || letter == '\'' || letter == '’'
            });
            return (begins && is_title(word)).then_some(start);
        }
        start = lead.start;
    }
    None
}

/// The word before a place, without a dot behind it, with the apostrophe of `'t` or `d'`.
fn word_before(text: &str, start: usize) -> Range<usize> {
    let lead = text.get(..start).unwrap_or_default();
    if let Some(end) = apostrophe_end(lead) {
        return end - 1..start;
    }
    let before = Token::before(text, start);
    let before = match text.get(before.start..before.end) {
        Some(".") => Token::before(text, before.start),
        _ => before,
    };
    let sign = text
        .get(..before.start)
        .and_then(|lead| lead.chars().next_back());
    let is_short = text.get(before.start..before.end) == Some("t");
    let sign = sign.filter(|sign| is_short && matches!(sign, '\'' | '’'));
    before.start - sign.map_or(0, char::len_utf8)..before.end
}

/// Where the apostrophe of `d'` is that a text ends with.
fn apostrophe_end(lead: &str) -> Option<usize> {
    let rest = lead.strip_suffix(['\'', '’'])?;
    let before = rest.strip_suffix('d')?;
    before.ends_with([' ', '\n']).then_some(rest.len())
}

/// Where the number of a namesake ends.
fn number_behind(text: &str, end: usize) -> Option<usize> {
    let number = Token::after(text, end);
    let word = text.get(number.start..number.end)?;
    let is_number = matches!(word, "II" | "III" | "IV" | "Jr" | "Jnr");
    (is_number && number.start == end + 1).then_some(number.end)
}
