//! Several values assigned to one name.

use super::assignment;
use super::value_span::{self, Span};
use crate::detect::bytes::{self, at};
use crate::detect::text::Text;

/// The longest list on separate lines, in bytes.
const LONGEST: usize = 64 * 1024;

/// `["x", "y"]`, or `- x` on separate lines, assigned to the name that ends at `end`.
pub(super) fn values(text: &Text<'_>, end: usize) -> Vec<Span> {
    let from = assignment::spaces(text, assignment::closers(text, end));
    if !matches!(at(text, from), b'=' | b':') {
        return Vec::new();
    }
    let start = assignment::line_end(text, assignment::spaces(text, from + 1));
    match at(text, start) {
        b'[' => in_brackets(text, start + 1),
        b'\n' => in_lines(text, start),
        _ => Vec::new(),
    }
}

fn in_brackets(text: &Text<'_>, start: usize) -> Vec<Span> {
    let mut values = Vec::new();
    let mut from = start;
    loop {
        from += bytes::run(text, from, 64, |byte| {
            byte.is_ascii_whitespace() || byte == b','
        });
        if !value_span::is_quoted(text, from) {
            break;
        }
        let Some(value) = value_span::value(text, from, false) else {
            break;
        };
        from = assignment::closers(text, value.end);
        values.push(value);
    }
    values
}

/// `{"bob": "x", "eve": "y"}`, assigned to the name that ends at `end`: the values of the users.
pub(super) fn of_users(text: &Text<'_>, end: usize) -> Vec<Span> {
    let from = assignment::spaces(text, assignment::closers(text, end));
    let start = assignment::spaces(text, from + 1);
    if !matches!(at(text, from), b'=' | b':') || at(text, start) != b'{' {
        return Vec::new();
    }
    let mut values = Vec::new();
    let mut from = start + 1;
    while let Some(value) = of_user(text, from) {
        from = assignment::closers(text, value.end);
        values.push(value);
    }
    values
}

/// The next value of such an object, if the name before it is in quotes as well.
fn of_user(text: &Text<'_>, from: usize) -> Option<Span> {
    let name = from
        + bytes::run(text, from, 64, |byte| {
            byte.is_ascii_whitespace() || byte == b','
        });
    let name =
        value_span::is_quoted(text, name).then(|| value_span::value(text, name, false))??;
    let colon = assignment::spaces(text, assignment::closers(text, name.end));
    let sign = bytes::slice(text, colon, colon + 2);
    let width = match sign {
        b"=>" => 2,
        [b':', _] => 1,
        _ => return None,
    };
    let start = assignment::spaces(text, colon + width);
    value_span::is_quoted(text, start).then(|| value_span::value(text, start, false))?
}

fn in_lines(text: &Text<'_>, start: usize) -> Vec<Span> {
    let mut values = Vec::new();
    let mut from = start;
    while from < start + LONGEST && at(text, from) == b'\n' {
        let dash = assignment::spaces(text, from + 1);
        let first = assignment::spaces(text, dash + 1);
        if at(text, dash) != b'-' || first == dash + 1 {
            break;
        }
        let Some(value) = value_span::value(text, first, false) else {
            break;
        };
        let closed = assignment::spaces(text, assignment::closers(text, value.end));
        from = assignment::line_end(text, closed);
        // A field of an object, or more than one word.
        if !matches!(at(text, from), b'\n' | 0) {
            break;
        }
        values.push(value);
    }
    values
}
