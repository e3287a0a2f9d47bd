//! Whether a value in a text is a word of its own, and not a part of another.

use std::ops::Range;

use super::{DISTINCT, LONG};

/// Whether a value is found inside words, too.
pub(super) fn is_unmistakable(value: &[u8]) -> bool {
    let has = |belongs: fn(&u8) -> bool| value.iter().any(belongs);
    let is_mixed = || has(u8::is_ascii_alphabetic) && has(|byte| !byte.is_ascii_alphabetic());
    value.len() >= LONG || value.len() >= DISTINCT && is_mixed()
}

/// Whether no word continues across the ends of a value. Digits end at letters and underscores, as in `ssn_943-43-3537.pdf`,
/// unless there are few of them and others in the same word, as hashes have, and scripts without spaces have no words that
/// would.
pub(super) fn stands_apart(text: &str, value: Range<usize>) -> bool {
    let Some(own) = text.get(value.clone()) else {
        return false;
    };
    let is_long = own.len() >= DISTINCT;
    let before = text.get(..value.start).unwrap_or_default();
    let behind = text.get(value.end..).unwrap_or_default();
    let digits_end =
        is_long || !word_holds_digits(before.chars().rev()) && !word_holds_digits(behind.chars());
    let parts = |outer: Option<char>, inner: Option<char>| match (outer, inner) {
        (Some(outer), Some('0'..='9')) if digits_end => !outer.is_ascii_digit(),
        (Some(_), Some(inner)) if is_long && is_spaceless(inner) => true,
        (Some(outer), Some(inner)) => !(is_word(outer) && is_word(inner)),
        _ => true,
    };
    let last = |text: &str| text.chars().next_back();
    let first = |text: &str| text.chars().next();
    parts(last(before), first(own)) && parts(first(behind), last(own))
}

/// Whether other digits stand in the word that these letters begin, or the word is long.
fn word_holds_digits(letters: impl Iterator<Item = char>) -> bool {
    const LONGEST_WORD: usize = 16;
    let word = letters.take_while(|letter| is_word(*letter) && !is_spaceless(*letter));
    let mut word = word.enumerate();
    word.any(|(at, letter)| letter.is_ascii_digit() || at == LONGEST_WORD)
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || !letter.is_ascii()
}

/// Whether a letter is of a script that sets no space between words, or none before what it adds to them: Thai, Japanese,
/// Chinese and Korean.
fn is_spaceless(letter: char) -> bool {
    matches!(letter, '\u{E00}'..='\u{E7F}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}')
}
