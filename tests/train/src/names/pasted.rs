//! Reads texts as users paste them, with their personal data marked: `@@ support mail` before each text, `⟦p:Anna Schmidt⟧`
//! around each value.

use super::Text;
use engine::detect::names::walk::Tag;
use std::ops::Range;

/// Texts by language; `none` has no personal data, `others` names the language of each text.
const FILES: [(&str, &str); 10] = [
    ("en", include_str!("../../../corpus/names/pasted/en.txt")),
    ("de", include_str!("../../../corpus/names/pasted/de.txt")),
    ("fr", include_str!("../../../corpus/names/pasted/fr.txt")),
    ("es", include_str!("../../../corpus/names/pasted/es.txt")),
    ("it", include_str!("../../../corpus/names/pasted/it.txt")),
    ("pl", include_str!("../../../corpus/names/pasted/pl.txt")),
    ("nl", include_str!("../../../corpus/names/pasted/nl.txt")),
    ("pt", include_str!("../../../corpus/names/pasted/pt.txt")),
    (
        "others",
        include_str!("../../../corpus/names/pasted/others.txt"),
    ),
    (
        "none",
        include_str!("../../../corpus/names/pasted/none.txt"),
    ),
];

/// A text as a user pastes it.
#[derive(Debug, Clone)]
pub struct Pasted {
    /// The text; what is marked and no person's name is `None` among its names.
    pub text: Text,
    /// What is marked, with the name of its type; `ID` for any personal or document number.
    pub values: Vec<(Range<usize>, &'static str)>,
}

/// All texts, which nothing is trained on.
#[must_use]
pub fn pasted() -> Vec<Pasted> {
    let mut texts = Vec::new();
    for (language, file) in FILES {
        for (index, record) in file.split("@@ ").skip(1).enumerate() {
            let (kind, marked) = record.split_once('\n').unwrap_or_default();
            texts.push(read(marked, language, &format!("{index} {kind}")));
        }
    }
    texts
}

fn read(marked: &str, language: &str, source: &str) -> Pasted {
    let mut text = String::new();
    let mut values = Vec::new();
    let mut parts = marked.trim_end().split('⟦');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (value, rest) = part.split_once('⟧').unwrap_or_default();
        let (mark, value) = value.split_once(':').unwrap_or_default();
        let start = text.len();
        text.push_str(value);
        values.push((start..text.len(), class(mark)));
        text.push_str(rest);
    }
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
