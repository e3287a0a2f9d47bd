//! Where a surrogate may be written so that it is recognized again: never next to a word character.

use std::ops::Range;

use crate::token::MOST_EMPHASIS;

/// Whether a name that the character touches is a part of something longer.
///
/// Some scripts put no space between words, so their letters do not count: 宛先Marieです.
pub(crate) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric() && (c < '\u{0e00}' || ('\u{1e00}'..'\u{2000}').contains(&c))
}

/// The character beside a surrogate, beyond the underscores of Markdown's emphasis: `_Marie_`.
pub(crate) fn beside(chars: impl Iterator<Item = char>) -> Option<char> {
    let mut beyond = chars.enumerate();
    let found = beyond.find(|(at, c)| *c != '_' || *at >= MOST_EMPHASIS);
    found.map(|(_, c)| c)
}

/// Whether a surrogate that stands here in a text is known again: a name, which may be followed by an `s` of the genitive, or
/// something else.
pub(crate) fn stands_apart(text: &str, range: &Range<usize>, is_name: bool) -> bool {
    let before = text.get(..range.start).unwrap_or_default();
    let before = beside(before.chars().rev());
    let after = text.get(range.end..).unwrap_or_default();
    let next = beside(after.chars());
    if before.is_some_and(is_word) {
        return false;
    }
    if is_name {
        let ends = |rest: &str| !beside(rest.chars()).is_some_and(is_word);
        return ends(after) || after.strip_prefix(['s', 'S']).is_some_and(ends);
    }
    let second = after.trim_start_matches('_').chars().nth(1);
    let goes_on = matches!(next, Some('.' | '-')) && second.is_some_and(char::is_alphanumeric);
    let was_begun = matches!(before, Some('.' | '-' | '+' | '@'));
    !was_begun && !goes_on && !next.is_some_and(is_word)
}
