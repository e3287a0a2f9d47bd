//! Values between tags.

use super::syntax::{Assignment, Form};
use super::value_span::Span;
use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// Longest text of an element, in bytes.
const LONGEST: usize = 1024;
/// Farthest that a tag is followed, in bytes.
const LONGEST_TAG: usize = 64;

/// The text of the element that a name opens, or is an attribute of, or stands before.
pub(super) fn element(text: &[u8], name: &Range<usize>, closed: usize) -> Option<Assignment> {
    let (start, form) = own(text, name)
        .map(|start| (start, Form::Element))
        .or_else(|| attribute(text, name, closed).map(|start| (start, Form::Argument)))
        .or_else(|| next_element(text, name).map(|start| (start, Form::Argument)))?;
    let span = content(text, start)?;
    Some(Assignment { form, span })
}

/// `<password>x</password>`, `<password type="plain">x</password>`
fn own(text: &[u8], name: &Range<usize>) -> Option<usize> {
    let opens = matches!(before(text, name.start), b'<' | b':');
    let names =
        at(text, name.end) == b'>' || is_tag(text, name.start) && at(text, name.end) == b' ';
    (opens && names).then(|| tag_end(text, name.end))?
}

/// Whether a tag opens before its name, which may be in a namespace: `<wsse:`.
fn is_tag(text: &[u8], name: usize) -> bool {
    let space = match before(text, name) {
        b':' => 1 + bytes::run_back(text, name - 1, 16, bytes::is_word),
        _ => 0,
    };
    before(text, name - space) == b'<'
}

/// Where the text of an element begins whose opening tag ends on the line of `from`.
fn tag_end(text: &[u8], from: usize) -> Option<usize> {
    let rest = bytes::run(text, from, LONGEST_TAG, |byte| {
        !matches!(byte, b'<' | b'>' | b'\n')
    });
    let end = from + rest;
    (at(text, end) == b'>' && before(text, end) != b'/').then_some(end + 1)
}

/// `<entry key="password">x</entry>`
fn attribute(text: &[u8], name: &Range<usize>, closed: usize) -> Option<usize> {
    let quoted = closed > name.end && matches!(before(text, name.start), b'"' | b'\'');
    if !quoted || before(text, name.start - 1) != b'=' {
        return None;
    }
    tag_end(text, closed)
}

/// `<key>password</key><string>x</string>`
fn next_element(text: &[u8], name: &Range<usize>) -> Option<usize> {
    if before(text, name.start) != b'>' || at(text, name.end) != b'<' {
        return None;
    }
    let closing = name.end + bytes::run(text, name.end, 16, |byte| byte != b'>');
    let next = closing + 1 + bytes::run(text, closing + 1, 24, |byte| byte.is_ascii_whitespace());
    let is_key = bytes::slice(text, name.end, closing) == b"</key";
    (is_key && at(text, next) == b'<').then(|| after_tag(text, next))
}

fn after_tag(text: &[u8], start: usize) -> usize {
    start + bytes::run(text, start, LONGEST_TAG, |byte| byte != b'>') + 1
}

/// What stands from `start` to the next closing tag, in `CDATA` or an element `value` or not.
fn content(text: &[u8], start: usize) -> Option<Span> {
    const CDATA: &[u8] = b"<![CDATA[";
    let spaces =
        |from: usize| from + bytes::run(text, from, LONGEST_TAG, |byte| byte.is_ascii_whitespace());
    let mut start = spaces(start);
    if bytes::begins(text, start, b"<value>") {
        start = spaces(after_tag(text, start));
    }
    let in_data = bytes::slice(text, start, start + CDATA.len()) == CDATA;
    if in_data {
        start += CDATA.len();
    }
    let reach = text.len().min(start + LONGEST);
    let ends = if in_data { b']' } else { b'<' };
    let length = memchr::memchr(ends, bytes::slice(text, start, reach))?;
    let content = bytes::slice(text, start, start + length).trim_ascii_end();
    let closing = bytes::slice(text, start + length, start + length + 2);
    let closes = closing == b"</" || closing == b"]]";
    let is_line = !content.is_empty() && !content.contains(&b'\n');
    (is_line && closes).then_some(Span {
        start,
        end: start + content.len(),
        quoted: true,
        is_template: false,
    })
}
