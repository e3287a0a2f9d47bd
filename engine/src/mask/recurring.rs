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
const SEARCHED: usize = 16;

/// The values of one request so far.
#[derive(Default)]
pub(super) struct Recurring {
    values: Values,
    /// Made when every place of a text is looked at for the first time.
    grams: Option<Grams>,
}

type Values = BTreeMap<Value, Known>;

/// What is known of a value.
struct Known {
    entity: EntityType,
    /// How long the values are that it begins with, itself included.
    nested: Lengths,
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
            insert(&mut self.values, value, detection.entity.clone());
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

/// Adds a value, and notes which others it begins with and which begin with it.
fn insert(values: &mut Values, value: &str, entity: EntityType) {
    let mut nested = nested_in(values, value).unwrap_or_default();
    nested.add(value.len());
    for (longer, known) in values.range_mut::<str, _>((Bound::Excluded(value), Bound::Unbounded)) {
        if !longer.text().starts_with(value) {
            break;
        }
        known.nested.add(value.len());
    }
    let value = Value(Sensitive::new(value.to_owned()));
    values.insert(value, Known { entity, nested });
}

/// How long the values are that a text begins with.
///
/// They all begin the last value that is not behind the text in order, so that one look is enough.
fn nested_in(values: &Values, text: &str) -> Option<Lengths> {
    let up_to = (Bound::Unbounded, Bound::Included(text));
    let (last, known) = values.range::<str, _>(up_to).next_back()?;
    Some(known.nested.up_to(common_length(last.text(), text)))
}

/// The longest value that begins at a place and ends by `limit`.
fn longest(values: &Values, text: &str, start: usize, limit: usize) -> Option<Detection> {
    let rest = text.get(start..limit)?;
    let nested = nested_in(values, rest)?;
    let length = longest_apart(nested, text, start)?;
    let known = values.get(rest.get(..length)?)?;
    Some(Detection {
        start,
        end: start + length,
        entity: known.entity.clone(),
        score: Score::MAX,
        rule: "recurring-value",
    })
}

/// The longest of these lengths with which a value that begins here is one of its own and no part
/// of a longer word.
fn longest_apart(nested: Lengths, text: &str, start: usize) -> Option<usize> {
    let longest = nested.longest()?;
    if is_unmistakable(text.get(start..start + longest)?) {
        return Some(longest);
    }
    // What a mistakable value begins with is mistakable, too.
    if is_inside_word(text, start) {
        return None;
    }
    let mut left = nested;
    while let Some(length) = left.longest() {
        let end = start + length;
        if !is_inside_word(text, end) {
            return Some(length);
        }
        // Nor does any other that ends in this word.
        left = left.up_to(word_start(text, start, end) - start);
    }
    None
}

/// Lengths of values, as a set of bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Lengths([u64; *LENGTHS.end() / 64]);

impl Lengths {
    /// Adds a length of at least 1.
    fn add(&mut self, length: usize) {
        if let Some(bits) = self.0.get_mut((length - 1) / 64) {
            *bits |= 1 << ((length - 1) % 64);
        }
    }

    /// Those that are no longer than this.
    fn up_to(mut self, length: usize) -> Self {
        for (word, bits) in self.0.iter_mut().enumerate() {
            let kept = length.saturating_sub(word * 64);
            if kept < 64 {
                *bits &= (1 << kept) - 1;
            }
        }
        self
    }

    fn longest(self) -> Option<usize> {
        let filled = self.0.iter().rposition(|bits| *bits != 0)?;
        let bits = self.0.get(filled)?;
        Some(filled * 64 + bits.ilog2() as usize + 1)
    }
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

/// Whether a value is found inside words, too.
fn is_unmistakable(value: &str) -> bool {
    let has = |belongs: fn(&u8) -> bool| value.as_bytes().iter().any(belongs);
    value.len() >= DISTINCT && has(u8::is_ascii_alphabetic) && has(|b| !b.is_ascii_alphabetic())
}

/// Whether a word goes on across a place.
fn is_inside_word(text: &str, at: usize) -> bool {
    let byte = |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).copied();
    byte(at.checked_sub(1)).is_some_and(is_word) && byte(Some(at)).is_some_and(is_word)
}

/// Where the word begins that goes on across `end`, or `start` if it begins before.
fn word_start(text: &str, start: usize, end: usize) -> usize {
    let before = text.as_bytes().get(start..end).unwrap_or_default();
    let outside = before.iter().rposition(|byte| !is_word(*byte));
    outside.map_or(start, |at| start + at + 1)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn common_length(one: &str, other: &str) -> usize {
    const STEP: usize = 32;
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let steps = one.chunks_exact(STEP).zip(other.chunks_exact(STEP));
    let equal = STEP * steps.take_while(|(one, other)| one == other).count();
    let rest = one.iter().zip(other).skip(equal);
    equal + rest.take_while(|(one, other)| one == other).count()
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

    /// Once each of them was looked up on its own, and only 32 of them.
    #[test]
    fn of_values_that_begin_each_other_the_longest_that_stands_apart_is_found() {
        let whole = "-1".repeat(40) + &"1".repeat(120);
        let nested: Vec<_> = (6..=whole.len()).map(|length| &whole[..length]).collect();
        let text = whole.clone() + "1";
        for values in [nested.clone(), nested.into_iter().rev().collect()] {
            assert_eq!(found(&mut knowing(&values), &text), [&whole[..80 - 1]]);
        }
    }

    #[test]
    fn the_longest_value_is_found_whatever_the_others_begin_with() {
        let mut state = 7_u32;
        let mut next = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % below
        };
        for round in 0..300 {
            let alphabet: &[char] = [&['a', '1', '-'], &['1', '-', 'é']][round % 2];
            let mut letters =
                |length: usize| (0..length).map(|_| alphabet[next(3)]).collect::<String>();
            let text = letters(40) + &letters(40);
            let texts: Vec<_> = (0..6).map(|at| letters(6 + at)).collect();
            let cuts = (0..70).filter_map(|at| text.get(at..at + 6 + at % 9));
            let values: Vec<_> = cuts.chain(texts.iter().map(String::as_str)).collect();
            let recurring = knowing(&values);
            for start in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
                let apart = recurring.values.keys().map(Value::text).filter(|value| {
                    let end = start + value.len();
                    let alone = !is_inside_word(&text, start) && !is_inside_word(&text, end);
                    text[start..].starts_with(value) && (is_unmistakable(value) || alone)
                });
                let longest = longest(&recurring.values, &text, start, text.len());
                assert_eq!(
                    longest.map(|found| found.end - start),
                    apart.map(str::len).max(),
                    "{start} {text}"
                );
            }
        }
    }
}
