//! The cookies of a header.

use super::{head, push};
use crate::detect::Score;
use crate::detect::bytes::{self, at, before};
use crate::detect::lexicon::value_class::Value;
use crate::detect::text::scanner::{self, Scanner};
use std::ops::Range;

/// The text between the name of the header and its cookies.
const SEPARATORS: &[&[u8]] = &[
    b": ",
    b":",
    b"\",\"value\":\"",
    b"\", \"value\": \"",
    b"\": \"",
    b"\":\"",
    b"': '",
];
/// Longest name of a cookie, in bytes.
const LONGEST_NAME: usize = 64;
const SHORTEST: usize = 16;
/// The shortest value with digits, or letters that are not words, under a name in [`SESSIONS`], in
/// bytes.
const SHORTEST_SESSION: usize = 8;

/// Names of cookies that only count visits, or that forms send back.
const COUNTING: &[&[u8]] = &[b"_g", b"__utm", b"_fb", b"csrf", b"xsrf", b"_hj", b"amp_"];

/// Parts of the names of session and login cookies.
const SESSIONS: &[&[u8]] = &[b"sess", b"sid", b"auth", b"token", b"jwt", b"login"];

/// Examines the cookies after the name at the end of `Cookie` or `Set-Cookie`; returns whether it
/// is a header with cookies.
pub(super) fn scan(scanner: &mut Scanner<'_, '_>, name: &Range<usize>) -> bool {
    let text = scanner.text;
    let stands = |separator: &&&[u8]| bytes::begins(text, name.end, separator);
    let Some(separator) = SEPARATORS.iter().find(stands) else {
        return false;
    };
    let is_header = matches!(
        before(text, name.start),
        b'-' | b' ' | b'\n' | b'"' | b'\'' | 0
    );
    if !is_header {
        return false;
    }
    let start = name.end + separator.len();
    let Some(mut end) = scan_pair(scanner, start) else {
        return false;
    };
    // Later cookies were examined with their header.
    if scanner.marks.cookies.contains(&start) {
        return true;
    }
    while at(text, end) == b';' && end < start + scanner::LONG {
        end = scan_pair(scanner, end + 1).unwrap_or_else(|| pair_end(scanner, end + 1));
    }
    scanner.marks.cookies = start..end;
    true
}

/// Examines the cookie that begins at `start`; returns where it ends, if it is one.
fn scan_pair(scanner: &mut Scanner<'_, '_>, start: usize) -> Option<usize> {
    let text = scanner.text;
    let first = start + bytes::run(text, start, 2, |byte| byte == b' ');
    let length = bytes::run(text, first, LONGEST_NAME, |byte| {
        !matches!(byte, b'=' | b' ' | b';')
    });
    // `let cookie: String = …`
    if at(text, first + length) != b'=' {
        return None;
    }
    let end = pair_end(scanner, first + length + 1);
    let name = bytes::slice(text, first, first + length);
    scan_value(scanner, name, &(first + length + 1..end));
    Some(end)
}

fn pair_end(scanner: &mut Scanner<'_, '_>, from: usize) -> usize {
    scanner
        .marks
        .cookie
        .end(scanner.text, from, scanner::LONG, |byte| {
            byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`' | b';') || byte == b' '
        })
}

/// A generated value is a credential, whatever its name is.
fn scan_value(scanner: &mut Scanner<'_, '_>, name: &[u8], value: &Range<usize>) {
    let counts = COUNTING.iter().any(|known| bytes::begins(name, 0, known));
    let class = Value::of(head(scanner.str(value.start, value.end)));
    let is_generated = class.length >= SHORTEST
        && (class.is_random() || class.is_irregular() || class.is_opaque());
    let lets_in = || {
        let name = name.to_ascii_lowercase();
        SESSIONS.iter().any(|known| bytes::holds(&name, known))
    };
    let is_cased = || class.has_upper && class.has_lower && !class.is_words();
    let is_session =
        class.length >= SHORTEST_SESSION && (class.has_digit && !class.is_number() || is_cased());
    if (is_generated || is_session && lets_in())
        && !counts
        && !class.has_space
        && !class.is_uuid()
        && !class.is_placeholder()
    {
        push(scanner, value, Score::percent(70), "cookie");
    }
}
