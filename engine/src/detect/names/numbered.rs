//! Words before a number that label it and are no names: `Doğum Tarihi 1942-05-02`, `Halle 9`.

use super::lists::{Lists, Marks};
use super::token::hash_of;
use crate::detect::bytes;
use std::ops::Range;

/// What labels of numbers and dates end with.
#[rustfmt::skip]
static ENDINGS: bytes::Words = bytes::Words::of(&[
    "no", "nr", "num", "nº", "n°", "number", "nummer", "numer", "numero", "número", "numéro", "numarası", "číslo", "nomor", "date", "datum", "dato",
    "data", "fecha", "tarihi", "tanggal", "code", "kod", "kodu", "código", "codice", "id", "ref",
]);

/// Whether a name labels the number behind it.
pub(super) fn is_label(text: &str, name: Range<usize>, lists: Lists<'_>) -> bool {
    let behind = text.get(name.end..).unwrap_or_default();
    let number = behind.strip_prefix(':').unwrap_or(behind);
    let Some(number) = number.strip_prefix(' ') else {
        return false;
    };
    if !number.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let own = text.get(name).unwrap_or_default();
    match own.rsplit_once(' ') {
        Some((_, last)) => ENDINGS.hold(last.as_bytes()),
        None => behind.starts_with(' ') && counts(number) && !is_name(own, lists),
    }
}

/// Whether a number counts things, as that of a hall or a gate does.
fn counts(number: &str) -> bool {
    const LONGEST: usize = 3;
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let behind = number.get(digits..).unwrap_or_default();
    let mut behind = behind.chars();
    let ends = match behind.next() {
        Some(' ') => !behind.next().is_some_and(|next| next.is_ascii_digit()),
        Some(next) => matches!(next, ',' | '\n' | '\r' | ')' | ';'),
        None => true,
    };
    digits <= LONGEST && ends
}

/// Whether lists have a word as a person's.
fn is_name(word: &str, lists: Lists<'_>) -> bool {
    lists
        .marks(hash_of(word))
        .has(Marks::FIRST.with(Marks::SURNAME))
}
