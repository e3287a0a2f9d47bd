//! Values between tags.

use super::assignment::Assignment;
use super::value_span::{self, Span};
use crate::detect::bytes::{self, at, before};
use crate::detect::judge::Form;
use crate::detect::text::Text;
use std::ops::Range;

/// Longest text in `CDATA`, which another such text may begin in, in bytes.
const LONGEST_DATA: usize = 4096;
/// Farthest that a tag is followed, in bytes.
const LONGEST_TAG: usize = 256;

/// The text of the element that a name opens, is an attribute of, or precedes.
pub(super) fn element(text: &Text<'_>, name: &Range<usize>, closed: usize) -> Option<Assignment> {
    let (start, form) = own(text, name)
        .map(|start| (start, Form::Element))
        .or_else(|| attribute(text, name, closed).map(|start| (start, Form::Argument)))
        .or_else(|| next_element(text, name))?;
    let span = if form == Form::Colon {
        value_span::value(text, start, false)?
    } else {
        content(text, start)?
    };
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

/// Where the text of an element begins, if its opening tag ends on the line of `from`.
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

/// `<key>password</key><string>x</string>`, `<td>Password</td><td>x</td>`, `<b>Password:</b> x`
fn next_element(text: &[u8], name: &Range<usize>) -> Option<(usize, Form)> {
    let lead = name.start
        - bytes::run_back(text, name.start, LONGEST_TAG, |byte| {
            byte.is_ascii_alphabetic() || byte == b' '
        });
    let end = name.end + usize::from(at(text, name.end) == b':');
    if before(text, lead) != b'>' || at(text, end) != b'<' {
        return None;
    }
    let closing = end + bytes::run(text, end, 16, |byte| byte != b'>');
    let tag = bytes::slice(text, end + 2, closing);
    let form = if CELLS.hold(tag) {
        Form::Argument
    } else {
        Form::Colon
    };
    if at(text, end + 1) != b'/' || form == Form::Colon && !LABELS.hold(tag) {
        return None;
    }
    let mut next = closing + 1;
    for _ in 0..MOST_TAGS {
        next += bytes::run(text, next, LONGEST_TAG, |byte| {
            byte.is_ascii_whitespace() || byte == b':'
        });
        if at(text, next) != b'<' {
            return Some((next, form));
        }
        if ROW_ENDS.iter().any(|tag| bytes::begins(text, next, tag)) {
            return None;
        }
        next = after_tag(text, next)?;
    }
    None
}

/// Tags that may come between a label and its value.
const MOST_TAGS: usize = 5;
/// Elements that contain the name for the next element.
static CELLS: bytes::Words = bytes::Words::of(&["key", "name", "dt", "td", "th"]);
/// Elements that only highlight the name before a value, which is the first word after them.
static LABELS: bytes::Words = bytes::Words::of(&["b", "strong", "em", "i", "label", "span"]);
/// Tags after which nothing belongs to a label before them.
const ROW_ENDS: &[&[u8]] = &[
    b"<label", b"<input", b"<button", b"</tr", b"</dl", b"</table", b"<tr", b"<th", b"<li",
    b"</ul", b"<dt", b"<key", b"<!",
];

/// Skips tags that only set off a value: `<b>x</b>`, `<code>x</code>`.
pub(super) fn inside(text: &[u8], start: usize) -> usize {
    const TAGS: &[&[u8]] = &[
        b"<b>",
        b"<code>",
        b"<strong>",
        b"<em>",
        b"<i>",
        b"<kbd>",
        b"<tt>",
        b"<pre>",
        b"<samp>",
    ];
    if at(text, start) != b'<' {
        return start;
    }
    let tag = TAGS.iter().find(|tag| bytes::begins(text, start, tag));
    tag.map_or(start, |tag| start + tag.len())
}

fn after_tag(text: &[u8], start: usize) -> Option<usize> {
    let end = start + bytes::run(text, start, LONGEST_TAG, |byte| byte != b'>');
    (at(text, end) == b'>').then_some(end + 1)
}

/// The text from `start` to the next closing tag, in `CDATA` or an element `value` or not.
fn content(text: &[u8], start: usize) -> Option<Span> {
    const CDATA: &[u8] = b"<![CDATA[";
    let spaces =
        |from: usize| from + bytes::run(text, from, LONGEST_TAG, |byte| byte.is_ascii_whitespace());
    let mut start = spaces(start);
    if bytes::begins(text, start, b"<value>") {
        start = spaces(after_tag(text, start)?);
    }
    let in_data = bytes::slice(text, start, start + CDATA.len()) == CDATA;
    if in_data {
        start += CDATA.len();
    }
    // The next tag ends a text, and another text may begin after it, so none is read twice.
    let reach = if in_data {
        text.len().min(start + LONGEST_DATA)
    } else {
        text.len()
    };
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
