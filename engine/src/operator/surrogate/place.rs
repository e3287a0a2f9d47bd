//! Where a surrogate may be written so that it is recognized again: never next to a word character.

use std::ops::Range;

use crate::token::MOST_EMPHASIS;

/// Whether a name that the character touches is a part of something longer.
///
/// Some scripts put no space between words, so their letters do not count: 宛先Marieです.
fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric() && (c < '\u{0e00}' || ('\u{1e00}'..'\u{2000}').contains(&c))
}

/// Whether a character beside a name makes both another word. Underscores join words, as in `anna_schmidt`.
pub(crate) fn is_part(c: char) -> bool {
    c != '_' && is_word(c)
}

/// The character beside a surrogate, beyond the underscores of Markdown's emphasis: `_Marie_`.
fn beside(chars: impl Iterator<Item = char>) -> Option<char> {
    let mut beyond = chars.enumerate();
    let found = beyond.find(|(at, c)| *c != '_' || *at >= MOST_EMPHASIS);
    found.map(|(_, c)| c)
}

/// Numbers with fewer digits may be a part of something else.
const LONG_NUMBER: usize = 12;

/// Whether a surrogate that stands here in a text is known again: a name, which may be followed by an `s` of the genitive, a
/// long number, which only other digits continue, or something else.
pub(crate) fn stands_apart(text: &str, range: &Range<usize>, is_name: bool) -> bool {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    if is_long_number(text.get(range.clone()).unwrap_or_default()) {
        return !is_continued(before.chars().rev()) && !is_continued(after.chars());
    }
    if is_name {
        let ends = |rest: &str| !rest.chars().next().is_some_and(is_part);
        let begins = !before.chars().next_back().is_some_and(is_part);
        return begins && (ends(after) || after.strip_prefix(['s', 'S']).is_some_and(ends));
    }
    let before = beside(before.chars().rev());
    let next = beside(after.chars());
    if before.is_some_and(is_word) {
        return false;
    }
    let second = after.trim_start_matches('_').chars().nth(1);
    let goes_on = matches!(next, Some('.' | '-')) && second.is_some_and(char::is_alphanumeric);
    let was_begun = matches!(before, Some('.' | '-' | '+' | '@'));
    !was_begun && !goes_on && !next.is_some_and(is_word)
}

fn is_long_number(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let ends = [text.bytes().next(), text.bytes().next_back()];
    digits >= LONG_NUMBER
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b' ' | b'-'))
        && ends.iter().flatten().all(u8::is_ascii_digit)
}

/// Whether a number goes on with these characters beside it.
fn is_continued(mut beside: impl Iterator<Item = char>) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    match beside.next() {
        Some('.' | '-') => is_digit(beside.next()),
        next => is_digit(next),
    }
}
