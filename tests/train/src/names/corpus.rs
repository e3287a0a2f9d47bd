//! Reads labelled texts.

use super::{Text, hash};
use engine::detect::names::lists::{Lists, Marks};
use engine::detect::names::token::hash_of;
use engine::detect::names::walk::Tag;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Reads a file of the corpus of names.
///
/// # Errors
/// Names the file that cannot be read.
pub fn names(path: &Path) -> Result<Vec<Text>, String> {
    read(path, &|_, kind| match kind {
        "PERSON" => Some(Some(Tag::Person)),
        "LOCATION" => Some(Some(Tag::Location)),
        "ORGANIZATION" => Some(Some(Tag::Organization)),
        _ => None,
    })
}

/// Reads a file of personal data, in which spans that may be names are labelled `IGNORE`: those whose words the lists
/// have as names are persons, the others are nothing to learn from.
///
/// # Errors
/// Names the file that cannot be read.
pub fn personal(path: &Path, lists: Lists<'_>) -> Result<Vec<Text>, String> {
    read(path, &|span, kind| {
        (kind == "IGNORE").then(|| is_person(span, lists).then_some(Tag::Person))
    })
}

fn is_person(span: &str, lists: Lists<'_>) -> bool {
    const TITLES: [&str; 6] = ["Mr.", "Ms.", "Mrs.", "Dr.", "Miss", "Prof."];
    let words: Vec<&str> = span
        .split(' ')
        .filter(|word| !TITLES.contains(word))
        .collect();
    let is_plain = span
        .chars()
        .all(|letter| letter.is_alphabetic() || " .-'’".contains(letter));
    let named = |word: &&str| {
        lists
            .marks(hash_of(word.trim_end_matches('.')))
            .has(Marks(3))
    };
    is_plain
        && (1..=4).contains(&words.len())
        && words.iter().any(named)
        && !words.iter().any(|word| {
            [
                "Inc",
                "Corp",
                "Company",
                "Airlines",
                "Healthcare",
                "Bank",
                "Industries",
            ]
            .contains(word)
        })
}

fn read(path: &Path, tag: &dyn Fn(&str, &str) -> Option<Option<Tag>>) -> Result<Vec<Text>, String> {
    let lines =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut texts = Vec::new();
    for line in lines.lines() {
        let record: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let text = record["text"].as_str().unwrap_or_default().to_owned();
        let mut places: Vec<usize> = text.char_indices().map(|(index, _)| index).collect();
        places.push(text.len());
        let mut names = Vec::new();
        for span in record["spans"].as_array().into_iter().flatten() {
            let place = |key: &str| {
                span[key]
                    .as_u64()
                    .and_then(|index| places.get(usize::try_from(index).ok()?))
                    .copied()
            };
            let (Some(start), Some(end)) = (place("start"), place("end")) else {
                continue;
            };
            if let Some(tag) = tag(&text[start..end], span["type"].as_str().unwrap_or_default()) {
                let tag = if is_handle(&text, start) { None } else { tag };
                names.push((start..end, tag));
            }
        }
        names.sort_by_key(|(span, _)| span.start);
        let source = record["source"].as_str().unwrap_or_default().to_owned();
        texts.push(Text {
            language: record["lang"].as_str().map_or_else(
                || source.rsplit(':').next().unwrap_or_default().to_owned(),
                str::to_owned,
            ),
            text,
            names,
            source,
            weight: 1.0,
        });
    }
    Ok(texts)
}

/// Whether an account is named at `start`, and no person: `@anna`, `@ anna`, `#anna`. Some corpora label it.
fn is_handle(text: &str, start: usize) -> bool {
    text[start..].starts_with(['@', '#'])
        || text[..start].trim_end_matches(' ').ends_with(['@', '#'])
}

/// Whether a text of the corpus of names is kept to measure on.
#[must_use]
pub fn is_held(text: &Text) -> bool {
    hash(&text.text).is_multiple_of(5)
}

/// German nouns: words with a capital within sentences that are no names.
#[must_use]
pub fn german_nouns<'a>(texts: impl Iterator<Item = &'a Text>) -> Vec<String> {
    let mut nouns: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts.filter(|text| text.language == "de") {
        let mut begins = true;
        let mut at = 0;
        for written in text.text.split(' ') {
            let word = written.trim_matches(|letter: char| !letter.is_alphabetic());
            let start = at + written.find(word).unwrap_or(0);
            at += written.len() + 1;
            let is_noun = word.len() > 3
                && word.starts_with(char::is_uppercase)
                && word.chars().skip(1).all(char::is_lowercase);
            if is_noun && !begins && text.tag_at(start, start + word.len()) == Some(Tag::Other) {
                *nouns.entry(word.to_owned()).or_default() += 1;
            }
            begins = written.is_empty() || written.ends_with(['.', ':', '!', '?', '"', '“', ')']);
        }
    }
    let usual = nouns.into_iter().filter(|(_, count)| *count >= 2);
    usual.map(|(noun, _)| noun).collect()
}
