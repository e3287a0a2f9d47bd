//! Reads texts as users paste them, with their personal data marked: `@@ support mail` before each text, `⟦p:Anna Schmidt⟧`
//! around each value.

use super::Text;
use engine::detect::names::walk::Tag;
use std::ops::Range;

/// Files of a folder with their language; `none` has no personal data, `others` names the language of each text.
macro_rules! files {
    ($folder:literal: $($language:literal)*) => {
        &[$((
            $language,
            include_str!(concat!("../../../corpus/names/", $folder, "/", $language, ".txt")),
        )),*]
    };
}

const PASTED: &[(&str, &str)] =
    files!("pasted": "en" "de" "fr" "es" "it" "pl" "nl" "pt" "others" "none");
const FRESH: &[(&str, &str)] =
    files!("fresh": "addresses" "births" "numbers" "en" "de" "fr" "es" "it" "pl" "nl" "pt");
const ORIGINS: &[(&str, &str)] = files!("origins": "en" "de" "fr" "es" "it" "pl" "nl" "pt");
const MIXED: &[(&str, &str)] = files!("mixed": "en" "de" "fr" "es" "it" "pl" "nl" "pt");

/// A text as a user pastes it.
#[derive(Debug, Clone)]
pub struct Pasted {
    /// The text; what is marked and no person's name is `None` among its names.
    pub text: Text,
    /// What is marked, with the name of its type; `ID` for any personal or document number.
    pub values: Vec<(Range<usize>, &'static str)>,
}

/// Texts that nothing is trained on; every other one was looked at while templates were written.
#[must_use]
pub fn pasted() -> Vec<Pasted> {
    texts(PASTED)
}

/// Short texts that nothing is trained on, with persons of many origins and lookalikes.
#[must_use]
pub fn fresh() -> Vec<Pasted> {
    texts(FRESH)
}

/// Texts with persons from all over the world in each language, which nobody looked at while working on names.
#[must_use]
pub fn origins() -> Vec<Pasted> {
    texts(ORIGINS)
}

/// Texts of many kinds with lookalikes, which nobody looked at while working on names.
#[must_use]
pub fn mixed() -> Vec<Pasted> {
    texts(MIXED)
}

fn texts(files: &[(&str, &str)]) -> Vec<Pasted> {
    let mut texts = Vec::new();
    for (language, file) in files {
        for (index, (kind, marked)) in records(file).enumerate() {
            texts.push(read(marked, language, &format!("{index} {kind}")));
        }
    }
    texts
}

/// The texts of a file, each with its kind.
pub(super) fn records(file: &str) -> impl Iterator<Item = (&str, &str)> {
    let records = file.split("@@ ").skip(1);
    records.map(|record| record.split_once('\n').unwrap_or_default())
}

fn read(marked: &str, language: &str, source: &str) -> Pasted {
    let (text, marks) = unmark(marked);
    let values: Vec<_> = marks
        .into_iter()
        .map(|(span, mark)| (span, class(mark)))
        .collect();
    let names = values.iter().map(|(span, class)| {
        let tag = (*class == "PERSON").then_some(Tag::Person);
        (span.clone(), tag)
    });
    Pasted {
        text: Text {
            names: names.collect(),
            text,
            source: source.to_owned(),
            language: language.to_owned(),
            weight: 1.0,
        },
        values,
    }
}

/// A text without its marks, and where each was.
pub(super) fn unmark(marked: &str) -> (String, Vec<(Range<usize>, &str)>) {
    let mut text = String::new();
    let mut marks = Vec::new();
    let mut parts = marked.trim_end().split('⟦');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (value, rest) = part.split_once('⟧').unwrap_or_default();
        let (mark, value) = value.split_once(':').unwrap_or_default();
        let start = text.len();
        text.push_str(value);
        marks.push((start..text.len(), mark));
        text.push_str(rest);
    }
    (text, marks)
}

fn class(mark: &str) -> &'static str {
    match mark {
        "p" => "PERSON",
        "a" => "ADDRESS",
        "b" => "DATE_OF_BIRTH",
        "i" => "IBAN",
        "t" => "PHONE",
        "m" => "EMAIL",
        "c" => "CREDIT_CARD",
        "k" => "BANK_ACCOUNT",
        _ => "ID",
    }
}
