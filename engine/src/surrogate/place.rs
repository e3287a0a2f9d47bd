//! Where a surrogate may stand so that it is known again: apart from every word.

use std::ops::Range;

/// Whether a name that the character touches is a part of something longer.
///
/// Some scripts put no space between words, and their letters are none of it: 宛先Marieです.
pub(crate) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric() && (c < '\u{0e00}' || ('\u{1e00}'..'\u{2000}').contains(&c))
}

/// Whether a surrogate that stands here in a text is known again: a name, which may be followed by an `s` of the genitive, or
/// something else.
pub(crate) fn stands_apart(text: &str, range: &Range<usize>, is_name: bool) -> bool {
    let before = text
        .get(..range.start)
        .and_then(|text| text.chars().next_back());
    let mut after = text.get(range.end..).unwrap_or_default().chars();
    let (next, second) = (after.next(), after.next());
    if before.is_some_and(is_word) {
        return false;
    }
    if is_name {
        let ends = |c: Option<char>| !c.is_some_and(is_word);
        return ends(next) || matches!(next, Some('s' | 'S')) && ends(second);
    }
    let goes_on = matches!(next, Some('.' | '-')) && second.is_some_and(char::is_alphanumeric);
    let was_begun = matches!(before, Some('.' | '-' | '+' | '@'));
    !was_begun && !goes_on && !next.is_some_and(is_word)
}
