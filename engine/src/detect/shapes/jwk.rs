//! The private members of JSON web keys (RFC 7517).

use crate::EntityType;
use crate::detect::bytes::{self, at, before};
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score};
use std::ops::Range;

/// Farthest that a member is followed, in bytes.
const REACH: usize = 16 * 1024;
/// Fewest characters of a private member: sixteen bytes.
const SHORTEST: usize = 22;
const PRIVATE: &[&[u8]] = &[b"d", b"p", b"q", b"dp", b"dq", b"qi", b"k"];
/// How private members begin that standards (RFC 7515, 7517, 7520, 8037) and the tests of libraries publish.
#[rustfmt::skip]
const PUBLISHED: &[&[u8]] = &[
    b"AyM1SysPpbyD", b"Eq5xpGnNCivD", b"jpsQnnGQmL-Y", b"870MB6gfuTJ4", b"X4cTteJY_gn4", b"AAhRON2r9cqX", b"hJtXIZ2uSN5k",
    b"bWUC9B-EFRIo", b"nWGxne_9WmC6", b"xKPj5IXjiHpQ", b"Zh5xx0r_0tq3", b"XV7LOlEOANIa", b"9GJquUJf57a9", b"2nninfu2jMHD",
];

/// Examines the object whose member `kty` begins at `start`, with its quote.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, start: usize) {
    let text = scanner.text;
    if scanner.marks.web_key.contains(&start) {
        return;
    }
    let inner = |byte| !matches!(byte, b'{' | b'}');
    let first = start - bytes::run_back(text, start, start, inner);
    let end = start + bytes::run(text, start, usize::MAX, inner);
    scanner.marks.web_key = first..end;
    let mut values = Vec::new();
    let mut from = first;
    while let Some(colon) = memchr::memchr(b':', bytes::slice(text, from, end)) {
        let colon = from + colon;
        from = colon + 1;
        if PRIVATE.contains(&name(text, colon))
            && let Some(value) = value(text, from)
        {
            from = value.end;
            values.push(value);
        }
    }
    let is_published = |value: &Range<usize>| {
        let value = bytes::slice(text, value.start, value.end);
        PUBLISHED.iter().any(|known| value.starts_with(known))
    };
    if !values.iter().any(is_published) {
        for value in &values {
            report(scanner, value);
        }
    }
}

/// The name in quotes that ends before a colon.
fn name(text: &[u8], colon: usize) -> &[u8] {
    let gap = bytes::run_back(text, colon, 4, |byte| matches!(byte, b' ' | b'\\'));
    let quote = colon - gap;
    if !matches!(before(text, quote), b'"' | b'\'') {
        return &[];
    }
    let end = quote - 1 - usize::from(before(text, quote - 1) == b'\\');
    let length = bytes::run_back(text, end, 3, |byte| byte.is_ascii_alphabetic());
    bytes::slice(text, end - length, end)
}

/// The quoted Base64 after a colon.
fn value(text: &[u8], from: usize) -> Option<Range<usize>> {
    let is_gap = |byte: u8| byte.is_ascii_whitespace() || byte == b'\\';
    let quote = from + bytes::run(text, from, 16, is_gap);
    let start = quote + 1;
    let length = bytes::run(text, start, REACH, |byte| {
        bytes::is_word(byte) || matches!(byte, b'-' | b'+' | b'/' | b'=')
    });
    let quoted = matches!(at(text, quote), b'"' | b'\'');
    (quoted && length >= SHORTEST).then_some(start..start + length)
}

fn report(scanner: &mut Scanner<'_, '_>, value: &Range<usize>) {
    scanner.push(Detection {
        start: value.start,
        end: value.end,
        entity: EntityType::PRIVATE_KEY,
        score: Score::percent(90),
        rule: "json-web-key",
    });
}
