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

use memchr::memmem::Finder;

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

/// As much of a value is looked for: the search for more takes long to prepare.
const SEARCHED: usize = 32;

/// So many values that share their beginning with a text are compared with it. More share it only
/// where someone made them to take time.
const MAX_LOOKS: usize = 32;

/// The values of one request so far.
#[derive(Default)]
pub(super) struct Recurring {
    values: BTreeMap<Value, EntityType>,
    /// Made when every place of a text is looked at for the first time.
    grams: Option<Grams>,
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
            if let Some(grams) = &mut self.grams {
                grams.add(value);
            }
            let value = Value(Sensitive::new(value.to_owned()));
            self.values.insert(value, detection.entity.clone());
        }
    }

    /// Whether a value may stand in a text beside what was `found` there, in order: a quick look.
    pub(super) fn may_stand_in(&self, text: &str, found: &[Detection]) -> bool {
        let stands_beside = |value: &Value| {
            let value = value.text().as_bytes();
            let searched = value.get(..SEARCHED).unwrap_or(value);
            begins_beside(searched, text.as_bytes(), found)
        };
        self.values.len() > FEW || self.values.keys().any(stands_beside)
    }

    /// Appends the values that stand in a part of a text.
    pub(super) fn find(&mut self, text: &str, part: Range<usize>, found: &mut Vec<Detection>) {
        let values = &self.values;
        let grams = self.grams.get_or_insert_with(|| Grams::of(values.keys()));
        let mut at = part.start;
        // Of a value that begins here or at one of the next two places, this holds a gram.
        while let Some(gram) = text.as_bytes().get(at + Grams::OFFSETS - 1..) {
            if at + LENGTHS.start() > part.end {
                return;
            }
            let may_begin = grams.holds(gram);
            let begins = may_begin.then(|| at..at + Grams::OFFSETS);
            let longest = |start| longest(values, text, start, part.end);
            match begins.into_iter().flatten().find_map(longest) {
                Some(detection) => {
                    at = detection.end;
                    found.push(detection);
                }
                None => at += Grams::OFFSETS,
            }
        }
    }
}

/// Whether something begins in a text where nothing was found yet.
fn begins_beside(searched: &[u8], text: &[u8], found: &[Detection]) -> bool {
    let finder = Finder::new(searched);
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)) {
        let at = from + at;
        let next = found.partition_point(|detection| detection.end <= at);
        match found.get(next) {
            Some(detection) if detection.start <= at => from = detection.end,
            _ => return true,
        }
    }
    false
}

/// The longest value that begins at a place and ends by `limit`.
fn longest(
    values: &BTreeMap<Value, EntityType>,
    text: &str,
    start: usize,
    limit: usize,
) -> Option<Detection> {
    let mut bound = text.get(start..limit)?;
    for _ in 0..MAX_LOOKS {
        let up_to = (Bound::Unbounded, Bound::Included(bound));
        let (value, entity) = values.range::<str, _>(up_to).next_back()?;
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
    None
}

/// Four bytes that stand at one of the first places of a value, as a set of bits over their hashes.
struct Grams(Vec<u64>);

impl Grams {
    /// At so many places of each value: the shortest has no more.
    const OFFSETS: usize = *LENGTHS.start() - 3;
    const BITS: u32 = 15;

    fn of<'v>(values: impl Iterator<Item = &'v Value>) -> Self {
        let mut grams = Self(vec![0; (1 << Self::BITS) / 64]);
        values.for_each(|value| grams.add(value.text()));
        grams
    }

    fn add(&mut self, value: &str) {
        for gram in value.as_bytes().windows(4).take(Self::OFFSETS) {
            let (word, bit) = Self::place(gram);
            if let Some(bits) = self.0.get_mut(word) {
                *bits |= bit;
            }
        }
    }

    /// Whether a value may hold what a text begins with.
    fn holds(&self, text: &[u8]) -> bool {
        let (word, bit) = Self::place(text);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Where the four bytes that a text begins with stand in the set.
    fn place(text: &[u8]) -> (usize, u64) {
        let gram = text.first_chunk().copied().unwrap_or_default();
        // The golden ratio's fraction spreads them.
        let hash = u32::from_le_bytes(gram).wrapping_mul(0x9e37_79b9) >> (32 - Self::BITS);
        (hash as usize / 64, 1 << (hash % 64))
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

    fn found<'t>(recurring: &mut Recurring, text: &'t str) -> Vec<&'t str> {
        let mut found = Vec::new();
        recurring.find(text, 0..text.len(), &mut found);
        found
            .iter()
            .map(|found| &text[found.start..found.end])
            .collect()
    }

    #[test]
    fn the_longest_value_at_a_place_is_found() {
        let mut recurring = knowing(&["abc-123", "abc-1234567", "abc-1299", "ñandú-77"]);
        assert_eq!(
            found(
                &mut recurring,
                "abc-1234567 abc-123 abc-12 'abc-12345' ñandú-77"
            ),
            ["abc-1234567", "abc-123", "ñandú-77"]
        );
    }

    #[test]
    fn plain_words_are_found_as_words_only_and_others_everywhere() {
        let mut recurring = knowing(&["correcthorse", "Tr0ub4dor-x", "12345678"]);
        assert_eq!(
            found(
                &mut recurring,
                "correcthorses correcthorse_x a correcthorse."
            ),
            ["correcthorse"]
        );
        assert_eq!(
            found(&mut recurring, "mysql -pTr0ub4dor-xy"),
            ["Tr0ub4dor-x"]
        );
        assert_eq!(found(&mut recurring, "0123456789 12345678"), ["12345678"]);
    }

    #[test]
    fn what_is_too_short_or_a_common_word_is_not_learnt() {
        assert!(knowing(&["hunt2", "", "a", "postgres"]).is_empty());
        assert!(!knowing(&["hunter2"]).is_empty());
    }

    #[test]
    fn only_the_part_is_searched() {
        let mut recurring = knowing(&["hunter-22"]);
        let mut found = Vec::new();
        recurring.find("hunter-22 hunter-22 hunter-22", 5..24, &mut found);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].start, 10);
    }

    #[test]
    fn a_value_that_begins_within_a_detection_and_again_behind_it_is_looked_for() {
        let recurring = knowing(&["7a7a7a"]);
        let detection = |start, end| Detection {
            start,
            end,
            entity: EntityType::SECRET,
            score: Score::MAX,
            rule: "test",
        };
        assert!(recurring.may_stand_in("7a7a7a7a7a", &[detection(0, 4)]));
        assert!(!recurring.may_stand_in("7a7a7a7a7a", &[detection(0, 6)]));
        assert!(!recurring.may_stand_in("7a7a", &[]));
    }

    #[test]
    fn many_values_are_found_at_every_place_of_a_text() {
        let values: Vec<_> = (10..30).map(|n| format!("v{n}-k9Q{n}")).collect();
        let mut recurring = knowing(&values.iter().map(String::as_str).collect::<Vec<_>>());
        for padding in 0..4 {
            let text = format!("{}{}", ".".repeat(padding), values.join("é"));
            assert_eq!(found(&mut recurring, &text), values);
        }
    }

    #[test]
    fn a_value_learnt_after_the_first_search_is_found_too() {
        let mut recurring = knowing(&["hunter-22"]);
        assert_eq!(found(&mut recurring, "hunter-22"), ["hunter-22"]);
        let text = "Tr0ub4dor-x";
        let later = Detection {
            start: 0,
            end: text.len(),
            entity: EntityType::SECRET,
            score: Score::MAX,
            rule: "test",
        };
        recurring.learn(text, &[later]);
        assert_eq!(found(&mut recurring, "-pTr0ub4dor-x"), [text]);
    }
}
