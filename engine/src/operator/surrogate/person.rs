//! The parts of a person's name. Each part has its own surrogate, so that it is recognized alone.

use std::ops::Range;

/// Words of a name that stay: they do not identify the person, and grammar depends on them.
#[rustfmt::skip]
const KEPT: [&str; 58] = [
    "af", "av", "da", "dal", "das", "de", "del", "dela", "della", "der", "des", "di", "do", "dos", "du", "el", "la", "las",
    "le", "los", "st", "ten", "ter", "van", "vom", "von", "zu", "zum", "zur", "und", "and", "the",
    "dr", "prof", "mr", "mrs", "ms", "miss", "mister", "sir", "herr", "herrn", "frau", "fr", "hr", "dipl", "ing",
    "mme", "mlle", "monsieur", "madame", "sr", "sra", "señor", "señora", "pan", "pani", "jr",
];

/// More parts than any name has.
const MOST_PARTS: usize = 8;

/// A part of a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'v> {
    /// What stays: spaces, initials, particles, titles.
    Kept(&'v str),
    Name(&'v str),
}

impl<'v> Piece<'v> {
    pub(crate) const fn name(&self) -> Option<&'v str> {
        match self {
            Self::Kept(_) => None,
            Self::Name(name) => Some(name),
        }
    }
}

/// How the letters of a name are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// As the name has them.
    Own,
    Upper,
    Lower,
}

impl Shape {
    /// The shape of a word.
    pub(crate) fn of(word: &str) -> Self {
        if !word.chars().any(char::is_lowercase) {
            Self::Upper
        } else if !word.chars().any(char::is_uppercase) {
            Self::Lower
        } else {
            Self::Own
        }
    }

    /// A name in this shape. One with capitals inside (`McDonald`) has only its own.
    pub(crate) fn apply(self, name: &str) -> String {
        match self {
            Self::Upper if titled(name) == name => name.to_uppercase(),
            Self::Lower if titled(name) == name => name.to_lowercase(),
            _ => name.to_owned(),
        }
    }
}

/// A name as it is written within a sentence, whatever the shape that it has here: `Anna` for `ANNA` and `anna`.
pub(crate) fn standard(word: &str) -> String {
    match Shape::of(word) {
        Shape::Own => word.to_owned(),
        Shape::Upper | Shape::Lower => titled(word),
    }
}

fn titled(word: &str) -> String {
    let mut rest = word.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest.flat_map(char::to_lowercase)).collect()
}

/// The parts of a name; `None` if no surrogate can replace any.
pub(crate) fn pieces(name: &str) -> Option<Vec<Piece<'_>>> {
    if name.chars().any(|c| c.is_numeric() || c == '_') {
        return None;
    }
    let mut pieces = Vec::new();
    let mut end = 0;
    for word in words(name) {
        let text = name.get(word.clone())?;
        if !text.chars().all(is_latin) {
            return None;
        }
        if is_kept(text) {
            continue;
        }
        // Text that would not come back as it was written.
        if Shape::of(text).apply(&standard(text)) != text {
            return None;
        }
        pieces.push(Piece::Kept(name.get(end..word.start)?));
        pieces.push(Piece::Name(text));
        end = word.end;
    }
    let has_names = !pieces.is_empty() && pieces.len() <= 2 * MOST_PARTS;
    pieces.push(Piece::Kept(name.get(end..)?));
    has_names.then_some(pieces)
}

/// Runs of letters.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(is_letter)?;
        let rest = text.get(start..)?;
        at = start + rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
        Some(start..at)
    })
}

fn is_kept(word: &str) -> bool {
    word.chars().nth(1).is_none() || KEPT.contains(&word.to_lowercase().as_str())
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() || is_mark(c)
}

/// Marks that are written over the letter before.
fn is_mark(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

fn is_latin(c: char) -> bool {
    c < '\u{250}' || ('\u{1e00}'..='\u{1eff}').contains(&c) || is_mark(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Option<Vec<&str>> {
        Some(pieces(name)?.iter().filter_map(Piece::name).collect())
    }

    #[test]
    fn particles_titles_and_initials_are_not_name_parts() {
        for (name, parts) in [
            ("Anna Schmidt", vec!["Anna", "Schmidt"]),
            ("Dr. Anna-Lena van der Berg", vec!["Anna", "Lena", "Berg"]),
            ("J. K. O'Neil", vec!["Neil"]),
            ("SCHMIDT, anna", vec!["SCHMIDT", "anna"]),
            ("Ronald McDonald", vec!["Ronald", "McDonald"]),
        ] {
            assert_eq!(names(name), Some(parts), "{name}");
        }
    }

    #[test]
    fn names_that_cannot_be_restored_have_no_parts() {
        for name in ["张伟", "Анна", "J. K.", "anna_1", "STRAẞE", "von der"] {
            assert_eq!(names(name), None, "{name}");
        }
    }
}
