//! Texts that were written to train on: `@@ mail` before each, and `⟦p:Anna Schmidt⟧`, `⟦o:Siemens⟧`, `⟦l:Kassel⟧` around each
//! person, organization and place.

use super::Text;
use super::pasted::{records, unmark};
use engine::detect::names::walk::Tag;

/// Files by language.
macro_rules! files {
    ($($language:literal)*) => {
        [$(($language, include_str!(concat!("written/", $language, ".txt")))),*]
    };
}

/// Reads them.
#[must_use]
pub fn texts() -> Vec<Text> {
    let files = files!("en" "de" "fr" "es" "it" "pl" "nl" "pt");
    let texts = files.into_iter().flat_map(|(language, file)| {
        records(file).map(move |(_, marked)| {
            let (text, marks) = unmark(marked);
            let names = marks
                .into_iter()
                .map(|(span, mark)| (span, Some(tag(mark))));
            Text {
                names: names.collect(),
                text,
                source: "written".to_owned(),
                language: language.to_owned(),
                weight: 1.0,
            }
        })
    });
    texts.collect()
}

fn tag(mark: &str) -> Tag {
    match mark {
        "p" => Tag::Person,
        "o" => Tag::Organization,
        _ => Tag::Location,
    }
}
