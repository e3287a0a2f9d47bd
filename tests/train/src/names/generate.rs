//! Writes labelled sentences from templates.

use super::slots::Filler;
use super::template::{self, Part};
use super::{Random, Text, hash};
use engine::detect::names::walk::Tag;

/// Templates by language.
const TEMPLATES: [(&str, &str); 10] = [
    ("en", include_str!("templates/en.txt")),
    ("de", include_str!("templates/de.txt")),
    ("fr", include_str!("templates/fr.txt")),
    ("es", include_str!("templates/es.txt")),
    ("pl", include_str!("templates/pl.txt")),
    ("pt", include_str!("templates/pt.txt")),
    ("it", include_str!("templates/it.txt")),
    ("nl", include_str!("templates/nl.txt")),
    ("others", include_str!("templates/others.txt")),
    ("none", include_str!("templates/none.txt")),
];

/// A template, its language and whether it is kept for the score.
struct Template {
    parts: Vec<Part>,
    language: String,
    is_held: bool,
}

fn templates() -> Vec<Template> {
    let mut all = Vec::new();
    for (language, lines) in TEMPLATES {
        let mut locales = vec![language.to_owned()];
        for line in lines.lines().filter(|line| !line.is_empty()) {
            if let Some(names) = line.strip_prefix('@') {
                locales = names.split(' ').map(str::to_owned).collect();
                continue;
            }
            for locale in &locales {
                all.push(Template {
                    parts: template::parse(line),
                    language: locale.clone(),
                    is_held: hash(line).is_multiple_of(8),
                });
            }
        }
    }
    all
}

/// Sentences of the templates that are held back, or of the others: `count` of each template.
#[must_use]
pub fn texts(filler: &Filler<'_>, is_held: bool, count: usize, seed: u64) -> Vec<Text> {
    let mut random = Random::of(
        seed,
        if is_held {
            "held sentences"
        } else {
            "sentences"
        },
    );
    let mut texts = Vec::new();
    let templates = templates();
    for template in templates
        .iter()
        .filter(|template| template.is_held == is_held)
    {
        let count = if template.language.contains('_') {
            count / 3 + 1
        } else {
            count
        };
        for _ in 0..count {
            texts.push(text(template, filler, &mut random));
        }
    }
    texts
}

fn text(template: &Template, filler: &Filler<'_>, random: &mut Random) -> Text {
    let mut made = Text {
        text: String::new(),
        names: Vec::new(),
        source: if template.language == "none" {
            "sentences without names"
        } else {
            "sentences"
        }
        .to_owned(),
        language: template
            .language
            .split('_')
            .next()
            .unwrap_or_default()
            .to_owned(),
        weight: 1.0,
    };
    template::expand(&template.parts, random, &mut |piece, is_slot, random| {
        let pieces = if is_slot {
            filler.fill(piece, &template.language, random)
        } else {
            None
        };
        let written = if is_slot {
            format!("{{{piece}}}")
        } else {
            piece.to_owned()
        };
        for (part, tag) in pieces.unwrap_or_else(|| vec![(written, None)]) {
            let start = made.text.len();
            made.text.push_str(&part);
            if let Some(tag) = tag.filter(|tag| *tag != Tag::Other) {
                made.names.push((start..made.text.len(), Some(tag)));
            }
        }
    });
    let is_small = made.text.chars().next().is_some_and(char::is_lowercase);
    if is_small && random.chance(40) {
        let first: String = made
            .text
            .chars()
            .take(1)
            .flat_map(char::to_uppercase)
            .collect();
        let old = made.text.chars().next().map_or(0, char::len_utf8);
        if first.len() == old {
            made.text.replace_range(..old, &first);
        }
    }
    made
}
