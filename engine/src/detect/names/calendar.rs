//! Months and weekdays that are also first names, within a date: `Jan 12`, `Thu Aug  5`, `3 May`.

use super::token::{Kind, Token};
use crate::detect::bytes;

#[rustfmt::skip]
static WORDS: bytes::Words = bytes::Words::of(&[
    "mon", "tue", "wed", "thu", "fri", "sat", "sun", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept",
    "oct", "nov", "dec", "january", "february", "march", "april", "june", "july", "august", "september", "october",
    "november", "december", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "januar",
    "februar", "märz", "mär", "mai", "juni", "juli", "okt", "oktober", "dez", "dezember", "janv", "févr", "mars", "avr",
    "avril", "juin", "juil", "août", "déc", "ene", "enero", "abr", "abril", "mayo", "junio", "julio", "ago", "agosto", "dic",
    "gen", "mag", "maggio", "giu", "giugno", "lug", "luglio", "set", "ott", "mei", "maj", "sty", "lut", "kwi", "cze", "lip",
    "sie", "wrz", "paź", "lis", "gru",
]);

/// Whether this is a word of the calendar next to a number or another such word.
pub(super) fn is_date(text: &str, token: &Token) -> bool {
    if !is_word(text, token) {
        return false;
    }
    let is_part = |token: &Token| token.kind == Kind::Number || is_word(text, token);
    let behind = Token::after(text, token.end);
    let skipped = match text.as_bytes().get(behind.start) {
        Some(b',' | b'.') => Token::after(text, behind.end),
        _ => behind,
    };
    is_part(&skipped) || is_part(&Token::before(text, token.start))
}

fn is_word(text: &str, token: &Token) -> bool {
    const LONGEST: usize = 9;
    let word = text.get(token.start..token.end).unwrap_or_default();
    (3..=LONGEST).contains(&word.len()) && WORDS.hold(word.as_bytes())
}
