//! Labelled texts with other names in them: what stands around a name tells more than the name.

use super::slots::Filler;
use super::{Random, Text};
use engine::detect::names::walk::Tag;

/// A copy of a text in which others are named; `None` if it names nobody.
#[must_use]
pub fn swapped(text: &Text, filler: &Filler<'_>, random: &mut Random) -> Option<Text> {
    if !text.names.iter().any(|(_, tag)| *tag == Some(Tag::Person)) {
        return None;
    }
    let mut copy = Text {
        text: String::new(),
        names: Vec::new(),
        ..text.clone()
    };
    let mut end = 0;
    for (span, tag) in &text.names {
        if span.start < end {
            continue;
        }
        copy.text.push_str(&text.text[end..span.start]);
        let name = &text.text[span.clone()];
        let start = copy.text.len();
        match tag {
            Some(Tag::Person) => copy
                .text
                .push_str(&other(name, &text.language, filler, random)),
            _ => copy.text.push_str(name),
        }
        copy.names.push((start..copy.text.len(), *tag));
        end = span.end;
    }
    copy.text.push_str(&text.text[end..]);
    Some(copy)
}

/// Another name that is written as this one.
fn other(name: &str, language: &str, filler: &Filler<'_>, random: &mut Random) -> String {
    let begins = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
    let is_written = name.split(' ').all(begins) && name.len() > 2;
    if !is_written {
        return name.to_owned();
    }
    let slot = match name.split(' ').count() {
        1 if random.chance(30) => "F",
        1 => "L",
        2 | 3 => "P",
        _ => return name.to_owned(),
    };
    let pieces = filler.fill(slot, language, random).unwrap_or_default();
    let mut written: String = pieces.into_iter().map(|(part, _)| part).collect();
    let is_loud = name.chars().all(|letter| !letter.is_lowercase());
    if is_loud {
        written = written.to_uppercase();
    }
    if language == "de" && slot != "P" && name.ends_with('s') && !written.ends_with('s') {
        written.push('s');
    }
    written
}

#[cfg(test)]
mod tests {
    use super::super::resources::{Names, Resources};
    use super::*;

    #[test]
    fn swapping_replaces_only_the_persons_name() {
        let names = |first: &str, last: &str| Names {
            first: vec![first.to_owned()],
            last: vec![last.to_owned()],
            wordy: Vec::new(),
        };
        let mut resources = Resources::default();
        resources
            .names
            .insert("en_US".to_owned(), names("Xenia", "Quill"));
        let filler = Filler::new(&resources, &[]);
        let text = Text {
            text: "Ask MILLER in Leeds, or anna.".to_owned(),
            names: vec![
                (4..10, Some(Tag::Person)),
                (14..19, Some(Tag::Location)),
                (24..28, Some(Tag::Person)),
            ],
            source: String::new(),
            language: "en".to_owned(),
            weight: 1.0,
        };
        let mut random = Random::of(1, "swapped");
        let copy = swapped(&text, &filler, &mut random).expect("it names someone");
        assert!(
            [
                "Ask XENIA in Leeds, or anna.",
                "Ask QUILL in Leeds, or anna."
            ]
            .contains(&&*copy.text)
        );
        let standing = |at: usize| &copy.text[copy.names[at].0.clone()];
        assert_eq!([standing(1), standing(2)], ["Leeds", "anna"]);

        let nobody = Text {
            names: text.names[1..2].to_vec(),
            ..text
        };
        assert!(swapped(&nobody, &filler, &mut random).is_none());
    }
}
