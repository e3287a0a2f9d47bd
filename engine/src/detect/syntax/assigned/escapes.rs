//! Reads the white space that a value in quotes spells out: `"correct\thorse"`.

use crate::detect::judge::Candidate;

/// The value as it is meant; `None` if it spells out no white space, or may mean its backslashes: a path, a pattern.
pub(super) fn unescaped(candidate: &Candidate<'_>) -> Option<String> {
    let value = candidate.value;
    let is_path = || value.get(1..).is_some_and(|rest| rest.starts_with(":\\"));
    if !candidate.quoted || !value.contains('\\') || is_path() {
        return None;
    }
    let mut meant = String::with_capacity(value.len());
    let mut has_space = false;
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            meant.push(letter);
            continue;
        }
        let escaped = letters.next()?;
        let escaped = match escaped {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '\\' | '"' | '\'' | '/' => escaped,
            _ => return None,
        };
        has_space |= escaped.is_ascii_whitespace();
        meant.push(escaped);
    }
    has_space.then_some(meant)
}
