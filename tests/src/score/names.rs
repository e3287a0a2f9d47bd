//! Persons in texts that were not used to train the model.

use super::Figures;
use super::corpus::find;
use super::count::excerpt;
use engine::detect::{DetectorSettings, Names};
use engine::{Detection, Detectors, EntityType};
use std::ops::Range;
use std::path::Path;
use train::names::marked::prompts;
use train::names::material::FILES;
use train::names::pasted::{Pasted, fresh, mixed, origins, pasted};
use train::names::{Text, corpus};

/// Counts the prompts of the tests, and the held part of the corpus of names where it is there; carefully and eagerly.
pub(super) fn count(folder: &Path, figures: &mut Figures) -> Result<(), String> {
    let prompts = prompts();
    let marked = [
        ("pasted", pasted()),
        ("fresh", fresh()),
        ("origins", origins()),
        ("mixed", mixed()),
    ];
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
        for (set, texts) in &marked {
            for text in texts {
                values(&format!("{set} {how}"), text, &detectors, figures);
            }
        }
        for (corpus, texts) in [("prompts", &prompts), ("names", &held)] {
            for text in texts {
                let found = find(&detectors, &text.text);
                persons(&format!("{corpus} {how}"), text, &found, figures);
            }
        }
    }
    Ok(())
}

/// Counts all that is marked in a text, and what is found where nothing is.
fn values(row: &str, pasted: &Pasted, detectors: &Detectors, figures: &mut Figures) {
    let Pasted { text, values } = pasted;
    let found = find(detectors, &text.text);
    let language = &text.language;
    for (span, class) in values {
        let row = match *class {
            "PERSON" => format!("{row} PERSON {language} hidden"),
            class => format!("{row} {class} hidden"),
        };
        let excerpt = || {
            format!(
                "{} {}",
                text.source,
                excerpt(&text.text, span.start, span.end)
            )
        };
        figures.found(row, is_hidden(&text.text, span, &found), excerpt);
    }
    let wrong = found.iter().filter(|detection| {
        let touches =
            |span: &Range<usize>| span.start < detection.end && detection.start < span.end;
        !values.iter().any(|(span, _)| touches(span))
    });
    let wrong: Vec<String> = wrong
        .map(|detection| {
            let excerpt = excerpt(&text.text, detection.start, detection.end);
            format!("{} {} {excerpt}", text.source, detection.rule)
        })
        .collect();
    figures.rate(
        format!("{row} wrong per MB"),
        text.text.len(),
        wrong.into_iter(),
    );
}

/// Whether detections cover every letter and digit.
fn is_hidden(text: &str, span: &Range<usize>, found: &[Detection]) -> bool {
    text[span.clone()].char_indices().all(|(index, letter)| {
        let at = span.start + index;
        let mut spans = found.iter().map(|detection| detection.start..detection.end);
        !letter.is_alphanumeric() || spans.any(|span| span.contains(&at))
    })
}

fn persons(row: &str, text: &Text, found: &[Detection], figures: &mut Figures) {
    let language = &text.language;
    for (span, _) in text
        .names
        .iter()
        .filter(|(_, tag)| *tag == Some(super::PERSON))
    {
        let is_hidden = is_hidden(&text.text, span, found);
        let excerpt = || excerpt(&text.text, span.start, span.end);
        figures.found(
            format!("{row} PERSON {language} hidden"),
            is_hidden,
            excerpt,
        );
    }
    let wrong = found.iter().filter(|detection| {
        let touches =
            |span: &Range<usize>| span.start < detection.end && detection.start < span.end;
        detection.entity == EntityType::PERSON && !text.names.iter().any(|(span, _)| touches(span))
    });
    let wrong = wrong.map(|detection| excerpt(&text.text, detection.start, detection.end));
    figures.rate(format!("{row} PERSON wrong per MB"), text.text.len(), wrong);
}
