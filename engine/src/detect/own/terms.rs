//! The user's word lists.

use super::Patterns;
use crate::EntityType;
use crate::detect::{Detection, DetectorError, Score};
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

/// Words by type in one automaton.
#[derive(Debug, Default)]
pub(in crate::detect) struct Terms {
    automaton: Option<AhoCorasick>,
    /// The type of each word of the automaton.
    entities: Vec<EntityType>,
}

impl Terms {
    pub(in crate::detect) fn new(
        terms: &[(EntityType, Vec<String>)],
        patterns: &Patterns,
    ) -> Result<Self, DetectorError> {
        let mut words = Vec::new();
        let mut entities = Vec::new();
        for (entity, list) in terms
            .iter()
            .filter(|(entity, _)| !patterns.replaces(entity))
        {
            for term in list
                .iter()
                .map(|term| term.trim())
                .filter(|term| !term.is_empty())
            {
                words.push(Folded::of(term).text);
                entities.push(entity.clone());
            }
        }
        if words.is_empty() {
            return Ok(Self::default());
        }
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(words)
            .map_err(|_| DetectorError::Terms)?;
        Ok(Self {
            automaton: Some(automaton),
            entities,
        })
    }

    pub(in crate::detect) fn find(&self, text: &str, found: &mut Vec<Detection>) {
        let Some(automaton) = &self.automaton else {
            return;
        };
        let folded = Folded::of(text);
        let mut from = 0;
        while let Some(hit) = automaton.find(Input::new(&folded.text).range(from..)) {
            let is_whole =
                is_boundary(&folded.text, hit.start()) && is_boundary(&folded.text, hit.end());
            let entity = self.entities.get(hit.pattern().as_usize());
            if is_whole && let Some(entity) = entity {
                found.push(Detection {
                    start: folded.original(hit.start(), false),
                    end: folded.original(hit.end(), true),
                    entity: entity.clone(),
                    score: Score::MAX,
                    rule: "term",
                });
                from = hit.end();
            } else {
                from = next_char(&folded.text, hit.start());
            }
        }
    }
}

fn next_char(text: &str, at: usize) -> usize {
    let letter = text.get(at..).and_then(|rest| rest.chars().next());
    at + letter.map_or(1, char::len_utf8)
}

/// Whether a word may begin or end here: not between two word characters.
fn is_boundary(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|head| head.chars().next_back());
    let after = text.get(at..).and_then(|tail| tail.chars().next());
    !(before.is_some_and(is_word) && after.is_some_and(is_word))
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Text in one case, and where each byte of it came from.
struct Folded {
    text: String,
    /// For each byte, the start and end of its character in the original; empty when all are the same.
    origins: Vec<(u32, u32)>,
}

impl Folded {
    fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self {
                text: text.to_ascii_lowercase(),
                origins: Vec::new(),
            };
        }
        let mut folded = Self {
            text: String::with_capacity(text.len()),
            origins: Vec::with_capacity(text.len()),
        };
        for (index, letter) in text.char_indices() {
            let end = index + letter.len_utf8();
            folded
                .text
                .extend(letter.to_uppercase().flat_map(char::to_lowercase));
            let origin = (to_u32(index), to_u32(end));
            folded.origins.resize(folded.text.len(), origin);
        }
        folded
    }

    /// The place in the original of a place in the folded text.
    fn original(&self, at: usize, is_end: bool) -> usize {
        if self.origins.is_empty() {
            return at;
        }
        let byte = if is_end { at.saturating_sub(1) } else { at };
        let (start, end) = self.origins.get(byte).copied().unwrap_or_default();
        if is_end { end as usize } else { start as usize }
    }
}

/// Texts are smaller than 4 GiB: a body is bounded long before.
fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
