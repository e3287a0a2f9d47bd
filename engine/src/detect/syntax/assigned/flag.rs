//! Values separated from their name only by spaces: `--password x`, `password x` in `.netrc`,
//! `identified by 'x'`.

use super::assignment::{Assignment, spaces};
use super::value_span::{self, Span};
use crate::detect::bytes::{self, at, before};
use crate::detect::judge::Form;
use crate::detect::syntax::forms::SETTERS;
use crate::detect::text::Text;
use std::ops::Range;

/// A value that follows its name after spaces alone, where that is the syntax.
pub(super) fn flag(text: &Text<'_>, name: &Range<usize>) -> Option<Assignment> {
    let start = spaces(text, name.end);
    let is_sign = match at(text, start) {
        b'-' => matches!(at(text, start + 1), b'-' | b' '),
        byte => matches!(byte, b'=' | b':'),
    };
    if start == name.end || is_sign {
        return None;
    }
    let own = bytes::slice(text, name.start, name.end);
    let by = own
        .eq_ignore_ascii_case(b"identified")
        .then(|| by_end(text, start))
        .flatten();
    let start = by.map_or(start, |end| spaces(text, end));
    let for_user = own.eq_ignore_ascii_case(b"password") && bytes::begins(text, start, b"for ");
    let start = if for_user {
        for_user_end(text, start)?
    } else {
        start
    };
    // `enable secret 5 …`: how a router keeps it.
    let is_kept = at(text, start).is_ascii_digit() && at(text, start + 1) == b' ';
    let start = if is_kept { start + 2 } else { start };
    let accepted = value_span::is_quoted(text, start)
        || before(text, name.start) == b'-'
        || by.is_some() && own == b"IDENTIFIED"
        || follows_setter(text, name.start);
    let logs_in = || takes_password(own) && logs_in(text, name.start);
    if !accepted && !logs_in() {
        return None;
    }
    let span = value_span::value(text, start, false)?;
    // `password always creates`
    let reads_on = || reads_on(text, &span) && !field_follows(text, span.end);
    if !accepted && (reads_on() || is_title(text, name, &span)) {
        return None;
    }
    Some(Assignment {
        form: Form::Flag,
        span,
    })
}

/// Whether a value is followed by another field of `.netrc`.
fn field_follows(text: &[u8], end: usize) -> bool {
    const FIELDS: &[&[u8]] = &[b"machine ", b"login ", b"account ", b"port ", b"macdef "];
    let next = spaces(text, end);
    FIELDS.iter().any(|field| bytes::begins(text, next, field))
}

/// `Password policy`, or `password manager` alone: a title, or what someone searches for. Settings are in lower case,
/// and have others above or below.
fn is_title(text: &[u8], name: &Range<usize>, span: &Span) -> bool {
    let value = bytes::slice(text, span.start, span.end);
    let start = line_start(text, name.start);
    let is_first = bytes::slice(text, start, name.start)
        .trim_ascii()
        .is_empty();
    if span.quoted || !is_first || !value.iter().all(u8::is_ascii_alphabetic) {
        return false;
    }
    at(text, name.start).is_ascii_uppercase() || is_alone(text, start, span.end)
}

/// Whether the lines above and below are empty.
fn is_alone(text: &[u8], start: usize, end: usize) -> bool {
    let above = bytes::slice(text, 0, start.saturating_sub(1));
    let above = above.rsplit(|byte| *byte == b'\n').next();
    let below = bytes::slice(text, end, text.len());
    let below = below.split(|byte| *byte == b'\n').nth(1);
    let is_empty = |line: Option<&[u8]>| line.is_none_or(|line| line.trim_ascii().is_empty());
    is_empty(above) && is_empty(below)
}

/// Whether a value after spaces alone is a word of a sentence.
pub(super) fn reads_on(text: &[u8], span: &Span) -> bool {
    let value = bytes::slice(text, span.start, span.end);
    let word = !value
        .iter()
        .any(|byte| byte.is_ascii_digit() || byte.is_ascii_punctuation());
    !span.quoted && word && matches!(at(text, span.end), b' ' | b':')
}

/// Where `by` ends in `identified by`, with a method or a second word between or not.
fn by_end(text: &[u8], start: usize) -> Option<usize> {
    const LONGEST: usize = 64;
    let by = if bytes::begins(text, start, b"with ") {
        let word = |byte: u8| bytes::is_word(byte) || matches!(byte, b'\'' | b'"');
        spaces(text, start + 5 + bytes::run(text, start + 5, LONGEST, word))
    } else {
        start
    };
    let end = by + 3;
    let password = bytes::begins(text, end, b"password ");
    bytes::begins(text, by, b"by ").then_some(end + 9 * usize::from(password))
}

/// `set password for 'bob'@'%' = 'x'`: where the value begins.
fn for_user_end(text: &[u8], start: usize) -> Option<usize> {
    const LONGEST: usize = 96;
    let user = bytes::slice(text, start, text.len().min(start + LONGEST));
    let sign = memchr::memchr2(b'=', b'\n', user).filter(|&sign| at(user, sign) == b'=')?;
    let start = spaces(text, start + sign + 1);
    value_span::is_quoted(text, start).then_some(start)
}

/// Names that a password follows in `.netrc` and in the configuration of Redis.
fn takes_password(name: &[u8]) -> bool {
    [
        &b"password"[..],
        b"requirepass",
        b"masterauth",
        b"rootpw",
        b"bindpw",
    ]
    .iter()
    .any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether the line before a name is `\set`.
fn follows_setter(text: &[u8], name: usize) -> bool {
    let spaces = bytes::run_back(text, name, 160, |byte| byte.is_ascii_whitespace());
    let last = before(text, name - spaces).to_ascii_lowercase();
    let may_set = SETTERS
        .iter()
        .any(|words| words.as_bytes().last() == Some(&last));
    if !may_set {
        return false;
    }
    let line = bytes::slice(text, line_start(text, name), name).trim_ascii();
    SETTERS.iter().any(|words| {
        // Several words may follow the name of their program: `doppler secrets set`.
        let is_whole = !words.contains([' ', ':']);
        let start = line.len().checked_sub(words.len());
        start.is_some_and(|start| {
            let stands = start == 0 || !is_whole && before(line, start) == b' ';
            stands && bytes::begins(line, start, words.as_bytes())
        })
    })
}

/// Whether the line before a name is that of a login in `.netrc`, or of an answer to Debian's installer.
fn logs_in(text: &[u8], name: usize) -> bool {
    let start = line_start(text, name);
    let line = bytes::slice(text, start, name).trim_ascii();
    line.is_empty() && !is_wrapped(text, start)
        || bytes::holds(line, b"login ")
        || bytes::holds(line, b"nmcli ")
        || [&b"machine "[..], b"username ", b"d-i "]
            .iter()
            .any(|lead| line.starts_with(lead))
}

/// Whether the line before the one at `start` is one of a sentence, which may go on there.
fn is_wrapped(text: &[u8], start: usize) -> bool {
    const MOST_WORDS: usize = 5;
    let end = start.saturating_sub(1);
    let line = bytes::slice(text, line_start(text, end), end);
    let words = line.split(|&byte| byte == b' ');
    words.filter(|word| !word.is_empty()).count() > MOST_WORDS
}

fn line_start(text: &[u8], at: usize) -> usize {
    at - bytes::line_back(text, at, 160)
}
