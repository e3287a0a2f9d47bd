//! Values that the line above announces: `Use this password to log in:`, `What is the password?`.

use super::prose::is_tail;
use super::said;
use super::syntax::{Assignment, spaces};
use super::value_span::Span;
use crate::detect::bytes::{self, at};
use crate::detect::judge::Form;
use crate::detect::text::Text;

/// Longest rest of a line that announces a value, and longest value, in bytes.
const LONGEST: usize = 96;
/// Longest name of a speaker, in bytes.
const LONGEST_SPEAKER: usize = 24;

/// The only word of a line below, if it looks like a password.
pub(super) fn below(text: &Text<'_>, closed: usize) -> Option<Assignment> {
    let rest = line_at(text, closed);
    let ends_word = |at: &usize| rest.get(at + 1).is_none_or(u8::is_ascii_whitespace);
    let question = memchr::memchr(b'?', rest).filter(ends_word);
    let lead = bytes::slice(rest, 0, question.unwrap_or(rest.len()));
    let is_asked = question.is_some();
    if !(is_asked || announces(lead)) || !is_said(lead) || is_tail(text, spaces(text, closed)) {
        return None;
    }
    let start = question.map_or(closed + rest.len(), |at| closed + at + 1);
    let start = spaces(text, start);
    let start = start + bytes::run(text, start, 4, |byte| matches!(byte, b'\r' | b'\n'));
    let start = if is_asked {
        speaker_end(text, start)
    } else {
        start
    };
    let span = only_word(text, start)?;
    let is_listed = only_word(text, next_line(text, span.end)).is_some();
    let is_password = said::is_chosen(&said::short(text, &span)?);
    (is_password && !is_listed).then_some(Assignment {
        form: Form::Apart,
        span,
    })
}

/// Whether a line ends with a colon, and more than the name precedes it.
fn announces(rest: &[u8]) -> bool {
    rest.trim_ascii()
        .strip_suffix(b":")
        .is_some_and(|words| !words.is_empty())
}

/// Whether what follows a name is nothing but words.
fn is_said(words: &[u8]) -> bool {
    let is_plain =
        |byte: &u8| byte.is_ascii_alphabetic() || *byte >= 0x80 || b" ':[]".contains(byte);
    words.iter().all(is_plain)
}

/// Where what someone says begins: behind `Max: `.
fn speaker_end(text: &[u8], start: usize) -> usize {
    let name = bytes::run(text, start, LONGEST_SPEAKER, |byte| {
        bytes::is_word(byte) || matches!(byte, b' ' | b'.' | b'-') || byte >= 0x80
    });
    let colon = start + name;
    if name > 0 && bytes::begins(text, colon, b": ") {
        spaces(text, colon + 1)
    } else {
        start
    }
}

fn only_word(text: &[u8], start: usize) -> Option<Span> {
    let length = bytes::run(text, start, LONGEST, |byte| {
        byte.is_ascii_graphic() || byte >= 0x80
    });
    let end = start + length;
    let ends_line = matches!(at(text, spaces(text, end)), b'\n' | b'\r' | 0);
    let range = start..end;
    (length > 0 && ends_line).then(|| Span {
        quoted: false,
        ..Span::quoted(range)
    })
}

fn line_at(text: &[u8], start: usize) -> &[u8] {
    let length = bytes::run(text, start, LONGEST, |byte| !matches!(byte, b'\r' | b'\n'));
    bytes::slice(text, start, start + length)
}

fn next_line(text: &[u8], end: usize) -> usize {
    let end = spaces(text, end);
    end + bytes::run(text, end, 2, |byte| matches!(byte, b'\r' | b'\n'))
}
