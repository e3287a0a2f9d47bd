//! Combines tagged words into names.

use super::affixes;
use super::lists::{Lists, Marks};
use super::model::{Level, Model};
use super::titles::is_title;
use super::token::{Kind, Token, hash_of};
use super::walk::{Tag, joins, marks_of, walk};
use std::ops::Range;

/// How many times its threshold the margin of a name is that a title proves.
const SURE: i32 = 4;

/// A name found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// First byte.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
    /// The kind of name.
    pub tag: Tag,
    /// How far its surest word is above every other tag.
    pub margin: i32,
}

/// A name, and which of the words seen so far are its own.
struct Name {
    entity: Entity,
    letters: Letters,
    first_word: usize,
    last_word: usize,
    /// Each of its words may be one of a person's name.
    may_be_person: bool,
}

/// What the letters and the lists say of a name.
#[derive(Clone, Copy)]
struct Letters {
    /// Whether all are capitals.
    are_loud: bool,
    /// Whether lists have each of its words as a name, but long ones: acronyms are short.
    are_names: bool,
    /// Whether lists have one of its words as a name only.
    are_listed: bool,
    /// The lists that have one of its words.
    lists: Marks,
}

impl Letters {
    fn of(text: &str, token: &Token, lists: Lists<'_>) -> Self {
        const LONG: usize = 6;
        let are_loud = token.kind == Kind::Capitals;
        let marks = marks_of(text, lists, token);
        Self {
            are_loud,
            are_names: marks.has(Marks(3)) || token.end - token.start >= LONG,
            are_listed: marks.is_only_name(),
            lists: marks,
        }
    }

    const fn join(&mut self, other: Self) {
        self.are_loud &= other.are_loud;
        self.are_names &= other.are_names;
        self.are_listed |= other.are_listed;
        self.lists = self.lists.with(other.lists);
    }
}

/// Passes every name in `text` to `found`, in no particular order.
///
/// `key` is the name of the whole text.
pub fn tag(
    text: &str,
    key: Option<&str>,
    model: &Model<'_>,
    level: Level,
    found: &mut dyn FnMut(Entity),
) {
    let mut seen = Seen::default();
    let mut first_name: Option<(Range<usize>, Marks)> = None;
    walk(text, key, model.lists, &mut |token, features| {
        let goes_on = seen.goes_on(text, token.start);
        let least = if goes_on { level.doubt } else { level.word };
        let scores = model.scores(features);
        let may_be_person = person_margin(scores) >= level.doubt;
        let (tag, margin) = match best(scores, least) {
            (tag, _) if tag != Tag::Person && is_titled(text, token, model.lists) => {
                (Tag::Person, SURE * level.name.max(1))
            }
            best => best,
        };
        let before = first_name.take();
        if tag != Tag::Other || may_be_person {
            let letters = Letters::of(text, token, model.lists);
            seen.add(text, token, (tag, margin), may_be_person, letters);
            // Before a first name, only another one is likely.
            let is_first = model.lists.marks(token.hash).has(Marks::FIRST);
            let before = before.filter(|(_, marks)| !is_first || marks.has(Marks::FIRST));
            if let Some((word, _)) = before.filter(|_| tag == Tag::Person) {
                seen.begin_at(text, &word);
            }
        }
        if tag != Tag::Person && token.kind == Kind::Capital {
            let word = token.start..token_end(text, token);
            let marks = model.lists.marks(token.hash);
            if is_no_word(text, &word, marks) {
                seen.end_at(text, &word);
            }
            first_name = may_begin_name(text, &word, marks).then_some((word, marks));
        }
        tag
    });
    let sure = seen.sure(level.name, model.lists);
    let persons = seen.persons(level.name);
    for name in &seen.names {
        let words = seen.words.get(name.first_word..name.last_word);
        let words = words.unwrap_or_default();
        let is_sure = name.entity.margin >= least_of(name, level.name);
        let is_known = |word: &u64| sure.binary_search(word).is_ok();
        let is_in_company = || {
            name.entity.tag == Tag::Person
                && name.entity.margin >= least_of(name, level.company)
                && are_near(&persons, &name.entity)
        };
        if !words.is_empty() && (is_sure || words.iter().all(is_known) || is_in_company()) {
            found(name.entity.clone());
        }
    }
}

/// Whether a word is the name behind a title and particles, of which the features of a word see none: `Herr von der Recke`.
fn is_titled(text: &str, token: &Token, lists: Lists<'_>) -> bool {
    let is_common = || lists.marks(token.hash).has(Marks::COMMON);
    token.kind == Kind::Capital && affixes::is_titled(text, token.start, is_common)
}

/// Whether a word is no word of a language, so that behind a person's name it is hardly anything but a part of it. Only
/// languages in Latin letters have lists of words.
fn is_no_word(text: &str, word: &Range<usize>, marks: Marks) -> bool {
    let word = text.get(word.clone()).unwrap_or_default();
    let is_latin = |letter: char| letter < '\u{250}' || letter == '’';
    let is_name = marks.has(Marks::FIRST.with(Marks::SURNAME));
    !marks.has(Marks::COMMON) && (is_name || !marks.has(Marks::PLACE) && word.chars().all(is_latin))
}

/// Whether a word may be the first name before a surname. Where a sentence begins, people are greeted.
fn may_begin_name(text: &str, word: &Range<usize>, marks: Marks) -> bool {
    let before = text.get(..word.start).unwrap_or_default();
    let before = before.trim_end_matches(' ');
    let begins = before.is_empty() || before.ends_with(['.', '!', '?', ':', ',', '\n']);
    let is_title = || is_title(text.get(word.clone()).unwrap_or_default());
    is_no_word(text, word, marks) && !begins && !is_title()
}

/// Whether one of the persons, in the order of the text, is so near that more of them are likely.
fn are_near(persons: &[Range<usize>], entity: &Entity) -> bool {
    const NEAR: usize = 200;
    let next = persons.partition_point(|person| person.end + NEAR < entity.start);
    let next = persons.get(next);
    next.is_some_and(|person| person.start <= entity.end + NEAR)
}

/// The threshold for the most certain word of a name. Constants and acronyms are written in
/// capitals too: `GRANT ALL`, `SAP HANA`, `IBAN`.
const fn least_of(name: &Name, least: i32) -> i32 {
    const LOUD: i32 = 4;
    const UNKNOWN: i32 = 2;
    let is_one = name.last_word - name.first_word < 2;
    let letters = name.letters;
    let is_likely = !is_one && letters.are_names && letters.are_listed;
    if letters.are_loud && !is_likely && least > 0 {
        least * LOUD
    } else if !letters.lists.has(Marks(3)) && least > 0 {
        least * UNKNOWN
    } else {
        least
    }
}

/// Names, and words that may be parts of names, in the order of the text.
#[derive(Default)]
struct Seen {
    names: Vec<Name>,
    /// Hashes of the words of names, but initials.
    words: Vec<u64>,
}

impl Seen {
    fn add(
        &mut self,
        text: &str,
        token: &Token,
        (tag, margin): (Tag, i32),
        may_be_person: bool,
        letters: Letters,
    ) {
        let end = token_end(text, token);
        let first_word = self.words.len();
        if token.kind != Kind::Initial {
            let is_whole = end == token.end;
            let word = text.get(token.start..end).unwrap_or_default();
            self.words
                .push(if is_whole { token.hash } else { hash_of(word) });
        }
        let last_word = self.words.len();
        if tag == Tag::Person {
            self.take_doubtful(text, token.start);
        }
        match self.names.last_mut() {
            Some(name)
                if tag != Tag::Other
                    && name.entity.tag == tag
                    && joins(text, name.entity.end, token.start) =>
            {
                name.entity.end = end;
                name.letters.join(letters);
                name.entity.margin = name.entity.margin.max(margin);
                name.last_word = last_word;
                name.may_be_person &= may_be_person;
            }
            _ => self.names.push(Name {
                entity: Entity {
                    start: token.start,
                    end,
                    tag,
                    margin,
                },
                letters,
                first_word,
                last_word,
                may_be_person,
            }),
        }
    }

    /// Whether a word at `start` goes on with a person's name.
    fn goes_on(&self, text: &str, start: usize) -> bool {
        self.names.last().is_some_and(|name| {
            name.entity.tag == Tag::Person && joins(text, name.entity.end, start)
        })
    }

    /// Begins a person's name with the first name right before it.
    fn begin_at(&mut self, text: &str, before: &Range<usize>) {
        if let Some(name) = self.names.last_mut()
            && joins(text, before.end, name.entity.start)
        {
            name.entity.start = before.start;
        }
    }

    /// Ends a person's name with the word right behind it.
    fn end_at(&mut self, text: &str, behind: &Range<usize>) {
        if let Some(name) = self.names.last_mut()
            && name.entity.tag == Tag::Person
            && joins(text, name.entity.end, behind.start)
        {
            name.entity.end = behind.end;
        }
    }

    /// Makes the doubtful words right before `start` the beginning of a person's name.
    fn take_doubtful(&mut self, text: &str, start: usize) {
        let mut start = start;
        let mut first = self.names.len();
        while let Some(name) = first.checked_sub(1).and_then(|index| self.names.get(index))
            && name.entity.tag != Tag::Person
            && name.may_be_person
            && joins(text, name.entity.end, start)
        {
            start = name.entity.start;
            first -= 1;
        }
        let mut doubtful = self.names.drain(first..);
        let Some(mut name) = doubtful.next() else {
            return;
        };
        for other in doubtful {
            name.letters.join(other.letters);
            name.last_word = other.last_word;
            name.entity.end = other.entity.end;
            name.entity.margin = name.entity.margin.max(other.entity.margin);
        }
        name.entity.tag = Tag::Person;
        self.names.push(name);
    }

    /// Where sure persons are.
    fn persons(&self, least: i32) -> Vec<Range<usize>> {
        let sure = |name: &&Name| {
            name.entity.tag == Tag::Person && name.entity.margin >= least_of(name, least)
        };
        let names = self.names.iter().filter(sure);
        names
            .map(|name| name.entity.start..name.entity.end)
            .collect()
    }

    /// The words of persons' names that are sure and no words of a language, sorted.
    fn sure(&self, least: i32, lists: Lists<'_>) -> Vec<u64> {
        let sure = |name: &&Name| name.entity.tag == Tag::Person && name.entity.margin >= least;
        let names = self.names.iter().filter(sure);
        let words = names.filter_map(|name| self.words.get(name.first_word..name.last_word));
        let words = words.flatten().copied();
        let mut words: Vec<u64> = words
            .filter(|word| !lists.marks(*word).has(Marks::COMMON))
            .collect();
        words.sort_unstable();
        words.dedup();
        words
    }
}

/// The tag of a word, and how far a person is above every other; of a place or organisation, how far it is itself.
fn best(scores: [i32; 4], least: i32) -> (Tag, i32) {
    let [other, _, location, organization] = scores;
    let margin = person_margin(scores);
    if margin >= least {
        return (Tag::Person, margin);
    }
    if other >= location && other >= organization {
        return (Tag::Other, margin);
    }
    if location >= organization {
        (Tag::Location, location - other)
    } else {
        (Tag::Organization, organization - other)
    }
}

/// How far a person is above every other tag.
fn person_margin([other, person, location, organization]: [i32; 4]) -> i32 {
    person - other.max(location).max(organization)
}

/// Where a word of a name ends: without `'s`, with the dot of an initial.
fn token_end(text: &str, token: &Token) -> usize {
    let word = text.get(token.start..token.end).unwrap_or_default();
    for ending in ["'s", "’s", "'S", "’S"] {
        if let Some(name) = word.strip_suffix(ending) {
            return token.start + name.len();
        }
    }
    token.end + usize::from(token.kind == Kind::Initial)
}
