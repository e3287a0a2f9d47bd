//! Which parts of a value come back as they were, once restoring writes them again.

use std::borrow::Cow;
use std::ops::Range;

use crate::json::{escape, is_replaced};

/// How the characters of a text are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// As they are.
    Plain,
    /// With the escapes of JSON, though the text as a whole is none: arguments that were cut off.
    Json,
}

/// A part of a value: where it stands, and what it says.
pub(super) type Part<'t> = (Range<usize>, Cow<'t, str>);

/// The parts of a value that can be written again as they stand, in order. Mostly it is one.
///
/// What is between them has no text: a lone surrogate, or what can't stand in a JSON string.
pub(super) fn parts(value: &str, spelling: Spelling) -> Vec<Part<'_>> {
    if !value.chars().any(|c| is_special(c, spelling)) {
        return vec![(0..value.len(), Cow::Borrowed(value))];
    }
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut at = 0;
    while let Some(rest) = value.get(at..).filter(|rest| !rest.is_empty()) {
        let (said, length) = first_character(rest, spelling);
        if let Some(c) = said {
            match parts.last_mut() {
                Some((range, text)) if range.end == at => {
                    range.end += length;
                    text.to_mut().push(c);
                }
                _ => parts.push((at..at + length, Cow::Owned(c.into()))),
            }
        }
        at += length;
    }
    parts
}

fn is_special(c: char, spelling: Spelling) -> bool {
    is_replaced(c) || (spelling == Spelling::Json && (c.is_control() || matches!(c, '"' | '\\')))
}

/// What a text begins with, unless that can't be written again, and the bytes that it takes.
fn first_character(text: &str, spelling: Spelling) -> (Option<char>, usize) {
    let Some(c) = text.chars().next() else {
        return (None, 0);
    };
    let (said, length) = match (c, spelling) {
        ('\\', Spelling::Json) => escape(text).map_or((None, 1), |(c, length)| (Some(c), length)),
        ('"' | ..' ', Spelling::Json) => (None, c.len_utf8()),
        _ => (Some(c), c.len_utf8()),
    };
    (said.filter(|c| !is_replaced(*c)), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(value: &str, spelling: Spelling) -> Vec<(&str, String)> {
        let parts = parts(value, spelling).into_iter();
        parts
            .map(|(range, text)| (&value[range], text.into_owned()))
            .collect()
    }

    #[test]
    fn a_value_is_one_part_unless_a_surrogate_stands_alone_in_it() {
        assert_eq!(
            said("a\"\\n\n", Spelling::Plain),
            [("a\"\\n\n", "a\"\\n\n".to_owned())]
        );
        let cut = said("ab\u{fffd}\u{fffd}c\u{fffd}", Spelling::Plain);
        assert_eq!(cut, [("ab", "ab".to_owned()), ("c", "c".to_owned())]);
        assert!(said("\u{fffd}", Spelling::Plain).is_empty());
    }

    #[test]
    fn escapes_of_json_are_read_and_what_is_none_stays_outside() {
        assert_eq!(
            said(r#"a\"b\\\u00e9\ud83d\ude00é"#, Spelling::Json),
            [(r#"a\"b\\\u00e9\ud83d\ude00é"#, "a\"b\\é😀é".to_owned())]
        );
        let pieces = ["a", "b", "xc", "d", "e", "ud8", "f"];
        let found = said("a\"b\\xc\nd\\ud83de\\ud8\u{fffd}f\\", Spelling::Json);
        let found: Vec<_> = found.into_iter().map(|(_, said)| said).collect();
        assert_eq!(found, pieces);
    }
}
