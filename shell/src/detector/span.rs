//! The findings of external detectors.

use std::ops::Range;

use engine::{Detection, EntityType, Score};

/// A detection without its rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) entity: EntityType,
    pub(super) score: Score,
}

impl Span {
    pub(super) fn detection(&self, rule: &'static str) -> Detection {
        Detection {
            start: self.start,
            end: self.end,
            entity: self.entity.clone(),
            score: self.score,
            rule,
        }
    }
}

/// The entity type for a name: `phone number` is `PHONE_NUMBER`; `PII` if the name can't be used.
pub(super) fn entity_named(name: &str) -> EntityType {
    let upper = name.trim().to_ascii_uppercase();
    let words = upper.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let unknown = || EntityType::parse("PII").unwrap_or(EntityType::SECRET);
    EntityType::parse(&words.join("_")).unwrap_or_else(|_| unknown())
}

/// The score of a confidence from 0 to 1.
pub(super) fn score_of(confidence: f64) -> Score {
    let percent = (confidence * 100.0).round().clamp(0.0, 100.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to 100, and 0 if it is no number"
    )]
    Score::percent(percent as u8)
}

/// Turns offsets of Unicode characters into offsets of bytes.
pub(super) struct Characters<'t> {
    text: &'t str,
    /// Where each character begins; empty where each is one byte.
    starts: Vec<usize>,
}

impl<'t> Characters<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let starts = if text.is_ascii() {
            Vec::new()
        } else {
            let starts = text.char_indices().map(|(start, _)| start);
            starts.chain([text.len()]).collect()
        };
        Self { text, starts }
    }

    /// The byte range of these characters; `None` if it is empty or out of range.
    pub(super) fn bytes(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let at = |character: usize| match self.starts.get(character) {
            Some(start) => Some(*start),
            None if self.starts.is_empty() && character <= self.text.len() => Some(character),
            None => None,
        };
        let range = at(start)?..at(end)?;
        (!range.is_empty()).then_some(range)
    }
}

/// Every occurrence of one or more words in a text: same case, whole words.
pub(super) fn occurrences<'t>(
    text: &'t str,
    wanted: &'t str,
) -> impl Iterator<Item = Range<usize>> + 't {
    let places = text.match_indices(wanted).filter(|_| !wanted.is_empty());
    let ranges = places.map(|(start, found)| start..start + found.len());
    ranges.filter(|range| is_boundary(text, range.start) && is_boundary(text, range.end))
}

/// Whether a word may begin or end here: not between two letters of one word.
pub(super) fn is_boundary(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|head| head.chars().next_back());
    let after = text.get(at..).and_then(|tail| tail.chars().next());
    !(before.is_some_and(joins_words) && after.is_some_and(joins_words))
}

/// Whether a character makes one word with its neighbours. Scripts that don't set words apart by
/// spaces, or attach particles to names, have no such characters.
fn joins_words(letter: char) -> bool {
    let is_spaced = !matches!(letter,
        '\u{e00}'..='\u{eff}'       // Thai, Lao
        | '\u{1000}'..='\u{109f}'   // Burmese
        | '\u{1780}'..='\u{17ff}'   // Khmer
        | '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7ff}' // Hangul
        | '\u{2e80}'..='\u{9fff}'   // kana and Han
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    is_spaced && (letter.is_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_become_types_or_pii() {
        for (name, entity) in [
            ("person", "PERSON"),
            (" phone number ", "PHONE_NUMBER"),
            ("E-Mail", "E_MAIL"),
            ("__id__", "ID"),
            ("", "PII"),
            ("4 digits", "PII"),
            ("名前", "PII"),
            (&"x".repeat(65), "PII"),
        ] {
            assert_eq!(entity_named(name).as_str(), entity, "{name}");
        }
    }

    #[test]
    fn occurrences_are_whole_words_in_the_same_case() {
        let found = |text: &'static str, wanted| occurrences(text, wanted).collect::<Vec<_>>();
        assert_eq!(found("Ann and Anna, Ann.", "Ann"), [0..3, 14..17]);
        assert!(found("ann ANN Ann_1 Anné", "Ann").is_empty());
        let only = |text, wanted| match *found(text, wanted) {
            [Range { start, end }] => Some((start, end)),
            _ => None,
        };
        assert_eq!(only("(Ann)", "(Ann)"), Some((0, 5)));
        assert!(found("x", "").is_empty());
        assert_eq!(only("张伟住在北京", "北京"), Some((12, 18)));
        assert_eq!(only("김철수는", "김철수"), Some((0, 9)));
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        let text = Characters::of("né 😀x");
        assert_eq!(text.bytes(1, 2), Some(1..3));
        assert_eq!(text.bytes(3, 5), Some(4..9));
        assert_eq!(text.bytes(3, 6), None);
        assert_eq!(text.bytes(2, 2), None);
        assert_eq!(text.bytes(3, 1), None);
        let ascii = Characters::of("abc");
        assert_eq!(ascii.bytes(1, 3), Some(1..3));
        assert_eq!(ascii.bytes(1, 4), None);
    }

    #[test]
    fn any_confidence_becomes_a_percentage() {
        let percent = |confidence| score_of(confidence).as_percent();
        assert_eq!([0.85, 7.0, -1.0, f64::NAN].map(percent), [85, 100, 0, 0]);
    }
}
