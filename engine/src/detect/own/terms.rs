//! The user's word lists.

use super::Patterns;
use super::folding::{Folded, folded, is_word};
use super::groups::{self, Groups, Hasher};
use super::runs::{self, Run};
use crate::EntityType;
use crate::detect::{Detection, DetectorError, Score};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::cmp::{Ordering, Reverse};
use std::ops::Range;

/// Terms by their first word: the rest is compared only where that occurs.
#[derive(Default)]
pub(in crate::detect) struct Terms {
    /// Every term that holds a word, in one case, one after another.
    text: String,
    /// By first word, then by tail.
    filed: Vec<Term>,
    by_word: Groups,
    /// Terms of punctuation alone.
    marks: Option<AhoCorasick>,
    mark_entities: Vec<u32>,
    entities: Vec<EntityType>,
}

struct Term {
    start: u32,
    /// Where its first word begins, and its tail with it.
    word: u32,
    end: u32,
    /// The nearest previous term whose tail is a prefix of this one's tail.
    prefix: Option<u32>,
    entity: u32,
}

/// A term in one case, its first word, and the index of its type.
type Listed = (String, Range<usize>, u32);

impl Terms {
    pub(in crate::detect) fn new(
        lists: &[(EntityType, Vec<String>)],
        patterns: &Patterns,
    ) -> Result<Self, DetectorError> {
        let mut terms = Self::default();
        let mut listed = Vec::new();
        for (entity, list) in lists {
            if patterns.replaces(entity) {
                continue;
            }
            let index = to_u32(terms.entities.len())?;
            terms.entities.push(entity.clone());
            for term in list {
                let term = folded(term.trim());
                let word = first_word(&term);
                listed.push((term, word, index));
            }
        }
        listed.retain(|(term, ..)| !term.is_empty());
        let (words, marks) = listed
            .into_iter()
            .partition(|(_, word, _)| !word.is_empty());
        terms.file(words)?;
        terms.add_marks(marks)?;
        Ok(terms)
    }

    fn file(&mut self, mut listed: Vec<Listed>) -> Result<(), DetectorError> {
        listed.sort_by(|first, second| key(first).cmp(&key(second)));
        // A term of several types is the first one's.
        listed.dedup_by(|next, kept| next.0 == kept.0);
        let mut groups: Vec<(u64, Range<u32>)> = Vec::new();
        let mut last = "";
        for (term, word, entity) in &listed {
            let index = to_u32(self.filed.len())?;
            let first_word = slice(term, word.start, word.end);
            match groups.last_mut() {
                Some((_, group)) if last == first_word => group.end = index + 1,
                _ => groups.push((groups::hash(first_word), index..index + 1)),
            }
            let group = groups.last().map_or(index, |(_, group)| group.start);
            let prefix = self.prefix_of(slice(term, word.start, term.len()), group..index);
            last = first_word;
            let start = self.text.len();
            self.text.push_str(term);
            self.filed.push(Term {
                start: to_u32(start)?,
                word: to_u32(start + word.start)?,
                end: to_u32(self.text.len())?,
                prefix,
                entity: *entity,
            });
        }
        self.by_word = Groups::new(&groups);
        Ok(())
    }

    /// The nearest term of a group whose tail is a prefix of the next one's `tail`.
    fn prefix_of(&self, tail: &str, group: Range<u32>) -> Option<u32> {
        let mut candidate = (!group.is_empty()).then(|| group.end - 1);
        while let Some(index) = candidate {
            let term = self.filed.get(index as usize)?;
            if tail.starts_with(self.tail(term)) {
                break;
            }
            candidate = term.prefix;
        }
        candidate
    }

    fn add_marks(&mut self, listed: Vec<Listed>) -> Result<(), DetectorError> {
        if listed.is_empty() {
            return Ok(());
        }
        self.mark_entities = listed.iter().map(|(.., entity)| *entity).collect();
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::Standard)
            .build(listed.into_iter().map(|(term, ..)| term))
            .map_err(|_| DetectorError::Terms)?;
        self.marks = Some(automaton);
        Ok(())
    }

    /// What precedes the first word of a term.
    fn lead(&self, term: &Term) -> &str {
        slice(&self.text, term.start as usize, term.word as usize)
    }

    /// A term from its first word on.
    fn tail(&self, term: &Term) -> &str {
        slice(&self.text, term.word as usize, term.end as usize)
    }

    pub(in crate::detect) fn find(&self, text: &str, found: &mut Vec<Detection>) {
        let mut hits = Vec::new();
        if !self.filed.is_empty() {
            let mut search = Search {
                terms: self,
                text,
                hits: &mut hits,
            };
            runs::each(text.as_bytes(), |run| search.scan_at(&run));
        }
        if let Some(marks) = &self.marks {
            hits.extend(marks.find_overlapping_iter(text).map(|hit| {
                Hit {
                    start: hit.start(),
                    end: hit.end(),
                    entity: self
                        .mark_entities
                        .get(hit.pattern().as_usize())
                        .copied()
                        .unwrap_or_default(),
                }
            }));
        }
        self.report(hits, found);
    }

    /// Reports the hits that lie in no other; those that overlap become one span with everything else that does.
    fn report(&self, mut hits: Vec<Hit>, found: &mut Vec<Detection>) {
        hits.sort_by_key(|hit| (hit.start, Reverse(hit.end)));
        let mut reach = 0;
        for hit in hits {
            let entity = self.entities.get(hit.entity as usize);
            if hit.end > reach
                && let Some(entity) = entity
            {
                reach = hit.end;
                found.push(Detection {
                    start: hit.start,
                    end: hit.end,
                    entity: entity.clone(),
                    score: Score::MAX,
                    rule: "term",
                });
            }
        }
    }
}

/// The sort key of terms.
fn key((term, word, _): &Listed) -> (&str, &str, &str) {
    let (lead, tail) = term.split_at_checked(word.start).unwrap_or_default();
    (slice(term, word.start, word.end), tail, lead)
}

/// The place of a term's first word; empty if there is none.
fn first_word(term: &str) -> Range<usize> {
    let Some(start) = term.find(is_word) else {
        return 0..0;
    };
    let rest = slice(term, start, term.len());
    let length = rest.find(|letter| !is_word(letter));
    start..start + length.unwrap_or(rest.len())
}

fn slice(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

/// Terms of more than 4 GiB are too many.
fn to_u32(count: usize) -> Result<u32, DetectorError> {
    u32::try_from(count).map_err(|_| DetectorError::Terms)
}

/// A term in a text.
struct Hit {
    start: usize,
    end: usize,
    entity: u32,
}

/// The search for first words in a text.
struct Search<'s> {
    terms: &'s Terms,
    text: &'s str,
    hits: &'s mut Vec<Hit>,
}

impl Search<'_> {
    #[inline]
    fn scan_at(&mut self, run: &Run) {
        if run.is_ascii {
            let hash = groups::hash_at(self.text.as_bytes(), run.start, run.end);
            self.look_up(run.start, hash);
        } else {
            self.scan_mixed(run);
        }
    }

    /// Examines the words of a run with characters outside ASCII.
    fn scan_mixed(&mut self, run: &Run) {
        let text = slice(self.text, 0, run.end);
        let mut word: Option<(usize, Hasher)> = None;
        let mut start = run.start;
        for (letter, end) in Folded::new(text, run.start) {
            if is_word(letter) {
                let (_, hasher) = word.get_or_insert((start, Hasher::default()));
                hasher.push(letter);
            } else if let Some((start, hasher)) = word.take() {
                self.look_up(start, hasher.finish());
            }
            start = end;
        }
        if let Some((start, hasher)) = word {
            self.look_up(start, hasher.finish());
        }
    }

    #[inline]
    fn look_up(&mut self, word: usize, hash: u64) {
        if self.terms.by_word.may_hold(hash) {
            for group in self.terms.by_word.get(hash) {
                self.compare(word, group);
            }
        }
    }

    /// Records every term of a group around the word at `word`.
    #[inline(never)]
    fn compare(&mut self, word: usize, group: Range<u32>) {
        let terms = self.terms;
        let group = group.start as usize..group.end as usize;
        let Some((nearest, shared)) = self.nearest(word, group) else {
            return;
        };
        let mut candidate = Some(nearest);
        while let Some(term) = candidate.and_then(|index| terms.filed.get(index)) {
            candidate = term.prefix.map(|index| index as usize);
            let (lead, tail) = (terms.lead(term), terms.tail(term));
            if tail.len() <= shared
                && slice(self.text, 0, word).ends_with(lead)
                && let Some(end) = whole_end(tail, self.text, word)
            {
                self.hits.push(Hit {
                    start: word - lead.len(),
                    end,
                    entity: term.entity,
                });
            }
        }
    }

    /// The last term of a group whose tail is not greater than the text at `word`, and how much of
    /// the tail matches. The matching tail is this one, or a prefix of this one's.
    fn nearest(&self, word: usize, group: Range<usize>) -> Option<(usize, usize)> {
        let shared = |term: &Term| Shared::of(self.terms.tail(term), self.text, word);
        let filed = self.terms.filed.get(group.clone())?;
        let up_to = filed.partition_point(|term| shared(term).order != Ordering::Less);
        let nearest = up_to.checked_sub(1)?;
        Some((group.start + nearest, shared(filed.get(nearest)?).length))
    }
}

/// What a tail shares with the text at a place.
struct Shared {
    /// How many bytes of the tail match.
    length: usize,
    /// Compares the text with the tail; equal if the tail matches.
    order: Ordering,
}

impl Shared {
    fn of(tail: &str, text: &str, start: usize) -> Self {
        let mut letters = Folded::new(text, start);
        let mut length = 0;
        for own in tail.chars() {
            let letter = letters.next().map(|(letter, _)| letter);
            let order = letter.cmp(&Some(own));
            if order != Ordering::Equal {
                return Self { length, order };
            }
            length += own.len_utf8();
        }
        Self {
            length,
            order: Ordering::Equal,
        }
    }
}

/// Where a tail at `start` ends in the text, unless it ends inside a word.
fn whole_end(tail: &str, text: &str, start: usize) -> Option<usize> {
    let mut letters = Folded::new(text, start);
    let (_, (last, end)) = tail.chars().zip(letters.by_ref()).last()?;
    let goes_on = is_word(last) && letters.next().is_some_and(|(next, _)| is_word(next));
    (!goes_on).then_some(end)
}
