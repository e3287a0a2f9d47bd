//! Persons in texts that were not used to train the model.

use super::Figures;
use super::corpus::find;
use super::count::excerpt;
use engine::detect::{DetectorSettings, Names};
use engine::{Detection, Detectors, EntityType};
use std::path::Path;
use train::names::material::FILES;
use train::names::{Text, corpus, marked};

/// Counts the prompts of the tests, and the held part of the corpus of names where it is there; carefully and eagerly.
pub(super) fn count(folder: &Path, figures: &mut Figures) -> Result<(), String> {
    let prompts = marked::prompts();
    let mut held: Vec<Text> = Vec::new();
    for (file, _) in FILES {
        let path = folder.join(format!("names/{file}.jsonl"));
        if path.exists() {
            let texts = corpus::names(&path)?.into_iter();
            held.extend(texts.filter(corpus::is_held));
        }
    }
    for (names, how) in [(Names::Careful, "careful"), (Names::Eager, "eager")] {
        let settings = DetectorSettings {
            names,
            ..DetectorSettings::default()
        };
        let detectors = Detectors::new(&settings).map_err(|error| error.to_string())?;
        for (corpus, texts) in [("prompts", &prompts), ("names", &held)] {
            for text in texts {
                let found = find(&detectors, &text.text);
                persons(&format!("{corpus} {how}"), text, &found, figures);
            }
        }
    }
    Ok(())
}

fn persons(row: &str, text: &Text, found: &[Detection], figures: &mut Figures) {
    let language = &text.language;
    for (span, _) in text
        .names
        .iter()
        .filter(|(_, tag)| *tag == Some(super::PERSON))
    {
        let is_hidden = text.text[span.clone()]
            .char_indices()
            .all(|(index, letter)| {
                let at = span.start + index;
                !letter.is_alphanumeric()
                    || found
                        .iter()
                        .any(|detection| (detection.start..detection.end).contains(&at))
            });
        let excerpt = || excerpt(&text.text, span.start, span.end);
        figures.found(
            format!("{row} PERSON {language} hidden"),
            is_hidden,
            excerpt,
        );
    }
    let wrong = found.iter().filter(|detection| {
        let touches = |span: &std::ops::Range<usize>| {
            span.start < detection.end && detection.start < span.end
        };
        detection.entity == EntityType::PERSON && !text.names.iter().any(|(span, _)| touches(span))
    });
    let wrong = wrong.map(|detection| excerpt(&text.text, detection.start, detection.end));
    figures.rate(format!("{row} PERSON wrong per MB"), text.text.len(), wrong);
}
