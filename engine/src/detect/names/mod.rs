//! Names of persons, places and organizations.
//!
//! A greedy tagger reads capitalized words from left to right ([`walk`]) and weighs the features of
//! each ([`features`]): its letters, its neighbours, the previous tags, and which lists contain it
//! ([`lists`]). `tests/train` trains the weights and lists; the model card is
//! `engine/models/names.md`.
//!
//! In addition, names are found without capitals after a greeting (`greeting`), under a key that
//! only a person's name has (`keyed`), before what someone says in a chat (`speakers`), in bookings
//! (`booked`), and in East Asian letters next to an honorific (`asian`).

mod affixes;
mod articles;
mod asian;
mod assistants;
mod booked;
mod brands;
mod calendar;
mod columns;
pub mod features;
mod firms;
mod greeting;
mod keyed;
mod line;
pub mod lists;
mod mappings;
pub mod model;
mod numbered;
mod particles;
mod placeholders;
mod speakers;
pub mod tagger;
mod threes;
mod titles;
pub mod token;
pub mod walk;

use crate::EntityType;
use crate::detect::lexicon::labels;
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Names, Score, bytes};
use lists::{Lists, Marks};
use model::{Level, Model};
use speakers::Speakers;
use std::ops::Range;
use tagger::Entity;
pub(super) use titles::SMALL as TITLES;
use walk::Tag;

/// The model that is built in.
static MODEL: &[u8] = include_bytes!("../../../models/names.bin");

/// Appends every name in `text`, which is under `key`.
pub(super) fn scan(text: &str, key: Option<&str>, names: Names, found: &mut Vec<Detection>) {
    let model = Model::of(MODEL);
    let level = match names {
        Names::Off => return,
        Names::Careful => model.level(0),
        Names::Eager => model.level(1),
    };
    tagger::tag(text, key, &model, level, &mut |entity| {
        let name = text.get(entity.start..entity.end).unwrap_or_default();
        let name = without_label(name);
        let entity = Entity {
            end: entity.start + name.len(),
            ..entity
        };
        if name.is_empty()
            || assistants::is_assistant(name)
            || placeholders::is_placeholder(name)
            || is_wide(name)
        {
            return;
        }
        let (type_, rule) = match entity.tag {
            Tag::Other => return,
            Tag::Person => (EntityType::PERSON, "person"),
            Tag::Location => (EntityType::LOCATION, "place"),
            Tag::Organization => (EntityType::ORGANIZATION, "organization"),
        };
        let is_other = || {
            let span = entity.start..entity.end;
            firms::is_one(text, span.clone())
                || brands::is_one(text, span.clone(), model.lists)
                || articles::is_behind_one(text, span.clone(), model.lists)
                || placeholders::is_parameter(text, span.clone())
                || numbered::is_label(text, span.clone(), model.lists)
                || is_order(text, span, model.lists)
        };
        if entity.tag == Tag::Person && is_other() {
            return;
        }
        if entity.tag == Tag::Person && is_labelled(text, entity.start, found.last(), model.lists) {
            found.pop();
        }
        let span = entity.start..entity.end;
        let span = match entity.tag {
            Tag::Person => affixes::with(text, span),
            _ => span,
        };
        let score = score(entity.margin, level);
        found.push(detection(span, type_, score, rule));
    });
    let mut person = |span, rule| {
        let score = Score::percent(90);
        found.push(detection(span, EntityType::PERSON, score, rule));
    };
    let lists = model.lists;
    if let Some(span) = key.and_then(|key| keyed::whole_under(key, text, lists)) {
        person(span, "person-key");
    }
    if let Some(span) = greeting::at_start(text, lists) {
        person(span, "greeting");
    }
    if let Some(span) = booked::at(text, 0, lists) {
        person(span, "booking");
    }
    let mut speakers = Speakers::default();
    speakers.read(text, 0, lists);
    let bytes = text.as_bytes();
    for at in bytes::places(bytes, may_tell) {
        let (may_follow_key, may_begin) = match bytes::at(bytes, at) {
            b'\n' | b'"' | b',' | b'.' | b'!' | b'?' => (false, true),
            b':' | b'>' => (true, true),
            b'=' | keyed::WIDE_COLON => (true, false),
            asian::FIRST.. => {
                if let Some(span) = asian::before(text, at) {
                    person(span, "honorific");
                }
                continue;
            }
            _ => continue,
        };
        if bytes::at(bytes, at) == b'\n' {
            speakers.read(text, at + 1, lists);
        }
        if let Some((span, rule)) = formed(text, at, lists) {
            person(span, rule);
        }
        if may_follow_key && let Some(span) = keyed::behind(text, at, lists) {
            person(span, "person-key");
        }
        if may_begin && let Some(span) = greeting::behind(text, at, lists) {
            person(span, "greeting");
        }
    }
    speakers.each(text, lists, &mut |span| person(span, "speaker"));
}

/// The name that the form of what is around a sign proves, and the rule that says so.
#[inline]
fn formed(text: &str, sign: usize, lists: Lists<'_>) -> Option<(Range<usize>, &'static str)> {
    let by = |rule: &'static str| move |span: Range<usize>| (span, rule);
    let found = match bytes::at(text.as_bytes(), sign) {
        b':' => keyed::assignee_before(text, sign, lists)
            .map(by("assignee"))
            .or_else(|| keyed::inverted_behind(text, sign, lists).map(by("person-key")))
            .or_else(|| keyed::answered_behind(text, sign, lists).map(by("person-key"))),
        b'.' => titles::behind_dot(text, sign, lists).map(by("title")),
        b'\n' | b',' => None,
        _ => return None,
    };
    found.or_else(|| booked::behind(text, sign, lists).map(by("booking")))
}

/// Whether a byte may precede or follow a name by which it is found without the tagger, or is one of few others that are as fast
/// to compare: `*`, `<` and the like.
const fn may_tell(byte: u8) -> bool {
    byte & 0x4F == 0x0A // a line feed, `:`, the end of `：`
        || byte & !3 == b'<' // `=`, `>`, `?`
        || byte | 2 == b'.' // `,`
        || byte == b'!'
        || byte == b'"'
        || byte >= asian::FIRST
}

/// Reports the name in small letters behind the title at `start`.
pub(super) fn scan_title(scanner: &mut Scanner<'_, '_>, start: usize) {
    let text = bytes::slice(scanner.text, start, scanner.text.len());
    if let Some(name) = titles::in_small_letters(text, Model::of(MODEL).lists) {
        let span = start + name.start..start + name.end;
        scanner.push(detection(
            span,
            EntityType::PERSON,
            Score::percent(80),
            "title",
        ));
    }
}

/// Whether a column of a table is named as one of persons' names.
pub(super) fn is_column(name: &[u8]) -> bool {
    keyed::is_column(name)
}

/// Whether the text of a cell in such a column is a name.
pub(super) fn is_cell(text: &[u8]) -> bool {
    let lists = Model::of(MODEL).lists;
    str::from_utf8(text).is_ok_and(|text| keyed::is_cell(text, lists))
}

/// Whether a word that begins a line is a verb, by the article behind it: `- Reuse an existing session`.
fn is_order(text: &str, word: Range<usize>, lists: Lists<'_>) -> bool {
    const ARTICLES: [&str; 5] = [" an ", " the ", " any ", " all ", " each "];
    let behind = text.get(word.end..).unwrap_or_default();
    if !ARTICLES.iter().any(|article| behind.starts_with(article)) {
        return false;
    }
    let own = text.get(word.clone()).unwrap_or_default();
    let lead = text.get(..word.start).unwrap_or_default();
    let is_mark = |sign: char| sign.is_ascii_digit() || matches!(sign, ' ' | '-' | '*' | '.' | ')');
    let lead = lead.trim_end_matches(is_mark);
    (lead.is_empty() || lead.ends_with('\n'))
        && own.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !lists.marks(token::hash_of(own)).has(Marks::FIRST)
}

/// A name without the label in capitals behind it: `Anna Schmidt DOB`, `Milano P.IVA`.
fn without_label(name: &str) -> &str {
    const LONGEST: usize = 12;
    let last = name.bytes().rposition(|byte| byte.is_ascii_whitespace());
    let start = last.map_or(0, |space| space + 1);
    let word = name.get(start..).unwrap_or_default();
    if !(3..=LONGEST).contains(&word.len()) || !is_label(word) {
        return name;
    }
    name.get(..start).unwrap_or_default().trim_end()
}

/// Whether a word is a label: `Tel` in any letters, `DOB` in capitals, `P.IVA`.
fn is_label(word: &str) -> bool {
    let is_dotted = word.get(1..2) == Some(".") && !word.ends_with('.');
    let is_loud = !word.contains(char::is_lowercase);
    is_loud && (is_dotted || labels::is_label(word.as_bytes()))
        || labels::is_contact(word.as_bytes())
}

/// Whether all letters are full-width forms of Latin ones, which values have and no names: `Ｋｘ`.
fn is_wide(name: &str) -> bool {
    let mut letters = name.chars();
    letters.all(|letter| matches!(letter, '\u{FF01}'..='\u{FF5E}'))
}

/// Whether the word that was found last is the label of a name at `start`, as in `Reviewer: Anna`: no list of names has it.
fn is_labelled(text: &str, start: usize, last: Option<&Detection>, lists: Lists<'_>) -> bool {
    last.is_some_and(|last| {
        let label = text.get(last.start..last.end).unwrap_or_default();
        text.get(last.end..start) == Some(": ")
            && label.chars().all(char::is_alphabetic)
            && !lists.marks(token::hash_of(label)).has(Marks(3))
    })
}

/// Whether this is a word of a language, or the name of a place.
pub(crate) fn is_word_or_place(name: &str) -> bool {
    let marks = Model::of(MODEL).lists.marks(token::hash_of(name));
    marks.has(Marks::COMMON.with(Marks::PLACE))
}

/// Whether a place has this name.
pub(super) fn is_place(name: &str) -> bool {
    let marks = Model::of(MODEL).lists.marks(token::hash_of(name));
    marks.has(Marks::PLACE)
}

/// Whether this is a word of a language.
pub(crate) fn is_common_word(name: &str) -> bool {
    let marks = Model::of(MODEL).lists.marks(token::hash_of(name));
    marks.has(Marks::COMMON)
}

const fn detection(
    span: Range<usize>,
    entity: EntityType,
    score: Score,
    rule: &'static str,
) -> Detection {
    Detection {
        start: span.start,
        end: span.end,
        entity,
        score,
        rule,
    }
}

/// A margin in percent: 60 at the border.
fn score(margin: i32, level: Level) -> Score {
    const STEP: i32 = 3;
    let percent = 60 + ((margin - level.name) / STEP).clamp(0, 35);
    Score::percent(u8::try_from(percent).unwrap_or(95))
}
