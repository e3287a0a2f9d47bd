//! The parts of a value that stay the same when a restored value is written again.

use std::ops::Range;

use crate::json::{Nesting, escape, has_whole_escapes, holds_replaced, is_replaced};

/// Reads values in a text, one after the other.
pub(super) struct Parts<'t> {
    text: &'t str,
    nesting: Nesting,
    read: usize,
    in_string: Option<bool>,
}

impl<'t> Parts<'t> {
    pub(super) fn of(text: &'t str, nesting: Nesting) -> Self {
        Self {
            text,
            nesting,
            read: 0,
            in_string: None,
        }
    }

    /// Whether the last value begins a string of JSON in the text; `None` if it is in no string.
    pub(super) fn in_string(&self) -> Option<bool> {
        self.in_string
    }

    /// Finds the parts of the next value that can be written again unchanged, in order, with their
    /// text. Usually it is one.
    ///
    /// Between them is something without text: a lone surrogate, or something that a JSON string
    /// can't contain.
    pub(super) fn for_each(
        &mut self,
        value: Range<usize>,
        mut visit: impl FnMut(Range<usize>, &str),
    ) {
        let gap = self.text.get(self.read..value.start);
        self.nesting.feed(gap.unwrap_or_default());
        let (nesting, begins) = (&self.nesting, self.nesting.begins_string());
        let begun = nesting.escapes_in_begun_string();
        self.in_string = match begun.or_else(|| nesting.escapes_in_string()) {
            Some(0) => Some(begins),
            _ => None,
        };
        self.read = value.end;
        let is_spelled = begun == Some(0) && self.is_spelled(value.clone());
        let mut start = value.start;
        while let Some(rest) = self
            .text
            .get(start..value.end)
            .filter(|rest| !rest.is_empty())
        {
            let escapes = self.nesting.escapes().max(u32::from(is_spelled));
            let length = self.nesting.feed_alike(rest);
            let (alike, _) = rest.split_at(length);
            for_each_part(alike, escapes, |range, decoded| {
                visit(start + range.start..start + range.end, decoded);
            });
            start += length;
        }
    }

    /// Whether a value with which a string of JSON seems to begin has escapes, and only those of JSON.
    fn is_spelled(&self, value: Range<usize>) -> bool {
        let written = self.text.get(value).unwrap_or_default();
        written.contains('\\') && has_whole_escapes(written)
    }
}

/// The parts of a text that is escaped so often.
pub(super) fn for_each_part(text: &str, escapes: u32, mut visit: impl FnMut(Range<usize>, &str)) {
    if !is_special(text, escapes) {
        return visit(0..text.len(), text);
    }
    let mut part = 0..0;
    let mut decoded = String::new();
    while let Some(rest) = text.get(part.end..).filter(|rest| !rest.is_empty()) {
        let (plain, _) = rest.split_at(plain_length(rest));
        if !plain.is_empty() {
            decoded.push_str(plain);
            part.end += plain.len();
            continue;
        }
        let (character, length) = first_character(rest, escapes);
        let end = part.end + length;
        if let Some(c) = character {
            decoded.push(c);
            part.end = end;
            continue;
        }
        if !decoded.is_empty() {
            visit(part, &decoded);
            decoded.clear();
        }
        part = end..end;
    }
    if !decoded.is_empty() {
        visit(part, &decoded);
    }
}

/// Whether a text says something else than its characters, or holds what can't be written.
fn is_special(text: &str, escapes: u32) -> bool {
    holds_replaced(text)
        || escapes > 0 && text.contains(|c: char| c.is_control() || matches!(c, '"' | '\\'))
}

/// How many bytes a text begins with that say themselves, however often it is escaped.
fn plain_length(text: &str) -> usize {
    const FIRST_OF_REPLACED: u8 = 0xef;
    let is_special = |byte: u8| matches!(byte, ..b' ' | b'"' | b'\\' | FIRST_OF_REPLACED);
    let plain = text.bytes().position(is_special);
    plain.unwrap_or(text.len())
}

/// The first character that a text says, unless it can't be written again, and its length in bytes.
fn first_character(text: &str, escapes: u32) -> (Option<char>, usize) {
    let Some(outer) = escapes.checked_sub(1) else {
        let c = text.chars().next().unwrap_or_default();
        return (Some(c).filter(|c| !is_replaced(*c)), c.len_utf8());
    };
    match first_character(text, outer) {
        (Some('\\'), length) => first_escape(text, outer).unwrap_or((None, length)),
        (Some('"' | ..' '), length) => (None, length),
        first => first,
    }
}

/// The character of the escape that a text says first. No more is read than the escape needs: each of the texts in one
/// another would multiply that.
fn first_escape(text: &str, outer: u32) -> Option<(Option<char>, usize)> {
    let mut decoded = String::new();
    let mut ends = Vec::new();
    let mut end = 0;
    while decoded.len() < length_of_escape(&decoded) {
        let rest = text.get(end..).filter(|rest| !rest.is_empty());
        let Some((Some(c), length)) = rest.map(|rest| first_character(rest, outer)) else {
            break;
        };
        end += length;
        decoded.push(c);
        ends.push(end);
    }
    let (character, length) = escape(&decoded)?;
    let end = ends.get(length - 1)?;
    Some((Some(character).filter(|c| !is_replaced(*c)), *end))
}

/// How long an escape is that begins so, in bytes.
fn length_of_escape(begun: &str) -> usize {
    let is_first_unit = |digits: &[u8]| {
        matches!(
            digits,
            [b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B', ..]
        )
    };
    match begun.as_bytes() {
        [_, b'u', digits @ ..] if digits.len() >= 4 && is_first_unit(digits) => 12,
        [_, b'u', ..] => 6,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(value: &str, escapes: u32) -> Vec<(&str, String)> {
        let mut parts = Vec::new();
        for_each_part(value, escapes, |range, decoded| {
            parts.push((&value[range], decoded.to_owned()));
        });
        parts
    }

    #[test]
    fn only_lone_surrogates_split_a_value_into_parts() {
        assert_eq!(
            decoded("a\"\\n\n", 0),
            [("a\"\\n\n", "a\"\\n\n".to_owned())]
        );
        let cut = decoded("ab\u{fffd}\u{fffd}c\u{fffd}", 0);
        assert_eq!(cut, [("ab", "ab".to_owned()), ("c", "c".to_owned())]);
        assert!(decoded("\u{fffd}", 0).is_empty());
    }

    #[test]
    fn json_escapes_are_decoded_and_invalid_ones_excluded() {
        assert_eq!(
            decoded(r#"a\"b\\\u00e9\ud83d\ude00é"#, 1),
            [(r#"a\"b\\\u00e9\ud83d\ude00é"#, "a\"b\\é😀é".to_owned())]
        );
        assert_eq!(
            decoded(r#"a\\\"b\\n\u005c\u005c\\u00e9\"c"#, 2),
            [
                (r#"a\\\"b\\n\u005c\u005c\\u00e9"#, "a\"b\n\\é".to_owned()),
                ("c", "c".to_owned())
            ]
        );
        let pieces = ["a", "b", "xc", "d", "e", "ud8", "f"];
        let found = decoded("a\"b\\xc\nd\\ud83de\\ud8\u{fffd}f\\", 1);
        let found: Vec<_> = found.into_iter().map(|(_, decoded)| decoded).collect();
        assert_eq!(found, pieces);
    }

    /// Twelve characters were read for each backslash, at each of six levels: minutes for a megabyte.
    #[test]
    fn nested_json_backslashes_are_read_in_linear_time() {
        let backslashes = "\\".repeat(1 << 19);
        let value: String = decoded(&backslashes, 6)
            .into_iter()
            .map(|(_, decoded)| decoded)
            .collect();
        assert_eq!(value, "\\".repeat(1 << 13));
    }
}
