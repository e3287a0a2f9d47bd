//! Values that the line above announces: `Use this password to log in:`, `What is the password?`.

use super::assignment::{Assignment, spaces};
use super::prose::is_tail;
use super::unnamed;
use super::value_span::Span;
use crate::detect::bytes::{self, at};
use crate::detect::judge::Form;
use crate::detect::text::Text;

/// Longest rest of a line that announces a value, and longest value, in bytes.
const LONGEST: usize = 96;
/// Longest name of a speaker, in bytes.
const LONGEST_SPEAKER: usize = 24;

/// How many answers of a chat may come before the value: `sure`.
const MOST_ANSWERS: usize = 3;

/// The only word of a line below, if it looks like a password.
pub(super) fn below(text: &Text<'_>, closed: usize) -> Option<Assignment> {
    let rest = line_at(text, closed);
    let ends_word = |at: &usize| rest.get(at + 1).is_none_or(u8::is_ascii_whitespace);
    let question = memchr::memchr(b'?', rest).filter(ends_word);
    let lead = bytes::slice(rest, 0, question.unwrap_or(rest.len()));
    if !are_words(lead) || is_tail(text, spaces(text, closed)) {
        return None;
    }
    let span = if let Some(question) = question {
        answer(text, closed + question + 1).or_else(|| sent(text, closed))
    } else if announces(lead) {
        next_word(text, closed + rest.len())
    } else {
        sent(text, closed)
    }?;
    Some(Assignment {
        form: Form::Apart,
        span,
    })
}

/// The only word behind a question, or in the next line, whoever says it.
fn answer(text: &Text<'_>, question: usize) -> Option<Span> {
    let start = next_line(text, question);
    let span = only_word(text, speaker_end(text, start))?;
    is_password(text, &span).then_some(span)
}

fn next_word(text: &Text<'_>, end: usize) -> Option<Span> {
    let span = only_word(text, next_line(text, end))?;
    is_password(text, &span).then_some(span)
}

/// The only word of a message that follows in a chat, of a mixed kind: `Ben: sure`, `Ben: kettle-Orange-19`.
fn sent(text: &Text<'_>, closed: usize) -> Option<Span> {
    let own = closed - bytes::line_back(text, closed, LONGEST);
    if speaker_end(text, own) == own {
        return None;
    }
    let mut line = closed;
    for _ in 0..MOST_ANSWERS {
        line += line_at(text, line).len();
        line = next_line(text, line);
        let start = speaker_end(text, line);
        if start == line {
            return None;
        }
        if let Some(span) = only_word(text, start).filter(|span| is_password(text, span)) {
            let value = unnamed::short(text, &span)?;
            let is_mixed = value.has_upper && value.has_lower || unnamed::holds_sign(&value);
            return (value.has_digit && is_mixed && !value.holds_any(b":@")).then_some(span);
        }
    }
    None
}

fn is_password(text: &Text<'_>, span: &Span) -> bool {
    let is_listed = only_word(text, next_line(text, span.end)).is_some();
    unnamed::short(text, span).is_some_and(|value| unnamed::is_chosen(&value)) && !is_listed
}

/// Whether a line ends with a colon, and more than the name precedes it.
fn announces(rest: &[u8]) -> bool {
    rest.trim_ascii()
        .strip_suffix(b":")
        .is_some_and(|words| !words.is_empty())
}

/// Whether what follows a name is nothing but words.
fn are_words(words: &[u8]) -> bool {
    let is_plain =
        |byte: &u8| byte.is_ascii_alphabetic() || *byte >= 0x80 || b" ':[]".contains(byte);
    words.iter().all(is_plain)
}

/// Where what someone says begins: behind `Max: ` or `[10:02] Max: `.
fn speaker_end(text: &[u8], start: usize) -> usize {
    const LONGEST_TIME: usize = 24;
    let is_of_time = |byte: u8| byte.is_ascii_alphanumeric() || b"[]():., /-".contains(&byte);
    let time = if at(text, start) == b'[' {
        let within = bytes::slice(
            text,
            start,
            start + bytes::run(text, start, LONGEST_TIME, is_of_time),
        );
        memchr::memchr(b']', within).map_or(0, |end| end + 1)
    } else {
        0
    };
    let line = start;
    let start = spaces(text, start + time);
    let name = bytes::run(text, start, LONGEST_SPEAKER, |byte| {
        bytes::is_word(byte) || matches!(byte, b' ' | b'.' | b'-') || byte >= 0x80
    });
    let colon = start + name;
    if name > 0 && bytes::begins(text, colon, b": ") {
        spaces(text, colon + 1)
    } else {
        line
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
    let window = bytes::slice(text, start, text.len().min(start + LONGEST));
    let length = memchr::memchr2(b'\r', b'\n', window).unwrap_or(window.len());
    bytes::slice(window, 0, length)
}

fn next_line(text: &[u8], end: usize) -> usize {
    let end = spaces(text, end);
    end + bytes::run(text, end, 2, |byte| matches!(byte, b'\r' | b'\n'))
}
