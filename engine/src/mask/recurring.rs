//! Values that were masked before in a request, found again where nothing gives them away.
//!
//! A password is found by the name beside it. In the command that a model writes with it, and in
//! that command's output, it stands alone, and would go to the provider as it is.
//!
//! Only what stood *before* in the prompt counts: so a longer history masks what came before as it
//! did, and the provider's caches hold.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::ops::{Bound, Range};

use memchr::memmem;

use crate::{Detection, EntityType, Score, Sensitive};

/// Shorter values are often words; longer ones are found by what they look like.
const LENGTHS: std::ops::RangeInclusive<usize> = 6..=256;

/// From this length on a value that is no plain word is looked for inside words, too: `-pVALUE`.
const DISTINCT: usize = 8;

/// From this length on letters alone are no common word: `POSTGRES_PASSWORD=postgres` says nothing
/// about every other `postgres`.
const UNCOMMON: usize = 12;

/// What is found wherever it stands, whatever is beside it.
const SELF_EVIDENT: [EntityType; 6] = [
    EntityType::CREDIT_CARD,
    EntityType::EMAIL,
    EntityType::IP_ADDRESS,
    EntityType::JWT,
    EntityType::LITERAL,
    EntityType::PRIVATE_KEY,
];

/// So few values are looked for one by one before every place is looked at.
const FEW: usize = 8;

/// The values of one request so far.
#[derive(Default)]
pub(super) struct Recurring {
    values: BTreeMap<Value, EntityType>,
    /// The first two bytes of each value, as a set of bits; empty as long as there are none.
    starts: Vec<u64>,
}

/// Ordered by its text.
#[derive(PartialEq, Eq)]
struct Value(Sensitive<String>);

impl Recurring {
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Takes in what was found in a text.
    pub(super) fn learn(&mut self, text: &str, found: &[Detection]) {
        for detection in found {
            let value = text.get(detection.start..detection.end).unwrap_or_default();
            if SELF_EVIDENT.contains(&detection.entity)
                || !is_distinct(value)
                || self.values.contains_key(value)
            {
                continue;
            }
            if let [first, second, ..] = value.as_bytes() {
                self.starts.resize(1 << 10, 0);
                let (word, bit) = place(*first, *second);
                if let Some(bits) = self.starts.get_mut(word) {
                    *bits |= bit;
                }
            }
            let value = Value(Sensitive::new(value.to_owned()));
            self.values.insert(value, detection.entity.clone());
        }
    }

    /// Appends the values that stand in a part of a text.
    pub(super) fn find(&self, text: &str, part: Range<usize>, found: &mut Vec<Detection>) {
        let bytes = text.as_bytes();
        let searched = bytes.get(part.clone()).unwrap_or_default();
        let stands_there =
            |value: &Value| memmem::find(searched, value.text().as_bytes()).is_some();
        if self.values.len() <= FEW && !self.values.keys().any(stands_there) {
            return;
        }
        let mut at = part.start;
        while let Some([first, second]) = bytes.get(at..at + 2) {
            if at + LENGTHS.start() > part.end {
                return;
            }
            let (word, bit) = place(*first, *second);
            let may_begin = self.starts.get(word).is_some_and(|bits| bits & bit != 0);
            match may_begin
                .then(|| self.longest(text, at, part.end))
                .flatten()
            {
                Some(detection) => {
                    at = detection.end;
                    found.push(detection);
                }
                None => at += 1,
            }
        }
    }

    /// The longest value that begins at a place and ends by `limit`.
    fn longest(&self, text: &str, start: usize, limit: usize) -> Option<Detection> {
        let mut bound = text.get(start..limit)?;
        loop {
            let up_to = (Bound::Unbounded, Bound::Included(bound));
            let (value, entity) = self.values.range::<str, _>(up_to).next_back()?;
            let value = value.text();
            if bound.starts_with(value) && is_apart(text, start, start + value.len()) {
                return Some(Detection {
                    start,
                    end: start + value.len(),
                    entity: entity.clone(),
                    score: Score::MAX,
                    rule: "recurring-value",
                });
            }
            // Every other value that begins here is a part of what this one has in common with the text.
            let common = common_length(value, bound).min(value.len() - 1);
            bound = bound.get(..floor_char_boundary(bound, common))?;
            if bound.len() < *LENGTHS.start() {
                return None;
            }
        }
    }
}

impl Value {
    fn text(&self) -> &str {
        self.0.expose()
    }
}

impl Borrow<str> for Value {
    fn borrow(&self) -> &str {
        self.text()
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text().cmp(other.text())
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Whether a value is long enough, and no common word.
fn is_distinct(value: &str) -> bool {
    let is_word = value.len() < UNCOMMON && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    LENGTHS.contains(&value.len()) && !is_word
}

/// Where two bytes stand in the set.
fn place(first: u8, second: u8) -> (usize, u64) {
    let index = usize::from(first) << 8 | usize::from(second);
    (index >> 6, 1 << (index & 63))
}

/// Whether a value that stands here is one of its own and no part of a longer word.
fn is_apart(text: &str, start: usize, end: usize) -> bool {
    let value = text.get(start..end).unwrap_or_default().as_bytes();
    let has = |belongs: fn(&u8) -> bool| value.iter().any(belongs);
    if value.len() >= DISTINCT && has(u8::is_ascii_alphabetic) && has(|b| !b.is_ascii_alphabetic())
    {
        return true;
    }
    let bytes = text.as_bytes();
    let before = start.checked_sub(1).and_then(|before| bytes.get(before));
    let touches = |inside: Option<&u8>, outside: Option<&u8>| {
        inside.copied().is_some_and(is_word) && outside.copied().is_some_and(is_word)
    };
    !touches(value.first(), before) && !touches(value.last(), bytes.get(end))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn common_length(one: &str, other: &str) -> usize {
    let pairs = one.bytes().zip(other.bytes());
    pairs.take_while(|(one, other)| one == other).count()
}

fn floor_char_boundary(text: &str, index: usize) -> usize {
    (0..=index)
        .rev()
        .find(|index| text.is_char_boundary(*index))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knowing(values: &[&str]) -> Recurring {
        let mut recurring = Recurring::default();
        for value in values {
            let detection = Detection {
                start: 0,
                end: value.len(),
                entity: EntityType::SECRET,
                score: Score::MAX,
                rule: "test",
            };
            recurring.learn(value, &[detection]);
        }
        recurring
    }

    fn found<'t>(recurring: &Recurring, text: &'t str) -> Vec<&'t str> {
        let mut found = Vec::new();
        recurring.find(text, 0..text.len(), &mut found);
        found
            .iter()
            .map(|found| &text[found.start..found.end])
            .collect()
    }

    #[test]
    fn the_longest_value_at_a_place_is_found() {
        let recurring = knowing(&["abc-123", "abc-1234567", "abc-1299", "ñandú-77"]);
        assert_eq!(
            found(
                &recurring,
                "abc-1234567 abc-123 abc-12 'abc-12345' ñandú-77"
            ),
            ["abc-1234567", "abc-123", "ñandú-77"]
        );
    }

    #[test]
    fn plain_words_are_found_as_words_only_and_others_everywhere() {
        let recurring = knowing(&["correcthorse", "Tr0ub4dor-x", "12345678"]);
        assert_eq!(
            found(&recurring, "correcthorses correcthorse_x a correcthorse."),
            ["correcthorse"]
        );
        assert_eq!(found(&recurring, "mysql -pTr0ub4dor-xy"), ["Tr0ub4dor-x"]);
        assert_eq!(found(&recurring, "0123456789 12345678"), ["12345678"]);
    }

    #[test]
    fn what_is_too_short_or_a_common_word_is_not_learnt() {
        assert!(knowing(&["hunt2", "", "a", "postgres"]).is_empty());
        assert!(!knowing(&["hunter2"]).is_empty());
    }

    #[test]
    fn only_the_part_is_searched() {
        let recurring = knowing(&["hunter-22"]);
        let mut found = Vec::new();
        recurring.find("hunter-22 hunter-22 hunter-22", 5..24, &mut found);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].start, 10);
    }
}
