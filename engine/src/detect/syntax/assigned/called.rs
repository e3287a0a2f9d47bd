//! Values in the arguments of a call: a setter, a field selected by a name, a comparison with a
//! name.

use super::assignment::{self, Assignment};
use super::value_span::{self, Span};
use super::{assignment::spaces, fields};
use crate::detect::bytes::{self, Words, at, before};
use crate::detect::judge::Form;
use crate::detect::lexicon::name;
use crate::detect::syntax::forms::{ANSWERS, COMPARISONS, FILLS, WRAPPERS};
use crate::detect::text::Text;
use crate::detect::text::scanner::Scanner;
use std::ops::Range;

/// How far before a name to search for the call whose argument it is, in bytes.
const LONGEST_LEAD: usize = 64;
/// Longest name of a method, and longest argument of one that is passed over, in bytes.
const LONGEST_METHOD: usize = 24;
/// Methods that may come between a field and the method that enters a value.
const MOST_METHODS: usize = 4;
/// Fields of a call that may come before the default of its parameter.
const MOST_FIELDS: usize = 4;
/// Longest value before its name, in bytes.
const LONGEST_BEFORE: usize = 256;

static FILL: Words = Words::of(FILLS);

/// `define('DB_PASSWORD', 'x')`, `setPassword("x")`, `getByLabel("Password").fill("x")`.
pub(super) fn argument(
    scanner: &mut Scanner<'_, '_>,
    name: &Range<usize>,
    closed: usize,
) -> Option<Assignment> {
    let text = scanner.text;
    let span = own_argument(scanner, name, closed)
        .or_else(|| entered(text, name).map(|span| without_key(text, span)))
        .or_else(|| compared(text, name, closed))?;
    let form = Form::Argument;
    Some(Assignment { form, span })
}

/// The argument after a name that is the first argument itself or names the call.
fn own_argument(scanner: &mut Scanner<'_, '_>, name: &Range<usize>, closed: usize) -> Option<Span> {
    let text = scanner.text;
    let from = spaces(text, closed);
    let is_quoted = closed > name.end;
    let next = spaces(text, from + 1);
    match at(text, from) {
        b',' if is_quoted && before(text, name.start) == b'-' => {
            quoted(text, next).or_else(|| fields::field(scanner, from, MOST_FIELDS))
        }
        b',' if is_quoted => {
            let label = labels(text, next);
            let first = if label > 0 {
                label_start(text, name.start)
            } else {
                name.start
            };
            let opening = opening_before(text, first)?;
            let next = spaces(text, next + label);
            let span = quoted(text, next)?;
            // `["a", "b"]` with nothing after it is a pair, otherwise a list.
            let ends = at(text, spaces(text, assignment::closers(text, span.end))) != b',';
            let is_pair = || at(text, assignment::closers(text, span.end) - 1) == b']';
            (opening != b'[' || ends && is_pair()).then_some(span)
        }
        // `{password, "x"}` in Erlang.
        b',' if before(text, name.start) == b'{' => {
            let span = quoted(text, next)?;
            let closed = assignment::closers(text, span.end);
            (at(text, closed) == b'}').then_some(span)
        }
        b'(' if !is_quoted => {
            let first = quoted(text, next)?;
            after_user(text, name, &first).map_or(Some(first), |next| quoted(text, next))
        }
        b'{' if !is_quoted && from == name.end => quoted(text, from + 1),
        _ => None,
    }
}

/// `credentials("bob", "x")`: where the argument after the user begins.
fn after_user(text: &Text<'_>, name: &Range<usize>, user: &Span) -> Option<usize> {
    let own = bytes::slice(text, name.start, name.end);
    if !name::ends_with(own, b"credentials") && !name::ends_with(own, b"credential") {
        return None;
    }
    let comma = spaces(text, assignment::closers(text, user.end));
    (at(text, comma) == b',').then(|| spaces(text, comma + 1))
}

fn quoted(text: &Text<'_>, from: usize) -> Option<Span> {
    let start = unwrapped(text, from);
    value_span::is_quoted(text, start).then(|| value_span::value(text, start, false))?
}

/// `fill_in 'Password', with: 'x'`: how long the label of an argument is.
fn labels(text: &[u8], from: usize) -> usize {
    const LABELS: &[&[u8]] = &[b"with: ", b":with => ", b"value: "];
    let stands = |label: &&&[u8]| bytes::slice(text, from, from + label.len()) == **label;
    LABELS.iter().find(stands).map_or(0, |label| label.len())
}

/// Where a label begins that a name ends: `'Sync token secret'`.
fn label_start(text: &[u8], name: usize) -> usize {
    let is_label = |byte: u8| bytes::is_word(byte) || byte == b' ' || byte >= 0x80;
    name - bytes::run_back(text, name, LONGEST_LEAD, is_label)
}

/// The opening of arguments whose first one is a quoted name; a selector has a sign before it
/// (`#password`).
fn opening_before(text: &[u8], name: usize) -> Option<u8> {
    let name = name - usize::from(before(text, name) == b'#');
    let quotes = bytes::run_back(text, name, 3, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
    let spaces = bytes::run_back(text, name - quotes, 2, |byte| byte == b' ');
    let opening = match before(text, name - quotes - spaces) {
        b',' => before_variable(text, name - quotes - spaces - 1)?,
        opening => opening,
    };
    let is_call = matches!(opening, b'(' | b'{' | b'[') || spaces > 0 && opening == b'n';
    (quotes > 0 && is_call).then_some(opening)
}

/// The opening of arguments whose first one is the variable that a flag sets: `StringVar(&password,
/// "password", …`.
fn before_variable(text: &[u8], end: usize) -> Option<u8> {
    let length = bytes::run_back(text, end, LONGEST_METHOD, |byte| {
        bytes::is_word(byte) || byte == b'.' || byte >= 0x80
    });
    let start = end.checked_sub(length + 1)?;
    (at(text, start) == b'&').then(|| before(text, start))
}

/// Where the text inside a wrapper begins: `String::from("x")`.
pub(super) fn unwrapped(text: &[u8], start: usize) -> usize {
    const MOST_SPACES: usize = 24;
    WRAPPERS
        .iter()
        .find(|wrapper| bytes::begins(text, start, wrapper.as_bytes()))
        .map(|wrapper| start + wrapper.len())
        .map(|inner| {
            inner + bytes::run(text, inner, MOST_SPACES, |byte| byte.is_ascii_whitespace())
        })
        .filter(|&inner| value_span::is_quoted(text, inner))
        .unwrap_or(start)
}

/// Where the quote of a text opens that may be wrapped, or marked as bytes: `Some("x")`, `b"x"`.
pub(in crate::detect) fn opening_quote(text: &[u8], start: usize) -> usize {
    let inner = unwrapped(text, start);
    inner + value_span::string_prefix(text, inner)
}

/// The value that is entered into, or expected in, the field that a name selects.
fn entered(text: &Text<'_>, name: &Range<usize>) -> Option<Span> {
    let called = name.end + 2 * usize::from(bytes::slice(text, name.end, name.end + 2) == b"()");
    let mut from = selector_end(text, called);
    if from == name.end {
        return None;
    }
    for _ in 0..MOST_METHODS {
        match at(text, from) {
            b',' => return argument_of_fill(text, name, spaces(text, from + 1)),
            b'{' => return quoted(text, spaces(text, from + 1)),
            b'.' => {}
            _ => return None,
        }
        let length = method(text, from + 1);
        let end = from + 1 + length;
        let own = bytes::slice(text, from + 1, end);
        let next = spaces(text, end);
        if own == b"value" && at(text, next) == b'=' {
            return quoted(text, spaces(text, next + 1));
        }
        if at(text, end) == b'(' && FILL.hold(own) {
            return quoted(text, spaces(text, end + 1));
        }
        from = if at(text, end) == b'(' {
            let inner = bytes::run(text, end + 1, LONGEST_METHOD, |byte| {
                !matches!(byte, b')' | b'(' | b'"' | b'\'' | b'\n')
            });
            (at(text, end + 1 + inner) == b')').then_some(end + 2 + inner)?
        } else if own == b"to" && at(text, end) == b' ' {
            let verb = end + 1 + method(text, end + 1);
            let is_fill = FILL.hold(bytes::slice(text, end + 1, verb)) && at(text, verb) == b'(';
            return is_fill.then(|| quoted(text, verb + 1))?;
        } else {
            end
        };
    }
    None
}

/// `type("x{enter}")`, `type("x\n")`: a text without the key that is pressed after it.
fn without_key(text: &[u8], span: Span) -> Span {
    const KEYS: &[&str] = &["{enter}", "{tab}", "\\n", "\\r"];
    let value = bytes::slice(text, span.start, span.end);
    let key = KEYS.iter().find(|key| {
        let rest = value.len().checked_sub(key.len());
        rest.is_some_and(|rest| rest > 0 && bytes::begins(value, rest, key.as_bytes()))
    });
    let end = span.end - key.map_or(0, |key| key.len());
    Span { end, ..span }
}

fn method(text: &[u8], start: usize) -> usize {
    bytes::run(text, start, LONGEST_METHOD, bytes::is_word)
}

/// Where a selector and the call around it end: `"]')`, `/i)`, `' })`.
fn selector_end(text: &[u8], from: usize) -> usize {
    const LONGEST: usize = 12;
    let closes = |byte: u8| {
        matches!(
            byte,
            b'"' | b'\'' | b'`' | b'\\' | b']' | b')' | b'}' | b' ' | b'/'
        )
    };
    let end = from + bytes::run(text, from, LONGEST, closes);
    let has_flag = before(text, end) == b'/' && at(text, end) == b'i';
    let end = end + usize::from(has_flag);
    end + bytes::run(text, end, LONGEST, closes)
}

/// `page.fill("#password", "x")`: the argument at `from`, if the call around `name` enters it.
fn argument_of_fill(text: &Text<'_>, name: &Range<usize>, from: usize) -> Option<Span> {
    const TARGET: &[u8] = b"{ target: { value: ";
    let line = name.start - bytes::line_back(text, name.start, LONGEST_LEAD);
    let lead = bytes::slice(text, line, name.start);
    let fills = memchr::memchr_iter(b'(', lead).any(|opening| {
        let length = bytes::run_back(lead, opening, LONGEST_METHOD, bytes::is_word);
        FILL.hold(bytes::slice(lead, opening - length, opening))
    });
    let target = TARGET.len() * usize::from(bytes::begins(text, from, TARGET));
    fills.then(|| quoted(text, from + target))?
}

/// `expect "assword:"` and `send "x\r"` below it: what answers the prompt that a name is in.
pub(super) fn answer(text: &Text<'_>, name: &Range<usize>) -> Option<Assignment> {
    let prompt = bytes::run(text, name.end, LONGEST_METHOD, |byte| {
        !matches!(byte, b'"' | b'\'' | b'\n')
    });
    let quote = name.end + prompt;
    if !matches!(at(text, quote), b'"' | b'\'') {
        return None;
    }
    let gap = bytes::run(text, quote + 1, LONGEST_LEAD, |byte| {
        byte.is_ascii_whitespace() || matches!(byte, b')' | b';' | b'{' | b'}')
    });
    let start = quote + 1 + gap;
    let opening = answer_end(text, start)?;
    let asks = bytes::slice(text, name.end, quote).contains(&b':') || expects(text, name.start);
    let span = (gap > 0 && asks).then(|| quoted(text, opening))??;
    let span = without_key(text, span);
    let form = Form::Argument;
    Some(Assignment { form, span })
}

/// Where the opening of a call that answers ends, which may be that of an object: `child.sendline(`.
fn answer_end(text: &[u8], start: usize) -> Option<usize> {
    let object = bytes::run(text, start, LONGEST_METHOD, bytes::is_word);
    let is_method = at(text, start + object) == b'.';
    let first = if is_method { start + object + 1 } else { start };
    ANSWERS
        .iter()
        .filter(|opening| bytes::begins(text, first, opening.as_bytes()))
        .map(|opening| first + opening.len())
        .max()
}

/// Whether a line waits for a prompt before `at`.
fn expects(text: &[u8], at: usize) -> bool {
    let line = at - bytes::line_back(text, at, LONGEST_LEAD);
    let lead = bytes::slice(text, line, at);
    bytes::holds(lead, b"expect") || bytes::holds(lead, b"read_until")
}

/// `strcmp(password, "x")`: the value that a name is compared with, after or before it.
fn compared(text: &Text<'_>, name: &Range<usize>, closed: usize) -> Option<Span> {
    if closed > name.end {
        return None;
    }
    let called = name.end + 2 * usize::from(bytes::slice(text, name.end, name.end + 2) == b"()");
    if at(text, called) == b',' && compares(text, name.start) {
        return quoted(text, spaces(text, called + 1));
    }
    None
}

/// Whether a call that compares is open at `at`.
fn compares(text: &[u8], at: usize) -> bool {
    let line = at - bytes::line_back(text, at, LONGEST_LEAD);
    let lead = bytes::slice(text, line, at);
    let stands = |opening: &&str| {
        memchr::memchr_iter(b'(', lead).any(|bracket| {
            (bracket + 1)
                .checked_sub(opening.len())
                .is_some_and(|start| bytes::begins(lead, start, opening.as_bytes()))
        })
    };
    COMPARISONS.iter().any(stands)
}

/// `"x" == password`, `"x".equals(password)`, `assertEquals("x", getPassword())`: the value before a name.
pub(super) fn compared_before(text: &[u8], name: usize) -> Option<Span> {
    const SIGNS: &[&[u8]] = &[b"===", b"!==", b"==", b"!=", b"eq", b",", b".equals("];
    let space = |end: usize| end - bytes::run_back(text, end, 2, |byte| byte == b' ');
    let end = space(name);
    let lead = bytes::slice(text, end.saturating_sub(8), end);
    let sign = SIGNS.iter().find(|sign| lead.ends_with(sign))?;
    let closing = space(end - sign.len());
    let quote = before(text, closing);
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let last = closing - 1;
    let window = bytes::slice(text, last.saturating_sub(LONGEST_BEFORE), last);
    let opening = memchr::memrchr2(quote, b'\n', window)?;
    let start = last - window.len() + opening + 1;
    let is_compared = **sign != *b"," || compares(text, start);
    (at(window, opening) == quote && start < last && is_compared).then(|| Span::quoted(start..last))
}
