//! Unicode case folding.

use std::sync::LazyLock;

/// Most characters that one becomes, as `ΐ` does.
const MOST: usize = 3;
/// Letters below this are folded by a table.
const TABLE_END: u32 = 0x600;

/// The folded characters of a text, each with the end of the character that it came from.
pub(super) struct Folded<'t> {
    text: &'t str,
    end: usize,
    /// What the character before `end` became, last first.
    rest: [char; MOST],
    left: usize,
}

impl<'t> Folded<'t> {
    /// The characters from `start` on.
    pub(super) const fn new(text: &'t str, start: usize) -> Self {
        Self {
            text,
            end: start,
            rest: ['\0'; MOST],
            left: 0,
        }
    }
}

impl Iterator for Folded<'_> {
    type Item = (char, usize);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            return Some((self.rest[left % MOST], self.end));
        }
        let letter = self.text.get(self.end..)?.chars().next()?;
        self.end += letter.len_utf8();
        if let Some(folded) = fold_alone(letter) {
            return Some((folded, self.end));
        }
        for folded in fold(letter).take(MOST) {
            self.rest.rotate_right(1);
            self.rest[0] = folded;
            self.left += 1;
        }
        self.next()
    }
}

/// A text in one case.
pub(super) fn folded(text: &str) -> String {
    text.chars().flat_map(fold).collect()
}

/// Whether a character belongs to a word.
#[inline]
pub(super) fn is_word(letter: char) -> bool {
    match letter {
        '_' => true,
        // Punctuation, arrows, lines and symbols.
        '\u{2010}'..='\u{2027}' | '\u{2190}'..='\u{245F}' | '\u{2500}'..='\u{2775}' => false,
        _ => letter.is_alphanumeric(),
    }
}

/// In lower case first, as `ẞ` has no other upper case than itself, and `ß` becomes `SS`.
fn fold(letter: char) -> impl Iterator<Item = char> {
    letter
        .to_lowercase()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
}

/// What a character becomes, where that is found out quickly and is one character.
#[inline]
fn fold_alone(letter: char) -> Option<char> {
    match letter {
        _ if letter.is_ascii() => Some(letter.to_ascii_lowercase()),
        // Punctuation, lines and symbols; ideographs, kana and syllables.
        '\u{2010}'..='\u{2027}'
        | '\u{2190}'..='\u{245F}'
        | '\u{2500}'..='\u{2775}'
        | '\u{2E80}'..='\u{A63F}'
        | '\u{AC00}'..='\u{D7FF}' => Some(letter),
        _ => TABLE
            .get(u32::from(letter) as usize)
            .copied()
            .filter(|&folded| folded != '\0'),
    }
}

/// What each character becomes; `\0` where that is more than one.
static TABLE: LazyLock<Vec<char>> = LazyLock::new(|| {
    let alone = |letter: char| {
        let mut folded = fold(letter);
        let first = folded.next().unwrap_or_default();
        folded.next().map_or(first, |_| '\0')
    };
    (0..TABLE_END)
        .map(|letter| char::from_u32(letter).map_or('\0', alone))
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> String {
        Folded::new(text, 0).map(|(letter, _)| letter).collect()
    }

    #[test]
    fn characters_fold_as_unicode_says() {
        for (letters, expected) in [
            ("aZ_9-", "az_9-"),
            ("ßẞ", "ssss"),
            ("ΣσςΐΐᾳᾼΩ", "σσσι\u{308}\u{301}ι\u{308}\u{301}αιαιω"),
            ("ŉǰſKÅ", "\u{2bc}nj\u{30c}skå"),
            ("ﬃﬆև", "ffistեւ"),
            ("İ", "i\u{307}"),
            ("Ⅷⓐ中ァ가…→", "ⅷⓐ中ァ가…→"),
        ] {
            assert_eq!(found(letters), expected);
        }
    }

    /// A text is searched by way of a table, a term is not.
    #[test]
    fn upper_and_lower_case_fold_to_the_same_text() {
        for letter in '\0'..=char::MAX {
            let own = found(&letter.to_string());
            assert_eq!(own, folded(&letter.to_string()), "{letter:?}");
            assert_eq!(
                own,
                folded(&letter.to_uppercase().to_string()),
                "{letter:?}"
            );
            assert_eq!(
                own,
                folded(&letter.to_lowercase().to_string()),
                "{letter:?}"
            );
        }
    }

    #[test]
    fn letters_digits_and_underscores_are_word_characters() {
        for letter in '\0'..=char::MAX {
            let expected = letter.is_alphanumeric() || letter == '_';
            assert_eq!(is_word(letter), expected, "{letter:?}");
        }
    }
}
