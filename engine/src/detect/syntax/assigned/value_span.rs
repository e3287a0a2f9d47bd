//! Finds the beginning and end of a value.

use crate::detect::bytes::{self, at, before};
use crate::detect::judge::phrase;
use crate::detect::text::{Text, scanner};
use std::ops::Range;

/// Farthest that a value without quotes is followed, in bytes.
const LONGEST: usize = scanner::LONG;
/// How far to search for the end of a tag, in bytes.
const LONGEST_TAG: usize = 96;

/// A value and how it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
    /// A template that is filled at run time.
    pub(super) is_template: bool,
}

impl Span {
    /// A value delimited by its surroundings, as by quotes.
    pub(super) const fn quoted(range: Range<usize>) -> Self {
        Self {
            start: range.start,
            end: range.end,
            quoted: true,
            is_template: false,
        }
    }
}

/// The value that begins at `start`, quoted or not.
pub(super) fn value(text: &Text<'_>, start: usize, in_query: bool) -> Option<Span> {
    // An object, list or tuple is not a value; its content is examined separately.
    if matches!(at(text, start), b'{' | b'[' | b'(') {
        return None;
    }
    value_or_bracket(text, start, in_query)
}

/// `PWD={x};`: a value in braces, as connection strings write one. Its field follows another, or opens the string.
pub(super) fn braced(text: &[u8], name: usize, start: usize) -> Option<Span> {
    if at(text, start) != b'{' || !matches!(before(text, name), b';' | b'"' | b'\'') {
        return None;
    }
    let inner = bytes::slice(text, start + 1, text.len().min(start + 1 + LONGEST));
    let length = memchr::memchr2(b'}', b'\n', inner)?;
    let closes = length > 0 && matches!(at(text, start + 2 + length), b';' | b'"' | b'\'');
    closes.then(|| Span::quoted(start + 1..start + 1 + length))
}

/// The value that begins at `start`, which may be a bracket.
pub(super) fn value_or_bracket(text: &Text<'_>, start: usize, in_query: bool) -> Option<Span> {
    let prefix = string_prefix(text, start);
    let (open, escaped) = opening(text, start + prefix);
    match open {
        Some(quote) => quoted(text, start + prefix, quote, escaped, prefix),
        None => encoded(text, start)
            .or_else(|| typographic(text, start))
            .or_else(|| bare(text, start, in_query)),
    }
}

/// A value without quotes, and what follows it behind a tab: in quotes that surround it with its name
/// (`-H 'X-Api-Key: hunter2\tKx9'`), or in a header on a line of its own.
pub(super) fn to_its_end(text: &[u8], name: &Range<usize>, span: &Span) -> Range<usize> {
    let own = span.start..span.end;
    if span.quoted || at(text, span.end) != b'\t' {
        return own;
    }
    let rest = bytes::slice(text, span.end, text.len().min(span.end + LONGEST));
    let quote = match before(text, name.start) {
        quote @ (b'"' | b'\'') => quote,
        b'\n' | 0 if is_header(text, name) => b'\n',
        _ => return own,
    };
    let length = memchr::memchr2(quote, b'\n', rest).unwrap_or(rest.len());
    let closes = quote == b'\n' || rest.get(length) == Some(&quote);
    if closes {
        span.start..span.end + length
    } else {
        own
    }
}

/// `X-Api-Key:`
fn is_header(text: &[u8], name: &Range<usize>) -> bool {
    let written = bytes::slice(text, name.start, name.end);
    memchr::memchr(b'-', written).is_some() && at(text, name.end) == b':'
}

/// Whether a quoted value begins at `start`.
pub(super) fn is_quoted(text: &[u8], start: usize) -> bool {
    opening(text, start + string_prefix(text, start))
        .0
        .is_some()
}

/// `b"…"`, `r'…'`, `@"…"`, `f"…"` and the like.
pub(super) fn string_prefix(text: &[u8], start: usize) -> usize {
    let length = bytes::run(text, start, 2, |byte| {
        matches!(byte | 0x20, b'b' | b'r' | b'u' | b'f' | b'l' | b'n')
            || byte == b'@'
            || byte == b'$'
    });
    let quote = matches!(at(text, start + length), b'"' | b'\'' | b'`');
    if quote { length } else { 0 }
}

/// The quote at `start`, and the number of backslashes before it.
fn opening(text: &[u8], start: usize) -> (Option<u8>, usize) {
    let backslashes = bytes::run(text, start, 3, |byte| byte == b'\\');
    match at(text, start + backslashes) {
        quote @ (b'"' | b'\'' | b'`') => (Some(quote), backslashes),
        _ => (None, 0),
    }
}

fn quoted(text: &[u8], start: usize, quote: u8, escaped: usize, prefix: usize) -> Option<Span> {
    let first = start + escaped + 1;
    let triple = escaped == 0 && at(text, first) == quote && at(text, first + 1) == quote;
    let first = if triple { first + 2 } else { first };
    let is_template =
        (prefix > 0 && matches!(at(text, start - prefix) | 0x20, b'f')) || quote == b'`';
    let mut end = first;
    // The next quote ends the value, which another may begin at: so no text is read twice.
    loop {
        end += bytes::run(text, end, usize::MAX, |byte| {
            byte != quote && byte != b'\\' && byte != b'\n'
        });
        let byte = at(text, end);
        if end >= text.len() || byte == b'\n' && !triple {
            // A truncated string is taken as it is, unless it exceeds a line.
            return (end >= text.len() && end > first).then_some(Span {
                start: first,
                end,
                quoted: true,
                is_template,
            });
        }
        if byte == b'\\' {
            let backslashes = bytes::run(text, end, usize::MAX, |byte| byte == b'\\');
            let closes =
                at(text, end + backslashes) == quote && escaped > 0 && backslashes <= escaped;
            if closes {
                return Some(Span {
                    start: first,
                    end,
                    quoted: true,
                    is_template,
                });
            }
            let begins_escape = backslashes % 2 == 1 || escaped > 0;
            end += backslashes + usize::from(begins_escape);
            if end > text.len() {
                // Cut off within an escape, which is not part of the value yet.
                end = text.len() - 1;
                return (end > first).then_some(Span {
                    start: first,
                    end,
                    quoted: true,
                    is_template,
                });
            }
            continue;
        }
        if byte == quote {
            let doubled = at(text, end + 1) == quote
                && quote == b'\''
                && end > first
                && at(text, end + 2).is_ascii_alphanumeric();
            let reopened = doubled && !triple;
            if !reopened && (!triple || at(text, end + 1) == quote && at(text, end + 2) == quote) {
                return Some(Span {
                    start: first,
                    end,
                    quoted: true,
                    is_template,
                });
            }
            end += if reopened { 2 } else { 1 };
            continue;
        }
        end += 1;
    }
}

/// `&quot;…&quot;`, `%22…%22`
fn encoded(text: &[u8], start: usize) -> Option<Span> {
    let quote = bytes::encoded_quote(text, start)?;
    let first = start + quote.len();
    let rest = bytes::slice(text, first, text.len().min(first + LONGEST));
    let length = memchr::memmem::find(rest, quote)?;
    let is_line = length > 0 && memchr::memchr(b'\n', bytes::slice(rest, 0, length)).is_none();
    is_line.then_some(Span {
        start: first,
        end: first + length,
        quoted: true,
        is_template: false,
    })
}

/// `“…”`, `„…“`, `« … »`: one word between the quotes of a typesetter.
fn typographic(text: &[u8], start: usize) -> Option<Span> {
    const OPENING: &[&str] = &["“", "”", "„", "«", "»", "‘", "‚", "「", "『"];
    const CLOSING: &[&str] = &["”", "“", "»", "«", "’", "‘", "」", "』"];
    if at(text, start) < 0x80 {
        return None;
    }
    let stands = |quotes: &[&str], index: usize| {
        let own =
            |quote: &&&str| bytes::slice(text, index, index + quote.len()) == quote.as_bytes();
        quotes.iter().find(own).map(|quote| quote.len())
    };
    let first = start + stands(OPENING, start)?;
    let first = first + space_width(text, first);
    let length = bytes::run(text, first, 128, |byte| !byte.is_ascii_whitespace());
    let closes = |index: usize| stands(CLOSING, index + space_width(text, index)).is_some();
    let end = (first..=first + length).find(|&index| closes(index))?;
    (end > first).then_some(Span {
        start: first,
        end,
        quoted: true,
        is_template: false,
    })
}

/// The width of the space that French sets within quotation marks, which no line breaks at, or of a plain one.
fn space_width(text: &[u8], index: usize) -> usize {
    const SPACES: &[&str] = &[" ", "\u{A0}", "\u{202F}"];
    let stands = |space: &&&str| bytes::begins(text, index, space.as_bytes());
    SPACES.iter().find(stands).map_or(0, |space| space.len())
}

fn bare(text: &Text<'_>, start: usize, in_query: bool) -> Option<Span> {
    let mut end = text.known_bare(start, in_query).min(start + LONGEST);
    while end - start < LONGEST && end < text.len() {
        let plain = bytes::run(text, end, start + LONGEST - end, |byte| {
            !MAY_STOP.holds(byte)
        });
        if plain > 0 {
            end += plain;
            continue;
        }
        let byte = at(text, end);
        let next = at(text, end + 1);
        let stops = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b'`' | 0 => true,
            b'"' | b'\'' => !bytes::is_within_value(text, start, end),
            b'<' => opens_tag(text, end),
            b'&' => in_query || name_follows(text, end + 1),
            b'#' => in_query,
            b'%' => bytes::begins(text, end, b"%26") && encoded_name_follows(text, end + 3),
            b'\\' => matches!(next, b'n' | b'r' | b't' | b'"' | b'\'' | b'\\'),
            b';' | b',' => {
                !next.is_ascii_graphic()
                    || matches!(next, b'"' | b'\'')
                    || names_follow(text, end + 1)
            }
            b'|' => next == b' ' || next == b'|',
            0xE2 => matches!(bytes::slice(text, end, end + 3), [0xE2, 0x80, 0x98..=0x9F]),
            0xC2 => next == 0xBB,
            // Scripts without spaces continue directly after a value.
            0xE3..=0xED => before(text, end).is_ascii() && end > start,
            0xEF => next == 0xBC && end > start,
            _ => false,
        };
        if stops {
            break;
        }
        end += 1;
    }
    text.remember_bare(start, end, in_query);
    let own = without_emphasis(text, start..without_closers(text, start, end));
    let end = grouped_end(text, &own).or_else(|| unclosed_end(text, &own));
    let end = end.unwrap_or(own.end);
    (!own.is_empty()).then_some(Span {
        start: own.start,
        end,
        quoted: false,
        is_template: false,
    })
}

/// Where the line of settings ends whose value holds a quote that nothing closes: `password = Zx9kL"pq3 vW`.
fn unclosed_end(text: &[u8], value: &Range<usize>) -> Option<usize> {
    const LONGEST_NAME: usize = 64;
    let own = bytes::slice(text, value.start, value.end);
    let quote = *own.iter().find(|byte| matches!(byte, b'"' | b'\''))?;
    let line = bytes::line_back(text, value.start, LONGEST_NAME);
    let lead = bytes::slice(text, value.start - line, value.start).trim_ascii();
    let is_name = |byte: &u8| bytes::is_word(*byte) || matches!(byte, b'-' | b'.');
    let name = lead.strip_suffix(b"=")?.trim_ascii_end();
    let rest = bytes::slice(text, value.end, text.len().min(value.end + LONGEST));
    let length = memchr::memchr2(b'\n', quote, rest).unwrap_or(rest.len());
    let closes = rest.get(length) == Some(&quote)
        || memchr::memchr_iter(quote, own).count().is_multiple_of(2);
    let is_setting = line < LONGEST_NAME && !name.is_empty() && name.iter().all(is_name);
    (is_setting && !closes).then(|| {
        value.end
            + rest
                .get(..length)
                .unwrap_or_default()
                .trim_ascii_end()
                .len()
    })
}

/// Where a password for apps or a key for codes ends, as accounts show one, in groups of four letters or digits of which none
/// says anything: `uxkq plwe hzra mndo`.
fn grouped_end(text: &Text<'_>, first: &Range<usize>) -> Option<usize> {
    const GROUP: usize = 4;
    const FEWEST: usize = 4;
    const MOST: usize = 16;
    let is_alike = |byte: u8| {
        byte.is_ascii_digit()
            || byte.is_ascii_lowercase() == at(text, first.start).is_ascii_lowercase()
    };
    let is_group = |start: usize| {
        let length = bytes::run(text, start, GROUP + 1, |byte| {
            byte.is_ascii_alphanumeric() && is_alike(byte)
        });
        length == GROUP
    };
    if first.len() != GROUP || at(text, first.end) != b' ' || !is_group(first.start) {
        return None;
    }
    let (mut end, mut groups) = (first.end, 1);
    while groups < MOST && at(text, end) == b' ' && is_group(end + 1) {
        end += 1 + GROUP;
        groups += 1;
    }
    let ends_line = matches!(at(text, end), b'\n' | b'\r' | b'"' | 0);
    let says_nothing = || !phrase::holds_sentence(&text.str(first.start..end).to_ascii_lowercase());
    (groups >= FEWEST && ends_line && says_nothing()).then_some(end)
}

/// A value without Markdown's emphasis, which opens in it after a space, or right before it: `**hunter2**`.
fn without_emphasis(text: &[u8], value: Range<usize>) -> Range<usize> {
    const MOST_SIGNS: usize = 3;
    let sign = before(text, value.end);
    let is_sign = |byte: u8| byte == sign;
    if !matches!(sign, b'*' | b'_' | b'~') {
        return value;
    }
    let closing = bytes::run_back(text, value.end, value.len(), is_sign);
    let end = value.end - closing;
    let outside = bytes::run_back(text, value.start, MOST_SIGNS, is_sign);
    let inside = bytes::run(text, value.start, MOST_SIGNS, is_sign);
    let inner = value.start + inside..end;
    let is_name = || {
        bytes::slice(text, inner.start, end)
            .iter()
            .all(|byte| bytes::is_word(*byte))
    };
    match (outside, inside) {
        (0, 1..) => {
            let opens = inside == closing && before(text, value.start).is_ascii_whitespace();
            if opens && !inner.is_empty() && !is_name() {
                inner
            } else {
                value
            }
        }
        (1.., _) if outside == closing && end > value.start => value.start..end,
        _ => value,
    }
}

/// Bytes that may end a value without quotes.
const MAY_STOP: bytes::Set = bytes::Set::none()
    .with(b" \t\n\r\"'`\0<&#%\\;,|\xC2\xEF")
    .with_all(0xE2, 0xED);

/// Whether a tag or redirection begins at `start`.
fn opens_tag(text: &[u8], start: usize) -> bool {
    match at(text, start + 1) {
        b'/' | b'!' | b'?' | b'<' | b' ' | b'(' | b'"' | b'\'' | b'&' | b'[' | b'*' | b'\n' | 0 => {
            true
        }
        next if next.is_ascii_alphabetic() => {
            let length = bytes::run(text, start, LONGEST_TAG, |byte| {
                !matches!(byte, b'>' | b'\n')
            });
            at(text, start + length) == b'>'
        }
        _ => false,
    }
}

/// Whether `name=` follows: the next field of a query.
fn name_follows(text: &[u8], start: usize) -> bool {
    let name = bytes::run(text, start, 32, |byte| {
        bytes::is_word(byte) || matches!(byte, b'-' | b'.')
    });
    name > 0 && at(text, start + name) == b'='
}

/// Whether `name%3D` follows: the next field of a query in a URL of another.
fn encoded_name_follows(text: &[u8], start: usize) -> bool {
    let name = bytes::run(text, start, 32, |byte| {
        bytes::is_word(byte) || matches!(byte, b'-' | b'.')
    });
    name > 0 && bytes::begins(text, start + name, b"%3d")
}

/// Whether `name=` follows, or `name:` after a comma: the next field of a connection string, query or object.
fn names_follow(text: &[u8], start: usize) -> bool {
    let spaces = bytes::run(text, start, 2, |byte| byte == b' ');
    let name = bytes::run(text, start + spaces, 32, |byte| {
        bytes::is_word(byte) || matches!(byte, b' ' | b'-' | b'.')
    });
    let separator = at(text, start + spaces + name);
    name > 0 && (separator == b'=' || separator == b':' && before(text, start) == b',')
}

/// Drops what ends a sentence, a statement or an enclosing bracket.
fn without_closers(text: &[u8], start: usize, end: usize) -> usize {
    let value = bytes::slice(text, start, end);
    let last = value.iter().rposition(|&byte| !closes(byte));
    let kept = last.map_or(0, |last| last + 1);
    let (inner, tail) = value.split_at_checked(kept).unwrap_or_default();
    // What an inner bracket opens, the tail may close.
    let opened = |open| memchr::memchr(open, inner).is_some();
    let keeps = tail.iter().rposition(|byte| match byte {
        b')' => opened(b'('),
        b']' => opened(b'['),
        b'}' => opened(b'{'),
        b'>' => opened(b'<'),
        _ => false,
    });
    start + kept + keeps.map_or(0, |last| last + 1)
}

const fn closes(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b'.' | b':' | b')' | b']' | b'}' | b'>')
}
