//! The ways to write a value next to its name.

use super::value_span::{self, Span};
use super::{announced, between, called, edits, fallback, fields, flag, lines, markup, prose};
use crate::detect::bytes::{self, at, before};
use crate::detect::judge::Form;
use crate::detect::lexicon::name;
use crate::detect::text::Text;
use crate::detect::text::scanner::Scanner;
use std::ops::Range;

/// A value next to a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assignment {
    pub(super) form: Form,
    pub(super) span: Span,
}

/// Spaces around a separator.
const MAX_SPACES: usize = 24;

/// The value assigned to the name in `name`.
pub(super) fn assignment(scanner: &mut Scanner<'_, '_>, name: &Range<usize>) -> Option<Assignment> {
    let text = scanner.text;
    let closed = closers(text, name.end);
    let pair = fields::pair(scanner, name, closed);
    if pair.is_some() {
        return pair;
    }
    let answer = called::answer(text, name);
    if answer.is_some() {
        return answer;
    }
    if !stands_before_word(text, name, closed) {
        let by_sign = by_sign(scanner, name, closed);
        if by_sign.is_some() {
            return by_sign;
        }
    } else if let Some(declared) = declared(text, name) {
        return Some(declared);
    }
    if let Some(span) = called::compared_before(text, name.start) {
        let form = Form::Argument;
        return Some(Assignment { form, span });
    }
    let flagged = flag::flag(text, name);
    flagged
        .filter(|flagged| !flag::reads_on(text, &flagged.span))
        .or_else(|| in_text(scanner, name, closed))
        .or(flagged)
}

/// Whether a word follows a name, as usual, so that no separator does; `or` is a separator, and
/// tags contain words.
fn stands_before_word(text: &[u8], name: &Range<usize>, closed: usize) -> bool {
    let next = at(text, spaces(text, closed));
    closed == name.end
        && next.is_ascii_alphanumeric()
        && next != b'o'
        && !matches!(before(text, name.start), b'<' | b':')
}

/// A value that a sign sets off from its name.
fn by_sign(
    scanner: &mut Scanner<'_, '_>,
    name: &Range<usize>,
    closed: usize,
) -> Option<Assignment> {
    let text = scanner.text;
    fallback::expansion(text, name)
        .or_else(|| separated(text, name, closed))
        .or_else(|| fields::block(scanner, closed))
        .or_else(|| markup::element(text, name, closed))
        .or_else(|| called::argument(scanner, name, closed))
        .or_else(|| fallback::fallback(text, closed))
}

/// `password NVARCHAR(64) = 'x'`: words of a type come between.
fn declared(text: &Text<'_>, name: &Range<usize>) -> Option<Assignment> {
    const LONGEST: usize = 48;
    const MOST_WORDS: usize = 3;
    let from = spaces(text, name.end);
    let line = bytes::slice(text, from, text.len().min(from + LONGEST));
    let sign = memchr::memchr2(b'=', b'\n', line).filter(|&sign| at(line, sign) == b'=')?;
    let kind = bytes::slice(line, 0, sign);
    let kind = kind.strip_suffix(b":").unwrap_or(kind).trim_ascii_end();
    let is_kind = |byte: &u8| bytes::is_word(*byte) || b" ()[]<>,.*&".contains(byte);
    let words = kind.split(|&byte| byte == b' ').count();
    let start = spaces(text, from + sign + 1);
    let is_declared = words <= MOST_WORDS && kind.iter().all(is_kind);
    if !is_declared || !value_span::is_quoted(text, start) {
        return None;
    }
    let span = value_span::value(text, start, false)?;
    let form = Form::Spaced;
    Some(Assignment { form, span })
}

/// A value on the next line or in a sentence, where names of files also occur (`man/gpasswd.1`).
fn in_text(
    scanner: &mut Scanner<'_, '_>,
    name: &Range<usize>,
    closed: usize,
) -> Option<Assignment> {
    let text = scanner.text;
    if is_file(text, name) {
        return None;
    }
    // Nothing else in a sentence that names a file tells what it contains.
    let labels = at(text, closed) == b':' || bytes::begins(text, closed, b" is ");
    if is_in_folder(text, name) && !labels {
        return None;
    }
    lines::below(text, name, closed)
        .or_else(|| announced::below(text, closed))
        .or_else(|| prose::assignment(scanner, name, closed))
}

/// `gpasswd.1`, `/etc/passwd`; not `datasource.password`.
fn is_file(text: &[u8], name: &Range<usize>) -> bool {
    const LONGEST_KIND: usize = 4;
    let own = bytes::slice(text, name.start, name.end);
    let kind = memchr::memrchr(b'.', own).map(|dot| bytes::slice(own, dot + 1, own.len()));
    let is_secret = |kind: &[u8]| {
        [&b"pass"[..], b"pwd", b"key", b"pin", b"pw"]
            .iter()
            .any(|word| kind.eq_ignore_ascii_case(word))
    };
    kind.is_some_and(|kind| kind.len() <= LONGEST_KIND && !is_secret(kind))
        || own.eq_ignore_ascii_case(b"passwd") && is_in_folder(text, name)
}

/// `/run/secrets/password`; not `vault/password`.
fn is_in_folder(text: &[u8], name: &Range<usize>) -> bool {
    let in_folder = before(text, name.start) == b'/';
    let folder = |byte: u8| bytes::is_word(byte) || matches!(byte, b'-' | b'.');
    let slash = name.start.saturating_sub(1);
    in_folder && before(text, slash - bytes::run_back(text, slash, 64, folder)) == b'/'
}

/// Skips what closes a name: quotes (escaped or encoded, too), brackets, emphasis.
pub(super) fn closers(text: &[u8], end: usize) -> usize {
    let encoded = bytes::encoded_quote(text, end);
    end + encoded.map_or_else(|| closing_run(text, end), <[u8]>::len)
}

/// A backslash closes nothing unless a quote follows it.
fn closing_run(text: &[u8], end: usize) -> usize {
    let mut length = 0;
    while length < 6 {
        let from = end + length;
        let width = match at(text, from) {
            b'"' | b'\'' | b'`' | b']' | b'*' => 1,
            b'\\' if matches!(at(text, from + 1), b'"' | b'\'' | b'\\') => 1,
            byte if !byte.is_ascii() => closing_sign(text, from),
            _ => 0,
        };
        if width == 0 {
            break;
        }
        length += width;
    }
    length
}

/// The width of a closing quotation mark or bracket outside ASCII.
fn closing_sign(text: &[u8], at: usize) -> usize {
    const SIGNS: &[&str] = &["»", "«", "›", "”", "“", "’", "‘", "」", "』", "】", "］"];
    let sign = SIGNS
        .iter()
        .find(|sign| bytes::begins(text, at, sign.as_bytes()));
    sign.map_or(0, |sign| sign.len())
}

pub(super) fn spaces(text: &[u8], at: usize) -> usize {
    at + bytes::run(text, at, MAX_SPACES, |byte| byte == b' ' || byte == b'\t')
}

/// Where a line ends, if its end may have two bytes.
pub(super) fn line_end(text: &[u8], from: usize) -> usize {
    from + usize::from(at(text, from) == b'\r' && at(text, from + 1) == b'\n')
}

fn separated(text: &Text<'_>, name: &Range<usize>, closed: usize) -> Option<Assignment> {
    let from = spaces(text, between::accessors_end(text, spaces(text, closed)));
    let (width, colon) = between::separator(text, from)?;
    let mut start = between::encoded_space(text, spaces(text, from + width));
    let mut form = match (colon, from == closed && start == from + width) {
        (true, _) => Form::Colon,
        (false, true) => Form::Tight,
        (false, false) => Form::Spaced,
    };
    if colon && let Some(annotated) = between::annotation(text, start) {
        start = annotated;
        form = Form::Spaced;
    }
    // Emphasis after a label (`**Token:** abc`).
    start += bytes::run(text, start, 3, |byte| byte == b'*');
    start = markup::inside(
        text,
        between::untagged(text, spaces(text, between::dumped(text, start))),
    );
    let in_query = form == Form::Tight && matches!(before(text, name.start), b'?' | b'&');
    if between::closes_label(text, name, closed, start) {
        return None;
    }
    if lines::is_block(text, start) {
        return None;
    }
    // `Token: ("a", "b")` is a pair.
    if form != Form::Colon || at(text, start) != b'(' {
        start = called::unwrapped(text, start);
    }
    let span = if form == Form::Tight {
        value_span::braced(text, name.start, start)
            .or_else(|| value_span::value_or_bracket(text, start, in_query))?
    } else {
        value_span::value(text, start, in_query)?
    };
    let span = edits::replacement(text, name.start, span);
    let span = edits::formatted(text, &span).unwrap_or(span);
    Some(of_account(text, name, &span).unwrap_or(Assignment { form, span }))
}

/// Other candidates for the value, in addition to the assignment.
pub(super) fn other(
    text: &Text<'_>,
    name: &Range<usize>,
    assignment: &Assignment,
) -> Option<Assignment> {
    with_words(text, name, assignment)
        .or_else(|| fallback::alternative(text, assignment))
        .or_else(|| edits::changed(text, assignment))
}

/// `User=sa;Password=two words;`: in a connection string, a value continues to the semicolon, or to the quote that closes it;
/// arguments of a command do not.
pub(super) fn with_words(
    text: &[u8],
    name: &Range<usize>,
    assignment: &Assignment,
) -> Option<Assignment> {
    const LONGEST: usize = 40;
    let Assignment { form, span } = *assignment;
    let follows_field = before(text, name.start) == b';' && at(text, span.end) == b' ';
    if form != Form::Tight || span.quoted || !follows_field {
        return None;
    }
    let rest = bytes::run(text, span.end, LONGEST, |byte| {
        bytes::is_word(byte) || b" !@#$%&*.-".contains(&byte)
    });
    let end = span.end + rest;
    let words = bytes::slice(text, span.end, end).trim_ascii_end();
    let end = span.end + words.len();
    let closes = matches!(at(text, spaces(text, end)), b';' | b'"' | b'\'');
    let is_whole = closes && !bytes::holds(words, b" -");
    is_whole.then_some(Assignment {
        form,
        span: Span { end, ..span },
    })
}

/// `credentials: admin / x`: the value after the user.
fn of_account(text: &Text<'_>, name: &Range<usize>, user: &Span) -> Option<Assignment> {
    let own = bytes::slice(text, name.start, name.end);
    let named = [&b"credentials"[..], b"creds", b"login"]
        .iter()
        .any(|known| own.eq_ignore_ascii_case(known));
    // `user/pass: admin/x`
    if before(text, name.start) == b'/' && !user.quoted {
        let value = bytes::slice(text, user.start, user.end);
        let slash = memchr::memchr(b'/', value).filter(|&slash| slash > 0)?;
        let start = user.start + slash + 1;
        let span = Span { start, ..*user };
        let form = Form::Account;
        return (start < user.end).then_some(Assignment { form, span });
    }
    if user.quoted {
        return in_tuple(text, own, user);
    }
    let start = user.end + 3;
    if !named || bytes::slice(text, user.end, start) != b" / " {
        return None;
    }
    let span = value_span::value(text, start, false)?;
    // `10 / 5000 a day`
    let own = bytes::slice(text, user.start, user.end);
    if own.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // `x / staging`
    let is_word = |span: &Span| {
        let value = bytes::slice(text, span.start, span.end);
        value.iter().all(u8::is_ascii_lowercase)
    };
    if is_word(&span) && !is_word(user) {
        return None;
    }
    Some(Assignment {
        form: Form::Account,
        span,
    })
}

/// `credentials = ("bob", "x")`: the value after the user.
fn in_tuple(text: &Text<'_>, name: &[u8], user: &Span) -> Option<Assignment> {
    let named = [&b"credentials"[..], b"creds", b"login"]
        .iter()
        .any(|known| name::ends_with(name, known));
    let comma = quotes_end(text, user);
    if !named || before(text, user.start.saturating_sub(1)) != b'(' || at(text, comma) != b',' {
        return None;
    }
    let start = spaces(text, comma + 1);
    let span =
        value_span::is_quoted(text, start).then(|| value_span::value(text, start, false))??;
    let form = Form::Account;
    (at(text, quotes_end(text, &span)) == b')').then_some(Assignment { form, span })
}

/// Where the quotes and spaces after a quoted value end.
fn quotes_end(text: &[u8], span: &Span) -> usize {
    spaces(text, closers(text, span.end))
}
