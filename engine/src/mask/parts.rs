//! The parts of a value that stay the same when a restored value is written again.

use std::ops::Range;

use crate::json::{escape, holds_replaced, is_replaced};

/// How the characters of a text are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// As they are.
    Plain,
    /// With JSON escapes, although the whole text is not JSON: truncated arguments.
    Json,
}

/// Finds the parts of a value that can be written again unchanged, in order, with their text.
/// Usually it is one.
///
/// Between them is something without text: a lone surrogate, or something that a JSON string can't
/// contain.
pub(super) fn for_each_part(
    value: &str,
    spelling: Spelling,
    mut tell: impl FnMut(Range<usize>, &str),
) {
    if !is_special(value, spelling) {
        return tell(0..value.len(), value);
    }
    let mut part = 0..0;
    let mut said = String::new();
    while let Some(rest) = value.get(part.end..).filter(|rest| !rest.is_empty()) {
        let (character, length) = first_character(rest, spelling);
        let end = part.end + length;
        if let Some(c) = character {
            said.push(c);
            part.end = end;
            continue;
        }
        if !said.is_empty() {
            tell(part, &said);
            said.clear();
        }
        part = end..end;
    }
    if !said.is_empty() {
        tell(part, &said);
    }
}

/// Whether a text says something else than its characters, or holds what can't be written.
fn is_special(text: &str, spelling: Spelling) -> bool {
    holds_replaced(text)
        || spelling == Spelling::Json
            && text.contains(|c: char| c.is_control() || matches!(c, '"' | '\\'))
}

/// The first character of a text, unless it can't be written again, and its length in bytes.
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
        let mut parts = Vec::new();
        for_each_part(value, spelling, |range, said| {
            parts.push((&value[range], said.to_owned()));
        });
        parts
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
